import type { Database, Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { IndexKind, VectorTables } from './vector-tables.ts'

export interface LanceModel {
  readonly database: Database
  readonly modelId: number
  readonly tables: VectorTables
  /** If no more documents pass a filter, all of them are compared; absent: 5,000. */
  readonly minOrdered?: number
}

/** A table in the list. */
export interface ListedTable {
  readonly id: number
  readonly name: string
  readonly numbers: number
  /** null: it has all collections that had no table of their own. */
  readonly ownCollectionId: number | null
  /** What is searched in it. */
  readonly collectionIds: readonly number[]
  readonly afterPosition: number
  readonly lastPosition: number
  readonly rowCount: number
  readonly index: IndexKind
}

/** How far the tables follow the vectors of a model, and which ones there are. */
export interface ListedState {
  readonly position: number
  readonly newest: number
  /** Length of the model's vectors; 0: each collection has its own. null: it has no vectors yet. */
  readonly vectorLength: number | null
  readonly tables: readonly ListedTable[]
}

/** One statement, and so one state. */
export async function readListedState(session: Session, modelId: number): Promise<ListedState> {
  const rows = await session.rows(sql<{
    position: string
    newest: string
    vector_length: number | null
    id: string | null
    name: string
    numbers: number
    own_collection_id: number | null
    collections: string
    after_position: string
    last_position: string
    row_count: number
    index_kind: IndexKind
  }>`
    select coalesce(v.position, 0) as position, m.position as newest, m.vector_length, t.*,
      array_to_string(t.collection_ids, ',') as collections
    from docket_documents.embedding_model m
    left join docket_vectors.lance_model v on v.model_id = m.id
    left join docket_vectors.lance_table t on t.model_id = m.id
    where m.id = ${modelId} order by t.id`)
  return {
    position: Number(rows[0]?.position ?? 0),
    newest: Number(rows[0]?.newest ?? 0),
    vectorLength: rows[0]?.vector_length ?? null,
    tables: rows.flatMap((row) =>
      row.id === null
        ? []
        : {
            id: Number(row.id),
            name: row.name,
            numbers: row.numbers,
            ownCollectionId: row.own_collection_id,
            collectionIds: row.collections.split(',').filter(Boolean).map(Number),
            afterPosition: Number(row.after_position),
            lastPosition: Number(row.last_position),
            rowCount: row.row_count,
            index: row.index_kind,
          },
    ),
  }
}

/** One process at a time changes the list; others wait. */
export async function lockList(session: Session, modelId: number): Promise<void> {
  await session.rows(sql`insert into docket_vectors.lance_model (model_id) values (${modelId}) on conflict do nothing`)
  await session.rows(sql`select from docket_vectors.lance_model where model_id = ${modelId} for update`)
}

export async function listTable(session: Session, modelId: number, table: Omit<ListedTable, 'id'>): Promise<void> {
  await session.rows(sql`
    insert into docket_vectors.lance_table
      (model_id, name, numbers, own_collection_id, collection_ids, after_position, last_position, row_count, index_kind)
    values (${modelId}, ${table.name}, ${table.numbers}, ${table.ownCollectionId}, ${table.collectionIds}::integer[],
      ${table.afterPosition}, ${table.lastPosition}, ${table.rowCount}, ${table.index})`)
}

/** @returns whether all of them were in the list */
export async function unlistTables(session: Session, ids: readonly number[]): Promise<boolean> {
  const rows = await session.rows(sql`
    delete from docket_vectors.lance_table where id = any (${ids}::bigint[]) returning id`)
  return rows.length === ids.length
}

/** Names of all tables of all models. */
export async function readListedNames(session: Session): Promise<ReadonlySet<string>> {
  const rows = await session.rows(sql<{ name: string }>`select name from docket_vectors.lance_table`)
  return new Set(rows.map(({ name }) => name))
}

/**
 * Tables that are lost or damaged go, with all others of the model: they are written again from the database. Until then searches are
 * rejected, never answered in part.
 *
 * @param known those that the caller knows; if none of them is in the list any more, another process has done it
 */
export async function startAgain(
  { database, modelId }: Pick<LanceModel, 'database' | 'modelId'>,
  known: readonly ListedTable[],
): Promise<void> {
  await database.inTransaction(async (session) => {
    await lockList(session, modelId)
    const { tables } = await readListedState(session, modelId)
    if (!tables.some(({ id }) => known.some((each) => each.id === id))) return
    await unlistTables(
      session,
      tables.map(({ id }) => id),
    )
    await session.rows(sql`update docket_vectors.lance_model set position = 0 where model_id = ${modelId}`)
  })
}
