/** Collections and their documents. An entry of its own, so that programs without documents do not load it. */

export {
  type ChunkRange,
  type CollectionInfo,
  type DocumentInfo,
  DocumentsReader,
  type DocumentText,
  type EvaluateOptions,
  type FoundChunk,
  type ListDocumentsOptions,
  type LoadStatus,
  type MetadataKey,
  type MetadataKeys,
  type MetadataKeysOptions,
  type SearchOptions,
  type SearchResult,
} from './document-reader.ts'
export {
  type CollectionSettings,
  DocumentsClient,
  type FollowSettings,
  type FollowState,
  type LoadedDocument,
  LoadFailed,
  type LoadOptions,
  type LoadProgress,
  type LoadTextOptions,
  type QueuedDocument,
  type ReportsProgress,
} from './document-writer.ts'
export type { Download } from './download.ts'
export type { Evaluated, EvaluatedQuery, EvaluationInput, EvaluationQuery, Judgement, Measures } from './evaluate.ts'
export type { FileInput, NamedFile } from './upload-body.ts'
