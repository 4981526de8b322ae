import { z } from 'zod'

/** What an event stream sends as `data`, and a webhook as its body. The shape is our choice. */
export const ChangeEvent = z
  .object({
    id: z.string().meta({
      description:
        'Of the change, the same for every receiver; to be given back as Last-Event-ID. It has no order and tells nothing else.',
    }),
    operation: z.enum(['create', 'update', 'delete']).meta({ description: 'What was done to the record.' }),
    table: z.string().meta({ description: 'The record’s own class.' }),
    sys_id: z.string().meta({ description: 'sys_id of the record.' }),
    changed_at: z
      .string()
      .nullable()
      .meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`; null for who may not read sys_updated_at.' }),
    changed_by: z
      .string()
      .nullable()
      .meta({ description: 'sys_id of a user; null for who may not read sys_updated_by.' }),
    changes: z
      .record(
        z.string(),
        z.object({
          old_value: z.unknown().meta({ description: 'Stored value before the change.' }),
          new_value: z.unknown().meta({ description: 'Stored value after the change.' }),
        }),
      )
      .meta({
        description:
          'By column, as far as the receiver may read it: what differs; of a created record what it was given, of a deleted one what it had. What the receiver might not have read before the change is told whole, with null as its old value.',
      }),
  })
  .meta({ description: 'A change of a record.' })
export type ChangeEventResponse = z.infer<typeof ChangeEvent>
