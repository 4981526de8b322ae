import type { ConditionComparison, ConditionTree, RowsCondition } from './condition-tree.ts'

/**
 * Why a stored condition (a rule, a state model, the condition of a collection) has no JOIN and no RLQUERY: its users would have to follow
 * all rows of the other table.
 */
export const ROWS_ARE_FOR_QUERIES = 'JOIN and RLQUERY are for queries, not for stored conditions'

/** The first condition on another table; undefined: there is none. */
export function firstRows(tree: ConditionTree): RowsCondition | undefined {
  if (tree.kind === 'rows') return tree
  if (tree.kind === 'comparison') return undefined
  for (const member of tree.of) {
    const found = firstRows(member)
    if (found !== undefined) return found
  }
  return undefined
}

/** The comparisons of a condition, without those on rows of other tables. */
export function comparisonsOf(tree: ConditionTree): readonly ConditionComparison[] {
  if (tree.kind === 'rows') return []
  return tree.kind === 'comparison' ? [tree] : tree.of.flatMap(comparisonsOf)
}
