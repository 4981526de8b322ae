import { z } from 'zod'
import { Description, successOf } from './envelope.ts'
import { accessKey, utcTime } from './values.ts'

/** Record spec, section 2. */
export const LoginBody = z.strictObject({ username: z.string().max(1_000), password: z.string().max(1_000) })

export const LoginAnswer = successOf(
  z.object({
    auth_key: accessKey,
    expires_at: utcTime.meta({ description: 'UTC. Using the key does not prolong it.' }),
  }),
)

export const LogoutAnswer = successOf(Description)
