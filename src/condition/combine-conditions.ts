import type { ConditionTree } from './condition-tree.ts'

/**
 * Constructors of the normal form that `ConditionTree` describes: they merge nodes of the same kind and add no node around a single member.
 * All code that joins conditions (the parser, a rule with a caller's query) uses them, so that equal conditions have equal trees, texts and
 * shapes.
 */
export function allOf(members: readonly [ConditionTree, ...ConditionTree[]]): ConditionTree {
  return joined('all', members)
}

export function anyOf(members: readonly [ConditionTree, ...ConditionTree[]]): ConditionTree {
  return joined('any', members)
}

function joined(kind: 'all' | 'any', members: readonly [ConditionTree, ...ConditionTree[]]): ConditionTree {
  if (members.length === 1) return members[0]
  const isFlat = members.every((member) => member.kind !== kind)
  return { kind, of: isFlat ? members : members.flatMap((member) => (member.kind === kind ? member.of : [member])) }
}
