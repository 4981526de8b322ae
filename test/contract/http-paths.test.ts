import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpShell, startHttpShell } from '../harness/http-shell.ts'

let shell: HttpShell
beforeAll(async () => {
  shell = await startHttpShell()
})
afterAll(() => shell.end())

const good = { as: { bearer: 'good' }, headers: { 'x-request-id': 'r' } } as const

interface Scenario {
  readonly name: string
  readonly send: string
  readonly asks: Record<string, unknown>
}

const nothing = { parameters: {}, body: '(none)', baseUrl: 'http://127.0.0.1:PORT', ifMatch: null }

const routed: readonly Scenario[] = [
  {
    name: 'a list',
    send: 'GET /rest/v1/table/task',
    asks: { ...nothing, operation: 'list', table: 'task', sysId: null },
  },
  {
    name: 'a record',
    send: 'GET /rest/v1/table/task/155931135900000123',
    asks: { ...nothing, operation: 'read', table: 'task', sysId: '155931135900000123' },
  },
  {
    name: 'doubled slashes and one at the end',
    send: 'GET //rest/v1//table/task//155931135900000123//',
    asks: { ...nothing, operation: 'read', table: 'task', sysId: '155931135900000123' },
  },
  {
    name: 'a slash at the end before the query string',
    send: 'GET /rest/v1/table/task/?sysparm_limit=1',
    asks: { ...nothing, operation: 'list', table: 'task', sysId: null, parameters: { sysparm_limit: '1' } },
  },
  {
    name: 'a path in its %-form',
    send: 'GET /rest/v1/table/%74ask/%D0%BF%2F1',
    asks: { ...nothing, operation: 'read', table: 'task', sysId: 'п/1' },
  },
  {
    name: 'a delete',
    send: 'DELETE /rest/v1/table/task/155931135900000123',
    asks: { ...nothing, operation: 'delete', table: 'task', sysId: '155931135900000123' },
  },
  {
    name: 'signs of the query language as they are',
    send: 'GET /rest/v1/table/task?sysparm_query=active=true^(priority<3^ORurgency>1)^state+IN+1@2',
    asks: {
      ...nothing,
      operation: 'list',
      table: 'task',
      sysId: null,
      parameters: { sysparm_query: 'active=true^(priority<3^ORurgency>1)^state IN 1@2' },
    },
  },
  {
    name: 'unknown parameters, which the stages of a record request report',
    send: 'GET /rest/v1/table/task?_=1&foo',
    asks: { ...nothing, operation: 'list', table: 'task', sysId: null, parameters: { _: '1', foo: '' } },
  },
]

describe('the stages of a record request receive', () => {
  test.each(routed)('$name', async ({ send, asks }) => {
    const [method = '', path = ''] = send.split(/ (.*)/s)
    const response = await shell.send(method, path, good)
    expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: asks })
  })

  test.each(['POST', 'PUT', 'PATCH'])('%s with its body', async (method) => {
    const path = method === 'POST' ? '/rest/v1/table/task' : '/rest/v1/table/task/155931135900000123'
    const body = { subject: 'Принтер', assigned_user: null, __proto__x: [1] }
    const response = await shell.send(method, `${path}?sysparm_display_value=1`, { ...good, body })
    expect(response.body).toEqual({
      operation: { POST: 'create', PUT: 'put', PATCH: 'patch' }[method],
      table: 'task',
      sysId: method === 'POST' ? null : '155931135900000123',
      parameters: { sysparm_display_value: '1' },
      body,
      baseUrl: 'http://127.0.0.1:PORT',
      ifMatch: null,
    })
  })

  test('a list whose parameters come as JSON', async () => {
    const response = await shell.send('POST', '/rest/v1/table/task/query?sysparm_page=2', {
      ...good,
      body: { sysparm_query: 'subjectLIKEпринтер', sysparm_limit: 5, sysparm_fields: ['number', 'subject'] },
    })
    expect(response.body).toEqual({
      ...nothing,
      operation: 'list',
      table: 'task',
      sysId: null,
      parameters: {
        sysparm_query: 'subjectLIKEпринтер',
        sysparm_limit: '5',
        sysparm_fields: 'number,subject',
        sysparm_page: '2',
      },
    })
  })

  test('what If-Match says', async () => {
    await shell.send('DELETE', '/rest/v1/table/task/1', { ...good, headers: { 'if-match': '"abc"' } })
    expect(shell.requested.at(-1)?.ifMatch).toBe('"abc"')
  })

  test('HEAD as for GET; the response has the length and no body', async () => {
    const get = await shell.send('GET', '/rest/v1/table/task?sysparm_limit=1', good)
    const head = await shell.send('HEAD', '/rest/v1/table/task?sysparm_limit=1', good)
    expect(shell.requested.at(-1)?.operation).toBe('list')
    expect({ status: head.status, text: head.text, length: head.headers['content-length'] }).toEqual({
      status: 200,
      text: '',
      length: String(Buffer.byteLength(get.text)),
    })
  })
})

interface Rejection {
  readonly name: string
  readonly send: string
  readonly status: number
  readonly error: Record<string, unknown>
  readonly headers?: Record<string, string>
}

const rejections: readonly Rejection[] = [
  {
    name: 'a path that nothing is served at',
    send: 'GET /rest/v2/table/task',
    status: 404,
    error: {
      code: 'PATH_NOT_FOUND',
      message: 'Nothing is served at /rest/v2/table/task. GET /openapi.json lists every path.',
    },
  },
  {
    name: 'a path that is too deep',
    send: 'GET /rest/v1/table/task/1/2',
    status: 404,
    error: {
      code: 'PATH_NOT_FOUND',
      message: 'Nothing is served at /rest/v1/table/task/1/2. GET /openapi.json lists every path.',
    },
  },
  {
    name: 'PUT on a table',
    send: 'PUT /rest/v1/table/task',
    status: 405,
    error: {
      code: 'METHOD_NOT_ALLOWED',
      message: 'PUT is not allowed here; allowed: GET, HEAD, POST, OPTIONS.',
    },
    headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  },
  {
    name: 'POST on a record',
    send: 'POST /rest/v1/table/task/1',
    status: 405,
    error: {
      code: 'METHOD_NOT_ALLOWED',
      message: 'POST is not allowed here; allowed: GET, HEAD, PUT, PATCH, DELETE, OPTIONS.',
    },
    headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' },
  },
  {
    name: 'a method of WebDAV',
    send: 'PROPFIND /rest/v1/table/task',
    status: 405,
    error: {
      code: 'METHOD_NOT_ALLOWED',
      message: 'PROPFIND is not allowed here; allowed: GET, HEAD, POST, OPTIONS.',
    },
    headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  },
  {
    name: 'QUERY, which no route takes yet',
    send: 'QUERY /rest/v1/table/task',
    status: 405,
    error: {
      code: 'METHOD_NOT_ALLOWED',
      message: 'QUERY is not allowed here; allowed: GET, HEAD, POST, OPTIONS.',
    },
    headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  },
  {
    name: 'an encoded slash, which parts no path',
    send: 'GET /rest/v1/table%2Ftask',
    status: 404,
    error: {
      code: 'PATH_NOT_FOUND',
      message: 'Nothing is served at /rest/v1/table/task. GET /openapi.json lists every path.',
    },
  },
  {
    name: 'TRACE',
    send: 'TRACE /health',
    status: 405,
    error: { code: 'METHOD_NOT_ALLOWED', message: 'TRACE is not allowed here; allowed: GET, HEAD, OPTIONS.' },
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    name: 'a malformed percent sign in the path',
    send: 'GET /rest/v1/table/ta%zzsk',
    status: 400,
    error: {
      code: 'BAD_PARAMETER',
      field: 'path',
      message: 'The parameter path must be UTF-8, %-encoded where needed; found /rest/v1/table/ta%zzsk.',
    },
  },
  {
    name: 'a malformed percent sign in the query string',
    send: 'GET /rest/v1/table/task?sysparm_query=subjectLIKE100%',
    status: 400,
    error: {
      code: 'BAD_PARAMETER',
      field: 'sysparm_query',
      message:
        'The parameter sysparm_query must be UTF-8, %-encoded where needed (a percent sign itself is %25); found subjectLIKE100%.',
    },
  },
  {
    name: 'one parameter with two values',
    send: 'GET /rest/v1/table/task?sysparm_limit=1&sysparm_limit=2',
    status: 400,
    error: {
      code: 'BAD_PARAMETER',
      field: 'sysparm_limit',
      message: 'The parameter sysparm_limit must be one value; found two different values.',
    },
  },
  {
    name: 'a URL of more than 64 KB',
    send: `GET /rest/v1/table/task?sysparm_query=${'x'.repeat(65_536)}`,
    status: 414,
    error: {
      code: 'URI_TOO_LONG',
      message: 'The URL is longer than 65536 bytes. Send the parameters as JSON to POST /rest/v1/table/{table}/query.',
    },
  },
]

describe('an error in the envelope is the response to', () => {
  test.each(rejections)('$name', async ({ send, status, error, headers = {} }) => {
    const [method = '', path = ''] = send.split(/ (.*)/s)
    const response = await shell.send(method, path, good)
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: { status: 'ERROR', error_type: 'SERVER', message: error['message'], errors: [error], request_id: 'r' },
    })
    expect(response.headers).toMatchObject(headers)
  })
})

test('a query of 60 KB fits into the URL', async () => {
  const query = 'sys_idIN155931135900000123,'.repeat(2_200)
  const response = await shell.send('GET', `/rest/v1/table/task?sysparm_query=${query}`, good)
  expect((response.body as { parameters: unknown }).parameters).toEqual({ sysparm_query: query })
})

test.each([
  ['/rest/v1/table/task', 'GET, HEAD, POST, OPTIONS'],
  ['/rest/v1/table/task/query', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  ['/health', 'GET, HEAD, OPTIONS'],
])('OPTIONS %s responds with the methods, and allows no page of another origin', async (path, allow) => {
  const response = await shell.send('OPTIONS', path, {
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
  })
  expect({ status: response.status, text: response.text, allow: response.headers.allow }).toEqual({
    status: 204,
    text: '',
    allow,
  })
  expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('every response has its request id, is not cached and has a certain media type', async () => {
  const own = await shell.send('GET', '/health', { headers: { 'x-request-id': 'my-id:1' } })
  expect(own.headers).toMatchObject({
    'x-request-id': 'my-id:1',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
  })
  const made = await shell.send('GET', '/health', { headers: { 'x-request-id': 'x'.repeat(129) } })
  expect(made.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
})

test('a header of a response with other characters than ASCII, or with several lines, is percent-encoded', async () => {
  const odd = await startHttpShell({
    respondWithRecords: async () => ({
      ok: true,
      value: { status: 200, headers: { 'x-ignored-parameters': 'тема,a\r\nset-cookie: b' }, body: '{}' },
    }),
  })
  const response = await odd.send('GET', '/rest/v1/table/task', good)
  await odd.end()
  expect(response.headers['x-ignored-parameters']).toBe('%D1%82%D0%B5%D0%BC%D0%B0,a%0D%0Aset-cookie: b')
  expect(response.headers['set-cookie']).toBeUndefined()
})

test('a finished request is observed by its pattern, never by its path', async () => {
  await shell.send('GET', '/rest/v1/table/task/1?sysparm_query=secret', good)
  await shell.send('GET', '/health')
  await shell.send('GET', '/secret/path')
  const seen = () => shell.observations.filter((each) => each.kind === 'request-finished').slice(-3)
  await expect.poll(seen).toMatchObject([
    { requestId: 'r', method: 'GET', route: '/rest/v1/table/:table/:sys_id', status: 200 },
    { method: 'GET', route: '/health', status: 200 },
    { method: 'GET', route: 'unmatched', status: 404 },
  ])
})
