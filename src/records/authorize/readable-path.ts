import type { Access } from '../../acl/decide.ts'
import { grantOnColumn, grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Catalog, Column, Table, TableColumn } from '../../catalog/catalog.ts'
import { nearestNames } from '../../catalog/nearest-names.ts'
import { isResolvedPath, type PathFailure, resolvePath } from '../../catalog/resolve-path.ts'

/** The principal whose rights decide which names exist. */
export interface Reader {
  readonly catalog: Catalog
  readonly access: Access
}

export const isTableDenied = (table: Table, { access, catalog }: Reader): boolean =>
  isNever(grantOnRows(access, catalog, table, 'read'))

const isColumnDenied = (table: Table, column: string, { access, catalog }: Reader): boolean =>
  isNever(grantOnColumn(access, catalog, table, column, 'read'))

/** The first column of a path that the caller cannot read on any row, because of its own rules or those of its table. */
export function firstDenied(hops: readonly TableColumn[], reader: Reader): TableColumn | null {
  return (
    hops.find(
      ({ table, column }, index) =>
        comparedColumns(column).some((name) => isColumnDenied(table, name, reader)) ||
        (index > 0 && isTableDenied(table, reader)),
    ) ?? null
  )
}

/** A condition on several journals compares the entries of each. */
const comparedColumns = ({ name, displayed }: Column): readonly string[] =>
  displayed?.kind === 'journals' ? displayed.of.map((each) => each.name) : [name]

/** Why a path cannot be resolved, with similar columns, of those that the caller may read. */
export function explainPath({ detail, missing }: Pick<PathFailure, 'detail' | 'missing'>, reader: Reader): string {
  if (missing === null) return detail
  const { table, name } = missing
  if (isTableDenied(table, reader)) return detail
  const readable = [...table.columns.keys()].filter((column) => !isColumnDenied(table, column, reader))
  const near = nearestNames(name, readable)
  return near.length === 0 ? detail : `${detail}; did you mean ${near.join(', ')}?`
}

/**
 * Why a path does not resolve to a column that the caller may read, with the same text for a denied and for a missing column; null: the
 * caller may read the column.
 */
export function explainUnreadable(
  path: readonly string[],
  table: Table,
  { reader, throughLists = false }: { readonly reader: Reader; readonly throughLists?: boolean },
): string | null {
  for (const [index, name] of path.entries()) {
    const fieldPath = resolvePath(reader.catalog, table, path.slice(0, index + 1), { throughLists })
    const at = isResolvedPath(fieldPath) ? fieldPath.end.table : fieldPath.missing?.table
    if (at !== undefined && index > 0 && isTableDenied(at, reader))
      return `${path.slice(0, index).join('.')} in ${table.name} leads to no table that you may read`
    if (!isResolvedPath(fieldPath)) return explainPath(fieldPath, reader)
    const { end } = fieldPath
    if (isColumnDenied(end.table, name, reader)) return explainPath(absence(end.table, name), reader)
  }
  return null
}

/** Describes the name of a column that does not exist. */
export const absence = (table: Table, name: string): Pick<PathFailure, 'detail' | 'missing'> => ({
  detail: `there is no column ${name} in ${table.name}`,
  missing: { table, name },
})
