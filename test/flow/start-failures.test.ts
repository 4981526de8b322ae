import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import {
  type FailedStart,
  runningServer,
  type SpawnedDocket,
  type SpawnOptions,
  spawnDocket,
  spawnFailing,
  temporaryClone,
  temporaryFolder,
  tryToSpawn,
} from '../harness/spawn-docket.ts'

/** The output of a failed start: one sentence, and nothing else that looks like an error. */
function sentenceOf({ exit, output, log }: FailedStart, exitCode = 1): string {
  expect({ exit, output }).toEqual({ exit: { code: exitCode, signal: null }, output: '' })
  const lines = log.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  expect(lines).toHaveLength(1)
  return lines[0] ?? ''
}

const isRoot = process.geteuid?.() === 0

/** A cluster that starts quickly, because it was created before. */
const used = temporaryFolder()
let fresh: FreshDatabase
let clone: SpawnOptions = {}

beforeAll(async () => {
  if (isRoot) clone = temporaryClone(0o755)
  fresh = await freshDatabase('blank')
  await (await spawnDocket({ DOCKET_DATA_DIR: used })).stop()
})
afterAll(() => fresh.drop())

test('a wrong setting ends the start with exit code 2', async () => {
  expect(sentenceOf(await spawnFailing({ DOCKET_WORKERS: 'many' }), 2)).toBe(
    'DOCKET_WORKERS is "many": it must be a whole number from 1 to 64.',
  )
})

test('a port in use is told in one sentence before anything is made (issue 8, C4)', async () => {
  const dataDirectory = join(temporaryFolder(), 'data')
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = String(typeof address === 'object' ? address?.port : address)
  const rejected = await spawnFailing({ DOCKET_PORT: port, DOCKET_DATA_DIR: dataDirectory })
  await new Promise((resolve) => other.close(resolve))
  expect(rejected.log).toBe(`${sentenceOf(rejected)}\n`)
  expect(sentenceOf(rejected)).toBe(
    `Port ${port} of 127.0.0.1 is already in use: stop the program that listens there, or set DOCKET_PORT to another (0 takes any free one).`,
  )
  expect(statSync(dataDirectory, { throwIfNoEntry: false })).toBeUndefined()
})

test('an address of another machine', async () => {
  expect(sentenceOf(await spawnFailing({ DOCKET_HOST: '192.0.2.1' }))).toBe(
    '192.0.2.1 is not an address of this machine: set DOCKET_HOST to 127.0.0.1 or to 0.0.0.0.',
  )
})

test('a second Docket on one data directory is told which process has it, and the first goes on', async () => {
  const first = await spawnDocket({ DOCKET_DATA_DIR: used })
  const rejected = await spawnFailing({ DOCKET_DATA_DIR: used })
  expect(sentenceOf(rejected)).toBe(
    `Another Docket (process ${first.processId}) already uses ${used}/postgres: stop it first, or set DOCKET_DATA_DIR to another folder.`,
  )
  expect(runningServer(used)).toBeDefined()
  expect(await first.stop()).toEqual({ code: 0, signal: null })
})

test('of three that start at once in an empty folder one serves and the others are rejected', async () => {
  const dataDirectory = temporaryFolder()
  const outcomes = await Promise.all([1, 2, 3].map(() => tryToSpawn({ DOCKET_DATA_DIR: dataDirectory })))
  const serving = outcomes.filter((outcome): outcome is SpawnedDocket => 'address' in outcome)
  expect(serving).toHaveLength(1)
  for (const rejected of outcomes)
    if (!('address' in rejected)) expect(sentenceOf(rejected)).toMatch(/^Another Docket .*already uses/)
  for (const docket of serving) expect(await docket.stop()).toEqual({ code: 0, signal: null })
})

test('a data directory of another PostgreSQL version', async () => {
  const versionFile = join(used, 'postgres', 'cluster', 'PG_VERSION')
  const version = readFileSync(versionFile)
  writeFileSync(versionFile, '17\n')
  const rejected = await spawnFailing({ DOCKET_DATA_DIR: used })
  writeFileSync(versionFile, version)
  expect(sentenceOf(rejected)).toBe(
    `${used}/postgres was made by PostgreSQL 17, but this Docket brings PostgreSQL 18: write a backup with the Docket that made it (docket backup FILE), then run docket restore FILE with this one and a new DOCKET_DATA_DIR.`,
  )
})

test('a data directory that cannot be made, beside an existing server (issue 8, C4)', async () => {
  const file = join(temporaryFolder(), 'data')
  writeFileSync(file, '')
  const rejected = await spawnFailing({ DOCKET_DATA_DIR: file, DOCKET_DATABASE_URL: fresh.connectionString })
  expect(sentenceOf(rejected)).toBe(
    `The data directory ${file} cannot be used (EEXIST): give this account the right to, or set DOCKET_DATA_DIR to another folder.`,
  )
})

test('a data directory that is a file', async () => {
  const file = join(temporaryFolder(), 'data')
  writeFileSync(file, '')
  expect(sentenceOf(await spawnFailing({ DOCKET_DATA_DIR: file }))).toBe(
    `The data directory ${file} cannot be used (EEXIST): give this account the right to, or set DOCKET_DATA_DIR to another folder.`,
  )
})

const nobody = { uid: 65_534, gid: 65_534 }

test.skipIf(!isRoot)(
  'a data directory that may not be written (needs root to start Docket as another account)',
  async () => {
    const folder = temporaryFolder()
    const rejected = await spawnFailing({ DOCKET_DATA_DIR: join(folder, 'data') }, { ...clone, account: nobody })
    expect(sentenceOf(rejected)).toBe(
      `The data directory ${folder}/data cannot be written (EACCES): give this account the right to, or set DOCKET_DATA_DIR to another folder.`,
    )
  },
)

test.skipIf(!isRoot)('a data directory that is open, of another account (needs root) (issue 8, A5)', async () => {
  const folder = temporaryFolder(0o777)
  const rejected = await spawnFailing({ DOCKET_DATA_DIR: folder }, { ...clone, account: nobody })
  expect(sentenceOf(rejected)).toBe(
    `Other accounts can enter ${folder} (mode 777), and this account may not change that: have its owner run chmod 700 ${folder}, or set DOCKET_DATA_DIR to a folder in it that does not exist yet.`,
  )
})

test.skipIf(!isRoot)('a data directory that another account made (needs root)', async () => {
  const folder = temporaryFolder(0o700)
  chownSync(folder, nobody.uid, nobody.gid)
  await (await spawnDocket({ DOCKET_DATA_DIR: folder, DOCKET_POSTGRES_ACCOUNT: 'daemon' })).stop()
  const rejected = await spawnFailing({ DOCKET_DATA_DIR: folder }, { ...clone, account: nobody })
  expect(sentenceOf(rejected)).toBe(
    `${folder}/postgres belongs to another account (a Docket that ran as root or as another user made it): start Docket as that one, or set DOCKET_DATA_DIR to another folder.`,
  )
})

test.skipIf(!isRoot)('an account that does not exist (needs root)', async () => {
  const rejected = await spawnFailing({
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_POSTGRES_ACCOUNT: 'no-such-account',
  })
  expect(sentenceOf(rejected)).toBe(
    'Docket runs as root and PostgreSQL refuses to, and this machine has no account named no-such-account: start Docket as another user, set DOCKET_POSTGRES_ACCOUNT to an existing account, or set DOCKET_DATABASE_URL.',
  )
})

/** A disk of this size, if the system allows us to create one. */
function mountSmallDisk(megabytes: number): string | undefined {
  const folder = join(temporaryFolder(), 'disk')
  mkdirSync(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'docket-test', folder], { stdio: 'ignore' })
    return folder
  } catch {
    return undefined
  }
}

test('a full disk on the first start (needs the right to mount)', async ({ skip }) => {
  const disk = mountSmallDisk(20)
  if (disk === undefined) return skip('this account may not mount a file system')
  try {
    const rejected = await spawnFailing({ DOCKET_DATA_DIR: disk })
    expect(sentenceOf(rejected)).toBe(
      `There is no space left on the disk that holds ${disk}/postgres: free some, or set DOCKET_DATA_DIR to a folder on another disk.`,
    )
  } finally {
    execFileSync('umount', [disk])
  }
})

test('a disk that was filled later', async ({ skip }) => {
  const disk = mountSmallDisk(200)
  if (disk === undefined) return skip('this account may not mount a file system')
  try {
    const docket = await spawnDocket({ DOCKET_DATA_DIR: disk })
    await docket.stop()
    fillDisk(join(disk, 'ballast'))
    expect(sentenceOf(await spawnFailing({ DOCKET_DATA_DIR: disk }))).toMatch(
      /^There is no space left on the disk that holds /,
    )
    rmSync(join(disk, 'ballast'))
    await (await spawnDocket({ DOCKET_DATA_DIR: disk })).stop()
  } finally {
    execFileSync('umount', [disk])
  }
})

function fillDisk(path: string): void {
  const chunk = Buffer.alloc(65_536)
  try {
    for (;;) writeFileSync(path, chunk, { flag: 'a' })
  } catch {
    // The disk is full.
  }
}

const otherWorkers = (change: (url: URL) => void): string => {
  const url = new URL(fresh.connectionString)
  change(url)
  return url.href
}

test('an existing server that does not respond', async () => {
  const rejected = await spawnFailing({ DOCKET_DATABASE_URL: 'postgres://docket:secret@127.0.0.1:1/docket' })
  expect(sentenceOf(rejected)).toBe(
    'The PostgreSQL at 127.0.0.1:1 cannot be reached (connect ECONNREFUSED 127.0.0.1:1): check DOCKET_DATABASE_URL, and that the server runs.',
  )
})

test('an existing server without the database', async () => {
  const rejected = await spawnFailing({
    DOCKET_DATABASE_URL: otherWorkers((url) => {
      url.pathname = '/no_such_database'
    }),
  })
  expect(sentenceOf(rejected)).toMatch(
    /^The PostgreSQL at .* has no database no_such_database: create it, or name another in DOCKET_DATABASE_URL\.$/,
  )
})

test('an existing server that rejects the password, which is not repeated', async ({ skip }) => {
  if (!inject('testServerUrl').includes('docket_bootstrap:')) return skip('the existing server may let everybody in')
  const rejected = await spawnFailing({
    DOCKET_DATABASE_URL: otherWorkers((url) => {
      url.password = 'guessed-wrong'
    }),
  })
  expect(sentenceOf(rejected)).toMatch(
    /^The PostgreSQL at .* does not let the user docket_bootstrap in \(password authentication failed for user "docket_bootstrap"\): check user and password in DOCKET_DATABASE_URL\.$/,
  )
})

test('a database of a newer Docket', async () => {
  await (await spawnDocket({ DOCKET_DATABASE_URL: fresh.connectionString })).stop()
  await fresh.database.rows(sql`insert into docket_system.migration (name, checksum) values ('999999', 'x')`)
  const rejected = await spawnFailing({ DOCKET_DATABASE_URL: fresh.connectionString })
  expect(sentenceOf(rejected)).toBe(
    'The database was written by a newer Docket (it has the migration 999999, which this one does not know): start that version, or a database of its own.',
  )
})

test('a demo desk whose files find no store: nothing of it is there, and the next start fills it', async () => {
  const desk = await freshDatabase('blank')
  try {
    const environment = {
      DOCKET_DATABASE_URL: desk.connectionString,
      DOCKET_DATA_DIR: temporaryFolder(),
      DOCKET_DEMO: 'on',
    }
    const rejected = await spawnFailing({
      ...environment,
      DOCKET_S3_ENDPOINT: 'http://127.0.0.1:1',
      DOCKET_S3_BUCKET: 'none',
      DOCKET_S3_ACCESS_KEY_ID: 'key',
      DOCKET_S3_SECRET_ACCESS_KEY: 'secret',
    })
    expect(sentenceOf(rejected)).toMatch(
      /^The files of the demo desk cannot be stored, the object store does not respond: .*: repair the object store \(DOCKET_S3_ENDPOINT and related settings\), or start with DOCKET_DEMO=off\.$/,
    )
    const counted = sql`select (select count(*)::int from docket.task) > 3000 as tickets, (select count(*)::int from docket.sys_attachment) > 0 as files`
    expect(await desk.database.rows(counted)).toEqual([{ tickets: false, files: false }])
    await (await spawnDocket(environment)).stop()
    expect(await desk.database.rows(counted)).toEqual([{ tickets: true, files: true }])
  } finally {
    await desk.drop()
  }
})
