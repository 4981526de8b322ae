import { z } from 'zod'
import { successOf } from './envelope.ts'

const Check = z.object({
  check: z.string().meta({ description: 'Name of the check.', examples: ['disk'] }),
  status: z.enum(['ok', 'skipped', 'warning', 'fault']).meta({ description: 'Result of the check.' }),
  fault: z.string().nullable().meta({ description: 'Name of the finding in docs/troubleshooting.md; null: none.' }),
  message: z.string().meta({
    description: 'What there is, what is wrong, or why the check did not run, in the language of the caller.',
  }),
  where: z.string().nullable().meta({ description: 'Place of the finding; null: nothing is wrong.' }),
  cure: z.string().nullable().meta({ description: 'How to fix it; null: nothing is wrong.' }),
})

const bytes = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description}, in bytes; null: unknown.` })

export const HealthDetailsEnvelope = successOf(
  z.object({
    version: z.string().meta({ description: 'Version of Docket.' }),
    node: z.string().meta({ description: 'Version of Node.' }),
    started_at: z.string().meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`: start of the process that responds.' }),
    database: z
      .object({
        version: z.string().meta({ description: 'Version of PostgreSQL.' }),
        schema: z.string().meta({ description: 'The newest migration.' }),
        size: bytes('Size of the database'),
      })
      .meta({ description: 'The database.' }),
    files: z
      .object({
        store: z.enum(['folder', 'object_store']).meta({ description: 'Where files are stored.' }),
        attachments: z.int().meta({ description: 'Number of files of records.' }),
        size: bytes('Size of the files of records'),
      })
      .meta({ description: 'The file store.' }),
    disk: z
      .object({ free: bytes('Free space'), total: bytes('Size') })
      .meta({ description: 'The disk of the data directory.' }),
    search_index: z
      .object({
        state: z
          .enum(['building', 'ready'])
          .meta({ description: '`building`: some collections cannot be searched yet.' }),
        percent: z.int().min(0).max(100).meta({ description: 'How much is indexed.' }),
      })
      .meta({ description: 'The search index of the process that responds.' }),
    examination: z
      .object({
        state: z
          .enum(['running', 'done', 'failed'])
          .meta({ description: '`running`: request again in a few seconds.' }),
        ended_at: z.string().nullable().meta({
          description:
            'UTC, `YYYY-MM-DD HH:MM:SS`: end of the examination that `checks` are of; null: the first is running.',
        }),
        checks: z
          .array(Check)
          .meta({ description: 'As `docket doctor --json` prints them, in the language of the caller.' }),
      })
      .meta({ description: 'The checks of `docket doctor`. They run at most every ten minutes.' }),
  }),
).meta({ id: 'HealthDetails' })
export type HealthDetails = z.infer<typeof HealthDetailsEnvelope>['data']
