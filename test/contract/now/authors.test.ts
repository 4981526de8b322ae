import { sql } from '../../../src/kernel/sql.ts'
import { rule } from '../records/fixture.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { id, result, servedIds } from './expected.ts'

/** Record, who created it and who changed it last; '': nobody. */
const AUTHORS = [
  [1001, 'worker', 'worker'],
  [1002, 'worker', 'reader'],
  [1003, '', 'worker'],
  [1004, 'worker', ''],
  [1006, '', ''],
] as const
const ids = sql`(select sys_id from docket."user" where user_name = v.created)`
const others = sql`(select sys_id from docket."user" where user_name = v.updated)`
const stage = [
  servedIds,
  sql`update docket.task set sys_created_by = ${ids}, sys_updated_by = ${others}
    from (values ${sql.join(AUTHORS.map(([sysId, created, updated]) => sql`(${sysId}::bigint, ${created}, ${updated})`))}) as v (id, created, updated)
    where task.sys_id = v.id`,
]

type Form = (name: string) => unknown
const FORMS: Readonly<Record<string, Form>> = {
  false: (name) => name,
  true: (name) => name,
  all: (name) => ({ display_value: name, value: name }),
}
const list = (display: string, fields: string, record: (created: string, updated: string) => unknown): Scenario => ({
  name: `${fields}: sysparm_display_value=${display}`,
  as: 'worker',
  send: `GET /api/now/table/task?sysparm_query=sys_idIN${AUTHORS.map(([sysId]) => id(sysId)).join(',')}^ORDERBYsys_id&sysparm_display_value=${display}&sysparm_fields=${fields}`,
  status: 200,
  response: result(...AUTHORS.map(([, created, updated]) => record(created, updated))),
})
/** @param seen the name of a user whom the caller may read */
const scenarios = (seen: (name: string) => string): readonly Scenario[] =>
  Object.entries(FORMS).flatMap(([display, form]) => [
    ...['sys_created_by,sys_updated_by', 'sys_updated_by,sys_created_by'].map((fields) =>
      list(display, fields, (created, updated) => ({
        sys_created_by: form(seen(created)),
        sys_updated_by: form(seen(updated)),
      })),
    ),
    list(display, 'sys_updated_by', (_created, updated) => ({ sys_updated_by: form(seen(updated)) })),
  ])

describeScenarios(
  'authors are user names (issue 15, section 3)',
  scenarios((name) => name),
  stage,
)
describeScenarios(
  'authors whom the caller may not read have no name (issue 15, section 3)',
  scenarios((name) => (name === 'reader' ? '' : name)),
  [
    ...stage,
    sql`delete from docket.sys_security_acl where table_name = 'user'`,
    rule({ operation: 'read', table: 'user', roles: ['itil'], condition: 'user_name!=reader' }),
  ],
)
