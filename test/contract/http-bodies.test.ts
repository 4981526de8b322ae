import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpShell, startHttpShell } from '../harness/http-shell.ts'

let shell: HttpShell
beforeAll(async () => {
  shell = await startHttpShell()
})
afterAll(() => shell.end())

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  shell.send('POST', '/rest/v1/table/task', {
    as: { bearer: 'good' },
    body,
    headers: { 'x-request-id': 'r', ...headers },
  })

const bodyOfRequest = (response: { readonly body: unknown }): unknown =>
  (response.body as { readonly body: unknown }).body

const accepted: readonly (readonly [
  name: string,
  headers: Record<string, string>,
  body: string | Buffer,
  read: unknown,
])[] = [
  ['JSON', { 'content-type': 'application/json' }, '{"a":"ж"}', { a: 'ж' }],
  ['JSON with its charset', { 'content-type': 'application/json; charset=UTF-8' }, '{"a":"ж"}', { a: 'ж' }],
  ['JSON by a type of its family', { 'content-type': 'application/merge-patch+json' }, '{"a":1}', { a: 1 }],
  ['JSON behind a byte order mark', {}, Buffer.from('\ufeff{"a":1}'), { a: 1 }],
  [
    'keys that objects have',
    {},
    '{"__proto__":{"a":1},"constructor":2}',
    JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
  ],
  ['a body of just the largest size', {}, `{"a":"${'x'.repeat(9_992)}"}`, { a: 'x'.repeat(9_992) }],
]

describe('a body is read:', () => {
  test.each(accepted)('%s', async (_name, headers, body, read) => {
    const response = await post(body, headers)
    expect(response.status).toBe(200)
    expect(bodyOfRequest(response)).toEqual(read)
  })

  // The column decides whether it remains a number (test/contract/records/long-numbers.test.ts).
  test('an 18-digit number, digit by digit', async () => {
    expect((await post('{"contact":155931135900000001}')).text).toContain('{"contact":155931135900000001}')
  })

  test('nothing at all, which the stages of a record request reject themselves', async () => {
    expect(bodyOfRequest(await post(undefined))).toBe('(none)')
    expect(bodyOfRequest(await post(undefined, { 'content-type': 'application/json', 'content-length': '0' }))).toBe(
      '(none)',
    )
  })
})

interface Rejection {
  readonly name: string
  readonly headers?: Record<string, string>
  readonly body: string | Buffer
  readonly status: number
  readonly error: Record<string, unknown>
}

const rejections: readonly Rejection[] = [
  {
    name: 'JSON with a comma too many',
    body: '{"a":1,}',
    status: 400,
    error: {
      code: 'BAD_JSON',
      message: 'The body is not valid JSON: a key in double quotes was expected (at position 7).',
      position: 7,
    },
  },
  {
    name: 'a key that occurs twice',
    body: '{"state":"1","state":"2"}',
    status: 400,
    error: {
      code: 'BAD_JSON',
      message: 'The body is not valid JSON: the key "state" occurs twice (at position 13).',
      position: 13,
    },
  },
  {
    name: 'windows-1251 bytes, which would become question marks',
    body: Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xef, 0xf0, 0x22, 0x7d]),
    status: 400,
    error: { code: 'BAD_JSON', message: 'The body is not valid JSON: it is not UTF-8 (at position 6).', position: 6 },
  },
  {
    name: 'form data',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
    status: 400,
    error: {
      code: 'BAD_JSON',
      message:
        'The body must be JSON, sent with Content-Type: application/json; found form data (multipart/form-data).',
    },
  },
  {
    name: 'a form, as curl -d sends it without a type',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '{"a":1}',
    status: 400,
    error: {
      code: 'BAD_JSON',
      message:
        'The body must be JSON, sent with Content-Type: application/json; found form data (application/x-www-form-urlencoded).',
    },
  },
  {
    name: 'XML',
    headers: { 'content-type': 'text/xml' },
    body: '<a/>',
    status: 415,
    error: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send Content-Type: application/json; found text/xml.' },
  },
  {
    name: 'a type that is none',
    headers: { 'content-type': 'json' },
    body: '{}',
    status: 415,
    error: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send Content-Type: application/json; found json.' },
  },
  {
    name: 'another charset',
    headers: { 'content-type': 'application/json; charset=windows-1251' },
    body: '{}',
    status: 415,
    error: {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'Send JSON in UTF-8; found application/json; charset=windows-1251.',
    },
  },
  {
    name: 'a packed body',
    headers: { 'content-encoding': 'gzip' },
    body: 'x',
    status: 415,
    error: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send the body unpacked; found Content-Encoding: gzip.' },
  },
  {
    name: 'a body over the limit, by its length',
    body: `{"a":"${'x'.repeat(9_993)}"}`,
    status: 413,
    error: { code: 'BODY_TOO_LARGE', message: 'The body is larger than 10000 bytes.' },
  },
]

describe('a body is rejected:', () => {
  test.each(rejections)('$name', async ({ headers = {}, body, status, error }) => {
    const before = shell.requested.length
    const response = await post(body, headers)
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: { status: 'ERROR', error_type: 'SERVER', message: error['message'], errors: [error], request_id: 'r' },
    })
    expect(shell.requested.length).toBe(before)
  })
})

test('POST …/query wants an object of parameters', async () => {
  const response = await shell.send('POST', '/rest/v1/table/task/query', {
    as: { bearer: 'good' },
    body: '[]',
    headers: { 'x-request-id': 'r' },
  })
  const message = 'The body must be a JSON object of parameters; found a list.'
  expect({ status: response.status, body: response.body }).toEqual({
    status: 400,
    body: {
      status: 'ERROR',
      error_type: 'SERVER',
      message,
      errors: [{ message, code: 'BAD_JSON' }],
      request_id: 'r',
    },
  })
})

test('a response that Accept excludes is an error that names the media type', async () => {
  const response = await shell.send('GET', '/rest/v1/table/task', {
    as: { bearer: 'good' },
    headers: { accept: 'application/xml', 'x-request-id': 'r' },
  })
  const message = 'The response is application/json, which the Accept header does not allow: application/xml.'
  expect({ status: response.status, body: response.body }).toEqual({
    status: 406,
    body: {
      status: 'ERROR',
      error_type: 'SERVER',
      message,
      errors: [{ message, code: 'NOT_ACCEPTABLE' }],
      request_id: 'r',
    },
  })
})

test('a connection goes on after a body that was rejected', async () => {
  const large = 'x'.repeat(2_000_000)
  const responses = await Promise.all([post(large), post('{"a":1}'), post(large), post('{"a":2}')])
  expect(responses.map(({ status }) => status)).toEqual([413, 200, 413, 200])
})
