import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clusterIn } from '../../src/database/embedded/cluster.ts'
import { addressOf, connectionString } from '../../src/database/embedded/cluster-address.ts'
import { isAlive } from '../../src/database/embedded/processes.ts'
import { type Sender, sendTo } from '../harness/send-request.ts'
import { runningServer, type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

let dataDirectory: string
let docket: SpawnedDocket
let client: Sender
let database: pg.Client | undefined

beforeEach(() => {
  dataDirectory = temporaryFolder()
})
afterEach(async () => {
  await releaseRequests()
  client.close()
  await docket.stop()
})

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory, ...environment })
  client = sendTo(docket.address)
  await client.send('GET', '/ready')
}

/** Locks a table that `/ready` reads, so that the request runs for as long as necessary. */
async function holdRequests(): Promise<void> {
  const cluster = clusterIn(join(dataDirectory, 'postgres'))
  const holding = new pg.Client({ connectionString: connectionString(cluster, await addressOf(cluster), 'docket') })
  // The database may stop before the test lets go.
  holding.on('error', () => undefined)
  await holding.connect()
  await holding.query('begin; lock table docket_system.epoch in access exclusive mode')
  database = holding
}

/** Waits until the statement of a `/ready` has reached the lock: from then on its request is in progress. */
async function untilRequestWaits(): Promise<void> {
  const countWaiting = async () => {
    // A transaction keeps the first list of statements that it reads.
    await database?.query('select pg_stat_clear_snapshot()')
    const waiting = await database?.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'select from docket_system.epoch%'",
    )
    return waiting?.rowCount
  }
  await expect.poll(countWaiting, { timeout: 30_000 }).toBe(1)
}

async function releaseRequests(): Promise<void> {
  await database?.end().catch(() => undefined)
  database = undefined
}

/** Whether the port is closed. A request that fails in another way has reached the server. */
async function isPortClosed(): Promise<boolean> {
  try {
    await fetch(`${docket.address}/health`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(2_000) })
    return false
  } catch (error) {
    return error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED'
  }
}

test.each(['1', '2'])(
  'with %s worker(s) a request that runs when Docket is told to stop gets its response',
  async (workers) => {
    await start({ DOCKET_WORKERS: workers, DOCKET_STOP_TIMEOUT_SECONDS: '600' })
    await holdRequests()
    const running = client.send('GET', '/ready')
    await untilRequestWaits()
    docket.signal('SIGTERM')
    await expect.poll(isPortClosed, { timeout: 30_000 }).toBe(true)
    expect(isAlive(docket.processId)).toBe(true)
    await releaseRequests()
    expect((await running).status).toBe(200)
    expect(await docket.exit).toEqual({ code: 0, signal: null })
    expect(docket.log()).not.toContain('requests-cut')
  },
)

test('a request that runs longer than it may is cut, and everything ends cleanly all the same', async () => {
  await start({ DOCKET_STOP_TIMEOUT_SECONDS: '1' })
  await holdRequests()
  const running = client.send('GET', '/ready')
  const cut = expect(running).rejects.toThrow('socket hang up')
  await untilRequestWaits()
  docket.signal('SIGTERM')
  await cut
  await releaseRequests()
  expect(await docket.exit).toEqual({ code: 0, signal: null })
  expect(docket.log()).toContain('"kind":"requests-cut"')
  expect(runningServer(dataDirectory)).toBeUndefined()
})

test('a second signal ends it at once, and the database follows', async () => {
  // Without the second signal it would wait for the request longer than this test.
  await start({ DOCKET_STOP_TIMEOUT_SECONDS: '600' })
  await holdRequests()
  const running = client.send('GET', '/ready').catch(() => 'cut')
  await untilRequestWaits()
  docket.signal('SIGTERM')
  await expect.poll(docket.log, { timeout: 30_000 }).toContain('"kind":"stopping"')
  // Signals soon after the first one count as the same key press.
  const again = setInterval(() => docket.signal('SIGTERM'), 200)
  expect(await docket.exit.finally(() => clearInterval(again))).toEqual({ code: 143, signal: null })
  expect(await running).toBe('cut')
  await releaseRequests()
  await expect.poll(() => runningServer(dataDirectory), { timeout: 30_000 }).toBeUndefined()
})
