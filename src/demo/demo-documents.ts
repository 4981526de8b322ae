import type { Session } from '../database/database.ts'
import { utcTimestamp } from '../database/utc-timestamp.ts'
import { removeCollection } from '../documents/store/collections.ts'
import { sql } from '../kernel/sql.ts'

export interface DemoDocuments {
  readonly collections: readonly RemovableCollection[]
  /** Documents to remove from collections that stay because they contain other documents, too. */
  readonly documents: readonly { readonly collectionId: number; readonly docId: string }[]
}

interface RemovableCollection {
  readonly id: number
  readonly name: string
}

/**
 * Documents of the demo and those that its users loaded. A collection is removed with them if it contains no others; the one
 * that follows incidents is always removed, because its documents are made from records.
 *
 * `demo_user` is the temporary table of find-demo-rows.ts.
 */
export async function findDemoDocuments(session: Session): Promise<DemoDocuments> {
  const collections = await session.rows<RemovableCollection>(sql`
    select c.id, c.name from docket_documents.collection c
    where c.removed_position is null and (${recorded('docket_documents.collection')} or c.created_by in (select sys_id from demo_user))
      and (exists (select from docket_documents.follow f where f.collection_id = c.id and ${recorded('docket_documents.collection')})
        or not exists (select from docket_documents.document d where d.collection_id = c.id and d.removed_position is null and not ${isDemoDocument}))
    order by c.name`)
  const ids = collections.map(({ id }) => id)
  const documents = await session.rows<{ readonly collectionId: number; readonly docId: string }>(sql`
    select d.collection_id as "collectionId", d.doc_id as "docId" from docket_documents.document d
    where d.removed_position is null and d.collection_id <> all(${ids}::integer[]) and ${isDemoDocument} order by d.id`)
  return { collections, documents }
}

const recorded = (table: string) =>
  sql`c.id = any(array(select unnest(ids) from docket_system.demo_record where storage_table = ${table}))`
const isDemoDocument = sql`(d.loaded_by in (select sys_id from demo_user) or d.id = any(
  array(select unnest(ids) from docket_system.demo_record where storage_table = 'docket_documents.document')))`

export async function removeDemoDocuments(session: Session, found: DemoDocuments, now: Date): Promise<void> {
  for (const { id } of found.collections) await removeCollection(session, id, { now, which: 'any' })
  for (const { collectionId, docId } of found.documents) {
    await session.rows(sql`
      select docket_documents.remove_document(${collectionId}::integer, ${docId}::text, ${utcTimestamp(now)}::timestamp)`)
  }
}
