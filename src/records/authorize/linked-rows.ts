import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import { nearestNames } from '../../catalog/nearest-names.ts'
import type { ResolvedPath } from '../../catalog/resolve-path.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import { comparisonOf, isOwnKey, refersToOne } from '../../column-types/column-types.ts'
import { fits } from '../../column-types/fitting-operators.ts'
import type { RowsCondition } from '../../condition/condition-tree.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { LinkKind } from './authorized-request.ts'
import { isTableDenied, type Reader } from './readable-path.ts'

/** The tables of JOIN and RLQUERY. */
interface Linked {
  readonly other: Table
  /** The path of the JOIN column in the row's own table. */
  readonly own: readonly string[] | null
}

/** @param table the table whose rows the condition is on */
export function resolveLink(rows: RowsCondition, table: Table, reader: Reader): Result<Linked, Problem> {
  const { link, position } = rows
  const wrong = (detail: string): Result<never, Problem> => fail({ kind: 'bad-query', detail, position })
  const other = tableNamed(link.other.table, reader.catalog)
  if (other === undefined) return wrong(explainNoTable(link.other.table, reader))
  if (isTableDenied(other, reader)) return fail({ kind: 'table-denied', action: 'read', table: other.name })
  if (link.kind === 'count') return succeed({ other, own: null })
  const own = tableNamed(link.own.table, reader.catalog)
  if (own === undefined || !isSameHierarchy(own, table))
    return wrong(`JOIN begins with a column of ${table.name}; ${link.own.table} is another table`)
  return succeed({ other, own: [link.own.column] })
}

function explainNoTable(name: string, reader: Reader): string {
  const readable = [...reader.catalog.tables.values()].filter((table) => !isTableDenied(table, reader))
  const near = nearestNames(
    name,
    readable.map((table) => table.name),
  )
  return near.length === 0 ? `there is no table ${name}` : `there is no table ${name}; did you mean ${near.join(', ')}?`
}

const isSameHierarchy = (one: Table, other: Table): boolean =>
  one.ancestors.includes(other.name) || other.ancestors.includes(one.name)

/** How the columns of a link are compared, or why they cannot be compared. */
export function compareLink(
  { table, own, other }: { readonly table: Table; readonly own: ResolvedPath | null; readonly other: ResolvedPath },
  catalog: Catalog,
): Result<LinkKind, string> {
  if (own === null) {
    return refersToRecordOf(other.end.column, table, catalog)
      ? succeed('own-key')
      : fail(`RLQUERY takes a reference to ${table.name}; ${nameOf(other)} is none`)
  }
  const kind = linkOf(table, own.end, other.end, catalog)
  if (kind !== null) return succeed(kind)
  return fail(
    `${nameOf(own)} is of type ${own.end.column.type} and ${nameOf(other)} of type ${other.end.column.type}; JOIN compares fields of the same type`,
  )
}

const nameOf = ({ end }: ResolvedPath): string => `${end.table.name}.${end.column.name}`

/** null: the columns are not comparable. */
function linkOf(table: Table, own: ResolvedPath['end'], other: ResolvedPath['end'], catalog: Catalog): LinkKind | null {
  if (isKeyOf(own.column, own.table) && refersToRecordOf(other.column, table, catalog)) return 'own-key'
  if (isKeyOf(other.column, other.table) && refersToRecordOf(own.column, other.table, catalog)) return 'other-key'
  const isPlain = [own, other].every(({ column }) => column.foreignKey === null && fits('SAMEAS', column))
  const isSame =
    comparisonOf(own.column) === comparisonOf(other.column) && own.column.storageCast === other.column.storageCast
  const isMadeKey = [own, other].some(({ table: at, column }) => isKeyOf(column, at) && at.key.kind === 'parts')
  const isOfOneKind = isPlain && isSame && !isMadeKey && comparisonOf(own.column) !== 'list'
  return isOfOneKind && leadToSameRecords(own, other, catalog) ? 'values' : null
}

/** Ids of records of different hierarchies never identify the same record. */
function leadToSameRecords(own: ResolvedPath['end'], other: ResolvedPath['end'], catalog: Catalog): boolean {
  const [one, two] = [own, other].map(({ table, column }) =>
    isKeyOf(column, table) ? table : catalog.tables.get(column.reference ?? ''),
  )
  return one === undefined || two === undefined ? one === two : isSameHierarchy(one, two)
}

const isKeyOf = (column: Column, table: Table): boolean => isOwnKey(column) && column.name === table.keyColumn

function refersToRecordOf(column: Column, table: Table, catalog: Catalog): boolean {
  const target = catalog.tables.get(column.reference ?? '')
  return refersToOne(column) && target !== undefined && isSameHierarchy(target, table)
}
