import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage } from './fixture.ts'
import { errorBody, ok } from './scenarios.ts'

const path = '/rest/v1/table/task/1001'
const stale = errorBody(
  'CONFLICT',
  'The record 1001 has changed since it was read: If-Match does not match. Read it again.',
  { reason: 'stale' },
)

const hiddenChange = sql`update docket.task set description = 'changed in secret' where sys_id = 1001`

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    rule({ operation: 'read', table: 'task', column: 'description', roles: ['admin'] }),
    rule({ operation: 'write', table: 'task', column: 'description', roles: ['admin'] }),
  ])
})
afterAll(() => stage.close())

const tagOf = async (as: 'worker' | 'admin' | 'moscow' = 'worker', query = '') =>
  (await stage.send(as, `GET ${path}${query}`)).headers.etag ?? ''

const versionIn = (tag: string): string => tag.replace(/-.*/, '')

/** Sends a write with an If-Match. */
async function write(method: string, ifMatch: string, body?: unknown) {
  const response = await stage.send('worker', `${method} ${path}?sysparm_fields=subject`, {
    ...(body === undefined ? {} : { body }),
    headers: { 'if-match': ifMatch },
  })
  return { status: response.status, body: response.body, etag: response.headers.etag }
}

describe('ETag and If-Match (docs/spec/records.md, section 8)', () => {
  test('a tag is the version, the same whatever is asked for, and the representation, the same as the body (issue 8, B11)', async () => {
    const tag = await tagOf()
    expect(tag).toMatch(/^"[0-9a-f]{16}-[0-9a-f]{16}"$/)
    expect(await tagOf()).toBe(tag)
    const others = [
      await tagOf('worker', '?sysparm_fields=number'),
      await tagOf('worker', '?sysparm_display_value=1'),
      await tagOf('moscow', '?sysparm_display_value=1'),
      await tagOf('worker', '?sysparm_exclude_reference_link=1'),
    ]
    expect(new Set([tag, ...others]).size).toBe(5)
    expect(new Set([tag, ...others].map(versionIn))).toEqual(new Set([versionIn(tag)]))
  })

  test('a write with the tag that was read succeeds and responds with the new one', async () => {
    const before = await tagOf()
    const written = await write('PUT', before, { subject: 'first' })
    const after = await tagOf('worker', '?sysparm_fields=subject')
    expect(written).toEqual({ status: 200, body: ok({ subject: 'first' }), etag: after })
    expect(versionIn(after)).toBe(versionIn(await tagOf()))
    expect(versionIn(after)).not.toBe(versionIn(before))
  })

  test('with an older tag PUT, PATCH and DELETE are 409, and nothing changes', async () => {
    const old = await tagOf()
    await write('PATCH', old, { subject: 'second' })
    const before = await stage.fingerprint()
    expect(await write('PUT', old, { subject: 'lost' })).toEqual({ status: 409, body: stale, etag: undefined })
    expect(await write('PATCH', old, { subject: 'lost' })).toEqual({ status: 409, body: stale, etag: undefined })
    expect(await write('DELETE', old)).toEqual({ status: 409, body: stale, etag: undefined })
    expect(await stage.fingerprint()).toBe(before)
  })

  test('of two writers with one tag one wins, and the other is told', async () => {
    const tag = await tagOf()
    const responses = await Promise.all(['a', 'b', 'c', 'd'].map((subject) => write('PUT', tag, { subject })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })

  test('several tags, a weak one and * are taken', async () => {
    expect((await write('PUT', `"x", ${await tagOf()}`, { subject: 'e' })).status).toBe(200)
    expect((await write('PUT', `W/${await tagOf()}`, { subject: 'f' })).status).toBe(200)
    expect((await write('PUT', '*', { subject: 'g' })).status).toBe(200)
  })

  test('a column that the caller may not read changes nothing in the caller’s tag', async () => {
    const [worker, admin] = [await tagOf('worker'), await tagOf('admin')]
    await stage.run(hiddenChange)
    expect(await tagOf('worker')).toBe(worker)
    expect(await tagOf('admin')).not.toBe(admin)
  })

  test('a create responds with the tag of the new record', async () => {
    const made = await stage.send('worker', 'POST /rest/v1/table/task?sysparm_fields=sys_id', {
      body: { subject: 'n' },
    })
    const [{ sys_id: sysId } = { sys_id: '' }] = (made.body as { data: { sys_id: string }[] }).data
    const path = `/rest/v1/table/task/${sysId}?sysparm_fields=sys_id`
    expect(made.headers.etag).toBe((await stage.send('worker', `GET ${path}`)).headers.etag)
  })

  test('If-Match compares the version: a tag that was read in another form or with other fields fits (issue 8, B11)', async () => {
    expect((await write('PUT', await tagOf('worker', '?sysparm_display_value=all'), { subject: 'h' })).status).toBe(200)
    expect((await write('PATCH', await tagOf('worker', '?sysparm_fields=number'), { subject: 'i' })).status).toBe(200)
    // The tag of a list has no version of a record.
    const list = await stage.send('worker', 'GET /rest/v1/table/task?sysparm_limit=1')
    expect(await write('PUT', String(list.headers.etag), { subject: 'lost' })).toMatchObject({ status: 409 })
  })

  test('DELETE with the tag that was read goes through', async () => {
    expect(await write('DELETE', await tagOf())).toMatchObject({
      status: 200,
      body: { status: 'OK', data: { description: 'Records successfully deleted.', count: 1 } },
    })
  })
})

describe('If-None-Match (issue 8, B11)', () => {
  const reads = [
    'GET /rest/v1/table/task/1002',
    'GET /rest/v1/table/task/1002?sysparm_display_value=1',
    'GET /rest/v1/table/task?sysparm_limit=3',
    'GET /rest/v1/table/task?sysparm_display_value=all&sysparm_fields=number,state,caller',
    'GET /rest/v1/stats/task?sysparm_group_by=state',
  ]
  test.each(reads)('%s: 304 without a body for the whole tag, 200 for another', async (line) => {
    const first = await stage.send('worker', line)
    const tag = String(first.headers.etag)
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const again = await stage.send('worker', line, { headers: { 'if-none-match': known } })
      expect([known, again.status, again.text, again.headers.etag]).toEqual([known, 304, '', tag])
      expect(again.headers['x-total-count']).toBe(first.headers['x-total-count'])
    }
    for (const other of ['"x"', tag.replace(/-.*/, '"'), tag.replace(/.-/, '0-x')]) {
      if (other === tag) continue
      const again = await stage.send('worker', line, { headers: { 'if-none-match': other } })
      expect([other, again.status, again.text]).toEqual([other, 200, first.text])
    }
  })

  test('the representation is another one when a record, a right, a language or a display value is another one', async () => {
    const line = 'GET /rest/v1/table/task?sysparm_display_value=1&sysparm_fields=number,caller,state'
    const tag = String((await stage.send('worker', line)).headers.etag)
    const revalidate = async (as: 'worker' | 'moscow' = 'worker') =>
      (await stage.send(as, line, { headers: { 'if-none-match': tag } })).status
    expect(await revalidate()).toBe(304)
    expect(await revalidate('moscow')).toBe(200)
    await stage.run(sql`update docket."user" set display_name = 'Rita R.' where sys_id = 202`)
    expect(await revalidate()).toBe(200)
  })

  test.each(reads)(
    '%s: a browser keeps it for itself and asks again each time, 304 included (issue 8, B11)',
    async (line) => {
      const first = await stage.send('worker', line)
      const again = await stage.send('worker', line, { headers: { 'if-none-match': String(first.headers.etag) } })
      const headers = {
        'cache-control': 'private, no-cache',
        vary: 'authorization, x-api-key, cookie, accept-encoding',
      }
      expect([first.status, again.status]).toEqual([200, 304])
      expect(first.headers).toMatchObject(headers)
      expect(again.headers).toMatchObject(headers)
    },
  )

  test.each([
    ['POST /rest/v1/table/task/query', { sysparm_limit: 1 }, 200],
    ['PATCH /rest/v1/table/task/1002?sysparm_fields=subject', { subject: 'kept nowhere' }, 200],
    ['GET /rest/v1/table/task/999999', undefined, 404],
    ['GET /v1/auth/session', undefined, 200],
    ['GET /v1/auth/keys', undefined, 200],
  ] as const)('%s: no cache keeps it (issue 8, B11)', async (line, body, status) => {
    const response = await stage.send('worker', line, body === undefined ? {} : { body })
    expect([response.status, response.headers['cache-control'], response.headers.vary]).toEqual([
      status,
      'no-store',
      undefined,
    ])
  })

  test('a write does not look at it', async () => {
    const response = await stage.send('worker', 'PATCH /rest/v1/table/task/1002?sysparm_fields=subject', {
      body: { subject: 'written' },
      headers: { 'if-none-match': '*' },
    })
    expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: ok({ subject: 'written' }) })
  })
})

test('two reads have one tag exactly when they have one body, whoever asks for whatever (issue 8, B11)', async () => {
  const forms = ['', 'sysparm_display_value=1', 'sysparm_display_value=all', 'sysparm_exclude_reference_link=1']
  const records = ['task/1002', 'task/1003', 'company/301', 'probe/2001', 'probe/2003']
  const lists = [
    'task?sysparm_limit=2',
    'task?sysparm_fields=number',
    'task?sysparm_query=priority=2',
    'company?',
    'probe?',
  ]
  const seen: (readonly [tag: string, body: string])[] = []
  for (const as of ['worker', 'moscow', 'admin', 'reader'] as const) {
    for (const form of forms) {
      for (const path of [...records.map((record) => `${record}?${form}`), ...lists.map((list) => `${list}&${form}`)]) {
        const response = await stage.send(as, `GET /rest/v1/table/${path}`)
        // A list of one record has the same data as the record, but no version.
        const kind = path.includes('/') ? 'record' : 'list'
        if (response.status === 200) seen.push([`${kind} ${response.headers.etag}`, `${kind} ${response.text}`])
      }
    }
  }
  expect(seen.length).toBeGreaterThan(100)
  expect(new Set(seen.map(([tag]) => tag)).size).toBe(new Set(seen.map(([, body]) => body)).size)
  expect(new Set(seen.map((each) => each.join(' '))).size).toBe(new Set(seen.map(([tag]) => tag)).size)
})
