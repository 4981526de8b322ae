import { z } from 'zod'
import { Description, successOf } from './envelope.ts'
import { accessKey, utcTime } from './values.ts'

/** Record spec, section 2. */
export const LoginBody = z.strictObject({ username: z.string().max(1_000), password: z.string().max(1_000) })

/** Deployed clients sign in by form, and send members such as `language` with it. */
export const LoginForm = z.looseObject(LoginBody.shape)

export const LoginAnswer = successOf(
  z.object({
    auth_key: accessKey,
    expires_at: utcTime.meta({ description: 'UTC. Using the key does not prolong it.' }),
  }),
)

export const LogoutAnswer = successOf(Description)

const Session = z.object({
  user: z.object({ sys_id: z.string(), user_name: z.string(), display_name: z.string() }),
  roles: z.array(z.string()).readonly().meta({ description: 'All roles held; those of a key that is narrowed.' }),
  groups: z.array(z.string()).readonly().meta({ description: 'sys_ids of the groups of the user.' }),
  language: z.enum(['en', 'ru']),
  time_zone: z.string(),
  auth_method: z.enum(['password', 'session', 'api_key']),
  expires_at: utcTime.nullable().meta({ description: 'UTC; null for a password.' }),
  server_version: z.string(),
})
export type SessionDescription = z.output<typeof Session>

export const SessionAnswer = successOf(Session)
