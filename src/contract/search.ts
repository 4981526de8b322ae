import { z } from 'zod'
import { chunkIndex, collectionName, DocumentMetadata, docId, fileName, mediaType, tookMs } from './document-members.ts'
import { successOf } from './envelope.ts'

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
    details: z.boolean().optional().meta({ description: 'true: with the time at which the document was loaded.' }),
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
  loaded_at: z
    .string()
    .optional()
    .meta({
      description: 'With `details`: when this version of the document was loaded.',
      examples: ['2024-01-31T10:00:00Z'],
    }),
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
    warnings: z.array(z.string()).optional().meta({ description: 'Why the result is less than what was requested.' }),
  })
  .meta({ id: 'Found', description: 'Chunks that answer the query, best first.' })
