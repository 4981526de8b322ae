import { z } from 'zod'
import { successOf } from './envelope.ts'

const value = z.unknown().meta({ description: 'As the Table API shows stored values; null: empty.' })
const display = z.string().nullable().meta({
  description:
    'Display value, in the language and the time zone of the caller; null: empty, or a record that the caller may not see.',
})

/** docs/spec/records.md, section 8: who changed what and when. The shape is our choice. */
export const HistoryEnvelope = successOf(
  z.array(
    z.object({
      change: z.string().meta({ description: 'Of the change: the id that its event has too.' }),
      operation: z.enum(['create', 'update', 'delete']).meta({ description: 'What was done to the record.' }),
      table: z.string().meta({ description: 'The record’s own class.' }),
      changed_at: z.string().meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`.' }),
      migrated: z
        .literal(true)
        .optional()
        .meta({ description: 'An import with migrate=1 wrote it: the record comes from another system.' }),
      changed_by: z
        .object({
          value: z.string().meta({ description: 'sys_id of the user.' }),
          display_value: display.meta({ description: 'Name of the user; null if the caller may not read it.' }),
          link: z.string().meta({ description: 'Address of the user.' }),
        })
        .nullable()
        .meta({ description: 'Who changed the record; null if the server did.' }),
      changes: z
        .array(
          z.object({
            column: z.string().meta({ description: 'Name of the column.' }),
            title: z.string().meta({ description: 'Title of the column, in the language of the caller.' }),
            old_value: value,
            new_value: value,
            old_display_value: display,
            new_display_value: display,
          }),
        )
        .meta({ description: 'The columns that the caller may read.' }),
    }),
  ),
).meta({ id: 'History' })
export type HistoryResponse = z.infer<typeof HistoryEnvelope>['data'][number]
