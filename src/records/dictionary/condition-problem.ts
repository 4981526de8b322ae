import type { Catalog, Table } from '../../catalog/catalog.ts'
import { isWalk, walkPath } from '../../catalog/walk-path.ts'
import type { ConditionTest, ConditionTree } from '../../condition/condition-tree.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { textOfValue } from '../../condition/print-encoded-query.ts'
import type { Problem } from '../../kernel/problem.ts'
import { planRuleCondition } from '../plan/plan-rights.ts'

/**
 * What is wrong with a condition that the server will run.
 *
 * @param table null: any table, so that only its grammar can be judged
 */
export function conditionProblem(condition: string, table: Table | null, catalog: Catalog): Problem | null {
  if (condition === '') return null
  const parsed = parseEncodedQuery(condition)
  if (!parsed.ok) return invalid(`${parsed.error.detail} (at ${parsed.error.position})`)
  if (parsed.value.orders.length > 0) return invalid('a condition has no order')
  if (table === null || parsed.value.where === null) return null
  for (const test of testsOf(parsed.value.where)) {
    const detail = testProblem(test, table, catalog)
    if (detail !== null) return invalid(`${detail} (at ${test.position})`)
  }
  return null
}

function testsOf(tree: ConditionTree): readonly ConditionTest[] {
  return tree.kind === 'test' ? [tree] : tree.of.flatMap(testsOf)
}

const THROUGH_LISTS = { throughLists: true } as const

/** A rule of a parent may ask for a child's column: it is judged class by class. */
function testProblem(test: ConditionTest, table: Table, catalog: Catalog): string | null {
  const family = table.family.flatMap((name) => catalog.tables.get(name) ?? [])
  const known = family.filter(
    (member) => test.path.length === 0 || isWalk(walkPath(catalog, member, test.path, THROUGH_LISTS)),
  )
  if (known.length === 0) {
    const walk = walkPath(catalog, table, test.path, THROUGH_LISTS)
    return isWalk(walk) ? null : walk.detail
  }
  const planned = known
    .map((member) => planRuleCondition(test, member, catalog))
    .filter((predicate) => predicate !== null)
  if (planned.length === 0) return `${test.operator} does not fit ${test.path.join('.')} with this value`
  // What can be true of no row at all has a value that means nothing.
  const isNever = planned.every((predicate) => predicate.kind === 'constant' && !predicate.value)
  return isNever && test.operator !== 'EMPTYSTRING'
    ? `"${textOfValue(test.value).slice(0, 60)}" is no value that ${test.path.join('.')} can be compared with`
    : null
}

function invalid(detail: string): Problem {
  return { kind: 'invalid-value', field: 'condition', detail }
}
