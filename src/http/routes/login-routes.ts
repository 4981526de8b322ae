import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readVersion } from '../../config/version.ts'
import { LoginBody, type SessionDescription } from '../../contract/login.ts'
import type { Authenticated } from '../../identity/authenticate.ts'
import { type LoginRoom, logIn, logOut } from '../../identity/log-in.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { type HttpParts, smallBodyLimits } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { isForm, readFormMembers } from '../request/form/read-form-members.ts'
import { readJsonBody } from '../request/read-body.ts'
import { readShape } from '../request/read-shape.ts'
import { answering } from './answering.ts'

/** docs/spec/records.md, section 2. */
export function addLoginRoutes(app: FastifyInstance, parts: HttpParts, room: LoginRoom): void {
  for (const root of ['/v1/auth', '/rest/v1/auth']) {
    app.route({
      method: 'POST',
      url: `${root}/login`,
      config: { access: 'public' },
      handler: answering(parts.observe, (request) => login(parts, room, request)),
    })
    app.route({
      method: 'POST',
      url: `${root}/logout`,
      handler: answering(parts.observe, (request) => logout(room, request)),
    })
    app.route({
      method: ['GET', 'HEAD'],
      url: `${root}/session`,
      handler: answering(parts.observe, (request) => Promise.resolve(succeed(describeSession(callerOf(request))))),
    })
  }
}

async function login(parts: HttpParts, room: LoginRoom, request: FastifyRequest): Promise<Result<unknown, Problem>> {
  const limits = smallBodyLimits(parts)
  const body = isForm(request.raw)
    ? await readFormMembers(request.raw, ['username', 'password'], limits)
    : await readJsonBody(request.raw, limits)
  if (!body.ok) return body
  const claim = readShape(LoginBody, body.value)
  if (!claim.ok) return claim
  const { username: userName, password } = claim.value
  const session = await logIn(room, { userName, password, address: request.ip })
  return session.ok ? succeed({ auth_key: session.value.key, expires_at: session.value.expiresAt }) : session
}

async function logout(room: LoginRoom, request: FastifyRequest): Promise<Result<unknown, Problem>> {
  const caller = callerOf(request)
  const ended = await logOut(room, caller)
  return ended.ok ? succeed({ description: LOGGED_OUT[caller.principal.language] }) : ended
}

/** Who the caller is, and until when their credentials hold. */
function describeSession({ principal, means }: Authenticated): SessionDescription {
  return {
    user: { sys_id: principal.userId, user_name: principal.userName, display_name: principal.displayName },
    roles: [...principal.roles].sort(),
    groups: principal.groupIds,
    language: principal.language,
    time_zone: principal.timeZone,
    auth_method: means.kind,
    expires_at:
      means.kind === 'password' ? null : new Date(means.expiresAtMs).toISOString().slice(0, 19).replace('T', ' '),
    server_version: readVersion(),
  }
}

const LOGGED_OUT = { en: 'Logged out.', ru: 'Сеанс завершён.' }
