import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { loadPrincipal } from '../../src/identity/load-principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { parseRecordRequest } from '../../src/records/parse/parse-record-request.ts'
import { createRecordDeps } from '../../src/records/record-deps.ts'
import { prepareCall } from '../../src/records/request-stages.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'

const ADMIN = '155931135900000001'
const ROWS = 20_000

let desk: DictionaryDesk
/** One connection, so that its prepared statements are known. */
let single: Database
beforeAll(async () => {
  desk = await openDesk()
  single = openDatabase({
    connectionString: desk.docket.database.connectionString,
    maxConnections: 1,
    statementTimeoutMs: 60_000,
  })
  await desk.table('skewed')
  for (const column of ['kind', 'grade', 'sort']) await desk.column('skewed', column, 'integer')
  await desk.column('skewed', 'note', 'string')
  const index = { table_id: await desk.tableId('skewed'), purpose: 'conditions' }
  await desk.record('sys_db_index', { ...index, column_names: ['kind'] })
  await desk.record('sys_db_index', { ...index, column_names: ['sort'] })
  // Of 20,000 rows, 20 have the kind and grade 2, all others 1.
  await single.rows(sql`
    insert into docket.skewed (kind, grade, sort, note)
    select n, n, random_order, 'note' from (
      select case when g % 1000 = 0 then 2 else 1 end as n, (g * 7919) % ${ROWS}::integer as random_order
      from generate_series(1, ${ROWS}::integer) g) as r`)
  await single.rows(sql`analyze docket.skewed`)
})
afterAll(async () => {
  await single.close()
  await desk.close()
})

interface Prepared {
  readonly name: string
  readonly planning: string | undefined
  run(): Promise<readonly (readonly unknown[])[]>
}

async function prepare(query: string): Promise<Prepared> {
  const deps = createRecordDeps({ database: single, clock: { nowMs: () => 0 } })
  const loaded = await loadPrincipal(single, ADMIN)
  if (loaded === undefined) throw new Error('no administrator')
  const parsed = parseRecordRequest({
    operation: 'list',
    table: 'skewed',
    sysId: null,
    parameters: new Map([
      ['sysparm_query', query],
      ['sysparm_fields', 'kind,grade,sort'],
      ['sysparm_limit', '10'],
      ['sysparm_no_count', '1'],
    ]),
    body: undefined,
    ifMatch: null,
    idempotencyKey: null,
  })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  const call = { request: parsed.value.request, ...loaded, baseUrl: '' }
  const ready = await prepareCall(call, { deps, catalog: await deps.catalog.current() })
  if (!ready.ok) throw new Error(JSON.stringify(ready.error))
  const { found, bound } = ready.value
  const { statement } = found.prepared
  return { name: statement.name, planning: statement.planning, run: () => single.run(statement, bound.parameters) }
}

async function plansOf({ name }: Prepared) {
  const [row] = await single.rows<{ generic: number; custom: number }>(sql`
    select generic_plans::integer as generic, custom_plans::integer as custom from pg_prepared_statements where name = ${name}`)
  return row
}

/** Rows of the table that were read by an index, or by a full scan, since the last call. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await single.rows(sql`select pg_stat_force_next_flush()`)
    const [row] = await single.rows<{ n: string }>(sql`
      select (seq_tup_read + idx_tup_fetch)::text as n from pg_stat_user_tables where schemaname = 'docket' and relname = 'skewed'`)
    return Number(row?.n)
  }
  const before = await count()
  await work()
  return (await count()) - before
}

test('a list by a value with an index is planned for it, so that a rare one is found by the index after many frequent ones (issue 12, G)', async () => {
  const [frequent, rare] = [await prepare('kind=1^ORDERBYsort'), await prepare('kind=2^ORDERBYsort')]
  expect(rare.name).toBe(frequent.name)
  expect(rare.planning).toBe('for-values')
  for (let round = 0; round < 12; round += 1) await frequent.run()
  expect(await plansOf(frequent)).toEqual({ generic: 0, custom: 12 })
  expect(await rowsRead(rare.run)).toBeLessThan(100)
  expect(await rowsRead(frequent.run)).toBeLessThan(100)
  const [row] = await rare.run()
  expect(String(row?.[2]).match(/"kind":2/g)).toHaveLength(10)
})

test('a list by a value that no index serves has one plan from its first execution on (issue 12, G)', async () => {
  const [frequent, rare] = [await prepare('grade=1^ORDERBYsort'), await prepare('grade=2^ORDERBYsort')]
  expect(rare.planning).toBe('once')
  for (let round = 0; round < 3; round += 1) await frequent.run()
  const [row] = await rare.run()
  expect(String(row?.[2]).match(/"grade":2/g)).toHaveLength(10)
  expect(await plansOf(frequent)).toEqual({ generic: 4, custom: 0 })
  // The setting ends with the statement.
  expect(await single.rows(sql`select current_setting('plan_cache_mode') as mode`)).toEqual([{ mode: 'auto' }])
})

test('a statement that fails after its planning was chosen leaves the connection as it was (issue 12, G)', async () => {
  const statement = { name: 'fails', text: 'select 1 / $1::integer', planning: 'once' } as const
  await expect(single.run(statement, [0])).rejects.toThrow('division by zero')
  expect(await single.run(statement, [1])).toEqual([[1]])
  await expect(single.run(statement, [0])).rejects.toThrow('division by zero')
  expect(await single.rows(sql`select current_setting('plan_cache_mode') as mode`)).toEqual([{ mode: 'auto' }])
})

test('costs of searches and their memory are set for one statement alone; a larger setting of the database stays (issue 12, C)', async () => {
  const text = `select current_setting('cpu_index_tuple_cost'), current_setting('work_mem')`
  const settings = async (planning?: 'for-pattern' | 'for-words') =>
    (await single.run({ name: `settings_${planning}`, text, ...(planning && { planning }) }, []))[0]
  const others = await settings()
  expect(await settings('for-pattern')).toEqual(['0.04', '64MB'])
  expect(await settings('for-words')).toEqual([others?.[0], '64MB'])
  expect(await settings()).toEqual(others)
  await single.rows(sql`set work_mem = '128MB'`)
  expect(await settings('for-pattern')).toEqual(['0.04', '128MB'])
  await single.rows(sql`reset work_mem`)
  const unkept = openDatabase({
    connectionString: desk.docket.database.connectionString,
    maxConnections: 1,
    statementTimeoutMs: 60_000,
    pooling: 'transaction',
    keepsStatements: false,
  })
  const sent = await unkept.run({ name: 'unkept', text, planning: 'for-pattern' }, [])
  await unkept.close()
  expect(sent).toEqual([['0.04', '64MB']])
})

test.each([
  ['kind=1', 'left-to-it'],
  ['kind=1^ORDERBYDESCsys_id', 'left-to-it'],
  ['kind=1^ORDERBYDESCsys_created_at', 'for-values'],
  ['kindIN1,2^grade=1', 'for-values'],
  ['note=note', 'once'],
  ['grade!=1^noteISNOTEMPTY^ORDERBYDESCsys_created_at', 'once'],
  ['ORDERBYsort', 'left-to-it'],
  ['sys_id=155931135900000001^kind=1', 'left-to-it'],
  ['noteLIKEnot', 'for-pattern'],
  ['kind=1^noteLIKEnot', 'for-pattern'],
  ['noteAREnote', 'for-words'],
])('%s is planned %s (issue 12, G)', async (query, planning) => {
  expect((await prepare(query)).planning).toBe(planning)
})

test('a list that one index has in its order is left to PostgreSQL: each value has the same plan (issue 12, G)', async () => {
  await desk.record('sys_db_index', {
    table_id: await desk.tableId('skewed'),
    purpose: 'conditions',
    column_names: ['grade', 'sort'],
  })
  await desk.column('skewed', 'later', 'integer')
  expect((await prepare('grade=1^ORDERBYsort')).planning).toBe('left-to-it')
  expect((await prepare('grade=1^ORDERBYDESCkind')).planning).toBe('for-values')
})
