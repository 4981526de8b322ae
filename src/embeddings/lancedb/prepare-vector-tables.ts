import type { Database } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import { createVectorTables } from '../store/create-vector-tables.ts'

/**
 * Creates the list of the tables of LanceDB.
 *
 * A table has the vectors of documents that became complete at some sequence numbers, those after the first up to the last. If
 * it has an own collection, it has only this one; the others have all collections that had no table of their own then.
 */
export async function prepareVectorTables(database: Database): Promise<void> {
  await createVectorTables(database, async (session) => {
    await session.rows(sql`
      create table if not exists docket_vectors.lance_model (
        model_id integer primary key references docket_documents.embedding_model on delete cascade,
        position bigint not null default 0)`)
    await session.rows(sql`
      create table if not exists docket_vectors.lance_table (
        id bigint generated always as identity primary key,
        model_id integer not null references docket_vectors.lance_model on delete cascade,
        name text not null unique,
        numbers integer not null,
        own_collection_id integer,
        collection_ids integer[] not null,
        after_position bigint not null,
        last_position bigint not null,
        row_count integer not null,
        index_kind text not null)`)
  })
}
