import { z } from 'zod'
import { successOf } from './envelope.ts'

/** `GET /rest/v1/table`: SimpleOne does not have it, the shape is ours. */
export const TablesEnvelope = successOf(
  z.array(
    z.object({
      name: z.string().meta({ description: 'Name of the table.' }),
      title: z.string().meta({ description: 'In the language of the caller.' }),
      parent: z.string().nullable().meta({ description: 'Name of the table that it extends.' }),
      may_create: z.boolean().meta({ description: 'The caller may create records.' }),
      may_write: z.boolean().meta({ description: 'Of some records; rules with conditions decide record by record.' }),
      may_delete: z.boolean().meta({ description: 'The caller may delete some records.' }),
    }),
  ),
).meta({ id: 'Tables' })
