import { z } from 'zod'
import { Description, successOf } from './envelope.ts'

/** Members that several responses have. */
const docId = z.string().meta({ description: 'Identifier of the document within its collection.' })
const collectionName = z.string().meta({ description: 'Name of the collection.' })
const fileName = z.string().nullable().meta({ description: 'Name of the loaded file; null for a text.' })
const mediaType = z.string().meta({ description: 'Media type of the loaded content.' })
const language = z.string().nullable().meta({ description: 'Language of the text, such as `en`; null: unknown.' })
const version = z.int().meta({ description: 'Rises with each replacement of the document.' })
const pages = z.int().nullable().meta({ description: 'Pages; null in documents without pages.' })
const chunkCount = z.int().meta({ description: 'Number of chunks.' })
const chunkIndex = z.int().meta({ description: 'Number of the chunk in its document, from 0.' })
const ready = z.literal('ready').meta({ description: 'Every search finds the document.' })
const tookMs = z.number().meta({ description: 'Duration of the request in milliseconds.' })

/** docs/spec/documents.md, section 2: a known key has its type, others are free scalars and lists of scalars. */
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
export const DocumentMetadata = z
  .object({
    sys_id: z
      .string()
      .optional()
      .meta({ description: 'The record that the document belongs to; its doc_id, unless one is given.' }),
    doc_id: z.string().optional().meta({ description: 'Names the document within its collection.' }),
    title: z.string().optional().meta({ description: 'Has more weight in a search than the text.' }),
    status: z.string().optional().meta({ description: 'Status of the document, for filters.' }),
    priority: z.int().optional().meta({ description: 'Priority of the document, for filters.' }),
    flag: z.boolean().optional().meta({ description: 'A mark, for filters.' }),
    type: z.string().optional().meta({ description: 'Kind of the document, for filters.' }),
    created: z
      .string()
      .optional()
      .meta({ description: 'ISO 8601, UTC.', examples: ['2024-01-31T10:00:00Z'] }),
  })
  .catchall(z.union([scalar, z.array(scalar)]))
  .meta({ id: 'DocumentMetadata', description: 'At most 64 keys and 16 KB as JSON.' })

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

export const SearchBody = z
  .object({
    collection_names: z
      .array(z.string())
      .optional()
      .meta({ description: 'Without it, or empty: every collection that the caller may read.' }),
    metadata: z
      .string()
      .optional()
      .meta({
        description:
          'An encoded query over metadata; empty: no filter. A key with other characters than a-z, 0-9 and _ stands in double quotes.',
        examples: ['status=open^priority<=2', '"projectId"=p1^loc.from>10'],
      }),
    mode: z.enum(['lexical', 'hybrid', 'vector']).optional().meta({
      description:
        'Ranking by words, by words and meaning, or by vectors alone. Default: the server’s setting; with `vector` hybrid, and with `vector` but no query by vectors alone.',
    }),
    vector: z
      .array(z.number())
      .optional()
      .meta({ description: 'Replaces the vector that the model makes of the query.' }),
    weights: z
      .object({
        lexical: z.number().min(0).max(100).optional().meta({ description: 'Weight of the ranking by words.' }),
        vector: z.number().min(0).max(100).optional().meta({ description: 'Weight of the ranking by vectors.' }),
      })
      .optional()
      .meta({ description: 'Weights of the two rankings in a hybrid search; 1 each. 0 leaves a ranking out.' }),
    min_sequence: z.int().min(0).optional().meta({
      description:
        'The `sequence` of a load. 503 when the server has not indexed it within the property `search.wait_ms`.',
    }),
    highlight: z.boolean().optional().meta({ description: 'false: without `highlights`.' }),
    explain: z.boolean().optional().meta({ description: 'true: with the parts of the score.' }),
    min_relevance: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: 'Chunks with a lower relevance are left out.' }),
    group_by: z
      .enum(['document'])
      .optional()
      .meta({ description: 'The best chunks of each document together; `k` counts documents.' }),
    group_size: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'With `group_by`: chunks of each document. Default 1.' }),
    collapse: z.enum(['duplicates']).optional().meta({
      description: 'Return only the best of several chunks with the same words; the others are in its `duplicates`.',
    }),
    diversity: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: 'How much the score of a chunk is reduced if it repeats better ones. 0: not at all.' }),
    context: z.int().min(0).max(5).optional().meta({ description: 'Neighbouring chunks on either side. Default 0.' }),
  })
  .meta({ id: 'Search', description: 'What is searched, where and how.' })

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

/** A tuple would be `prefixItems`, which Spectral and Prism reject. */
const range = z.array(z.int()).length(2)
const FoundChunk = z.object({
  doc_id: docId,
  collection_name: collectionName,
  chunk_index: chunkIndex,
  text: z.string().meta({ description: 'Text of the chunk.' }),
  score: z.number().meta({ description: 'For the order of this response only: BM25, or the fusion of two rankings.' }),
  relevance: z.number().meta({
    description:
      'Estimated probability from 0 to 1, by words, that the chunk answers the query; it does not depend on the mode or on other results.',
  }),
  metadata: DocumentMetadata,
  file_name: fileName,
  media_type: mediaType,
  page: z.int().nullable().meta({ description: 'From 1: where the chunk begins.' }),
  page_to: z.int().nullable().meta({ description: 'Where it ends; null in documents without pages.' }),
  heading_path: z.array(z.string()).meta({ description: 'Headings above the chunk, outermost first.' }),
  from: z.int().meta({ description: 'Where the chunk begins in the extracted text, in UTF-16 units.' }),
  to: z.int().meta({ description: 'Where the chunk ends in the extracted text; exclusive.' }),
  repeated: z.string().optional().meta({
    description: 'Of a part of a table: its header rows, which are searched with the chunk and are not in its range.',
  }),
  highlights: z
    .array(range)
    .optional()
    .meta({ description: 'Words that the query asks for, from the beginning of `text`.' }),
  explain: z
    .array(
      z.object({
        term: z.string().meta({ description: 'The term.' }),
        weight: z.number().meta({ description: 'Weight of the term in the query.' }),
        chunks: z.int().meta({ description: 'Chunks that contain the term.' }),
        score: z.number().meta({ description: 'What the term adds to the score.' }),
      }),
    )
    .optional()
    .meta({
      description:
        'What each term of the query adds to the score of the ranking by words. `chunks` counts the chunks that hold it, among those that the caller may see.',
    }),
  ranks: z
    .object({
      lexical: z.int().nullable().meta({ description: 'Place in the ranking by words, from 1.' }),
      vector: z.int().nullable().meta({ description: 'Place in the ranking by meaning, from 1.' }),
      similarity: z.number().nullable().meta({ description: 'Cosine of the vectors of chunk and query.' }),
      rerank: z.number().nullable().meta({ description: 'Score of the reranker.' }),
    })
    .optional()
    .meta({ description: 'With `explain`, in a hybrid search.' }),
  duplicates: z
    .array(z.object({ doc_id: docId, collection_name: collectionName, chunk_index: chunkIndex }))
    .optional()
    .meta({ description: 'With `collapse`: chunks with the same words that were left out.' }),
  context: z
    .array(
      z.object({
        chunk_index: chunkIndex,
        text: z.string().meta({ description: 'Text of the chunk.' }),
        from: z.int().meta({ description: 'Where it begins in the extracted text.' }),
        to: z.int().meta({ description: 'Where it ends in the extracted text; exclusive.' }),
      }),
    )
    .optional()
    .meta({ description: 'With `context`: the chunks before and after it, in the order of the text.' }),
})
export type ChunkResponse = z.output<typeof FoundChunk>
export const SearchEnvelope = successOf(z.array(FoundChunk))
  .extend({
    mode: z
      .enum(['lexical', 'hybrid', 'vector'])
      .meta({ description: 'The mode that was used: a search without vectors is lexical.' }),
    took_ms: tookMs,
    corrections: z
      .array(
        z.object({
          word: z.string().meta({ description: 'Word of the query.' }),
          corrections: z.array(z.string()).meta({ description: 'Words that were searched instead, best first.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'Words of the query that occur in no document that the caller may read, and the words that were searched instead.',
      }),
    did_you_mean: z.string().optional().meta({ description: 'The query with the best of the corrections.' }),
    warnings: z
      .array(z.string())
      .optional()
      .meta({ description: 'Why the result is less than the request asked for.' }),
  })
  .meta({ id: 'Found', description: 'Chunks that answer the query, best first.' })

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
