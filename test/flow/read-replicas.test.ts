import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PostgresPair, postgres15IsInstalled, startPostgresPair } from '../harness/postgres-pair.ts'
import { readEvents } from '../harness/read-events.ts'
import { type Caller, type Sender, sendTo } from '../harness/send-request.ts'
import { type SpawnedDocket, spawnDocket, spawnFailing, temporaryFolder } from '../harness/spawn-docket.ts'

// Reads go to a standby if it is new enough (issue 12, step 7). The standby receives everything and applies it when the test requests it.

const admin = { user: 'admin', password: 'correct horse battery' }
const password = 'another good password'
const reader = { user: 'reader', password }
/** Each of them only reads, so nothing but what a test does says how new their records have to be. */
const others = ['listener', 'follower', 'visitor', 'neighbour', 'survivor'].map((user) => ({ user, password }))
const [listener, follower, visitor, neighbour, survivor] = others as [Caller, Caller, Caller, Caller, Caller]

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

/** The standby has everything until now, and not this change of the company. */
async function changeUnnoticed(value: string): Promise<void> {
  await pair.continueReplay()
  await pair.holdReplay()
  await write(other, 'PATCH', `company/${company}`, { city: value })
}

const listenAs = (caller: Caller) => {
  const { user } = caller as typeof reader
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  return readEvents(`${lagging.docket.address}/rest/v1/events?tables=company`, { authorization })
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
    for (const { user: name } of [reader, ...others]) {
      const user = await write(other, 'POST', 'user', { user_name: name, display_name: name, password })
      await write(other, 'POST', 'sys_user_has_role', { user_id: user, role_id: { find: { name: 'admin' } } })
    }
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

  test('are of no state before what an event stream has sent to the caller', async () => {
    const stream = await listenAs(listener)
    try {
      await changeUnnoticed('Perm')
      await untilReturned(follower, 'Omsk')
      await stream.until((events) => events.length > 0)
      expect(await city(listener)).toBe('Perm')
    } finally {
      await stream.close()
    }
  }, 60_000)

  test('are of no state before the beginning of an event stream, or of a session: later changes only are sent', async () => {
    await changeUnnoticed('Tver')
    await untilReturned(follower, 'Perm')
    const stream = await listenAs(follower)
    try {
      expect(await city(follower)).toBe('Tver')
    } finally {
      await stream.close()
    }
    await untilReturned(visitor, 'Perm')
    const { status } = await lagging.client.send('GET', '/v1/auth/session', { as: visitor })
    expect([status, await city(visitor)]).toEqual([200, 'Tver'])
  }, 60_000)

  test('show to writers what they wrote, and to listeners what they were sent, whichever worker they ask', async () => {
    const { docket, client } = await start({ DOCKET_DATABASE_READ_URLS: pair.standby.url, DOCKET_WORKERS: '2' })
    /** Each request has a connection of its own, and the workers get connections in turn. */
    const citiesOf = async (as: Caller): Promise<ReadonlySet<string>> => {
      const found = new Set<string>()
      for (let n = 0; n < 6; n += 1) {
        const alone = sendTo(docket.address)
        const { text } = await alone.send('GET', paths.read(), { as })
        alone.close()
        found.add(/Perm|Ufa|Omsk|Tver/.exec(text)?.[0] ?? text)
      }
      return found
    }
    try {
      // A worker uses the standby as soon as it has read the position of the primary once.
      for (let value = 'Perm', found = new Set([value]); found.has(value); ) {
        value = value === 'Perm' ? 'Omsk' : 'Perm'
        await changeUnnoticed(value)
        found = new Set(await citiesOf(neighbour))
      }
      await write({ docket, client }, 'PATCH', `company/${company}`, { city: 'Ufa' })
      expect(await citiesOf(admin)).toEqual(new Set(['Ufa']))
      await client.send('GET', '/v1/auth/session', { as: neighbour })
      expect(await citiesOf(neighbour)).toEqual(new Set(['Ufa']))
    } finally {
      client.close()
      await docket.stop()
      await pair.continueReplay()
    }
  }, 60_000)

  test('go to the primary when the standby does not have its history: it may be further in one that is lost', async () => {
    await changeUnnoticed('Omsk')
    await untilReturned(survivor, 'Ufa')
    const primary = new pg.Client({ connectionString: pair.primary.url })
    await primary.connect()
    await primary.query('select docket_system.begin_database_history(docket_system.server_history(), true)')
    await primary.end()
    await untilReturned(survivor, 'Omsk')
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
