import {
  LoginBody,
  LoginEnvelope,
  LoginForm,
  LogoutEnvelope,
  type SessionDescription,
  SessionEnvelope,
} from '../../contract/login.ts'
import { mayReadDocuments } from '../../documents/rights/collection-access.ts'
import { ANONYMOUS } from '../../http/endpoint/access.ts'
import { declare, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { Authenticated } from '../../identity/authenticate.ts'
import { type LogInDeps, logIn, logOut } from '../../identity/log-in.ts'
import { logInBrowser } from '../../identity/manage-sessions.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { hasViewers } from '../../records/viewers.ts'
import { type LatestEventDeps, latestEventId } from '../changes/latest-event-id.ts'
import { describeSession } from './describe-session.ts'

export interface LoginDeps extends LatestEventDeps {
  readonly login: LogInDeps
  /** Configured features of the server. */
  readonly features: Omit<SessionDescription['features'], 'viewers'>
}

const loginEndpoint = declare({
  id: 'login',
  path: '/v1/auth/login',
  alsoAt: ['/rest/v1/auth/login'],
  methods: ['POST'],
  tag: 'Access',
  summary: 'Get an access key for a name and a password',
  description: 'JSON, or the same members as a form (urlencoded or multipart), in which other members are ignored.',
  access: ANONYMOUS,
  input: {},
  otherNames: 'ignored',
  receives: 'small-json-or-form',
  body: LoginBody,
  form: LoginForm,
  output: LoginEnvelope,
  errors: [401, 429, 503],
  isGated: false,
  async handle(deps: LoginDeps, { body }, request) {
    const claim = { userName: body.username, password: body.password, address: request.address }
    // HTML forms cannot send `session`, because a form may come from a page of another origin.
    if (body.session === 'cookie') return logInPage(deps, claim, request)
    const session = await logIn(deps.login, claim)
    if (!session.ok) return session
    return succeed({ data: { auth_key: session.value.key, expires_at: session.value.expiresAt } })
  },
})

/** Puts the key into a cookie, never into the body, so that no script of the page can read it. */
async function logInPage(
  deps: LoginDeps,
  claim: { readonly userName: string; readonly password: string; readonly address: string },
  { cookie, headers, becomeCaller }: EndpointRequest,
): Promise<Result<EndpointResponse, Problem>> {
  if (!cookie.isSentByOwnPage) return fail({ kind: 'not-own-page' })
  const userAgent = headers['user-agent'] ?? ''
  const key = await logInBrowser(deps.login, { ...claim, userAgent, replaces: cookie.key })
  if (!key.ok) return key
  const caller = await becomeCaller({ kind: 'cookie', key: key.value, isUse: true })
  if (!caller.ok) return caller
  return succeed({ data: await sessionOf(deps, caller.value), headers: cookie.headersWith(key.value) })
}

async function sessionOf(deps: LoginDeps, caller: Authenticated): Promise<SessionDescription> {
  const viewers = hasViewers(await deps.records.catalog.upToDate())
  const { principal } = caller
  const [lastEventId, may_read_documents] = await Promise.all([
    latestEventId(deps, principal.userId),
    mayReadDocuments(deps.records.database, principal),
  ])
  return describeSession(caller, { features: { ...deps.features, viewers }, may_read_documents, lastEventId })
}

const logoutEndpoint = declare({
  id: 'logout',
  path: '/v1/auth/logout',
  alsoAt: ['/rest/v1/auth/logout'],
  methods: ['POST'],
  tag: 'Access',
  summary: 'End the key of a login at once',
  description:
    'The key of the request is no longer accepted. An API key is revoked by DELETE /v1/auth/keys/{id} instead.',
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  output: LogoutEnvelope,
  errors: [409],
  isGated: false,
  async handle({ login }: LoginDeps, _input, { caller, withoutCookie }) {
    const ended = await logOut(login, caller)
    if (!ended.ok) return ended
    return succeed({ data: { description: LOGGED_OUT[caller.principal.language] }, headers: withoutCookie })
  },
})

const LOGGED_OUT = { en: 'Logged out.', ru: 'Сеанс завершён.' }

const sessionEndpoint = declare({
  id: 'session',
  path: '/v1/auth/session',
  alsoAt: ['/rest/v1/auth/session'],
  methods: ['GET'],
  tag: 'Access',
  summary: 'Who the caller is',
  description: 'The user behind the credentials, with roles, groups, language and time zone.',
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  output: SessionEnvelope,
  errors: [],
  isGated: false,
  handle: async (deps: LoginDeps, _input, { caller }) => succeed({ data: await sessionOf(deps, caller) }),
})

/** docs/spec/records.md, section 2. */
export const loginEndpoints = [loginEndpoint, logoutEndpoint, sessionEndpoint]
