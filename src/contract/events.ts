import { z } from 'zod'

/** What an event stream sends as `data`, and a webhook as its body. The shape is our choice. */
export const ChangeEvent = z.object({
  id: z.string().meta({ description: 'Position in the log of changes: to be given back as Last-Event-ID.' }),
  operation: z.enum(['create', 'update', 'delete']),
  table: z.string().meta({ description: 'The record’s own class.' }),
  sys_id: z.string(),
  changed_at: z.string().meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`.' }),
  changed_by: z.string().nullable().meta({ description: 'sys_id of a user.' }),
  changes: z.record(z.string(), z.object({ old_value: z.unknown(), new_value: z.unknown() })).meta({
    description:
      'By column, as far as the receiver may read it: what differs; of a created record what it was given, of a deleted one what it had.',
  }),
})
export type ChangeEventOnTheWire = z.infer<typeof ChangeEvent>
