import { z } from 'zod'
import { successOf } from './envelope.ts'

// What collections and documents are like: keys, chunks, and how well searches answer.

const MetadataKey = z.object({
  key: z.string().meta({ description: 'The key, as the metadata has it.' }),
  types: z.array(z.enum(['text', 'number', 'boolean', 'time'])).meta({
    description:
      'How filters compare its values, the type of most values first. A text that is an ISO 8601 time is a time.',
  }),
  documents: z.int().meta({ description: 'Documents that have the key.' }),
  distinct_values: z.int().meta({ description: 'Different values, without times.' }),
  values: z
    .array(
      z.object({
        value: z.union([z.string(), z.number(), z.boolean()]).meta({ description: 'The value.' }),
        documents: z.int().meta({ description: 'Documents that have it.' }),
      }),
    )
    .meta({ description: 'Values of most documents first; times are left out.' }),
})
export const MetadataKeysEnvelope = successOf(z.array(MetadataKey))
  .extend({
    documents: z.int().meta({ description: 'Documents that were read.' }),
    complete: z.boolean().meta({ description: 'false: there are more documents than were read.' }),
  })
  .meta({ id: 'MetadataKeys', description: 'Keys that a filter over metadata can name.' })

/** Of one request; a longer evaluation is several. */
export const evaluationLimits = { queries: 200, judgements: 20_000 } as const
export const EvaluateBody = z
  .strictObject({
    queries: z
      .array(
        z.strictObject({
          id: z.string().meta({ description: 'Names the query in the judgements.' }),
          text: z.string().max(8_000).meta({ description: 'What is searched for.' }),
        }),
      )
      .min(1)
      .max(evaluationLimits.queries)
      .meta({ description: 'Questions.' }),
    judgements: z
      .array(
        z.strictObject({
          query_id: z.string().meta({ description: 'The query.' }),
          doc_id: z.string().meta({ description: 'A document of the collection.' }),
          gain: z.number().min(0).max(1_000).meta({ description: 'More than 0: the document is relevant.' }),
        }),
      )
      .max(evaluationLimits.judgements)
      .meta({ description: 'How relevant documents are to the questions; others are not.' }),
    mode: z.enum(['lexical', 'hybrid']).optional().meta({ description: 'How to search. Default: as the server does.' }),
  })
  .meta({ id: 'CollectionsEvaluateBody', description: 'Judged questions.' })

const measure = (of: string) => z.number().meta({ description: `${of}, from 0 to 1.` })
const measures = {
  ndcg10: measure('Normalized discounted cumulative gain of the first 10 documents'),
  map: measure('Mean average precision'),
  recall10: measure('Part of the relevant documents that are among the first 10'),
  recall100: measure('Part of the relevant documents that are among the first 100'),
}
const Evaluated = z.object({
  collection_name: z.string().meta({ description: 'Name of the collection.' }),
  questions: z.int().meta({ description: 'Questions with a relevant document: only these count.' }),
  modes: z.array(z.enum(['lexical', 'hybrid', 'vector'])).meta({ description: 'How was searched.' }),
  ...measures,
  queries: z
    .array(
      z.object({
        id: z.string().meta({ description: 'The query.' }),
        ...measures,
        found: z.array(z.string()).meta({ description: 'The first 10 documents, best first.' }),
        missed: z.array(z.string()).meta({ description: 'Relevant documents that are not among the first 100.' }),
      }),
    )
    .meta({ description: 'Each question, the worst first.' }),
})
export const EvaluatedEnvelope = successOf(Evaluated).meta({ id: 'EvaluatedCollection' })

const ChunkRange = z.object({
  chunk_index: z.int().meta({ description: 'Number of the chunk in its document, from 0.' }),
  from: z.int().meta({ description: 'Where the chunk begins in the extracted text, in UTF-16 units.' }),
  to: z.int().meta({ description: 'Where it ends in the extracted text; exclusive.' }),
  page: z.int().nullable().meta({ description: 'From 1: where the chunk begins.' }),
  page_to: z.int().nullable().meta({ description: 'Where it ends; null in documents without pages.' }),
  heading_path: z.array(z.string()).meta({ description: 'Headings above the chunk, outermost first.' }),
})
export const ChunkRangesEnvelope = successOf(z.array(ChunkRange))
  .extend({
    version: z.int().meta({ description: 'Rises with each replacement of the document.' }),
    next_cursor: z.string().nullable().meta({ description: '`cursor` of the next page; null: this is the last.' }),
  })
  .meta({ id: 'DocumentChunks', description: 'Where the chunks of a document begin and end.' })
