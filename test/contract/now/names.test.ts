import { expect } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { id, result, servedIds } from './expected.ts'

const NOW = '2026-03-02 10:00:00'

/** The columns that every record has. */
const system = (table: string, sysId: number, by = '') => ({
  sys_id: id(sysId),
  sys_created_on: NOW,
  sys_created_by: by,
  sys_updated_on: NOW,
  sys_updated_by: by,
  sys_mod_count: '0',
  sys_class_name: table,
  sys_domain: 'global',
  sys_domain_path: '/',
  sys_tags: '',
})

const roleId = (name: string) => sql`(select sys_id from docket.sys_role where name = ${name})`
const tableId = (name: string) => sql`(select sys_id from docket.sys_db_table where name = ${name})`
const stage = [
  servedIds,
  sql`insert into docket.department (sys_id, name, head_id, description, sys_created_by, sys_updated_by)
    values (601, 'Finance', 202, 'Counts', 201, 201)`,
  sql`insert into docket.department (sys_id, name, parent_id) values (602, 'Payroll', 601)`,
  sql`insert into docket."user" (sys_id, user_name, password, display_name, language, time_zone, department_id, manager, sys_db_table_id)
    values (205, 'clerk', 'x', 'Clara Clerk', 'en', 'UTC', 602, 201, ${tableId('employee')})`,
  sql`update docket."user" set job_title = 'Accountant', department = 'as a text' where sys_id = 205`,
  sql`insert into docket.sys_group (sys_id, name, parent_id, manager) values (402, 'Night shift', 401, 201)`,
  sql`insert into docket.sys_user_group (sys_id, user_id, group_id) values (701, 202, 402)`,
  sql`insert into docket.sys_role (sys_id, name, description) values (801, 'auditor', 'Reads all')`,
  sql`insert into docket.sys_role (sys_id, name, description) values (802, 'clerk', null)`,
  sql`insert into docket.sys_role_contains (sys_id, role_id, contained_role_id) values (803, 801, 802)`,
  sql`insert into docket.sys_user_has_role (sys_id, user_id, role_id) values (804, 202, 801)`,
  sql`insert into docket.sys_group_has_role (sys_id, group_id, role_id) values (805, 402, 801)`,
  sql`insert into docket.oauth_entity (sys_id, name, client_id, client_secret, "user") values (806, 'Connector', 'connector', 'hash', 202)`,
  sql`insert into docket.sys_filter (sys_id, title, table_id, condition, user_id) values (807, 'Mine', ${tableId('company')}, 'active=true', 202)`,
  sql`insert into docket.sys_property (sys_id, name, value) values (808, 'desk.phone', '112')`,
  sql`insert into docket.sys_approval (sys_id, task, approver, state) values (809, 1007, 202, 'requested')`,
  sql`insert into docket.sys_attachment (sys_id, file_name, table_id, record_id, content_type, size_bytes, hash)
    values (810, 'a.txt', ${tableId('itsm_incident')}, '1001', 'text/plain', 3, 'abc')`,
  sql`insert into docket.sys_journal_entry (sys_id, table_id, record_id, column_name, value)
    values (811, ${tableId('itsm_incident')}, '1001', 'work_notes', 'Looked')`,
  sql`insert into docket.sys_security_acl (sys_id, operation, table_name, roles, admin_overrides)
    values (812, 'read', 'service', array[${roleId('auditor')}::text], true)`,
  sql`insert into docket.task (sys_id, sys_db_table_id, number, subject, opened_at) values (1009, ${tableId('itsm_request')}, 'REQ0000009', 'A request', ${NOW}::timestamp)`,
  sql`update docket.task set root_cause = 'Dust', closure_notes = 'Cleaned', followers_list = '{201,202}', parent_id = 1001 where sys_id = 1008`,
  sql`update docket.task set planned_start = '2026-03-03 01:00:00', planned_end = '2026-03-03 02:00:00' where sys_id = 1007`,
]

const task = {
  u_short_description: '',
  description: '',
  state_changed_at: '',
  priority: '3',
  urgency: '3',
  impact: '3',
  approval: 'not requested',
  active: 'true',
  attention_required: 'false',
  opened_at: NOW,
  closed_at: '',
  due_date: '',
  sla_due: '',
  assigned_to: '',
  assignment_group: '',
  opened_by: '',
  closed_by: '',
  contact: '',
  caller_id: '',
  business_service: '',
  company: '',
  parent: '',
  watch_list: '',
  screenshot: '',
  wf_executing_activity: '',
  work_notes: '',
  comments: '',
  additional_comments: '',
  comments_and_work_notes: '',
}
const itsmTask = {
  ...task,
  category: '',
  contact_type: '',
  close_code: '',
  close_notes: '',
  time_worked: '',
  reassignment_count: '',
  labels: '',
  subcategory: '',
}
const user = {
  user_name: 'reader',
  active: 'true',
  name: 'Rita Reader',
  first_name: '',
  last_name: '',
  email: 'reader@example.com',
  phone: '',
  mobile_phone: '',
  preferred_language: 'en',
  time_zone: 'UTC',
  company: id(301),
  manager: '',
  vip: 'false',
  department: '',
  employee_number: '',
  title: '',
  u_department: '',
  hired_on: '',
  work_days: '',
  user_password: '',
}

/** Table of this API, record, and its columns beside those that every record has. */
const records: readonly (readonly [table: string, sysId: number, columns: object, by?: string])[] = [
  [
    'task',
    1006,
    {
      ...task,
      number: 'TSK0000006',
      short_description: 'A plain task',
      display_name: 'TSK0000006 A plain task',
      state: '1',
    },
    'worker',
  ],
  [
    'problem',
    1008,
    {
      ...itsmTask,
      number: 'PRB0000008',
      short_description: 'A problem',
      display_name: 'PRB0000008 A problem',
      state: '101',
      cause_notes: 'Dust',
      close_notes: 'Cleaned',
      known_error: '',
      watch_list: `${id(201)},${id(202)}`,
      parent: id(1001),
    },
    'worker',
  ],
  [
    'change_request',
    1007,
    {
      ...itsmTask,
      number: 'CHG0000007',
      short_description: 'A change',
      display_name: 'CHG0000007 A change',
      state: '-5',
      approval: 'requested',
      // Its approval updated it.
      sys_mod_count: '1',
      type: '',
      risk: '',
      start_date: '2026-03-03 01:00:00',
      end_date: '2026-03-03 02:00:00',
      percent_complete: '',
      planned_cost: '',
      backout_plan: '',
    },
    'worker',
  ],
  [
    'sc_request',
    1009,
    {
      ...itsmTask,
      number: 'REQ0000009',
      short_description: 'A request',
      display_name: 'REQ0000009 A request',
      state: '1',
      requested_for: '',
      quantity: '',
      price: '',
    },
  ],
  ['sys_user', 202, user],
  [
    'employee',
    205,
    {
      ...user,
      user_name: 'clerk',
      name: 'Clara Clerk',
      email: '',
      company: '',
      manager: id(201),
      department: id(602),
      title: 'Accountant',
      u_department: 'as a text',
    },
  ],
  [
    'sys_user_group',
    402,
    { name: 'Night shift', description: '', email: '', manager: id(201), parent: id(401), active: 'true' },
  ],
  ['sys_user_grmember', 701, { user: id(202), group: id(402) }],
  ['sys_user_role', 801, { name: 'auditor', description: 'Reads all' }],
  ['sys_user_role_contains', 803, { role_id: id(801), contained_role_id: id(802) }],
  ['sys_user_has_role', 804, { user: id(202), role: id(801) }],
  ['sys_group_has_role', 805, { group: id(402), role: id(801) }],
  [
    'core_company',
    301,
    { name: 'Acme', phone: '', email: '', website: '', city: 'London', country: '', active: 'true' },
  ],
  ['cmn_department', 601, { name: 'Finance', dept_head: id(202), parent: '', description: 'Counts' }, 'worker'],
  ['cmn_department', 602, { name: 'Payroll', dept_head: '', parent: id(601), description: '' }],
  [
    'cmdb_ci_service',
    501,
    {
      name: 'Mail',
      description: '',
      owner: id(201),
      support_group: '',
      criticality: '3',
      availability: '',
      maintenance_from: '',
      active: 'true',
    },
  ],
  [
    'oauth_entity',
    806,
    {
      name: 'Connector',
      client_id: 'connector',
      client_secret: '',
      user: id(202),
      access_token_lifespan: '1800',
      refresh_token_lifespan: '8640000',
      active: 'true',
    },
  ],
  [
    'sys_filter',
    807,
    {
      title: 'Mine',
      table_id: expect.stringMatching(/^c0ffee0123456789[0-9a-f]{16}$/),
      condition: 'active=true',
      user_id: id(202),
      active: 'true',
      list_state: '',
    },
  ],
  ['sys_properties', 808, { name: 'desk.phone', value: '112', description: '' }],
  [
    'sysapproval_approver',
    809,
    { task: id(1007), approver: id(202), state: 'requested', comment: '', due_at: '', decided_at: '' },
  ],
  [
    'sys_attachment',
    810,
    {
      file_name: 'a.txt',
      table_name: 'incident',
      table_sys_id: id(1001),
      content_type: 'text/plain',
      size_bytes: '3',
      hash: 'abc',
    },
  ],
  ['sys_journal_field', 811, { name: 'incident', element_id: id(1001), element: 'work_notes', value: 'Looked' }],
  [
    'sys_security_acl',
    812,
    {
      operation: 'read',
      table_name: 'service',
      column_name: '',
      roles: id(801),
      condition: '',
      active: 'true',
      admin_overrides: 'true',
      description: '',
    },
  ],
]

const FLAT = 'sysparm_exclude_reference_link=true'
const reads = records.flatMap(([table, sysId, columns, by]): readonly Scenario[] => {
  const record = { ...system(table, sysId, by), ...columns }
  const as = 'admin'
  return [
    {
      name: `${table} ${sysId} has the columns of this API, as a record`,
      as,
      send: `GET /api/now/table/${table}/${id(sysId)}?${FLAT}`,
      status: 200,
      response: { result: record },
    },
    {
      name: `${table} ${sysId} has the columns of this API, in a list`,
      as,
      send: `GET /api/now/table/${table}?sysparm_query=sys_id=${id(sysId)}&${FLAT}`,
      status: 200,
      response: result(record),
      responseHeaders: { 'x-total-count': '1' },
    },
  ]
})

describeScenarios('tables and columns by the names of this API (issue 15, section 3)', reads, stage)

const list = (name: string, table: string, query: string, ...rows: readonly unknown[]): Scenario => ({
  name,
  as: 'admin',
  send: `GET /api/now/table/${table}?${query}&${FLAT}`,
  status: 200,
  response: result(...rows),
})

const kinds: readonly Scenario[] = [
  list(
    'a field path: conditions, orders and fields compare with the user_name',
    'cmn_department',
    'sysparm_query=sys_created_by=worker^ORsys_created_byISEMPTY^ORDERBYDESCsys_created_by&sysparm_fields=name,sys_created_by',
    { name: 'Payroll', sys_created_by: '' },
    { name: 'Finance', sys_created_by: 'worker' },
  ),
  list(
    'a computed column: the class is compared with another, and with those that extend it',
    'task',
    'sysparm_query=sys_class_name!=incident^sys_class_nameINSTANCEOFproblem^ORsys_class_nameINSTANCEOFsc_request^ORDERBYsys_class_name&sysparm_fields=sys_class_name',
    { sys_class_name: 'problem' },
    { sys_class_name: 'sc_request' },
  ),
  list(
    'a constant column: conditions and orders',
    'core_company',
    'sysparm_query=sys_domain=global^sys_domain_path=/^sys_tagsISEMPTY^ORDERBYsys_domain^ORDERBYname&sysparm_fields=name,sys_domain',
    { name: 'Acme', sys_domain: 'global' },
    { name: 'Ромашка', sys_domain: 'global' },
  ),
  list(
    'each segment of a path has the names of its table',
    'problem',
    'sysparm_query=parent.caller_id.name=Rita Reader&sysparm_fields=parent.short_description,parent.assigned_to.name,parent.sys_class_name,parent.sys_created_by'.replace(
      ' ',
      '%20',
    ),
    {
      'parent.short_description': 'Printer jams',
      'parent.assigned_to.name': 'Wanda Worker',
      'parent.sys_class_name': 'incident',
      'parent.sys_created_by': 'worker',
    },
  ),
  list(
    'a column whose name means something else here has a prefix, in conditions too',
    'employee',
    'sysparm_query=u_departmentSTARTSWITHas^department.parent.name=Finance&sysparm_fields=user_name,department.name',
    { user_name: 'clerk', 'department.name': 'Payroll' },
  ),
  list(
    'columns of employees can be asked for where users are listed',
    'sys_user',
    'sysparm_query=title=Accountant&sysparm_fields=user_name,title,u_department',
    { user_name: 'clerk', title: 'Accountant', u_department: 'as a text' },
  ),
  {
    name: 'the own names of renamed columns are unknown here',
    as: 'admin',
    send: `GET /api/now/table/problem/${id(1008)}?sysparm_fields=number,subject,caller,parent_id,root_cause,sys_created_at`,
    status: 200,
    response: { result: { number: 'PRB0000008' } },
    responseHeaders: { 'x-ignored-fields': 'subject, caller, parent_id, root_cause, sys_created_at' },
  },
  {
    name: 'bodies have the names of this API; own names, computed and constant columns are ignored',
    as: 'admin',
    send: `PATCH /api/now/table/problem/${id(1008)}?sysparm_fields=cause_notes,close_notes,caller_id,sys_class_name,sys_domain&${FLAT}`,
    body: {
      cause_notes: 'Rust',
      close_notes: 'Oiled',
      caller_id: id(202),
      root_cause: 'x',
      sys_class_name: 'task',
      sys_domain: 'x',
    },
    status: 200,
    response: {
      result: {
        cause_notes: 'Rust',
        close_notes: 'Oiled',
        caller_id: id(202),
        sys_class_name: 'problem',
        sys_domain: 'global',
      },
    },
    responseHeaders: { 'x-ignored-fields': 'root_cause, sys_class_name, sys_domain' },
    writes: true,
  },
]

describeScenarios(
  'names, field paths, computed and constant columns are used alike (issue 15, section 3)',
  kinds,
  stage,
)
