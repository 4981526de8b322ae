import { z } from 'zod'
import { successOf } from './envelope.ts'

const cells = z.record(z.string(), z.unknown())

/** Record spec, section 9: aggregates. The shape is our choice. */
export const StatsAnswer = successOf(
  z.array(
    z.object({
      group: cells.meta({ description: 'The fields of sysparm_group_by, as a record shows them; empty without it.' }),
      count: z.int().min(0).meta({ description: 'Records of the group that the caller may read.' }),
      sum: cells.optional(),
      avg: cells.optional(),
      min: cells.optional(),
      max: cells.optional(),
    }),
  ),
)
