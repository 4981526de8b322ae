/**
 * What the server knows about its own tables besides what the dictionary says of them. No other file has a set of their names;
 * code that works on one table names that table.
 */
interface SystemTable {
  /** Rows stand for something else: types that the server knows, entries that are never rewritten, files. Nobody else writes them. */
  readonly isWrittenByServer?: true
  /** Rows belong to records: entries of their journals, changes of their audited columns, their files. */
  readonly belongsTo?: 'journals' | 'audited-columns' | 'records'
  /** PostgreSQL's tables, columns and indexes follow the rows. */
  readonly definesStorage?: true
  /** A changed row is read alone. A change of any other table that raises the catalog's epoch has all read anew. */
  readonly isReadByPart?: true
  /** Rows decide nothing about other tables: they are records like others. */
  readonly isOrdinary?: true
  /** Decides who signs in and with which roles: what narrowed keys cannot do, also in tables below it. */
  readonly guard?: AccessGuard
  readonly builtInRule?: 'webhook' | 'approval'
  /** Rows are their user's alone, also for administrators: they say nothing of how much somebody sees. */
  readonly isPersonal?: true
  /** The column with a name that becomes PostgreSQL's. */
  readonly nameColumn?: string
  /** What SimpleOne calls it (docs/simpleone.md). */
  readonly otherName?: string
}

export interface AccessGuard {
  /** In the plural, for the message. */
  readonly things: string
  /** Operations that are rejected as a whole. */
  readonly operations: readonly Write[]
  /** Columns that PUT and PATCH must not name. */
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
  // A disabled user loses every key; an enabled one has access again.
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
  sys_history: { isWrittenByServer: true, belongsTo: 'audited-columns' },
  sys_record_deletion_log: { isWrittenByServer: true },
  sys_attachment: { isWrittenByServer: true, isOrdinary: true, belongsTo: 'records' },
  sys_approval: { builtInRule: 'approval' },
  sys_webhook: { builtInRule: 'webhook' },
  sys_webhook_delivery: { isWrittenByServer: true },
}

const NONE: SystemTable = {}

export const systemTable = (name: string): SystemTable =>
  Object.hasOwn(SYSTEM_TABLES, name) ? (SYSTEM_TABLES[name] ?? NONE) : NONE

/** By the name that SimpleOne gives to it. */
export const tableOfOtherName = (other: string): string | undefined =>
  Object.keys(SYSTEM_TABLES).find((name) => systemTable(name).otherName === other)

/** Tables and columns that begin with `sys_` are those of Docket itself. */
export const isSystemName = (name: string): boolean => name.startsWith('sys_')
