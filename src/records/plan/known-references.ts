import { refersToOne } from '../../column-types/column-types.ts'
import type { Operator } from '../../condition/operators.ts'
import type { PlannedComparison, Predicate } from './planned-predicate.ts'
import { flatten } from './predicates.ts'

/**
 * Where the query says `assignment_group=G`, a rule "assigned to me or to my groups" is "assigned to me, or G is one of my groups". That holds
 * for the same rows. But PostgreSQL then knows that the second part is true of all rows or of none: it expects as many rows as there are, and reads
 * no queue of a hidden group to its end.
 */
export function withKnownReferences(readable: Predicate, where: Predicate): Predicate {
  const known = new Map(
    flatten('all', where).flatMap((member) =>
      member.kind === 'comparison' && givesReference(member.comparison)
        ? [[member.comparison.fieldPath?.column.id, member.comparison]]
        : [],
    ),
  )
  return known.size === 0 ? readable : replace(readable, known)
}

type Known = ReadonlyMap<string | undefined, PlannedComparison>

function replace(predicate: Predicate, known: Known): Predicate {
  if (predicate.kind === 'all' || predicate.kind === 'any')
    return { kind: predicate.kind, of: predicate.of.map((member) => replace(member, known)) }
  if (
    predicate.kind !== 'comparison' ||
    !isOwnReference(predicate.comparison) ||
    !COMPARE_REFERENCES.has(predicate.comparison.operator)
  )
    return predicate
  const by = known.get(predicate.comparison.fieldPath?.column.id)
  return by === undefined ? predicate : { kind: 'comparison', comparison: { ...predicate.comparison, known: by.read } }
}

const COMPARE_REFERENCES: ReadonlySet<Operator> = new Set(['=', 'IN', 'DYNAMIC'])

const givesReference = (comparison: PlannedComparison): boolean =>
  comparison.operator === '=' && comparison.value.kind !== 'group-ids' && isOwnReference(comparison)

/** A reference of the row itself that is stored as the sys_id of its record. */
function isOwnReference({ fieldPath, comparisonType }: PlannedComparison): boolean {
  if (fieldPath === null || fieldPath.hops.length > 0 || comparisonType !== 'id') return false
  const { column } = fieldPath
  return refersToOne(column) && column.foreignKey === null && column.displayed === undefined
}
