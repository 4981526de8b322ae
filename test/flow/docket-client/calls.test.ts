import { type ConnectOptions, connect, type Docket, type DocketEvent, Unauthenticated } from 'docket-client'
import { describe, expect, test } from 'vitest'

// What is sent, and how often, without a server: each response is that of a function.

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

type Respond = (request: Received, number: number) => Response | Promise<Response>

function connected(respond: Respond, options: Partial<ConnectOptions> = {}) {
  const received: Received[] = []
  const docket = connect({
    url: 'http://docket.test',
    ...options,
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input))
      const request = {
        method: init?.method ?? '',
        path: pathname,
        headers: init?.headers as Readonly<Record<string, string>>,
      }
      received.push(request)
      return respond(request, received.length)
    },
  })
  return { docket, received }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const record = (): Response => json({ status: 'OK', data: [{ sys_id: '1' }] })
const failure = (status: number): Response => json({ status: 'ERROR', errors: [{ message: 'no', code: 'NO' }] }, status)

describe('options', () => {
  test('of a call win over those of the client, in whatever case their names are', async () => {
    const { docket, received } = connected(record, {
      token: 'k',
      headers: { 'X-Team': 'client', ACCEPT: 'application/json;v=1' },
      language: 'en',
    })
    await docket.table('task').get('1')
    await docket.table('task').get('1', { headers: { 'x-team': 'call', 'X-DOCKET-LANGUAGE': 'ru' } })
    await docket.table('task').create({}, { idempotencyKey: 'mine' })
    const [first, second, third] = received.map(({ headers }) => headers)
    expect(first).toEqual({
      accept: 'application/json;v=1',
      authorization: 'Bearer k',
      'x-docket-language': 'en',
      'x-team': 'client',
    })
    expect(second).toEqual({ ...first, 'x-docket-language': 'ru', 'x-team': 'call' })
    expect(third?.['idempotency-key']).toBe('mine')
  })

  test('no language, no header', async () => {
    const { docket, received } = connected(record)
    await docket.table('task').get('1')
    expect(received[0]?.headers).toEqual({ accept: 'application/json' })
  })

  test.each<Partial<ConnectOptions>>([
    { token: 'k', session: true },
    { token: 'k', login: { username: 'a', password: 'b' } },
    { session: true, login: { username: 'a', password: 'b' } },
  ])('two ways to sign in are one too many: %j', (options) => {
    expect(() => connected(record, options)).toThrow('connect takes one of token, login and session')
  })
})

describe('a client with user name and password', () => {
  const login = { username: 'anna', password: 'secret-of-anna' }

  /** Accepts the key that the last sign-in gave, and counts from 1. */
  function signingIn(hold: (request: Received) => Promise<void> = async () => undefined) {
    let valid = 0
    const made = connected(
      async (request) => {
        if (request.path === '/v1/auth/login') {
          valid += 1
          return json({ data: { auth_key: `key ${valid}` } })
        }
        const isValid = request.headers['authorization'] === `Bearer key ${valid}`
        await hold(request)
        return isValid ? record() : failure(401)
      },
      { login, headers: { 'x-team': 'desk' } },
    )
    const expire = (): void => {
      valid += 1
    }
    const logins = () => made.received.filter(({ path }) => path === '/v1/auth/login')
    return { ...made, logins, expire }
  }

  test('signs in before the first request, once for all calls, with the headers of the client', async () => {
    const { docket, received, logins } = signingIn()
    await Promise.all([1, 2, 3].map(() => docket.table('task').get('1')))
    expect(received.map(({ path }) => path)).toEqual(['/v1/auth/login', ...Array(3).fill('/rest/v1/table/task/1')])
    expect(logins()[0]?.headers['x-team']).toBe('desk')
  })

  test('signs in again once when the key expires, also for a call that is rejected later than others', async () => {
    const late = Promise.withResolvers<void>()
    const { docket, logins, expire } = signingIn(({ headers }) =>
      headers['x-late'] === undefined || logins().length > 1 ? Promise.resolve() : late.promise,
    )
    await docket.table('task').get('1')
    expire()
    const slow = docket.table('task').get('1', { headers: { 'x-late': '1' } })
    await Promise.all([docket.table('task').get('1'), docket.table('task').get('1')])
    expect(logins()).toHaveLength(2)
    late.resolve()
    await slow
    expect(logins()).toHaveLength(2)
  })

  test('reports a wrong password, without it, and tries again with the next call', async () => {
    const { docket, received } = connected(() => failure(401), { login })
    for (let call = 1; call <= 2; call += 1) {
      const error = await docket.session().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Unauthenticated)
      expect(String((error as Error).stack) + JSON.stringify(error)).not.toContain('secret-of-anna')
      expect(received).toHaveLength(call)
    }
  })

  test('a signal ends the wait of its call for a sign-in, and of no other', async () => {
    const signedIn = Promise.withResolvers<void>()
    const { docket } = connected(
      async ({ path }) => {
        if (path !== '/v1/auth/login') return record()
        await signedIn.promise
        return json({ data: { auth_key: 'k' } })
      },
      { login },
    )
    const stop = new AbortController()
    const stopped = docket.table('task').get('1', { signal: stop.signal })
    const other = docket.table('task').get('1')
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ name: 'Aborted' })
    signedIn.resolve()
    expect((await other).row).toEqual({ sys_id: '1' })
  })
})

describe('what is sent again', () => {
  /** Each call, and whether it may be sent twice. */
  const calls: readonly (readonly [name: string, isRepeated: boolean, call: (docket: Docket) => Promise<unknown>])[] = [
    ['get', true, (docket) => docket.table('task').get('1')],
    ['a list by POST', true, (docket) => docket.table('task').page('x'.repeat(8_000))],
    ['put', true, ({ send }) => send({ method: 'PUT', path: '/x', body: {} })],
    ['delete', true, (docket) => docket.table('task').delete('1')],
    ['create', true, (docket) => docket.table('task').create({})],
    ['update', true, (docket) => docket.table('task').update('1', {}, { ifMatch: '"1"' })],
    ['an unconditional update', false, (docket) => docket.table('task').update('1', {}, { ifMatch: false })],
    ['post', false, ({ send }) => send({ method: 'POST', path: '/x', body: {} })],
    [
      'patch under a version',
      true,
      ({ send }) => send({ method: 'PATCH', path: '/x', headers: { 'If-Match': '"1"' } }),
    ],
  ]
  const passing = [0, 429, 502, 503, 504]

  test.each(calls)('%s: %s', async (_name, isRepeated, call) => {
    for (const status of passing) {
      const { docket, received } = connected((_request, number) => {
        if (number > 1) return record()
        if (status === 0) throw new TypeError('the connection broke')
        return failure(status)
      })
      const error = await call(docket).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect({ status, sent: received.length }).toEqual({ status, sent: isRepeated ? 2 : 1 })
      if (isRepeated) expect(error).toBeNull()
      else expect(error).toMatchObject({ status })
    }
  })

  test.each([400, 401, 403, 404, 409, 422, 500, 501])('%d is not', async (status) => {
    const { docket, received } = connected(() => failure(status))
    await expect(docket.table('task').get('1')).rejects.toMatchObject({ status })
    expect(received).toHaveLength(1)
  })

  test('as often as `retry` says, after random parts of 250 ms, 500 ms and so on', async () => {
    const { docket, received } = connected(() => failure(503), { retry: 2 })
    await expect(docket.table('task').get('1')).rejects.toMatchObject({ status: 503 })
    expect(received).toHaveLength(3)
  })

  test('four times at most by default, and after the time that the server names', async () => {
    const { docket, received } = connected(() => json({}, 503, { 'retry-after': '0' }))
    await expect(docket.table('task').get('1')).rejects.toMatchObject({ status: 503 })
    expect(received).toHaveLength(5)
  })
})

test('events: missed changes are a value, and the stream goes on behind the last one', async () => {
  const stop = new AbortController()
  const { docket } = connected(() => new Response('id: 7\nevent: reset\ndata: {}\n\n'))
  const seen: DocketEvent['kind'][] = []
  for await (const { kind } of docket.events({ signal: stop.signal })) {
    seen.push(kind)
    if (kind === 'closed') stop.abort()
  }
  expect(seen).toEqual(['open', 'reset', 'closed'])
})
