import { afterEach, describe, expect, test } from 'vitest'
import { type HttpShell, type HttpShellOptions, startHttpShell } from '../harness/http-shell.ts'

const shells: HttpShell[] = []
afterEach(async () => {
  for (const shell of shells.splice(0)) await shell.end()
})
async function start(options: HttpShellOptions): Promise<HttpShell> {
  const shell = await startHttpShell(options)
  shells.push(shell)
  return shell
}

const requested = { as: { bearer: 'good' }, headers: { 'x-request-id': 'r' } } as const
const table = '/rest/v1/table/task'

const errorOf = (message: string, code: string) => ({
  status: 'ERROR',
  error_type: 'SERVER',
  message,
  errors: [{ message, code }],
  request_id: 'r',
})

/** An error as the driver throws it. */
const failure = (message: string, more: object): Error => Object.assign(new Error(message), more)

const failures: readonly {
  readonly name: string
  readonly error: unknown
  readonly status: number
  readonly code: string
  readonly message: string
  readonly retryAfter?: string
}[] = [
  {
    name: 'an exception with a secret in it',
    error: failure('relation "docket.secret" does not exist: select password from …', { code: '42P01' }),
    status: 500,
    code: 'INTERNAL',
    message: 'The server failed. The log tells why, under the request id of this response.',
  },
  {
    name: 'something thrown that is no error',
    error: 'oops',
    status: 500,
    code: 'INTERNAL',
    message: 'The server failed. The log tells why, under the request id of this response.',
  },
  {
    name: 'a database that is not there',
    error: failure('connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED', syscall: 'connect' }),
    status: 503,
    code: 'UNAVAILABLE',
    message: 'The database cannot be reached at the moment.',
    retryAfter: '5',
  },
  {
    name: 'a database that is not there under any of its addresses',
    error: new AggregateError([failure('x', { code: 'ECONNREFUSED', syscall: 'connect' })]),
    status: 503,
    code: 'UNAVAILABLE',
    message: 'The database cannot be reached at the moment.',
    retryAfter: '5',
  },
  {
    name: 'a database that is stopping',
    error: failure('terminating connection due to administrator command', { code: '57P01' }),
    status: 503,
    code: 'UNAVAILABLE',
    message: 'The database cannot be reached at the moment.',
    retryAfter: '5',
  },
  {
    name: 'a connection that broke',
    error: new Error('Connection terminated unexpectedly'),
    status: 503,
    code: 'UNAVAILABLE',
    message: 'The database cannot be reached at the moment.',
    retryAfter: '5',
  },
  {
    name: 'a deadlock',
    error: failure('deadlock detected', { code: '40P01' }),
    status: 503,
    code: 'UNAVAILABLE',
    message: 'The database is too busy at the moment; nothing was done.',
    retryAfter: '1',
  },
  {
    name: 'a statement that took too long',
    error: failure('canceling statement due to statement timeout', { code: '57014' }),
    status: 422,
    code: 'OVER_BUDGET',
    message: 'The request was ended because it costs too much: its statement took too long.',
  },
]

describe('the caller gets no detail, the log gets all:', () => {
  test.each(failures)('$name', async ({ error, status, code, message, retryAfter }) => {
    const shell = await start({ respondWithRecords: () => Promise.reject(error) })
    const response = await shell.send('GET', table, requested)
    expect({ status: response.status, body: response.body, retryAfter: response.headers['retry-after'] }).toEqual({
      status,
      body: errorOf(message, code),
      retryAfter,
    })
    const about = { requestId: 'r', route: '/rest/v1/table/:table' }
    // A temporary failure is logged in one line, without a stack for each request.
    expect(shell.observations.filter(({ kind }) => kind === 'request-failed' || kind === 'request-put-off')).toEqual([
      status === 500
        ? { kind: 'request-failed', ...about, error }
        : { kind: 'request-put-off', ...about, cause: error instanceof Error ? error.message : '' },
    ])
  })
})

test('a server that cannot reach its database is up but not ready', async () => {
  const error = failure('connect ENOENT /run/x', { code: 'ENOENT', syscall: 'connect' })
  const shell = await start({ isReady: () => Promise.reject(error) })
  const health = await shell.send('GET', '/health', requested)
  const ready = await shell.send('GET', '/ready', requested)
  expect([health.status, health.body]).toEqual([200, { status: 'OK', data: { state: 'up' } }])
  expect([ready.status, ready.body]).toEqual([
    503,
    errorOf('The database cannot be reached at the moment.', 'UNAVAILABLE'),
  ])
})

describe('a principal that is older than the statement', () => {
  test('is read again, and the question is asked again', async () => {
    let epoch = 1
    const shell = await start({
      respondWithRecords: async ({ identityEpoch }) => {
        epoch += identityEpoch === '3' ? 0 : 1
        return identityEpoch === '3'
          ? { ok: true, value: { status: 200, headers: {}, body: '{"status":"OK","data":[]}' } }
          : { ok: false, error: { kind: 'identity-changed', epoch: String(epoch) } }
      },
    })
    const response = await shell.send('GET', table, requested)
    expect([response.status, response.body]).toEqual([200, { status: 'OK', data: [] }])
    expect(shell.requested.map(({ identityEpoch }) => identityEpoch)).toEqual(['1', '2', '3'])
    expect(shell.checks).toEqual(['remembered', 'from epoch 2', 'from epoch 3'])
  })

  test('ends in 401 when the credentials no longer hold', async () => {
    const shell = await start({
      holdsUntilEpoch: '1',
      respondWithRecords: async () => ({ ok: false, error: { kind: 'identity-changed', epoch: '2' } }),
    })
    const response = await shell.send('GET', table, requested)
    expect([response.status, response.body]).toEqual([401, errorOf('The credentials are wrong.', 'UNAUTHENTICATED')])
  })

  test('is not chased for ever', async () => {
    let epoch = 1
    const shell = await start({
      respondWithRecords: async () => {
        epoch += 1
        return { ok: false, error: { kind: 'identity-changed', epoch: String(epoch) } }
      },
    })
    const response = await shell.send('GET', table, requested)
    expect([response.status, response.headers['retry-after'], response.body]).toEqual([
      503,
      '1',
      errorOf(
        'Users and roles are changing faster than the server can process the request; nothing was done.',
        'UNAVAILABLE',
      ),
    ])
    expect(shell.requested.length).toBe(5)
  })
})

describe('a large response', () => {
  const body = JSON.stringify({ status: 'OK', data: Array.from({ length: 2_000 }, (_, n) => ({ number: `TSK${n}` })) })
  const large: HttpShellOptions = {
    respondWithRecords: async () => ({ ok: true, value: { status: 200, headers: {}, body } }),
  }
  const sendFor = async (encoding: string) => {
    const shell = await start(large)
    const response = await fetch(shell.baseUrl + table, {
      headers: { authorization: 'Bearer good', 'accept-encoding': encoding },
    })
    return { encoding: response.headers.get('content-encoding'), text: await response.text() }
  }

  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
    ['zstd', null],
  ])('is packed for Accept-Encoding: %s as %s', async (wanted, encoding) => {
    expect(await sendFor(wanted)).toEqual({ encoding, text: body })
  })

  test('is really smaller, and HEAD tells the same length', async () => {
    const shell = await start(large)
    const headers = { authorization: 'Bearer good', 'accept-encoding': 'gzip' }
    const get = await fetch(shell.baseUrl + table, { headers })
    const head = await fetch(shell.baseUrl + table, { headers, method: 'HEAD' })
    await get.arrayBuffer()
    expect(Number(get.headers.get('content-length'))).toBeLessThan(body.length / 4)
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect(get.headers.get('vary')).toBe('authorization, x-api-key, cookie, accept-encoding')
  })

  test('that is small goes out as it is', async () => {
    const shell = await start({})
    const response = await shell.send('GET', table, { ...requested, headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers['content-encoding']).toBeUndefined()
  })
})

describe('pages of other origins', () => {
  const origins = ['https://desk.example.com']
  const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' }

  test('that are allowed may ask and read', async () => {
    const shell = await start({ settings: { allowedOrigins: origins } })
    const before = await shell.send('OPTIONS', `${table}/1`, { headers: { origin: origins[0] ?? '', ...preflight } })
    expect(before.status).toBe(204)
    expect(before.headers).toMatchObject({
      'access-control-allow-origin': 'https://desk.example.com',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'authorization',
      vary: 'origin',
    })
    const response = await shell.send('GET', table, { ...requested, headers: { origin: origins[0] ?? '' } })
    expect(response.headers['access-control-allow-origin']).toBe('https://desk.example.com')
    expect(response.headers['access-control-expose-headers']).toContain('X-Total-Count')
    expect(response.headers.vary).toBe('origin, authorization, x-api-key, cookie, accept-encoding')
    const rejected = await shell.send('GET', table, { headers: { origin: origins[0] ?? '' } })
    expect([rejected.status, rejected.headers['access-control-allow-origin']]).toEqual([
      401,
      'https://desk.example.com',
    ])
  })

  test.each([['https://evil.example'], ['https://desk.example.com.evil.example'], ['null']])(
    'such as %s may not',
    async (origin) => {
      const shell = await start({ settings: { allowedOrigins: origins } })
      const response = await shell.send('OPTIONS', table, { headers: { origin, ...preflight } })
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )
})

test('links begin with the address of the setting, or of the proxy that is trusted', async () => {
  const forwarded = { 'x-forwarded-host': 'desk.example.com', 'x-forwarded-proto': 'https' }
  const bases: string[] = []
  for (const settings of [{}, { trustedProxies: ['127.0.0.1'] }, { baseUrl: 'https://a.example/desk' }]) {
    const shell = await start({ settings })
    await shell.send('GET', table, { ...requested, headers: forwarded })
    bases.push((shell.requested[0]?.baseUrl ?? '').replace(shell.baseUrl, '(own)'))
  }
  expect(bases).toEqual(['(own)', 'https://desk.example.com', 'https://a.example/desk'])
})
