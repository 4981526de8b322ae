import { unreachable } from '../../kernel/unreachable.ts'
import type { PlannedComparison, Predicate } from './planned-predicate.ts'

export const TRUE: Predicate = { kind: 'constant', value: true }
export const FALSE: Predicate = { kind: 'constant', value: false }

/** All members hold. Constants are evaluated. */
export function allOf(members: readonly Predicate[]): Predicate {
  if (members.some((member) => isConstant(member, false))) return FALSE
  return joined(
    'all',
    members.filter((member) => !isConstant(member, true)),
    TRUE,
  )
}

/** At least one member holds. Constants are evaluated. */
export function anyOf(members: readonly Predicate[]): Predicate {
  if (members.some((member) => isConstant(member, true))) return TRUE
  return joined(
    'any',
    members.filter((member) => !isConstant(member, false)),
    FALSE,
  )
}

/** The members of a condition. A member of the same kind is replaced by its own members. */
export const flatten = (kind: 'all' | 'any', predicate: Predicate): readonly Predicate[] =>
  predicate.kind === kind ? predicate.of.flatMap((member) => flatten(kind, member)) : [predicate]

/** The comparisons that all rows must satisfy. */
export const comparisonsOfAll = (predicate: Predicate): readonly PlannedComparison[] =>
  flatten('all', predicate).flatMap((member) => (member.kind === 'comparison' ? [member.comparison] : []))

/**
 * Whether a comparison anywhere in the condition satisfies `is`.
 *
 * @param reach `record`: only comparisons with the record itself and what its paths lead to; `rows`: also those with rows that refer to it
 */
export function hasComparison(
  predicate: Predicate,
  is: (comparison: PlannedComparison) => boolean,
  reach: 'record' | 'rows',
): boolean {
  switch (predicate.kind) {
    case 'all':
    case 'any':
      return predicate.of.some((member) => hasComparison(member, is, reach))
    case 'comparison':
      return is(predicate.comparison)
    case 'beside-text':
      return hasComparison(predicate.where, is, reach)
    case 'related':
    case 'rows':
      return reach === 'rows' && hasComparison(predicate.where, is, reach)
    case 'constant':
    case 'class':
    case 'row':
    case 'belongs':
      return false
    default:
      return unreachable(predicate)
  }
}

export function isConstant(predicate: Predicate, value: boolean): boolean {
  return predicate.kind === 'constant' && predicate.value === value
}

function joined(kind: 'all' | 'any', members: readonly Predicate[], empty: Predicate): Predicate {
  const [first, ...rest] = members
  if (first === undefined) return empty
  return rest.length === 0 ? first : { kind, of: members }
}
