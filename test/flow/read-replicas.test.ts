import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PostgresPair, postgres15IsInstalled, startPostgresPair } from '../harness/postgres-pair.ts'
import { type Caller, type Sender, sendTo } from '../harness/send-request.ts'
import { type SpawnedDocket, spawnDocket, spawnFailing, temporaryFolder } from '../harness/spawn-docket.ts'

// Reads go to a standby if it is new enough (issue 12, step 7). The standby receives everything and applies it when the test requests it.

const admin = { user: 'admin', password: 'correct horse battery' }
const reader = { user: 'reader', password: 'another good password' }

interface Running {
  readonly docket: SpawnedDocket
  readonly client: Sender
}

let pair: PostgresPair
/** Reads from the standby. */
let lagging: Running
/** Of the same database, without replicas. */
let other: Running
let company = ''

async function start(more: Readonly<Record<string, string>>): Promise<Running> {
  const docket = await spawnDocket({
    DOCKET_DATABASE_URL: pair.url,
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_ADMIN_PASSWORD: admin.password,
    ...more,
  })
  return { docket, client: sendTo(docket.address) }
}

async function write({ client }: Running, method: string, path: string, body: unknown): Promise<string> {
  const response = await client.send(method, `/rest/v1/table/${path}`, { as: admin, body })
  if (response.status !== 200) throw new Error(response.text)
  return (response.body as { data: readonly { sys_id: string }[] }).data[0]?.sys_id ?? ''
}

const paths = {
  read: () => `/rest/v1/table/company/${company}?sysparm_fields=city`,
  list: () => `/rest/v1/table/company?sysparm_query=sys_id=${company}&sysparm_fields=city`,
  stats: () => `/rest/v1/stats/company?sysparm_query=sys_id=${company}&sysparm_group_by=city`,
  export: () => `/rest/v1/export/company?sysparm_query=sys_id=${company}&sysparm_fields=city`,
}

/** The company's city as returned to a user. */
async function city(as: Caller, path: keyof typeof paths = 'read'): Promise<string> {
  const { text } = await lagging.client.send('GET', paths[path](), { as })
  return /Perm|Ufa|Omsk|Tver/.exec(text)?.[0] ?? text
}

async function untilReturned(as: Caller, wanted: string, path: keyof typeof paths = 'read'): Promise<void> {
  while ((await city(as, path)) !== wanted) await pause(20)
}

async function setLag(ms: number): Promise<void> {
  const { body } = await other.client.send('GET', '/rest/v1/table/sys_property?sysparm_query=name=read.max_lag_ms', {
    as: admin,
  })
  const id = (body as { data: readonly { sys_id: string }[] }).data[0]?.sys_id
  await write(other, 'PATCH', `sys_property/${id}`, { value: String(ms) })
  await pair.standbyHasAll()
}

describe.runIf(postgres15IsInstalled)('reads from a standby (issue 12, step 7)', () => {
  beforeAll(async () => {
    pair = await startPostgresPair()
    other = await start({})
    lagging = await start({ DOCKET_DATABASE_READ_URLS: pair.standby.url })
    const user = await write(other, 'POST', 'user', {
      user_name: reader.user,
      display_name: 'A Reader',
      password: reader.password,
    })
    await write(other, 'POST', 'sys_user_has_role', { user_id: user, role_id: { find: { name: 'admin' } } })
    await setLag(60_000)
  }, 300_000)

  afterAll(async () => {
    for (const { client, docket } of [lagging, other]) {
      client.close()
      await docket.stop()
    }
    await pair.stop()
  })

  test('show its state to others, and to the writer what they wrote', async () => {
    company = await write(other, 'POST', 'company', { name: 'Depot', city: 'Perm' })
    await pair.standbyHasAll()
    await untilReturned(reader, 'Perm')
    await pair.holdReplay()
    await write(lagging, 'PATCH', `company/${company}`, { city: 'Ufa' })
    for (const path of ['read', 'list', 'stats', 'export'] as const) {
      // A standby with a slow response is skipped for a moment.
      await untilReturned(reader, 'Perm', path)
      expect(await city(admin, path), path).toBe('Ufa')
    }
    await pair.continueReplay()
    await untilReturned(reader, 'Ufa')
  }, 60_000)

  test('go to the primary when the standby is behind what the process knows of the dictionary', async () => {
    await pair.holdReplay()
    await write(lagging, 'PATCH', `company/${company}`, { city: 'Omsk' })
    await untilReturned(reader, 'Ufa')
    await write(lagging, 'POST', 'sys_db_table', { name: 'u_shelf', title: 'Shelves' })
    await lagging.client.send('GET', '/rest/v1/table/u_shelf', { as: admin })
    expect(await city(reader)).toBe('Omsk')
    await pair.continueReplay()
  }, 60_000)

  test('go to the primary when the standby is further behind than read.max_lag_ms', async () => {
    await setLag(300)
    await untilReturned(reader, 'Omsk')
    await pair.holdReplay()
    await write(other, 'PATCH', `company/${company}`, { city: 'Tver' })
    // The standby never applies it.
    await untilReturned(reader, 'Tver')
    await pair.continueReplay()
  }, 60_000)

  test('end for a user who was suspended by another process, though the standby does not know it', async () => {
    await pair.holdReplay()
    const { body } = await other.client.send('GET', '/rest/v1/table/user?sysparm_query=user_name=reader', { as: admin })
    const id = (body as { data: readonly { sys_id: string }[] }).data[0]?.sys_id
    await write(other, 'PATCH', `user/${id}`, { active: false })
    for (;;) {
      const { status } = await lagging.client.send('GET', paths.read(), { as: reader })
      if (status === 401) break
      expect(status).toBe(200)
      await pause(20)
    }
    await pair.continueReplay()
  }, 60_000)

  test('go on without the standby', async () => {
    await pair.standby.kill()
    for (const path of ['read', 'list', 'stats', 'export'] as const) expect(await city(admin, path), path).toBe('Tver')
  }, 60_000)
})

test('replicas of the embedded database are rejected at the start (issue 12, step 7)', async () => {
  const rejected = await spawnFailing({ DOCKET_DATABASE_READ_URLS: 'postgres://docket@standby/docket' })
  expect(rejected.exit.code).toBe(2)
  expect(rejected.output + rejected.log).toContain(
    'DOCKET_DATABASE_READ_URLS is set without DOCKET_DATABASE_URL: the embedded database has no standbys.',
  )
})
