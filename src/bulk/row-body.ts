import type { Column, Table } from '../catalog/catalog.ts'
import { SYSTEM_COLUMNS } from '../catalog/catalog.ts'
import { columnTypeOf, comparisonOf, isJournal } from '../column-types/column-types.ts'
import { parseExactJson, withDigitsAsText } from '../kernel/exact-json.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { mayMigrate } from '../records/plan/migrated-entries.ts'
import type { ImportJob, ImportOptions, Values } from './import-job.ts'

/**
 * Leaves out the columns that the server fills, and lists them: an exported file can be imported again unchanged, whatever these
 * columns contain. Those that identify the record stay.
 */
export function withoutFilledColumns(values: Values, { options, table, ignored }: ImportJob): Values {
  const leftOut = Object.keys(values).filter((name) => isLeftOut(name, table, options))
  if (leftOut.length === 0) return values
  for (const name of leftOut) ignored.add(name)
  const identifies = new Set(options.keys)
  return Object.fromEntries(Object.entries(values).filter(([name]) => identifies.has(name) || !leftOut.includes(name)))
}

/** What is written of a row: without the columns that the server fills. */
export function bodyOf(values: Values, { options, table }: ImportJob, isNew: boolean): Result<Values, Problem> {
  const body: [string, unknown][] = []
  for (const [name, value] of Object.entries(values)) {
    if (isLeftOut(name, table, options)) continue
    const column = table.columns.get(name)
    const isKey = isSingleKey(name, table)
    if (options.migrating && column !== undefined && isJournal(column) && isNothing(value)) continue
    // Only an administrator may set a sys_id, and only for a new record; an existing record already has it.
    if (isKey && (!isNew || value === null || value === '')) continue
    const read = options.isText && column !== undefined ? cellValue(value, column) : succeed(value)
    if (!read.ok) return read
    body.push([name, read.value])
  }
  return succeed(Object.fromEntries(body))
}

function isLeftOut(name: string, table: Table, { migrating }: ImportOptions): boolean {
  const column = table.columns.get(name)
  if (column === undefined || isSingleKey(name, table)) return false
  if (migrating && mayMigrate(column, table)) return false
  return column.readOnly || SYSTEM_COLUMNS.has(name)
}

/** Columns that make up a key of several columns are none. */
const isSingleKey = (name: string, table: Table): boolean => name === table.keyColumn && table.key.kind !== 'parts'

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Converts a cell to a value of a JSON body. The record service itself parses texts of numbers, booleans and dates. */
function cellValue(given: unknown, column: Column): Result<unknown, Problem> {
  if (given === null || given === undefined) return succeed(null)
  if (typeof given === 'object') return succeed(given)
  const text = String(given)
  // Several records without a value must not violate the unique constraint.
  if (text === '') return succeed(comparisonOf(column) === 'text' && !column.unique ? '' : null)
  const { cell } = columnTypeOf(column).write
  if (cell !== 'json' && !(cell === 'array' && text.startsWith('['))) return succeed(text)
  try {
    const parsed = parseExactJson(text)
    return succeed(cell === 'json' ? parsed : withDigitsAsText(parsed))
  } catch {
    return fail({ kind: 'invalid-value', field: column.name, detail: 'is not JSON' })
  }
}
