import { z } from 'zod'
import { successOf } from './envelope.ts'

const cells = z.record(z.string(), z.unknown())

/** docs/spec/records.md, section 9: aggregates. The shape is our choice. */
export const StatsEnvelope = successOf(
  z.array(
    z.object({
      group: cells.meta({
        description:
          'The members of sysparm_group_by, as a record shows the fields; of `opened_at:week` the start of the week. Empty without it.',
      }),
      count: z.int().min(0).meta({ description: 'Records of the group that the caller may read.' }),
      sum: cells.optional().meta({ description: 'Sums, by the fields of sysparm_sum_fields.' }),
      avg: cells.optional().meta({ description: 'Means, by the fields of sysparm_avg_fields.' }),
      min: cells.optional().meta({ description: 'Minimums, by the fields of sysparm_min_fields.' }),
      max: cells.optional().meta({ description: 'Maximums, by the fields of sysparm_max_fields.' }),
    }),
  ),
).meta({ id: 'Stats' })
