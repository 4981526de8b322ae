import type { Column, Table } from '../catalog/catalog.ts'
import { SYSTEM_COLUMNS } from '../catalog/catalog.ts'
import { columnTypeOf, comparisonOf, isJournal } from '../column-types/column-types.ts'
import { parseExactJson, withDigitsAsText } from '../kernel/exact-json.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { mayMigrate } from '../records/plan/migrated-entries.ts'
import type { ImportJob, ImportOptions, Values } from './import-job.ts'

/** What the server fills is left out and named: a file that was exported is imported again as it is. */
export function bodyOf(
  values: Values,
  { options, table, ignored }: ImportJob,
  isNew: boolean,
): Result<Values, Problem> {
  const body: [string, unknown][] = []
  for (const [name, value] of Object.entries(values)) {
    const column = table.columns.get(name)
    // A key of several columns is given by these.
    const isKey = name === table.keyColumn && table.key.kind !== 'parts'
    if (column !== undefined && !isKey && isLeftOut(column, table, options)) {
      ignored.add(name)
      continue
    }
    if (options.migrating && column !== undefined && isJournal(column) && isNothing(value)) continue
    // Only an administrator gives a sys_id, and only to a new record; on a hit it is the record's own.
    if (isKey && (!isNew || value === null || value === '')) continue
    const read = options.isText && column !== undefined ? cellValue(value, column) : succeed(value)
    if (!read.ok) return read
    body.push([name, read.value])
  }
  return succeed(Object.fromEntries(body))
}

function isLeftOut(column: Column, table: Table, { migrating }: ImportOptions): boolean {
  if (migrating && mayMigrate(column, table)) return false
  return column.readOnly || SYSTEM_COLUMNS.has(column.name)
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** A cell as a value of a JSON body; the record service reads texts of numbers, booleans and dates itself. */
function cellValue(given: unknown, column: Column): Result<unknown, Problem> {
  if (given === null || given === undefined) return succeed(null)
  if (typeof given === 'object') return succeed(given)
  const text = String(given)
  // Of several records without a value, none may stand in the way of the other.
  if (text === '') return succeed(comparisonOf(column) === 'text' && !column.unique ? '' : null)
  const { cell } = columnTypeOf(column).write
  if (cell !== 'json' && !(cell === 'array' && text.startsWith('['))) return succeed(text)
  try {
    const parsed = parseExactJson(text)
    return succeed(cell === 'json' ? parsed : withDigitsAsText(parsed))
  } catch {
    return fail({ kind: 'invalid-value', field: column.name, detail: 'is no JSON' })
  }
}
