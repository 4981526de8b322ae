import { z } from 'zod'
import { successOf } from './envelope.ts'

const JobGroup = z.object({
  kind: z
    .enum(['queue', 'document_load', 'chunking', 'vectors', 'followed_collection', 'index_build', 'webhook'])
    .meta({ description: 'What is done. `queue`: other work of the server.' }),
  state: z.enum(['failed', 'running', 'waiting']).meta({
    description: '`failed`: given up, or a followed collection that does not contain what its table says.',
  }),
  name: z.string().meta({ description: 'Of the collection, the webhook, the index or the task.' }),
  count: z.int().meta({ description: 'Documents, deliveries or tasks in this state.' }),
  since: z.string().nullable().meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`, of the oldest; null: not recorded.' }),
  error: z.string().nullable().meta({ description: 'Why one of them failed; null: none has.' }),
  records: z
    .object({
      table: z.string().meta({ description: 'Name of the table.' }),
      query: z.string().meta({ description: 'Encoded query of the records.' }),
    })
    .nullable()
    .meta({ description: 'Records with the details; null: no table has them.' }),
})
export type JobResponse = z.infer<typeof JobGroup>

export const JobsEnvelope = successOf(z.array(JobGroup)).meta({ id: 'Jobs' })
