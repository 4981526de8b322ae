import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogSource } from '../../src/catalog/catalog-source.ts'
import { buildWaitingIndexes } from '../../src/catalog/change/make-index.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

/** Migration 000078: the indexes of the texts of tasks get references. */
const migration = readFileSync(new URL('../../migrations/000078_references_beside_texts.sql', import.meta.url), 'utf8')
const REFERENCES = 'ARRAY[caller, assigned_user, assignment_group]'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
  // As before the migration.
  await fresh.database.rows(
    sql.raw(`do $$ declare i record; definition text; begin
    for i in select * from docket.sys_db_index where included_columns = '{caller,assigned_user,assignment_group}' and purpose in ('contains', 'search') loop
      definition := replace(pg_get_indexdef(to_regclass('docket.' || i.storage_index)), '(${REFERENCES}), ', '');
      execute format('drop index docket.%I', i.storage_index);
      execute definition;
      update docket.sys_db_index set included_columns = null where sys_id = i.sys_id;
    end loop; end $$`),
  )
})
afterEach(() => fresh.drop())

const described = async () => {
  const rows = await fresh.database.rows<{ purpose: string; state: string; definition: string | null }>(sql`
    select purpose, state, pg_get_indexdef(to_regclass('docket.' || storage_index)) as definition from docket.sys_db_index
    where purpose in ('contains', 'search') and table_id = (select sys_id from docket.sys_db_table where name = 'task') order by purpose, sys_id`)
  return rows.map(({ purpose, state, definition }) => [purpose, state, definition?.includes(REFERENCES) ?? null])
}
const before = [
  ['contains', 'ready', false],
  ['search', 'ready', false],
]
const done = [
  ['contains', 'ready', true],
  ['search', 'ready', true],
]

const indexesOfTexts = async () => {
  const [row] = await fresh.database.rows<{ n: number }>(
    sql`select count(*)::integer as n from pg_indexes where schemaname = 'docket' and tablename = 'task' and indexdef like '% gin %'`,
  )
  return row?.n
}

test('the migration replaces the indexes of a small table, also one with settings of an operator (issue 12, C)', async () => {
  const { database } = fresh
  expect(await described()).toEqual(before)
  await database.rows(
    sql.raw(`do $$ begin execute format('alter index docket.%I set (fastupdate = off)',
      (select storage_index from docket.sys_db_index where purpose = 'contains' and column_names[1] = 'number')); end $$`),
  )
  const count = await indexesOfTexts()
  await database.rows(sql.raw(migration))
  expect(await described()).toEqual(done)
  await database.rows(sql.raw(migration))
  expect(await described()).toEqual(done)
  expect(await indexesOfTexts()).toBe(count)
})

test('a job replaces those of a large table, which serve until then, and running servers read of it (issue 12, C)', async () => {
  const { database } = fresh
  // A table of 33 MB by few rows: each has a page of its own.
  await database.rows(sql`alter table docket.task set (fillfactor = 10)`)
  await database.rows(sql`insert into docket.task (number, subject, description) select 'BIG' || n, 'Large ' || n, repeat(md5(n::text), 20)
    from generate_series(1, 4300) n`)
  const count = await indexesOfTexts()
  await database.rows(sql.raw(migration))
  expect(await described()).toEqual([
    ['contains', 'ready', false],
    ['contains', 'waiting', null],
    ['search', 'ready', false],
    ['search', 'waiting', null],
  ])
  const catalog = catalogSource(database)
  const known = async () => (await catalog.upToDate()).tables.get('itsm_incident')?.textIndexes.map(({ of }) => of)
  expect(await known()).toEqual([])
  expect(await buildWaitingIndexes(database)).toBe(2)
  expect(await described()).toEqual(done)
  expect(await indexesOfTexts()).toBe(count)
  expect(await known()).toEqual(['words', 'parts'])
})

test.each([
  { state: 'waiting', is: 'no job has built yet' },
  { state: 'failed', is: 'could not be built, because pg_trgm was missing' },
])('an index that $is has the references when it is built (issue 12, C)', async ({ state }) => {
  const { database } = fresh
  await database.rows(sql`drop extension pg_trgm cascade`)
  await database.rows(
    sql`update docket.sys_db_index set state = ${state}, storage_index = null where purpose = 'contains'`,
  )
  await database.rows(sql.raw(migration))
  expect(await described()).toEqual([
    ['contains', state, null],
    ['search', 'ready', true],
  ])
  await database.rows(sql`create extension pg_trgm with schema public`)
  await database.rows(sql`update docket.sys_db_index set state = 'waiting' where purpose = 'contains'`)
  await buildWaitingIndexes(database)
  expect(await described()).toEqual(done)
})
