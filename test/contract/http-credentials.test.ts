import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config/settings.ts'
import { OPEN_ROUTES } from '../../src/endpoints/open-routes.ts'
import { ANONYMOUS, ANONYMOUS_OR_CALLER } from '../../src/http/endpoint/access.ts'
import { makeHttpServer } from '../../src/http/http-server.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket()
})
afterAll(() => docket.close())

const rejected = (message: string, code = 'UNAUTHENTICATED', more: Readonly<Record<string, unknown>> = {}) => ({
  status: 'ERROR',
  error_type: 'SERVER',
  message,
  errors: [{ message, code, ...more }],
  request_id: 'r',
})
const missing =
  'Credentials are needed: the header Authorization with Bearer <access key> or Basic, or X-API-Key. ' +
  'POST /v1/auth/login gives an access key.'
const wrong = 'The credentials are wrong.'
const headers = { 'x-request-id': 'r' }

describe('lesson: a REST resource shipped with authentication off (ServiceNow, June 2026)', () => {
  const routesOf = async () => {
    const { app } = await buildApp({
      settings: readSettings({ DOCKET_DATA_DIR: docket.dataDir }),
      database: docket.database,
      observe: observeNothing,
      metrics: createMetrics(),
      clock: systemClock,
    })
    await app.close()
    return [...app.knownRoutes].flatMap(([path, methods]) => [...methods].map((method) => ({ method, path })))
  }

  const rejectedByServiceNow = {
    error: { message: 'User Not Authenticated', detail: 'Required to provide Auth information' },
    status: 'failure',
    request_id: expect.any(String),
  }

  test('every route asks for credentials, except those on the list', async () => {
    const routes = await routesOf()
    const open: string[] = []
    for (const { method, path } of routes) {
      const url = path.replace(/:\w+/g, '1')
      const response = await docket.request(method, url, { headers, ...(method === 'POST' ? { body: '{"x":' } : {}) })
      if (response.status !== 401) open.push(`${method} ${path}`)
      else if (method !== 'HEAD')
        expect(response.body).toEqual(path.startsWith('/api/now/') ? rejectedByServiceNow : rejected(missing))
    }
    expect(routes.length).toBeGreaterThan(20)
    const isListed = (route: string) => OPEN_ROUTES.has(route.replace(/^HEAD /, 'GET '))
    expect(open).toEqual(routes.map(({ method, path }) => `${method} ${path}`).filter(isListed))
  })

  test('the list of open routes names no route that is not there', async () => {
    const routes = (await routesOf()).map(({ method, path }) => `${method} ${path}`)
    expect([...OPEN_ROUTES].filter((route) => !routes.includes(route))).toEqual([])
  })

  test.each([ANONYMOUS, ANONYMOUS_OR_CALLER])(
    'a server with a route that needs no credentials ($caller) and is not on the list does not start',
    (access) => {
      const app = makeHttpServer({
        settings: readSettings({}),
        observe: observeNothing,
        openRoutes: OPEN_ROUTES,
        authenticator: {
          authenticate: () => Promise.reject(new Error('not asked')),
          authenticateNow: () => Promise.reject(new Error('not asked')),
          forget: () => undefined,
        },
      })
      expect(() => app.get('/secret', { config: { access } }, () => 'x')).toThrow(
        'the route GET /secret needs no credentials but is not in OPEN_ROUTES',
      )
    },
  )
})

describe('lesson: the body was read before anybody knew who sends it (Chroma CVE-2026-45829)', () => {
  test('without credentials a broken, huge or form body is 401', async () => {
    for (const body of ['{"broken":', 'x'.repeat(3_000_000)]) {
      const response = await docket.request('POST', '/rest/v1/table/task', { headers, body })
      expect({ status: response.status, body: response.body }).toEqual({ status: 401, body: rejected(missing) })
    }
  })
})

describe('credentials', () => {
  const url = '/v1/auth/keys'

  test.each([
    ['a wrong password', { authorization: `Basic ${btoa('admin:nope')}` }, wrong],
    ['a user who does not exist', { authorization: `Basic ${btoa('nobody:nope')}` }, wrong],
    ['a key that nobody has', { authorization: `Bearer ${'a'.repeat(64)}` }, wrong],
    ['a key of another shape', { 'x-api-key': 'a' }, wrong],
    [
      'another scheme',
      { authorization: 'Digest username="admin"' },
      'The credentials cannot be read. Send Authorization: Bearer <access key> or Authorization: Basic <base64>.',
    ],
  ])('%s: 401 with a challenge', async (_name, credentials, message) => {
    const response = await docket.request('GET', url, { headers: { ...headers, ...credentials } })
    expect({ status: response.status, body: response.body }).toEqual({ status: 401, body: rejected(message) })
    expect(response.headers['www-authenticate']).toBe('Bearer realm="Docket", Basic realm="Docket", charset="UTF-8"')
  })

  test('Basic, a key from a login, and the same key as X-API-Key all open the door; after logout none of the keys does', async () => {
    expect((await docket.request('GET', url, { as: admin })).status).toBe(200)
    const login = await docket.request('POST', '/v1/auth/login', {
      body: { username: admin.user, password: admin.password },
    })
    expect({ status: login.status, body: login.body }).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: {
          auth_key: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/),
          expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        },
      },
    })
    const { auth_key: key } = (login.body as { readonly data: { readonly auth_key: string } }).data
    expect((await docket.request('GET', url, { as: { bearer: key } })).status).toBe(200)
    expect((await docket.request('GET', url, { as: { apiKey: key } })).status).toBe(200)
    const logout = await docket.request('POST', '/rest/v1/auth/logout', { as: { bearer: key } })
    expect({ status: logout.status, body: logout.body }).toEqual({
      status: 200,
      body: { status: 'OK', data: { description: 'Logged out.' } },
    })
    for (const as of [{ bearer: key }, { apiKey: key }]) {
      const response = await docket.request('GET', url, { as, headers })
      expect({ status: response.status, body: response.body }).toEqual({
        status: 401,
        body: rejected('The access key has expired or was revoked. POST /v1/auth/login gives a new one.'),
      })
    }
  })

  test('a request by password cannot be logged out', async () => {
    const response = await docket.request('POST', '/v1/auth/logout', { as: admin, headers })
    const message = 'Only a key that a login gave can be logged out; an API key is revoked.'
    expect({ status: response.status, body: response.body }).toEqual({
      status: 409,
      body: rejected(message, 'CONFLICT', { reason: 'conflict' }),
    })
  })
})

describe('login rejects', () => {
  const bodies: readonly (readonly [name: string, body: unknown, status: number, error: Record<string, unknown>])[] = [
    ['a wrong password', { username: 'admin', password: 'x' }, 401, { code: 'UNAUTHENTICATED', message: wrong }],
    ['an unknown user', { username: 'nobody', password: 'x' }, 401, { code: 'UNAUTHENTICATED', message: wrong }],
    ['nothing', undefined, 400, { code: 'BAD_JSON', message: 'The body must be a JSON object; found nothing.' }],
    ['a list', [], 400, { code: 'BAD_JSON', message: 'The body must be a JSON object; found a list.' }],
    [
      'a missing password',
      { username: 'admin' },
      422,
      { code: 'INVALID_VALUE', field: 'password', message: 'The value of password is rejected: it is missing.' },
    ],
    [
      'a number for a name',
      { username: 1, password: 'x' },
      422,
      {
        code: 'INVALID_VALUE',
        field: 'username',
        message: 'The value of username is rejected: it must be a string; found a number.',
      },
    ],
    [
      'a session of an unknown kind',
      { username: 'admin', password: 'x', session: 'biscuit' },
      422,
      {
        code: 'INVALID_VALUE',
        field: 'session',
        message: 'The value of session is rejected: it must be one of key, cookie; found biscuit.',
      },
    ],
    [
      'a member that is not expected',
      { username: 'admin', password: 'x', remember: true },
      422,
      {
        code: 'INVALID_VALUE',
        field: 'remember',
        message:
          'The value of remember is rejected: nothing of this name is expected here; known: username, password, session.',
      },
    ],
    [
      'a body of 20 KB',
      { username: 'admin', password: 'x'.repeat(20_000) },
      413,
      { code: 'BODY_TOO_LARGE', message: 'The body is larger than 16384 bytes.' },
    ],
  ]

  test.each(bodies)('%s', async (_name, body, status, error) => {
    const response = await docket.request('POST', '/v1/auth/login', { body, headers })
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: { status: 'ERROR', error_type: 'SERVER', message: error['message'], errors: [error], request_id: 'r' },
    })
  })
})

test('an API key is made, shown once, listed, used and revoked', async () => {
  const made = await docket.request('POST', '/v1/auth/keys', { as: admin, body: { name: 'nightly', life: '12h' } })
  const key = (made.body as { readonly data: readonly { readonly id: string; readonly auth_key: string }[] }).data[0]
  const { auth_key: secret = '', ...displayed } = key ?? {}
  expect({ status: made.status, displayed }).toEqual({
    status: 200,
    displayed: {
      id: expect.stringMatching(/^\d{18}$/),
      user_id: '155931135900000001',
      user_name: 'admin',
      name: 'nightly',
      roles: null,
      created_at: expect.stringMatching(/^\d{4}-/),
      expires_at: expect.stringMatching(/^\d{4}-/),
      last_used_at: null,
      state: 'valid',
    },
  })
  const listed = await docket.request('GET', '/rest/v1/auth/keys', { as: admin })
  expect(listed.body).toEqual({ status: 'OK', data: [displayed] })
  expect((await docket.request('GET', '/v1/auth/keys', { as: { bearer: secret } })).status).toBe(200)

  const revoked = await docket.request('DELETE', `/v1/auth/keys/${key?.id}`, { as: admin })
  expect({ status: revoked.status, body: revoked.body }).toEqual({
    status: 200,
    body: { status: 'OK', data: { description: 'The key was revoked.' } },
  })
  expect((await docket.request('GET', '/v1/auth/keys', { as: { bearer: secret } })).status).toBe(401)
})

test('a key with a life that cannot be read, and one that is not there, are rejected', async () => {
  const body = { name: 'x', life: 'forever' }
  const made = await docket.request('POST', '/v1/auth/keys', { as: admin, body, headers })
  const message = 'The value of life is rejected: it is written like 12h, 90d, 8w or 1y.'
  expect({ status: made.status, body: made.body }).toEqual({
    status: 422,
    body: { ...rejected(message), errors: [{ message, code: 'INVALID_VALUE', field: 'life' }] },
  })
  const gone = await docket.request('DELETE', '/v1/auth/keys/12', { as: admin, headers })
  expect({ status: gone.status, body: gone.body }).toEqual({
    status: 404,
    body: rejected('There is no API key 12.', 'NOT_FOUND'),
  })
})
