import type { Catalog, Table } from '../../catalog/catalog.ts'
import { isResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import type { ConditionComparison } from '../../condition/condition-tree.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { comparisonsOf, firstRows, ROWS_ARE_FOR_QUERIES } from '../../condition/parts-of-tree.ts'
import { textOfValue } from '../../condition/print-encoded-query.ts'
import type { Problem } from '../../kernel/problem.ts'
import { explainUnreadable, type Reader } from '../authorize/readable-path.ts'
import { planRuleCondition } from '../plan/plan-row-access.ts'

/**
 * The error in a condition of a rule or a state model; null: there is none.
 *
 * @param table null: the condition is for any table, so that only its grammar can be checked
 */
export function conditionProblem(condition: string, table: Table | null, catalog: Catalog): Problem | null {
  return problemOf(condition, (comparison) => (table === null ? null : comparisonProblem(comparison, table, catalog)))
}

/** The error in a condition that a caller stores as their own query. A column that they may not read has the error of a missing one. */
export function callersConditionProblem(condition: string, table: Table, reader: Reader): Problem | null {
  return problemOf(condition, (comparison) => callersComparisonProblem(comparison, table, reader))
}

/** @param explain the error in a comparison; null: there is none */
function problemOf(condition: string, explain: (comparison: ConditionComparison) => string | null): Problem | null {
  if (condition === '') return null
  const parsed = parseEncodedQuery(condition)
  if (!parsed.ok) return invalid(`${parsed.error.detail} (at ${parsed.error.position})`)
  if (parsed.value.orders.length > 0) return invalid('a condition has no order')
  const rows = parsed.value.where === null ? undefined : firstRows(parsed.value.where)
  if (rows !== undefined) return invalid(`${ROWS_ARE_FOR_QUERIES} (at ${rows.position})`)
  for (const comparison of parsed.value.where === null ? [] : comparisonsOf(parsed.value.where)) {
    const detail = explain(comparison)
    if (detail !== null) return invalid(`${detail} (at ${comparison.position})`)
  }
  return null
}

const THROUGH_LISTS = { throughLists: true } as const

/** A rule of a parent table may use a column of a child table: the comparison must be valid in one of the classes. */
function comparisonProblem(comparison: ConditionComparison, table: Table, catalog: Catalog): string | null {
  const descendants = table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  const known = descendants.filter(
    (member) =>
      comparison.path.length === 0 || isResolvedPath(resolvePath(catalog, member, comparison.path, THROUGH_LISTS)),
  )
  if (known.length === 0) {
    const fieldPath = resolvePath(catalog, table, comparison.path, THROUGH_LISTS)
    return isResolvedPath(fieldPath) ? null : fieldPath.detail
  }
  return valueProblem(comparison, known, catalog)
}

function callersComparisonProblem(comparison: ConditionComparison, table: Table, reader: Reader): string | null {
  const { path, value } = comparison
  const left = path.length === 0 ? null : explainUnreadable(path, table, { reader, ...THROUGH_LISTS })
  const right = value.kind === 'field' ? explainUnreadable(value.path, table, { reader }) : null
  return left ?? right ?? valueProblem(comparison, [table], reader.catalog)
}

/** @param tables those that have the columns of the comparison; it must be valid in one of them */
function valueProblem(comparison: ConditionComparison, tables: readonly Table[], catalog: Catalog): string | null {
  const planned = tables
    .map((table) => planRuleCondition(comparison, table, catalog))
    .filter((predicate) => predicate !== null)
  if (planned.length === 0) return `${comparison.operator} does not fit ${comparison.path.join('.')} with this value`
  // If the comparison is false for every row, its value is invalid.
  const isNever = planned.every((predicate) => predicate.kind === 'constant' && !predicate.value)
  return isNever && comparison.operator !== 'EMPTYSTRING'
    ? `"${textOfValue(comparison.value).slice(0, 60)}" is not a value that ${comparison.path.join('.')} can be compared with`
    : null
}

function invalid(detail: string): Problem {
  return { kind: 'invalid-value', field: 'condition', detail }
}
