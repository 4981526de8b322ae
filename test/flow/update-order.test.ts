import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillUpdateOrders } from '../../src/catalog/change/fill-update-order.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { explainList } from '../harness/explain-list.ts'

const TASKS = 3_000

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
  const { database } = desk.docket
  await database.rows(sql`
    insert into docket.task (number, subject, sys_created_at, sys_updated_at)
    select 'UPD' || lpad(n::text, 7, '0'), 'Subject ' || n, at, at
    from generate_series(1, ${TASKS}::integer) n, lateral (select timestamp '2026-01-01' + make_interval(secs => (n * 7) % 900) as at) as t`)
  await database.rows(sql`vacuum (analyze) docket.task`)
  await database.rows(sql`vacuum (analyze) docket_system.updated_record`)
})
afterAll(() => desk.close())

const ORDER_INDEX = 'updated_record_table_id_updated_at_record_id_idx'

/** Records whose row in docket_system.updated_record is missing or has another time, and rows without a record. */
async function differences(): Promise<readonly unknown[]> {
  return desk.docket.database.rows(sql`
    select t.sys_id, t.sys_updated_at, u.record_id, u.updated_at from docket.task t
    full join (select * from docket_system.updated_record where table_id = (select sys_id from docket.sys_db_table where name = 'task')) as u
      on u.record_id = t.sys_id
    where t.sys_updated_at is distinct from u.updated_at`)
}

interface Row {
  readonly sys_id: string
  readonly sys_updated_at: string
}

/** One page after a cursor, as a synchroniser reads it. */
async function readPage(query: string, cursor: string, rows: number) {
  const parameters = new URLSearchParams({
    sysparm_query: query,
    sysparm_fields: 'sys_id,sys_updated_at',
    sysparm_limit: String(rows),
    sysparm_cursor: cursor,
    sysparm_no_count: '1',
  })
  const response = await desk.send(`GET /rest/v1/table/task?${parameters}`)
  expect(response.status).toBe(200)
  const next = String(response.headers['link'] ?? '').match(/sysparm_cursor=([^&>]+)[^>]*>; rel="next"/)?.[1]
  return { rows: (response.body as { data: readonly Row[] }).data, next: next && decodeURIComponent(next) }
}

async function readAll(query: string, rowsAPage: number, between: () => Promise<void> = async () => {}) {
  const read: Row[] = []
  for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
    const page = await readPage(query, cursor, rowsAPage)
    read.push(...page.rows)
    cursor = page.next
    await between()
  }
  return read
}

test.each([
  ['ORDERBYsys_updated_at', 'Index (Only )?Scan using'],
  ['ORDERBYDESCsys_updated_at', 'Index (Only )?Scan Backward using'],
  ['sys_updated_at>=2026-01-01 00:10:00^ORDERBYsys_updated_at', 'Index (Only )?Scan using'],
])('%s walks the index of update times and sorts nothing (issue 12, F and I)', async (query, scan) => {
  const plan = await explainList(desk.docket.database, 'task', { sysparm_query: query, sysparm_no_count: '1' })
  expect(plan).toMatch(new RegExp(`${scan} ${ORDER_INDEX}`))
  expect(plan).not.toContain('Sort')
})

test('a page after a cursor begins in the index where the page before ended, also among records of one second (issue 12, I)', async () => {
  const first = await readPage('ORDERBYsys_updated_at', '*', 1_000)
  const plan = await explainList(desk.docket.database, 'task', {
    sysparm_query: 'ORDERBYsys_updated_at',
    sysparm_no_count: '1',
    sysparm_limit: '20',
    sysparm_cursor: first.next ?? '',
  })
  expect(plan).toMatch(new RegExp(`${ORDER_INDEX}[^\\n]*\\n\\s+Index Cond: [^\\n]*record_id > `))
  expect(plan).toMatch(new RegExp(`${ORDER_INDEX}[^\\n]*\\n\\s+Index Cond: [^\\n]*updated_at > `))
  expect(plan).not.toContain('Sort')
})

test('a range of update times is counted from their index, and other orders and groups follow it (issue 12, F)', async () => {
  const query = 'sys_updated_atBETWEEN2026-01-01 00:02:00@2026-01-01 00:02:09'
  const plan = await explainList(desk.docket.database, 'task', { sysparm_query: `${query}^ORDERBYnumber` })
  expect(plan).toContain(ORDER_INDEX)
  const expected = await desk.docket.database.rows<{ number: string }>(sql`
    select number from docket.task where sys_updated_at between '2026-01-01 00:02:00' and '2026-01-01 00:02:09' order by number`)
  expect(expected.length).toBeGreaterThan(10)
  const response = await desk.send(
    `GET /rest/v1/table/task?sysparm_limit=100&sysparm_fields=number&sysparm_query=${encodeURIComponent(`${query}^ORDERBYnumber`)}`,
  )
  expect((response.body as { data: unknown }).data).toEqual(expected)
  expect(response.headers['x-total-count']).toBe(String(expected.length))
  const stats = await desk.send(`GET /rest/v1/stats/task?sysparm_count=true&sysparm_query=${encodeURIComponent(query)}`)
  expect(stats.text).toContain(`"count":${expected.length}`)
})

test('an update that changes no indexed column writes no index of the record (issue 12, F)', async () => {
  const counted = await desk.docket.database.inTransaction(async (session) => {
    const [task] = await session.rows<{ id: string }>(
      sql`insert into docket.task (subject) values ('HOT') returning sys_id::text as id`,
    )
    await session.rows(sql`
      update docket.task set urgency = '1', sys_updated_by = 5, sys_updated_at = sys_updated_at + interval '1 second' where sys_id = ${task?.id}::bigint`)
    return session.rows(sql`
      select pg_stat_get_xact_tuples_updated('docket.task'::regclass)::integer as updated,
        pg_stat_get_xact_tuples_hot_updated('docket.task'::regclass)::integer as hot`)
  })
  expect(counted).toEqual([{ updated: 1, hot: 1 }])
  expect(await differences()).toEqual([])
})

// PostgreSQL logs a changed row from its first changed byte to its last.
test('what every update changes is side by side in a row, also in a table that had other rows before (issue 12, F)', async () => {
  const { database } = desk.docket
  const places = (): Promise<readonly unknown[]> =>
    database.rows(sql`
      with place as (select attname, row_number() over (order by attnum) as n from pg_attribute
        where attrelid = 'docket.task'::regclass and attnum > 0 and not attisdropped)
      select attname as column from place
      where n between (select min(n) from place where attname in ('sys_updated_at', 'sys_updated_by', 'update$count'))
        and (select max(n) from place where attname in ('sys_updated_at', 'sys_updated_by', 'update$count')) order by n`)
  const sideBySide = ['update$count', 'sys_updated_at', 'sys_updated_by'].map((column) => ({ column }))
  expect(await places()).toEqual(sideBySide)
  const rows = () => database.rows(sql`select t.* from docket.task t order by t.sys_id`)
  const file = () => database.rows<{ file: string }>(sql`select pg_relation_filenode('docket.task')::text as file`)
  const migration = sql.raw(
    readFileSync(new URL('../../migrations/000071_update_columns.sql', import.meta.url), 'utf8'),
  )
  const [before, written] = [await rows(), await file()]
  expect(before.length).toBeGreaterThanOrEqual(TASKS)
  // An index of an administrator would be lost with the column.
  await database.rows(sql`create index own_index on docket.task (sys_updated_at)`)
  await database.rows(migration)
  expect(await file()).toEqual(written)
  await database.rows(sql`drop index docket.own_index`)
  await database.rows(migration)
  expect(await file()).not.toEqual(written)
  expect(await rows()).toEqual(before)
  expect(await places()).toEqual(sideBySide)
  await database.rows(
    sql`update docket.task set sys_updated_at = sys_updated_at + interval '1 second' where subject = 'Subject 7'`,
  )
  await desk.record('task', { subject: 'HOT' })
  expect(await differences()).toEqual([])
})

const arbitraryWrites = fc.array(
  fc.record({
    kind: fc.constantFrom('create' as const, 'change' as const, 'change' as const, 'move' as const, 'delete' as const),
    which: fc.nat(19),
    seconds: fc.integer({ min: -900, max: 900 }),
  }),
  { maxLength: 12, size: 'max' },
)

test('a synchroniser that reads by sys_updated_at, sys_id while others write loses and repeats nothing (issue 12, I)', async () => {
  const { database } = desk.docket
  await fc.assert(
    fc.asyncProperty(arbitraryWrites, fc.integer({ min: 300, max: 1_500 }), async (writes, rowsAPage) => {
      await database.rows(sql`delete from docket.task where subject like 'Moving %'`)
      await database.rows(sql`
        insert into docket.task (subject, sys_updated_at)
        select 'Moving ' || n, timestamp '2026-01-01' + make_interval(secs => n * 40) from generate_series(0, 19) n`)
      const still = await database.rows<Row>(sql`
        select sys_id::text, sys_updated_at::text from docket.task where subject not like 'Moving %' order by task.sys_updated_at, task.sys_id`)
      const left = [...writes]
      const read = await readAll('ORDERBYsys_updated_at', rowsAPage, async () => {
        for (const write of left.splice(0, 3)) await apply(write)
      })
      const moving = new Set(await movingIds())
      const isStill = ({ sys_id }: Row): boolean => stillIds.has(sys_id)
      const stillIds = new Set(still.map(({ sys_id }) => sys_id))
      expect(read.filter(isStill)).toEqual(still)
      // A record that changed after it was read comes again in its new state, never twice in its old one.
      const versions = read.map(({ sys_id, sys_updated_at }) => `${sys_id} ${sys_updated_at}`)
      expect(new Set(versions).size).toBe(versions.length)
      // There are no more changes: the next pass equals the table.
      const whole = await readAll('ORDERBYsys_updated_at', rowsAPage)
      expect(
        whole
          .filter((row) => !isStill(row))
          .map(({ sys_id }) => sys_id)
          .toSorted(),
      ).toEqual([...moving].toSorted())
      expect(await differences()).toEqual([])
    }),
    { numRuns: 15 },
  )

  async function movingIds(): Promise<readonly string[]> {
    const rows = await database.rows<{ id: string }>(
      sql`select sys_id::text as id from docket.task where subject like 'Moving %'`,
    )
    return rows.map(({ id }) => id)
  }

  async function apply({
    kind,
    which,
    seconds,
  }: (typeof arbitraryWrites extends fc.Arbitrary<infer T> ? T : never)[number]) {
    const ids = await movingIds()
    const id = ids[which % Math.max(1, ids.length)]
    if (kind === 'create') await desk.record('task', { subject: `Moving ${which}` })
    else if (id === undefined) return
    else if (kind === 'change') await desk.send(`PATCH /rest/v1/table/task/${id}`, { urgency: String(1 + (which % 3)) })
    else if (kind === 'delete') await desk.send(`DELETE /rest/v1/table/task/${id}`)
    // Like a migration or a repair by SQL.
    else {
      await database.rows(sql`
        update docket.task set sys_updated_at = timestamp '2026-01-01 00:15:00' + make_interval(secs => ${seconds}::integer) where sys_id = ${id}::bigint`)
    }
  }
}, 300_000)

test('earlier records of a large table get their rows by a job, while others write, and lists are right all the time (issue 12, F)', async () => {
  const { database } = desk.docket
  // Readers cannot use an index on rows with HOT chains while any transaction of the server is older, even one of another database.
  await database.rows(sql`vacuum (full, analyze) docket.task`)
  // The state after the migration of a table of more than 32 MB.
  await database.inTransaction(async (session) => {
    await session.rows(sql`create index task_sys_updated_at_sys_id_idx on docket.task (sys_updated_at, sys_id)`)
    await session.rows(sql`delete from docket_system.updated_record`)
    await session.rows(sql`update docket_system.update_order set ready = false, filled_to = 0`)
    await session.rows(sql`update docket.sys_db_table set name = name where name = 'task'`)
  })
  const whole = async (): Promise<readonly Row[]> => {
    const response = await desk.send(
      `GET /rest/v1/table/task?sysparm_limit=10000&sysparm_fields=sys_id,sys_updated_at&sysparm_query=ORDERBYsys_updated_at`,
    )
    return (response.body as { data: readonly Row[] }).data
  }
  const inOrder = (): Promise<readonly Row[]> =>
    database.rows<Row>(
      sql`select sys_id::text, sys_updated_at::text from docket.task order by task.sys_updated_at, task.sys_id`,
    )
  expect(await whole()).toEqual(await inOrder())
  const plan = () => explainList(database, 'task', { sysparm_query: 'ORDERBYsys_updated_at', sysparm_no_count: '1' })
  expect(await plan()).toContain('task_sys_updated_at_sys_id_idx')

  // An open transaction has locked one record: the job does it last.
  const [locked] = await database.rows<{ id: string }>(
    sql`select sys_id::text as id from docket.task order by sys_id limit 1`,
  )
  let filling: Promise<void> = Promise.resolve()
  await database.inTransaction(async (session) => {
    await session.rows(sql`update docket.task set sys_updated_at = '2026-02-01' where sys_id = ${locked?.id}::bigint`)
    filling = fillUpdateOrders(database, 50)
    for (let n = 0; n < 20; n += 1) {
      const [row] = await database.rows<{ id: string }>(
        sql`select sys_id::text as id from docket.task where sys_id <> ${locked?.id}::bigint offset ${n * 140}::bigint limit 1`,
      )
      await desk.send(`PATCH /rest/v1/table/task/${row?.id}`, { urgency: '1' })
      await desk.record('task', { subject: `Meanwhile ${n}` })
      if (n % 5 === 0) await desk.send(`DELETE /rest/v1/table/task/${row?.id}`)
    }
    expect(await whole()).toEqual(await inOrder())
  })
  await filling
  expect(await differences()).toEqual([])
  expect(await database.rows(sql`select ready from docket_system.update_order`)).toEqual([{ ready: true }])
  expect(await whole()).toEqual(await inOrder())
  expect(await plan()).toContain(ORDER_INDEX)
  expect(await database.rows(sql`select to_regclass('docket.task_sys_updated_at_sys_id_idx') is null as gone`)).toEqual(
    [{ gone: true }],
  )
}, 60_000)
