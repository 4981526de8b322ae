import { sql } from '../../../src/kernel/sql.ts'
import { rule } from '../records/fixture.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { id, result, servedIds } from './expected.ts'

/** A worker may read these columns of active records only. */
const COLUMNS = [
  ['task', 'state'],
  ['task', 'approval_state'],
  ['task', 'sys_db_table_id'],
  ['user', 'password'],
] as const

/** The problem leads to an active incident and user, the change to others. */
const stage = [
  servedIds,
  sql`update docket."user" set active = false where sys_id = 203`,
  sql`update docket.task set parent_id = 1001, assigned_user = 201 where sys_id = 1008`,
  sql`update docket.task set parent_id = 1005, assigned_user = 203 where sys_id = 1007`,
  sql`delete from docket.sys_security_acl where table_name = 'user' and column_name = 'password'`,
  ...COLUMNS.map(([table, column]) =>
    rule({ operation: 'read', table, column, roles: ['itil'], condition: 'active=true' }),
  ),
]

/** Field: its value and display value, of the problem and of the change. */
const DISPLAYED: Readonly<Record<string, readonly [value: string, title: string]>> = {
  'parent.state': ['2', 'In Progress'],
  'parent.approval': ['not requested', 'Not Yet Requested'],
  'parent.sys_class_name': ['incident', 'Incidents'],
  'assigned_to.user_password': ['', '********'],
}
const record = (of: (texts: readonly [value: string, title: string]) => unknown): unknown =>
  Object.fromEntries(Object.entries(DISPLAYED).map(([field, texts]) => [field, of(texts)]))
const NOTHING = ['', ''] as const

const FORMS: Readonly<Record<string, (texts: readonly [value: string, title: string]) => unknown>> = {
  false: ([value]) => value,
  true: ([, title]) => title,
  all: ([value, title]) => ({ display_value: title, value }),
}
const scenarios = Object.entries(FORMS).flatMap(([display, form]): readonly Scenario[] => {
  const parameters = `sysparm_display_value=${display}&sysparm_fields=${Object.keys(DISPLAYED).join(',')}`
  const hidden = record(() => form(NOTHING))
  return [
    {
      name: `in a list: sysparm_display_value=${display}`,
      as: 'worker',
      send: `GET /api/now/table/task?sysparm_query=numberINPRB0000008,CHG0000007^ORDERBYDESCnumber&${parameters}`,
      status: 200,
      response: result(record(form), hidden),
    },
    {
      name: `of one record: sysparm_display_value=${display}`,
      as: 'worker',
      send: `GET /api/now/table/task/${id(1007)}?${parameters}`,
      status: 200,
      response: { result: hidden },
    },
  ]
})

describeScenarios(
  'a title behind a reference is that of a value which the caller may read in this row (issue 15, section 1)',
  scenarios,
  stage,
)
