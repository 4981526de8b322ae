import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const get = (name: string, path: string, response: unknown, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/table/${path}`,
  status: 200,
  response,
  ...rest,
})
const numbers = (...all: readonly string[]): unknown => ok(...all.map((number) => ({ number })))
const unknownColumn = (column: string, table: string): unknown =>
  errorBody('INVALID_VALUE', `The value of ${column} is rejected: there is no column ${column} in ${table}.`, {
    field: column,
  })

describeScenarios('task → itsm_task → itsm_incident (docs/spec/records.md, section 5)', [
  get(
    'the parent lists the rows of all children',
    'task?sysparm_fields=number',
    numbers(
      'INC0000001',
      'INC0000002',
      'INC0000003',
      'INC0000004',
      'INC0000005',
      'TSK0000006',
      'CHG0000007',
      'PRB0000008',
    ),
    { responseHeaders: { 'x-total-count': '8' } },
  ),
  get(
    'a child in between lists its own children’s, not its parent’s',
    'itsm_task?sysparm_fields=number&sysparm_query=numberNOT LIKEINC'.replace(' ', '%20'),
    numbers('CHG0000007', 'PRB0000008'),
    { responseHeaders: { 'x-total-count': '2' } },
  ),
  get(
    'a leaf lists its own',
    'itsm_incident?sysparm_fields=number&sysparm_query=state=2',
    numbers('INC0000001', 'INC0000002'),
  ),
  get(
    'sys_db_table_id tells the class',
    'task?sysparm_query=sys_idIN1001,1006&sysparm_fields=number,sys_db_table_id&sysparm_exclude_reference_link=1',
    ok({ number: 'INC0000001', sys_db_table_id: 'itsm_incident' }, { number: 'TSK0000006', sys_db_table_id: 'task' }),
  ),
  get(
    'INSTANCEOF finds a class and its children',
    'task?sysparm_query=sys_db_table_idINSTANCEOFitsm_task^numberNOTLIKEINC&sysparm_fields=number',
    numbers('CHG0000007', 'PRB0000008'),
  ),
  get(
    'a child has the columns of its parents and its own',
    'itsm_incident/1001?sysparm_fields=number,category,severity',
    ok({ number: 'INC0000001', category: null, severity: null }),
  ),
  get(
    'the parent’s path has no column of a child',
    'task/1001?sysparm_fields=severity',
    errorBody(
      'BAD_PARAMETER',
      'The parameter sysparm_fields must be a list of columns of task (there is no column severity in task); found severity.',
      { field: 'sysparm_fields' },
    ),
    { status: 400 },
  ),
  get(
    'nor in a query',
    'task?sysparm_query=severity=1',
    errorBody('BAD_QUERY', 'The query cannot be read at position 0: there is no column severity in task.', {
      field: 'severity',
      position: 0,
    }),
    { status: 400 },
  ),
  get(
    'a sibling’s record is not there',
    'itsm_problem/1001',
    errorBody('RECORD_NOT_FOUND', 'The table itsm_problem has no record 1001 that you may read.'),
    { status: 404 },
  ),
  {
    name: 'a child’s record is updated by the parent’s path',
    as: 'worker',
    send: 'PUT /rest/v1/table/task/1001?sysparm_fields=subject,sys_db_table_id&sysparm_exclude_reference_link=1',
    body: { subject: 'through task' },
    status: 200,
    response: ok({ subject: 'through task', sys_db_table_id: 'itsm_incident' }),
    writes: true,
  },
  {
    name: 'but not a child’s column',
    as: 'worker',
    send: 'PUT /rest/v1/table/task/1001',
    body: { severity: '1' },
    status: 422,
    response: unknownColumn('severity', 'task'),
  },
  {
    name: 'which its own path writes',
    as: 'worker',
    send: 'PATCH /rest/v1/table/itsm_incident/1001?sysparm_fields=severity,reopen_count,labels',
    body: { severity: '1', reopen_count: { increment: 1 }, labels: { add: ['vpn'] } },
    status: 200,
    response: ok({ severity: '1', reopen_count: 1, labels: ['vpn'] }),
    writes: true,
  },
  {
    name: 'a create makes a record of the class of its path, with its number and its defaults',
    as: 'worker',
    send: 'POST /rest/v1/table/itsm_change_request?sysparm_fields=number,sys_db_table_id,type,risk,state&sysparm_exclude_reference_link=1',
    body: { subject: 'new switch' },
    status: 200,
    response: ok({
      number: 'CHG0001001',
      sys_db_table_id: 'itsm_change_request',
      type: 'normal',
      risk: '3',
      state: '0',
    }),
    writes: true,
  },
  get(
    'which the parents list',
    'task?sysparm_query=subject=new%20switch&sysparm_fields=number,active',
    ok({ number: 'CHG0001001', active: true }),
  ),
  {
    name: 'the class cannot be changed',
    as: 'worker',
    send: 'PUT /rest/v1/table/task/1006',
    body: { sys_db_table_id: '1' },
    status: 422,
    response: errorBody(
      'INVALID_VALUE',
      'The value of sys_db_table_id is rejected: is read-only: only the value that stands there may be sent back.',
      { field: 'sys_db_table_id' },
    ),
  },
  {
    name: 'a reference to the parent takes a child’s record',
    as: 'worker',
    send: 'PUT /rest/v1/table/task/1006?sysparm_fields=parent_id,parent_id.number',
    body: { parent_id: '1001' },
    status: 200,
    response: ok({
      parent_id: { value: '1001', link: 'BASE/rest/v1/table/task/1001' },
      'parent_id.number': 'INC0000001',
    }),
    writes: true,
  },
  {
    name: 'a child’s record is deleted by the parent’s path',
    as: 'worker',
    send: 'DELETE /rest/v1/table/itsm_task/1003',
    status: 200,
    response: { status: 'OK', data: { description: 'Records successfully deleted.', count: 1 } },
    writes: true,
  },
  get(
    'and is gone from its own',
    'itsm_incident/1003',
    errorBody('RECORD_NOT_FOUND', 'The table itsm_incident has no record 1003 that you may read.'),
    { status: 404 },
  ),
])

describeScenarios('user → employee', [
  {
    name: 'an employee is made',
    as: 'admin',
    send: 'POST /rest/v1/table/employee?sysparm_fields=user_name,job_title,work_days,language,sys_db_table_id&sysparm_exclude_reference_link=1',
    body: { user_name: 'eva', job_title: 'Engineer', display_name: 'Eva Employee' },
    status: 200,
    response: ok({
      user_name: 'eva',
      job_title: 'Engineer',
      work_days: 31,
      language: 'en',
      sys_db_table_id: 'employee',
    }),
    writes: true,
  },
  get(
    'and is a user',
    'user?sysparm_query=sys_db_table_idINSTANCEOFemployee&sysparm_fields=user_name,display_name',
    ok({ user_name: 'eva', display_name: 'Eva Employee' }),
    { as: 'admin' },
  ),
  get('users who are none are not listed', 'employee?sysparm_fields=user_name', ok({ user_name: 'eva' }), {
    as: 'admin',
  }),
  {
    name: 'a user name is unique among both',
    as: 'admin',
    send: 'POST /rest/v1/table/user',
    body: { user_name: 'EVA' },
    status: 409,
    response: errorBody(
      'CONFLICT',
      'Another record of the table user has this value of user_name, which must be unique.',
      {
        reason: 'duplicate',
        field: 'user_name',
      },
    ),
  },
  {
    name: 'a reference to users takes an employee and shows the name',
    as: 'admin',
    send: 'PATCH /rest/v1/table/task/1001?sysparm_fields=caller&sysparm_display_value=1&sysparm_exclude_reference_link=1',
    body: { caller: { find: { user_name: 'eva' } } },
    status: 200,
    response: ok({ caller: 'Eva Employee' }),
    writes: true,
  },
])
