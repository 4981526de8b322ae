import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const user = (id: string) => ({ value: id, link: `BASE/rest/v1/table/user/${id}` })

/** Every column of a task: docs/spec/records.md, section 4. */
const incidentAsTask = {
  sys_id: '1001',
  sys_created_at: '2026-02-01 08:00:00',
  sys_created_by: user('201'),
  sys_updated_at: '2026-02-01 08:00:00',
  sys_updated_by: user('201'),
  sys_db_table_id: 'itsm_incident',
  number: 'INC0000001',
  subject: 'Printer jams',
  short_description: null,
  description: null,
  display_name: 'INC0000001 Printer jams',
  state: '2',
  state_changed_at: null,
  priority: '1',
  urgency: '3',
  impact: '3',
  approval_state: 'not_requested',
  active: true,
  attention_required: false,
  opened_at: '2026-02-01 08:00:00',
  closed_at: null,
  due_date: null,
  sla_due: null,
  assigned_user: user('201'),
  assignment_group: null,
  opened_by: null,
  closed_by: null,
  contact: null,
  caller: user('202'),
  service: { value: '501', link: 'BASE/rest/v1/table/service/501' },
  company: { value: '301', link: 'BASE/rest/v1/table/company/301' },
  parent_id: null,
  followers_list: null,
  screenshot: null,
  wf_executing_activity: null,
  work_notes: null,
  comments: null,
  additional_comments: null,
}

const get = (
  name: string,
  path: string,
  status: number,
  response: unknown,
  as: Scenario['as'] = 'worker',
): Scenario => ({
  name,
  as,
  send: `GET /rest/v1/table/${path}`,
  status,
  response,
})
const noRecord = (table: string, id: string): unknown =>
  errorBody('RECORD_NOT_FOUND', `The table ${table} has no record ${id} that you may read.`)

describeScenarios('reading one record (docs/spec/records.md, section 3)', [
  get('responds with an array of the one record, with all its columns', 'task/1001', 200, ok(incidentAsTask)),
  get('the path may end in a slash', 'task/1001/?sysparm_fields=number', 200, ok({ number: 'INC0000001' })),
  get('slashes may be doubled', '/task//1001?sysparm_fields=number', 200, ok({ number: 'INC0000001' })),
  get('a record that is not there', 'task/1999', 404, noRecord('task', '1999')),
  get('a record of another table is not there', 'task/201', 404, noRecord('task', '201')),
  get('a parent’s record is not in the child', 'itsm_incident/1006', 404, noRecord('itsm_incident', '1006')),
  get('a sys_id longer than any', 'task/9999999999999999999999', 404, noRecord('task', '9999999999999999999999')),
  get('a negative sys_id', 'task/-1001', 404, noRecord('task', '-1001')),
  get(
    'a table that is not there, with a name close by',
    'taks/1001',
    404,
    errorBody('TABLE_NOT_FOUND', 'There is no table taks.'),
  ),
  get(
    'similar names are offered',
    'tasks/1001',
    404,
    errorBody('TABLE_NOT_FOUND', 'There is no table tasks. Did you mean task?'),
  ),
  get(
    'but none that the caller may not read',
    'tasks/1001',
    404,
    errorBody('TABLE_NOT_FOUND', 'There is no table tasks.'),
    'nobody',
  ),
  get(
    'a query that the record matches',
    'task/1001?sysparm_query=state=2&sysparm_fields=number',
    200,
    ok({ number: 'INC0000001' }),
  ),
  get('a query that it does not match', 'task/1001?sysparm_query=state=1', 404, noRecord('task', '1001')),
  get(
    'a record of the dictionary',
    'sys_property?sysparm_query=name=rest.limit.max&sysparm_fields=name,value',
    200,
    ok({ name: 'rest.limit.max', value: '10000' }),
    'admin',
  ),
  {
    name: 'without credentials',
    as: null,
    send: 'GET /rest/v1/table/task/1001',
    status: 401,
    response: errorBody(
      'UNAUTHENTICATED',
      'Credentials are needed: the header Authorization with Bearer <access key> or Basic, or X-API-Key. POST /v1/auth/login gives an access key.',
    ),
    responseHeaders: { 'www-authenticate': 'Bearer realm="Docket", Basic realm="Docket", charset="UTF-8"' },
  },
])
