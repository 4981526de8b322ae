import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'

/** An inconsistency in the database. */
export interface SourceDifference {
  /**
   * `incomplete`: chunks of the document are missing, or do not cover its text. `chunks-without-document`: they belong
   * to no document.
   */
  readonly kind: 'incomplete' | 'chunks-without-document'
  /** null if its name is not known any more. */
  readonly collectionName: string | null
  readonly docId: string | null
  /** As in docket_documents.document. */
  readonly documentId: number
}

export interface SourceCheck {
  readonly documents: number
  readonly chunks: number
  readonly differences: readonly SourceDifference[]
}

/** Compares documents with their chunks. One statement: the result belongs to one state, however long it takes. */
export async function verifySource(session: Session): Promise<SourceCheck> {
  const [row] = await session.rows(sql<{
    documents: string
    chunks: string
    incomplete: readonly (readonly [documentId: number, collectionName: string, docId: string])[] | null
    lost: readonly number[] | null
  }>`
    with held as materialized (
      select c.document_id, count(*) as chunks, min(c.chunk_index) as first, max(c.chunk_index) as last,
             min(c.from_unit) as from_unit, max(c.to_unit) as to_unit,
             bool_or(length(c.text) = 0 and c.to_unit > c.from_unit) as has_hole
      from docket_documents.chunk c group by c.document_id
    ), compared as (
      select d.id, d.doc_id, d.collection_id, d.chunk_count, d.characters, h.*
      from docket_documents.document d left join held h on h.document_id = d.id
      where d.removed_position is null
    )
    select (select count(*) from compared) as documents, (select coalesce(sum(chunks), 0) from compared) as chunks,
      (select json_agg(json_build_array(x.id, l.name, x.doc_id) order by x.id)
       from compared x join docket_documents.collection l on l.id = x.collection_id and l.removed_position is null
       where x.chunks is distinct from x.chunk_count or x.first <> 0 or x.last <> x.chunk_count - 1
         or x.from_unit <> 0 or x.to_unit <> x.characters or x.has_hole) as incomplete,
      (select json_agg(h.document_id order by h.document_id) from held h
       where not exists (select from docket_documents.document d where d.id = h.document_id)) as lost`)
  return {
    documents: Number(row?.documents ?? 0),
    chunks: Number(row?.chunks ?? 0),
    differences: [
      ...(row?.incomplete ?? []).map(([documentId, collectionName, docId]) => ({
        kind: 'incomplete' as const,
        collectionName,
        docId,
        documentId,
      })),
      ...(row?.lost ?? []).map((documentId) => ({
        kind: 'chunks-without-document' as const,
        collectionName: null,
        docId: null,
        documentId,
      })),
    ],
  }
}
