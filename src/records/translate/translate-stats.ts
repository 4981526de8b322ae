import type { Catalog, Table } from '../../catalog/catalog.ts'
import { isResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import type { GivenIds } from '../../column-types/served-id.ts'
import type { HavingComparison, StatsRequest } from '../parse/record-request.ts'

interface Ground {
  readonly catalog: Catalog
  readonly names: Names
  readonly table: Table
  readonly given: GivenIds
}

/** The values that aggregates are compared with, as they are stored. */
export const translateStats = (stats: StatsRequest, ground: Ground): StatsRequest => ({
  ...stats,
  having: stats.having.map((comparison) => translateHaving(comparison, ground)),
})

function translateHaving(comparison: HavingComparison, { catalog, names, table, given }: Ground): HavingComparison {
  const { term, operator, value } = comparison
  if (term.kind === 'count' || term.kind === 'group') return comparison
  const path = term.path.split('.')
  const fieldPath = resolvePath(catalog, table, path, { names })
  if (!isResolvedPath(fieldPath)) return comparison
  const read = names.readComparison(
    { kind: 'comparison', path, operator, value, position: 0 },
    fieldPath.end.column,
    given,
  )
  if (read.kind !== 'comparison') return comparison
  return read.value.kind === 'literal' || read.value.kind === 'helper'
    ? { ...comparison, value: read.value }
    : comparison
}
