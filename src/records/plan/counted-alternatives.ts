import type { Table } from '../../catalog/catalog.ts'
import { refersToOne } from '../../column-types/column-types.ts'
import type { PlannedComparison, Predicate } from './planned-predicate.ts'
import { allOf, flatten, isConstant } from './predicates.ts'

/** With more alternatives, one scan of the table is faster. */
const MAX_ALTERNATIVES = 8

/**
 * Splits a condition at its first "or" whose alternatives all compare a reference: one condition for each alternative, so that each can use
 * an index. Any other condition is returned as it is.
 */
export function countedAlternatives(table: Table, where: Predicate): readonly Predicate[] {
  if (table.adopted !== null) return [where]
  const members = flatten('all', where)
  const at = members.findIndex((member) => member.kind === 'any' && isIndexed(member))
  const found = members[at]
  if (found === undefined) return [where]
  const others = members.toSpliced(at, 1)
  // The index of this reference finds the few rows.
  if (others.some(isReference)) return [where]
  return flatten('any', found).map((alternative) => allOf([...others, alternative]))
}

function isIndexed(predicate: Predicate): boolean {
  const alternatives = flatten('any', predicate)
  return alternatives.length <= MAX_ALTERNATIVES && alternatives.every((each) => flatten('all', each).some(isReference))
}

/** Each reference column of a table that is not adopted has an index. */
export function isReference(predicate: Predicate): boolean {
  if (predicate.kind !== 'comparison') return false
  const { fieldPath, operator, known } = predicate.comparison
  if (known !== undefined || fieldPath === null || fieldPath.hops.length > 0 || !isConstant(fieldPath.visible, true))
    return false
  return refersToOne(fieldPath.column) && NAMES_RECORDS.has(operator)
}

const NAMES_RECORDS: ReadonlySet<PlannedComparison['operator']> = new Set(['=', 'IN', 'DYNAMIC'])
