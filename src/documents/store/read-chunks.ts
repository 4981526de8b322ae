import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import type { RankedChunk } from '../../search-engine/ranking/best-chunks.ts'
import type { Metadata } from '../filter/filter-values.ts'

/** A chunk with everything that a search returns of it. */
export interface FoundChunk {
  readonly documentId: number
  readonly docId: string
  readonly collectionName: string
  readonly chunkIndex: number
  readonly text: string
  readonly score: number
  /** Probability that it answers the query, from 0 to 1. */
  readonly relevance: number
  readonly metadata: Metadata
  readonly title: string | null
  readonly fileName: string | null
  readonly mediaType: string
  /** ISO 8601, UTC. */
  readonly loadedAt: string
  readonly language: string | null
  readonly page: number | null
  readonly headingPath: readonly string[]
  readonly from: number
  readonly to: number
  readonly pageTo: number | null
  /** The first row of the table that the chunk is part of. */
  readonly repeated: string | null
}

interface ChunkRow extends Omit<FoundChunk, 'score' | 'relevance' | 'documentId'> {
  /** Rank, from 1. */
  readonly place: string
  readonly documentId: string
}

/**
 * The ranked chunks, in their order. Versions that were replaced since stay readable for minutes, so they are found; a
 * chunk that a longer search ranked is left out.
 */
export async function readChunks(session: Session, ranked: readonly RankedChunk[]): Promise<readonly FoundChunk[]> {
  if (ranked.length === 0) return []
  const rows = await selectRows(session, READ_CHUNKS, [
    ranked.map(({ documentId }) => documentId),
    ranked.map(({ chunkIndex }) => chunkIndex),
  ])
  return rows.flatMap(({ place, documentId, ...chunk }) => {
    const found = ranked[Number(place) - 1]
    if (found === undefined) return []
    return [{ ...chunk, documentId: Number(documentId), score: found.score, relevance: found.relevance }]
  })
}

const READ_CHUNKS = selectStatement<ChunkRow>({
  name: 'read-chunks',
  columns: {
    place: 'wanted.place',
    documentId: 'd.id',
    docId: 'd.doc_id',
    collectionName: 'l.name',
    chunkIndex: 'c.chunk_index',
    text: 'c.text',
    metadata: 'd.metadata',
    title: 'd.title',
    fileName: 'd.file_name',
    mediaType: 'd.media_type',
    loadedAt: `to_char(d.loaded_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
    language: 'd.language',
    page: 'c.page',
    headingPath: 'c.heading_path',
    from: 'c.from_unit',
    to: 'c.to_unit',
    pageTo: 'c.page_to',
    repeated: 'c.repeated',
  },
  from: `
    from unnest($1::bigint[], $2::integer[]) with ordinality as wanted (document_id, chunk_index, place)
    join docket_documents.document d on d.id = wanted.document_id
    join docket_documents.collection l on l.id = d.collection_id
    join docket_documents.chunk c on c.document_id = wanted.document_id and c.chunk_index = wanted.chunk_index
    order by wanted.place`,
})
