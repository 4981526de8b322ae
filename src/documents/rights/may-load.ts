import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { sql } from '../../kernel/sql.ts'
import type { DocumentDeps } from '../document-deps.ts'
import type { Collection } from '../store/collections.ts'

/** A document that is about to be loaded into a collection that the caller may write. */
export interface DocumentToLoad {
  readonly docId: string
  /** The record that it names; null: none. */
  readonly recordId: string | null
}

/**
 * In a bound collection, a document represents its record: everyone who may read the record finds it. So a caller needs
 * the right to read the record, and may not replace a document that they do not see. Administrators may load before the
 * records exist.
 *
 * @returns why not; null: the caller may load. A missing record and one that the caller may not read give the same
 * response
 */
export async function whyNotLoad(
  { database, readableRecords }: DocumentDeps,
  principal: Principal,
  collection: Collection,
  document: DocumentToLoad,
): Promise<Problem | null> {
  const { aclTable, aclColumns } = collection
  if (aclTable === null || principal.roles.has('admin')) return null
  const mayRead = await readableRecords(principal, aclTable, aclColumns)
  const [seen] = await database.rows(sql<{ record: boolean; document: boolean }>`
    select ${document.recordId}::text is null or coalesce(${mayRead(sql`${document.recordId}::text`)}, false) as record,
      not exists (
        select from docket_documents.document d
        where d.collection_id = ${collection.id} and d.doc_id = ${document.docId} and d.removed_position is null
          and not coalesce(${mayRead(sql`d.record_id`)}, false)) as document`)
  if (seen?.record !== true)
    return { kind: 'invalid-value', field: 'metadata.sys_id', detail: `there is no such record in ${aclTable}` }
  if (!seen.document)
    return { kind: 'invalid-value', field: 'metadata.doc_id', detail: 'a document that you may not see has it' }
  return null
}
