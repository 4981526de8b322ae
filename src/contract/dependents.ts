import { z } from 'zod'
import { successOf } from './envelope.ts'

/** Records that refer to what is deleted, by table and column. */
export const Dependents = z.array(
  z.object({
    table: z.string().meta({ description: 'Class of the records.' }),
    column: z.string().meta({ description: 'The column that refers to a deleted record.' }),
    action: z.enum(['restrict', 'clear', 'cascade']).meta({ description: '`restrict`: they block the delete.' }),
    count: z.int().meta({ description: 'Number of records; a record that is deleted too counts once.' }),
    more: z.boolean().meta({ description: 'There are more than `count`.' }),
  }),
)

/** What a delete would touch. The shape is our choice. */
export const DependentsEnvelope = successOf(
  z.object({
    blocked: z
      .object({
        status: z.int().meta({ description: 'HTTP status of the error.' }),
        code: z.string().meta({ description: 'Code of the error.' }),
        message: z.string().meta({ description: 'Message of the error.' }),
        reason: z.string().optional().meta({ description: 'Of a 409: `referenced`.' }),
      })
      .nullable()
      .meta({ description: 'The error of a DELETE; null: it succeeds.' }),
    dependents: Dependents.meta({ description: 'Records that refer to what is deleted.' }),
  }),
).meta({ id: 'Dependents' })
export type DependentsResponse = z.infer<typeof DependentsEnvelope>['data']
