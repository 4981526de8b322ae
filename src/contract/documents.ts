import { z } from 'zod'
import {
  chunkCount,
  collectionName,
  DocumentMetadata,
  docId,
  fileName,
  language,
  mediaType,
  pages,
  ready,
  scalar,
  tookMs,
  version,
} from './document-members.ts'
import { Description, successOf } from './envelope.ts'

/** What a load takes: nested objects become keys with dots. */
export const MetadataToLoad = DocumentMetadata.catchall(
  z.union([
    scalar,
    z.array(scalar),
    z
      .record(z.string(), z.unknown())
      .meta({ description: 'Flattened with dots: {"loc":{"from":1}} becomes loc.from.' }),
  ]),
).meta({ id: 'MetadataToLoad', description: 'At most 64 keys and 16 KB as JSON, flattened.' })

export const LoadTextBody = z
  .object({
    metadata: MetadataToLoad.optional(),
    text: z.string().meta({ description: 'At most 10 MB in UTF-8.' }),
    vector: z.array(z.number()).optional().meta({
      description:
        'Replaces the vector of a model. The text is then one chunk of at most 10,000 characters. All vectors of a collection have one length.',
    }),
  })
  .meta({ id: 'LoadText', description: 'A text and its metadata.' })

export const ContentBody = z
  .object({
    tag_info: z.string().optional().meta({ description: 'An encoded query over metadata; empty: every document.' }),
  })
  .meta({ id: 'Content', description: 'Which documents are read.' })

const loadWarnings = z
  .array(z.string())
  .optional()
  .meta({
    description: 'What of the document may be lost or misread. Absent when there is nothing to say.',
    examples: [['little-text', 'pages-without-text: [3,7]', 'encoding-guessed: windows-1250']],
  })

const Loaded = z.object({
  doc_id: docId,
  collection_name: collectionName,
  state: ready,
  result: z
    .enum(['created', 'replaced', 'unchanged'])
    .meta({ description: '`unchanged`: the same content and metadata are already loaded.' }),
  chunks: chunkCount,
  characters: z.int().meta({ description: 'Of the extracted text, in UTF-16 units.' }),
  pages,
  media_type: mediaType,
  language,
  version,
  sequence: z.int().meta({
    description: 'Sequence number of the load: as `min_sequence`, it makes a search wait until it finds this load.',
  }),
  warnings: loadWarnings,
  took_ms: tookMs,
})
export type LoadedResponse = z.output<typeof Loaded>
/** 200: the document is durable, and every search of every process finds it. */
export const LoadedEnvelope = successOf(Loaded).meta({ id: 'Loaded' })

/** 202 */
const Queued = z.object({
  doc_id: docId,
  collection_name: collectionName,
  state: z.literal('queued').meta({ description: 'The load runs later.' }),
})
export const QueuedEnvelope = successOf(Queued).meta({ id: 'Queued' })

const Content = z.object({
  doc_id: docId,
  collection_name: collectionName,
  text: z.string().meta({ description: 'The whole extracted text.' }),
  metadata: DocumentMetadata,
  file_name: fileName,
  media_type: mediaType,
  version,
})
export const ContentEnvelope = successOf(z.array(Content))
  .extend({
    next_cursor: z.string().nullable().meta({ description: '`cursor` of the next page; null: this is the last.' }),
  })
  .meta({ id: 'ContentAnswer', description: 'A page of documents with their texts.' })

const DocumentDetails = z.object({
  doc_id: docId,
  state: ready,
  metadata: DocumentMetadata,
  title: z.string().nullable().meta({ description: 'Title of the document.' }),
  file_name: fileName,
  media_type: mediaType,
  language,
  size: z.int().meta({ description: 'Bytes.' }),
  sha256: z.string().meta({ description: 'Of the file or text as it was loaded.' }),
  characters: z.int().meta({ description: 'Of the extracted text, in UTF-16 units.' }),
  pages,
  chunks: chunkCount,
  version,
  flags: z
    .array(
      z.object({
        kind: z.string().meta({ description: 'What was removed.' }),
        count: z.int().meta({ description: 'How often.' }),
      }),
    )
    .meta({ description: 'What was removed from the text: invisible characters and passages.' }),
  warnings: loadWarnings,
  loaded_at: z.string().meta({ description: 'When this version was loaded, UTC.' }),
})
export type DocumentDetailsResponse = z.output<typeof DocumentDetails>
export type DocumentDetailsPage = {
  readonly data: readonly DocumentDetailsResponse[]
  readonly next_cursor: string | null
}
export const DocumentNamesEnvelope = successOf(z.union([z.array(z.string()), z.array(DocumentDetails)]))
  .extend({
    next_cursor: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Only with `limit`: `cursor` of the next page; null: this is the last.' }),
  })
  .meta({ id: 'DocumentNames', description: 'Documents of a collection.' })

const Collection = z.object({
  collection_name: collectionName,
  documents: z.int().meta({ description: 'Number of documents.' }),
  chunks: chunkCount,
  size: z.int().meta({ description: 'Bytes that were loaded.' }),
  languages: z
    .array(z.string())
    .meta({ description: 'Of a bound collection: of the documents that the caller may see.' }),
  reader_role: z.string().nullable().meta({ description: 'Role that reads instead of document_reader.' }),
  writer_role: z.string().nullable().meta({ description: 'Role that writes instead of document_writer.' }),
  acl_table: z.string().nullable().meta({ description: 'Table that the collection is bound to.' }),
  chunk_units: z.int().nullable().meta({ description: 'Size of a chunk in UTF-16 units; null: the default.' }),
  overlap_units: z.int().nullable().meta({ description: 'Overlap of chunks in UTF-16 units; null: the default.' }),
  rechunk: z
    .object({
      due: z.int().meta({ description: 'Documents that will be split again.' }),
      failed: z.int().meta({ description: 'Documents that could not be split again.' }),
    })
    .meta({
      description: 'Documents still split with earlier chunk sizes, and documents that could not be split again.',
    }),
  embeddings_model: z.string().nullable().meta({ description: 'Model of the vectors; null: the default model.' }),
  vector_length: z.int().nullable().meta({ description: 'Numbers of a vector that callers give.' }),
  created_at: z.string().meta({ description: 'When the collection was created, UTC.' }),
  updated_at: z.string().meta({ description: 'When the collection was last changed, UTC.' }),
})
export type CollectionResponse = z.output<typeof Collection>
export const CollectionsEnvelope = successOf(z.union([z.array(z.string()), z.array(Collection)])).meta({
  id: 'Collections',
})

/** `PUT /collections/{name}`: what is not named stays, null goes back to what is usual. */
export const CollectionBody = z
  .strictObject({
    reader_role: z.string().nullable().optional().meta({ description: 'Required instead of document_reader.' }),
    writer_role: z.string().nullable().optional().meta({ description: 'Required instead of document_writer.' }),
    acl_table: z.string().nullable().optional().meta({
      description: 'A caller sees a document only if they may read the record of this table whose sys_id it has.',
    }),
    chunk_units: z.int().nullable().optional().meta({ description: 'Size of a chunk in UTF-16 units.' }),
    overlap_units: z.int().nullable().optional().meta({ description: 'Overlap of chunks in UTF-16 units.' }),
    embeddings_model: z.string().nullable().optional().meta({
      description: 'Name of a configured model, or `caller`: callers send the vectors. null: the default model.',
    }),
    vector_length: z.int().nullable().optional().meta({
      description:
        'Numbers of a vector that callers give; the first one decides, except in a collection that is bound to a table.',
    }),
  })
  .meta({ id: 'CollectionsWriteBody', description: 'Settings of a collection; null is the default.' })

const Removed = Description.extend({ count: z.int().meta({ description: 'Number of documents that were deleted.' }) })
export const RemovedEnvelope = successOf(Removed).meta({ id: 'Removed' })

const Status = z.object({
  doc_id: docId,
  collection_name: collectionName,
  state: z.enum(['queued', 'extracting', 'indexing', 'ready', 'failed']).meta({ description: 'Stage of the load.' }),
  percent: z.int().meta({ description: 'Progress of the load, from 0 to 100.' }),
  pages_done: z.int().nullable().meta({ description: 'Pages that are extracted.' }),
  attempts: z.int().meta({ description: 'Attempts of the load so far.' }),
  version: z.int().nullable().meta({ description: 'Of the version that is found meanwhile.' }),
  vectors: z
    .enum(['due', 'ready', 'failed'])
    .optional()
    .meta({ description: 'Whether that version is found by its meaning too, where embeddings are configured.' }),
  warnings: loadWarnings,
  error: z
    .object({
      code: z.string().meta({ description: 'Code of the error; docs/errors.md lists them all.' }),
      message: z.string().meta({ description: 'What is wrong.' }),
    })
    .nullable()
    .meta({ description: 'Why the load failed; null if it did not.' }),
})
export type StatusResponse = z.output<typeof Status>
export const StatusEnvelope = successOf(Status).meta({ id: 'DocumentStatus' })
