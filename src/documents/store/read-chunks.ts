import type { Session } from '../../database/database.ts'
import type { RankedChunk } from '../../search-engine/ranking/best-chunks.ts'
import type { Metadata } from '../filter/filter-values.ts'

/** A chunk with what a search answers of it. */
export interface FoundChunk {
  readonly documentId: number
  readonly docId: string
  readonly collectionName: string
  readonly chunkIndex: number
  readonly text: string
  readonly score: number
  /** How sure it is that it answers the query, from 0 to 1. */
  readonly relevance: number
  readonly metadata: Metadata
  readonly title: string | null
  readonly fileName: string | null
  readonly mediaType: string
  readonly language: string | null
  readonly page: number | null
  readonly headingPath: readonly string[]
  readonly from: number
  readonly to: number
  readonly pageTo: number | null
  /** The first row of the table that the chunk is a part of. */
  readonly repeated: string | null
}

type ChunkRow = readonly [
  place: string,
  documentId: string,
  docId: string,
  collectionName: string,
  chunkIndex: number,
  text: string,
  metadata: Metadata,
  title: string | null,
  fileName: string | null,
  mediaType: string,
  language: string | null,
  page: number | null,
  headingPath: readonly string[],
  from: number,
  to: number,
  pageTo: number | null,
  repeated: string | null,
]

/**
 * The chunks that were ranked, in their order. Versions that were replaced since stay readable for minutes, so each is
 * there; one that was ranked by a search which took longer than that is left out.
 */
export async function readChunks(session: Session, ranked: readonly RankedChunk[]): Promise<readonly FoundChunk[]> {
  if (ranked.length === 0) return []
  const rows = await session.run(READ_CHUNKS, [
    ranked.map(({ documentId }) => documentId),
    ranked.map(({ chunkIndex }) => chunkIndex),
  ])
  return rows.flatMap((row) => {
    const [
      place,
      documentId,
      docId,
      collectionName,
      chunkIndex,
      text,
      metadata,
      title,
      fileName,
      mediaType,
      language,
      page,
      headingPath,
      from,
      to,
      pageTo,
      repeated,
    ] = row as unknown as ChunkRow
    const found = ranked[Number(place) - 1]
    if (found === undefined) return []
    const { score, relevance } = found
    return [
      {
        documentId: Number(documentId),
        docId,
        collectionName,
        chunkIndex,
        text,
        score,
        relevance,
        metadata,
        title,
        fileName,
        mediaType,
        language,
        page,
        headingPath,
        from,
        to,
        pageTo,
        repeated,
      },
    ]
  })
}

const READ_CHUNKS = {
  name: 'read-chunks',
  text: `
    select wanted.place, d.id, d.doc_id, l.name, c.chunk_index, c.text, d.metadata, d.title, d.file_name, d.media_type,
           d.language, c.page, c.heading_path, c.from_unit, c.to_unit, c.page_to, c.repeated
    from unnest($1::bigint[], $2::integer[]) with ordinality as wanted (document_id, chunk_index, place)
    join docket_documents.document d on d.id = wanted.document_id
    join docket_documents.collection l on l.id = d.collection_id
    join docket_documents.chunk c on c.document_id = wanted.document_id and c.chunk_index = wanted.chunk_index
    order by wanted.place`,
}
