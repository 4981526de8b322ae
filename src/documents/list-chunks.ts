import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import { readableCollections } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'

/** Where a chunk is in the text of its document. */
export interface ChunkRange {
  readonly chunkIndex: number
  /** In UTF-16 units of the extracted text; `to` is exclusive. */
  readonly from: number
  readonly to: number
  readonly page: number | null
  readonly pageTo: number | null
  readonly headingPath: readonly string[]
}

export interface ChunksRequest {
  readonly collectionName: string
  readonly docId: string
  readonly limit: number
  /** The last chunk of the previous page; -1: the first page. */
  readonly after: number
}

export interface ChunksPage {
  readonly version: number
  /** In the order of the text. */
  readonly chunks: readonly ChunkRange[]
  /** `after` of the next page; null: this is the last page. */
  readonly next: number | null
}

/** How a document is split: the ranges of its chunks, without their texts. */
export async function listChunks(
  deps: DocumentDeps,
  principal: Principal,
  { collectionName, docId, limit, after }: ChunksRequest,
): Promise<Result<ChunksPage, Problem>> {
  const readable = await readableCollections(deps.database, principal, [collectionName])
  if (!readable.ok) return readable
  const { collections } = readable.value
  const visible = await visibleDocuments(deps.readableRecords, principal, collections)
  const rows = await deps.database.rows(sql<ChunkRow>`
    select d.version, c.chunk_index, c.from_unit, c.to_unit, c.page, c.page_to, c.heading_path
    from docket_documents.document d
    left join docket_documents.chunk c on c.document_id = d.id and c.chunk_index > ${after}::integer
    where d.collection_id = any (${collections.map(({ id }) => id)}::integer[]) and d.doc_id = ${docId}
      and d.removed_position is null and ${visible ?? sql`true`}
    order by c.chunk_index limit ${limit + 1}`)
  const [first] = rows
  if (first === undefined) return fail({ kind: 'thing-not-found', thing: 'document', name: docId })
  const chunks = rows.flatMap(({ chunk_index, from_unit, to_unit, page, page_to, heading_path }): ChunkRange[] =>
    // A document without chunks, or without further ones, is one row of nulls.
    chunk_index === null || from_unit === null || to_unit === null
      ? []
      : [
          {
            chunkIndex: chunk_index,
            from: from_unit,
            to: to_unit,
            page,
            pageTo: page_to,
            headingPath: heading_path ?? [],
          },
        ],
  )
  const displayed = chunks.slice(0, limit)
  const next = chunks.length > limit ? (displayed.at(-1)?.chunkIndex ?? null) : null
  return succeed({ version: first.version, chunks: displayed, next })
}

interface ChunkRow {
  readonly version: number
  readonly chunk_index: number | null
  readonly from_unit: number | null
  readonly to_unit: number | null
  readonly page: number | null
  readonly page_to: number | null
  readonly heading_path: readonly string[] | null
}
