import { z } from 'zod'
import { successOf } from './envelope.ts'

/** docs/spec/documents.md, section 1: limits stand in `GET /limits`, each with its unit. */
const Limit = z.object({
  service: z.enum(['documents', 'records', 'all']).meta({ description: 'What the limit applies to.' }),
  name: z.string().meta({ description: 'What is limited.' }),
  value: z.int().meta({ description: 'The limit.' }),
  unit: z.string().meta({ description: 'Unit of the limit.', examples: ['bytes', 'UTF-16 units', 'chunks'] }),
  status: z
    .int()
    .meta({ description: 'Status of the response to a request over the limit. Nothing is cut off silently.' }),
})
export type LimitResponse = z.output<typeof Limit>

/** In the order of the list, which is that of a request: what is loaded, what is asked. */
export const LimitsEnvelope = successOf(z.array(Limit)).meta({ id: 'Limits' })
