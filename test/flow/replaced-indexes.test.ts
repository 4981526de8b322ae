import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildWaitingIndexes } from '../../src/catalog/change/make-index.ts'
import { onOwnConnection } from '../../src/database/on-own-connection.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

/** Migration 000077 on a table above 32 MB: a job builds the wider indexes, and the narrow ones serve until then. */
const migration = readFileSync(new URL('../../migrations/000077_reference_totals.sql', import.meta.url), 'utf8')
const NARROW = ['state', 'active', 'priority']

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
  const { database } = fresh
  // A table of 33 MB by few rows: each has a page of its own.
  await database.rows(sql`alter table docket.task set (fillfactor = 10)`)
  await database.rows(sql`insert into docket.task (number, subject, description) select 'BIG' || n, 'Large ' || n, repeat(md5(n::text), 20)
    from generate_series(1, 4300) n`)
  const [size] = await database.rows<{ isLarge: boolean }>(
    sql`select pg_relation_size('docket.task') > 33554432 as "isLarge"`,
  )
  expect(size).toEqual({ isLarge: true })
  // As before the migration.
  await database.rows(
    sql.raw(`do $$ declare i record; key text; begin
    for i in select * from docket.sys_db_index where purpose = 'conditions'
      and column_names in ('{assigned_user,sys_created_at}', '{caller,sys_created_at}') loop
      execute format('drop index docket.%I', i.storage_index);
      key := i.column_names[1];
      execute format('create index %I on docket.task (%I, sys_created_at, sys_id) include (state, active, priority)', i.storage_index, key);
      update docket.sys_db_index set included_columns = '{state,active,priority}' where sys_id = i.sys_id;
    end loop; end $$`),
  )
  await database.rows(sql.raw(migration))
})
afterEach(() => fresh.drop())

const described = () =>
  fresh.database.rows<{ column: string; included: readonly string[]; state: string; isThere: boolean }>(sql`
    select column_names[1] as "column", included_columns as included, state, to_regclass('docket.' || storage_index) is not null as "isThere"
    from docket.sys_db_index where purpose = 'conditions' and column_names in ('{assigned_user,sys_created_at}', '{caller,sys_created_at}')
    order by 1, cardinality(included_columns)`)

/** PostgreSQL's own indexes by these columns, valid or not. */
const stored = () =>
  fresh.database.rows<{ definition: string; isValid: boolean }>(sql`
    select regexp_replace(pg_get_indexdef(x.indexrelid), '^.* using ', '', 'i') as definition, x.indisvalid as "isValid"
    from pg_index x where x.indrelid = 'docket.task'::regclass
      and pg_get_indexdef(x.indexrelid) ~ '\\((assigned_user|caller), sys_created_at' order by 1, 2`)

/** Names of indexes of the job that no row of sys_db_index describes. */
const orphans = () =>
  fresh.database.rows(sql`select c.relname as name from pg_class c where c.relnamespace = 'docket'::regnamespace and c.relkind = 'i'
    and c.relname ~ '^index_[0-9]+$' and not exists (select from docket.sys_db_index i where i.storage_index = c.relname)`)

const narrow = (column: string) => ({ column, included: NARROW, state: 'ready', isThere: true })
const wide = (column: string, state: string, isThere = state === 'ready') => ({
  column,
  included: column === 'caller' ? [...NARROW, 'assigned_user', 'assignment_group'] : [...NARROW, 'assignment_group'],
  state,
  isThere,
})
const asBefore = [
  narrow('assigned_user'),
  { ...wide('assigned_user', 'waiting'), isThere: false },
  narrow('caller'),
  { ...wide('caller', 'waiting'), isThere: false },
]
const done = [wide('assigned_user', 'ready'), wide('caller', 'ready')]
const narrowStored = [
  { definition: 'btree (assigned_user, sys_created_at, sys_id) INCLUDE (state, active, priority)', isValid: true },
  { definition: 'btree (caller, sys_created_at, sys_id) INCLUDE (state, active, priority)', isValid: true },
]
const wideStored = [
  {
    definition: 'btree (assigned_user, sys_created_at, sys_id) INCLUDE (state, active, priority, assignment_group)',
    isValid: true,
  },
  {
    definition:
      'btree (caller, sys_created_at, sys_id) INCLUDE (state, active, priority, assigned_user, assignment_group)',
    isValid: true,
  },
]

async function expectDone(): Promise<void> {
  expect(await described()).toEqual(done)
  expect(await stored()).toEqual(wideStored)
  expect(await orphans()).toEqual([])
}

/** A transaction that has written to the table: an index that is built concurrently waits for its end. */
async function whileRowIsWritten(work: (end: () => Promise<void>) => Promise<void>): Promise<void> {
  await onOwnConnection(fresh.database, async (run) => {
    await run(sql`begin`)
    await run(sql`insert into docket.task (number, subject) values ('WRITTEN1', 'Before the index')`)
    let isOpen = true
    await work(async () => {
      isOpen = false
      await run(sql`commit`)
    })
    if (isOpen) await run(sql`commit`)
  })
}

/** @returns the session that builds an index, as soon as it waits for the transaction. Before, it may wait for a vacuum of the table, without an index. */
async function waitForBuilder(): Promise<number> {
  for (;;) {
    const [found] = await fresh.database.rows<{ pid: number }>(sql`select a.pid from pg_stat_activity a
      where a.datname = current_database() and a.query ilike 'create index concurrently%' and a.wait_event_type = 'Lock' and a.wait_event = 'virtualxid'`)
    if (found !== undefined) return found.pid
  }
}

test('the job builds the wider indexes of a large table and drops the narrow ones; repeated, both do nothing', async () => {
  expect(await described()).toEqual(asBefore)
  expect(await stored()).toEqual(narrowStored)
  expect(await buildWaitingIndexes(fresh.database)).toBe(2)
  await expectDone()
  await fresh.database.rows(sql.raw(migration))
  expect(await buildWaitingIndexes(fresh.database)).toBe(0)
  await expectDone()
})

test('two processes that build at the same time build each index once', async () => {
  const built = await Promise.all([buildWaitingIndexes(fresh.database), buildWaitingIndexes(fresh.database)])
  expect(built.toSorted()).toEqual([0, 2])
  await expectDone()
})

test('rows that are written, changed and deleted during the build are in the new indexes', async () => {
  const { database } = fresh
  const [user] = await database.rows<{ id: string }>(sql`select min(sys_id)::text as id from docket."user"`)
  const id = user?.id ?? ''
  await whileRowIsWritten(async (end) => {
    const building = buildWaitingIndexes(database)
    await waitForBuilder()
    await database.rows(sql`insert into docket.task (number, subject, assigned_user, caller, state)
      select 'DURING' || n, 'During the build', ${id}::bigint, ${id}::bigint, '2' from generate_series(1, 50) n`)
    await database.rows(
      sql`update docket.task set caller = ${id}::bigint, state = '3' where number between 'BIG1' and 'BIG1999'`,
    )
    await database.rows(sql`delete from docket.task where number between 'BIG2' and 'BIG2999'`)
    expect((await described()).filter(({ included }) => included.length === NARROW.length)).toHaveLength(2)
    await end()
    expect(await building).toBe(2)
  })
  await expectDone()
  await database.rows(sql`create extension if not exists amcheck`)
  await database.rows(sql`select bt_index_check(to_regclass('docket.' || storage_index), true) from docket.sys_db_index
    where column_names in ('{assigned_user,sys_created_at}', '{caller,sys_created_at}')`)
})

test('a build that is ended leaves the narrow indexes, and the next one completes it', async () => {
  await whileRowIsWritten(async () => {
    const building = buildWaitingIndexes(fresh.database)
    const failed = expect(building).rejects.toThrow()
    await fresh.database.rows(sql`select pg_terminate_backend(${await waitForBuilder()}::integer)`)
    await failed
  })
  expect(await described()).toEqual(asBefore)
  expect(await stored()).toEqual(expect.arrayContaining([...narrowStored, expect.objectContaining({ isValid: false })]))
  expect(await buildWaitingIndexes(fresh.database)).toBe(2)
  await expectDone()
})

test.each([
  // What follows a complete index fails once, as if the process were killed before it.
  ['before it is marked as ready', 'before update'],
  ['before the row of the narrow one is deleted', 'before delete'],
])('a build that is ended %s is completed by the next one', async (_when, event) => {
  const { database } = fresh
  await database.rows(
    sql.raw(`create function docket.end_job() returns trigger language plpgsql as
    $$ begin raise exception 'ended'; end $$`),
  )
  await database.rows(
    sql.raw(`create trigger end_job ${event} on docket.sys_db_index for each row execute function docket.end_job()`),
  )
  await expect(buildWaitingIndexes(database)).rejects.toThrow('ended')
  await database.rows(sql`drop trigger end_job on docket.sys_db_index`)
  await database.rows(sql`drop function docket.end_job()`)
  const [serves] = await database.rows<{ columns: number }>(sql`
    select count(distinct pg_get_indexdef(x.indexrelid, 1, false))::integer as columns from pg_index x
    where x.indrelid = 'docket.task'::regclass and x.indisvalid and pg_get_indexdef(x.indexrelid) ~ '\\((assigned_user|caller), sys_created_at'`)
  expect(serves).toEqual({ columns: 2 })
  await buildWaitingIndexes(database)
  await expectDone()
})

test('an index that was replaced, and whose build was ended before it was dropped, is dropped by the next build', async () => {
  const { database } = fresh
  await whileRowIsWritten(async (end) => {
    const building = buildWaitingIndexes(database)
    await waitForBuilder()
    await end()
    await building
  })
  await database.rows(sql`create index index_123456789 on docket.task (caller, sys_created_at, sys_id)`)
  await buildWaitingIndexes(database)
  await expectDone()
})
