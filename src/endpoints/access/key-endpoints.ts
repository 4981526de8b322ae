import { z } from 'zod'
import {
  type KeyResponse,
  KeysEnvelope,
  MadeKeyEnvelope,
  MakeKeyBody,
  RevokedKeyEnvelope,
} from '../../contract/api-keys.ts'
import { declare } from '../../http/endpoint/declare.ts'
import type { ApiKey, ApiKeyDeps } from '../../identity/api-keys.ts'
import { defaultKeyLife, readLifetime } from '../../identity/key-lifetime.ts'
import { listKeysForCaller, makeKeyForCaller, revokeKeyForCaller } from '../../identity/keys-of-caller.ts'
import { fail, succeed } from '../../kernel/result.ts'

interface KeyDeps {
  readonly keys: ApiKeyDeps
}

const shared = {
  path: '/v1/auth/keys',
  alsoAt: ['/rest/v1/auth/keys'],
  tag: 'Access',
  otherNames: 'ignored',
  isGated: false,
} as const

const listEndpoint = declare({
  ...shared,
  id: 'keys.list',
  methods: ['GET'],
  summary: 'List API keys',
  description: 'Without user_id, your own keys. The keys themselves are in no response again.',
  input: {
    user_id: z.string().optional().meta({
      description: 'sys_id of another user, or `*` for all; administrators only.',
    }),
  },
  receives: 'nothing',
  output: KeysEnvelope,
  errors: [403, 404],
  async handle({ keys: deps }: KeyDeps, { user_id: userId = null }, { caller }) {
    const keys = await listKeysForCaller(deps, caller, userId)
    return keys.ok ? succeed({ data: keys.value.map(keyResponse) }) : keys
  },
})

const makeEndpoint = declare({
  ...shared,
  id: 'keys.make',
  methods: ['POST'],
  summary: 'Make an API key; it is shown once',
  description: 'With all roles of the user, or narrowed to some of them.',
  input: {},
  receives: 'small-json',
  body: MakeKeyBody,
  output: MadeKeyEnvelope,
  errors: [403, 404, 409],
  async handle({ keys: deps }: KeyDeps, { body }, { caller }) {
    const { name, life = defaultKeyLife, roles = null, user_id: userId = null } = body
    const lifeMs = readLifetime(life)
    if (lifeMs === undefined) {
      return fail({ kind: 'invalid-value', field: 'life', detail: 'it is written like 12h, 90d, 8w or 1y' })
    }
    const wanted = { userId, name, roles, expiresAtMs: deps.clock.nowMs() + lifeMs }
    const made = await makeKeyForCaller(deps, caller, wanted)
    return made.ok ? succeed({ data: [{ ...keyResponse(made.value), auth_key: made.value.key }] }) : made
  },
})

const revokeEndpoint = declare({
  ...shared,
  id: 'keys.revoke',
  path: '/v1/auth/keys/{id}',
  alsoAt: ['/rest/v1/auth/keys/{id}'],
  methods: ['DELETE'],
  summary: 'Revoke an API key at once',
  description: 'Your own keys; administrators can revoke all keys.',
  input: {},
  receives: 'nothing',
  inPath: { id: 'Identifier of the key, from the list.' },
  output: RevokedKeyEnvelope,
  errors: [403, 404],
  async handle({ keys: deps }: KeyDeps, _input, { caller, path }) {
    const revoked = await revokeKeyForCaller(deps, caller, path['id'] ?? '')
    return revoked.ok ? succeed({ data: { description: REVOKED[caller.principal.language] } }) : revoked
  },
})

const REVOKED = { en: 'The key was revoked.', ru: 'Ключ отозван.' }

const keyResponse = (key: ApiKey): KeyResponse => ({
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

/** API keys: docs/spec/records.md, section 2. */
export const keyEndpoints = [listEndpoint, makeEndpoint, revokeEndpoint]
