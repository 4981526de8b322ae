import { type Column, SYSTEM_COLUMNS, type Table } from '../../catalog/catalog.ts'
import { GIVEN_ID } from '../../catalog/given-ids.ts'
import { isSystemName } from '../../catalog/system-tables.ts'
import { OWN_KEY, readSysId } from '../../column-types/record-key.ts'
import { readDateTime } from '../../condition/dates/read-date-text.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'

/**
 * Whether an import with migrate=1 may set a column that the server normally fills: authors, times and the number. It may not set
 * read-only columns of Docket's own tables, which describe storage, nor display names, which are computed.
 */
export function mayMigrate({ name, readOnly, storage }: Column, table: Table): boolean {
  if (storage === null || name === table.keyColumn || name === 'sys_db_table_id') return false
  if (SYSTEM_COLUMNS.has(name) || name === GIVEN_ID) return true
  return readOnly && name !== 'display_name' && !isSystemName(table.name)
}

/** A journal entry from another system, with author and time, as the statement reads it. */
interface MigratedEntry {
  readonly sys_id: string | null
  readonly value: string
  readonly at: string | null
  readonly by: string | null
}

const EXPECTED = 'a text, or an array of {"value","sys_created_at","sys_created_by","sys_id"}'
const MEMBERS: ReadonlySet<string> = new Set(['sys_id', 'value', 'sys_created_at', 'sys_created_by'])

/**
 * The value of a journal column in an import with migrate=1, as JSON for the statement.
 *
 * @param userId author of an entry that names none
 */
export function readMigratedEntries(value: unknown, userId: string): Result<string, string> {
  if (value === null || value === undefined || value === '') return succeed('[]')
  const given: readonly unknown[] = Array.isArray(value) ? value : [typeof value === 'string' ? { value } : value]
  const entries: MigratedEntry[] = []
  for (const each of given) {
    const entry = readEntry(each, userId)
    if (!entry.ok) return entry
    entries.push(entry.value)
  }
  return succeed(JSON.stringify(entries))
}

function readEntry(given: unknown, userId: string): Result<MigratedEntry, string> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return fail(`${EXPECTED} is expected`)
  const entry = given as Readonly<Record<string, unknown>>
  const unknown = Object.keys(entry).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined) return fail(`an entry has no ${unknown}; ${EXPECTED} is expected`)
  const { value, sys_created_at: at, sys_created_by: by, sys_id: id } = entry
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return fail(`${EXPECTED} is expected`)
  const time = at == null ? succeed(null) : readDateTime(String(at), 'UTC')
  if (!time.ok) return time
  const author = by === undefined ? succeed(userId) : readId(by)
  if (!author.ok) return author
  const sysId = readId(id ?? null)
  return sysId.ok ? succeed({ sys_id: sysId.value, value, at: time.value, by: author.value }) : sysId
}

function readId(given: unknown): Result<string | null, string> {
  if (given === null || given === '') return succeed(null)
  const id = readSysId(String(given), OWN_KEY)
  return id === null ? fail(`an entry names ${JSON.stringify(given)}, which is not a sys_id`) : succeed(id)
}
