import { z } from 'zod'
import { successOf } from './envelope.ts'

/** Documents spec, section 6: a collection follows a table. The shapes are our choice. */
export const FollowBody = z.object({
  table: z.string(),
  query: z
    .string()
    .default('')
    .meta({ description: 'Encoded query that says which records; without order and dot-walks. Empty: all.' }),
  template: z
    .string()
    .min(1)
    .max(20_000)
    .meta({
      description:
        'The document’s text, with `{column}` for a column’s display value. A line of which nothing is left goes.',
      examples: ['{number} {subject}\n\n{description}'],
    }),
  metadata: z
    .array(z.string())
    .max(30)
    .default([])
    .meta({ description: 'Columns whose stored values become metadata, beside sys_id and table.' }),
  exposed_columns: z.array(z.string()).max(100).default([]).meta({
    description:
      'Columns with access rules of their own that may be shown all the same to whoever may read the record.',
  }),
})

export const FollowAnswer = successOf(
  z.object({
    collection: z.string(),
    table: z.string(),
    query: z.string(),
    template: z.string(),
    metadata: z.array(z.string()),
    state: z.enum(['following', 'comparing']).meta({
      description: '`comparing`: with the whole table, while changes are followed.',
    }),
    documents: z.int(),
    error: z.string().nullable().meta({ description: 'Why a record, or the last turn, failed.' }),
  }),
)
