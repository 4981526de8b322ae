import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

interface Part {
  readonly id: string
  readonly status_code: number
  readonly status_text: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: string
  readonly execution_time: number
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
const JSON_HEADERS = [{ name: 'Content-Type', value: 'application/json' }]

async function batch(as: Who, parts: readonly object[], path = '/api/now/v1/batch') {
  const body = { batch_request_id: 7, rest_requests: parts }
  const { status, body: response } = await stage.send(as, `POST ${path}`, { body })
  const {
    batch_request_id: id,
    serviced_requests: serviced,
    unserviced_requests: unserviced,
  } = response as {
    batch_request_id: string
    serviced_requests: readonly Part[]
    unserviced_requests: readonly string[]
  }
  return { status, id, serviced, unserviced }
}

const contentOf = ({ status_code: status, body }: Part) => ({
  status,
  content: body === '' ? null : JSON.parse(Buffer.from(body, 'base64').toString()),
})

const LIST = '/api/now/table/incident?sysparm_query=number=INC0000001&sysparm_fields=number'

describe('POST /api/now/batch (issue 15, section 9)', () => {
  test.each(['/api/now/v1/batch', '/api/now/batch'])('%s runs its parts in order, as the caller', async (path) => {
    const response = await batch(
      'worker',
      [
        { id: 'a', method: 'GET', url: LIST, exclude_response_headers: true },
        { id: 2, method: 'get', url: LIST.slice(1) },
        { id: 'c', method: 'GET', url: '/api/now/table/sys_user_has_role' },
        { id: 'd', method: 'GET', url: '/api/now/v1/table/incident?sysparm_query=number=none' },
      ],
      path,
    )
    expect([response.status, response.id, response.unserviced]).toEqual([200, '7', []])
    expect(response.serviced.map(({ id, status_text: text }) => [id, text])).toEqual([
      ['a', 'OK'],
      ['2', 'OK'],
      ['c', 'Forbidden'],
      ['d', 'Not Found'],
    ])
    const [first, second, third] = response.serviced.map(contentOf)
    expect([first, second]).toEqual(
      Array.from({ length: 2 }, () => ({ status: 200, content: { result: [{ number: 'INC0000001' }] } })),
    )
    expect(third).toMatchObject({
      status: 403,
      content: { error: { message: 'Insufficient rights to query records' } },
    })
    expect(response.serviced[0]?.headers).toEqual([])
    expect(response.serviced[1]?.headers).toContainEqual({ name: 'x-total-count', value: '1' })
  })

  test('each part has a transaction of its own: one that fails takes back no other', async () => {
    const url = '/api/now/table/incident'
    const response = await batch('worker', [
      { id: '1', method: 'POST', url, headers: JSON_HEADERS, body: encoded({ short_description: 'From a batch' }) },
      { id: '2', method: 'POST', url, headers: JSON_HEADERS, body: encoded({ caller_id: 'nobody at all' }) },
      {
        id: '3',
        method: 'GET',
        url: `${url}?short_description=From a batch&sysparm_fields=short_description`.replaceAll(' ', '%20'),
      },
    ])
    const [made, rejected, found] = response.serviced.map(contentOf)
    expect(made).toMatchObject({ status: 201, content: { result: { short_description: 'From a batch' } } })
    expect(rejected?.status).toBe(400)
    expect(found).toEqual({ status: 200, content: { result: [{ short_description: 'From a batch' }] } })
  })

  test('a part cannot say who it is, be a batch, or leave the API', async () => {
    const basic = `Basic ${Buffer.from('admin:x').toString('base64')}`
    const response = await batch('worker', [
      {
        id: '1',
        method: 'GET',
        url: LIST,
        headers: [
          { name: 'Authorization', value: basic },
          { name: 'X-API-Key', value: 'y' },
        ],
      },
      {
        id: '2',
        method: 'POST',
        url: '/api/now/v1/batch',
        headers: JSON_HEADERS,
        body: encoded({ rest_requests: [] }),
      },
      {
        id: '3',
        method: 'POST',
        url: '/api/now/v1/%62atch',
        headers: JSON_HEADERS,
        body: encoded({ rest_requests: [] }),
      },
      { id: '4', method: 'GET', url: '/metrics' },
      { id: '5', method: 'GET', url: 'http://localhost/api/now/table/incident' },
      { id: '6', method: 'TRACE', url: LIST },
      { id: '7', method: 'POST', url: LIST, body: 'no base64!' },
      { id: '8', method: 'GET', url: '/api/../v1/auth/session' },
      { id: '9', method: 'GET', url: '/api/%2e%2e/rest/v1/events' },
      { id: '10', method: 'GET', url: '/api/now/../now/table/incident?sysparm_limit=1' },
    ])
    expect(response.serviced.map(({ status_code: status }) => status)).toEqual([
      ...[200, 400, 400, 400, 400, 405, 400, 400, 400, 200],
    ])
    expect(contentOf(response.serviced[1] as Part)).toEqual({
      status: 400,
      content: {
        error: {
          message: 'Exception while reading request',
          detail: 'The body must be sent by itself (a part of a batch cannot be a batch); found a part of a batch.',
        },
        status: 'failure',
        request_id: expect.any(String),
      },
    })
  })

  test('behind a trusted proxy, parts have the links of requests that are sent alone', async () => {
    const behind = await setStage([], { environment: { DOCKET_TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const headers = {
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'desk.example',
        'x-forwarded-for': '192.0.2.9',
      }
      const url = '/api/now/table/incident?sysparm_limit=1&sysparm_fields=caller_id'
      const alone = await behind.send('worker', `GET ${url}`, { headers })
      const body = { rest_requests: [{ id: '1', method: 'GET', url }] }
      const { body: sent } = await behind.send('worker', 'POST /api/now/v1/batch', { body, headers })
      const [part] = (sent as { serviced_requests: readonly Part[] }).serviced_requests
      expect(contentOf(part as Part)).toEqual({ status: 200, content: alone.body })
      expect(alone.text).toContain('"link":"https://desk.example/')
    } finally {
      await behind.close()
    }
  })

  test('a batch without parts is accepted, one of 1,001 is not', async () => {
    expect(await batch('worker', [])).toEqual({ status: 200, id: '7', serviced: [], unserviced: [] })
    const empty = await stage.send('worker', 'POST /api/now/v1/batch', { body: {} })
    expect([empty.status, empty.body]).toEqual([
      200,
      { batch_request_id: '', serviced_requests: [], unserviced_requests: [] },
    ])
    const parts = Array.from({ length: 1_001 }, (_, id) => ({ id, method: 'GET', url: LIST }))
    expect((await batch('worker', parts)).status).toBe(400)
  })

  test('an Idempotency-Key is a header of a part, not of the batch', async () => {
    const made = (subject: string) => {
      const headers = [...JSON_HEADERS, { name: 'Idempotency-Key', value: 'key of a part' }]
      const body = encoded({ short_description: subject })
      return { id: '1', method: 'POST', url: '/api/now/table/incident', headers, body }
    }
    const path = 'POST /api/now/v1/batch'
    const body = { rest_requests: [made('With the key of a batch')] }
    const rejected = await stage.send('worker', path, { body, headers: { 'idempotency-key': 'key of a batch' } })
    expect([rejected.status, rejected.body]).toEqual([
      400,
      {
        error: {
          message: 'Invalid value',
          detail:
            'The parameter Idempotency-Key must be a header of each part that creates a record; found a header of the batch.',
        },
        status: 'failure',
        request_id: expect.any(String),
      },
    ])
    const url = '/api/now/table/incident?sysparm_fields=sys_id&short_description='
    const none = await stage.send('worker', `GET ${url}With%20the%20key%20of%20a%20batch`)
    expect(none.body).toEqual({ result: [] })

    const [first, again] = (await batch('worker', [made('With its own key'), made('With its own key')])).serviced
    expect(first && contentOf(first)).toMatchObject({ status: 201 })
    expect(again && contentOf(again)).toEqual(first && contentOf(first))
  })

  test('a # in the address of a part is text, as in a request that is sent alone', async () => {
    const url = `/api/now/table/incident?sysparm_fields=number&sysparm_query=short_description=none#1^ORnumber=INC0000001`
    const { serviced } = await batch('worker', [{ id: '1', method: 'GET', url }])
    expect(serviced.map(contentOf)).toEqual([{ status: 200, content: { result: [{ number: 'INC0000001' }] } }])
  })

  test('parts that come after 64 MiB of responses are not begun', async () => {
    const url = '/api/now/table/incident'
    const body = encoded({ short_description: 'Long', description: 'x'.repeat(700_000) })
    const writes = Array.from({ length: 10 }, (_, id) => ({ id, method: 'POST', url, headers: JSON_HEADERS, body }))
    for (const write of writes) expect((await batch('worker', [write])).serviced[0]?.status_code).toBe(201)
    const read = { method: 'GET', url: `${url}?short_description=Long&sysparm_fields=description` }
    const parts = Array.from({ length: 9 }, (_, id) => ({ id, ...read }))
    const last = {
      id: 'last',
      method: 'POST',
      url,
      headers: JSON_HEADERS,
      body: encoded({ short_description: 'Unbegun' }),
    }
    const { status, serviced, unserviced } = await batch('worker', [...parts, last])
    expect([status, new Set(serviced.map(({ status_code }) => status_code))]).toEqual([200, new Set([200])])
    // Each response has a little more than 9,333,333 characters in base64.
    expect([serviced.length, unserviced]).toEqual([8, ['8', 'last']])
    const [unbegun] = (await batch('worker', [{ id: '1', method: 'GET', url: `${url}?short_description=Unbegun` }]))
      .serviced
    expect(contentOf(unbegun as Part)).toEqual({ status: 200, content: { result: [] } })
  })

  test('without credentials it is 401, and XML or multipart is not acceptable', async () => {
    expect((await stage.send(null, 'POST /api/now/v1/batch', { body: {} })).status).toBe(401)
    const headers = { accept: 'multipart/mixed' }
    expect((await stage.send('worker', 'POST /api/now/v1/batch', { body: {}, headers })).status).toBe(406)
  })
})
