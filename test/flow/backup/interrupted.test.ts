import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeUnusedFiles } from '../../../src/attachments/remove-unused-files.ts'
import { onCopyConnection } from '../../../src/database/copy-connection.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { holdBlobs } from '../../../src/database/keep-blobs.ts'
import { diskBlobStore } from '../../../src/documents/store/blob-store.ts'
import { clearBlobs } from '../../../src/documents/store/blobs.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { runCommand } from '../../harness/run-command.ts'
import { spawnDocket, spawnFailing, temporaryFolder } from '../../harness/spawn-docket.ts'
import { printDatabase } from './database-print.ts'

const folder = temporaryFolder()
const file = join(folder, 'whole.backup')
const hash = Buffer.from('cd'.repeat(32), 'hex')
let source: FreshDatabase
const environment = (database: FreshDatabase, dataDir: string) => ({
  DOCKET_DATABASE_URL: database.connectionString,
  DOCKET_DATA_DIR: join(folder, dataDir),
})
beforeAll(async () => {
  source = await freshDatabase('empty')
  const written = await runCommand(environment(source, 'source'), ['backup', file])
  expect([written.code, written.output]).toEqual([0, ''])
})
afterAll(async () => {
  await source.drop()
  rmSync(folder, { recursive: true, force: true })
})

const program = fileURLToPath(new URL('../../../bin/docket.js', import.meta.url))
function start(environmentOf: Readonly<Record<string, string>>, args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environmentOf },
  })
  child.stdin.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  return { child, ended }
}
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20)
}

test('a backup that is killed leaves no file under its name, and the next one sweeps up (issue 8, C1)', async () => {
  // The bytes of one file never arrive: the backup has written every table by then.
  const place = join(folder, 'source', 'files', 'cd')
  mkdirSync(place, { recursive: true })
  const pipe = join(place, hash.toString('hex'))
  execFileSync('mkfifo', [pipe])
  await source.database.rows(sql`insert into docket_documents.blob (hash, size, touched_at) values (${hash}, 1, now())`)
  const target = join(folder, 'killed.backup')
  const { child, ended } = start(environment(source, 'source'), ['backup', target])
  const unfinished = `${target}.${child.pid}.part`
  await until(() => existsSync(unfinished) && statSync(unfinished).size > 10_000)
  child.kill('SIGKILL')
  await ended
  expect(readdirSync(folder).filter((name) => name.startsWith('killed'))).toEqual([`killed.backup.${child.pid}.part`])
  rmSync(pipe)
  const again = await runCommand(environment(source, 'source'), ['backup', target])
  expect(again.code, again.errors).toBe(0)
  expect(readdirSync(folder).filter((name) => name.startsWith('killed'))).toEqual(['killed.backup'])
})

test('while a backup copies files, nobody removes any (issue 8, C1)', async () => {
  await source.database.rows(sql`delete from docket_documents.blob`)
  const blobs = diskBlobStore(join(folder, 'source', 'files'))
  await source.database.rows(sql`
    insert into docket_documents.blob (hash, size, touched_at) values (${hash}, 1, now() - interval '1 day')`)
  const clear = () => clearBlobs(source.database, blobs, new Date())
  await onCopyConnection(source.connectionString, 'docket backup', async (connection) => {
    await holdBlobs(connection)
    expect(await clear()).toBe(0)
  })
  await until(async () => (await clear()) === 1)
})

test('nor do commands that remove attached files with their rows: the cleanup has them later', async () => {
  const blobs = diskBlobStore(join(folder, 'source', 'attachments'))
  const rows = () => source.database.rows(sql`select from docket_system.attachment_blob where hash = ${hash}`)
  await source.database.rows(
    sql`insert into docket_system.attachment_blob (hash, size, touched_at) values (${hash}, 1, now())`,
  )
  const remove = () => removeUnusedFiles(source.database, blobs, [hash.toString('hex')])
  await onCopyConnection(source.connectionString, 'docket backup', async (connection) => {
    await holdBlobs(connection)
    await remove()
    expect(await rows()).toHaveLength(1)
  })
  await until(async () => {
    await remove()
    return (await rows()).length === 0
  })
})

test('a restore that is killed keeps servers from starting until it is repeated or cancelled (issue 8, C1)', async () => {
  const target = await freshDatabase('blank')
  try {
    const place = environment(target, 'target')
    const bytes = readFileSync(file)
    const kill = async (...flags: readonly string[]) => {
      const { child, ended } = start(place, ['restore', ...flags, '-'])
      child.stdin.write(bytes.subarray(0, Math.floor(bytes.length * 0.6)))
      await until(() => isMarked(target))
      child.kill('SIGKILL')
      await ended
      await until(async () => !(await isConnected(target)))
    }
    await kill()
    const rejected = await spawnFailing(place)
    expect(rejected.exit.code).toBe(1)
    expect(rejected.log).toMatch(
      /^A restore of The standard input into this database was interrupted \(it began at [-\d: ]+ UTC\): repeat docket restore with the same file, or run docket restore --cancel to go on with what the database held before\.$/m,
    )
    const repeated = await runCommand(place, ['restore', file])
    expect([repeated.code, repeated.errors]).toEqual([0, ''])
    const docket = await spawnDocket(place)
    const running = await runCommand(place, ['restore', '--replace', file])
    expect(running.errors).toContain('Docket is running on this database')
    expect((await runCommand(place, ['restore', '--cancel'])).errors).toContain('Docket is running on this database')
    await docket.stop()
    // A cancelled replacement keeps the old content.
    const before = await printDatabase(target.connectionString)
    await kill('--replace')
    expect((await spawnFailing(place)).exit.code).toBe(1)
    const cancelled = await runCommand(place, ['restore', '--cancel'])
    expect([cancelled.code, cancelled.output]).toEqual([
      0,
      'The restore is cancelled; the database is what it was before.\n',
    ])
    expect(await printDatabase(target.connectionString)).toEqual(before)
    const again = await runCommand(place, ['restore', '--cancel'])
    expect([again.code, again.output]).toEqual([0, 'No restore was interrupted.\n'])
    await (await spawnDocket(place)).stop()
  } finally {
    await target.drop()
  }
})

test('a damaged backup changes nothing in the target, and says where it is damaged (issue 8, C1)', async () => {
  const target = await freshDatabase('blank')
  try {
    const place = environment(target, 'damaged')
    const bytes = readFileSync(file)
    bytes[bytes.length - 200] = (bytes[bytes.length - 200] ?? 0) ^ 1
    const damaged = join(folder, 'damaged.backup')
    writeFileSync(damaged, bytes)
    const rejected = await runCommand(place, ['restore', damaged])
    expect([rejected.code, rejected.output]).toEqual([1, ''])
    expect(rejected.errors).toMatch(
      /damaged\.backup is damaged at byte \d+: the checksum of the frame after .* is wrong\. Use another copy/,
    )
    const text = join(folder, 'text.backup')
    writeFileSync(text, 'no backup at all')
    expect((await runCommand(place, ['restore', text])).errors).toBe(
      `${text} is not a backup of Docket: it does not begin with "docket backup 1".\n`,
    )
    const database = openDatabase({
      connectionString: target.connectionString,
      maxConnections: 1,
      statementTimeoutMs: 0,
    })
    const schemas = await database.rows(sql`select nspname from pg_namespace where nspname like 'docket%'`)
    await database.close()
    expect(schemas).toEqual([])
  } finally {
    await target.drop()
  }
})

async function call(database: FreshDatabase, query: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: database.connectionString })
  await client.connect()
  try {
    return (await client.query(query)).rows[0]?.response === true
  } finally {
    await client.end()
  }
}
const isMarked = (database: FreshDatabase) =>
  call(database, `select to_regclass('docket_restore.state') is not null as response`)
const isConnected = (database: FreshDatabase) =>
  call(
    database,
    `select exists (select from pg_stat_activity where datname = current_database() and application_name = 'docket restore') as response`,
  )
