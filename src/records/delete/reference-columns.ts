import type { Catalog, Column, OnDelete, Table } from '../../catalog/catalog.ts'
import { SYSTEM_COLUMNS } from '../../catalog/catalog.ts'
import { isSystemName } from '../../catalog/system-tables.ts'
import { refersToMany, refersToOne } from '../../column-types/column-types.ts'
import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'

/** A column that refers to records of a PostgreSQL table, with the table that has the column. */
export interface ReferenceColumn {
  readonly owner: Table
  readonly column: Column
}

/** A reference column with the action of a delete. */
export interface DependentColumn extends ReferenceColumn {
  readonly action: OnDelete
  /** A foreign key of PostgreSQL performs the action, whatever rights the caller has. */
  readonly byDatabase: boolean
}

export const placeOf = ({ storage }: Pick<Table, 'storage'>): string => `${storage.schema}.${storage.table}`

/** Columns of the dictionary that refer to records of a place (a PostgreSQL table with its schema), oldest columns first. */
export function referencesTo(catalog: Catalog, place: string): readonly ReferenceColumn[] {
  let known = referencesOf.get(catalog)
  if (known === undefined) {
    known = Map.groupBy(allReferences(catalog), ({ column }) => placeOfTarget(catalog, column))
    referencesOf.set(catalog, known)
  }
  return known.get(place) ?? []
}

const referencesOf = new WeakMap<Catalog, ReadonlyMap<string, readonly ReferenceColumn[]>>()

function allReferences(catalog: Catalog): readonly ReferenceColumn[] {
  const references = [...catalog.tables.values()].flatMap((owner) =>
    [...owner.columns.values()]
      .filter((column) => column.ownerTable === owner.name && isReference(column))
      .map((column) => ({ owner, column })),
  )
  return references.toSorted(({ column: one }, { column: other }) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1))
}

function isReference(column: Column): boolean {
  const { reference, storage, name } = column
  return isOfRecords(column) && reference !== null && storage !== null && !SYSTEM_COLUMNS.has(name)
}

const isOfRecords = (column: Column): boolean => refersToOne(column) || refersToMany(column)

function placeOfTarget(catalog: Catalog, { reference }: Column): string {
  const target = catalog.tables.get(reference ?? '')
  return target === undefined ? '' : placeOf(target)
}

/** Whether a delete of a record of this table may have to do more than PostgreSQL's foreign keys do. */
export function hasDependentRules(catalog: Catalog, table: Table): boolean {
  return referencesTo(catalog, placeOf(table)).some(
    ({ owner, column }) =>
      !isOfDatabase(owner) &&
      column.onDelete !== null &&
      (column.onDelete !== 'restrict' || refersToMany(column) || table.adopted !== null),
  )
}

/** Whether PostgreSQL itself deletes or empties rows that refer to a record of this table. */
export async function hasDatabaseActions(session: Session, catalog: Catalog, table: Table): Promise<boolean> {
  const columns = await readDependentColumns(session, catalog, [placeOf(table)])
  return [...columns.values()].flat().some(({ byDatabase }) => byDatabase)
}

/** For adopted tables and for Docket's own tables, the foreign keys of PostgreSQL decide. */
const isOfDatabase = (owner: Table): boolean => owner.adopted !== null || isSystemName(owner.name)

/** The action of a delete on each column that refers to records of a place; columns without an action are left out. */
export async function readDependentColumns(
  session: Session,
  catalog: Catalog,
  places: readonly string[],
): Promise<ReadonlyMap<string, readonly DependentColumn[]>> {
  const keys = await readForeignKeys(session, places)
  return new Map(
    places.map((place) => [
      place,
      referencesTo(catalog, place).flatMap((reference): readonly DependentColumn[] => {
        const found = actionOf(
          reference,
          keys.get(`${place} ${placeOf(reference.owner)} ${storedAs(reference.column)}`),
        )
        return found === null ? [] : [{ ...reference, ...found }]
      }),
    ]),
  )
}

const storedAs = ({ foreignKey, storage }: Column): string =>
  (foreignKey?.kind === 'parts' ? foreignKey.columns[0] : storage) ?? ''

/** @param key the action of PostgreSQL's foreign key (pg_constraint.confdeltype); undefined: there is none */
function actionOf(
  { owner, column }: ReferenceColumn,
  key: string | undefined,
): Pick<DependentColumn, 'action' | 'byDatabase'> | null {
  if (key === 'c') return { action: 'cascade', byDatabase: true }
  if (key === 'n' || key === 'd') return { action: 'clear', byDatabase: true }
  if (isOfDatabase(owner)) return key === undefined ? null : { action: 'restrict', byDatabase: false }
  const action = column.onDelete ?? (key === undefined ? null : 'restrict')
  return action === null ? null : { action, byDatabase: false }
}

async function readForeignKeys(session: Session, places: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await session.rows<{ key: string; action: string }>(sql`
    select concat_ws(' ', tn.nspname || '.' || t.relname, rn.nspname || '.' || r.relname, a.attname) as key, k.confdeltype as action
    from pg_constraint k
    join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
    join pg_class r on r.oid = k.conrelid join pg_namespace rn on rn.oid = r.relnamespace
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and tn.nspname || '.' || t.relname = any(${places}::text[])`)
  return new Map(rows.map(({ key, action }) => [key, action]))
}
