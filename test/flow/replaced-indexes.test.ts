import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildWaitingIndexes } from '../../src/catalog/change/make-index.ts'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

/** An update replaces two indexes of tasks by ones with more columns; a table of more than 32 MB is left to the job (issue 12). */

const migration = readFileSync(new URL('../../migrations/000077_reference_totals.sql', import.meta.url), 'utf8')
const TASKS = 25_000

let fresh: FreshDatabase
let database: Database
beforeEach(async () => {
  fresh = await freshDatabase()
  database = fresh.database
  // Pages that are mostly empty make a large table of few rows.
  await database.rows(sql`alter table docket.task set (fillfactor = 10)`)
  await database.rows(sql`
    insert into docket.task (number, subject, state, priority, active)
    select 'BIG' || n, 'Subject ' || n, (n % 7)::text, '3', true from generate_series(1, ${TASKS}::integer) n`)
  const [size] = await database.rows<{ bytes: string }>(sql`select pg_relation_size('docket.task')::text as bytes`)
  expect(Number(size?.bytes)).toBeGreaterThan(33_554_432)
  await makeOld()
})
afterEach(() => fresh.drop())

interface Known {
  readonly id: string
  readonly columns: string
  readonly included: string
  readonly state: string
  readonly index: string | null
}

const known = (): Promise<readonly Known[]> =>
  database.rows<Known>(sql`
    select i.sys_id::text as id, array_to_string(i.column_names, ',') as columns, array_to_string(i.included_columns, ',') as included,
      i.state, i.storage_index as index
    from docket.sys_db_index i join docket.sys_db_table t on t.sys_id = i.table_id
    where t.name = 'task' and i.purpose = 'conditions' and i.column_names[1] in ('assigned_user', 'caller') and i.included_columns is not null
    order by 2, i.sys_id`)

/** Indexes of PostgreSQL with their definitions; invalid ones are marked. */
const stored = async (): Promise<Readonly<Record<string, string>>> => {
  const rows = await database.rows<{ name: string; definition: string }>(sql`
    select c.relname as name, pg_get_indexdef(c.oid) || case when x.indisvalid then '' else ' INVALID' end as definition
    from pg_index x join pg_class c on c.oid = x.indexrelid where x.indrelid = 'docket.task'::regclass`)
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]))
}

/** The state before the update: both indexes without the columns of references. */
async function makeOld(): Promise<void> {
  for (const { id, columns, index } of await known()) {
    await database.rows(sql`drop index docket.${sql.id(index ?? '')}`)
    await database.rows(
      sql`create index ${sql.id(index ?? '')} on docket.task (${sql.raw(columns)}, sys_id) include (state, active, priority)`,
    )
    await database.rows(
      sql`update docket.sys_db_index set included_columns = '{state,active,priority}' where sys_id = ${id}::bigint`,
    )
  }
}
const update = (): Promise<unknown> => database.rows(sql`${sql.raw(migration)}`)

const oldIncluded = 'state,active,priority'
const newOnes = [
  { columns: 'assigned_user,sys_created_at', included: 'state,active,priority,assignment_group' },
  { columns: 'caller,sys_created_at', included: 'state,active,priority,assigned_user,assignment_group' },
]

async function expectReplaced(): Promise<void> {
  const now = await known()
  expect(now.map(({ columns, included, state }) => ({ columns, included, state }))).toEqual(
    newOnes.map((each) => ({ ...each, state: 'ready' })),
  )
  const indexes = await stored()
  for (const { index, columns, included } of now) {
    const [keys, more] = [columns, included].map((names) => names.replaceAll(',', ', '))
    expect(indexes[index ?? '']).toBe(
      `CREATE INDEX ${index} ON docket.task USING btree (${keys}, sys_id) INCLUDE (${more})`,
    )
  }
  const ofAll = Object.values(indexes).filter((definition) => /\((assigned_user|caller), /.test(definition))
  expect(ofAll.filter((definition) => definition.endsWith(`INCLUDE (${oldIncluded.replaceAll(',', ', ')})`))).toEqual(
    [],
  )
  expect(Object.values(indexes).filter((definition) => definition.endsWith('INVALID'))).toEqual([])
}

test('the old indexes serve until the job has built the new ones; an update that runs again asks for nothing', async () => {
  const before = await known()
  expect(before.map(({ included, state }) => ({ included, state }))).toEqual([
    { included: oldIncluded, state: 'ready' },
    { included: oldIncluded, state: 'ready' },
  ])
  await update()
  const waiting = (await known()).filter(({ state }) => state === 'waiting')
  expect(waiting.map(({ columns, included }) => ({ columns, included }))).toEqual(newOnes)
  const indexes = await stored()
  for (const { index } of before) expect(indexes[index ?? '']).toContain('INCLUDE (state, active, priority)')
  expect(await buildWaitingIndexes(database)).toBe(2)
  await expectReplaced()
  await update()
  expect(await buildWaitingIndexes(database)).toBe(0)
  await expectReplaced()
})

test('an index that was left half built is built again', async () => {
  await update()
  const [half] = (await known()).filter(({ state }) => state === 'waiting')
  const name = `index_${half?.id}`
  // PostgreSQL leaves an invalid index of this name, as it does when a process is killed during the build.
  await expect(
    database.rows(sql`create unique index concurrently ${sql.id(name)} on docket.task (active)`),
  ).rejects.toThrow('could not create unique index')
  expect((await stored())[name]).toMatch(/INVALID$/)
  expect(await buildWaitingIndexes(database)).toBe(2)
  await expectReplaced()
})

test('two processes build each index once, and tasks that are written meanwhile are in it', async () => {
  await update()
  const [user] = await database.rows<{ id: string }>(sql`select sys_id::text as id from docket."user" limit 1`)
  let isDone = false
  const building = Promise.all([buildWaitingIndexes(database), buildWaitingIndexes(database)]).finally(() => {
    isDone = true
  })
  let written = 0
  do {
    await database.rows(sql`insert into docket.task (number, subject, assigned_user, caller)
      values (${`NEW${written}`}, 'Written meanwhile', ${user?.id ?? ''}::bigint, ${user?.id ?? ''}::bigint)`)
    written += 1
  } while (!isDone)
  expect((await building).toSorted()).toEqual([0, 2])
  await expectReplaced()
  for (const { columns, index } of await known()) {
    const ofUser = sql<{ number: string }>`select number from docket.task
      where ${sql.id(columns.split(',')[0] ?? '')} = ${user?.id ?? ''}::bigint order by sys_created_at, sys_id`
    const { plan, rows } = await database.inTransaction(async (session) => {
      await session.rows(sql`set local enable_seqscan = off`)
      await session.rows(sql`set local enable_sort = off`)
      return { plan: await session.rows(sql`explain ${ofUser}`), rows: await session.rows(ofUser) }
    })
    expect(JSON.stringify(plan)).toContain(`using ${index}`)
    expect(rows).toHaveLength(written)
  }
})
