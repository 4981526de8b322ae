import { z } from 'zod'
import { successOf } from './envelope.ts'

/** docs/spec/documents.md, section 6: a collection follows a table. The shapes are our choice. */
export const FollowBody = z
  .strictObject({
    table: z.string().meta({ description: 'Name of the table.' }),
    query: z
      .string()
      .default('')
      .meta({ description: 'Encoded query that says which records, without order. Empty: all.' }),
    template: z
      .string()
      .min(1)
      .max(20_000)
      .meta({
        description:
          'Template of the text, with `{column}` for the display value of a column, also behind references. Lines that become empty are removed.',
        examples: ['{number} {subject}\n{caller.company.name}\n\n{description}'],
      }),
    metadata: z
      .array(z.string())
      .max(30)
      .default([])
      .meta({ description: 'Columns whose stored values become metadata, beside sys_id and table.' }),
    exposed_columns: z.array(z.string()).max(100).default([]).meta({
      description:
        'A caller sees a document if they may read its record and all used columns. Columns named here are visible to all who may read the record. Columns behind references, and display values of referenced records, must be named here.',
    }),
  })
  .meta({ id: 'Follow', description: 'Which records a collection follows, and which of their columns.' })

export const FollowEnvelope = successOf(
  z.object({
    collection: z.string().meta({ description: 'Name of the collection.' }),
    table: z.string().meta({ description: 'Name of the table.' }),
    query: z.string().meta({ description: 'Encoded query that selects the records.' }),
    template: z.string().meta({ description: 'Template of the text of a document.' }),
    metadata: z.array(z.string()).meta({ description: 'Columns whose stored values are metadata.' }),
    exposed_columns: z.array(z.string()).meta({ description: 'Columns visible to whoever may read the record.' }),
    state: z.enum(['following', 'comparing']).meta({
      description: '`comparing`: with the whole table, while changes are followed.',
    }),
    documents: z.int().meta({ description: 'Documents of the collection.' }),
    error: z.string().nullable().meta({ description: 'Why a record, or the last run, failed.' }),
    compared_at: z.string().nullable().meta({ description: 'When the last comparison ended, UTC; null: none has.' }),
    mended: z.int().meta({ description: 'Documents that the last comparison loaded or removed.' }),
  }),
).meta({ id: 'FollowState' })
export type FollowResponse = z.infer<typeof FollowEnvelope>['data']
