import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type KeyOnTheWire, MakeKeyBody } from '../../contract/api-keys.ts'
import type { ApiKey, KeyRoom } from '../../identity/api-keys.ts'
import { defaultKeyLife, readLifetime } from '../../identity/key-lifetime.ts'
import { listKeysForCaller, makeKeyForCaller, revokeKeyForCaller } from '../../identity/keys-of-caller.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { type HttpParts, smallBodyLimits } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { readQueryString } from '../request/query-string.ts'
import { readJsonBody } from '../request/read-body.ts'
import { readShape } from '../request/read-shape.ts'
import { queryOf } from '../request/request-target.ts'
import { answering } from './answering.ts'

/** API keys: docs/spec/records.md, section 2. */
export function addKeyRoutes(app: FastifyInstance, parts: HttpParts, room: KeyRoom): void {
  for (const root of ['/v1/auth', '/rest/v1/auth']) {
    app.route({
      method: ['GET', 'HEAD'],
      url: `${root}/keys`,
      handler: answering(parts.observe, (request) => listKeys(room, request)),
    })
    app.route({
      method: 'POST',
      url: `${root}/keys`,
      handler: answering(parts.observe, (request) => makeKey(parts, room, request)),
    })
    app.route({
      method: 'DELETE',
      url: `${root}/keys/:id`,
      handler: answering(parts.observe, (request) => revokeKey(room, request)),
    })
  }
}

async function listKeys(room: KeyRoom, request: FastifyRequest): Promise<Result<unknown, Problem>> {
  const parameters = readQueryString(queryOf(request.raw.url ?? ''))
  if (!parameters.ok) return parameters
  const userId = parameters.value.get('user_id') || null
  const keys = await listKeysForCaller(room, callerOf(request), userId)
  return keys.ok ? succeed(keys.value.map(keyOnTheWire)) : keys
}

async function makeKey(parts: HttpParts, room: KeyRoom, request: FastifyRequest): Promise<Result<unknown, Problem>> {
  const body = await readJsonBody(request.raw, smallBodyLimits(parts))
  if (!body.ok) return body
  const wanted = readShape(MakeKeyBody, body.value)
  if (!wanted.ok) return wanted
  const { name, life = defaultKeyLife, roles = null, user_id: userId = null } = wanted.value
  const lifeMs = readLifetime(life)
  if (lifeMs === undefined) {
    return refuse({ kind: 'invalid-value', field: 'life', detail: 'it is written like 12h, 90d, 8w or 1y' })
  }
  const asked = { userId, name, roles, expiresAtMs: room.clock.nowMs() + lifeMs }
  const made = await makeKeyForCaller(room, callerOf(request), asked)
  return made.ok ? succeed([{ ...keyOnTheWire(made.value), auth_key: made.value.key }]) : made
}

async function revokeKey(room: KeyRoom, request: FastifyRequest): Promise<Result<unknown, Problem>> {
  const caller = callerOf(request)
  const { id } = request.params as { readonly id: string }
  const revoked = await revokeKeyForCaller(room, caller, id)
  return revoked.ok ? succeed({ description: REVOKED[caller.principal.language] }) : revoked
}

const REVOKED = { en: 'The key was revoked.', ru: 'Ключ отозван.' }

const keyOnTheWire = (key: ApiKey): KeyOnTheWire => ({
  id: key.id,
  user_id: key.userId,
  user_name: key.userName,
  name: key.name,
  roles: key.roles === null ? null : [...key.roles],
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  last_used_at: key.lastUsedAt,
  state: key.state,
})
