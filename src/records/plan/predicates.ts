import type { Predicate } from './planned-predicate.ts'

export const TRUE: Predicate = { kind: 'constant', value: true }
export const FALSE: Predicate = { kind: 'constant', value: false }

/** All of them hold; what is certain is left out. */
export function allOf(members: readonly Predicate[]): Predicate {
  if (members.some((member) => isConstant(member, false))) return FALSE
  return joined(
    'all',
    members.filter((member) => !isConstant(member, true)),
    TRUE,
  )
}

/** Any of them holds. */
export function anyOf(members: readonly Predicate[]): Predicate {
  if (members.some((member) => isConstant(member, true))) return TRUE
  return joined(
    'any',
    members.filter((member) => !isConstant(member, false)),
    FALSE,
  )
}

/** The members of a condition, those of a member of the same kind in its place. */
export const flatten = (kind: 'all' | 'any', predicate: Predicate): readonly Predicate[] =>
  predicate.kind === kind ? predicate.of.flatMap((member) => flatten(kind, member)) : [predicate]

export function isConstant(predicate: Predicate, value: boolean): boolean {
  return predicate.kind === 'constant' && predicate.value === value
}

function joined(kind: 'all' | 'any', members: readonly Predicate[], empty: Predicate): Predicate {
  const [first, ...rest] = members
  if (first === undefined) return empty
  return rest.length === 0 ? first : { kind, of: members }
}
