import type { Column, DisplayedValue } from '../catalog/catalog.ts'
import { columnTypeOf, comparisonOf, refersToMany, refersToOne } from '../column-types/column-types.ts'
import { type ComparisonType, isNarrow, isNumber } from '../column-types/comparison-types.ts'
import type { ConditionComparison, Operand } from '../condition/condition-tree.ts'
import { mapOperands } from '../condition/map-operands.ts'
import { literal, NO_VALUE } from '../condition/typed-value.ts'

/** `=NULL` and `!=NULL`, in any case, as a test of emptiness. A column that may contain this word compares with the word. */
export function withoutNullWord(comparison: ConditionComparison, column: Column): ConditionComparison {
  const { operator, value } = comparison
  const isNull = value.kind === 'literal' && value.text.trim().toLowerCase() === 'null'
  if (!isNull || (operator !== '=' && operator !== '!=') || mayContainNull(column)) return comparison
  return { ...comparison, operator: operator === '=' ? 'ISEMPTY' : 'ISNOTEMPTY', value: NO_VALUE }
}

/** Names and constants of this API; none is called null. */
const NAMES: ReadonlySet<DisplayedValue['kind']> = new Set<DisplayedValue['kind']>(['lookup', 'constant'])
const IDS: ReadonlySet<ComparisonType> = new Set<ComparisonType>(['id', 'uuid', 'document'])

function mayContainNull(column: Column): boolean {
  const comparison = comparisonOf(column)
  if (column.displayed !== undefined && NAMES.has(column.displayed.kind)) return false
  if (refersToOne(column) || (refersToMany(column) && column.reference !== null)) return false
  if (comparison === 'choice') return column.choices.some(({ value }) => value.toLowerCase() === 'null')
  return !isNarrow(comparison) && !IDS.has(comparison)
}

/** `javascript:gs.getDurationDate('0 1:30:0')`: days, hours, minutes, seconds. */
const DURATION = /^javascript:\s*[gs]s\.getDurationDate\(\s*(['"])(\d{1,6}) (\d{1,6}):(\d{1,6}):(\d{1,6})\1\s*\);?\s*$/

function durationOf(helper: string): string | null {
  const [, , ...parts] = DURATION.exec(helper) ?? []
  if (parts.length === 0) return null
  const seconds = parts.reduce((sum, part, at) => sum * (at > 1 ? 60 : 24) + Number(part), 0)
  return String(seconds * 1_000)
}

const GROUPED = /^[+-]?\d{1,3}([,\s]\d{3})+(\.\d*)?$/

/**
 * Compares numbers and durations as they are stored. Reads display them with groups of thousands, and as a time after the start of 1970.
 */
export function withStoredTexts(comparison: ConditionComparison, column: Column): ConditionComparison {
  if (!isNumber(comparisonOf(column))) return comparison
  const { fromText } = columnTypeOf(column).write
  const stored = (text: string): string => {
    if (fromText !== undefined) return String(fromText(text))
    return GROUPED.test(text.trim()) ? text.replaceAll(/[,\s]/g, '') : text
  }
  const read = (operand: Operand): Operand => {
    if (operand.kind === 'literal') return literal(stored(operand.text))
    const duration = fromText === undefined ? null : durationOf(operand.text)
    return duration === null ? operand : literal(duration)
  }
  return { ...comparison, value: mapOperands(comparison.value, read) }
}
