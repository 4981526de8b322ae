import {
  ChangedPasswordEnvelope,
  EndedSessionEnvelope,
  EndedSessionsEnvelope,
  type ListedSessionResponse,
  PasswordBody,
  SessionsEnvelope,
} from '../../contract/login.ts'
import { declare, type Endpoint } from '../../http/endpoint/declare.ts'
import type { Authenticated } from '../../identity/authenticate.ts'
import { changeOwnPassword } from '../../identity/change-own-password.ts'
import {
  type BrowserSessionDeps,
  endOtherSessions,
  endSession,
  type ListedSession,
  listSessions,
  maxListedSessions,
} from '../../identity/manage-sessions.ts'
import { narrowedKeyProblem } from '../../identity/narrowed-key.ts'
import { fail, succeed } from '../../kernel/result.ts'

interface SessionDeps {
  readonly login: BrowserSessionDeps
}

const listEndpoint = declare({
  id: 'sessions.list',
  path: '/v1/auth/sessions',
  methods: ['GET'],
  tag: 'Access',
  summary: 'List your sessions',
  description: `Browsers and keys of logins that are valid now, the latest use first; ${maxListedSessions} at most. API keys are listed by /v1/auth/keys.`,
  input: {},
  output: SessionsEnvelope,
  errors: [403],
  isGated: false,
  async handle({ login: deps }: SessionDeps, _input, { caller }) {
    const problem = narrowedKeyProblem(caller.principal, 'list sessions')
    if (problem !== undefined) return fail(problem)
    const sessions = await listSessions(deps, caller.principal.userId)
    return succeed({ data: sessions.map((session) => sessionResponse(session, caller)) })
  },
})

const endEndpoint = declare({
  id: 'sessions.end',
  path: '/v1/auth/sessions/{id}',
  methods: ['DELETE'],
  tag: 'Access',
  summary: 'End one of your sessions at once',
  description: '`current` is the session of the request: signing out. The cookie of a browser is removed with it.',
  input: {},
  inPath: { id: 'Identifier of a session of yours, or `current`.' },
  output: EndedSessionEnvelope,
  errors: [403, 404, 409],
  isGated: false,
  async handle({ login: deps }: SessionDeps, _input, { caller, path, withoutCookie }) {
    const current = sessionIdOf(caller)
    const id = path['id'] === 'current' ? current : (path['id'] ?? '')
    if (id === null) return fail({ kind: 'conflict', detail: NO_SESSION })
    const problem = narrowedKeyProblem(caller.principal, 'end sessions')
    if (problem !== undefined) return fail(problem)
    const ended = await endSession(deps, caller.principal.userId, id)
    if (!ended.ok) return ended
    const data = { description: ENDED[caller.principal.language] }
    return succeed({ data, headers: id === current ? withoutCookie : {} })
  },
})

const endOthersEndpoint = declare({
  id: 'sessions.end_others',
  path: '/v1/auth/sessions',
  methods: ['DELETE'],
  tag: 'Access',
  summary: 'End all your other sessions at once',
  description: 'The session of the request and API keys stay valid.',
  input: {},
  output: EndedSessionsEnvelope,
  errors: [403],
  isGated: false,
  async handle({ login: deps }: SessionDeps, _input, { caller }) {
    const { principal } = caller
    const problem = narrowedKeyProblem(principal, 'end sessions')
    if (problem !== undefined) return fail(problem)
    const ended = await endOtherSessions(deps, principal.userId, sessionIdOf(caller))
    return succeed({ data: { description: OTHERS_ENDED[principal.language], ended } })
  },
})

const passwordEndpoint = declare({
  id: 'password.change',
  path: '/v1/auth/password',
  methods: ['POST'],
  tag: 'Access',
  summary: 'Change your own password',
  description: 'All your other sessions and your API keys end with it. Wrong old passwords count as failed logins.',
  input: {},
  body: PasswordBody,
  output: ChangedPasswordEnvelope,
  errors: [403, 429],
  isGated: false,
  async handle({ login: deps }: SessionDeps, { body }, { caller, address }) {
    const problem = narrowedKeyProblem(caller.principal, 'change password of users')
    if (problem !== undefined) return fail(problem)
    const changed = await changeOwnPassword(deps, caller, { oldPassword: body.old, newPassword: body.new, address })
    return changed.ok ? succeed({ data: { description: CHANGED[caller.principal.language] } }) : changed
  },
})

/** Sessions of a user, and the caller's own password: docs/api-for-pages.md. */
export const sessionEndpoints: readonly Endpoint<SessionDeps>[] = [
  listEndpoint,
  endOthersEndpoint,
  endEndpoint,
  passwordEndpoint,
]

const NO_SESSION = 'The request came with no session: an API key is revoked, a password has none.'
const ENDED = { en: 'The session ended.', ru: 'Сеанс завершён.' }
const OTHERS_ENDED = { en: 'The other sessions ended.', ru: 'Остальные сеансы завершены.' }
const CHANGED = {
  en: 'The password was changed. All other sessions and API keys ended.',
  ru: 'Пароль изменён. Остальные сеансы и ключи API завершены.',
}

const sessionIdOf = ({ means }: Authenticated): string | null =>
  means.kind === 'session' || means.kind === 'cookie' ? means.keyId : null

const sessionResponse = (session: ListedSession, caller: Authenticated): ListedSessionResponse => ({
  id: session.id,
  kind: session.kind,
  is_current: session.id === sessionIdOf(caller),
  created_at: session.createdAt,
  last_used_at: session.lastUsedAt,
  expires_at: session.expiresAt,
  user_agent: session.userAgent,
  address: session.address,
})
