import { z } from 'zod'
import { Description, successOf } from './envelope.ts'
import { accessKey, utcTime } from './values.ts'

export const MakeKeyBody = z
  .strictObject({
    name: z.string().meta({ description: 'For people, 1 to 100 characters.' }),
    life: z
      .string()
      .optional()
      .meta({ description: 'Lifetime: `12h`, `90d`, `8w`, `1y`. Default: 90 days.', examples: ['90d'] }),
    roles: z
      .array(z.string())
      .optional()
      .meta({ description: 'Names of roles that the key is narrowed to; all roles of its user without it.' }),
    user_id: z.string().optional().meta({
      description:
        'sys_id of another user; administrators only. An API key that makes a key for another user names its roles.',
    }),
  })
  .meta({ id: 'NewKey', description: 'A new API key.' })

const Key = z.object({
  id: z.string().meta({ description: 'Identifier of the key.' }),
  user_id: z.string().meta({ description: 'sys_id of the user of the key.' }),
  user_name: z.string().meta({ description: 'User name of the user of the key.' }),
  name: z.string().meta({ description: 'Name of the key, for people.' }),
  roles: z.array(z.string()).nullable().meta({ description: 'null: all roles of its user.' }),
  created_at: utcTime,
  expires_at: utcTime,
  last_used_at: utcTime.nullable().meta({ description: 'To ten minutes.' }),
  state: z.enum(['valid', 'expired', 'ended']).meta({ description: '`ended`: revoked, or its user was disabled.' }),
})

export type KeyResponse = z.output<typeof Key>

export const KeysEnvelope = successOf(z.array(Key)).meta({ id: 'Keys' })

export const MadeKeyEnvelope = successOf(z.array(Key.extend({ auth_key: accessKey })).length(1)).meta({ id: 'MadeKey' })

export const RevokedKeyEnvelope = successOf(Description).meta({ id: 'RevokedKey' })
