import { z } from 'zod'
import { Description, successOf } from './envelope.ts'
import { accessKey, utcTime } from './values.ts'

/** docs/spec/records.md, section 2. */
export const LoginBody = z
  .strictObject({
    username: z.string().max(1_000).meta({ description: 'User name.' }),
    password: z.string().max(1_000).meta({ description: 'Password.' }),
  })
  .meta({ description: 'Name and password of a user.' })

/** Deployed clients sign in by form, and send members such as `language` with it. */
export const LoginForm = z
  .looseObject(LoginBody.shape)
  .meta({ description: 'The same as a form; other members are ignored.' })

export const LoginAnswer = successOf(
  z.object({
    auth_key: accessKey,
    expires_at: utcTime.meta({ description: 'UTC. Using the key does not prolong it.' }),
  }),
)

export const LogoutAnswer = successOf(Description)

const Session = z.object({
  user: z
    .object({
      sys_id: z.string().meta({ description: 'sys_id of the user.' }),
      user_name: z.string().meta({ description: 'Name that the user signs in with.' }),
      display_name: z.string().meta({ description: 'Name of the user.' }),
    })
    .meta({ description: 'The caller.' }),
  roles: z.array(z.string()).readonly().meta({ description: 'All roles held; those of a key that is narrowed.' }),
  groups: z.array(z.string()).readonly().meta({ description: 'sys_ids of the groups of the user.' }),
  language: z.enum(['en', 'ru']).meta({ description: 'Language of the caller.' }),
  time_zone: z.string().meta({ description: 'Time zone of the caller, such as Europe/Moscow.' }),
  auth_method: z.enum(['password', 'session', 'api_key']).meta({ description: 'How the request is authenticated.' }),
  expires_at: utcTime.nullable().meta({ description: 'UTC; null for a password.' }),
  server_version: z.string().meta({ description: 'Version of the server.' }),
})
export type SessionDescription = z.output<typeof Session>

export const SessionAnswer = successOf(Session)
