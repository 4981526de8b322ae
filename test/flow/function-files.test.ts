import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { examineServer } from '../../src/database/examine-server.ts'
import { migrate } from '../../src/database/migrations.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type Observation, observeNothing } from '../../src/telemetry/observation.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

// PostgreSQL functions are files of migrations/functions/, which are applied when they change (issue 9, step 8).

const migrationFolder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const fileNames = readdirSync(join(migrationFolder, 'functions')).map((file) => file.replace(/\.sql$/, ''))

let fresh: FreshDatabase
afterEach(() => fresh.drop())

describe('the functions of Docket', () => {
  beforeEach(async () => {
    fresh = await freshDatabase()
  })

  const inDatabase = async (): Promise<readonly { name: string; text: string }[]> =>
    fresh.database.rows(
      sql<{
        name: string
        text: string
      }>`select n.nspname || '.' || p.proname as name, pg_get_functiondef(p.oid) as text
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('docket', 'docket_documents', 'docket_system') order by 1, 2`,
    )

  test('each has a file of its name, and each file has a function', async () => {
    const names = (await inDatabase()).map(({ name }) => name)
    expect([...new Set(names)].toSorted()).toEqual(fileNames.toSorted())
  })

  test('a file defines functions of its name only', () => {
    for (const name of fileNames) {
      const text = readFileSync(join(migrationFolder, 'functions', `${name}.sql`), 'utf8')
      const defined = [...text.matchAll(/^ *create or replace (?:function|procedure) ([a-z_.0-9]+)/gim)].map(
        ([, found]) => found,
      )
      expect(new Set(defined), name).toEqual(new Set([name]))
    }
  })

  test('no migration after 000046 leaves one, unless a trigger of it needs it: the file would replace it without a word', () => {
    const later = readdirSync(migrationFolder).filter(
      (name) => /^\d{6}.*\.sql$/.test(name) && name > '000046_contains.sql',
    )
    const left = later.flatMap((file) => {
      const text = readFileSync(join(migrationFolder, file), 'utf8')
      const defined = text.matchAll(/create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(docket[a-z_.0-9]+)/gi)
      return [...defined]
        .map(([, name = '']) => name)
        .filter((name) => !text.includes(`drop function ${name}(`) && !text.includes(`execute function ${name}(`))
    })
    expect(left).toEqual([])
  })

  test('functions with another name since then have the earlier one, too, which running processes of an earlier version call', async () => {
    const { database } = fresh
    await database.rows(sql`
      insert into docket.company (sys_id, name) values (1, 'Earlier')`)
    await database.rows(sql`
      select docket_system.note_change(null, to_jsonb(c), null) from docket.company c where c.sys_id = 1`)
    expect(
      await database.rows(
        sql`select operation, record_id from docket_system.change where position <= docket_system.settled_position() and record_id = '1'`,
      ),
    ).toEqual([{ operation: 'c', record_id: '1' }])
    expect(
      await database.rows(sql`
        select docket_system.note_number(sys_id, 'TSK0000007') as number from docket.sys_db_table where name = 'task'`),
    ).toEqual([{ number: 'TSK0000007' }])
    await expect(database.rows(sql`select docket_system.refuse('{"kind":"earlier"}')`)).rejects.toMatchObject({
      code: 'DK001',
      detail: '{"kind": "earlier"}',
    })
  })

  test('a database of a Docket without function files gets those of this version', async () => {
    const before = await inDatabase()
    await fresh.database.rows(sql`drop table docket_system.function_file`)
    await fresh.database.rows(
      sql`create or replace function docket_system.escape_markup(value text) returns text language sql immutable as 'select ''old'''`,
    )
    expect(await inDatabase()).not.toEqual(before)
    const waiting = fileNames.toSorted().map((name) => `functions/${name}`)
    expect(await examineServer(fresh.connectionString)).toMatchObject({ kind: 'behind', waiting })
    await migrate({ connectionString: fresh.connectionString, observe: observeNothing })
    expect(await inDatabase()).toEqual(before)
    expect(await examineServer(fresh.connectionString)).toMatchObject({ kind: 'current' })
  })
})

describe('a folder of functions', () => {
  let folder: string
  beforeEach(async () => {
    fresh = await freshDatabase('blank')
    folder = mkdtempSync(join(tmpdir(), 'functions-'))
    mkdirSync(join(folder, 'functions'))
    writeFileSync(join(folder, '000001.sql'), 'create table public.t (n int)')
    write('public.one', 'create or replace function public.one() returns int language sql as $$ select 1 $$')
    // It calls a function that is created later, and uses a table of the migrations.
    write(
      'public.all',
      'create or replace function public.all() returns bigint language sql as $$ select public.one() + count(*) from public.t $$',
    )
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const write = (name: string, text: string) => writeFileSync(join(folder, 'functions', `${name}.sql`), text)
  async function run(): Promise<readonly string[]> {
    const seen: Observation[] = []
    await migrate({ connectionString: fresh.connectionString, observe: (each) => void seen.push(each), folder })
    return seen.flatMap((each) => (each.kind === 'functions-applied' ? each.names : []))
  }
  const total = async () => (await fresh.database.rows(sql<{ n: string }>`select public.all()::text as n`))[0]?.n

  test('is applied after the migrations, and later only what has changed', async () => {
    expect(await run()).toEqual(['public.all', 'public.one'])
    expect(await total()).toBe('1')
    expect(await run()).toEqual([])
    write('public.one', 'create or replace function public.one() returns int language sql as $$ select 2 $$')
    expect(await run()).toEqual(['public.one'])
    expect(await total()).toBe('2')
  })

  test('is applied whole or not at all', async () => {
    await run()
    write('public.all', 'create or replace function public.all() returns bigint language sql as $$ select 7::bigint $$')
    write('public.one', 'create or replace function public.one() returns text language sql as $$ select 1 $$')
    await expect(run()).rejects.toThrow(/^the function public\.one cannot be applied: cannot change return type/)
    expect(await total()).toBe('1')
  })
})
