import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendTo } from '../harness/send-request.ts'
import { runningServer, type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

/** The first test that starts in it creates its database; for the others a start is quick. Each test leaves it stopped. */
const used = temporaryFolder()

async function get(docket: SpawnedDocket, path: string): Promise<number> {
  const client = sendTo(docket.address)
  const { status } = await client.send('GET', path)
  client.close()
  return status
}

describe('the first start in an empty folder', () => {
  const dataDirectory = join(temporaryFolder(), 'data')
  let docket: SpawnedDocket

  beforeAll(async () => {
    docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory })
  })
  afterAll(() => docket.stop())

  test('prints where it is, the administrator, a new password and a line to try, and nothing else', () => {
    expect(docket.output()).toMatch(
      new RegExp(
        [
          '^Docket is ready at http://127\\.0\\.0\\.1:(\\d+) \\(documentation: http://127\\.0\\.0\\.1:\\1/docs\\)',
          'Administrator: admin, password: ([\\w-]{20}) \\(shown only now\\)',
          "Try: curl -u 'admin:\\2' 'http://127\\.0\\.0\\.1:\\1/rest/v1/table/itsm_incident\\?sysparm_limit=3'\\n$",
        ].join('\n'),
      ),
    )
  })

  test('the line to try works when it is pasted', () => {
    const line = docket.output().match(/^Try: (.*)$/m)?.[1] ?? ''
    const pasted = execFileSync('sh', ['-c', `${line} --silent --show-error --fail`], { encoding: 'utf8' })
    expect(JSON.parse(pasted)).toMatchObject({ status: 'OK', data: [] })
  })

  test('responds to /health and /ready', async () => {
    expect([await get(docket, '/health'), await get(docket, '/ready')]).toEqual([200, 200])
  })

  test('keeps its data where only its own account comes to it', () => {
    expect(statSync(join(dataDirectory, 'postgres')).mode & 0o777).toBe(0o700)
    expect(statSync(join(dataDirectory, 'postgres', 'password')).mode & 0o777).toBe(0o600)
  })

  test('stops with exit code 0 on SIGTERM, and its database with it; the next start keeps data and password', async () => {
    expect(await docket.stop()).toEqual({ code: 0, signal: null })
    expect(runningServer(dataDirectory)).toBeUndefined()
    expect(existsSync(join(dataDirectory, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false)
    const log = readFileSync(join(dataDirectory, 'postgres', 'postgres.log'), 'utf8')
    expect(log).toContain('database system is shut down')

    docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory })
    expect(docket.output()).toBe(
      `Docket is ready at ${docket.address} (documentation: ${docket.address}/docs)\nTry: curl -u admin '${docket.address}/rest/v1/table/itsm_incident?sysparm_limit=3'\n`,
    )
    expect(docket.log()).toBe('')
  })
})

test('a password that was set is not repeated, and the line to try takes it from the environment', async () => {
  const docket = await spawnDocket({
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_ADMIN_PASSWORD: 'correct horse battery',
  })
  await docket.stop()
  expect(docket.output() + docket.log()).not.toContain('correct horse battery')
  expect(docket.output()).toContain('Administrator: admin, password: as DOCKET_ADMIN_PASSWORD says\n')
  expect(docket.output()).toContain('Try: curl -u "admin:$DOCKET_ADMIN_PASSWORD" ')
})

test('with the demo desk the pasted line shows incidents, and the second start leaves the desk alone', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const environment = { DOCKET_DATA_DIR: dataDir, DOCKET_DEMO: 'on', DOCKET_ADMIN_PASSWORD: 'correct horse' }
  for (const isFirst of [true, false]) {
    const docket = await spawnDocket(environment)
    const line = docket.output().match(/^Try: (.*)$/m)?.[1] ?? ''
    const pasted = execFileSync('sh', ['-c', `${line} --silent --show-error --fail`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...environment },
    })
    expect(JSON.parse(pasted)).toMatchObject({ status: 'OK', data: [{}, {}, {}] })
    // Five lines in total on the first start (issue 8, C4): one before the work begins, four when it is done.
    expect(docket.log().split('\n').slice(0, -1)).toEqual(
      isFirst ? [expect.stringContaining('first start: creating the database')] : [],
    )
    expect(docket.output().split('\n').slice(0, -1)).toHaveLength(isFirst ? 4 : 3)
    expect(docket.output()).toContain(
      'Demo users: anna.petrova, michael.brown, maria.sokolova, john.smith, elena.volkova (passwords: docs/demo-desk.md)\n',
    )
    await docket.stop()
  }
})

test.each(['SIGINT', 'SIGHUP'] as const)(
  '%s stops as well, and a second one soon after is the same key press',
  async (signal) => {
    const docket = await spawnDocket({ DOCKET_DATA_DIR: used })
    docket.signal(signal)
    docket.signal(signal)
    expect(await docket.exit).toEqual({ code: 0, signal: null })
  },
)

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  '%s to npm start ends server and database cleanly',
  async (signal) => {
    const docket = await spawnDocket({ DOCKET_DATA_DIR: used }, { throughNpm: true })
    docket.signal(signal)
    await docket.exit
    await expect.poll(() => runningServer(used), { timeout: 30_000 }).toBeUndefined()
    expect(docket.log()).toContain('"kind":"stopped"')
  },
)

test('a start right after npm start was killed waits until the server before it has ended', async () => {
  const first = await spawnDocket({ DOCKET_DATA_DIR: used }, { throughNpm: true })
  const port = new URL(first.address).port
  first.signal('SIGKILL')
  const second = await spawnDocket({ DOCKET_DATA_DIR: used, DOCKET_PORT: port })
  expect(await get(second, '/ready')).toBe(200)
  expect(await second.stop()).toEqual({ code: 0, signal: null })
  expect(first.log()).toContain('"kind":"stopped"')
})

test('two workers and their search process serve one port, a dead one is replaced, and all end together', async () => {
  const docket = await spawnDocket({ DOCKET_DATA_DIR: used, DOCKET_WORKERS: '2', DOCKET_SEARCH_PROCESS: 'on' })
  const workersOf = (processId: number) =>
    readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8')
      .trim()
      .split(' ')
      .map(Number)
      .filter((child) => child !== runningServer(used))
  const before = workersOf(docket.processId)
  expect(before).toHaveLength(3)
  expect(await get(docket, '/ready')).toBe(200)
  // The first one is the search process.
  process.kill(before[1] ?? 0, 'SIGKILL')
  await expect
    .poll(() => workersOf(docket.processId).filter((id) => !before.includes(id)), { timeout: 30_000 })
    .toHaveLength(1)
  expect(docket.log()).toContain('"kind":"worker-died"')
  await expect.poll(() => get(docket, '/ready')).toBe(200)
  const after = workersOf(docket.processId)
  expect(await docket.stop()).toEqual({ code: 0, signal: null })
  expect(after.filter((id) => existsSync(`/proc/${id}`))).toEqual([])
  expect(runningServer(used)).toBeUndefined()
})
