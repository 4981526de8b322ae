import { spawn } from 'node:child_process'
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clusterIn } from '../../src/database/embedded/cluster.ts'
import { addressOf, connectionString } from '../../src/database/embedded/cluster-address.ts'
import { isAlive } from '../../src/database/embedded/processes.ts'
import { runningServer, type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

const dataDirectory = temporaryFolder()
const cluster = clusterIn(join(dataDirectory, 'postgres'))
const start = () => spawnDocket({ DOCKET_DATA_DIR: dataDirectory })
let docket: SpawnedDocket

beforeAll(async () => {
  docket = await start()
  await withClient((client) => client.query('create table public.acknowledged (n int primary key)'))
})
beforeEach(async () => {
  if (!isAlive(docket.processId)) docket = await start()
})
afterAll(() => docket.stop())

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: connectionString(cluster, await addressOf(cluster), 'docket') })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function kill(processId: number): Promise<void> {
  process.kill(processId, 'SIGKILL')
  await expect.poll(() => isAlive(processId)).toBe(false)
}

/** The server, which is running. */
function server(): number {
  const processId = runningServer(dataDirectory)
  if (processId === undefined) throw new Error('no PostgreSQL runs')
  return processId
}

/** Writes numbers one by one until the connection breaks, and tells those that were acknowledged. */
function writeUntilCut(): { readonly acknowledged: number[]; readonly done: Promise<void> } {
  const acknowledged: number[] = []
  const done = withClient(async (client) => {
    const { rows } = await client.query('select coalesce(max(n), 0) as n from public.acknowledged')
    for (let n = rows[0].n + 1; ; n++) {
      await client.query('insert into public.acknowledged values ($1)', [n])
      acknowledged.push(n)
    }
  }).catch(() => undefined)
  return { acknowledged, done }
}

async function stored(): Promise<readonly number[]> {
  const { rows } = await withClient((client) => client.query('select n from public.acknowledged order by n'))
  return rows.map(({ n }) => n)
}

test('a server that a killed Docket left behind is stopped and started again', async () => {
  const leftBehind = server()
  await kill(docket.processId)
  await docket.exit
  expect(server()).toBe(leftBehind)

  docket = await start()
  expect(docket.log()).toContain(`stopped PostgreSQL process ${leftBehind}, which a killed Docket had left behind`)
  expect(isAlive(leftBehind)).toBe(false)
  expect(server()).not.toBe(leftBehind)
})

test('Docket and PostgreSQL killed during writes lose no acknowledged write', async () => {
  for (let round = 0; round < 3; round++) {
    const writing = writeUntilCut()
    await expect.poll(() => writing.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(50)
    process.kill(docket.processId, 'SIGKILL')
    await kill(server())
    await writing.done
    await docket.exit

    docket = await start()
    expect(await stored()).toEqual(expect.arrayContaining(writing.acknowledged))
  }
})

test('a server that dies alone is started again, and Docket goes on', async () => {
  const died = server()
  await kill(died)
  await expect.poll(() => runningServer(dataDirectory), { timeout: 30_000 }).toBeDefined()
  await expect.poll(() => fetch(`${docket.address}/ready`).then(({ status }) => status), { timeout: 30_000 }).toBe(200)
  expect(docket.log()).toContain('"kind":"database-died"')
  expect(await docket.stop()).toEqual({ code: 0, signal: null })
  expect(runningServer(dataDirectory)).toBeUndefined()
})

/** Rewrites postmaster.pid as if the server that was killed had had the number of a process that runs now. */
function pretendServerWas(processId: number): void {
  const file = join(cluster.dataDirectory, 'postmaster.pid')
  const { uid, gid } = statSync(file)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(processId)))
  chownSync(file, uid, gid)
}

test('a process number that another program has by now is no server', async () => {
  const { uid, gid } = statSync(cluster.dataDirectory)
  // Under the same account, for which PostgreSQL itself would refuse to start.
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore', uid, gid })
  process.kill(docket.processId, 'SIGKILL')
  await kill(server())
  await docket.exit
  pretendServerWas(bystander.pid ?? 0)

  docket = await start()
  expect(server()).not.toBe(bystander.pid)
  expect(isAlive(bystander.pid ?? 0)).toBe(true)
  bystander.kill()
})

test('a process number that nobody has is no server', async () => {
  process.kill(docket.processId, 'SIGKILL')
  await kill(server())
  await docket.exit
  pretendServerWas(4_194_303)
  docket = await start()
  expect(await fetch(`${docket.address}/ready`).then(({ status }) => status)).toBe(200)
})

test('a first start that was killed half-way is made again', async () => {
  const folder = temporaryFolder()
  const child = spawn(process.execPath, ['bin/docket.js', 'start'], {
    env: { PATH: process.env['PATH'], DOCKET_DATA_DIR: folder, DOCKET_PORT: '0', DOCKET_DEMO: 'off' },
    stdio: 'ignore',
  })
  await expect
    .poll(() => statSync(join(folder, `postgres.new-${child.pid}`, 'cluster', 'base'), { throwIfNoEntry: false }), {
      timeout: 30_000,
      interval: 5,
    })
    .toBeDefined()
  child.kill('SIGKILL')
  const second = await spawnDocket({ DOCKET_DATA_DIR: folder })
  expect(await second.stop()).toEqual({ code: 0, signal: null })
})
