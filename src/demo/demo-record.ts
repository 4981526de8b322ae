import type { Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'

/** Ids by table with schema: what the demo desk inserted, so that it can be removed (remove-demo-desk.ts). */
export type DemoIds = Readonly<Record<string, readonly string[]>>

export async function recordDemoIds(session: Session, ids: DemoIds): Promise<void> {
  for (const [table, each] of Object.entries(ids).filter(([, { length }]) => length > 0)) {
    await session.rows(sql`
      insert into docket_system.demo_record (storage_table, ids) values (${table}, ${[...each]}::bigint[])`)
  }
}

/** Records the collections of these names and all of their documents, in the transaction that created them. */
export async function recordDemoCollections(session: Session, names: readonly string[]): Promise<void> {
  const collections = await session.rows<Identified>(sql`
    select id::text from docket_documents.collection where name = any(${[...names]}::text[]) and removed_position is null`)
  const collectionIds = collections.map(({ id }) => id)
  const documents = await session.rows<Identified>(sql`
    select id::text from docket_documents.document where collection_id = any(${collectionIds}::integer[])`)
  await recordDemoIds(session, {
    'docket_documents.collection': collectionIds,
    'docket_documents.document': documents.map(({ id }) => id),
  })
}

interface Identified {
  readonly id: string
}
