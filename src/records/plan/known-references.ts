import { refersToOne } from '../../column-types/column-types.ts'
import type { Operator } from '../../condition/operators.ts'
import type { PlannedComparison, Predicate } from './planned-predicate.ts'
import { allOf, anyOf, comparisonsOfAll, flatten, TRUE } from './predicates.ts'

/**
 * Where the query says `assignment_group=G`, a rule "assigned to me or to my groups" is "assigned to me, or G is one of my groups". That holds
 * for the same rows. But PostgreSQL then knows that the second part is true of all rows or of none: it expects as many rows as there are, and reads
 * no queue of a hidden group to its end.
 *
 * Where the query says "assigned to one of my groups", the rule holds for all of its rows, and is left out: PostgreSQL would expect a part of
 * these rows only.
 */
export function withKnownReferences(readable: Predicate, where: Predicate): Predicate {
  const ofMyGroups = new Set(
    comparisonsOfAll(where).flatMap((comparison) =>
      namesMyGroups(comparison) ? [comparison.fieldPath?.column.id] : [],
    ),
  )
  const known = new Map(
    flatten('all', where).flatMap((member) =>
      member.kind === 'comparison' && givesReference(member.comparison)
        ? [[member.comparison.fieldPath?.column.id, member.comparison]]
        : [],
    ),
  )
  return known.size === 0 && ofMyGroups.size === 0 ? readable : replace(readable, { known, ofMyGroups })
}

interface Known {
  /** By id of the column: the comparison that gives its value. */
  readonly known: ReadonlyMap<string | undefined, PlannedComparison>
  /** Ids of the columns that have one of the caller's groups. */
  readonly ofMyGroups: ReadonlySet<string | undefined>
}

function replace(predicate: Predicate, given: Known): Predicate {
  const { known, ofMyGroups } = given
  if (predicate.kind === 'all') return allOf(predicate.of.map((member) => replace(member, given)))
  if (predicate.kind === 'any') return anyOf(predicate.of.map((member) => replace(member, given)))
  if (
    predicate.kind !== 'comparison' ||
    !isOwnReference(predicate.comparison) ||
    !COMPARE_REFERENCES.has(predicate.comparison.operator)
  )
    return predicate
  if (namesMyGroups(predicate.comparison) && ofMyGroups.has(predicate.comparison.fieldPath?.column.id)) return TRUE
  const by = known.get(predicate.comparison.fieldPath?.column.id)
  return by === undefined ? predicate : { kind: 'comparison', comparison: { ...predicate.comparison, known: by.read } }
}

const COMPARE_REFERENCES: ReadonlySet<Operator> = new Set(['=', 'IN', 'DYNAMIC'])

const givesReference = (comparison: PlannedComparison): boolean =>
  comparison.operator === '=' && comparison.value.kind !== 'group-ids' && isOwnReference(comparison)

const namesMyGroups = (comparison: PlannedComparison): boolean =>
  comparison.value.kind === 'group-ids' && COMPARE_REFERENCES.has(comparison.operator) && isOwnReference(comparison)

/** A reference of the row itself that is stored as the sys_id of its record. */
function isOwnReference({ fieldPath, comparisonType }: PlannedComparison): boolean {
  if (fieldPath === null || fieldPath.hops.length > 0 || comparisonType !== 'id') return false
  const { column } = fieldPath
  return refersToOne(column) && column.foreignKey === null && column.displayed === undefined
}
