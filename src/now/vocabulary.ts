/**
 * ServiceNow's names for the dictionary, as data (docs/servicenow.md). Everything else keeps its own name.
 * `check-vocabulary.ts` compares it with the dictionary when the server starts.
 */

/** Tables, by the name in Docket. */
export const TABLES: Readonly<Record<string, string>> = {
  itsm_incident: 'incident',
  itsm_problem: 'problem',
  itsm_change_request: 'change_request',
  itsm_request: 'sc_request',
  user: 'sys_user',
  sys_group: 'sys_user_group',
  sys_user_group: 'sys_user_grmember',
  sys_role: 'sys_user_role',
  sys_role_contains: 'sys_user_role_contains',
  company: 'core_company',
  department: 'cmn_department',
  service: 'cmdb_ci_service',
  sys_db_table: 'sys_db_object',
  sys_db_column: 'sys_dictionary',
  sys_db_column_type: 'sys_glide_object',
  sys_property: 'sys_properties',
  sys_journal_entry: 'sys_journal_field',
  sys_history: 'sys_audit',
  sys_record_deletion_log: 'sys_audit_delete',
  sys_approval: 'sysapproval_approver',
}

/** The meaning of a name: a column, or a path. Others are computed. */
export type Meaning =
  | string
  /** The class of the record. */
  | { readonly is: 'class' }
  /**
   * The name of the table, or of the column, that the record or its reference points to. `of`: the reference; null: the record
   * itself.
   */
  | { readonly is: 'table-name' | 'column-name'; readonly of: string | null }
  /** Of a row of the dictionary: the type of its values in this API, and the table that they refer to. */
  | { readonly is: 'type' | 'referenced-table' }
  /** The name of a type, in ServiceNow's terms. */
  | { readonly is: 'type-name' }
  | { readonly is: 'not'; readonly of: string }
  | { readonly is: 'constant'; readonly text: string }
  /** How often the record was updated. */
  | { readonly is: 'updates' }
  /** The entries of several journals as one. */
  | { readonly is: 'journals'; readonly of: readonly string[]; readonly en: string; readonly ru: string }
  /** The name of a changed column, or a value of it; of a log of changes. */
  | { readonly is: 'logged-name' | 'logged-value'; readonly of: string }

type Columns = Readonly<Record<string, Meaning>>

/** For every table of our own, and for adopted tables with the required columns. */
export const ALL_TABLES: Columns = {
  sys_created_on: 'sys_created_at',
  sys_updated_on: 'sys_updated_at',
  sys_created_by: 'sys_created_by.user_name',
  sys_updated_by: 'sys_updated_by.user_name',
  sys_class_name: { is: 'class' },
  sys_mod_count: { is: 'updates' },
  sys_domain: { is: 'constant', text: 'global' },
  sys_domain_path: { is: 'constant', text: '/' },
  sys_tags: { is: 'constant', text: '' },
}

/** Of a log, whose rows are made from that of the changes. */
const NEVER_UPDATED: Meaning = { is: 'constant', text: '0' }

/** The entries of both journals of a task. */
export const JOURNALS = 'comments_and_work_notes'

/** By the table in Docket; also applies to its descendants. */
export const COLUMNS: Readonly<Record<string, Columns>> = {
  task: {
    short_description: 'subject',
    assigned_to: 'assigned_user',
    caller_id: 'caller',
    parent: 'parent_id',
    watch_list: 'followers_list',
    approval: 'approval_state',
    business_service: 'service',
    [JOURNALS]: {
      is: 'journals',
      of: ['work_notes', 'comments'],
      en: 'Comments and work notes',
      ru: 'Комментарии и рабочие заметки',
    },
  },
  itsm_task: { close_notes: 'closure_notes' },
  itsm_problem: { cause_notes: 'root_cause' },
  itsm_change_request: { start_date: 'planned_start', end_date: 'planned_end' },
  user: {
    name: 'display_name',
    user_password: 'password',
    preferred_language: 'language',
    department: 'department_id',
  },
  department: { dept_head: 'head_id', parent: 'parent_id' },
  employee: { title: 'job_title' },
  sys_group: { parent: 'parent_id' },
  sys_user_group: { user: 'user_id', group: 'group_id' },
  sys_group_has_role: { group: 'group_id', role: 'role_id' },
  sys_user_has_role: { user: 'user_id', role: 'role_id' },
  sys_db_table: { name: { is: 'table-name', of: null }, label: 'title', super_class: 'parent_id' },
  sys_db_column: {
    name: { is: 'table-name', of: 'table_id' },
    element: { is: 'column-name', of: null },
    column_label: 'title',
    internal_type: { is: 'type' },
    reference: { is: 'referenced-table' },
    display: 'display_by_ref',
  },
  sys_db_column_type: { name: { is: 'type-name' }, label: 'title' },
  sys_choice: {
    name: { is: 'table-name', of: 'table_id' },
    element: { is: 'column-name', of: 'column_id' },
    label: 'title',
    sequence: 'order',
    inactive: { is: 'not', of: 'active' },
  },
  sys_journal_entry: {
    name: { is: 'table-name', of: 'table_id' },
    element: 'column_name',
    element_id: 'record_id',
  },
  sys_history: {
    tablename: { is: 'table-name', of: 'table_id' },
    documentkey: 'record_id',
    fieldname: { is: 'logged-name', of: 'column_name' },
    oldvalue: { is: 'logged-value', of: 'old_value' },
    newvalue: { is: 'logged-value', of: 'new_value' },
    sys_mod_count: NEVER_UPDATED,
  },
  sys_record_deletion_log: {
    tablename: { is: 'table-name', of: 'table_id' },
    documentkey: 'record_id',
    payload: 'values',
    sys_mod_count: NEVER_UPDATED,
  },
  sys_attachment: { table_name: { is: 'table-name', of: 'table_id' }, table_sys_id: 'record_id' },
}

/** A database lacks this table, and these columns, whose administrator had a table of this name before Docket had one. */
export const OPTIONAL_TABLE = 'department'
export const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  user: ['department'],
  department: ['dept_head', 'parent'],
}

/** Columns of a descendant class that rows of the table display as their own. */
export const COLUMNS_OF_DESCENDANTS: Readonly<Record<string, string>> = { user: 'employee' }

/** Columns whose values identify a record in a body, besides its display value and unique texts. */
export const NAMED_BY: Readonly<Record<string, readonly string[]>> = { user: ['email'] }

/** Column types, by the name in Docket. Others have the same name in both. */
export const TYPES: Readonly<Record<string, string>> = {
  sys_id: 'GUID',
  datetime: 'glide_date_time',
  date: 'glide_date',
  time: 'glide_time',
  duration: 'glide_duration',
  biginteger: 'longint',
  smallinteger: 'integer',
  text: 'string',
  list: 'glide_list',
  file: 'file_attachment',
  image: 'user_image',
  password: 'password',
  encrypted: 'password2',
  wysiwyg: 'html',
  translated_text: 'translated_field',
  phone: 'phone_number_e164',
  percent_complete: 'percent_complete',
  record_id: 'GUID',
}

/** Ids of dynamic filters that every instance has. */
export const DYNAMIC_OPTIONS: Readonly<Record<string, string>> = {
  '90d1921e5f510100a9ad2572f2b477fe': 'me',
  d6435e965f510100a9ad2572f2b477fe: 'mygroups',
}
