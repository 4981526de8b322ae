import { describeScenarios, ok, type Scenario } from './scenarios.ts'

const get = (name: string, path: string, response: unknown, as: Scenario['as'] = 'admin'): Scenario => ({
  name,
  as,
  send: `GET /rest/v1/table/${path}&sysparm_exclude_reference_link=1`,
  status: 200,
  response,
})

/** Tables of docs/spec/records.md, section 5; each can be read like any other table. */
const served = [
  'sys_db_table',
  'sys_db_column',
  'sys_db_column_type',
  'sys_choice',
  'sys_translated_text',
  'sys_property',
  'sys_number',
  'sys_ui_form',
  'sys_ui_form_section',
  'sys_ui_form_element',
  'sys_security_acl',
  'sys_dynamic_option',
  'sys_state_model',
  'sys_state_transition',
  'sys_approval',
  'sys_filter',
  'sys_schedule',
  'sys_indication',
  'sys_attachment',
  'sys_history',
  'sys_record_deletion_log',
  'sys_journal_entry',
  'user',
  'employee',
  'company',
  'service',
  'sys_group',
  'sys_role',
  'sys_user_has_role',
  'sys_role_contains',
  'sys_user_group',
  'sys_group_has_role',
]

describeScenarios('the dictionary and the system tables are served as any other', [
  get(
    'a table of the dictionary',
    'sys_db_table?sysparm_query=name=itsm_incident&sysparm_fields=name,title,parent_id,parent_id.name,is_extendable,is_audit',
    ok({
      name: 'itsm_incident',
      title: 'Incidents',
      parent_id: 'itsm_task',
      'parent_id.name': 'itsm_task',
      is_extendable: true,
      is_audit: true,
    }),
  ),
  get(
    'its columns, found by a walk',
    'sys_db_column?sysparm_query=table_id.name=itsm_incident^ORDERBYcolumn_name&sysparm_fields=column_name,column_type_id.name,reference_id',
    ok(
      { column_name: 'details', 'column_type_id.name': 'json', reference_id: null },
      { column_name: 'hold_reason', 'column_type_id.name': 'choice', reference_id: null },
      { column_name: 'reopen_count', 'column_type_id.name': 'smallinteger', reference_id: null },
      { column_name: 'severity', 'column_type_id.name': 'choice', reference_id: null },
      { column_name: 'workaround', 'column_type_id.name': 'wysiwyg', reference_id: null },
    ),
  ),
  get(
    'choices in both languages',
    'sys_choice?sysparm_query=table_id.name=probe^value=10^ORDERBYlanguage&sysparm_fields=value,title,language',
    ok({ value: '10', title: 'Ten', language: 'en' }, { value: '10', title: 'Десять', language: 'ru' }),
  ),
  get(
    'a column type',
    'sys_db_column_type?sysparm_query=name=wysiwyg&sysparm_fields=name,title,storage',
    ok({ name: 'wysiwyg', title: 'WYSIWYG', storage: 'text' }),
  ),
  get(
    'a numbering',
    'sys_number?sysparm_query=table_id.name=task&sysparm_fields=prefix,digits,start',
    ok({ prefix: 'TSK', digits: 7, start: '1' }),
  ),
  get(
    'the rules of a table',
    'sys_security_acl?sysparm_query=table_name=task^operation=read^conditionISNOTEMPTY&sysparm_fields=operation,table_name,column_name,condition,active',
    ok({ operation: 'read', table_name: 'task', column_name: null, condition: 'callerDYNAMICme', active: true }),
  ),
  get(
    'a table whose name is a word of SQL',
    'user?sysparm_query=user_name=worker&sysparm_fields=user_name,company.name',
    ok({ user_name: 'worker', 'company.name': 'Acme' }),
  ),
  get(
    'members of a group',
    'sys_user_group?sysparm_query=group_id.name=First%20line&sysparm_fields=user_id.user_name',
    ok({ 'user_id.user_name': 'worker' }),
  ),
  ...served.map(
    (table): Scenario => ({
      name: `${table} can be counted and pages through`,
      as: 'admin',
      send: `GET /rest/v1/table/${table}?sysparm_query=sys_id=99&sysparm_display_value=all`,
      status: 200,
      response: ok(),
      responseHeaders: { 'x-total-count': '0' },
    }),
  ),
  {
    name: 'titles are in the reader’s language',
    as: 'admin',
    send: 'GET /rest/v1/table/sys_db_table?sysparm_query=name=task&sysparm_fields=title&sysparm_display_value=all',
    status: 200,
    response: ok({ title: { value: 'Tasks', display_value: 'Tasks' } }),
  },
  {
    name: 'so after the reader’s language was changed',
    as: 'admin',
    send: 'PATCH /rest/v1/table/user/155931135900000001?sysparm_fields=language',
    body: { language: 'ru' },
    status: 200,
    response: ok({ language: 'ru' }),
    writes: true,
  },
  {
    name: 'they are in the new one at once',
    as: 'admin',
    send: 'GET /rest/v1/table/sys_db_table?sysparm_query=name=task&sysparm_fields=title&sysparm_display_value=all',
    status: 200,
    response: ok({ title: { value: 'Tasks', display_value: 'Задачи' } }),
  },
])
