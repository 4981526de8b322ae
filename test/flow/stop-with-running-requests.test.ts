import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clusterIn } from '../../src/database/embedded/cluster.ts'
import { addressOf, connectionString } from '../../src/database/embedded/cluster-address.ts'
import { isAlive } from '../../src/database/embedded/processes.ts'
import { type ReceivedResponse, type Sender, sendTo } from '../harness/send-request.ts'
import { runningServer, type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

let dataDirectory: string
let docket: SpawnedDocket
let client: Sender
let paused: readonly number[] = []

beforeEach(() => {
  dataDirectory = temporaryFolder()
})
afterEach(async () => {
  resumeStatements()
  client.close()
  await docket.stop()
})

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory, ...environment })
  client = sendTo(docket.address)
  await client.send('GET', '/ready')
}

/** Pauses the database's side of every connection of the server, so that a request runs for as long as necessary. */
async function pauseStatements(): Promise<void> {
  const cluster = clusterIn(join(dataDirectory, 'postgres'))
  const database = new pg.Client({ connectionString: connectionString(cluster, await addressOf(cluster), 'docket') })
  await database.connect()
  const { rows } = await database.query("select pid from pg_stat_activity where application_name = 'docket'")
  await database.end()
  paused = rows.map(({ pid }) => pid)
  for (const pid of paused) process.kill(pid, 'SIGSTOP')
}

function resumeStatements(): void {
  for (const pid of paused.filter(isAlive)) process.kill(pid, 'SIGCONT')
  paused = []
}

/** Whether a new connection still gets a response. */
async function takesConnections(): Promise<boolean> {
  try {
    await fetch(`${docket.address}/health`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(2_000) })
    return true
  } catch {
    return false
  }
}

test.each(['1', '2'])(
  'with %s worker(s) a request that runs when Docket is told to stop gets its response',
  async (workers) => {
    await start({ DOCKET_WORKERS: workers })
    await pauseStatements()
    const running = client.send('GET', '/ready')
    // The request is sent before the signal: the pool has used the paused connection.
    await expect.poll(() => docketHolds(running)).toBe(true)
    docket.signal('SIGTERM')
    await expect.poll(takesConnections, { timeout: 10_000 }).toBe(false)
    expect(isAlive(docket.processId)).toBe(true)
    resumeStatements()
    expect((await running).status).toBe(200)
    expect(await docket.exit).toEqual({ code: 0, signal: null })
    expect(docket.log()).not.toContain('requests-cut')
  },
)

/** A request without a response after half a second, on a server that responds to others, is in progress. */
async function docketHolds(running: Promise<ReceivedResponse>): Promise<boolean> {
  const pending = Symbol('pending')
  await client.send('GET', '/health')
  return (await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 500, pending))])) === pending
}

test('a request that runs longer than it may is cut, and everything ends cleanly all the same', async () => {
  await start({ DOCKET_STOP_TIMEOUT_SECONDS: '1' })
  await pauseStatements()
  const running = client.send('GET', '/ready')
  await expect.poll(() => docketHolds(running)).toBe(true)
  docket.signal('SIGTERM')
  await expect(running).rejects.toThrow('socket hang up')
  resumeStatements()
  expect(await docket.exit).toEqual({ code: 0, signal: null })
  expect(docket.log()).toContain('"kind":"requests-cut"')
  expect(runningServer(dataDirectory)).toBeUndefined()
})

test('a second signal ends it at once, and the database follows', async () => {
  await start({})
  await pauseStatements()
  const running = client.send('GET', '/ready').catch(() => 'cut')
  docket.signal('SIGTERM')
  await expect.poll(takesConnections, { timeout: 10_000 }).toBe(false)
  await expect
    .poll(
      () => {
        docket.signal('SIGTERM')
        return isAlive(docket.processId)
      },
      { timeout: 10_000, interval: 200 },
    )
    .toBe(false)
  expect(await docket.exit).toEqual({ code: 143, signal: null })
  expect(await running).toBe('cut')
  resumeStatements()
  await expect.poll(() => runningServer(dataDirectory), { timeout: 10_000 }).toBeUndefined()
})
