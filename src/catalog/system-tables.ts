/**
 * What the server knows about its own tables beyond the dictionary. No other file has a set of their names; code for one table names that
 * table.
 */
interface SystemTable {
  /** Rows stand for something else: types that the server knows, log entries that are never changed, files. Only the server writes them. */
  readonly isWrittenByServer?: true
  /** Rows belong to records: entries of their journals, changes of their audited columns, their files. */
  readonly belongsTo?: 'journals' | 'audited-columns' | 'records'
  /** Rows are those of the log of changes, which may have lost old ones (docs/decisions/0035). */
  readonly viewOfLog?: true
  /** Columns that the view makes from a stored value, with the column of that value; the dictionary lacks the latter. */
  readonly madeFrom?: Readonly<Record<string, string>>
  /** PostgreSQL's tables, columns and indexes follow the rows. */
  readonly definesStorage?: true
  /** A changed row is read alone. For every other table, a change that raises the catalog's epoch makes everything be read again. */
  readonly isReadByPart?: true
  /** Rows do not configure other tables: they are ordinary records. */
  readonly isOrdinary?: true
  /** Rows decide who signs in and with which roles: narrowed keys cannot write them, nor those of descendants. */
  readonly guard?: AccessGuard
  readonly builtInRule?: 'webhook' | 'approval'
  /** Rows belong to their user only, also for administrators: they do not show how much a user can see. */
  readonly isPersonal?: true
  /** The column whose value becomes a name in PostgreSQL. */
  readonly nameColumn?: string
  /** Its name in SimpleOne (docs/simpleone.md). */
  readonly otherName?: string
}

export interface AccessGuard {
  /** In the plural, for the error message. */
  readonly things: string
  /** Operations that are always rejected. */
  readonly operations: readonly Write[]
  /** Columns that PUT and PATCH must not contain. */
  readonly columns: readonly string[]
}

type Write = 'create' | 'put' | 'patch' | 'delete'
const everyWrite = ['create', 'put', 'patch', 'delete'] as const

const SYSTEM_TABLES: Readonly<Record<string, SystemTable>> = {
  // ── the dictionary ──
  sys_db_table: { definesStorage: true, isReadByPart: true, nameColumn: 'name' },
  sys_db_column: { definesStorage: true, isReadByPart: true, nameColumn: 'column_name' },
  sys_db_index: { definesStorage: true },
  sys_db_column_type: { isWrittenByServer: true },
  sys_translated_text: { isReadByPart: true },
  sys_number: { isReadByPart: true },
  sys_choice: { isReadByPart: true },
  sys_property: { isReadByPart: true },
  sys_ui_form: { isReadByPart: true },
  sys_ui_form_section: { isReadByPart: true },
  sys_ui_form_element: { isReadByPart: true },
  sys_ui_related_list: { isReadByPart: true },
  sys_user_preference: { isPersonal: true },
  sys_security_acl: { isReadByPart: true },
  sys_state_model: { isReadByPart: true },
  sys_state_transition: { isReadByPart: true },
  sys_dynamic_option: { isReadByPart: true, otherName: 'sys_filter_option_dynamic' },
  // ── users and roles ──
  // A disabled user loses every key; an enabled user has access again.
  user: { guard: { things: 'users', operations: ['create', 'delete'], columns: ['password', 'active', 'user_name'] } },
  sys_role: { isReadByPart: true, isOrdinary: true, guard: { things: 'roles', operations: everyWrite, columns: [] } },
  sys_role_contains: { guard: { things: 'roles inside roles', operations: everyWrite, columns: [] } },
  sys_user_has_role: { guard: { things: 'roles of users', operations: everyWrite, columns: [] } },
  sys_group_has_role: { guard: { things: 'roles of groups', operations: everyWrite, columns: [] } },
  sys_user_group: { guard: { things: 'members of groups', operations: everyWrite, columns: [] } },
  // The roles of a group count while the group is active.
  sys_group: { isOrdinary: true, guard: { things: 'groups', operations: [], columns: ['active'] } },
  oauth_entity: { guard: { things: 'OAuth clients', operations: everyWrite, columns: [] } },
  // ── what belongs to records ──
  sys_journal_entry: { isWrittenByServer: true, belongsTo: 'journals' },
  sys_history: {
    isWrittenByServer: true,
    belongsTo: 'audited-columns',
    viewOfLog: true,
    madeFrom: { old_value: 'old_stored', new_value: 'new_stored' },
  },
  sys_record_deletion_log: { isWrittenByServer: true, viewOfLog: true },
  sys_attachment: { isWrittenByServer: true, isOrdinary: true, belongsTo: 'records' },
  sys_approval: { builtInRule: 'approval' },
  sys_webhook: { builtInRule: 'webhook' },
  sys_webhook_delivery: { isWrittenByServer: true },
}

const NONE: SystemTable = {}

export const systemTable = (name: string): SystemTable =>
  Object.hasOwn(SYSTEM_TABLES, name) ? (SYSTEM_TABLES[name] ?? NONE) : NONE

/** By its SimpleOne name. */
export const tableOfOtherName = (other: string): string | undefined =>
  Object.keys(SYSTEM_TABLES).find((name) => systemTable(name).otherName === other)

/** Names of Docket's own tables and columns begin with `sys_`. */
export const isSystemName = (name: string): boolean => name.startsWith('sys_')
