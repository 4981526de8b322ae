import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { rule, type Stage, setStage } from '../contract/records/fixture.ts'
import '../harness/property-seed.ts'

/**
 * Two tables, each with one reference per kind to both tables. The worker may not read rows with `is_hidden`, and may not change or delete
 * rows with `is_kept`.
 */
const TABLES = ['node', 'leaf'] as const
const ACTIONS = ['restrict', 'clear', 'cascade'] as const
const COLUMNS = TABLES.flatMap((target) => ACTIONS.map((action) => ({ target, action, name: `${action}_${target}` })))
const everyone = { roles: ['itil'] }

let stage: Stage
beforeAll(async () => {
  stage = await setStage(
    TABLES.flatMap((table) => [
      rule({ operation: 'read', table, ...everyone, condition: 'is_hidden=false' }),
      rule({ operation: 'write', table, ...everyone, condition: 'is_kept=false' }),
      rule({ operation: 'delete', table, ...everyone, condition: 'is_kept=false' }),
    ]),
  )
  for (const name of TABLES) await create('sys_db_table', { name, title: name })
  for (const table of TABLES) {
    for (const name of ['is_hidden', 'is_kept']) await column(table, name, 'boolean', {})
    for (const { name, target, action } of COLUMNS)
      await column(table, name, 'reference', { reference_id: { find: { name: target } }, on_delete: action })
  }
})
afterAll(() => stage.close())

async function create(table: string, body: unknown): Promise<void> {
  const response = await stage.send('admin', `POST /rest/v1/table/${table}`, { body })
  if (response.status !== 200) throw new Error(response.text)
}
const column = (table: string, name: string, type: string, more: object) =>
  create('sys_db_column', {
    table_id: { find: { name: table } },
    column_name: name,
    title: name,
    column_type_id: { find: { name: type } },
    ...more,
  })

interface Record_ {
  readonly table: (typeof TABLES)[number]
  readonly isHidden: boolean
  readonly isKept: boolean
}
interface Graph {
  readonly records: readonly Record_[]
  /** A reference between two records by the column of this kind; a later edge replaces an earlier one. */
  readonly edges: readonly { readonly from: number; readonly to: number; readonly action: number }[]
}
type Rows = ReadonlyMap<string, Readonly<Record<string, unknown>>>

const rarely = fc.nat(9).map((n) => n === 0)
const arbitraryGraph: fc.Arbitrary<Graph> = fc.integer({ min: 2, max: 9 }).chain((size) =>
  fc.record({
    records: fc.array(fc.record({ table: fc.constantFrom(...TABLES), isHidden: rarely, isKept: rarely }), {
      minLength: size,
      maxLength: size,
    }),
    edges: fc.array(
      // Mostly to the first record, and rarely one that restricts.
      fc.record({
        from: fc.nat(size - 1),
        to: fc.oneof(fc.constant(0), fc.nat(size - 1)),
        action: fc.constantFrom(0, 1, 1, 2, 2, 2, 2),
      }),
      { minLength: 1, maxLength: 14 },
    ),
  }),
)

const idOf = (index: number): number => 5_001 + index

async function draw({ records, edges }: Graph): Promise<void> {
  await stage.run(sql`truncate docket.node, docket.leaf`)
  for (const table of TABLES) {
    const rows = records.flatMap((record, index) => {
      if (record.table !== table) return []
      const references = edges
        .filter(({ from }) => from === index)
        .map(({ to, action }) => [`${ACTIONS[action]}_${records[to]?.table}`, idOf(to)])
      return [
        { sys_id: idOf(index), is_hidden: record.isHidden, is_kept: record.isKept, ...Object.fromEntries(references) },
      ]
    })
    // Without foreign keys: the tables refer to each other, so the first insert refers to rows that the second one adds.
    await stage.run(sql`alter table ${sql.id('docket', table)} disable trigger all`)
    await stage.run(sql`insert into ${sql.id('docket', table)}
      select (jsonb_populate_record(null::${sql.id('docket', table)}, jsonb_build_object('sys_created_at', now(), 'sys_updated_at', now(),
        'sys_db_table_id', (select sys_id from docket.sys_db_table where name = ${table})) || r)).* from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as r`)
    await stage.run(sql`alter table ${sql.id('docket', table)} enable trigger all`)
  }
}

async function rowsNow(): Promise<Rows> {
  const rows = new Map<string, Readonly<Record<string, unknown>>>()
  for (const table of TABLES) {
    const found = (await stage.run(
      sql`select sys_id::text as id, (to_jsonb(t) - array['sys_updated_at', 'sys_updated_by', 'update$count'])::text as row from ${sql.id('docket', table)} t`,
    )) as { id: string; row: string }[]
    // Parsed here, so that ids are plain numbers: the driver returns long numbers as objects.
    for (const { id, row } of found) rows.set(`${table} ${id}`, JSON.parse(row))
  }
  return rows
}

interface Entry {
  readonly table: string
  readonly column: string
  readonly action: string
  readonly count: number
}
interface Dependents {
  readonly blocked: { readonly status: number; readonly code: string; readonly message: string } | null
  readonly dependents: readonly Entry[]
}

const count = (all: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(all, (each) => each)].map(([key, same]) => [key, same.length]))
const sum = (entries: readonly Entry[], key: (entry: Entry) => string) =>
  count(entries.flatMap((entry) => Array<string>(entry.count).fill(key(entry))))

/** The result of the delete: how many rows of each table are gone, how many references of each column are empty. */
function difference(before: Rows, after: Rows, root: string) {
  const gone = [...before.keys()].filter((key) => !after.has(key) && key !== root)
  const cleared = [...after].flatMap(([key, row]) =>
    Object.keys(row)
      .filter((name) => row[name] !== before.get(key)?.[name])
      .map((name) => `${key.split(' ')[0]}.${name} ${row[name]}`),
  )
  return { gone: count(gone.map((key) => key.split(' ')[0] ?? '')), cleared: count(cleared) }
}

test('dependents says what a DELETE then does: the same end, the same records, the same references (issue 8, B10)', async () => {
  const seen = { done: 0, blocked: 0, touched: 0 }
  await fc.assert(
    fc.asyncProperty(arbitraryGraph, fc.constantFrom('admin' as const, 'worker' as const), async (graph, who) => {
      await draw(graph)
      const before = await rowsNow()
      const root = `${graph.records[0]?.table}/${idOf(0)}`
      const displayed = await stage.send(who, `GET /rest/v1/table/${root}/dependents`)
      expect(await rowsNow()).toEqual(before)
      const response = await stage.send(who, `DELETE /rest/v1/table/${root}`)
      const after = await rowsNow()
      if (displayed.status !== 200) {
        expect(displayed.body).toEqual(response.body)
        expect(after).toEqual(before)
        return
      }
      const { blocked, dependents } = (displayed.body as { data: Dependents }).data
      expect(blocked === null).toBe(response.status === 200)
      if (blocked !== null) {
        seen.blocked += 1
        const [error] = (response.body as { errors: readonly object[] }).errors
        expect({ status: response.status, ...error }).toEqual(blocked)
        expect(after).toEqual(before)
        return
      }
      seen.done += 1
      seen.touched += dependents.length
      expect(dependents.filter(({ action }) => action === 'restrict')).toEqual([])
      expect(difference(before, after, root.replace('/', ' '))).toEqual({
        gone: sum(
          dependents.filter(({ action }) => action === 'cascade'),
          ({ table }) => table,
        ),
        cleared: sum(
          dependents.filter(({ action }) => action === 'clear'),
          (each) => `${each.table}.${each.column} null`,
        ),
      })
      // No remaining row refers to a deleted one.
      const ids = new Set([...after.keys()].map((key) => key.split(' ')[1]))
      for (const row of after.values())
        for (const { name } of COLUMNS) expect(row[name] === null || ids.has(String(row[name]))).toBe(true)
    }),
    { numRuns: 60 },
  )
  expect(seen.done).toBeGreaterThan(10)
  expect(seen.blocked).toBeGreaterThan(10)
  expect(seen.touched).toBeGreaterThan(10)
}, 300_000)

test('records that the caller may not read change nothing but whether the delete is blocked (issue 8, B10)', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGraph, async ({ records, edges }) => {
      const visible: Graph = {
        records: records.map((record, index) => ({ ...record, isHidden: index > 0 && record.isHidden, isKept: false })),
        edges,
      }
      const isHidden = (index: number): boolean => visible.records[index]?.isHidden === true
      const line = `GET /rest/v1/table/${records[0]?.table}/${idOf(0)}/dependents`
      await draw({ ...visible, edges: edges.filter(({ from }) => !isHidden(from)) })
      const without = ((await stage.send('worker', line)).body as { data: Dependents }).data
      await draw(visible)
      const beside = ((await stage.send('worker', line)).body as { data: Dependents }).data
      expect(beside.dependents).toEqual(without.dependents)
      if (without.blocked !== null) expect(beside.blocked).toEqual(without.blocked)
      else
        expect([undefined, 'The record cannot be deleted: records of another table refer to it.']).toContain(
          beside.blocked?.message,
        )
    }),
    { numRuns: 30 },
  )
}, 300_000)
