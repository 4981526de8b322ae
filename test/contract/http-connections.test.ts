import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpShell, startHttpShell } from '../harness/http-shell.ts'
import { openSocket, rawRequest, splitResponses } from '../harness/raw-request.ts'

let shell: HttpShell
beforeAll(async () => {
  shell = await startHttpShell()
})
afterAll(() => shell.end())

const head = 'Host: desk\r\nAuthorization: Bearer good\r\nX-Request-Id: r\r\n'
const last = `${head}Connection: close\r\n\r\n`

const parametersIn = (body: string): unknown => (JSON.parse(body) as { readonly parameters: unknown }).parameters

describe('letters of any alphabet stand in a URL as they are', () => {
  const line = 'GET /rest/v1/table/task?sysparm_query=subjectLIKEпринтер^state=1@2^x<(y>z)&ключ=日本 HTTP/1.1\r\n'
  const parameters = { sysparm_query: 'subjectLIKEпринтер^state=1@2^x<(y>z)', ключ: '日本' }

  test('in one packet', async () => {
    const [response] = splitResponses(await rawRequest(shell.baseUrl, line + last))
    expect(parametersIn(response?.body ?? '')).toEqual(parameters)
  })

  test('byte by byte', async () => {
    const bytes = [...Buffer.from(line)].map((byte) => Uint8Array.of(byte))
    const [response] = splitResponses(await rawRequest(shell.baseUrl, ...bytes, last))
    expect(parametersIn(response?.body ?? '')).toEqual(parameters)
  })

  test('beside their %-form', async () => {
    const mixed = 'GET /rest/v1/table/task?q=%D0%BFр HTTP/1.1\r\n'
    const [response] = splitResponses(await rawRequest(shell.baseUrl, mixed + last))
    expect(parametersIn(response?.body ?? '')).toEqual({ q: 'пр' })
  })

  test('in the path', async () => {
    const [response] = splitResponses(await rawRequest(shell.baseUrl, `GET /rest/v1/table/задача HTTP/1.1\r\n${last}`))
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ operation: 'list', table: 'задача' })
  })

  const body = '{"subject":"GET /п HTTP/1.1\\n\\nGET /р HTTP/1.1"}'
  const length = Buffer.byteLength(body)
  const requests = [
    `GET /rest/v1/table/task?q=один HTTP/1.1\r\n${head}\r\n`,
    `POST /rest/v1/table/task?q=два HTTP/1.1\r\n${head}Content-Length: ${length}\r\n\r\n${body}`,
    `\r\n\r\nGET /rest/v1/table/task?q=три HTTP/1.1\r\n${head}\r\n`,
    `PUT /rest/v1/table/task/1?q=четыре HTTP/1.1\r\n${head}X-Name: Анна\r\nContent-Length: ${length}\r\n\r\n${body}`,
    `DELETE /rest/v1/table/task/1?q=пять HTTP/1.1\r\n${last}`,
  ]
  const responded = [
    { parameters: { q: 'один' }, body: '(none)' },
    { parameters: { q: 'два' }, body: JSON.parse(body) },
    { parameters: { q: 'три' }, body: '(none)' },
    { parameters: { q: 'четыре' }, body: JSON.parse(body) },
    { parameters: { q: 'пять' }, body: '(none)' },
  ]

  test('on every request of a kept connection, however the bytes are cut into packets, and bodies stay as they are', async () => {
    const bytes = Buffer.from(requests.join(''))
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const edges = [0, ...places.sort((one, other) => one - other), bytes.length]
        const pieces = edges.slice(1).map((to, at) => bytes.subarray(edges[at], to))
        const responses = splitResponses(await rawRequest(shell.baseUrl, ...pieces))
        expect(responses.map(({ body: text }) => JSON.parse(text))).toMatchObject(responded)
      }),
      { numRuns: 40, examples: [[[]]] },
    )
  })

  test('also after a chunked body, when the next request has a packet of its own', async () => {
    const chunked = `POST /rest/v1/table/task?q=шесть HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`
    const socket = openSocket(shell.baseUrl)
    await socket.call(`${chunked}${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    await socket.call(requests[0] ?? '')
    const responses = splitResponses(await socket.call(requests[4] ?? ''))
    expect(responses.map(({ body: text }) => JSON.parse(text))).toMatchObject([
      { parameters: { q: 'шесть' }, body: JSON.parse(body) },
      responded[0],
      responded[4],
    ])
  })

  test('in windows-1251 they are no UTF-8, which is said', async () => {
    const cp1251 = Buffer.concat([
      Buffer.from('GET /rest/v1/table/task?q='),
      Buffer.from([0xef, 0xf0]),
      Buffer.from(` HTTP/1.1\r\n${last}`),
    ])
    const [response] = splitResponses(await rawRequest(shell.baseUrl, cp1251))
    const message =
      'The parameter q must be UTF-8, %-encoded where needed (a percent sign itself is %25); found %EF%F0.'
    expect({ status: response?.status, body: JSON.parse(response?.body ?? '') }).toEqual({
      status: 400,
      body: {
        status: 'ERROR',
        error_type: 'SERVER',
        message,
        errors: [{ message, code: 'BAD_PARAMETER', field: 'q' }],
        request_id: 'r',
      },
    })
  })
})

test('requests that are sent one behind the other in one packet are responded to in their order', async () => {
  const responses = splitResponses(
    await rawRequest(
      shell.baseUrl,
      `GET /rest/v1/table/a HTTP/1.1\r\n${head}\r\nGET /rest/v1/table/b HTTP/1.1\r\n${head}\r\nGET /rest/v1/table/c HTTP/1.1\r\n${last}`,
    ),
  )
  expect(responses.map(({ body }) => (JSON.parse(body) as { table: unknown }).table)).toEqual(['a', 'b', 'c'])
})

test('HTTP/1.0 without a host gets a response; links then have no host', async () => {
  const [response] = splitResponses(
    await rawRequest(shell.baseUrl, 'GET /rest/v1/table/task HTTP/1.0\r\nAuthorization: Bearer good\r\n\r\n'),
  )
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ operation: 'list', baseUrl: '' })
})

test('a host that is none is not repeated into links', async () => {
  const strange =
    'GET /rest/v1/table/task HTTP/1.1\r\nHost: a"><script>\r\nAuthorization: Bearer good\r\nConnection: close\r\n\r\n'
  const [response] = splitResponses(await rawRequest(shell.baseUrl, strange))
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ baseUrl: '' })
})

const broken: readonly (readonly [name: string, bytes: string, status: number, code: string, message: string])[] = [
  [
    'a method that does not exist',
    `FETCH / HTTP/1.1\r\n${last}`,
    400,
    'BAD_REQUEST',
    'This is not an HTTP request that the server can read: Invalid method encountered.',
  ],
  [
    'a space in the URL',
    `GET /rest/v1/table/task?q=a b HTTP/1.1\r\n${last}`,
    400,
    'BAD_REQUEST',
    'This is not an HTTP request that the server can read: Expected HTTP/, RTSP/ or ICE/.',
  ],
  [
    'another protocol',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n',
    400,
    'BAD_REQUEST',
    'This is not an HTTP request that the server can read: Invalid method encountered.',
  ],
  [
    'two lengths (request smuggling)',
    `POST /rest/v1/table/task HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    400,
    'BAD_REQUEST',
    'This is not an HTTP request that the server can read: Duplicate Content-Length.',
  ],
  [
    'a length and chunks (request smuggling)',
    `POST /rest/v1/table/task HTTP/1.1\r\n${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    400,
    'BAD_REQUEST',
    "This is not an HTTP request that the server can read: Transfer-Encoding can't be present with Content-Length.",
  ],
  [
    'chunks that add up to more than the limit',
    `POST /rest/v1/table/task HTTP/1.1\r\n${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${`1000\r\n${'x'.repeat(4_096)}\r\n`.repeat(20)}0\r\n\r\n`,
    413,
    'BODY_TOO_LARGE',
    'The body is larger than 10000 bytes.',
  ],
  [
    'headers of 100 KB',
    `GET / HTTP/1.1\r\n${head}X-Large: ${'x'.repeat(100_000)}\r\n\r\n`,
    431,
    'HEADERS_TOO_LARGE',
    'The URL and the headers together are larger than 81920 bytes. Send long parameters as JSON to POST /rest/v1/table/{table}/query.',
  ],
  [
    'a URL of 100 KB',
    `GET /rest/v1/table/task?sysparm_query=${'x'.repeat(100_000)} HTTP/1.1\r\n${last}`,
    431,
    'HEADERS_TOO_LARGE',
    'The URL and the headers together are larger than 81920 bytes. Send long parameters as JSON to POST /rest/v1/table/{table}/query.',
  ],
]

const slow: typeof broken = [
  [
    'a head that does not end (slowloris)',
    `GET / HTTP/1.1\r\n${head}`,
    408,
    'REQUEST_TIMEOUT',
    'The request did not arrive whole within 1 second.',
  ],
  [
    'a body that does not end',
    `POST /rest/v1/table/task HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{"a":`,
    408,
    'REQUEST_TIMEOUT',
    'The request did not arrive whole within 1 second.',
  ],
]

async function expectRejection(
  baseUrl: string,
  [, bytes, status, code, message]: (typeof broken)[number],
): Promise<void> {
  const [response] = splitResponses(await rawRequest(baseUrl, Buffer.from(bytes, 'latin1')))
  const body = JSON.parse(response?.body ?? '') as { readonly request_id: string }
  expect({ status: response?.status, body }).toEqual({
    status,
    body: {
      status: 'ERROR',
      error_type: 'SERVER',
      message,
      errors: [{ message, code }],
      request_id: expect.stringMatching(/^(r|[0-9a-f]{8}-[0-9a-f-]{27})$/),
    },
  })
  expect(response?.head).toMatch(/^connection: close$/im)
}

describe('a connection gets a response in the envelope and is closed:', () => {
  test.each(broken)('%s', async (...scenario) => {
    await expectRejection(shell.baseUrl, scenario)
  })

  test.each(slow)('%s', async (...scenario) => {
    const hasty = await startHttpShell({ timeouts: { headersMs: 300, bodyMs: 300 } })
    await expectRejection(hasty.baseUrl, scenario)
    await hasty.end()
  })
})

test('a caller who waits to be told to go on is told only when the credentials hold', async () => {
  const call = (key: string) =>
    rawRequest(
      shell.baseUrl,
      `POST /rest/v1/table/task HTTP/1.1\r\nHost: d\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 7\r\n\r\n`,
      '{"a":1}',
    )
  expect(await call('good')).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  expect(await call('wrong')).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
})
