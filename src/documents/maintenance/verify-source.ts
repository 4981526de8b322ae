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

interface SourceRow {
  readonly documents: string
  readonly chunks: string
  /** null: nothing is wrong. */
  readonly kind: SourceDifference['kind'] | null
  readonly document_id: string | null
  readonly collection_name: string | null
  readonly doc_id: string | null
}

/** Compares documents with their chunks. One statement: the result belongs to one state, however long it takes. */
export async function verifySource(session: Pick<Session, 'rows'>): Promise<SourceCheck> {
  const rows = await session.rows(sql<SourceRow>`
    with held as materialized (
      select c.document_id, count(*) as chunks, min(c.chunk_index) as first, max(c.chunk_index) as last,
             min(c.from_unit) as from_unit, max(c.to_unit) as to_unit,
             bool_or(length(c.text) = 0 and c.to_unit > c.from_unit) as has_hole
      from docket_documents.chunk c group by c.document_id
    ), compared as (
      select d.id, d.doc_id, d.collection_id, d.chunk_count, d.characters, h.*
      from docket_documents.document d left join held h on h.document_id = d.id
      where d.removed_position is null
    ), wrong as (
      select 'incomplete' as kind, x.id, l.name, x.doc_id
      from compared x join docket_documents.collection l on l.id = x.collection_id and l.removed_position is null
      where x.chunks is distinct from x.chunk_count or x.first <> 0 or x.last <> x.chunk_count - 1
        or x.from_unit <> 0 or x.to_unit <> x.characters or x.has_hole
      union all
      select 'chunks-without-document', h.document_id, null, null from held h
      where not exists (select from docket_documents.document d where d.id = h.document_id)
    )
    select counted.*, wrong.kind, wrong.id as document_id, wrong.name as collection_name, wrong.doc_id
    from (select count(*) as documents, coalesce(sum(chunks), 0) as chunks from compared) as counted
    left join wrong on true order by wrong.kind desc, wrong.id`)
  const [first] = rows
  return {
    documents: Number(first?.documents ?? 0),
    chunks: Number(first?.chunks ?? 0),
    differences: rows.flatMap(({ kind, document_id, collection_name, doc_id }) =>
      kind === null ? [] : { kind, collectionName: collection_name, docId: doc_id, documentId: Number(document_id) },
    ),
  }
}
