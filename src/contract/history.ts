import { z } from 'zod'
import { successOf } from './envelope.ts'

const value = z.unknown().meta({ description: 'As the Table API shows stored values; null: empty.' })
const display = z
  .string()
  .nullable()
  .meta({ description: 'What people read for it, in the caller’s language, where it differs.' })

/** Record spec, section 8: who changed what and when. The shape is our choice. */
export const HistoryAnswer = successOf(
  z.array(
    z.object({
      change: z.string().meta({ description: 'Of the change: the id that its event has too.' }),
      operation: z.enum(['create', 'update', 'delete']),
      table: z.string().meta({ description: 'The record’s own class.' }),
      changed_at: z.string().meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`.' }),
      migrated: z
        .literal(true)
        .optional()
        .meta({ description: 'An import with migrate=1 wrote it: the record comes from another system.' }),
      changed_by: z.object({ value: z.string(), display_value: z.string().nullable(), link: z.string() }).nullable(),
      changes: z.array(
        z.object({
          column: z.string(),
          title: z.string(),
          old_value: value,
          new_value: value,
          old_display_value: display,
          new_display_value: display,
        }),
      ),
    }),
  ),
)
export type HistoryOnTheWire = z.infer<typeof HistoryAnswer>['data'][number]
