import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BatchDeps, batchEndpoint } from '../../../src/endpoints/now/batch-endpoint.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from '../records/fixture.ts'
import { failed, id, result, servedIds } from './expected.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([servedIds, sql`update docket.sys_property set value = '3' where name = 'rest.count.max'`])
})
afterAll(() => stage.close())

const send = async (line: string, options: Parameters<Stage['send']>[2] = {}) => {
  const { status, body, headers } = await stage.send('worker', line, options)
  return { status, body, headers }
}
const linkTo = (offset: number, rel: string): string =>
  `<${stage.docket.baseUrl}/api/now/table/task?sysparm_fields=number&sysparm_limit=2&sysparm_offset=${offset}>;rel="${rel}"`

describe('lists (issue 15, sections 2 and 6)', () => {
  test('past the property rest.count.max there is neither a total nor the last page', async () => {
    const { status, body, headers } = await send(
      'GET /api/now/table/task?sysparm_fields=number&sysparm_limit=2&sysparm_offset=2',
    )
    expect([status, body]).toEqual([200, result({ number: 'INC0000003' }, { number: 'INC0000004' })])
    expect(headers['x-total-count']).toBeUndefined()
    expect(headers['link']).toBe([linkTo(0, 'first'), linkTo(0, 'prev'), linkTo(4, 'next')].join(','))
  })

  test('an address may have 60,000 characters, and not 70,000', async () => {
    const line = (characters: number): string =>
      `GET /api/now/table/task?sysparm_fields=number&sysparm_query=number=INC0000001^short_description!=${'x'.repeat(characters)}`
    const within = await send(line(60_000))
    expect([within.status, within.body]).toEqual([200, result({ number: 'INC0000001' })])
    // Clients read headers of some kilobytes only.
    expect(within.headers['link']).toBeUndefined()
    const beyond = await send(line(70_000))
    expect([beyond.status, beyond.body]).toEqual([414, failed('URI too long', expect.any(String) as unknown as string)])
  })
})

describe('errors of HTTP (issue 15, section 2)', () => {
  test('an attachment of a type that is no form, and a method that a file does not have', async () => {
    const form = await send('POST /api/now/attachment/upload', { body: {} })
    expect([form.status, form.body]).toEqual([
      415,
      failed('Unsupported media type', 'Send Content-Type: multipart/form-data; found application/json.'),
    ])
    const put = await send(`PUT /api/now/attachment/${id(1)}`, { body: {} })
    expect([put.status, put.body]).toEqual([
      405,
      failed('Method not allowed', 'PUT is not allowed here; allowed: GET, HEAD, DELETE, OPTIONS.'),
    ])
  })

  test('more requests in a second than a user may send', async () => {
    const limited = await setStage([], { environment: { DOCKET_REQUESTS_PER_SECOND: '1' } })
    try {
      const line = 'GET /api/now/table/task?sysparm_limit=1&sysparm_fields=number'
      const responses = await Promise.all(Array.from({ length: 8 }, () => limited.send('worker', line)))
      const rejected = responses.filter(({ status }) => status === 429)
      expect(rejected.length).toBeGreaterThan(0)
      for (const { body, headers } of rejected) {
        const seconds = Number(headers['retry-after'])
        expect(body).toEqual(
          failed('Too many requests', `Too many requests. Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`),
        )
      }
    } finally {
      await limited.close()
    }
  })
})

describe('batches (issue 15, section 9)', () => {
  test('have at most 1,000 parts and 10 MiB, and JSON in both directions', async () => {
    const parts = Array.from({ length: 1_001 }, (_, at) => ({ id: at, method: 'GET', url: '/api/now/table/task' }))
    const many = await send('POST /api/now/v1/batch', { body: { rest_requests: parts } })
    expect([many.status, many.body]).toEqual([
      400,
      failed('Exception while reading request', 'The body must be a batch of at most 1000 parts; found 1001.'),
    ])
    const large = await send('POST /api/now/v1/batch', { body: { padding: 'x'.repeat(10 * 1024 * 1024) } })
    expect([large.status, large.body]).toEqual([
      413,
      failed('Request body too large', 'The body is larger than 10485760 bytes.'),
    ])
    const parted = await send('POST /api/now/v1/batch', { body: {}, headers: { accept: 'multipart/mixed' } })
    expect([parted.status, parted.body]).toEqual([
      406,
      failed(
        'Not acceptable',
        'The response is application/json, which the Accept header does not allow: multipart/mixed.',
      ),
    ])
  })

  type Run = typeof batchEndpoint.run
  const stream = { socket: { remoteAddress: '127.0.0.1' } }
  const request = { id: 'ID', headers: {}, stream } as unknown as Parameters<Run>[2]
  const parts = ['a', 'b', 'c'].map((each) => ({ id: each, method: 'GET', url: '/api/now/table/task' }))
  async function run(deps: BatchDeps): Promise<Readonly<Record<string, unknown>>> {
    const body = { batch_request_id: '1', rest_requests: parts }
    const response = await batchEndpoint.run(deps, { query: new Map(), body } as unknown as Parameters<Run>[1], request)
    if (!response.ok || !('whole' in response.value)) throw new Error('a batch has a whole response')
    return JSON.parse(String(response.value.whole.body)) as Readonly<Record<string, unknown>>
  }
  const served = (each: string, more: object) => ({
    id: each,
    status_code: 200,
    status_text: 'OK',
    headers: [],
    body: '',
    execution_time: expect.any(Number),
    redirect_url: null,
    error_message: null,
    ...more,
  })

  test('parts that have not begun after 30 seconds are not served', async () => {
    let elapsed = 0
    const dispatch = async () => {
      elapsed += 15_000
      return { status: 200, headers: {}, body: Buffer.from('') }
    }
    expect(await run({ dispatch, elapsedMs: () => elapsed })).toEqual({
      batch_request_id: '1',
      serviced_requests: [served('a', {}), served('b', {})],
      unserviced_requests: ['c'],
    })
  })

  test('a file of at most 10 MiB is read, and a longer one ends there', async () => {
    const max = 10 * 1024 * 1024
    const { user, password } = stage.callerOf('admin') as { user: string; password: string }
    const headers = {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'content-type': 'application/octet-stream',
    }
    const listed = await stage.send('admin', 'GET /api/now/table/incident?sysparm_limit=1&sysparm_fields=sys_id')
    const [incident] = (listed.body as { result: readonly { sys_id: string }[] }).result
    const attach = async (bytes: number) => {
      const path = `/api/now/attachment/file?table_name=incident&table_sys_id=${incident?.sys_id}&file_name=${bytes}.bin`
      const sent = { method: 'POST', headers, body: Buffer.alloc(bytes, 'x') }
      const { result } = (await (await fetch(`${stage.docket.baseUrl}${path}`, sent)).json()) as {
        result: { sys_id: string }
      }
      return { id: String(bytes), method: 'GET', url: `/api/now/attachment/${result.sys_id}/file` }
    }
    const files = [await attach(4 * max), await attach(max)]
    const { body } = await stage.send('admin', 'POST /api/now/v1/batch', { body: { rest_requests: files } })
    const served = (body as { serviced_requests: { status_code: number; body: string }[] }).serviced_requests
    expect(served.map(({ status_code: status }) => status)).toEqual([413, 200])
    expect(Buffer.from(served[1]?.body ?? '', 'base64')).toHaveLength(max)
  })

  test('a response of more than 10 MiB is an error of its part', async () => {
    const sizes = [10 * 1024 * 1024 + 1, 0, 0]
    const dispatch: BatchDeps['dispatch'] = async ({ maxBytes = 0 }) => {
      const size = sizes.shift() ?? 0
      return { status: 200, headers: {}, body: size > maxBytes ? null : Buffer.alloc(size) }
    }
    const { serviced_requests: serviced } = await run({ dispatch, elapsedMs: () => 0 })
    const [first, ...others] = serviced as readonly { readonly body: string; readonly headers: unknown }[]
    expect(others).toEqual([served('b', {}), served('c', {})])
    expect(first).toMatchObject({ id: 'a', status_code: 413 })
    expect(JSON.parse(Buffer.from(first?.body ?? '', 'base64').toString())).toEqual(
      failed('Response too large', 'The response of a part has at most 10485760 bytes; ask for fewer records.'),
    )
  })
})
