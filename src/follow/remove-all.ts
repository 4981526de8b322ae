import type { DocumentDeps } from '../documents/document-deps.ts'
import { sql } from '../kernel/sql.ts'

/** Removes every document of a collection. Ignores the rights on documents. */
export async function removeAll({ database, index, clock }: DocumentDeps, collectionId: number): Promise<void> {
  const now = new Date(clock.nowMs()).toISOString().slice(0, 23)
  await database.rows(sql`
    select docket_documents.remove_document(d.collection_id, d.doc_id, ${now}::timestamp) as position
    from docket_documents.document d where d.collection_id = ${collectionId} and d.removed_position is null`)
  await index.refresh()
}
