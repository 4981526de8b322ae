import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import type { ReceivedResponse } from '../harness/send-request.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'
import { PASSWORD, type Stage, setStage } from './records/fixture.ts'

/** Sessions of browsers (issue 13, points 1 and 2; docs/api-for-pages.md). */

const startMs = Date.parse('2031-05-05T10:00:00Z')
let nowMs = startMs
let stage: Stage
let docket: RunningDocket
let own: Readonly<Record<string, string>>
beforeAll(async () => {
  const environment = { DOCKET_ALLOWED_ORIGINS: 'https://portal.example' }
  stage = await setStage([], { clock: { nowMs: () => nowMs }, environment })
  docket = stage.docket
  own = { origin: docket.baseUrl, 'x-docket-console': '1', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }
})
afterAll(() => stage.close())
beforeEach(() => {
  nowMs = startMs
})

const minute = 60_000
const rid = { 'x-request-id': 'r' }
const login = (username = 'worker', headers: Readonly<Record<string, string>> = own, password = PASSWORD) =>
  docket.request('POST', '/v1/auth/login', {
    body: { username, password, session: 'cookie' },
    headers: { ...headers, ...rid, 'user-agent': 'Test browser' },
  })
const cookieOf = (response: ReceivedResponse): string => response.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
const signIn = async (username = 'worker'): Promise<string> => cookieOf(await login(username))
const send = async (cookie: string, line: string, headers: object = own, body?: unknown) => {
  const [method = '', path = ''] = line.split(' ')
  const options = { headers: { ...headers, ...rid, cookie }, ...(body === undefined ? {} : { body }) }
  return docket.request(method, path, options)
}
const statusOf = async (...request: Parameters<typeof send>): Promise<number> => (await send(...request)).status

const error = (message: string, more: object = {}) => ({
  status: 'ERROR',
  error_type: 'SERVER',
  message,
  errors: [{ message, ...more }],
  request_id: 'r',
})
const notOwnPage = error(
  'A browser session is for pages of this server: requests that write need its Origin and the header X-Docket-Console. ' +
    'Behind a proxy, DOCKET_BASE_URL says which address is its own.',
  { code: 'ACCESS_DENIED' },
)

describe('sign-in (issue 13, 2)', () => {
  test('the key is in the cookie alone; the response says who the caller is', async () => {
    const response = await login()
    const [cookie = ''] = response.headers['set-cookie'] ?? []
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(/^docket_session=[\w-]{64}; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    const session = {
      user: { sys_id: '201', user_name: 'worker', display_name: 'Wanda Worker' },
      roles: expect.arrayContaining(['itil', 'user']),
      groups: ['401'],
      language: 'en',
      time_zone: 'UTC',
      auth_method: 'cookie',
      expires_at: '2031-05-05 12:00:00',
      ends_at: '2031-05-05 22:00:00',
      landing_page: 'agent',
      may_read_documents: false,
      features: { hybrid: false, converter: false, viewers: false },
      server_version: expect.stringMatching(/^\d+\.\d+/),
      last_event_id: expect.stringMatching(/^[\w-]{22}$/),
    }
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: { status: 'OK', data: session },
    })
    const key = cookie.split(/[=;]/)[1] ?? ''
    expect(response.text).not.toContain(key)
    const rows = await docket.database.rows<{ text: string }>(sql`
      select k::text as text from docket_system.access_key k where kind = 'cookie'`)
    for (const { text } of rows) expect(text).not.toContain(key)
    expect((await send(cookieOf(response), 'GET /v1/auth/session')).body).toEqual({ status: 'OK', data: session })
  })

  test.each([
    ['without an origin', { origin: undefined }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from an origin that CORS allows', { origin: 'https://portal.example' }],
    ['from an opaque origin', { origin: 'null' }],
    ['without the header of our pages', { 'x-docket-console': undefined }],
  ])('%s is rejected before the password is looked at', async (_name, without) => {
    const headers = Object.fromEntries(
      Object.entries({ ...own, ...without }).filter(([, value]) => value !== undefined),
    )
    const response = await login('worker', headers as Record<string, string>, 'wrong')
    expect({ status: response.status, body: response.body, cookie: response.headers['set-cookie'] }).toEqual({
      status: 403,
      body: notOwnPage,
      cookie: undefined,
    })
  })

  test('a wrong password sets no cookie, and offers a page no window of the browser for Basic', async () => {
    const response = await login('worker', own, 'wrong')
    expect({ status: response.status, body: response.body, cookie: response.headers['set-cookie'] }).toEqual({
      status: 401,
      body: error('The credentials are wrong.', { code: 'UNAUTHENTICATED' }),
      cookie: undefined,
    })
    expect(response.headers['www-authenticate']).toBe('Bearer realm="Docket"')
    const program = await docket.request('GET', '/v1/auth/session')
    expect(program.headers['www-authenticate']).toContain('Basic')
  })

  test('a page that displays another user than the cookie has is 401, for reading and for writing (issue 13)', async () => {
    const cookie = await signIn()
    const otherUser =
      'The session of this browser is of another user than the header X-Docket-User names. Sign in again.'
    for (const line of ['GET /v1/auth/session', 'GET /rest/v1/table/task', 'POST /v1/auth/logout']) {
      const response = await send(cookie, line, { ...own, 'x-docket-user': '202' })
      expect({ line, status: response.status, body: response.body }).toEqual({
        line,
        status: 401,
        body: error(otherUser, { code: 'UNAUTHENTICATED' }),
      })
    }
    expect(await statusOf(cookie, 'GET /v1/auth/session', { ...own, 'x-docket-user': '201' })).toBe(200)
    const program = await docket.request('GET', '/v1/auth/session', {
      as: { user: 'worker', password: PASSWORD },
      headers: { 'x-docket-user': '202' },
    })
    expect(program.status).toBe(200)
  })

  test('a form gets a key, never a cookie', async () => {
    const response = await docket.request('POST', '/v1/auth/login', {
      body: new URLSearchParams({ username: 'worker', password: PASSWORD, session: 'cookie' }).toString(),
      headers: { ...own, 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.status).toBe(200)
    expect(response.headers['set-cookie']).toBeUndefined()
    expect(response.text).toContain('auth_key')
  })

  test('signing in again ends the session of the cookie that came along', async () => {
    const cookie = await signIn()
    const again = await login('worker', { ...own, cookie })
    expect(again.status).toBe(200)
    expect(await statusOf(cookie, 'GET /v1/auth/session')).toBe(401)
    expect(await statusOf(cookieOf(again), 'GET /v1/auth/session')).toBe(200)
  })

  test.each([
    ['https://desk.example', /^__Host-docket_session=[\w-]{64}; Path=\/; HttpOnly; SameSite=Strict; Secure$/],
    ['https://example.com/desk', /^__Secure-docket_session=[\w-]{64}; Path=\/desk; HttpOnly; SameSite=Strict; Secure$/],
    ['http://example.com/desk/', /^docket_session=[\w-]{64}; Path=\/desk; HttpOnly; SameSite=Strict$/],
  ])('at %s the cookie has the prefix and the path of its address', async (baseUrl, expected) => {
    const other = await startDocket({ environment: { DOCKET_BASE_URL: baseUrl } })
    try {
      const headers = { origin: new URL(baseUrl).origin, 'x-docket-console': '1' }
      const body = { username: 'admin', password: admin.password, session: 'cookie' }
      const response = await other.request('POST', '/v1/auth/login', { body, headers })
      expect(response.headers['set-cookie']).toEqual([expect.stringMatching(expected)])
      const cookie = cookieOf(response)
      expect((await other.request('GET', '/v1/auth/session', { headers: { cookie } })).status).toBe(200)
      // A cookie without its prefix may be from another host, so it is ignored.
      const bare = cookie.replace(/^__\w+-/, '')
      const status = baseUrl.startsWith('https') ? 401 : 200
      expect((await other.request('GET', '/v1/auth/session', { headers: { cookie: bare } })).status).toBe(status)
      const out = await other.request('DELETE', '/v1/auth/sessions/current', { headers: { ...headers, cookie } })
      const removed = cookieOf(response).replace(/=.*/, '=')
      expect(out.headers['set-cookie']?.[0]).toMatch(new RegExp(`^${removed}; Path=/.*; Max-Age=0$`))
    } finally {
      await other.close()
    }
  })
})

describe('which requests a cookie counts for (issue 13, 2)', () => {
  const cases: readonly [name: string, line: string, headers: object, counts: boolean][] = [
    ['a read of a page of ours', 'GET /rest/v1/table/task/1001', { 'sec-fetch-site': 'same-origin' }, true],
    ['a read where the browser says nothing (plain HTTP)', 'GET /rest/v1/table/task/1001', {}, true],
    ['a read of a sibling host', 'GET /rest/v1/table/task/1001', { 'sec-fetch-site': 'same-site' }, false],
    ['a read of another site', 'GET /rest/v1/table/task/1001', { 'sec-fetch-site': 'cross-site' }, false],
    [
      'an address that is entered',
      'GET /rest/v1/table/task/1001',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
      true,
    ],
    [
      'a read of nobody’s page',
      'GET /rest/v1/table/task/1001',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'cors' },
      false,
    ],
    [
      'a file of nobody’s page',
      'GET /get_document_file?collection_name=none&id_value=1',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'no-cors' },
      true,
    ],
    [
      'a file for another site',
      'GET /get_document_file?collection_name=none&id_value=1',
      { 'sec-fetch-site': 'cross-site' },
      false,
    ],
    [
      'a write of a page of ours',
      'POST /rest/v1/table/task',
      { 'sec-fetch-site': 'same-origin', origin: 'own', 'x-docket-console': '1' },
      true,
    ],
    [
      'a write where the browser says nothing of sites',
      'POST /rest/v1/table/task',
      { origin: 'own', 'x-docket-console': '1' },
      true,
    ],
    [
      'a write without the header',
      'POST /rest/v1/table/task',
      { 'sec-fetch-site': 'same-origin', origin: 'own' },
      false,
    ],
    [
      'a write without an origin',
      'POST /rest/v1/table/task',
      { 'sec-fetch-site': 'same-origin', 'x-docket-console': '1' },
      false,
    ],
    [
      'a write of another origin',
      'POST /rest/v1/table/task',
      { origin: 'https://evil.example', 'x-docket-console': '1' },
      false,
    ],
    [
      'a write of an origin that CORS allows',
      'POST /rest/v1/table/task',
      { origin: 'https://portal.example', 'x-docket-console': '1' },
      false,
    ],
    [
      'a write by navigation',
      'POST /rest/v1/table/task',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', origin: 'own', 'x-docket-console': '1' },
      false,
    ],
  ]
  test.each(cases)('%s', async (_name, line, sent, counts) => {
    const cookie = await signIn()
    const before = await stage.fingerprint()
    const headers = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name, value === 'own' ? docket.baseUrl : String(value)]),
    )
    const body = line.startsWith('POST') ? { subject: 'From a page' } : undefined
    const response = await send(cookie, line, headers, body)
    if (counts) expect(response.body).not.toEqual(notOwnPage)
    else expect([response.status, response.body]).toEqual([403, notOwnPage])
    expect((await stage.fingerprint()) === before).toBe(!(counts && line.startsWith('POST')))
  })

  test('Authorization wins over a cookie, also over one that does not count', async () => {
    const cookie = await signIn('reader')
    for (const site of ['same-origin', 'cross-site']) {
      const headers = { cookie, 'sec-fetch-site': site }
      const response = await docket.request('GET', '/v1/auth/session', { as: stage.callerOf('worker'), headers })
      expect(response.body).toMatchObject({ data: { user: { user_name: 'worker' }, auth_method: 'password' } })
    }
  })

  test('where credentials are optional, a cookie that does not count is none', async () => {
    const cookie = await signIn()
    const titles = async (headers: object) =>
      (await send(cookie, 'GET /openapi.json', headers)).text.includes('itsm_incident')
    expect(await titles({ 'sec-fetch-site': 'same-origin' })).toBe(true)
    expect(await titles({ 'sec-fetch-site': 'cross-site' })).toBe(false)
  })

  test('the key of a cookie is no access key, and an access key is no cookie', async () => {
    const bearer = (await signIn()).split('=')[1] ?? ''
    expect((await docket.request('GET', '/v1/auth/session', { as: { bearer } })).status).toBe(401)
    const made = await docket.request('POST', '/v1/auth/login', { body: { username: 'worker', password: PASSWORD } })
    const { auth_key: key } = (made.body as { data: { auth_key: string } }).data
    expect(await statusOf(`docket_session=${key}`, 'GET /v1/auth/session')).toBe(401)
  })

  test('CORS never grants the header of our pages, nor credentials', async () => {
    const preflight = await docket.request('OPTIONS', '/rest/v1/table/task', {
      headers: {
        origin: 'https://portal.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, X-Docket-Console,content-type',
      },
    })
    expect(preflight.headers['access-control-allow-origin']).toBe('https://portal.example')
    expect(preflight.headers['access-control-allow-headers']).toBe('authorization,content-type')
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('nothing of a session stays in the cache of a browser', async () => {
    const cookie = await signIn()
    for (const path of ['/rest/v1/table/task/1001', '/rest/v1/table/task', '/v1/auth/session', '/v1/auth/sessions'])
      expect((await send(cookie, `GET ${path}`)).headers['cache-control']).toBe('no-store')
    const tagged = await send(cookie, 'GET /rest/v1/table/task/1001')
    const again = await send(cookie, 'GET /rest/v1/table/task/1001', { ...own, 'if-none-match': tagged.headers.etag })
    expect([again.status, again.headers['cache-control']]).toEqual([304, 'no-store'])
  })
})

describe('how long a session lasts (issue 13, 2)', () => {
  const expired = error('The access key has expired or was revoked. POST /v1/auth/login gives a new one.', {
    code: 'UNAUTHENTICATED',
  })

  test('it ends two hours after its last use', async () => {
    const cookie = await signIn()
    nowMs += 119 * minute
    expect(await statusOf(cookie, 'GET /rest/v1/table/task/1001')).toBe(200)
    nowMs += 119 * minute
    const { data } = (await send(cookie, 'GET /v1/auth/session')).body as { data: { expires_at: string } }
    expect(data.expires_at).toBe('2031-05-05 15:58:00')
    nowMs += 120 * minute
    expect((await send(cookie, 'GET /rest/v1/table/task/1001')).body).toEqual(expired)
  })

  test('requests that a page sends by itself do not prolong it', async () => {
    const cookie = await signIn()
    nowMs += 100 * minute
    expect(await statusOf(cookie, 'GET /rest/v1/table/task', { ...own, 'x-docket-console': 'background' })).toBe(200)
    nowMs += 20 * minute
    expect(await statusOf(cookie, 'GET /rest/v1/table/task/1001')).toBe(401)
  })

  test('it ends twelve hours after the sign-in, however much it is used', async () => {
    const cookie = await signIn()
    for (let used = 0; used < 7; used++) {
      nowMs += 100 * minute
      expect(await statusOf(cookie, 'GET /v1/auth/session')).toBe(200)
    }
    const { data } = (await send(cookie, 'GET /v1/auth/session')).body as { data: { expires_at: string } }
    expect(data.expires_at).toBe('2031-05-05 22:00:00')
    nowMs += 20 * minute
    expect((await send(cookie, 'GET /v1/auth/session')).body).toEqual(expired)
  })

  test('a use that another server recorded counts here', async () => {
    const cookie = await signIn()
    expect(await statusOf(cookie, 'GET /v1/auth/session')).toBe(200)
    nowMs += 130 * minute
    await docket.database.rows(sql`
      update docket_system.access_key set last_used_at = last_used_at + interval '60 minutes' where kind = 'cookie'`)
    expect(await statusOf(cookie, 'GET /v1/auth/session')).toBe(200)
  })

  test('properties set both', async () => {
    const set = (name: string, value: string) =>
      docket.database.rows(sql`update docket.sys_property set value = ${value} where name = ${name}`)
    await set('auth.cookie.idle_minutes', ' 5 ')
    await set('auth.cookie.max_minutes', '07')
    const { body } = await login()
    await set('auth.cookie.idle_minutes', '120')
    await set('auth.cookie.max_minutes', '720')
    expect(body).toMatchObject({ data: { expires_at: '2031-05-05 10:05:00', ends_at: '2031-05-05 10:07:00' } })
  })

  test('a property that is no number of minutes is rejected', async () => {
    const found = await stage.send(
      'admin',
      'GET /rest/v1/table/sys_property?sysparm_query=name=auth.cookie.idle_minutes',
    )
    const [{ sys_id: id }] = (found.body as { data: [{ sys_id: string }] }).data
    const response = await stage.send('admin', `PATCH /rest/v1/table/sys_property/${id}`, { body: { value: '0' } })
    expect(response.status).toBe(422)
  })
})

describe('sessions of the caller (issue 13, 1)', () => {
  const listed = async (cookie: string) =>
    (await send(cookie, 'GET /v1/auth/sessions')).body as { data: { id: string }[] }

  test('lists browsers and keys of logins, of the caller alone', async () => {
    await signIn('worker')
    nowMs += minute
    await docket.request('POST', '/v1/auth/login', { body: { username: 'moscow', password: PASSWORD } })
    nowMs += minute
    const cookie = await signIn('moscow')
    expect(await listed(cookie)).toEqual({
      status: 'OK',
      data: [
        {
          id: expect.stringMatching(/^\d{18}$/),
          kind: 'cookie',
          is_current: true,
          created_at: '2031-05-05 10:02:00',
          last_used_at: '2031-05-05 10:02:00',
          expires_at: '2031-05-05 12:02:00',
          user_agent: 'Test browser',
          address: '127.0.0.1',
        },
        {
          id: expect.stringMatching(/^\d{18}$/),
          kind: 'session',
          is_current: false,
          created_at: '2031-05-05 10:01:00',
          last_used_at: null,
          expires_at: '2031-05-05 12:01:00',
          user_agent: null,
          address: null,
        },
      ],
    })
  })

  test('signing out ends the session and removes the cookie', async () => {
    for (const line of ['DELETE /v1/auth/sessions/current', 'POST /v1/auth/logout']) {
      const cookie = await signIn()
      const out = await send(cookie, line)
      expect({ status: out.status, cookie: out.headers['set-cookie'] }).toEqual({
        status: 200,
        cookie: ['docket_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0'],
      })
      expect(await statusOf(cookie, 'GET /v1/auth/session')).toBe(401)
      expect(await statusOf(cookie, 'GET /rest/v1/table/task/1001')).toBe(401)
    }
  })

  test('ends one, or all others', async () => {
    await send(await signIn('reader'), 'DELETE /v1/auth/sessions')
    const [first, second, third] = [await signIn('reader'), await signIn('reader'), await signIn('reader')]
    const { data } = await listed(first)
    const secondId = (await listed(second)).data.find((each) => (each as { is_current?: boolean }).is_current)?.id
    const ended = await send(first, `DELETE /v1/auth/sessions/${secondId}`)
    expect({ body: ended.body, cookie: ended.headers['set-cookie'] }).toEqual({
      body: { status: 'OK', data: { description: 'The session ended.' } },
      cookie: undefined,
    })
    expect(data).toHaveLength(4)
    expect(await statusOf(second, 'GET /v1/auth/session')).toBe(401)
    expect((await send(first, 'DELETE /v1/auth/sessions')).body).toEqual({
      status: 'OK',
      data: { description: 'The other sessions ended.', ended: 2 },
    })
    expect(await statusOf(third, 'GET /v1/auth/session')).toBe(401)
    expect((await listed(first)).data).toHaveLength(1)
  })

  test('the session of another user is not there', async () => {
    const mine = await signIn('worker')
    const others = await signIn('reader')
    const id = (await listed(others)).data[0]?.id ?? ''
    const response = await send(mine, `DELETE /v1/auth/sessions/${id}`)
    expect([response.status, response.body]).toEqual([404, error(`There is no session ${id}.`, { code: 'NOT_FOUND' })])
    expect(await statusOf(others, 'GET /v1/auth/session')).toBe(200)
    expect(await statusOf(mine, 'DELETE /v1/auth/sessions/1%27')).toBe(404)
  })

  test('a password has no current session, and a narrowed key sees none', async () => {
    const as = stage.callerOf('worker')
    expect((await docket.request('DELETE', '/v1/auth/sessions/current', { as })).status).toBe(409)
    const made = await docket.request('POST', '/v1/auth/keys', { as, body: { name: 'short', life: '1d' } })
    const [{ auth_key: bearer }] = (made.body as { data: [{ auth_key: string }] }).data
    for (const method of ['GET', 'DELETE'])
      expect((await docket.request(method, '/v1/auth/sessions', { as: { bearer } })).status).toBe(403)
  })
})

describe('the own password (issue 13, 1)', () => {
  const change = (cookie: string, body: unknown) => send(cookie, 'POST /v1/auth/password', own, body)

  test('needs the old one; keeps the session that changes it and ends all others', async () => {
    const mine = await signIn('nobody')
    const others = await signIn('nobody')
    const wrong = await change(mine, { old: 'not it at all', new: 'a new password' })
    expect([wrong.status, wrong.body]).toEqual([
      422,
      error('The value of old is rejected: it is not the password of the user.', {
        code: 'INVALID_VALUE',
        field: 'old',
      }),
    ])
    const changed = await change(mine, { old: PASSWORD, new: 'a new password' })
    expect([changed.status, changed.body]).toEqual([
      200,
      { status: 'OK', data: { description: 'The password was changed. All other sessions and API keys ended.' } },
    ])
    expect(await statusOf(mine, 'GET /v1/auth/session')).toBe(200)
    expect(await statusOf(others, 'GET /v1/auth/session')).toBe(401)
    expect((await login('nobody')).status).toBe(401)
    expect((await login('nobody', own, 'a new password')).status).toBe(200)
    expect((await change(mine, { old: 'a new password', new: PASSWORD })).status).toBe(200)
  })

  test.each([
    [{ old: PASSWORD, new: 'short' }, 'new', 'a password has at least 8 characters'],
    [{ old: PASSWORD, new: PASSWORD }, 'new', 'it is the current password'],
    [{ old: PASSWORD }, 'new', 'it is missing'],
    [{ new: 'a new password' }, 'old', 'it is missing'],
  ])('%j is rejected', async (body, field, detail) => {
    const response = await change(await signIn('nobody'), body)
    expect([response.status, response.body]).toEqual([
      422,
      error(`The value of ${field} is rejected: ${detail}.`, { code: 'INVALID_VALUE', field }),
    ])
  })

  test('of 1,024 characters, the longest that can be set, signs in and can be changed (issue 14)', async () => {
    const long = '😀🎈'.repeat(512)
    const mine = await signIn('nobody')
    expect((await change(mine, { old: PASSWORD, new: long })).status).toBe(200)
    expect((await login('nobody', own, long)).status).toBe(200)
    expect((await change(mine, { old: long, new: PASSWORD })).status).toBe(200)
  })

  test('no log holds a password', async () => {
    const rows = await docket.database.rows<{ text: string }>(sql`select c::text as text from docket_system.change c`)
    for (const { text } of rows) expect(text).not.toMatch(/argon2|a new password/)
  })
})
