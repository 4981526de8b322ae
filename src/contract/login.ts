import { z } from 'zod'
import { Description, successOf } from './envelope.ts'
import { accessKey, utcTime } from './values.ts'

/** In UTF-16 units: a password of 1,024 characters outside the basic plane. A shorter one could be set and never be used. */
const maxPassword = 2_048

/** docs/spec/records.md, section 2. */
export const LoginBody = z
  .strictObject({
    username: z.string().max(1_000).meta({ description: 'User name.' }),
    password: z.string().max(maxPassword).meta({ description: 'Password.' }),
    session: z.enum(['key', 'cookie']).optional().meta({
      description:
        '`cookie`: a browser session. Its key comes in a cookie only, and the response is that of GET /v1/auth/session. Needs `Origin` of this server and the header `X-Docket-Console`.',
    }),
  })
  .meta({ id: 'Login', description: 'Name and password of a user.' })

/** Deployed clients sign in by form, and send members such as `language` with it. */
export const LoginForm = z
  .looseObject(LoginBody.omit({ session: true }).shape)
  .meta({ id: 'LoginForm', description: 'The same as a form; other members are ignored.' })

export const LogoutEnvelope = successOf(Description).meta({ id: 'LogoutAnswer' })

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
  auth_method: z.enum(['password', 'session', 'api_key', 'cookie']).meta({
    description: 'How the request is authenticated; `session`: by the key of a login, `cookie`: by a browser session.',
  }),
  expires_at: utcTime.nullable().meta({
    description: 'UTC; null for a password. A browser session ends then if it is not used again.',
  }),
  ends_at: utcTime
    .nullable()
    .meta({ description: 'UTC: the latest end, however much it is used; null for a password.' }),
  landing_page: z.enum(['administrator', 'agent', 'caller']).meta({
    description: 'What the user sees first: `administrator` with the role admin or security_admin, `agent` with itil.',
  }),
  may_read_documents: z.boolean().meta({
    description:
      'The caller may search: they hold document_reader or admin, or may read a collection by a role of its own.',
  }),
  features: z
    .object({
      hybrid: z.boolean().meta({ description: 'Search compares vectors, too.' }),
      converter: z.boolean().meta({ description: 'Files of further formats are converted.' }),
      viewers: z.boolean().meta({ description: 'Pages report which record they display (PUT /v1/viewers).' }),
    })
    .meta({ description: 'What the server is configured for.' }),
  server_version: z.string().meta({ description: 'Version of the server.' }),
  last_event_id: z.string().meta({
    description:
      'An event stream with this `last_event_id` has all changes after this response. It belongs to no change, and differs each time.',
  }),
})
export type SessionDescription = z.output<typeof Session>

export const SessionEnvelope = successOf(Session).meta({ id: 'Session' })

export const LoginEnvelope = successOf(
  z.union([
    z
      .object({
        auth_key: accessKey,
        expires_at: utcTime.meta({ description: 'UTC. Using the key does not prolong it.' }),
      })
      .meta({ description: 'An access key.' }),
    Session.meta({
      description: 'With `session` = `cookie`: who the caller is from now on. The key is in the cookie.',
    }),
  ]),
).meta({ id: 'LoginAnswer' })

const ListedSession = z.object({
  id: z.string().meta({ description: 'Identifier of the session.' }),
  kind: z.enum(['session', 'cookie']).meta({ description: '`cookie`: of a browser; `session`: the key of a login.' }),
  is_current: z.boolean().meta({ description: 'This request uses it.' }),
  created_at: utcTime,
  last_used_at: utcTime.nullable().meta({ description: 'To a minute for a browser, to ten for a key.' }),
  expires_at: utcTime.meta({ description: 'UTC: the end, if it is not used again.' }),
  user_agent: z.string().nullable().meta({ description: 'What the browser called itself; null for a key.' }),
  address: z.string().nullable().meta({ description: 'Where the browser signed in from; null for a key.' }),
})
export type ListedSessionResponse = z.output<typeof ListedSession>

export const SessionsEnvelope = successOf(z.array(ListedSession)).meta({
  id: 'Sessions',
  description: 'The sessions of the caller.',
})

export const EndedSessionEnvelope = successOf(Description).meta({
  id: 'EndedSession',
  description: 'The session ended.',
})

export const EndedSessionsEnvelope = successOf(
  Description.extend({ ended: z.int().meta({ description: 'How many sessions ended.' }) }),
).meta({ id: 'EndedSessions', description: 'The other sessions ended.' })

export const PasswordBody = z
  .strictObject({
    old: z.string().max(maxPassword).meta({ description: 'The current password.' }),
    new: z.string().max(10_000).meta({ description: 'The new one: 8 to 1,024 characters, not the user name.' }),
  })
  .meta({ description: 'The old and the new password.' })

export const ChangedPasswordEnvelope = successOf(Description).meta({
  id: 'ChangedPassword',
  description: 'The password was changed.',
})
