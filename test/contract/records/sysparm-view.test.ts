import { sql } from '../../../src/kernel/sql.ts'
import { rule } from './fixture.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

/** A form view with one section. */
function view(id: number, table: string, title: string, columns: readonly string[], owner: string | null = null) {
  return sql`with form as (
      insert into docket.sys_ui_form (sys_id, title, table_id, user_id) values (${id}::bigint, ${title},
        (select sys_id from docket.sys_db_table where name = ${table}), ${owner}::bigint) returning sys_id),
    section as (insert into docket.sys_ui_form_section (sys_id, form_id, title) select ${id + 1}::bigint, sys_id, 'All' from form returning sys_id)
    insert into docket.sys_ui_form_element (section_id, column_name, "order")
      select section.sys_id, c.name, c.place from section, unnest(array[${sql.join(columns)}]::text[]) with ordinality as c (name, place)`
}
const views = [
  view(8010, 'task', 'short', ['number', 'subject', 'company.name']),
  view(8020, 'task', 'short', ['number', 'state'], '201'),
  view(8030, 'itsm_incident', 'card', ['number', 'severity']),
  view(8040, 'task', 'card', ['number', 'priority']),
  view(8050, 'task', 'old', ['number', 'gone_long_ago']),
  view(8060, 'task', 'off', ['number']),
  sql`update docket.sys_ui_form set active = false where sys_id = 8060`,
  view(8070, 'company', 'Карточка', ['name', 'city']),
  rule({ operation: 'read', table: 'company', column: 'city', roles: ['itil'] }),
]

const get = (name: string, path: string, response: unknown, as: Scenario['as'] = 'moscow'): Scenario => ({
  name,
  as,
  send: `GET /rest/v1/table/${path}`,
  status: 200,
  response,
})

describeScenarios(
  'sysparm_view (docs/spec/records.md, section 3)',
  [
    get(
      'the response has the fields of the view, in its order',
      'task/1001?sysparm_view=short',
      ok({ number: 'INC0000001', subject: 'Printer jams', 'company.name': 'Acme' }),
    ),
    get(
      'a personal view wins over a shared one of the same title',
      'task/1001?sysparm_view=short',
      ok({ number: 'INC0000001', state: '2' }),
      'worker',
    ),
    get(
      'the title is compared without case',
      'task/1001?sysparm_view=SHORT',
      ok({ number: 'INC0000001', state: '2' }),
      'worker',
    ),
    get(
      'with sysparm_fields: only the columns in both',
      'task/1001?sysparm_view=short&sysparm_fields=subject,priority',
      ok({ subject: 'Printer jams' }),
    ),
    get('none in both: a record without fields', 'task/1001?sysparm_view=short&sysparm_fields=priority,state', ok({})),
    get(
      'none in both, in a list: records without fields',
      'task?sysparm_view=short&sysparm_fields=priority&sysparm_limit=2',
      ok({}, {}),
    ),
    {
      ...get(
        'an unknown view is ignored, and named in X-Ignored-Parameters (issue 8, B7)',
        'task/1001?sysparm_view=1&sysparm_fields=number&_=5',
        ok({ number: 'INC0000001' }),
      ),
      responseHeaders: { 'x-ignored-parameters': '_, sysparm_view' },
    },
    {
      ...get(
        'a known view is not named (issue 8, B7)',
        'task/1001?sysparm_view=short&sysparm_fields=subject',
        ok({ subject: 'Printer jams' }),
      ),
      responseHeaders: { 'x-ignored-parameters': undefined },
    },
    {
      name: 'an unknown column in sysparm_fields is 400, with a view as without (issue 8, B7)',
      as: 'worker',
      send: 'GET /rest/v1/table/task/1001?sysparm_view=short&sysparm_fields=number,nope',
      status: 400,
      response: errorBody(
        'BAD_PARAMETER',
        'The parameter sysparm_fields must be a list of columns of task (there is no column nope in task); found nope.',
        { field: 'sysparm_fields' },
      ),
    },
    get('an empty one is "not given"', 'task/1001?sysparm_view=&sysparm_fields=number', ok({ number: 'INC0000001' })),
    get(
      'one that is not active is unknown',
      'task/1001?sysparm_view=off&sysparm_fields=subject',
      ok({ subject: 'Printer jams' }),
    ),
    get(
      'a child’s view wins over its parent’s',
      'itsm_incident/1001?sysparm_view=card',
      ok({ number: 'INC0000001', severity: null }),
    ),
    get(
      'a child without one has its parent’s',
      'itsm_problem/1008?sysparm_view=card',
      ok({ number: 'PRB0000008', priority: '3' }),
    ),
    get(
      'the parent’s path has the parent’s',
      'task/1001?sysparm_view=card',
      ok({ number: 'INC0000001', priority: '1' }),
    ),
    get(
      'a column that is gone is left out: the view outlived it',
      'task/1001?sysparm_view=old',
      ok({ number: 'INC0000001' }),
    ),
    get('a view of another table is unknown', 'service?sysparm_view=short&sysparm_fields=name', ok({ name: 'Mail' })),
    get(
      'a title in Cyrillic',
      `company?sysparm_view=${encodeURIComponent('карточка')}`,
      ok({ name: 'Acme', city: 'London' }, { name: 'Ромашка', city: 'Москва' }),
    ),
    get(
      'a view opens no column that rules close',
      `company?sysparm_view=${encodeURIComponent('карточка')}`,
      ok({ name: 'Acme' }, { name: 'Ромашка' }),
      'reader',
    ),
    get(
      'display values and links as ever',
      'task/1001?sysparm_view=short&sysparm_display_value=1',
      ok({ number: 'INC0000001', state: 'In progress' }),
      'worker',
    ),
    {
      name: 'holds for the response to a create',
      as: 'worker',
      send: 'POST /rest/v1/table/task?sysparm_view=short',
      body: { subject: 'x' },
      status: 200,
      response: ok({ number: 'TSK0001001', state: '0' }),
      writes: true,
    },
    {
      name: 'of a PUT',
      as: 'moscow',
      send: 'PUT /rest/v1/table/task/1001?sysparm_view=short',
      body: { subject: 'y', company: '302' },
      status: 200,
      response: ok({ number: 'INC0000001', subject: 'y', 'company.name': 'Ромашка' }),
      writes: true,
    },
    {
      name: 'and of a PATCH',
      as: 'worker',
      send: 'PATCH /rest/v1/table/task/1001?sysparm_view=short',
      body: { state: '3' },
      status: 200,
      response: ok({ number: 'INC0000001', state: '3' }),
      writes: true,
    },
  ],
  views,
)
