import type { Column, Table } from '../../catalog/catalog.ts'
import { columnTypeOf, comparisonOf, hasParts } from '../../column-types/column-types.ts'
import { type Operator, PATTERN_OPERATORS } from '../../condition/operators.ts'
import type { PlannedComparison, PlannedPath, Predicate } from '../plan/planned-predicate.ts'
import { comparisonsOfAll, flatten } from '../plan/predicates.ts'
import type { PlannedOrder, RecordPlan } from '../plan/record-plan.ts'

/** A row of sys_db_index, or for an adopted table an index that its owner may create. */
export interface ProposedIndex {
  readonly table: string
  readonly columns: readonly string[]
  readonly purpose: 'conditions' | 'order' | 'contains'
}

/** Columns of an index that are compared for equality. Each further one selects less, and the index serves fewer other lists. */
const MAX_EQUAL = 3

/**
 * Indexes that would serve the statement of a plan, the most useful first. Empty: none would, or built-in indexes (keys,
 * references) serve it already. May contain indexes that exist; list-slow-requests.ts recognises these.
 */
export function proposeIndexes({ form, readable, table }: RecordPlan): readonly ProposedIndex[] {
  if (form.kind !== 'list' && form.kind !== 'stats') return []
  const orders = form.kind === 'list' ? sortedBy(form.orders, table) : []
  const own = ofPredicate(form.where, table, orders)
  const proposed = own.length > 0 ? own : ofPredicate(readable, table, orders)
  const seen = new Set<string>()
  return proposed.filter((index) => {
    const key = JSON.stringify(index)
    return !seen.has(key) && seen.add(key) !== undefined
  })
}

/** Without the key, which is the last part of every order and every index. */
const sortedBy = (orders: readonly PlannedOrder[], table: Table): readonly PlannedOrder[] =>
  orders.filter(({ fieldPath }) => fieldPath.hops.length > 0 || fieldPath.column.name !== table.keyColumn)

function ofPredicate(where: Predicate, table: Table, orders: readonly PlannedOrder[]): readonly ProposedIndex[] {
  const comparisons = comparisonsOfAll(where)
  const alternatives = flatten('all', where).flatMap((member) =>
    member.kind === 'any' ? member.of.flatMap((one) => ofPredicate(one, table, [])) : [],
  )
  const patterns = comparisons.flatMap(ofPattern)
  if (patterns.length > 0) return patterns.slice(0, 1)
  const equal = ofEqual(comparisons, table, orders)
  const hops = comparisons.flatMap(ofHop)
  const [order, range] = [ofOrders(orders, table), ofRange(comparisons, table)]
  const narrow = [...(selectsFew(comparisons) ? [...equal, ...hops] : [...hops, ...equal]), ...alternatives]
  if (narrow.length > 0) return [...narrow, ...order]
  // A range with two ends selects few rows, so sorting them is cheap. Most rows may be in one with a single end.
  return comparisons.some(({ operator }) => BOUNDED.has(operator)) ? [...range, ...order] : [...order, ...range]
}

/** Whether a column of the table itself, and not only a boolean, is compared for equality. */
const selectsFew = (comparisons: readonly PlannedComparison[]): boolean =>
  comparisons
    .filter(isEqual)
    .some(({ fieldPath }) => fieldPath?.hops.length === 0 && rankOf(fieldPath.column) < BOOLEAN_RANK)

/** The predicates that every row must satisfy. */
const EQUALITIES: ReadonlySet<Operator> = new Set(['=', 'IN', 'ISEMPTY'])
const BOUNDED: ReadonlySet<Operator> = new Set(['BETWEEN', 'ON'])
const RANGES: ReadonlySet<Operator> = new Set(['<', '<=', '>', '>=', ...BOUNDED])

function ofPattern({ operator, fieldPath }: PlannedComparison): readonly ProposedIndex[] {
  if (
    fieldPath === null ||
    !PATTERN_OPERATORS.has(operator) ||
    !isStored(fieldPath.column) ||
    !hasParts(fieldPath.column)
  )
    return []
  return [{ table: ownerOf(fieldPath), columns: [fieldPath.column.name], purpose: 'contains' }]
}

function ofEqual(
  comparisons: readonly PlannedComparison[],
  table: Table,
  orders: readonly PlannedOrder[],
): readonly ProposedIndex[] {
  const equal = [
    ...new Set(comparisons.filter(isEqual).flatMap(({ fieldPath }) => (fieldPath === null ? [] : [fieldPath]))),
  ]
    .filter(({ hops, column }) => hops.length === 0 && isKey(column) && column.name !== table.keyColumn)
    .sort((one, other) => rankOf(one.column) - rankOf(other.column))
    .slice(0, MAX_EQUAL)
  if (equal.length === 0 || equal.some(({ column }) => column.unique)) return []
  const keys = equal.map(({ column }) => column)
  // The same index can also have the order, except for texts, which are sorted by language.
  const sorted = orders.map(({ fieldPath }) => fieldPath)
  const isServed = sorted.every(({ hops, column }) => hops.length === 0 && isKey(column) && !isText(column))
  const behind = isServed ? sorted.map(({ column }) => column) : ofRangeColumns(comparisons)
  const columns = [...new Set([...keys, ...behind])].slice(0, 5)
  return isThere(table, columns) ? [] : [indexOn(table, columns, 'conditions')]
}

/** The last: half of all rows may have one of the two values. */
const BOOLEAN_RANK = 2

/** Columns that select few rows come first: few records refer to one user, but half of them may be active. */
function rankOf(column: Column): number {
  if (comparisonOf(column) === 'boolean') return BOOLEAN_RANK
  return column.reference === null ? 1 : 0
}

const isEqual = ({ operator, other }: PlannedComparison): boolean => EQUALITIES.has(operator) && other === null

/** A comparison behind a reference is served by an index of the referenced table. Reference columns already have an index. */
function ofHop({ operator, fieldPath }: PlannedComparison): readonly ProposedIndex[] {
  if (fieldPath === null || fieldPath.hops.length === 0 || !(EQUALITIES.has(operator) || RANGES.has(operator)))
    return []
  const { table, column } = fieldPath
  if (!isKey(column) || column.unique || column.name === table.keyColumn || column.reference !== null) return []
  return isThere(table, [column]) ? [] : [indexOn(table, [column], 'conditions')]
}

function ofOrders(orders: readonly PlannedOrder[], table: Table): readonly ProposedIndex[] {
  const [first] = orders
  if (first === undefined || !orders.every(({ fieldPath }) => isKey(fieldPath.column))) return []
  if (first.fieldPath.hops.length > 0) {
    const target = first.fieldPath.table
    const { column } = first.fieldPath
    return isThere(target, [column]) ? [] : [indexOn(target, [column], 'order')]
  }
  if (orders.some(({ fieldPath, direction }) => fieldPath.hops.length > 0 || direction !== first.direction)) return []
  const columns = orders.map(({ fieldPath }) => fieldPath.column).slice(0, 5)
  return isThere(table, columns) ? [] : [indexOn(table, columns, 'order')]
}

function ofRange(comparisons: readonly PlannedComparison[], table: Table): readonly ProposedIndex[] {
  const columns = ofRangeColumns(comparisons)
  return columns.length === 0 || isThere(table, columns) ? [] : [indexOn(table, columns, 'conditions')]
}

function ofRangeColumns(comparisons: readonly PlannedComparison[]): readonly Column[] {
  const paths = comparisons.flatMap(({ operator, fieldPath }) => (RANGES.has(operator) ? (fieldPath ?? []) : []))
  const own = paths.find(({ hops, column }) => hops.length === 0 && isKey(column) && !isText(column))
  return own === undefined ? [] : [own.column]
}

const isStored = (column: Column): boolean => column.storage !== null
const isKey = (column: Column): boolean => isStored(column) && columnTypeOf(column).storage.index === 'btree'
/** PostgreSQL's name of the type. */
const STORED_AS_TEXT = 'text'
const isText = (column: Column): boolean => columnTypeOf(column).storage.type === STORED_AS_TEXT

/** Indexes on texts are on expressions, which `indexKeys` does not have. */
const isThere = (table: Table, columns: readonly Column[]): boolean =>
  columns.every((column) => !isText(column)) &&
  table.indexKeys.some((keys) => columns.every(({ storage }, at) => keys[at] === storage))

function indexOn(table: Table, columns: readonly Column[], purpose: ProposedIndex['purpose']): ProposedIndex {
  const [first] = columns
  const isOfOne = first !== undefined && columns.every(({ ownerTable }) => ownerTable === first.ownerTable)
  return { table: isOfOne ? first.ownerTable : table.name, columns: columns.map(({ name }) => name), purpose }
}

const ownerOf = ({ column }: PlannedPath): string => column.ownerTable
