import { isId } from '../../column-types/comparison-types.ts'
import { type Operator, PATTERN_OPERATORS } from '../../condition/operators.ts'
import type { Planning } from '../../kernel/statement-planning.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { PlannedComparison, Predicate } from './planned-predicate.ts'
import { comparisonsOfAll, hasComparison } from './predicates.ts'
import type { RecordPlan } from './record-plan.ts'

/** How PostgreSQL should plan the statement (docs/decisions/0027): as it decides (`left-to-it`), or as the plan shows to be better. */
export function planningOf(plan: RecordPlan): Planning {
  if (isBy(plan, isWords)) return 'for-words'
  if (isBy(plan, isPattern)) return 'for-pattern'
  if (isSameForAllValues(plan)) return 'once'
  return isByFrequency(plan) || isByKnownReference(plan) ? 'for-values' : 'left-to-it'
}

/**
 * A pattern, or words, may match three rows or a third of the table. A plan for all of them would read the whole table in the order of the
 * list to find three rows. PostgreSQL plans an unnamed statement each time.
 */
function isBy({ form, readable }: RecordPlan, is: (comparison: PlannedComparison) => boolean): boolean {
  if (form.kind !== 'list' && form.kind !== 'stats') return false
  return [form.where, readable].some((predicate) => hasComparison(predicate, is, 'rows'))
}

const isPattern = ({ operator }: PlannedComparison): boolean => PATTERN_OPERATORS.has(operator)
const isWords = ({ operator, fieldPath }: PlannedComparison): boolean => operator === 'ARE' || fieldPath === null

/** A rule that compares a value with the caller (known-references.ts) holds for all rows or for none, if PostgreSQL plans for the values. */
function isByKnownReference({ form, readable }: RecordPlan): boolean {
  return form.kind === 'list' && hasComparison(readable, ({ known }) => known !== undefined, 'rows')
}

/**
 * Whether the best plan of a list is the same for all values: no index serves the columns that its conditions compare. So for all values,
 * rows are read in the order of the list until enough match, or all are read. PostgreSQL would plan the statement again for each request
 * if one of the values is more frequent than the average.
 */
function isSameForAllValues({ form, readable }: RecordPlan): boolean {
  if (form.kind !== 'list') return false
  const members = [form.where, readable]
  return members.some((member) => hasComparison(member, () => true, 'record')) && members.every(isUnindexed)
}

function isUnindexed(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'all':
    case 'any':
      return predicate.of.every(isUnindexed)
    case 'comparison':
      return isUnindexedComparison(predicate.comparison)
    // Classes are constants in the statement.
    case 'constant':
    case 'class':
      return true
    case 'row':
    case 'related':
    case 'rows':
    case 'belongs':
    case 'beside-text':
      return false
    default:
      return unreachable(predicate)
  }
}

/** Texts are compared case-folded, which an index on the text itself does not serve. */
function isUnindexedComparison({ operator, comparisonType, value, fieldPath }: PlannedComparison): boolean {
  if (fieldPath === null || fieldPath.hops.length > 0 || !COMPARISONS.has(operator)) return false
  const isFolded = comparisonType === 'text' || (comparisonType === 'choice' && value.kind !== 'caseless')
  const { indexed } = fieldPath.column
  return !indexed.computed && (isFolded || !indexed.values)
}

/**
 * A column with an index may have one value in most rows and others in few. Rows with a frequent value are best found in the order of the
 * list, rows with a rare value by the index. The values do not matter if one index has the rows in the order of the list, or if a
 * condition compares a key.
 */
function isByFrequency({ form, table }: RecordPlan): boolean {
  if (form.kind !== 'list') return false
  const comparisons = comparisonsOfAll(form.where)
  const ofIndex = comparisons.filter((comparison) => isIndexedValue(comparison))
  if (ofIndex.length === 0 || comparisons.some(isKeyComparison)) return false
  const equal = new Set(
    comparisons.flatMap((comparison) => (comparison.operator === '=' ? (storageOf(comparison) ?? []) : [])),
  )
  const order = form.orders.map(({ fieldPath, comparisonType }) =>
    fieldPath.hops.length > 0 || isTextual(comparisonType) ? null : fieldPath.column.storage,
  )
  return !table.indexKeys.some((keys) => isInOrder(keys, equal, order))
}

/** Whether an index has columns that are equal in all rows of the list, followed by those of its order. */
function isInOrder(keys: readonly string[], equal: ReadonlySet<string>, order: readonly (string | null)[]): boolean {
  const from = keys.findIndex((key) => !equal.has(key))
  return from > 0 && order.every((name, index) => name !== null && keys[from + index] === name)
}

const storageOf = ({ fieldPath }: PlannedComparison): string | null =>
  fieldPath === null || fieldPath.hops.length > 0 ? null : fieldPath.column.storage

/** Whether it compares an indexed choice, number, date or text. References and keys have many values, none of which is in most rows. */
function isIndexedValue(comparison: PlannedComparison): boolean {
  const { fieldPath, operator } = comparison
  if (fieldPath === null || fieldPath.hops.length > 0 || !COMPARISONS.has(operator) || isId(comparison.comparisonType))
    return false
  return !fieldPath.column.unique && !isUnindexedComparison(comparison)
}

const isKeyComparison = ({ fieldPath, operator }: PlannedComparison): boolean =>
  fieldPath !== null &&
  fieldPath.hops.length === 0 &&
  operator === '=' &&
  (fieldPath.column.unique || fieldPath.column.name === fieldPath.table.keyColumn)

const isTextual = (comparisonType: PlannedComparison['comparisonType']): boolean =>
  comparisonType === 'text' || comparisonType === 'choice'

const COMPARISONS: ReadonlySet<Operator> = new Set(['=', '!=', 'IN', 'NOT IN', 'ISEMPTY', 'ISNOTEMPTY'])
