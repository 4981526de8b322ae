import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const create = (
  name: string,
  body: unknown,
  rest: Omit<Scenario, 'name' | 'as' | 'send' | 'body'> & { readonly send?: string; readonly as?: Scenario['as'] },
): Scenario => ({
  name,
  as: 'worker',
  send: 'POST /rest/v1/table/itsm_incident?sysparm_fields=sys_id,number,subject',
  body,
  ...rest,
})
const invalid = (field: string, detail: string): unknown =>
  errorBody('INVALID_VALUE', `The value of ${field} is rejected: ${detail}${detail.endsWith('?') ? '' : '.'}`, {
    field,
  })
const newIncident = {
  sys_id: '177244560000000001',
  sys_created_at: '2026-03-02 10:00:00',
  sys_created_by: { value: '201', link: 'BASE/rest/v1/table/user/201' },
  sys_updated_at: '2026-03-02 10:00:00',
  sys_updated_by: { value: '201', link: 'BASE/rest/v1/table/user/201' },
  sys_db_table_id: 'itsm_incident',
  number: 'INC0001001',
  subject: 'A new one',
  short_description: null,
  description: null,
  display_name: 'INC0001001 A new one',
  state: '0',
  state_changed_at: null,
  priority: '2',
  urgency: '3',
  impact: '3',
  approval_state: 'not_requested',
  active: true,
  attention_required: false,
  opened_at: '2026-03-02 10:00:00',
  closed_at: null,
  due_date: null,
  sla_due: null,
  assigned_user: { value: '202', link: 'BASE/rest/v1/table/user/202' },
  assignment_group: null,
  opened_by: { value: '201', link: 'BASE/rest/v1/table/user/201' },
  closed_by: null,
  contact: null,
  caller: null,
  service: null,
  company: null,
  parent_id: null,
  followers_list: null,
  screenshot: null,
  wf_executing_activity: null,
  work_notes: null,
  comments: null,
  additional_comments: null,
  category: null,
  subcategory: null,
  contact_type: 'self_service',
  close_code: null,
  closure_notes: null,
  time_worked: null,
  reassignment_count: 0,
  labels: null,
  severity: '3',
  reopen_count: 0,
  workaround: null,
  details: null,
  hold_reason: null,
}

describeScenarios('POST creates one record (docs/spec/records.md, section 3)', [
  create(
    'it responds with the whole record, with number, defaults and system columns filled',
    { subject: 'A new one', priority: '2', assigned_user: '202', work_notes: 'hello' },
    {
      send: 'POST /rest/v1/table/itsm_incident',
      status: 200,
      response: ok(newIncident),
      responseHeaders: { location: 'BASE/rest/v1/table/itsm_incident/177244560000000001' },
      writes: true,
    },
  ),
  create('the text of a journal column became an entry', undefined, {
    as: 'admin',
    send: 'GET /rest/v1/table/sys_journal_entry?sysparm_fields=table_id,record_id,column_name,value&sysparm_exclude_reference_link=1',
    status: 200,
    response: ok({
      table_id: 'itsm_incident',
      record_id: '177244560000000001',
      column_name: 'work_notes',
      value: 'hello',
    }),
  }),
  create(
    'numbers go on by one, each table with its own prefix',
    { subject: 'A task' },
    {
      send: 'POST /rest/v1/table/task?sysparm_fields=number',
      status: 200,
      response: ok({ number: 'TSK0001001' }),
      writes: true,
    },
  ),
  create(
    'display values and the fields of the response are chosen as on a read',
    { subject: 'Shown', caller: 202 },
    {
      as: 'moscow',
      send: 'POST /rest/v1/table/itsm_incident?sysparm_display_value=1&sysparm_exclude_reference_link=1&sysparm_fields=number,state,caller,caller.company.name,opened_at,active',
      status: 200,
      response: ok({
        number: 'INC0001002',
        state: 'Зарегистрирована',
        caller: 'Rita Reader',
        'caller.company.name': 'Acme',
        opened_at: '2026-03-02 13:00:00',
        active: true,
      }),
      writes: true,
    },
  ),
  create(
    'a reference is found by another column',
    { subject: 'Found', caller: { find: { user_name: 'READER' } } },
    {
      send: 'POST /rest/v1/table/itsm_incident?sysparm_exclude_reference_link=1&sysparm_fields=number,caller',
      status: 200,
      response: ok({ number: 'INC0001003', caller: '202' }),
      writes: true,
    },
  ),
  create(
    'find that meets several is rejected',
    { subject: 'Lost', caller: { find: { 'company.name': 'acme' } } },
    { status: 422, response: invalid('caller', 'find must meet exactly one record of user; it met none or several') },
  ),
  create(
    'find by a column that the caller may not read is rejected',
    { subject: 'Lost', caller: { find: { password: 'x' } } },
    {
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to read the column password of the table user.', {
        field: 'password',
      }),
    },
  ),
  create(
    'instructions other than find are rejected',
    { subject: { append: 'x' } },
    {
      status: 422,
      response: invalid(
        'subject',
        'an object is not a value of this column; instructions such as append belong to PATCH',
      ),
    },
  ),
  create('several records at once are rejected', [{ subject: 'a' }, { subject: 'b' }], {
    status: 400,
    response: errorBody(
      'BAD_JSON',
      'The body must be one JSON object of column names and values: one record per call; found an array of 2.',
    ),
  }),
  create('JSON that does not parse is rejected with its position', '{"subject": }', {
    headers: { 'content-type': 'application/json' },
    status: 400,
    response: errorBody('BAD_JSON', 'The body is not valid JSON: a value was expected (at position 12).', {
      position: 12,
    }),
  }),
  create(
    'an unknown column is rejected by name',
    { subject: 'x', prio: '1' },
    { status: 422, response: invalid('prio', 'there is no column prio in itsm_incident; did you mean priority?') },
  ),
  create(
    'a value of the wrong type is rejected',
    { reassignment_count: 'many' },
    {
      status: 422,
      response: invalid(
        'reassignment_count',
        'a whole number from -2147483648 to 2147483647 is expected, found "many"',
      ),
    },
  ),
  create(
    'an unknown choice is rejected with those there are',
    { priority: '9' },
    { status: 422, response: invalid('priority', '"9" is not a choice; the choices are 1, 2, 3, 4') },
  ),
  create(
    'a reference to nothing is rejected',
    { caller: '999' },
    { status: 422, response: invalid('caller', 'there is no such record in user') },
  ),
  create(
    'a reference that is no id is rejected',
    { caller: 'rita' },
    { status: 422, response: invalid('caller', 'the sys_id of a record (up to 18 digits) is expected, found "rita"') },
  ),
  create(
    'a text longer than its column is rejected',
    { subject: 'x'.repeat(256) },
    { status: 422, response: invalid('subject', 'at most 255 characters fit, found 256') },
  ),
  create(
    'a date that is none is rejected',
    { due_date: '2026-02-30 00:00:00' },
    {
      status: 422,
      response: invalid(
        'due_date',
        'Expected a date and time that exist, as YYYY-MM-DD HH:MM:SS (or ISO 8601: YYYY-MM-DDTHH:MM:SSZ), found "2026-02-30 00:00:00"',
      ),
    },
  ),
  create(
    'an empty mandatory column is rejected',
    { state: '' },
    { status: 422, response: invalid('state', 'it is mandatory and cannot be empty') },
  ),
  create(
    'a missing mandatory column without a default is rejected',
    {},
    {
      as: 'admin',
      send: 'POST /rest/v1/table/company',
      status: 422,
      response: invalid('name', 'it is mandatory; give it a value'),
    },
  ),
  create(
    "a number of one's own is rejected: the server gives it",
    { number: 'INC9' },
    { status: 422, response: invalid('number', 'it is read-only, the server fills it') },
  ),
  create(
    'a sys_id is rejected',
    { sys_id: '5' },
    { status: 422, response: invalid('sys_id', 'it is read-only, the server fills it') },
  ),
  create(
    'but an admin may give one',
    { sys_id: '5', subject: 'mine' },
    { as: 'admin', status: 200, response: ok({ sys_id: '5', number: 'INC0001004', subject: 'mine' }), writes: true },
  ),
  create(
    'one that is taken is a conflict',
    { sys_id: '5' },
    {
      as: 'admin',
      status: 409,
      response: errorBody(
        'CONFLICT',
        'Another record of the table itsm_incident has this value of sys_id, which must be unique.',
        {
          reason: 'duplicate',
          field: 'sys_id',
        },
      ),
    },
  ),
  create(
    'a unique value that is taken is a conflict, whatever its case',
    { user_name: 'WORKER' },
    {
      as: 'admin',
      send: 'POST /rest/v1/table/user',
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
  ),
  create('18 digits that come as a JSON number keep every digit', '{"subject":"x","caller":155931135900000001}', {
    headers: { 'content-type': 'application/json' },
    send: 'POST /rest/v1/table/itsm_incident?sysparm_fields=caller&sysparm_exclude_reference_link=1',
    status: 200,
    response: ok({ caller: '155931135900000001' }),
    writes: true,
  }),
  create(
    'HTML is cleaned of what could run',
    { workaround: '<p onclick="x()">Hi <script>alert(1)</script><b>there</b></p>' },
    {
      send: 'POST /rest/v1/table/itsm_incident?sysparm_fields=workaround',
      status: 200,
      response: ok({ workaround: '<p>Hi <b>there</b></p>' }),
      writes: true,
    },
  ),
  create(
    'a text without markup is left to the letter',
    { workaround: 'a < b & c' },
    {
      send: 'POST /rest/v1/table/itsm_incident?sysparm_fields=workaround',
      status: 200,
      response: ok({ workaround: 'a < b & c' }),
      writes: true,
    },
  ),
  create('form data is rejected', 'subject=x', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 400,
    response: errorBody(
      'BAD_JSON',
      'The body must be JSON, sent with Content-Type: application/json; found form data (application/x-www-form-urlencoded).',
    ),
  }),
  create(
    'an unknown table is told, with what it may have been',
    {},
    {
      send: 'POST /rest/v1/table/incident',
      status: 404,
      response: errorBody('TABLE_NOT_FOUND', 'There is no table incident. Did you mean itsm_incident?'),
    },
  ),
  create(
    'types of columns are not made by hand',
    { name: 'x' },
    {
      as: 'admin',
      send: 'POST /rest/v1/table/sys_db_column_type',
      status: 409,
      response: errorBody(
        'CONFLICT',
        'Records of sys_db_column_type are written by the server alone; they can be read, not created, changed or deleted.',
        { reason: 'conflict' },
      ),
    },
  ),
])
