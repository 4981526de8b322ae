import { parseMetadataFilter } from '../../condition/parse-encoded-query.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { Sql } from '../../kernel/sql.ts'
import { compileFilter } from './compile-filter.ts'
import { computeValue } from './compute-value.ts'

/**
 * Parses a metadata filter of a request to a condition.
 *
 * @param values the column `filter_values`, with the alias of its table
 * @param asker helpers (`javascript:gs.daysAgo(7)`) are computed from the user, groups and time zone of this caller
 * @returns null when the filter holds for every document
 */
export function filterCondition(
  filter: string,
  values: Sql<unknown>,
  asker: { readonly principal: Principal; readonly nowMs: number },
): Result<Sql<boolean> | null, Problem> {
  const parsed = parseMetadataFilter(filter)
  if (!parsed.ok) return parsed
  const { where, orders } = parsed.value
  const [order] = orders
  if (order !== undefined) return fail({ kind: 'bad-query', detail: 'A filter has no order', position: order.position })
  return where === null ? succeed(null) : compileFilter(where, values, (operand) => computeValue(operand, asker))
}
