import type { Column, Table } from '../catalog/catalog.ts'
import { SYSTEM_COLUMNS } from '../catalog/catalog.ts'
import { columnTypeOf, comparisonOf, isJournal } from '../column-types/column-types.ts'
import { parseExactJson, withDigitsAsText } from '../kernel/exact-json.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { readInstruction } from '../records/plan/instructions.ts'
import { mayMigrate } from '../records/plan/migrated-entries.ts'
import type { ImportJob, ImportOptions, Values } from './import-job.ts'

/**
 * Leaves out the columns that the server fills, and lists them: an exported file can be imported again unchanged, whatever these
 * columns contain. Those that identify the record stay.
 */
export function withoutFilledColumns(values: Values, { options, filled, ignored }: ImportJob): Values {
  const leftOut = Object.keys(values).filter((name) => filled.has(name))
  if (leftOut.length === 0) return values
  for (const name of leftOut) ignored.add(name)
  return Object.fromEntries(Object.entries(values).filter(([name]) => !filled.has(name) || options.keys.includes(name)))
}

/** What is written of a row: without the columns that the server fills. */
export function bodyOf(values: Values, { options, table, filled }: ImportJob, isNew: boolean): Result<Values, Problem> {
  const body: [string, unknown][] = []
  for (const [name, value] of Object.entries(values)) {
    if (filled.has(name)) continue
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

/**
 * What a create can check of the body of a PATCH: the values that it sets. What an instruction makes of a column depends on the stored
 * value, so the column is left out.
 */
export function valuesSetBy(patch: Values, table: Table): Result<Values, Problem> {
  const set: [string, unknown][] = []
  for (const [name, value] of Object.entries(patch)) {
    const column = table.columns.get(name)
    if (column === undefined || typeof value !== 'object' || value === null) {
      set.push([name, value])
      continue
    }
    const instruction = readInstruction(column, value, 'patch')
    if (!instruction.ok) return instruction
    if (instruction.value.kind === 'set') set.push([name, instruction.value.value])
    // A create finds records, too.
    else if (instruction.value.kind === 'find') set.push([name, value])
  }
  return succeed(Object.fromEntries(set))
}

/** The columns that the server fills itself in this import. */
export function filledColumns(table: Table, { migrating }: ImportOptions): ReadonlySet<string> {
  const filled = [...table.columns.values()].filter(
    (column) =>
      (column.readOnly || SYSTEM_COLUMNS.has(column.name)) &&
      !isSingleKey(column.name, table) &&
      !(migrating && mayMigrate(column, table)),
  )
  return new Set(filled.map(({ name }) => name))
}

/** Whether the column alone identifies a record; a column of a key of several columns does not. */
const isSingleKey = (name: string, table: Table): boolean => name === table.keyColumn && table.key.kind !== 'parts'

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Converts a cell to a value of a JSON body. The record service itself parses texts of numbers, booleans and dates. */
export function cellValue(given: unknown, column: Column): Result<unknown, Problem> {
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
