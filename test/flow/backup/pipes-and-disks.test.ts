import { execFile } from 'node:child_process'
import { createCipheriv } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { admin, type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { runCommand } from '../../harness/run-command.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'
import { startDocket } from '../../harness/start-docket.ts'
import { printDatabase, withoutIdentity } from './database-print.ts'

// Backups through pipes, and the results of a closed pipe or a full disk.

const folder = temporaryFolder()
const file = join(folder, 'desk.backup')
let source: FreshDatabase
beforeAll(async () => {
  source = await freshDatabase()
  const docket = await startDocket({ fresh: source, environment: placeOf(source, 'source') })
  try {
    const made = await docket.request('POST', '/rest/v1/table/company', { as: admin, body: { name: 'Acme' } })
    const [{ sys_id: id } = { sys_id: '' }] = (made.body as { data: { sys_id: string }[] }).data
    const form = new FormData()
    // Incompressible: the backup is larger than a pipe and than the limits below.
    const bytes = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(3_000_000))
    form.set('files[]', new Blob([bytes]), 'n.bin')
    const headers = { authorization: `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}` }
    const url = `${docket.baseUrl}/v1/attachments/upload/company/${id}`
    expect((await fetch(url, { method: 'POST', body: form, headers })).status).toBe(200)
  } finally {
    await docket.close()
  }
  await source.database.rows(
    sql`insert into docket.sys_property (name, value) select 'filler ' || n, md5(n::text) || md5((n + 1)::text) from generate_series(1, 20000) as n`,
  )
  expect((await runCommand(placeOf(source, 'source'), ['backup', file])).code).toBe(0)
})
afterAll(async () => {
  await source.drop()
  rmSync(folder, { recursive: true, force: true })
})

const placeOf = (database: FreshDatabase, name: string) => ({
  DOCKET_DATABASE_URL: database.connectionString,
  DOCKET_DATA_DIR: join(folder, name),
})

/** Without a persistent connection: a restore rejects a database in use. */
async function docketSchemas({ connectionString }: FreshDatabase): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(`select nspname from pg_namespace where nspname like 'docket%'`)).rows
  } finally {
    await client.end()
  }
}

const program = fileURLToPath(new URL('../../../bin/docket.js', import.meta.url))
/** Runs a line of bash in which `docket` is this program. */
function shell(line: string, environment: Readonly<Record<string, string>>) {
  const script = `set -o pipefail; docket() { '${process.execPath}' '${program}' "$@"; }; ${line}`
  return new Promise<{ code: number; output: string; errors: string }>((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', ...environment }
    execFile('bash', ['--norc', '-c', script], { env, encoding: 'utf8', cwd: folder }, (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, output, errors })
    })
  })
}

test('a backup goes through a pipe into another database (issue 8, C1)', async () => {
  const copy = await freshDatabase('blank')
  try {
    const target = placeOf(copy, 'piped')
    const line = `docket backup - | DOCKET_DATABASE_URL='${target.DOCKET_DATABASE_URL}' DOCKET_DATA_DIR='${target.DOCKET_DATA_DIR}' docket restore -`
    const piped = await shell(line, placeOf(source, 'source'))
    expect([piped.code, piped.output]).toEqual([
      0,
      expect.stringMatching(/^Restored The standard input of .*, 1 files/),
    ])
    expect(piped.errors).toContain('1 files of')
    const [before, after] = [await printDatabase(source.connectionString), await printDatabase(copy.connectionString)]
    expect(withoutIdentity(after)).toEqual(withoutIdentity(before))
  } finally {
    await copy.drop()
  }
})

test('a reader that goes away makes the backup fail, with one sentence (issue 8, C1)', async () => {
  const cut = await shell('docket backup - | head -c 100000 > cut.backup', placeOf(source, 'source'))
  expect([cut.code, cut.errors]).toEqual([1, 'Nobody reads the standard output any more: the backup is not whole.\n'])
  const check = await runCommand(placeOf(source, 'source'), ['restore', '--check', join(folder, 'cut.backup')])
  expect([check.code, check.output]).toEqual([1, ''])
  expect(check.errors).toMatch(/cut\.backup/)
  expect(check.errors).not.toMatch(/ {4}at /)
})

test('a standard output that takes nothing makes the backup fail (issue 8, C1)', async () => {
  const full = await shell('docket backup - > /dev/full', placeOf(source, 'source'))
  expect([full.code, full.errors]).toEqual([
    1,
    expect.stringMatching(/^The standard output fails \(ENOSPC.*\): the backup is not whole\.\n$/),
  ])
})

test('a disk without room leaves no file and says so (issue 8, C1)', async () => {
  const limited = await shell('ulimit -f 1000; docket backup limited.backup', placeOf(source, 'source'))
  expect(limited.errors).toMatch(
    /^The disk is full, or a file is larger than the system allows \(EFBIG.*\)\. Make room, then run the command again\.\n$/,
  )
  expect([limited.code, readdirSync(folder).filter((name) => name.startsWith('limited'))]).toEqual([1, []])
})

test('a restore without room for the files changes nothing, and can be repeated (issue 8, C1)', async () => {
  const target = await freshDatabase('blank')
  try {
    const place = placeOf(target, 'small')
    const limited = await shell(`ulimit -f 1000; docket restore '${file}'`, place)
    expect(limited.errors).toMatch(/^The disk is full, or a file is larger than the system allows \(EFBIG.*\)\./)
    expect(limited.code).toBe(1)
    expect(await docketSchemas(target)).toEqual([])
    const repeated = await runCommand(place, ['restore', file])
    expect([repeated.code, repeated.errors]).toEqual([0, ''])
    expect(existsSync(join(folder, 'small'))).toBe(true)
  } finally {
    await target.drop()
  }
})

test('the standard input may end early: nothing is changed (issue 8, C1)', async () => {
  const target = await freshDatabase('blank')
  try {
    const cut = await shell(`head -c 60000 '${file}' | docket restore -`, placeOf(target, 'early'))
    expect([cut.code, cut.output]).toEqual([1, ''])
    expect(cut.errors).toMatch(/^The standard input /)
    expect(cut.errors).not.toMatch(/ {4}at /)
    expect(await docketSchemas(target)).toEqual([])
  } finally {
    await target.drop()
  }
})

test('a backup without some of the files is made, and its exit code says so', async () => {
  const withoutFiles = { ...placeOf(source, 'source'), DOCKET_DATA_DIR: join(folder, 'without files') }
  const made = await runCommand(withoutFiles, ['backup', join(folder, 'incomplete.backup')])
  expect([made.code, made.errors]).toEqual([3, expect.stringMatching(/\n1 files are missing from the store/)])
  const check = await runCommand(placeOf(source, 'source'), ['restore', '--check', join(folder, 'incomplete.backup')])
  expect(check.code, check.errors).toBe(0)
  const target = await freshDatabase('blank')
  try {
    const restored = await runCommand(placeOf(target, 'incomplete'), ['restore', join(folder, 'incomplete.backup')])
    expect([restored.code, restored.output]).toEqual([
      0,
      expect.stringMatching(/\n1 files were missing or damaged when it was made, and are not in it\.\n/),
    ])
  } finally {
    await target.drop()
  }
})

test('a folder in the place of a backup is rejected with its name', async () => {
  const { code, errors } = await runCommand(placeOf(source, 'source'), ['restore', '--check', folder])
  expect([code, errors]).toEqual([1, `${folder} cannot be read (EISDIR): name the file that docket backup wrote.\n`])
})
