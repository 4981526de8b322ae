/**
 * An access rule (a row of sys_security_acl) on one line: the demo desk has about eighty, and a table is easier to read than
 * rows.
 */
export interface DemoRule {
  readonly operation: 'create' | 'read' | 'write' | 'delete'
  readonly table: string
  /** null: the rule applies to the table. */
  readonly column: string | null
  readonly role: 'itil' | 'user' | 'admin'
  readonly condition: string
  readonly description: string
}

/**
 * The access rules of the demo desk. `itil` contains `user`, so the staff has all rights of `user`; administrators bypass all
 * rules. The first level with an active rule decides (docs/spec/records.md, section 7): if this list contains a table, it lists
 * everybody who may use it; otherwise `*` applies, which only administrators pass.
 */
export const demoRules: readonly DemoRule[] = [
  // Tasks of every kind. Callers see their own tasks and open new ones; the desk works on all.
  ...table('task', 'itil', ['create', 'read', 'write'], '', 'The desk works on every task'),
  ...table(
    'task',
    'user',
    ['read'],
    'callerDYNAMICme^ORopened_byDYNAMICme^ORcontactDYNAMICme',
    'Callers see their own tasks',
  ),
  ...table(
    'task',
    'user',
    ['write'],
    'active=true^callerDYNAMICme^ORopened_byDYNAMICme',
    'Callers add to their own open tasks',
  ),
  ...['itsm_incident', 'itsm_request'].flatMap((name) => [
    ...table(name, 'itil', ['create'], '', 'The desk opens for everybody'),
    ...table(name, 'user', ['create'], 'opened_byDYNAMICme', 'Callers open in their own name'),
  ]),
  ...columns('task', ['*'], 'itil', ['create', 'write'], 'Only the desk steers a task'),
  ...columns(
    'task',
    [
      'subject',
      'short_description',
      'description',
      'urgency',
      'contact',
      'followers_list',
      'screenshot',
      'comments',
      'additional_comments',
    ],
    'user',
    ['create', 'write'],
    'Callers describe their matter',
  ),
  ...columns(
    'task',
    ['caller', 'service', 'company', 'impact'],
    'user',
    ['create'],
    'Callers say whom and what it concerns',
  ),
  ...columns(
    'itsm_task',
    ['category', 'subcategory', 'contact_type'],
    'user',
    ['create'],
    'Callers say what kind of matter it is',
  ),
  ...columns('itsm_incident', ['details'], 'user', ['create'], "Callers' programs add technical details"),
  ...columns(
    'itsm_request',
    ['requested_for', 'quantity'],
    'user',
    ['create', 'write'],
    'Callers say for whom, and how many',
  ),
  ...columns('task', ['work_notes'], 'itil', ['read'], 'Work notes are for the desk'),
  ...columns('itsm_task', ['time_worked', 'reassignment_count'], 'itil', ['read'], 'Effort is for the desk'),

  // Journals and history are visible to readers of their record, restricted to what is listed here.
  ...table('sys_journal_entry', 'itil', ['read'], '', 'The desk reads every journal'),
  ...table(
    'sys_journal_entry',
    'user',
    ['read'],
    'column_nameINcomments,additional_comments',
    'Callers read what is said to them',
  ),
  ...table('sys_history', 'itil', ['read'], '', 'The desk reads the history'),
  ...table('sys_attachment', 'itil', ['read', 'create', 'delete'], '', 'The desk reads, adds and removes files'),
  ...table('sys_attachment', 'user', ['read', 'create'], '', 'Callers read and add files'),

  // Approvals: approvers and their decisions.
  ...table('sys_approval', 'itil', ['read'], '', 'The desk sees approvals'),
  ...table(
    'sys_approval',
    'user',
    ['read'],
    'approverDYNAMICme^ORtask.callerDYNAMICme',
    'Approvers and callers see theirs',
  ),
  ...table('sys_approval', 'user', ['write'], 'approverDYNAMICme', 'Approvers decide'),
  ...columns('sys_approval', ['*'], 'admin', ['write'], 'Nothing else of an approval changes'),
  ...columns('sys_approval', ['state', 'comment'], 'user', ['write'], 'Approvers decide'),

  // People: names for everybody, the rest for the desk, private numbers only for their owner.
  ...table('user', 'user', ['read'], '', 'Everybody finds people'),
  ...columns('user', ['*'], 'itil', ['read'], 'The desk sees whom it helps'),
  ...columns('user', ['*'], 'user', ['read'], 'Everybody sees their own record', 'sys_id=javascript:gs.getUserID()'),
  ...columns(
    'user',
    ['sys_id', 'sys_db_table_id', 'display_name', 'first_name', 'last_name', 'company', 'active'],
    'user',
    ['read'],
    'Names are for everybody',
  ),
  ...columns('employee', ['job_title', 'department'], 'user', ['read'], 'So are positions'),
  ...columns('user', ['department_id'], 'user', ['read'], 'So are departments'),
  ...columns(
    'user',
    ['mobile_phone'],
    'user',
    ['read'],
    'A mobile number is private',
    'sys_id=javascript:gs.getUserID()',
  ),
  ...table('user', 'user', ['write'], 'sys_id=javascript:gs.getUserID()', 'Everybody keeps their own record'),
  ...columns('user', ['*'], 'admin', ['write'], 'But not all of it'),
  ...columns(
    'user',
    ['phone', 'mobile_phone', 'language', 'time_zone'],
    'user',
    ['write'],
    'Everybody keeps their own numbers',
  ),

  // Records that tasks refer to.
  ...['company', 'department', 'service', 'sys_group'].flatMap((name) =>
    table(name, 'user', ['read'], '', 'Everybody reads the catalogue'),
  ),
  ...table('sys_user_group', 'itil', ['read'], '', 'The desk sees who is in which group'),
  ...['sys_schedule', 'sys_indication'].flatMap((name) =>
    table(name, 'itil', ['create', 'read', 'write'], '', 'The desk plans and measures'),
  ),

  // Records that programs need to display a form.
  ...[
    'sys_db_table',
    'sys_db_column',
    'sys_db_column_type',
    'sys_choice',
    'sys_translated_text',
    'sys_dynamic_option',
    'sys_state_model',
    'sys_state_transition',
  ].flatMap((name) => table(name, 'user', ['read'], '', 'Everybody reads the dictionary')),
  ...table('sys_ui_form', 'user', ['read'], 'user_idISEMPTY^ORuser_idDYNAMICme', "Shared views and one's own"),
  ...table(
    'sys_ui_form_section',
    'user',
    ['read'],
    'form_id.user_idISEMPTY^ORform_id.user_idDYNAMICme',
    "Shared views and one's own",
  ),
  ...table(
    'sys_ui_form_element',
    'user',
    ['read'],
    'section_id.form_id.user_idISEMPTY^ORsection_id.form_id.user_idDYNAMICme',
    "Shared views and one's own",
  ),
  ...table('sys_filter', 'user', ['read'], 'user_idISEMPTY^ORuser_idDYNAMICme', "Shared filters and one's own"),
  ...table(
    'sys_filter',
    'user',
    ['create', 'write', 'delete'],
    'user_idDYNAMICme',
    'Everybody keeps their own filters',
  ),
]

function table(
  name: string,
  role: DemoRule['role'],
  operations: readonly DemoRule['operation'][],
  condition: string,
  description: string,
): readonly DemoRule[] {
  return operations.map((operation) => ({ operation, table: name, column: null, role, condition, description }))
}

function columns(
  table: string,
  names: readonly string[],
  role: DemoRule['role'],
  operations: readonly DemoRule['operation'][],
  description: string,
  condition = '',
): readonly DemoRule[] {
  return names.flatMap((column) =>
    operations.map((operation) => ({ operation, table, column, role, condition, description })),
  )
}
