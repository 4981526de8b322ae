import { z } from 'zod'

/** What an event stream sends as `data`, and a webhook as its body. The shape is our choice. */
export const ChangeEvent = z
  .object({
    id: z.string().meta({
      description:
        'Id of the change, the same for every receiver; send it as Last-Event-ID. It has no order and no other meaning.',
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
          'Changed columns that the receiver may read. For a created record, its given values; for a deleted record, its last values. If the receiver could not read the record before the change, all values are included, with null as the old value.',
      }),
  })
  .meta({ description: 'A change of a record.' })
export type ChangeEventResponse = z.infer<typeof ChangeEvent>
