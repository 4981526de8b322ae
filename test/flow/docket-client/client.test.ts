import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import {
  Aborted,
  AccessDenied,
  all,
  any,
  ConflictError,
  condition,
  connect,
  type Docket,
  DocketError,
  type DocketEvent,
  InvalidValue,
  NetworkError,
  NotFound,
  QueryBuilder,
  q,
  Unauthenticated,
} from 'docket-client'
import { AttachmentsClient } from 'docket-client/attachments'
import { DocumentsClient } from 'docket-client/documents'
import { parseEncodedQuery } from 'docket-client/parse'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

describe('docket-client against a real server', () => {
  let running: RunningDocket
  let docket: Docket
  beforeAll(async () => {
    running = await startDocket()
    docket = connect({ url: `${running.baseUrl}/`, login: { username: admin.user, password: admin.password } })
  })
  afterAll(() => running.close())

  test('creates on a page that came over plain HTTP, where crypto.randomUUID is missing', async () => {
    const own = Object.getOwnPropertyDescriptor(crypto, 'randomUUID')
    Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true })
    try {
      const created = await docket.table('task').create({ subject: 'From a plain page' })
      expect(created.row['subject']).toBe('From a plain page')
    } finally {
      if (own === undefined) Reflect.deleteProperty(crypto, 'randomUUID')
      else Object.defineProperty(crypto, 'randomUUID', own)
    }
  })

  const key = async (): Promise<string> => {
    const body = { username: admin.user, password: admin.password }
    return (await docket.request<{ auth_key: string }>({ method: 'POST', path: '/v1/auth/login', body })).auth_key
  }

  const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  test('signs in once for calls at the same time', async () => {
    const sessions = await Promise.all([docket.session(), docket.session(), docket.session()])
    expect(sessions.map(({ user }) => user.user_name)).toEqual(['admin', 'admin', 'admin'])
    const keys = await docket.request<readonly unknown[]>({ method: 'GET', path: '/v1/auth/keys' })
    expect(keys.length).toBeLessThanOrEqual(1)
  })

  test.each(['', '.', '..'])('names no other address for the sys_id or name "%s" (issue 14)', async (name) => {
    const documents = new DocumentsClient(docket.send)
    const calls = [
      () => docket.table('task').get(name),
      () => docket.table('task').delete(name),
      () => docket.table(name).page(),
      () => docket.table(name).meta(),
      () => new AttachmentsClient(docket).download(name),
      () => documents.follow(name, { table: 'task', template: '{number}' }),
    ]
    for (const call of calls) {
      const error = await thrownBy(call())
      expect([error instanceof TypeError, String(error)]).toEqual([
        true,
        `TypeError: "${name}" is not a name or sys_id.`,
      ])
    }
  })

  test('creates, reads, changes and deletes a record, with its version', async () => {
    const tasks = docket.table('task')
    const created = await tasks.create({ subject: 'Mail is slow', priority: 2 })
    const sysId = String(created.row['sys_id'])
    const read = await tasks.get(sysId, { fields: ['subject', 'priority'], display: 'all' })
    expect(read.row).toEqual({
      subject: { value: 'Mail is slow', display_value: 'Mail is slow' },
      priority: { value: '2', display_value: expect.any(String) },
    })
    const changed = await tasks.update(sysId, { subject: 'Mail is fast' }, { ifMatch: read.etag, fields: ['subject'] })
    expect(changed.row).toEqual({ subject: 'Mail is fast' })
    expect(changed.etag).not.toBe(read.etag)

    const stale = await thrownBy(tasks.update(sysId, { subject: 'Mail is gone' }, { ifMatch: read.etag }))
    expect(stale).toBeInstanceOf(ConflictError)
    expect(stale).toMatchObject({ status: 409, reason: 'stale' })
    const now = await (stale as ConflictError).current?.()
    expect(now).toMatchObject({ row: { subject: 'Mail is fast' }, etag: expect.any(String) })
    await tasks.update(sysId, { subject: 'Mail is back' }, { ifMatch: now?.etag ?? '' })
    const subjects: unknown[] = []
    for await (const { changes } of tasks.history(sysId))
      subjects.push(changes.find(({ column }) => column === 'subject')?.new_value)
    expect(subjects).toEqual(['Mail is back', 'Mail is fast', 'Mail is slow'])

    await tasks.delete(sysId)
    expect(await thrownBy(tasks.get(sysId))).toBeInstanceOf(NotFound)
  })

  test('iterates over all pages, and counts', async () => {
    const tasks = docket.table('task')
    for (const at of [1, 2, 3, 4, 5]) await tasks.create({ subject: `page test ${at}` })
    const mine = all(condition('subject', 'STARTSWITH', 'page test'), condition('active', '=', 'true'))
    const query = { where: mine, orders: [{ path: ['subject'], direction: 'descending', position: 0 }] } as const
    const subjects: unknown[] = []
    for await (const row of tasks.list(query, { fields: ['subject'], limit: 2 })) subjects.push(row['subject'])
    expect(subjects).toEqual([5, 4, 3, 2, 1].map((at) => `page test ${at}`))
    expect(await tasks.list(query).count()).toBe(5)
    expect(await tasks.list('subjectSTARTSWITHpage test^ORDERBYDESCsubject^ORDERBYstate').count()).toBe(5)
    expect(await tasks.list('ORDERBYstate^subjectSTARTSWITHpage test').count()).toBe(5)
    await tasks.create({ subject: 'a^ORDERBYnothing' })
    expect(await tasks.list('subject=a^^ORDERBYnothing^ORDERBYsubject').count()).toBe(1)
    expect(await tasks.page(query, { limit: 2, fields: ['subject'], total: true })).toMatchObject({
      total: 5,
      totalOver: null,
    })
    expect(await tasks.list(query, { fields: ['subject'] }).first()).toEqual({ subject: 'page test 5' })
    expect(await tasks.list(query, { fields: ['subject'] }).toArray({ max: 3 })).toHaveLength(3)
  })

  test('a list reads nothing before it is asked, each page has the total, and no more records come than wanted', async () => {
    const tasks = docket.table('task')
    for (const at of [1, 2, 3, 4, 5]) await tasks.create({ subject: `pages test ${at}` })
    const requests: string[] = []
    const watched = connect({
      url: running.baseUrl,
      token: await key(),
      fetch: (input, init) => {
        requests.push(String(input))
        return fetch(input, init)
      },
    })
    const list = watched
      .table('task')
      .list('subjectSTARTSWITHpages test^ORDERBYsubject', { fields: ['subject'], limit: 2 })
    expect(requests).toEqual([])
    const pages: unknown[] = []
    for await (const { rows, total, totalOver } of list.pages()) pages.push([rows.length, total, totalOver])
    expect(pages).toEqual([
      [2, 5, null],
      [2, 5, null],
      [1, 5, null],
    ])
    // Only the first page is counted.
    expect(requests.map((url) => new URL(url).searchParams.get('sysparm_no_count'))).toEqual([null, '1', '1'])
    expect(await list.first()).toEqual({ subject: 'pages test 1' })
    expect(await list.toArray({ max: 3 })).toHaveLength(3)
    expect(await list.toArray({ max: 0 })).toEqual([])
    expect(await list.count()).toBe(5)
  })

  test('titles, display values and messages are in the language of the client, and those of others are not', async () => {
    const inRussian = connect({ url: running.baseUrl, token: await key(), language: 'ru' })
    const { row } = await docket.table('task').create({ subject: 'two languages', priority: 2 }, { fields: ['sys_id'] })
    const priorityIn = async (client: Docket) =>
      (await client.table('task').get(String(row['sys_id']), { fields: ['priority'], display: 'display' })).row
    expect(await Promise.all([priorityIn(inRussian), priorityIn(docket)])).toEqual([
      { priority: 'Высокий' },
      { priority: 'High' },
    ])
    const titleIn = async (client: Docket) =>
      (await client.table('task').meta()).columns.find(({ name }) => name === 'subject')?.title
    expect(await titleIn(docket)).toBe('Subject')
    expect(await titleIn(inRussian)).toMatch(/^[А-Я]/)
    expect(await thrownBy(inRussian.table('task').page('priorit=1'))).toMatchObject({
      position: 0,
      message: expect.stringMatching(/^Ошибка в запросе/),
    })
    // Nobody is known yet.
    expect(await thrownBy(connect({ url: running.baseUrl, token: 'none', language: 'ru' }).session())).toMatchObject({
      message: expect.stringMatching(/[А-я]/),
    })
    expect(await thrownBy(docket.session({ headers: { 'X-Docket-Language': 'de' } }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('en or ru'),
    })
  })

  test('counts in groups', async () => {
    const tasks = docket.table('task')
    for (const priority of ['1', '1', '2']) await tasks.create({ subject: 'stats test', priority })
    const rows = await tasks.stats('subject=stats test^ORDERBYpriority', {
      groupBy: ['priority'],
      having: 'count>1',
    })
    expect(rows).toEqual([{ group: { priority: '1' }, count: 2 }])
  })

  test('sends a query that is too long for a URL by POST', async () => {
    const long = any(condition('subject', '=', 'x'.repeat(8_000)), condition('subject', '=', 'page test 1'))
    expect(
      await docket
        .table('task')
        .list({ where: long, orders: [] }, { fields: ['subject'] })
        .toArray({ max: 9 }),
    ).toEqual([{ subject: 'page test 1' }])
  })

  test('counts and exports with a query that is too long for a URL, too', async () => {
    const long = any(condition('subject', '=', 'ж'.repeat(30_000)), condition('subject', '=', 'page test 1'))
    const query = { where: long, orders: [] }
    const tasks = docket.table('task')
    expect(await tasks.list(query).count()).toBe(1)
    expect(await tasks.stats(query, { groupBy: ['subject'], min: ['sys_created_at'] })).toMatchObject([
      { group: { subject: 'page test 1' }, count: 1, min: { sys_created_at: expect.any(String) } },
    ])
    const rows: unknown[] = []
    for await (const row of tasks.export(query, { fields: ['subject'], display: 'display' })) rows.push(row)
    expect(rows).toEqual([{ subject: 'page test 1' }])
    const wrong = { where: all(long, condition('prioriti', '=', '1')), orders: [] }
    expect(await thrownBy(tasks.list(wrong).count())).toMatchObject({ code: 'BAD_QUERY', position: expect.any(Number) })
  })

  test('a query as text is sent as it is', async () => {
    const query = q.raw('subjectSTARTSWITHpage test^ORDERBYDESCsubject')
    const tasks = docket.table('task')
    expect(await tasks.list(query, { fields: ['subject'] }).first()).toEqual({ subject: 'page test 5' })
    expect(await tasks.list(query).count()).toBe(5)
    expect(String(query)).toBe('subjectSTARTSWITHpage test^ORDERBYDESCsubject')
  })

  test('values with the signs of the query language stay values', async () => {
    const subject = 'a^b^ORc=1 (x) javascript:gs.now()'
    await docket.table('task').create({ subject })
    const query = { where: any(condition('subject', '=', subject), condition('subject', '=', 'none')), orders: [] }
    expect(
      await docket
        .table('task')
        .list(query, { fields: ['subject'] })
        .first(),
    ).toEqual({ subject })
  })

  test('documents are found with their marks, and read whole', async () => {
    const load = (id: string, text: string) =>
      docket.request({
        method: 'POST',
        path: '/load_text_to_collection?collection_name=client',
        body: { text, metadata: { doc_id: id } },
      })
    await load('one', 'The gyroscope drifts to the left.')
    await load('two', 'Nothing of that kind.')
    const documents = new DocumentsClient(docket.send)
    const { chunks, mode } = await documents.search('gyroscope', { collections: ['client'], k: 5 })
    expect(mode).toBe('lexical')
    expect(
      chunks.map(({ doc_id, text, highlights = [] }) => [doc_id, highlights.map(([a, b]) => text.slice(a, b))]),
    ).toEqual([['one', ['gyroscope']]])
    const texts: string[] = []
    for await (const { text } of documents.contents('client', '')) texts.push(text)
    expect(texts).toEqual(['The gyroscope drifts to the left.', 'Nothing of that kind.'])
    expect((await documents.collections()).map((each) => each.collection_name)).toContain('client')
  })

  test('errors have their class, and hold no credential', async () => {
    const nobody = connect({ url: running.baseUrl, token: 'secret-token-of-nobody' })
    const failures = await Promise.all([
      thrownBy(nobody.session()),
      thrownBy(docket.table('no_such_table').page()),
      thrownBy(docket.table('task').page('subject==')),
      thrownBy(docket.table('task').page('state=1^^^OR', { limit: 1 })),
      thrownBy(docket.table('task').create({ prioriti: 1 })),
      thrownBy(docket.table('task').page('', { signal: AbortSignal.abort() })),
      thrownBy(connect({ url: 'http://127.0.0.1:9', retry: 0 }).session()),
    ])
    const [first, second, , , fifth, aborted, network] = failures
    expect(first).toBeInstanceOf(Unauthenticated)
    expect(String((first as Error).stack) + JSON.stringify(first)).not.toContain('secret-token')
    expect(second).toBeInstanceOf(NotFound)
    expect(fifth).toBeInstanceOf(InvalidValue)
    expect(fifth).toMatchObject({ field: 'prioriti', requestId: expect.any(String) })
    expect(aborted).toBeInstanceOf(Aborted)
    expect(network).toBeInstanceOf(NetworkError)
    expect(AccessDenied.prototype).toBeInstanceOf(DocketError)
  })

  test('a text has its tree or the position of its fault, without a request', async () => {
    const wrong = await q.parse('state=1^priority~2')
    expect(wrong.ok ? null : wrong.error.position).toBe(16)
    const read = await q.parse('active=true^ORDERBYsubject')
    expect(read).toEqual(parseEncodedQuery('active=true^ORDERBYsubject'))
    if (read.ok)
      expect(String(new QueryBuilder(read.value).and('state', '=', 1))).toBe('active=true^state=1^ORDERBYsubject')
  })

  test('events tell changes, and end with their signal', async () => {
    const stop = new AbortController()
    const seen: DocketEvent[] = []
    for await (const event of docket.events({ tables: ['task'], signal: stop.signal })) {
      seen.push(event)
      if (event.kind === 'open') await docket.table('task').create({ subject: 'seen live' })
      if (event.kind === 'change') stop.abort()
    }
    expect(seen).toMatchObject([
      { kind: 'open' },
      {
        kind: 'change',
        change: { operation: 'create', table: 'task', changes: { subject: { new_value: 'seen live' } } },
      },
    ])
  })
})

describe('retries of docket-client', () => {
  let server: Server
  afterEach(() => new Promise((resolve) => server.close(resolve)))

  /** A server that returns these statuses in order, and then 200. */
  async function failing(statuses: readonly number[], headers: Record<string, string> = {}) {
    const received: { method: string | undefined; key: string | undefined }[] = []
    const left = [...statuses]
    server = createServer((request, response) => {
      received.push({ method: request.method, key: request.headers['idempotency-key'] as string | undefined })
      const status = left.shift()
      if (status === 0) return void request.socket.destroy()
      request.resume()
      response.writeHead(status ?? 200, {
        'content-type': 'application/json',
        ...(status === undefined ? {} : headers),
      })
      response.end(
        JSON.stringify(status === undefined ? { status: 'OK', data: [{ sys_id: '1' }] } : { status: 'ERROR' }),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return { docket: connect({ url: `http://127.0.0.1:${port}`, token: 'x' }), received }
  }

  test('a read survives 503, 429 and a broken connection', async () => {
    const { docket, received } = await failing([503, 0, 429])
    expect((await docket.table('task').get('1')).row).toEqual({ sys_id: '1' })
    expect(received).toHaveLength(4)
  })

  test('a create is repeated with the same key', async () => {
    const { docket, received } = await failing([503])
    await docket.table('task').create({ subject: 'x' })
    expect(received.map(({ method }) => method)).toEqual(['POST', 'POST'])
    expect(received[0]?.key).toEqual(expect.any(String))
    expect(received[1]?.key).toBe(received[0]?.key)
  })

  test('an unconditional update and a bad request are not repeated', async () => {
    const { docket, received } = await failing([503, 400])
    await expect(docket.table('task').update('1', { a: 1 }, { ifMatch: false })).rejects.toMatchObject({ status: 503 })
    await expect(docket.table('task').get('1')).rejects.toMatchObject({ status: 400 })
    expect(received).toHaveLength(2)
  })

  test('a Retry-After that ends after the limit of time is reported with its time, and not waited for', async () => {
    const { docket, received } = await failing([429], { 'retry-after': '60' })
    await expect(docket.table('task').get('1')).rejects.toMatchObject({ name: 'RateLimited', retryAfterMs: 60_000 })
    expect(received).toHaveLength(1)
  })

  test('a response that breaks off in the middle of its JSON is read again', async () => {
    let requests = 0
    server = createServer((_request, response) => {
      requests += 1
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '32' })
      if (requests === 1) response.write('{"data":[', () => response.destroy())
      else response.end('{"data":[{"sys_id":"1","n":10}]}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const docket = connect({ url: `http://127.0.0.1:${port}`, token: 'x' })
    expect((await docket.table('task').get('1')).row).toEqual({ sys_id: '1', n: 10 })
    expect(requests).toBe(2)
  })

  test('a response that never ends is given up after the limit of time, and says so', async () => {
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"data":[')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const docket = connect({ url: `http://127.0.0.1:${port}`, token: 'x' })
    const failure = await docket
      .table('task')
      .get('1', { timeoutMs: 300 })
      .catch((error: unknown) => error)
    server.closeAllConnections()
    expect(failure).toBeInstanceOf(Aborted)
    expect(failure).toMatchObject({ code: 'TIMEOUT' })
  })
})

test('docket-client with the query builder has at most 12 kB compressed, and uses nothing of Node', async () => {
  const entry = fileURLToPath(new URL('../../../packages/client/src/index.ts', import.meta.url))
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      lib: { entry, formats: ['es'] },
      target: 'es2024',
      rolldownOptions: { output: { minify: true } },
    },
  })
  const [{ output }] = [built].flat() as unknown as readonly [{ readonly output: readonly Chunk[] }]
  // The parser of `q.parse` is loaded with its first use, from a file of its own.
  const lazy = output.filter(({ isDynamicEntry }) => isDynamicEntry)
  expect(lazy.map(({ facadeModuleId }) => basename(facadeModuleId ?? ''))).toEqual(['parse.ts'])
  const code = output.filter((chunk) => !lazy.includes(chunk)).map((chunk) => chunk.code)
  expect(code.join('')).not.toMatch(/from\s*["']node:/)
  expect(gzipSync(code.join('\n')).length).toBeLessThanOrEqual(12_000)
})

interface Chunk {
  readonly code: string
  readonly isDynamicEntry: boolean
  readonly facadeModuleId: string | null
}
