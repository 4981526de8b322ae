import type { Session } from '../database/database.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import type { Metadata } from './filter/filter-values.ts'
import { filterCondition } from './filter/read-filter.ts'
import { readableCollections } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'

export interface ContentRequest {
  readonly collectionName: string
  /** An encoded query over metadata; '' selects every document. */
  readonly filter: string
  /** Documents of this page. */
  readonly limit: number
  /** The last doc_id of the previous page; null: the first page. */
  readonly after: string | null
}

/** A document whose text is read lazily, in parts. */
export interface Content {
  readonly docId: string
  readonly collectionName: string
  readonly metadata: Metadata
  readonly fileName: string | null
  readonly mediaType: string
  readonly version: number
  /** The whole text in order; no part splits a surrogate pair. */
  readonly text: () => AsyncIterable<string>
}

export interface ContentPage {
  readonly documents: readonly Content[]
  /** `after` of the next page; null: this is the last page. */
  readonly next: string | null
}

interface ContentRow {
  readonly id: string
  readonly doc_id: string
  readonly metadata: Metadata
  readonly file_name: string | null
  readonly media_type: string
  readonly version: number
  readonly chunk_count: number
}

/** The visible documents of a collection that a filter selects, by doc_id. */
export async function readContent(
  deps: DocumentDeps,
  principal: Principal,
  requested: ContentRequest,
): Promise<Result<ContentPage, Problem>> {
  const filter = filterCondition(requested.filter, sql`d.filter_values`, {
    principal,
    nowMs: deps.clock.nowMs(),
  })
  if (!filter.ok) return filter
  const readable = await readableCollections(deps.database, principal, [requested.collectionName])
  if (!readable.ok) return readable
  const { collections } = readable.value
  const visible = await visibleDocuments(deps.readableRecords, principal, collections)
  const rows = await deps.database.rows(sql<ContentRow>`
    select d.id, d.doc_id, d.metadata, d.file_name, d.media_type, d.version, d.chunk_count from docket_documents.document d
    where d.collection_id = any (${collections.map(({ id }) => id)}::integer[]) and d.removed_position is null
      and ${visible ?? sql`true`} and ${filter.value ?? sql`true`} and d.doc_id > ${requested.after ?? ''}
    order by d.doc_id limit ${requested.limit + 1}`)
  const page = rows.slice(0, requested.limit)
  return succeed({
    documents: page.map((row) => ({
      docId: row.doc_id,
      collectionName: requested.collectionName,
      metadata: row.metadata,
      fileName: row.file_name,
      mediaType: row.media_type,
      version: row.version,
      text: () => readText(deps.database, { id: Number(row.id), chunks: row.chunk_count }),
    })),
    next: rows.length > requested.limit ? (page.at(-1)?.doc_id ?? null) : null,
  })
}

const chunksOfPiece = 200

interface StoredText {
  readonly id: number
  /** How many it has. */
  readonly chunks: number
}

/**
 * The text of one version of a document, joined from its chunks, which overlap without gaps. A version that was removed
 * meanwhile stays readable for some minutes.
 *
 * @throws Error when it has been cleared away since: a part of a text must not be taken for the whole
 */
export async function* readText(session: Session, { id, chunks }: StoredText): AsyncGenerator<string> {
  let written = 0
  let read = 0
  for (let from = 0; ; from += chunksOfPiece) {
    const rows = await session.rows(sql<{ from_unit: number; to_unit: number; text: string }>`
      select c.from_unit, c.to_unit, c.text from docket_documents.chunk c
      where c.document_id = ${id} and c.chunk_index >= ${from} and c.chunk_index < ${from + chunksOfPiece}
      order by c.chunk_index`)
    if (rows.length === 0) break
    read += rows.length
    let piece = ''
    for (const { from_unit, to_unit, text } of rows) {
      if (to_unit > written) piece += text.slice(Math.max(written - from_unit, 0))
      written = Math.max(written, to_unit)
    }
    yield piece
  }
  if (read < chunks) throw new Error(`the document ${id} was cleared away while its text was read`)
}
