import type {
  CollectionResponse,
  DocumentDetailsResponse,
  LoadedResponse,
  StatusResponse,
} from '../../contract/documents.ts'
import type { ChunkResponse } from '../../contract/search.ts'
import type { Metadata } from '../../documents/filter/filter-values.ts'
import type { CollectionDetails } from '../../documents/list-collections.ts'
import type { DocumentDetails } from '../../documents/list-documents.ts'
import type { Loaded } from '../../documents/load-document.ts'
import type { DocumentStatus } from '../../documents/load-status.ts'
import type { SearchHit } from '../../documents/search-documents.ts'
import type { FoundChunk } from '../../documents/store/read-chunks.ts'
import type { Neighbour } from '../../documents/store/read-neighbours.ts'
import { removalsOf, warningsOf } from '../../documents/warnings.ts'
import { errorOf } from '../../http/response/error-messages.ts'

/** Metadata is stored as it was sent; the type of the schema is less precise. */
export type MetadataResponse = ChunkResponse['metadata']
export const metadataResponse = (metadata: Metadata): MetadataResponse => metadata as MetadataResponse

const warningsResponse = (warnings: readonly string[]) => (warnings.length === 0 ? {} : { warnings: [...warnings] })

export function loadedResponse(loaded: Loaded, tookMs: number): LoadedResponse {
  return {
    doc_id: loaded.docId,
    collection_name: loaded.collectionName,
    state: 'ready',
    result: loaded.result,
    chunks: loaded.chunks,
    characters: loaded.characters,
    pages: loaded.pages,
    media_type: loaded.mediaType,
    language: loaded.language,
    version: loaded.version,
    sequence: loaded.sequence,
    ...warningsResponse(loaded.warnings),
    took_ms: tookMs,
  }
}

export function chunkResponse(hit: SearchHit, hasDetails: boolean): ChunkResponse {
  return {
    doc_id: hit.docId,
    collection_name: hit.collectionName,
    chunk_index: hit.chunkIndex,
    text: hit.text,
    score: hit.score,
    relevance: hit.relevance,
    metadata: metadataResponse(hit.metadata),
    file_name: hit.fileName,
    media_type: hit.mediaType,
    ...(hasDetails ? { loaded_at: hit.loadedAt } : {}),
    page: hit.page,
    page_to: hit.pageTo,
    heading_path: [...hit.headingPath],
    from: hit.from,
    to: hit.to,
    ...(hit.repeated === null ? {} : { repeated: hit.repeated }),
    ...(hit.highlights === null
      ? {}
      : { highlights: hit.highlights.map(([from, to]): [number, number] => [from, to]) }),
    ...(hit.explanation === null ? {} : { explain: hit.explanation.map((term) => ({ ...term })) }),
    ...(hit.ranks === null ? {} : { ranks: hit.ranks }),
    ...(hit.duplicates === null ? {} : { duplicates: hit.duplicates.map(chunkNameResponse) }),
    ...(hit.context === null ? {} : { context: hit.context.map(neighbourResponse) }),
  }
}

function chunkNameResponse({ docId, collectionName, chunkIndex }: FoundChunk) {
  return { doc_id: docId, collection_name: collectionName, chunk_index: chunkIndex }
}

function neighbourResponse({ chunkIndex, text, from, to }: Neighbour) {
  return { chunk_index: chunkIndex, text, from, to }
}

export function detailsResponse(details: DocumentDetails): DocumentDetailsResponse {
  return {
    doc_id: details.docId,
    state: 'ready',
    metadata: metadataResponse(details.metadata),
    title: details.title,
    file_name: details.fileName,
    media_type: details.mediaType,
    language: details.language,
    size: details.size,
    sha256: details.sha256,
    characters: details.characters,
    pages: details.pages,
    chunks: details.chunks,
    version: details.version,
    flags: [...removalsOf(details.flags)],
    ...warningsResponse(warningsOf(details.flags)),
    loaded_at: details.loadedAt,
  }
}

export function collectionResponse(collection: CollectionDetails): CollectionResponse {
  return {
    collection_name: collection.name,
    documents: collection.documents,
    chunks: collection.chunks,
    size: collection.size,
    languages: [...collection.languages],
    reader_role: collection.readerRole,
    writer_role: collection.writerRole,
    acl_table: collection.aclTable,
    chunk_units: collection.chunkUnits,
    overlap_units: collection.overlapUnits,
    rechunk: { due: collection.rechunkDue, failed: collection.rechunkFailed },
    embeddings_model: collection.embeddingsModel,
    vector_length: collection.vectorLength,
    created_at: collection.createdAt,
    updated_at: collection.updatedAt,
  }
}

export function statusResponse(status: DocumentStatus, language: 'en' | 'ru'): StatusResponse {
  return {
    doc_id: status.docId,
    collection_name: status.collectionName,
    state: status.state,
    percent: status.percent,
    pages_done: status.pagesDone,
    attempts: status.attempts,
    version: status.version,
    ...(status.vectors === null ? {} : { vectors: status.vectors }),
    ...warningsResponse(status.warnings),
    error: status.problem === null ? null : errorOf(status.problem, language),
  }
}
