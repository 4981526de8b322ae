import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage } from '../records/fixture.ts'

const native = '/rest/v1/table/task/1001'
let now = ''

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    rule({ operation: 'read', table: 'task', column: 'description', roles: ['admin'] }),
    rule({ operation: 'write', table: 'task', column: 'description', roles: ['admin'] }),
  ])
  const [served] = await stage.run(sql`select prefix from docket_system.served_id`)
  const { prefix } = served as { readonly prefix: string }
  now = `/api/now/table/task/${prefix}${(1001).toString(16).padStart(16, '0')}`
})
afterAll(() => stage.close())

async function versionOf(path: string, query = ''): Promise<string> {
  const { status, headers } = await stage.send('worker', `GET ${path}${query}`)
  expect(status).toBe(200)
  return (headers.etag ?? '').replace(/-.*/, '')
}

async function write(path: string, ifMatch: string, body: object) {
  const { status, headers } = await stage.send('worker', `PATCH ${path}`, { body, headers: { 'if-match': ifMatch } })
  return { status, version: (headers.etag ?? '').replace(/-.*/, '') }
}

describe('entity tags of /api/now (docs/spec/records.md, section 8)', () => {
  test('the version is the same in each representation of a record', async () => {
    const version = await versionOf(now)
    expect(version).toMatch(/^"[0-9a-f]{16}$/)
    for (const query of ['sysparm_fields=number', 'sysparm_display_value=true', 'sysparm_display_value=all'])
      expect(await versionOf(now, `?${query}`)).toBe(version)
  })

  test('a write gives the version of the next read, and a second write with the old one is stale', async () => {
    const before = await versionOf(now)
    const written = await write(now, `${before}"`, { short_description: 'one' })
    expect(written).toEqual({ status: 200, version: await versionOf(now) })
    expect(written.version).not.toBe(before)
    expect((await write(now, `${before}"`, { short_description: 'two' })).status).toBe(409)
  })

  test('a tag of one API is good for a write through the other, until the record changes', async () => {
    const [ofNative, ofNow] = [await versionOf(native), await versionOf(now)]
    expect((await write(now, `${ofNative}"`, { short_description: 'three' })).status).toBe(200)
    expect((await write(now, `${ofNative}"`, { short_description: 'four' })).status).toBe(409)
    expect((await write(native, `${ofNow}"`, { subject: 'four' })).status).toBe(409)
    expect((await write(native, `${await versionOf(now)}"`, { subject: 'four' })).status).toBe(200)
  })

  test('a change of a column that the caller may not read leaves the version as it is', async () => {
    const before = await versionOf(now)
    await stage.run(sql`update docket.task set description = 'changed in secret' where sys_id = 1001`)
    expect(await versionOf(now)).toBe(before)
    await stage.run(sql`update docket.task set followers_list = '{201}' where sys_id = 1001`)
    expect(await versionOf(now)).not.toBe(before)
  })
})
