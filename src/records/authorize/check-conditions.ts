import type { Catalog } from '../../catalog/catalog.ts'
import { isWalk, walkPath } from '../../catalog/walk-path.ts'
import type { ConditionTree } from '../../condition/condition-tree.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { PermittedWrite } from './permitted-request.ts'

/** Tables whose column `condition` holds an encoded query that the server will run. */
const HOLDERS: ReadonlySet<string> = new Set(['sys_security_acl', 'sys_filter', 'sys_state_model'])

/**
 * A condition that cannot be read is refused when it is written: later it could only be refused to somebody else, or
 * grant nothing without a word.
 */
export function checkConditions(
  table: string,
  writes: readonly PermittedWrite[],
  catalog: Catalog,
): Result<null, Problem> {
  if (!HOLDERS.has(table)) return succeed(null)
  const value = (name: string): unknown => writes.find((write) => write.column.name === name)?.value
  const condition = value('condition')
  if (typeof condition !== 'string' || condition === '') return succeed(null)
  const parsed = parseEncodedQuery(condition)
  if (!parsed.ok) return invalid(`${parsed.error.detail} (at ${parsed.error.position})`)
  if (parsed.value.orders.length > 0) return invalid('a condition has no order')
  const about = value('table_name')
  const subject = typeof about === 'string' ? catalog.tables.get(about) : undefined
  if (subject === undefined || parsed.value.where === null) return succeed(null)
  for (const test of testsOf(parsed.value.where)) {
    const walk = test.path.length === 0 ? null : walkPath(catalog, subject, test.path)
    if (walk !== null && !isWalk(walk)) return invalid(`${walk.detail} (at ${test.position})`)
  }
  return succeed(null)
}

function testsOf(tree: ConditionTree): readonly (ConditionTree & { readonly kind: 'test' })[] {
  return tree.kind === 'test' ? [tree] : tree.of.flatMap(testsOf)
}

function invalid(detail: string): Result<never, Problem> {
  return refuse({ kind: 'invalid-value', field: 'condition', detail })
}
