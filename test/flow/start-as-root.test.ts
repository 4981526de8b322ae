import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  runningServer,
  type SpawnOptions,
  spawnDocket,
  temporaryClone,
  temporaryFolder,
} from '../harness/spawn-docket.ts'

const isRoot = process.geteuid?.() === 0

function accountOf(processId: number): number {
  return Number(readFileSync(`/proc/${processId}/status`, 'utf8').match(/^Uid:\s+(\d+)/m)?.[1])
}

describe.skipIf(!isRoot)('started as root (skipped otherwise)', () => {
  test('PostgreSQL runs as another account and owns nothing but its own folder', async () => {
    const dataDirectory = temporaryFolder()
    const docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory })
    const server = runningServer(dataDirectory) ?? 0
    expect(accountOf(server)).not.toBe(0)
    expect(statSync(dataDirectory).uid).toBe(0)
    expect(statSync(join(dataDirectory, 'postgres')).uid).toBe(accountOf(server))
    await docket.stop()
  })

  test('clone and data lie in a folder that nobody else can enter: no mode above them is changed', async () => {
    const clone = temporaryClone(0o700)
    const parent = join(clone.folder, '..')
    const dataDirectory = join(clone.folder, 'data')
    const docket = await spawnDocket({}, clone)
    const server = runningServer(dataDirectory) ?? 0
    expect(accountOf(server)).not.toBe(0)
    // The programs run from a copy that the account can access; the data are where the setting says.
    expect(realpathSync(`/proc/${server}/exe`)).not.toContain(parent)
    expect(realpathSync(`/proc/${server}/cwd`)).toBe(join(dataDirectory, 'postgres', 'cluster'))
    expect(statSync(parent).mode & 0o777).toBe(0o700)
    expect((await fetch(`${docket.address}/ready`)).status).toBe(200)
    expect(await docket.stop()).toEqual({ code: 0, signal: null })

    const again = await spawnDocket({}, clone)
    expect((await fetch(`${again.address}/ready`)).status).toBe(200)
    again.signal('SIGKILL')
    await again.exit
    const third = await spawnDocket({}, clone)
    expect((await fetch(`${third.address}/ready`)).status).toBe(200)
    expect(await third.stop()).toEqual({ code: 0, signal: null })
  })

  test('several processes and a long path: the socket is reached all the same', async () => {
    const dataDirectory = join(temporaryFolder(0o700), 'a-folder-with-a-long-name'.repeat(4), 'data')
    const docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory, DOCKET_WORKERS: '2' })
    expect((await fetch(`${docket.address}/ready`)).status).toBe(200)
    expect(await docket.stop()).toEqual({ code: 0, signal: null })
  })
})

describe.skipIf(!isRoot)('started as an ordinary account (needs root to become one)', () => {
  const account = { uid: 65_534, gid: 65_534 }
  let clone: SpawnOptions

  beforeAll(() => {
    clone = temporaryClone(0o755)
  })

  test('PostgreSQL runs as the same account', async () => {
    const dataDirectory = join(temporaryFolder(0o777), 'data')
    const docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory }, { ...clone, account })
    expect(accountOf(runningServer(dataDirectory) ?? 0)).toBe(account.uid)
    expect(await docket.stop()).toEqual({ code: 0, signal: null })
  })

  test('what it made goes on when root starts Docket, and then again without root', async () => {
    const dataDirectory = join(temporaryFolder(0o777), 'data')
    for (const options of [{ ...clone, account }, clone, { ...clone, account }]) {
      const docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory }, options)
      expect(accountOf(runningServer(dataDirectory) ?? 0)).toBe(account.uid)
      expect((await fetch(`${docket.address}/ready`)).status).toBe(200)
      expect(await docket.stop()).toEqual({ code: 0, signal: null })
    }
  })
})

test('a long path as whoever runs the tests: the socket is reached all the same', async () => {
  const dataDirectory = join(temporaryFolder(), 'a-folder-with-a-long-name'.repeat(5), 'data')
  const docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory })
  expect((await fetch(`${docket.address}/ready`)).status).toBe(200)
  expect(await docket.stop()).toEqual({ code: 0, signal: null })
})
