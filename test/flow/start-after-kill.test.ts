import { spawn } from 'node:child_process'
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clusterIn } from '../../src/database/embedded/cluster.ts'
import { isAlive } from '../../src/database/embedded/processes.ts'
import { sendTo } from '../harness/send-request.ts'
import { runningServer, type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

const dataDirectory = temporaryFolder()
const cluster = clusterIn(join(dataDirectory, 'postgres'))
const administrator = { user: 'admin', password: 'correct horse battery' }
const start = () => spawnDocket({ DOCKET_DATA_DIR: dataDirectory, DOCKET_ADMIN_PASSWORD: administrator.password })
let docket: SpawnedDocket

beforeAll(async () => {
  docket = await start()
})
beforeEach(async () => {
  if (!isAlive(docket.processId)) docket = await start()
})
afterAll(() => docket.stop())

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

const subjects = '/rest/v1/table/task?sysparm_fields=subject&sysparm_limit=1000&sysparm_query=subjectSTARTSWITH'

interface Writing {
  /** The subjects of the tasks that got 200. */
  readonly acknowledged: string[]
  /** Resolves when every client has met a failure or was stopped. */
  readonly done: Promise<unknown>
  stop(): void
}

/** Creates tasks from four clients at once until the server is gone. */
function writeUntilCut(round: number): Writing {
  const acknowledged: string[] = []
  let isStopping = false
  const write = async (client: number): Promise<void> => {
    const { send } = sendTo(docket.address)
    for (let n = 0; !isStopping; n++) {
      const subject = `round ${round} client ${client} number ${n}`
      const response = await send('POST', '/rest/v1/table/task', { as: administrator, body: { subject } })
      if (response.status !== 200) throw new Error(response.text)
      acknowledged.push(subject)
    }
  }
  const stop = (): void => {
    isStopping = true
  }
  return { acknowledged, done: Promise.allSettled([1, 2, 3, 4].map(write)), stop }
}

async function stored(round: number): Promise<readonly unknown[]> {
  const client = sendTo(docket.address)
  const response = await client.send('GET', `${subjects}round%20${round}%20`, { as: administrator })
  client.close()
  return (response.body as { readonly data: readonly { readonly subject: string }[] }).data.map(
    ({ subject }) => subject,
  )
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

test.each([
  { what: 'Docket alone', round: 1 },
  { what: 'Docket and PostgreSQL', round: 2 },
  { what: 'PostgreSQL, then Docket', round: 3 },
])('$what killed during writes lose no acknowledged write', async ({ what, round }) => {
  const writing = writeUntilCut(round)
  await expect.poll(() => writing.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(50)
  const killed = server()
  if (what.startsWith('PostgreSQL')) await kill(killed)
  process.kill(docket.processId, 'SIGKILL')
  if (what.endsWith('PostgreSQL')) await kill(killed)
  await writing.done
  await docket.exit

  docket = await start()
  expect(await stored(round)).toEqual(expect.arrayContaining(writing.acknowledged))
})

test('a server that dies alone during writes is started again, Docket goes on, and nothing acknowledged is lost', async () => {
  const writing = writeUntilCut(4)
  await expect.poll(() => writing.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(50)
  await kill(server())
  await expect.poll(() => docket.log(), { timeout: 30_000 }).toContain('"kind":"database-died"')
  // A client whose request came after the restart has met no failure, and would write forever.
  writing.stop()
  await writing.done
  await expect.poll(() => fetch(`${docket.address}/ready`).then(({ status }) => status), { timeout: 30_000 }).toBe(200)
  expect(await stored(4)).toEqual(expect.arrayContaining(writing.acknowledged))
  expect(await docket.stop()).toEqual({ code: 0, signal: null })
  expect(runningServer(dataDirectory)).toBeUndefined()
})

/** Rewrites postmaster.pid as if the killed server had had the id of a process that runs now. */
function pretendServerWas(processId: number): void {
  const file = join(cluster.dataDirectory, 'postmaster.pid')
  const { uid, gid } = statSync(file)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(processId)))
  chownSync(file, uid, gid)
}

test('a process number that another program has by now is no server', async () => {
  const { uid, gid } = statSync(cluster.dataDirectory)
  // With the same account, for which PostgreSQL itself would reject to start.
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
