import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LoginBody } from '../../contract/login.ts'
import { logInBrowser } from '../../identity/browser-sessions.ts'
import { type LoginRoom, logIn, logOut } from '../../identity/log-in.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { describeSession } from '../answer/describe-session.ts'
import { type HttpParts, smallBodyLimits } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { isForm, readFormMembers } from '../request/form/read-form-members.ts'
import { readJsonBody } from '../request/read-body.ts'
import { readShape } from '../request/read-shape.ts'
import { cookieWith, emptyCookie, isSentByOwnPage, sessionKeyOf } from '../request/session-cookie.ts'
import { answering } from './answering.ts'

/** docs/spec/records.md, section 2. */
export function addLoginRoutes(app: FastifyInstance, parts: HttpParts, room: LoginRoom): void {
  for (const root of ['/v1/auth', '/rest/v1/auth']) {
    app.route({
      method: 'POST',
      url: `${root}/login`,
      config: { access: 'public' },
      handler: answering(parts.observe, (request, reply) => login(parts, room, request, reply)),
    })
    app.route({
      method: 'POST',
      url: `${root}/logout`,
      handler: answering(parts.observe, (request, reply) => logout(parts, room, request, reply)),
    })
    app.route({
      method: ['GET', 'HEAD'],
      url: `${root}/session`,
      handler: answering(parts.observe, (request) =>
        Promise.resolve(succeed(describeSession(callerOf(request), parts))),
      ),
    })
  }
}

async function login(
  parts: HttpParts,
  room: LoginRoom,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Result<unknown, Problem>> {
  const limits = smallBodyLimits(parts)
  const body = isForm(request.raw)
    ? await readFormMembers(request.raw, ['username', 'password'], limits)
    : await readJsonBody(request.raw, limits)
  if (!body.ok) return body
  const claim = readShape(LoginBody, body.value)
  if (!claim.ok) return claim
  const { username: userName, password } = claim.value
  if (claim.value.session === 'cookie' && !isForm(request.raw))
    return loginOfBrowser(parts, room, { userName, password }, { request, reply })
  const session = await logIn(room, { userName, password, address: request.ip })
  return session.ok ? succeed({ auth_key: session.value.key, expires_at: session.value.expiresAt }) : session
}

/** The key goes into a cookie, never into the body: no script of the page has it. */
async function loginOfBrowser(
  parts: HttpParts,
  room: LoginRoom,
  claim: { readonly userName: string; readonly password: string },
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<Result<unknown, Problem>> {
  const { settings, authenticator } = parts
  if (!isSentByOwnPage(request, settings)) return refuse({ kind: 'not-own-page' })
  const replaces = sessionKeyOf(request, settings)
  const userAgent = request.headers['user-agent'] ?? ''
  const key = await logInBrowser(room, { ...claim, address: request.ip, userAgent, replaces })
  if (!key.ok) return key
  const caller = await authenticator.authenticateNow({ kind: 'cookie', key: key.value, isUse: true }, request.ip)
  if (!caller.ok) return caller
  request.caller = caller.value
  reply.raw.setHeader('set-cookie', cookieWith(key.value, request, settings))
  return succeed(describeSession(caller.value, parts))
}

async function logout(
  { settings }: HttpParts,
  room: LoginRoom,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Result<unknown, Problem>> {
  const caller = callerOf(request)
  const ended = await logOut(room, caller)
  if (ended.ok && request.sessionKey !== null) reply.raw.setHeader('set-cookie', emptyCookie(request, settings))
  return ended.ok ? succeed({ description: LOGGED_OUT[caller.principal.language] }) : ended
}

const LOGGED_OUT = { en: 'Logged out.', ru: 'Сеанс завершён.' }
