import { z } from 'zod'
import { successOf } from './envelope.ts'
import { utcTime } from './values.ts'

const Viewers = z.object({
  enabled: z.boolean().meta({
    description: 'false: the property viewers.enabled is not true. Nothing is kept, and there are no viewers.',
  }),
  viewers: z
    .array(
      z.object({
        user: z
          .object({
            value: z.string().meta({ description: 'sys_id of the user.' }),
            display_value: z.string().nullable().meta({ description: 'null: the caller may not read it.' }),
            link: z.string().meta({ description: 'Address of the user.' }),
          })
          .meta({ description: 'Another user, whom the caller may read.' }),
        since: utcTime,
      }),
    )
    .meta({ description: 'Who else has the record open, the first one first.' }),
  refresh_seconds: z
    .int()
    .meta({ description: 'A page that displays the record sends its request again after this time.' }),
  expire_seconds: z.int().meta({ description: 'A page that sends nothing for this time no longer counts.' }),
})
export type ViewersResponse = z.infer<typeof Viewers>

export const ViewersEnvelope = successOf(Viewers).meta({ id: 'Viewers' })
export const LeftEnvelope = successOf(z.object({ page: z.string().meta({ description: 'As in the address.' }) })).meta({
  id: 'ViewerLeft',
})
