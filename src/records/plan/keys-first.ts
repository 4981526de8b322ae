import { isReference } from './counted-alternatives.ts'
import type { Predicate } from './planned-predicate.ts'
import { flatten, hasComparison } from './predicates.ts'
import type { PlannedOrder, RecordPlan } from './record-plan.ts'

interface RestrictedList extends Pick<RecordPlan, 'table' | 'readable'> {
  readonly where: Predicate
  readonly orders: readonly PlannedOrder[]
}

/**
 * Whether the keys of a page are found before its other columns are read. Of the rows with a reference, the rule of the caller may select few; and
 * in the order of a column behind the reference, all of them are sorted. An index with the columns of the conditions has their keys, and only the rows of the
 * page are read from the table. A list of other rows would look up each of its rows twice for nothing.
 */
export function keysFirst({ table, readable, where, orders }: RestrictedList): boolean {
  if (table.adopted !== null) return false
  if (orders[0]?.isByReference === true) return true
  return hasComparison(readable, () => true, 'record') && flatten('all', where).some(isReference)
}
