import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

/** Writes from pages in a browser that adds stored Basic credentials (issue 8, A10). */

const allowed = 'https://portal.example'
const publicUrl = 'https://desk.example'
let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket({
    environment: { DOCKET_ALLOWED_ORIGINS: allowed, DOCKET_BASE_URL: publicUrl },
  })
})
afterAll(() => docket.close())

const rejected = {
  status: 'ERROR',
  error_type: 'SERVER',
  message:
    'A page of another origin cannot write with Basic credentials that a browser remembers. ' +
    'Use an access key, or have an administrator add the origin to DOCKET_ALLOWED_ORIGINS.',
  errors: [
    {
      message:
        'A page of another origin cannot write with Basic credentials that a browser remembers. ' +
        'Use an access key, or have an administrator add the origin to DOCKET_ALLOWED_ORIGINS.',
      code: 'ACCESS_DENIED',
    },
  ],
  request_id: 'r',
}

interface Scenario {
  readonly name: string
  /** The headers of the browser about the page; `own` is replaced by the address that the test calls. */
  readonly page: Readonly<Record<string, string>>
  readonly isRejected: boolean
}

const scenarios: readonly Scenario[] = [
  { name: 'a program, which says nothing of a page', page: {}, isRejected: false },
  {
    name: 'a page of another site',
    page: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    isRejected: true,
  },
  {
    name: 'a page of another site, by a form without an origin',
    page: { 'sec-fetch-site': 'cross-site', origin: 'null' },
    isRejected: true,
  },
  {
    name: 'a page of a sibling domain',
    page: { 'sec-fetch-site': 'same-site', origin: 'https://blog.example' },
    isRejected: true,
  },
  { name: 'a browser that sends only the origin', page: { origin: 'https://evil.example' }, isRejected: true },
  { name: 'an opaque origin', page: { origin: 'null' }, isRejected: true },
  { name: 'an origin that differs by its port', page: { origin: `${publicUrl}:8443` }, isRejected: true },
  { name: 'an origin that differs by its scheme', page: { origin: 'http://desk.example' }, isRejected: true },
  { name: 'a page of this server', page: { 'sec-fetch-site': 'same-origin', origin: publicUrl }, isRejected: false },
  {
    name: 'a page of this server, in a browser that sends only the origin',
    page: { origin: publicUrl },
    isRejected: false,
  },
  { name: 'a page under the address that was called', page: { origin: 'own' }, isRejected: false },
  { name: 'what the user enters in the address bar', page: { 'sec-fetch-site': 'none' }, isRejected: false },
  {
    name: 'a page that an administrator allows',
    page: { 'sec-fetch-site': 'cross-site', origin: allowed },
    isRejected: false,
  },
]

describe.each(scenarios)('$name', ({ page, isRejected }) => {
  const headersOf = () => ({
    ...page,
    ...(page['origin'] === 'own' ? { origin: docket.baseUrl } : {}),
    'x-request-id': 'r',
  })
  const count = async (): Promise<unknown> =>
    (await docket.database.rows(sql<{ n: string }>`select count(*) as n from docket.task`))[0]?.n

  test(isRejected ? 'writes nothing with Basic' : 'writes with Basic', async () => {
    const before = Number(await count())
    const response = await docket.request('POST', '/rest/v1/table/task', {
      as: admin,
      headers: headersOf(),
      body: { subject: 'From a page' },
    })
    if (isRejected) expect({ status: response.status, body: response.body }).toEqual({ status: 403, body: rejected })
    else expect(response.status).toBe(200)
    expect(Number(await count()) - before).toBe(isRejected ? 0 : 1)
  })

  test('reads with Basic, and writes with a key', async () => {
    const read = await docket.request('GET', '/rest/v1/table/task?sysparm_limit=1', { as: admin, headers: headersOf() })
    expect(read.status).toBe(200)
    const login = await docket.request('POST', '/v1/auth/login', {
      body: { username: admin.user, password: admin.password },
    })
    const { data } = login.body as { data: { auth_key: string } }
    const written = await docket.request('POST', '/rest/v1/table/task', {
      as: { bearer: data.auth_key },
      headers: headersOf(),
      body: { subject: 'With a key' },
    })
    expect(written.status).toBe(200)
  })
})

test('the rejection looks at no password: wrong ones get the same response and count for nothing', async () => {
  const response = await docket.request('DELETE', '/rest/v1/table/task/1', {
    as: { user: 'admin', password: 'wrong' },
    headers: { 'sec-fetch-site': 'cross-site', 'x-request-id': 'r' },
  })
  expect({ status: response.status, body: response.body }).toEqual({ status: 403, body: rejected })
})
