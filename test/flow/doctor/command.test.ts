import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/database.ts'
import type { Line } from '../../../src/doctor/describe-reports.ts'
import { checkNames } from '../../../src/doctor/examine.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { freshDatabase } from '../../harness/fresh-database.ts'
import { runCommand } from '../../harness/run-command.ts'
import { runningServer, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

/** Every file of a folder with its size and the time of its last change. */
const listed = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path, found: statSync(join(folder, path)) }))
    .map(({ path, found }) => `${path} ${found.size} ${found.mtimeMs} ${found.mode}`)
    .sort()

test('beside a running server and without one, with the embedded PostgreSQL, every check is ok (issue 8, C2)', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const environment = { DOCKET_DATA_DIR: dataDir }
  const docket = await spawnDocket(environment)
  const beside = await runCommand(environment, ['doctor'])
  expect(beside.errors).toBe('')
  const lines = beside.output.trimEnd().split('\n')
  const width = Math.max(...checkNames.map((name) => name.length))
  expect(lines.map((line) => line.slice(0, 9 + width))).toEqual(
    checkNames.map((name) => `ok       ${name.padEnd(width)}`),
  )
  expect(beside.code).toBe(0)
  expect(await docket.stop()).toEqual({ code: 0, signal: null })

  const alone = await runCommand(environment, ['doctor', '--json', '--thorough'])
  const found = JSON.parse(alone.output) as readonly Line[]
  expect(found.map(({ check, status }) => `${status} ${check}`)).toEqual(checkNames.map((name) => `ok ${name}`))
  expect(alone.code).toBe(0)
  expect(runningServer(dataDir)).toBeUndefined()
})

test('a fault makes the exit code 1, a wrong option 2, help 0', async () => {
  const fresh = await freshDatabase()
  const dataDir = temporaryFolder(0o700)
  const environment = { DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir }
  const full = await runCommand(environment, ['doctor', '--json', '--min-free-mb', '999999999'])
  expect((JSON.parse(full.output) as readonly Line[]).filter(({ status }) => status !== 'ok')).toEqual([
    {
      check: 'disk',
      status: 'fault',
      fault: 'disk-nearly-full',
      message: expect.stringMatching(/^The disk of the data directory has \d+ MB free, less than 999999999 MB$/),
      where: dataDir,
      cure: 'free some space, or set DOCKET_DATA_DIR to a folder on another disk',
    },
  ])
  expect(full.code).toBe(1)
  for (const wrong of [['--min-free-mb', 'much'], ['--mend']])
    expect((await runCommand(environment, ['doctor', ...wrong])).code).toBe(2)
  expect((await runCommand(environment, ['doctor', '--help'])).code).toBe(0)
  await fresh.drop()
})

test('before the first start nothing is created, and what cannot be checked is skipped', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const { code, output } = await runCommand({ DOCKET_DATA_DIR: dataDir }, ['doctor', '--json'])
  const skipped = (JSON.parse(output) as readonly Line[]).filter(({ status }) => status === 'skipped')
  expect(skipped.map(({ check }) => check)).toEqual(checkNames.slice(3))
  expect(code).toBe(0)
  expect(readdirSync(join(dataDir, '..'))).toEqual([])
})

test('nothing is written: the data directory stays as it is, and PostgreSQL rejects every write', async () => {
  const fresh = await freshDatabase()
  const dataDir = temporaryFolder(0o700)
  const before = listed(dataDir)
  const outcome = await runCommand({ DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir }, [
    'doctor',
    '--thorough',
  ])
  expect(outcome.code).toBe(0)
  expect(listed(dataDir)).toEqual(before)
  const { connectionString } = fresh
  const reading = openDatabase({ connectionString, maxConnections: 1, statementTimeoutMs: 0, isReadOnly: true })
  await expect(reading.rows(sql`delete from docket.task`)).rejects.toMatchObject({ code: '25006' })
  await reading.close()
  await fresh.drop()
})
