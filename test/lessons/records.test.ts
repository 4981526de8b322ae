import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ByteClient } from '../../src/database/byte-client.ts'
import { sql } from '../../src/kernel/sql.ts'
import { nowMs, PASSWORD, rule, type Stage, setStage, type Who } from '../contract/records/fixture.ts'
import { errorBody, ok } from '../contract/records/scenarios.ts'

// Public incidents and first complaints about systems of our kind, each with the shortest test that shows it cannot happen
// here. The laws (test/laws) say the same of every request that can be generated.

let stage: Stage
let clockMs = nowMs
beforeAll(async () => {
  stage = await setStage(
    [
      // `reader` sees tasks of their own, no subject of a user's e-mail and no description; `nobody` has no rule at all.
      rule({ operation: 'read', table: 'task', column: 'description', roles: ['admin'] }),
      rule({ operation: 'read', table: 'user', column: 'email', roles: ['admin'] }),
      rule({ operation: 'read', table: 'user', column: 'company', roles: ['admin'] }),
      sql`update docket.task set description = 'secret ' || number where sys_id in (1001, 1003)`,
      sql`select docket_system.define_table('later', 'Later', 'Позже')`,
    ],
    { clock: { nowMs: () => clockMs } },
  )
})
afterAll(() => stage.close())

const get = async (as: Who | null, path: string) => stage.send(as, `GET /rest/v1/table/${path}`)
const statusAndBody = ({ status, body }: { readonly status: number; readonly body: unknown }) => ({ status, body })
const closed = (column: string, table: string, where: 'query' | 'order', position = 0): unknown => ({
  status: 403,
  body: errorBody(
    'ACCESS_DENIED',
    `You have no access to read the column ${column} of the table ${table}, which the ${where} names.`,
    {
      field: column,
      position,
    },
  ),
})

describe('ServiceNow CVE-2025-3648: counts and range conditions on hidden fields told their values', () => {
  test.each([
    'descriptionSTARTSWITHsecret',
    'description>a',
    'description=secret INC0000001',
    'descriptionISNOTEMPTY',
    'descriptionSAMEASsubject',
    'state=1^ORdescriptionLIKEs',
  ])('a condition on it is rejected, matching or not: %s', async (query) => {
    const response = await get('reader', `task?sysparm_query=${encodeURIComponent(query)}`)
    expect(statusAndBody(response)).toEqual(closed('description', 'task', 'query', query.indexOf('description')))
    expect(response.headers['x-total-count']).toBeUndefined()
  })

  test('full-text search looks where the caller may look', async () => {
    const response = await get('reader', 'task?sysparm_query=123TEXTQUERY321=secret&sysparm_fields=number')
    expect(statusAndBody(response)).toEqual({ status: 200, body: ok() })
    expect(response.headers['x-total-count']).toBe('0')
    const admin = await get('admin', 'task?sysparm_query=123TEXTQUERY321=secret&sysparm_fields=number')
    expect(admin.body).toEqual(ok({ number: 'INC0000001' }, { number: 'INC0000003' }))
  })

  test('the entity tag does not change with it', async () => {
    const before = (await get('reader', 'task/1001')).headers.etag
    await stage.run(sql`update docket.task set description = description || '!' where sys_id = 1001`)
    expect((await get('reader', 'task/1001')).headers.etag).toBe(before)
  })
})

describe('Parse CVE-2026-31872: a protected field was read bit by bit through field.sub', () => {
  test.each([
    ['task?sysparm_query=caller.emailSTARTSWITHr', closed('email', 'user', 'query')],
    ['task?sysparm_query=assigned_user.company.name=Acme', closed('company', 'user', 'query')],
    ['task?sysparm_query=ORDERBYcaller.email', closed('email', 'user', 'order')],
    ['task?sysparm_query=ORDERBYDESCassigned_user.company.name', closed('company', 'user', 'order')],
  ])('%s is rejected on the segment that is closed', async (path, rejection) => {
    expect(statusAndBody(await get('reader', path))).toEqual(rejection)
  })

  test('in fields such a walk tells nothing', async () => {
    const response = await get('reader', 'task/1001?sysparm_fields=number,assigned_user.company.name,caller.email')
    expect(response.body).toEqual(ok({ number: 'INC0000001', 'assigned_user.company.name': null }))
  })
})

test('ServiceNow removes rows after the query: pages are full and totals are those of the readable rows', async () => {
  const first = await get('reader', 'task?sysparm_limit=1&sysparm_fields=number')
  const second = await get('reader', 'task?sysparm_limit=1&sysparm_page=2&sysparm_fields=number')
  expect([first.body, second.body]).toEqual([ok({ number: 'INC0000001' }), ok({ number: 'INC0000002' })])
  expect([first.headers['x-total-count'], second.headers['x-total-count']]).toEqual(['2', '2'])
})

test('ServiceNow, June 2026: a REST resource with authentication off; every operation here asks who it is', async () => {
  const lines = [
    'GET task',
    'HEAD task',
    'POST task',
    'POST task/query',
    'GET task/1001',
    'PUT task/1001',
    'PATCH task/1001',
    'DELETE task/1001',
  ]
  const responses = await Promise.all(lines.map((line) => stage.send(null, line.replace(' ', ' /rest/v1/table/'))))
  expect(responses.map(({ status }) => status)).toEqual(lines.map(() => 401))
})

test('Supabase apps, 2025: tables without rules were open to everybody; here access to a table that appears later is denied', async () => {
  for (const who of ['worker', 'reader', 'nobody'] as const) {
    expect(statusAndBody(await get(who, 'later'))).toEqual({
      status: 403,
      body: errorBody('ACCESS_DENIED', 'You have no access to read the records of the table later.'),
    })
  }
})

describe('Parse CVE-2026-31840, NocoDB CVE-2026-28399: SQL through dotted names and a unit word', () => {
  test.each([
    "GET task?sysparm_query=subject'||pg_sleep(9)||'.x=1",
    'GET task?sysparm_query=caller.email";select pg_sleep(9);--=1',
    'GET task?sysparm_fields=number,(select version())',
    'GET task?sysparm_fields=caller.password::text',
    "GET task?sysparm_query=opened_atRELATIVEGT@day'@ago@1",
    'GET task?sysparm_query=opened_atDATEPARTyear)::text@1',
    'GET task?sysparm_query=ORDERBYnumber;drop table docket.task',
    "GET task'--",
    'GET "user"',
  ])('%s is rejected by its name', async (line) => {
    const response = await stage.send('worker', `GET /rest/v1/table/${encodeURI(line.slice(4)).replaceAll("'", '%27')}`)
    expect([400, 404]).toContain(response.status)
    expect(response.text).not.toMatch(/syntax error|PostgreSQL/)
  })

  test('a column of a body is a name of the dictionary or rejected', async () => {
    const name = 'subject = subject; drop table docket.task; --'
    const response = await stage.send('worker', 'PUT /rest/v1/table/task/1001', { body: { [name]: 'x' } })
    expect(statusAndBody(response)).toEqual({
      status: 422,
      body: errorBody('INVALID_VALUE', `The value of ${name} is rejected: there is no column ${name} in task.`, {
        field: name,
      }),
    })
  })

  test('a value is a value', async () => {
    const value = "'); drop table docket.task; --"
    const response = await get('worker', `task?sysparm_query=subject=${encodeURIComponent(value)}`)
    expect(statusAndBody(response)).toEqual({ status: 200, body: ok() })
  })
})

describe('Parse, Directus, 2026: queries without a limit to their cost', () => {
  test.each([
    ['conditions', Array.from({ length: 501 }, (_, n) => `state=${n}`).join('^OR')],
    ['brackets', `${'('.repeat(33)}state=1${')'.repeat(33)}`],
    ['orders', Array.from({ length: 21 }, () => 'ORDERBYstate').join('^')],
    ['dots', 'parent_id.parent_id.parent_id.parent_id.parent_id.parent_id.number=1'],
    ['length', `subject=${'x'.repeat(70_000)}`],
  ])('too many of them are rejected: %s', async (_what, query) => {
    const response = await stage.send('worker', 'POST /rest/v1/table/task/query', { body: { sysparm_query: query } })
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ errors: [{ code: 'BAD_QUERY' }] })
  })

  test('fields too', async () => {
    const fields = Array.from({ length: 501 }, (_, n) => `f${n}`)
    const response = await stage.send('worker', 'POST /rest/v1/table/task/query', { body: { sysparm_fields: fields } })
    expect(response.body).toEqual(
      errorBody('BAD_PARAMETER', 'The parameter sysparm_fields must be at most 500 fields; found 501 fields.', {
        field: 'sysparm_fields',
      }),
    )
  })

  test('and all of it is read only for a caller who is known', async () => {
    const response = await stage.send(null, 'POST /rest/v1/table/task/query', { body: '{'.repeat(1000) })
    expect(response.status).toBe(401)
  })
})

test('Strapi, Payload, Directus: logout or suspension left tokens alive', async () => {
  const login = async () => {
    const body = { username: 'moscow', password: PASSWORD }
    const response = await stage.docket.request('POST', '/v1/auth/login', { body })
    return { bearer: (response.body as { data: { auth_key: string } }).data.auth_key }
  }
  const read = async (as: { readonly bearer: string }) =>
    (await stage.docket.request('GET', '/rest/v1/table/task/1001', { as })).status
  const [one, two] = [await login(), await login()]
  expect([await read(one), await read(two)]).toEqual([200, 200])
  await stage.docket.request('POST', '/v1/auth/logout', { as: one })
  expect([await read(one), await read(two)]).toEqual([401, 200])
  await stage.send('admin', 'PATCH /rest/v1/table/user/204', { body: { active: false } })
  expect(await read(two)).toBe(401)
  await stage.send('admin', 'PATCH /rest/v1/table/user/204', { body: { active: true } })
  const three = await login()
  clockMs += 121 * 60_000
  expect(await read(three)).toBe(401)
})

test('Strapi CVE-2025-64526: the key of the rate limit held a field of the body; here it is of the connection and the user only', async () => {
  // Ten failures for one user from one connection, each with other headers and parameters (other fields are
  // rejected as such): the eleventh is rejected.
  const attempt = (n: number, password: string) =>
    stage.docket.request('POST', `/v1/auth/login?client=${n}`, {
      body: { username: n === 2 ? 'MOSCOW' : 'moscow', password },
      headers: { 'x-forwarded-for': `192.0.2.${n}`, forwarded: `for=192.0.2.${n}`, 'x-real-ip': `192.0.2.${n}` },
    })
  const at = new Date(clockMs).toISOString().slice(0, -1)
  await stage.run(sql`
    select docket_system.count_failed_login('moscow', '127.0.0.1', ${at}, '15 minutes') from generate_series(1, 9)`)
  const responses = [await attempt(1, 'wrong'), await attempt(2, 'wrong'), await attempt(3, PASSWORD)]
  expect(responses.map(({ status }) => status)).toEqual([401, 429, 429])
  expect(responses[1]?.headers['retry-after']).toMatch(/^\d+$/)
})

test('Payload CVE-2026-25574: records of another collection because numbers collide; every look-up carries its table', async () => {
  for (const path of ['company/201', 'user/301', 'itsm_problem/1001', 'probe/1001']) {
    const response = await get('admin', path)
    expect([path, response.status]).toEqual([path, 404])
  }
  const [deleted, written] = [
    await stage.send('admin', 'DELETE /rest/v1/table/itsm_problem/1001'),
    await stage.send('admin', 'PUT /rest/v1/table/company/201', { body: { name: 'x' } }),
  ]
  expect([deleted.status, written.status]).toEqual([404, 404])
  const reference = await stage.send('worker', 'PUT /rest/v1/table/task/1001', { body: { caller: '301' } })
  expect(reference.body).toEqual(
    errorBody('INVALID_VALUE', 'The value of caller is rejected: there is no such record in user.', {
      field: 'caller',
    }),
  )
})

test('NocoDB CVE-2026-28357: stored XSS; rich text is sanitised when it is written', async () => {
  const body = {
    c_html: '<img src=x onerror=alert(1)><svg onload=alert(1)>ok',
    c_wysiwyg: '<a href="data:text/html,x">a</a><style>*{}</style>',
  }
  const response = await stage.send('worker', 'PATCH /rest/v1/table/probe/2002?sysparm_fields=c_html,c_wysiwyg', {
    body,
  })
  expect(response.body).toEqual(ok({ c_html: '<img src="x" />ok', c_wysiwyg: '<a>a</a>' }))
})

test('PostgREST 1069: the second save wins silently; with If-Match it is told', async () => {
  const tag = (await get('worker', 'task/1002')).headers.etag ?? ''
  const save = async (subject: string) =>
    (await stage.send('worker', 'PUT /rest/v1/table/task/1002', { body: { subject }, headers: { 'if-match': tag } }))
      .status
  expect([await save('mine'), await save('theirs')]).toEqual([200, 409])
})

test('NocoDB 13231, Directus 22500: linked records by N+1; a list with walks is one statement', async () => {
  const path =
    'task?sysparm_fields=number,caller.user_name,service.owner.user_name,company.name&sysparm_display_value=1&sysparm_limit=8'
  await get('admin', path)
  const spies = [vi.spyOn(pg.Client.prototype, 'query'), vi.spyOn(ByteClient.prototype, 'send')]
  const response = await get('admin', path)
  // Background work looks at the same time for jobs, webhooks and followed collections.
  const statements = spies
    .flatMap(({ mock }) => mock.calls as readonly (readonly unknown[])[])
    .map(([first]) => JSON.stringify(first))
    .filter((text) => /docket/.test(text) && !/sys_webhook|docket_documents|committed_watermark/.test(text))
  for (const spy of spies) spy.mockRestore()
  expect((response.body as { data: readonly unknown[] }).data).toHaveLength(8)
  expect(statements).toHaveLength(1)
})

test('NocoDB 4327, Parse 5330: COUNT kills big tables; it can be left out, and paging by cursor goes on without it', async () => {
  const first = await get('admin', 'task?sysparm_fields=number&sysparm_limit=5&sysparm_cursor=*&sysparm_no_count=1')
  expect(first.headers['x-total-count']).toBeUndefined()
  const cursor = first.headers['x-next-cursor']
  const second = await get(
    'admin',
    `task?sysparm_fields=number&sysparm_limit=5&sysparm_cursor=${cursor}&sysparm_no_count=1`,
  )
  expect(second.body).toEqual(ok({ number: 'TSK0000006' }, { number: 'CHG0000007' }, { number: 'PRB0000008' }))
})

describe('ServiceNow: an unknown column is dropped and everything comes back; fields are lost silently on write', () => {
  test('in a query it is rejected with its name and position', async () => {
    expect(statusAndBody(await get('worker', 'task?sysparm_query=active=true^staet=2'))).toEqual({
      status: 400,
      body: errorBody(
        'BAD_QUERY',
        'The query cannot be read at position 12: there is no column staet in task; did you mean state?',
        {
          field: 'staet',
          position: 12,
        },
      ),
    })
  })

  test('in a body too, and nothing else of it is written', async () => {
    const before = await stage.fingerprint()
    for (const method of ['PUT', 'PATCH']) {
      const response = await stage.send('worker', `${method} /rest/v1/table/task/1002`, {
        body: { subject: 'new', staet: '2' },
      })
      expect(response.body).toEqual(
        errorBody(
          'INVALID_VALUE',
          'The value of staet is rejected: there is no column staet in task; did you mean state?',
          {
            field: 'staet',
          },
        ),
      )
    }
    expect(await stage.fingerprint()).toBe(before)
  })

  test('"no rows" and "no rights" look different', async () => {
    expect(statusAndBody(await get('worker', 'task?sysparm_query=state=4'))).toEqual({ status: 200, body: ok() })
    expect((await get('nobody', 'task?sysparm_query=state=4')).status).toBe(403)
  })
})
