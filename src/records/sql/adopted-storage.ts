import type { Column, ForeignKey, Table } from '../../catalog/catalog.ts'
import { comparisonOf, refersToMany } from '../../column-types/column-types.ts'
import { CASTS, COMPARISONS, isNarrow } from '../../column-types/comparison-types.ts'
import { comparedAs, isTextual, OWN_KEY, type RecordKey } from '../../column-types/record-key.ts'
import { sql } from '../../kernel/sql.ts'
import { withAddedRows } from './added-rows.ts'
import {
  isAmong,
  isRequestedKey,
  isSameKey,
  keyOf,
  type PartAt,
  partOf,
  typeOfKey,
  withoutCollation,
} from './compare-key.ts'
import type { Expression } from './expression.ts'
import { idLiteral } from './id-literal.ts'

/**
 * Adopted tables are read through a select that gives them the *shape* of an own table: the key as sys_id, the class, and each
 * column in its dictionary type. PostgreSQL inlines this select, so it uses the table's indexes. It is not a view in the database,
 * because a view would prevent the owner from changing the table.
 */

const SHAPED: ReadonlySet<string> = new Set(['sys_id', 'sys_db_table_id'])

/** The largest key that a path can contain. Rows with other keys have no address, and no response contains them. */
const MAX_KEY = '999999999999999999'

/** What a statement reads rows from. */
export function storageOf(table: Table): Expression {
  if (table.addedRows !== undefined) return withAddedRows(table, table.addedRows, placeOf(table))
  if (table.adopted === null) return placeOf(table)
  return sql`(select ${shapeOf(table, 's')} from ${placeOf(table)} as s where ${hasAddress(table.key, storedParts(table.key, 's'))})`
}

function hasAddress({ kind }: RecordKey, at: PartAt): Expression {
  switch (kind) {
    case 'whole':
      return sql`${at(0)} between 0 and ${sql.raw(MAX_KEY)}`
    case 'text':
      return sql`${at(0)} <> ''`
    default:
      return sql`true`
  }
}

/** The table that a statement writes to. */
export function placeOf(table: Table): Expression {
  return placed(table.storage)
}

const placed = ({ schema, table }: Table['storage']): Expression => sql.id(schema, table)

/** The columns of a key by their names in PostgreSQL. */
const storedParts =
  ({ parts }: RecordKey, alias: string): PartAt =>
  (index) =>
    sql.id(alias, parts[index]?.column ?? '')

/**
 * The columns of a key by their names in the shape.
 *
 * @param storage returns a column of the row by its name in the shape
 */
export function shapedParts({ key, keyColumn }: Table, storage: (name: string) => Expression): PartAt {
  return (index) => storage(key.kind === 'parts' ? partName(index) : keyColumn)
}

/** A name that no column can have. */
const partName = (index: number): string => `#${index + 1}`

/** Names of the shape's columns that identify a row. */
export function keyNames({ key, keyColumn }: Table): readonly string[] {
  return key.kind === 'parts' ? [keyColumn, ...key.parts.map((_part, index) => partName(index))] : [keyColumn]
}

/** Condition: the table's row `written` and the shape's row `shaped` have the same key. */
export function isSameRow(table: Table, written: string, shaped: string): Expression {
  const { key } = table
  return isSameKey(
    key,
    storedParts(key, written),
    shapedParts(table, (name) => sql.id(shaped, name)),
  )
}

/** What a write returns of a row: its shape. */
export function returnedOf(table: Table, alias: string): Expression {
  return table.adopted === null ? sql`${sql.id(alias)}.*` : shapeOf(table, alias)
}

/** Selects and locks one row of an adopted table. The condition is the key alone, so that no other row is locked. */
export function lockedRow(table: Table, sysId: Expression): Expression {
  const { key } = table
  return sql`(select ${shapeOf(table, 's')} from ${placeOf(table)} as s
    where ${isRequestedKey(key, storedParts(key, 's'), sql`${sysId}::${typeOfKey(key)}`)} for update of s)`
}

/** A record of an adopted table in its shape, made from the values of the change log. @param kept values by PostgreSQL's names */
export function keptRow(
  table: Table,
  { kept, name }: { readonly kept: Expression; readonly name: Expression },
): Expression {
  const { key } = table
  const columns = storedColumns(table)
  const typed = columns.map(([column, of]) => sql`${sql.id(column)} ${typeOf(of)}`)
  const parts = key.kind === 'parts' ? key.parts : []
  const narrow = columns.flatMap(([column, of]) => {
    const type = narrowType(of)
    return type === undefined ? [] : [[column, type] as const]
  })
  const fitting = sql`docket_system.fitting_values(${kept}, ${sql.lit(JSON.stringify(Object.fromEntries(narrow)))}::jsonb)`
  const sysId = isTextual(key) ? withoutCollation(name) : name
  return sql`lateral (select ${sql.join([
    sql`${sysId}::${typeOfSysId(key)} as sys_id`,
    sql`${idLiteral(table.id)}::bigint as sys_db_table_id`,
    ...columns.map(([column]) => sql.id('k', column)),
    ...parts.map(({ type }, index) => sql`${partOf(sysId, index, type)} as ${sql.id(partName(index))}`),
    ...foreignColumns(table).flatMap(({ column, names }) =>
      names.map((each, index) => sql`${keptForeign(column, index)} as ${sql.id(each)}`),
    ),
  ])} from ${typed.length === 0 ? sql`(select) as k` : sql`jsonb_to_record(${fitting}) as k (${sql.join(typed)})`})`
}

function shapeOf(table: Table, alias: string): Expression {
  const { key } = table
  const at = storedParts(key, alias)
  const parts = key.kind === 'parts' ? key.parts : []
  return sql.join([
    sql`${keyOf(key, at)} as sys_id`,
    sql`${idLiteral(table.id)}::bigint as sys_db_table_id`,
    ...storedColumns(table).map(([name, column]) => sql`${readColumn(column, alias, name)} as ${sql.id(name)}`),
    ...parts.map((_part, index) => sql`${at(index)} as ${sql.id(partName(index))}`),
    ...foreignColumns(table).flatMap(({ stored, names }) =>
      names.map((name, index) => sql`${sql.id(alias, stored[index] ?? '')} as ${sql.id(name)}`),
    ),
  ])
}

interface ForeignColumn {
  readonly column: Column
  /** PostgreSQL's columns of the foreign key. */
  readonly stored: readonly string[]
  /** Their names in the shape, which has their values unconverted. */
  readonly names: readonly string[]
}

/** References whose value differs from the stored foreign key: the shape has both. */
function foreignColumns(table: Table): readonly ForeignColumn[] {
  const columns = storedColumns(table).filter(([, { foreignKey }]) => foreignKey !== null)
  return columns.map(([storage, column], n) => {
    const stored = column.foreignKey?.kind === 'parts' ? column.foreignKey.columns : [storage]
    return { column, stored, names: stored.map((_name, index) => `#ref_${n}_${index}`) }
  })
}

/** A column of the foreign key, computed from the reference in a logged record. */
function keptForeign({ storage, foreignKey, key }: Column, index: number): Expression {
  const sysId = sql.id('k', storage ?? '')
  if (foreignKey?.kind === 'unique') return writeBehind(foreignKey, key ?? OWN_KEY, sysId)
  return partOf(sysId, index, key?.parts[index]?.type ?? 'text')
}

/**
 * A condition on the stored foreign key of a row, which an index of the table may serve; null: the reference is the stored value.
 *
 * @param storage returns a column of the row by its name in the shape
 */
export function refersTo(
  { table, column, storage }: ReferenceIn,
  target: { readonly one: Expression } | { readonly among: Expression },
): Expression | null {
  const { foreignKey } = column
  const key = column.key ?? OWN_KEY
  const names = foreignColumns(table).find((each) => each.column.id === column.id)?.names
  if (foreignKey === null || names === undefined) return null
  const is = (at: PartAt): Expression =>
    'one' in target ? isRequestedKey(key, at, sql`${target.one}::${typeOfKey(key)}`) : isAmong(key, at, target.among)
  if (foreignKey.kind === 'parts') return is((index) => storage(names[index] ?? ''))
  const behind = sql`(select ${sql.id('k', foreignKey.column)} from ${placed(foreignKey.target)} as k where ${is(storedParts(key, 'k'))})`
  return 'one' in target
    ? sql`${storage(names[0] ?? '')} = ${behind}`
    : sql`${storage(names[0] ?? '')} = any(array${behind})`
}

export interface ReferenceIn {
  readonly table: Table
  readonly column: Column
  readonly storage: (name: string) => Expression
}

/** The stored columns by their names in PostgreSQL, without key and class. */
function storedColumns(table: Table): readonly (readonly [string, Column])[] {
  return [...table.columns.values()].flatMap((column) =>
    column.storage === null || SHAPED.has(column.storage) ? [] : [[column.storage, column] as const],
  )
}

function readColumn(column: Column, alias: string, name: string): Expression {
  const { foreignKey, key } = column
  if (foreignKey?.kind !== 'parts') return fromStorage(column, sql.id(alias, name))
  return keyOf(key ?? OWN_KEY, (index) => sql.id(alias, foreignKey.columns[index] ?? ''))
}

const WITH_ZONE = 'timestamp with time zone'

/** Read without a conversion, so that indexes serve: the cast of a `numeric` only limits the digits that are written. */
export const isReadAsStored = ({ storageCast }: Column): boolean =>
  storageCast === null || /^numeric(\(\d+,-?\d+\))?$/.test(storageCast)

/** Converts a stored value to its dictionary type. */
export function fromStorage(column: Column, value: Expression): Expression {
  const { storageCast, foreignKey, key } = column
  if (foreignKey?.kind === 'unique') return readBehind(foreignKey, key ?? OWN_KEY, value)
  // sys_ids are compared in their stored type and displayed as texts.
  if (isReadAsStored(column) || key !== null) return value
  if (storageCast === WITH_ZONE) return sql`(${value} at time zone 'UTC')`
  // Converted by its digits: 0.1 must not become 0.10000000149011612.
  if (storageCast === 'real') return sql`${value}::text::double precision`
  return sql`${value}::${typeOf(column)}`
}

/** Converts a value of the dictionary type to the type of the stored column. */
export function intoStorage(column: Column, value: Expression): Expression {
  const { storageCast, foreignKey, key } = column
  if (foreignKey?.kind === 'unique') return writeBehind(foreignKey, key ?? OWN_KEY, value)
  // Only references by one column are written.
  if (foreignKey?.kind === 'parts') return partOf(value, 0, key?.parts[0]?.type ?? 'text')
  if (storageCast === null) return value
  if (storageCast === WITH_ZONE) return sql`((${value})::timestamp at time zone 'UTC')`
  // The name comes from PostgreSQL's format_type, which quotes it.
  return sql`(${value})::${sql.raw(storageCast)}`
}

type UniqueTarget = ForeignKey & { readonly kind: 'unique' }

/** The sys_id of the record whose unique column holds the value. */
function readBehind({ target, column }: UniqueTarget, key: RecordKey, value: Expression): Expression {
  return sql`(select ${keyOf(key, storedParts(key, 'k'))} from ${placed(target)} as k where ${sql.id('k', column)} = ${value})`
}

/** The value of a record's unique column. */
function writeBehind({ target, column }: UniqueTarget, key: RecordKey, sysId: Expression): Expression {
  return sql`(select ${sql.id('k', column)} from ${placed(target)} as k where ${isRequestedKey(key, storedParts(key, 'k'), sysId)})`
}

/** The type of the shape's sys_id. */
function typeOfSysId(key: RecordKey): Expression {
  const type = comparedAs(key)
  return type === null ? typeOfKey(key) : sql.raw(type)
}

/** The type, if not every text can be converted to it: a logged value may be older than the type of its column or key. */
function narrowType(column: Column): string | undefined {
  const { key } = column
  if (key !== null && !refersToMany(column))
    return key.kind === 'whole' ? 'bigint' : key.kind === 'uuid' ? 'uuid' : undefined
  const comparison = comparisonOf(column)
  return isNarrow(comparison) ? COMPARISONS[comparison].type : undefined
}

function typeOf(column: Column): Expression {
  const { key, storageCast } = column
  if (key === null || refersToMany(column)) return CASTS[comparisonOf(column)]
  return key.kind === 'text' && storageCast !== null ? sql.raw(storageCast) : typeOfKey(key)
}
