import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderTerm } from '../../src/condition/condition-tree.ts'
import { printEncodedQuery } from '../../src/condition/print-encoded-query.ts'
import { sql } from '../../src/kernel/sql.ts'
import {
  arbitraryConditionSeed,
  arbitraryOrderSeeds,
  arbitraryRow,
  arbitraryWorld,
  CLASSES,
  conditionOf,
  type Ground,
  naiveTables,
  naiveWorld,
  orderOf,
  type RowSeed,
  rowAmong,
  rowsOf,
  storable,
} from './arbitrary-records.ts'
import { arbitraryReadRules } from './arbitrary-rules.ts'
import { naiveRights } from './naive-rights.ts'
import {
  emptyLab,
  insertRows,
  type Lab,
  type LabRequest,
  type LabRow,
  MAX_SHRINKS,
  openLab,
  principalOf,
  recordsOf,
  runs,
  setRules,
} from './record-lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

const arbitraryQuestion = fc.record({
  table: fc.constantFrom('lab', ...CLASSES),
  orders: arbitraryOrderSeeds,
  where: fc.option(arbitraryConditionSeed, { nil: null }),
  rowsAPage: fc.integer({ min: 1, max: 9 }),
  asAdmin: fc.boolean(),
  isCounted: fc.boolean(),
})
type Question = typeof arbitraryQuestion extends fc.Arbitrary<infer T> ? T : never

/** Of few rows, many lists are over the lower limit: they are read in the order of the list, not among the rows that were found first. */
const arbitraryCountMax = fc.constantFrom(2, 10_000)

const arbitraryStill = fc.tuple(
  arbitraryWorld,
  arbitraryReadRules,
  arbitraryCountMax,
  fc.array(arbitraryQuestion, { minLength: 1, maxLength: 5, size: 'max' }),
)

test('pages of any size cover every readable row once, by number and by cursor, in the order of the whole list', async () => {
  const { catalog } = lab
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryStill, MAX_SHRINKS), async ([seed, rules, countMax, questions]) => {
      const rows = await furnish(seed, rules, countMax)
      const rights = naiveRights(rules, ['reader'], await naiveWorld(lab, rows))
      const ground = groundOf(rows)
      for (const question of questions) {
        const requested = await askable(question, ground)
        const whole = idsIn(await lab.call(paged(requested, { sysparm_limit: '100' })))
        const readable = rows.filter(
          (row) =>
            catalog.tables.get(question.table)?.descendants.includes(row.class) &&
            (question.asAdmin || rights.mayRow('read', row)),
        )
        if (requested.where === null) expect(whole.toSorted()).toEqual(readable.map(idOf).toSorted())
        expect(await idsByNumber(requested, question, { total: whole.length, countMax })).toEqual(whole)
        expect(await idsByCursor(requested, question)).toEqual(whole)
      }
    }),
    runs(30),
  )
}, 300_000)

const arbitraryMove = fc.record({
  kind: fc.constantFrom('insert' as const, 'insert' as const, 'change' as const, 'delete' as const),
  row: arbitraryRow,
  which: fc.nat(9),
})
const arbitraryMoving = fc.tuple(
  arbitraryWorld,
  arbitraryReadRules,
  arbitraryCountMax,
  fc.array(fc.record({ question: arbitraryQuestion, moves: fc.array(arbitraryMove, { maxLength: 12, size: 'max' }) }), {
    minLength: 1,
    maxLength: 4,
    size: 'max',
  }),
)

test('a cursor shows every row that stands still once, while others come, change and go', async () => {
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryMoving, MAX_SHRINKS), async ([seed, rules, countMax, questions]) => {
      const still = await furnish(seed, rules, countMax)
      const ground = groundOf(still)
      for (const { question, moves } of questions) {
        await lab.database.rows(sql`delete from docket.lab where sys_id = any(${MOVING_IDS}::bigint[])`)
        const requested = await askable(question, ground)
        const before = idsIn(await lab.call(paged(requested, { sysparm_limit: '100' })))
        const left = [...moves]
        const displayed = await idsByCursor(requested, question, async () => {
          const next = left.shift()
          if (next !== undefined) await move(next, still)
        })
        const ofStill = displayed.filter((id) => !MOVING_IDS.includes(id))
        expect(ofStill).toEqual(before)
      }
    }),
    runs(30),
  )
}, 300_000)

const reader = principalOf(['reader'])
const admin = principalOf(['admin'])

async function furnish(
  seed: typeof arbitraryWorld extends fc.Arbitrary<infer T> ? T : never,
  rules: typeof arbitraryReadRules extends fc.Arbitrary<infer T> ? T : never,
  countMax: number,
): Promise<readonly LabRow[]> {
  const rows = rowsOf(seed, lab.catalog)
  await emptyLab(lab.database)
  await insertRows(lab, storable(rows, lab.catalog))
  await lab.database.rows(
    sql`update docket.sys_property set value = ${String(countMax)} where name = 'rest.count.max' and value <> ${String(countMax)}`,
  )
  // The law identifies rows by their sys_id.
  await setRules(lab.database, [...rules, { operation: 'read', table: 'lab', column: 'sys_id' }])
  return rows
}

function groundOf(rows: readonly LabRow[]): Ground {
  return { catalog: lab.catalog, tables: naiveTables(rows, lab.catalog), options: [...lab.options.values()] }
}

interface RequestedList {
  readonly table: string
  readonly query: string
  readonly where: string | null
  readonly asAdmin: boolean
}

/** Leaves out everything that this caller may not use on any row. */
async function askable(question: Question, ground: Ground): Promise<RequestedList> {
  const { table, asAdmin } = question
  const orders: OrderTerm[] = []
  for (const order of question.orders.map((seed) => orderOf(seed, table, ground))) {
    const query = printEncodedQuery({ where: null, orders: [order] })
    if (await isAllowed({ table, query, where: null, asAdmin })) orders.push(order)
  }
  const where = question.where === null ? null : conditionOf(question.where, table, ground)
  const condition = printEncodedQuery({ where, orders: [] })
  const isRequested = where !== null && (await isAllowed({ table, query: condition, where: condition, asAdmin }))
  return {
    table,
    query: printEncodedQuery({ where: isRequested ? where : null, orders }),
    where: isRequested ? condition : null,
    asAdmin,
  }
}

async function isAllowed(requested: RequestedList): Promise<boolean> {
  const response = await lab.call(paged(requested, { sysparm_limit: '1' }))
  if (!response.ok && response.error.kind !== 'column-denied' && response.error.kind !== 'table-denied')
    recordsOf(response)
  return response.ok
}

function paged(requested: RequestedList, parameters: Readonly<Record<string, string>>): LabRequest {
  const fixed = { sysparm_fields: 'sys_id', sysparm_query: requested.query }
  return { table: requested.table, as: requested.asAdmin ? admin : reader, parameters: { ...fixed, ...parameters } }
}

const idOf = (row: LabRow): string => String(row.values['sys_id'])
const idsIn = (response: Awaited<ReturnType<Lab['call']>>): readonly string[] =>
  response.ok || response.error.kind !== 'table-denied'
    ? recordsOf(response).map((record) => String(record['sys_id']))
    : []

async function idsByNumber(
  requested: RequestedList,
  { rowsAPage }: Question,
  { total, countMax }: { readonly total: number; readonly countMax: number },
): Promise<readonly string[]> {
  const ids: string[] = []
  for (let page = 1; ; page += 1) {
    const response = await lab.call(paged(requested, { sysparm_limit: String(rowsAPage), sysparm_page: String(page) }))
    ids.push(...idsIn(response))
    if (!response.ok) return ids
    const { 'x-total-count': exact, 'x-total-count-over': over } = response.value.headers
    expect([exact, over]).toEqual(total <= countMax ? [String(total), undefined] : [undefined, String(countMax)])
    const isLast = !response.value.headers['link']?.includes('rel="next"')
    expect(isLast).toBe(page * rowsAPage >= total)
    if (isLast) return ids
  }
}

async function idsByCursor(
  requested: RequestedList,
  { rowsAPage, isCounted }: Question,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
    const noCount = isCounted ? '0' : '1'
    const response = await lab.call(
      paged(requested, { sysparm_limit: String(rowsAPage), sysparm_cursor: cursor, sysparm_no_count: noCount }),
    )
    ids.push(...idsIn(response))
    cursor = response.ok ? response.value.headers['x-next-cursor'] : undefined
    await meanwhile()
  }
  return ids
}

/** Rows that are added and removed: the ids of some are below all others, those of others above. */
const MOVING_IDS = [0, 1, 2, 3, 4].flatMap((index) => [`90000000000000035${index}`, `90000000000000049${index}`])

async function move(
  { kind, row, which }: { readonly kind: string; readonly row: RowSeed; readonly which: number },
  still: readonly LabRow[],
): Promise<void> {
  const id = MOVING_IDS[which] ?? ''
  await lab.database.rows(sql`delete from docket.lab where sys_id = ${id}::bigint`)
  if (kind === 'delete') return
  await insertRows(lab, storable([rowAmong(row, id, lab.catalog, still)], lab.catalog))
}
