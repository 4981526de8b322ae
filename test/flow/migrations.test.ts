import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrations.ts'
import { sql } from '../../src/kernel/sql.ts'
import { describeObservation } from '../../src/telemetry/describe-observation.ts'
import { type Observation, observeNothing } from '../../src/telemetry/observation.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let folder: string

beforeEach(async () => {
  fresh = await freshDatabase('blank')
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await fresh.drop()
})

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const run = () => migrate({ connectionString: fresh.connectionString, observe: observeNothing, folder })
const applied = async () =>
  (await fresh.database.rows(sql<{ name: string }>`select name from docket_system.migration order by name`)).map(
    ({ name }) => name,
  )

test('migrations run once each, in the order of their numbers, and later ones see what earlier ones made', async () => {
  write('000002-fill.sql', 'insert into public.t values (1)')
  write('000001.sql', 'create table public.t (n int)')
  write('notes.txt', 'not a migration')
  expect(await run()).toEqual({ wasEmpty: true })
  write('000003.sql', 'insert into public.t values (2); insert into public.t values (3)')
  expect(await run()).toEqual({ wasEmpty: false })
  expect(await run()).toEqual({ wasEmpty: false })
  expect(await applied()).toEqual(['000001', '000002-fill', '000003'])
  expect(await fresh.database.rows(sql`select n from public.t order by n`)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
})

test('a first start and an upgrade are one log line each, whatever the number of migrations (issue 8, C4)', async () => {
  const seen: Observation[] = []
  const observe = (observation: Observation) => void seen.push(observation)
  const lines = async () => {
    seen.length = 0
    await migrate({ connectionString: fresh.connectionString, observe, folder })
    return seen.map(describeObservation).filter(({ level }) => level !== 'debug')
  }
  for (const number of [1, 2, 3]) write(`00000${number}.sql`, 'select 1')
  expect(await lines()).toEqual([
    { level: 'info', message: 'first start: creating the database, which takes some seconds' },
  ])
  for (const number of [4, 5]) write(`00000${number}.sql`, 'select 1')
  expect(await lines()).toEqual([
    {
      level: 'info',
      message: expect.stringMatching(/^upgraded the schema from 000003 to 000005 \(migrations: 2, \d+ ms\)$/),
    },
  ])
  expect(await lines()).toEqual([])
})

test('a migration that fails leaves nothing of itself, and those before it stay', async () => {
  write('000001.sql', 'create table public.t (n int)')
  write('000002.sql', 'create table public.u (n int); select 1 / 0')
  await expect(run()).rejects.toThrow('migration 000002 failed: division by zero')
  expect(await applied()).toEqual(['000001'])
  write('000002.sql', 'create table public.u (n int)')
  await run()
  expect(await applied()).toEqual(['000001', '000002'])
})

test('eight processes that start at once apply each migration once', async () => {
  write('000001.sql', 'create table public.t (n int)')
  write('000002.sql', 'insert into public.t select 1 from pg_sleep(0.2)')
  const outcomes = await Promise.all(Array.from({ length: 8 }, run))
  expect(outcomes.filter(({ wasEmpty }) => wasEmpty)).toHaveLength(1)
  expect(await fresh.database.rows(sql`select n from public.t`)).toEqual([{ n: 1 }])
})

test('a released migration that was changed is named in one sentence', async () => {
  write('000001.sql', 'create table public.t (n int)')
  await run()
  write('000001.sql', 'create table public.t (n bigint)')
  await expect(run()).rejects.toThrow(
    /^The file migrations\/000001\.sql was changed after this database had applied it: put the released file back, and write changes into a new migration\.$/,
  )
})

test('a database of a newer Docket is named in one sentence', async () => {
  write('000001.sql', 'select 1')
  write('000002.sql', 'select 2')
  await run()
  rmSync(join(folder, '000002.sql'))
  await expect(run()).rejects.toThrow(
    'The database was written by a newer Docket (it has the migration 000002, which this one does not know): start that version, or a database of its own.',
  )
})

test('a migration that slips in before applied ones is named in one sentence', async () => {
  write('000002.sql', 'select 2')
  await run()
  write('000001.sql', 'select 1')
  await expect(run()).rejects.toThrow(
    'The migration 000001 was added before 000002, which this database already has: give it a higher number.',
  )
})

test('line ends of Windows are no change', async () => {
  write('000001.sql', 'select 1;\nselect 2;\n')
  await run()
  write('000001.sql', 'select 1;\r\nselect 2;\r\n')
  expect(await run()).toEqual({ wasEmpty: false })
})

test('what Docket ships makes a database that has its tables and the administrator', async () => {
  const migrationFolder = await freshDatabase()
  try {
    expect(await migrationFolder.database.rows(sql`select user_name from docket."user"`)).toEqual([
      { user_name: 'admin' },
    ])
  } finally {
    await migrationFolder.drop()
  }
})

test('a copy of the demo desk has its tasks', async () => {
  const demo = await freshDatabase('demo')
  try {
    expect(await demo.database.rows(sql`select count(*) > 1000 as is_lived_in from docket.task`)).toEqual([
      { is_lived_in: true },
    ])
  } finally {
    await demo.drop()
  }
})
