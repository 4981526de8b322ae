import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rule, type Stage, setStage } from './fixture.ts'
import { ok, refused } from './scenarios.ts'

const path = '/rest/v1/table/task/1001'
const stale = refused(
  'CONFLICT',
  'The record 1001 has changed since it was read: If-Match does not match. Read it again.',
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

/** Sends a write with an If-Match. */
async function write(method: string, ifMatch: string, body?: unknown) {
  const answer = await stage.send('worker', `${method} ${path}?sysparm_fields=subject`, {
    ...(body === undefined ? {} : { body }),
    headers: { 'if-match': ifMatch },
  })
  return { status: answer.status, body: answer.body, etag: answer.headers.etag }
}

describe('ETag and If-Match (record spec, section 8)', () => {
  test('a record has a tag, the same as long as it does not change, whatever fields and form are asked for', async () => {
    const tag = await tagOf()
    expect(tag).toMatch(/^"[\w-]{16,}"$/)
    expect(await tagOf('worker', '?sysparm_fields=number')).toBe(tag)
    expect(await tagOf('moscow', '?sysparm_display_value=1')).toBe(tag)
  })

  test('a write with the tag that was read goes through and answers the new one', async () => {
    const before = await tagOf()
    const written = await write('PUT', before, { subject: 'first' })
    expect(written).toEqual({ status: 200, body: ok({ subject: 'first' }), etag: await tagOf() })
    expect(written.etag).not.toBe(before)
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
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((subject) => write('PUT', tag, { subject })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
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

  test('a create answers the tag of what it made', async () => {
    const made = await stage.send('worker', 'POST /rest/v1/table/task?sysparm_fields=sys_id', {
      body: { subject: 'n' },
    })
    const [{ sys_id: sysId } = { sys_id: '' }] = (made.body as { data: { sys_id: string }[] }).data
    expect(made.headers.etag).toBe((await stage.send('worker', `GET /rest/v1/table/task/${sysId}`)).headers.etag)
  })

  test('DELETE with the tag that was read goes through', async () => {
    expect(await write('DELETE', await tagOf())).toMatchObject({
      status: 200,
      body: { status: 'OK', data: { description: 'Records successfully deleted.', count: 1 } },
    })
  })
})
