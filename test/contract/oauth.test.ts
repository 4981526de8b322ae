import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashPassword } from '../../src/identity/passwords.ts'
import { sql } from '../../src/kernel/sql.ts'
import { nowMs, PASSWORD, type Stage, setStage } from './records/fixture.ts'
import { errorBody } from './records/scenarios.ts'

const SECRET = 'a secret of a client'
let clockMs = nowMs
let stage: Stage
beforeAll(async () => {
  stage = await setStage([], { clock: { nowMs: () => clockMs } })
  const hash = await hashPassword(SECRET)
  await stage.run(sql`
    insert into docket.oauth_entity (name, client_id, client_secret, "user", access_token_lifespan, refresh_token_lifespan, active)
    values ('Connector', 'connector', ${hash}, 201, 1800, 7200, true),
           ('Without a user', 'anonymous', ${hash}, null, null, null, true),
           ('Off', 'off', ${hash}, 201, null, null, false)`)
})
afterAll(() => stage.close())

type Form = Readonly<Record<string, string>>
const CLIENT: Form = { client_id: 'connector', client_secret: SECRET }
const BY_PASSWORD: Form = { ...CLIENT, grant_type: 'password', username: 'worker', password: PASSWORD }

async function post(path: string, form: Form, headers: Readonly<Record<string, string>> = {}) {
  const body = new URLSearchParams(form).toString()
  const sent = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
  const response = await stage.send(null, `POST ${path}`, { body, headers: sent })
  return { status: response.status, headers: response.headers, body: response.body as Record<string, string> }
}

const token = (form: Form, headers?: Readonly<Record<string, string>>) => post('/oauth_token.do', form, headers)

/** The user of a token; if the token is rejected, the status. */
async function whoIs(accessToken: string | undefined): Promise<unknown> {
  const headers = { authorization: `Bearer ${accessToken}` }
  const { status, body } = await stage.send(null, 'GET /v1/auth/session', { headers })
  return status === 200 ? (body as { data: { user: { user_name: string } } }).data.user.user_name : status
}

const KEY = expect.stringMatching(/^[A-Za-z0-9_-]{64}$/)
const DENIED = {
  status: 401,
  body: {
    error: 'access_denied',
    error_description: 'The client or the user, or the secret of one of them, is wrong.',
  },
}

describe('tokens (issue 15, section 10)', () => {
  test('a password gives an access token and a refresh token, which no cache keeps', async () => {
    const { status, headers, body } = await token(BY_PASSWORD)
    expect({ status, body }).toEqual({
      status: 200,
      body: { access_token: KEY, refresh_token: KEY, scope: 'useraccount', token_type: 'Bearer', expires_in: 1799 },
    })
    expect([headers['cache-control'], headers['pragma']]).toEqual(['no-store', 'no-cache'])
    expect(await whoIs(body['access_token'])).toBe('worker')
    expect(await whoIs(body['refresh_token'])).toBe(401)
  })

  test('a client may say who it is by Basic', async () => {
    const { client_id: id, client_secret: secret, ...form } = BY_PASSWORD
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    expect((await token(form, { authorization })).status).toBe(200)
  })

  test('a refresh token gives access tokens until its end, and stays itself', async () => {
    const first = await token(BY_PASSWORD)
    const form = { ...CLIENT, grant_type: 'refresh_token', refresh_token: first.body['refresh_token'] ?? '' }
    clockMs += 1_900_000
    expect(await whoIs(first.body['access_token'])).toBe(401)
    const next = await token(form)
    expect({ status: next.status, body: next.body }).toEqual({
      status: 200,
      body: { ...first.body, access_token: KEY },
    })
    expect(next.body['access_token']).not.toBe(first.body['access_token'])
    expect(await whoIs(next.body['access_token'])).toBe('worker')
    clockMs += 7_200_000
    const over = await token(form)
    expect({ status: over.status, body: over.body }).toEqual({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'The refresh token has ended, or is none of this client.' },
    })
  })

  test('a refresh token is that of one client, and an access token is none', async () => {
    const { body } = await token(BY_PASSWORD)
    const refresh = (client: string, refreshToken = '') =>
      token({ grant_type: 'refresh_token', client_id: client, client_secret: SECRET, refresh_token: refreshToken })
    expect((await refresh('anonymous', body['refresh_token'])).body['error']).toBe('invalid_grant')
    expect((await refresh('connector', body['access_token'])).body['error']).toBe('invalid_grant')
    expect((await refresh('connector', 'x')).body['error']).toBe('invalid_grant')
  })

  test('client credentials act as the user of the client, without a refresh token', async () => {
    const { status, body } = await token({ ...CLIENT, grant_type: 'client_credentials' })
    expect({ status, body }).toEqual({
      status: 200,
      body: { access_token: KEY, scope: 'useraccount', token_type: 'Bearer', expires_in: 1799 },
    })
    expect(await whoIs(body['access_token'])).toBe('worker')
    const without = await token({ client_id: 'anonymous', client_secret: SECRET, grant_type: 'client_credentials' })
    expect({ status: without.status, body: without.body }).toEqual({
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: 'The client has no active user to act as (oauth_entity.user).',
      },
    })
  })
})

describe('what is wrong (issue 15, section 10)', () => {
  const denied: readonly (readonly [what: string, form: Form])[] = [
    ['the password', { ...BY_PASSWORD, password: 'no' }],
    ['the user', { ...BY_PASSWORD, username: 'no-such-user' }],
    ['the secret', { ...BY_PASSWORD, client_secret: 'no' }],
    ['the client', { ...BY_PASSWORD, client_id: 'no-such-client' }],
    ['a client that is not active', { ...BY_PASSWORD, client_id: 'off' }],
    ['a user in place of the client', { ...BY_PASSWORD, client_id: 'worker', client_secret: PASSWORD }],
    ['the secret of client credentials', { ...CLIENT, client_secret: 'no', grant_type: 'client_credentials' }],
  ]
  test.each(denied)('%s: one response', async (_what, form) => {
    const { status, headers, body } = await token(form)
    expect({ status, body }).toEqual(DENIED)
    expect(headers['cache-control']).toBe('no-store')
  })

  const invalid: readonly (readonly [error: string, form: Form, says: string])[] = [
    ['invalid_request', CLIENT, 'grant_type is needed: one of password, refresh_token and client_credentials.'],
    ['invalid_request', { ...BY_PASSWORD, password: '' }, 'username and password are needed with grant_type=password.'],
    [
      'invalid_request',
      { ...CLIENT, grant_type: 'refresh_token' },
      'refresh_token is needed with grant_type=refresh_token.',
    ],
    [
      'invalid_request',
      { grant_type: 'client_credentials', client_id: 'connector' },
      'client_id and client_secret are needed, in the form or as Basic.',
    ],
    ...['authorization_code', 'urn:ietf:params:oauth:grant-type:jwt-bearer', 'implicit'].map(
      (kind) =>
        [
          'unsupported_grant_type',
          { ...CLIENT, grant_type: kind },
          'This server issues tokens for password, refresh_token and client_credentials; it has no login page for authorization codes.',
        ] as const,
    ),
  ]
  test.each(invalid)('%s %j', async (error, form, says) => {
    const { status, headers, body } = await token(form)
    expect({ status, body }).toEqual({ status: 400, body: { error, error_description: says } })
    expect(headers['cache-control']).toBe('no-store')
  })

  test('what the server finds before the operation has the form of RFC 6749, too', async () => {
    const sent = async (method: string, path: string, type = '', body = '') => {
      const response = await fetch(`${stage.docket.baseUrl}${path}`, {
        method,
        ...(type === '' ? {} : { headers: { 'content-type': type }, body }),
      })
      const { status, headers } = response
      return { status, allow: headers.get('allow'), cache: headers.get('cache-control'), body: await response.json() }
    }
    const invalid = (status: number, detail: unknown, allow: string | null = null) => ({
      status,
      allow,
      cache: 'no-store',
      body: { error: 'invalid_request', error_description: detail },
    })
    for (const path of ['/oauth_token.do', '/oauth_revoke.do']) {
      expect(await sent('GET', path)).toEqual(
        invalid(405, 'GET is not allowed here; allowed: POST, OPTIONS.', 'POST, OPTIONS'),
      )
      const form = 'application/x-www-form-urlencoded'
      expect(await sent('POST', path, form, `token=${'x'.repeat(2_000_000)}`)).toEqual(
        invalid(413, expect.stringMatching(/^The body is larger than \d+ bytes\.$/)),
      )
      expect(await sent('POST', path, 'application/json', '{')).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    }
  })

  test('who guesses secrets is slowed and locked out as who guesses passwords', async () => {
    clockMs += 3_600_000
    const guesses: number[] = []
    for (let guess = 0; guess < 11; guess += 1) {
      guesses.push(
        (await token({ ...CLIENT, client_secret: `guess ${guess}`, grant_type: 'client_credentials' })).status,
      )
    }
    expect(guesses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
    const locked = await token({ ...CLIENT, client_secret: 'another', grant_type: 'client_credentials' })
    expect({ status: locked.status, body: locked.body }).toEqual({
      status: 429,
      body: { error: 'temporarily_unavailable', error_description: 'Too many wrong attempts.' },
    })
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0)
    clockMs += 3_600_000
  }, 60_000)
})

describe('the end of tokens (issue 15, section 10)', () => {
  const revoke = (form: Form) => post('/oauth_revoke.do', form)

  test('a revoked access token has ended; the refresh token goes on', async () => {
    const { body } = await token(BY_PASSWORD)
    const ended = await stage.send(null, `POST /oauth_revoke.do?token=${body['access_token']}`)
    expect([ended.status, ended.body]).toEqual([200, {}])
    expect(await whoIs(body['access_token'])).toBe(401)
    const next = await token({ ...CLIENT, grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '' })
    expect(await whoIs(next.body['access_token'])).toBe('worker')
  })

  test('a revoked refresh token ends the access tokens that it gave', async () => {
    const { body } = await token(BY_PASSWORD)
    const refreshToken = body['refresh_token'] ?? ''
    const next = await token({ ...CLIENT, grant_type: 'refresh_token', refresh_token: refreshToken })
    expect((await revoke({ token: refreshToken })).status).toBe(200)
    expect([await whoIs(body['access_token']), await whoIs(next.body['access_token'])]).toEqual([401, 401])
    const after = await token({ ...CLIENT, grant_type: 'refresh_token', refresh_token: refreshToken })
    expect(after.body['error']).toBe('invalid_grant')
  })

  test('who ends their sessions ends the refresh tokens behind them, but not that of a session that is kept', async () => {
    const next = async (refreshToken = ''): Promise<unknown> => {
      const { body } = await token({ ...CLIENT, grant_type: 'refresh_token', refresh_token: refreshToken })
      return body['error'] ?? (await whoIs(body['access_token']))
    }
    const [kept, one, another] = [await token(BY_PASSWORD), await token(BY_PASSWORD), await token(BY_PASSWORD)]
    const more = await token({ ...CLIENT, grant_type: 'refresh_token', refresh_token: one.body['refresh_token'] ?? '' })
    const headers = { authorization: `Bearer ${kept.body['access_token']}` }
    const { sys_id: id } = (
      await stage.run(sql`select k.sys_id::text from docket_system.access_key k where k.refreshed_by is not null
        and k.user_id = 201 and k.revoked_at is null order by k.sys_id desc limit 1`)
    )[0] as { sys_id: string }
    expect((await stage.send(null, `DELETE /v1/auth/sessions/${id}`, { headers })).status).toBe(200)
    expect([await next(one.body['refresh_token']), await whoIs(one.body['access_token'])]).toEqual([
      'invalid_grant',
      401,
    ])
    expect(await whoIs(more.body['access_token'])).toBe(401)
    expect(await next(another.body['refresh_token'])).toBe('worker')
    expect((await stage.send(null, 'DELETE /v1/auth/sessions', { headers })).status).toBe(200)
    expect([await next(another.body['refresh_token']), await next(kept.body['refresh_token'])]).toEqual([
      'invalid_grant',
      'worker',
    ])
  })

  test('an unknown token has ended already, and keys of logins are none of these', async () => {
    expect((await revoke({ token: 'x' })).status).toBe(200)
    const login = await stage.send(null, 'POST /v1/auth/login', { body: { username: 'worker', password: PASSWORD } })
    const key = (login.body as { data: { auth_key: string } }).data.auth_key
    expect((await revoke({ token: key })).status).toBe(200)
    expect(await whoIs(key)).toBe('worker')
    const none = await revoke({})
    expect({ status: none.status, body: none.body }).toEqual({
      status: 400,
      body: { error: 'invalid_request', error_description: 'token is needed.' },
    })
  })

  test('they end with the client', async () => {
    const { body } = await token(BY_PASSWORD)
    expect(await whoIs(body['access_token'])).toBe('worker')
    await stage.run(sql`update docket.oauth_entity set active = false where client_id = 'connector'`)
    expect(await whoIs(body['access_token'])).toBe(401)
    await stage.run(sql`update docket.oauth_entity set active = true where client_id = 'connector'`)
    expect(await whoIs(body['access_token'])).toBe('worker')
    const other = await token({ ...BY_PASSWORD, client_id: 'anonymous' })
    await stage.run(sql`delete from docket.oauth_entity where client_id = 'anonymous'`)
    expect(await whoIs(other.body['access_token'])).toBe(401)
  })

  test.each([
    ['client credentials', { ...CLIENT, grant_type: 'client_credentials' }],
    ['a password', BY_PASSWORD],
  ])('a token by %s makes no key: it would outlive the client', async (_grant, form) => {
    const { body } = await token(form)
    const keys = () => stage.run(sql`select sys_id from docket_system.access_key where kind = 'api_key'`)
    const before = await keys()
    const made = await stage.send(null, 'POST /v1/auth/keys', {
      body: { name: 'for later', life: '1h' },
      headers: { authorization: `Bearer ${body['access_token']}` },
    })
    const message =
      'An access token of an OAuth client cannot make API keys: that would outlive the client. Use a password, a session or an API key.'
    expect({ status: made.status, body: made.body }).toEqual({ status: 403, body: errorBody('ACCESS_DENIED', message) })
    expect(await keys()).toEqual(before)
    const { status } = await stage.send('worker', 'POST /v1/auth/keys', { body: { name: 'by password', life: '1h' } })
    expect(status).toBe(200)
  })

  test('they end with the password and with the user', async () => {
    const form = { ...BY_PASSWORD, username: 'moscow' }
    const { body } = await token(form)
    const hash = await hashPassword('another password')
    await stage.run(sql`update docket."user" set password = ${hash} where user_name = 'moscow'`)
    expect(await whoIs(body['access_token'])).toBe(401)
    const refresh = { ...CLIENT, grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '' }
    expect((await token(refresh)).body['error']).toBe('invalid_grant')
    const next = await token({ ...form, password: 'another password' })
    expect(await whoIs(next.body['access_token'])).toBe('moscow')
    await stage.run(sql`update docket."user" set active = false where user_name = 'moscow'`)
    expect(await whoIs(next.body['access_token'])).toBe(401)
  })
})

describe('oauth_entity (issue 15, section 10)', () => {
  const body = { name: 'By API', client_id: 'by-api', client_secret: SECRET, user: '202' }

  test('administrators make clients; nobody reads their secrets; only a hash is stored', async () => {
    const made = await stage.send('admin', 'POST /rest/v1/table/oauth_entity', { body })
    expect(made.status).toBe(200)
    expect(JSON.stringify(made.body)).not.toContain(SECRET)
    const [row] = (await stage.run(
      sql`select client_secret from docket.oauth_entity where client_id = 'by-api'`,
    )) as readonly { client_secret: string }[]
    expect(row?.client_secret).toMatch(/^\$argon2id\$/)
    const issued = await token({ client_id: 'by-api', client_secret: SECRET, grant_type: 'client_credentials' })
    expect(await whoIs(issued.body['access_token'])).toBe('reader')
  })

  test('a client needs a secret, on create and later', async () => {
    const { client_secret: _, ...without } = { ...body, client_id: 'without' }
    const made = await stage.send('admin', 'POST /rest/v1/table/oauth_entity', { body: without })
    const message = 'The value of client_secret is rejected: it is mandatory; give it a value.'
    expect([made.status, (made.body as { errors: unknown }).errors]).toEqual([
      422,
      [{ message, code: 'INVALID_VALUE', field: 'client_secret' }],
    ])
    const now = await stage.send('admin', 'POST /api/now/table/oauth_entity', { body: without })
    expect([now.status, (now.body as { error: { detail: string } }).error.detail]).toEqual([403, message])
    const kept = await stage.send('admin', 'POST /rest/v1/table/oauth_entity', { body: { ...body, client_id: 'kept' } })
    const [{ sys_id: id }] = (kept.body as { data: [{ sys_id: string }] }).data
    const patch = (values: object) => stage.send('admin', `PATCH /rest/v1/table/oauth_entity/${id}`, { body: values })
    expect([(await patch({ client_secret: '' })).status, (await patch({ name: 'Renamed' })).status]).toEqual([422, 200])
  })

  test('others see none and make none', async () => {
    expect((await stage.send('worker', 'GET /rest/v1/table/oauth_entity')).status).toBe(403)
    const made = await stage.send('worker', 'POST /rest/v1/table/oauth_entity', { body: { ...body, client_id: 'x' } })
    expect(made.status).toBe(403)
  })

  test('a narrowed key of an administrator makes none', async () => {
    const key = await stage.send('admin', 'POST /v1/auth/keys', { body: { name: 'narrow', life: '1d' } })
    const [{ auth_key: value }] = (key.body as { data: [{ auth_key: string }] }).data
    const made = await stage.send(null, 'POST /rest/v1/table/oauth_entity', {
      body: { ...body, client_id: 'y' },
      headers: { authorization: `Bearer ${value}` },
    })
    expect(made.status).toBe(403)
  })
})
