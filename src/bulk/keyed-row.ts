import type { Column } from '../catalog/catalog.ts'
import { parseDisplayValue } from '../column-types/parse-display-value.ts'
import { readBodyValue } from '../column-types/read-body-value.ts'
import { allOf } from '../condition/combine-conditions.ts'
import type { ConditionTree } from '../condition/condition-tree.ts'
import { equalsText } from '../condition/literal-checks.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { readInstruction } from '../records/plan/instructions.ts'
import { equalText } from './equal-value.ts'
import type { ImportJob, Values } from './import-job.ts'
import { cellValue } from './row-body.ts'

/** A row with the key that finds its record. */
export interface KeyedRow {
  readonly line: number
  readonly values: Values
  /** Stored values of the key columns, in their order; null: the row is a separate record. */
  readonly key: readonly string[] | null
  /** Identifies the record of the row in its file: rows with the same key have the same one. null without a key. */
  readonly keyId: string | null
  /** Condition that selects the records with this key; null without a key. */
  readonly condition: ConditionTree | null
}

export function keyedRow(line: number, values: Values, job: ImportJob): Result<KeyedRow, Problem> {
  const { keys } = job.options
  const key: string[] = []
  const ids: string[] = []
  for (const name of keys) {
    const column = job.table.columns.get(name)
    if (column === undefined) return noKey(name)
    const text = storedText(values[name], column, job)
    if (!text.ok) return text
    if (text.value === null) return noKey(name)
    key.push(text.value)
    ids.push(equalText(text.value, column))
  }
  const [first, ...more] = keys.map((name, at) => equalsText([name], key[at] ?? ''))
  if (first === undefined) return succeed({ line, values, key: null, keyId: null, condition: null })
  return succeed({ line, values, key, keyId: JSON.stringify(ids), condition: allOf([first, ...more]) })
}

const noKey = (name: string): Result<never, Problem> =>
  fail({ kind: 'invalid-value', field: name, detail: 'is a key column; give it a value' })

/**
 * The value that a write of the row would store, as the text of a condition. The conversions are those of the write
 * (records/plan/body-values.ts): the key of a display value is its stored value.
 *
 * @returns null: the value is empty
 */
export function storedText(given: unknown, column: Column, job: ImportJob): Result<string | null, Problem> {
  const { options, deps } = job
  const cell = options.isText ? cellValue(given, column) : succeed(given)
  if (!cell.ok) return cell
  const instruction = readInstruction(column, cell.value, 'create')
  if (!instruction.ok || instruction.value.kind !== 'set') return instruction.ok ? noKey(column.name) : instruction
  const { value } = instruction.value
  const parsed = options.inputDisplay ? parseDisplayValue(value, column, deps.reader) : succeed(value)
  const stored = parsed.ok ? readBodyValue(parsed.value, column) : parsed
  if (!stored.ok) return fail({ kind: 'invalid-value', field: column.name, detail: stored.error })
  return succeed(stored.value === null || stored.value === '' ? null : String(stored.value))
}
