import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import {
  arbitraryRow,
  arbitraryWorld,
  CLASSES,
  type Ground,
  naiveTables,
  naiveWorld,
  rowsOf,
  storable,
  tablesBeside,
} from './arbitrary-records.ts'
import { arbitraryRequest, type Memory, remember, requestOf } from './arbitrary-requests.ts'
import { arbitraryReadRules, arbitraryWriteRules } from './arbitrary-rules.ts'
import { defineHiddenParts, describeAs, withClosedColumns } from './hidden-dictionary.ts'
import { makeTwins, translate, type World, writePeople } from './hidden-differences.ts'
import { naiveRights } from './naive-rights.ts'
import {
  emptyLab,
  insertRows,
  type Lab,
  type LabRequest,
  type LabRule,
  MAX_SHRINKS,
  openLab,
  principalOf,
  restartIds,
  runs,
  setRules,
} from './record-lab.ts'

/**
 * Two databases that differ only in what a caller may not see give this caller exactly the same responses. Hidden rows must not be
 * revealed by counts, ranges, orders or field paths.
 *
 * The requests avoid what no server can hide (docs/decisions/0005, "Closed by no database"): that a unique value is taken, that a record
 * cannot be deleted because a hidden one refers to it, and which numbers were assigned.
 */
let first: Lab
let second: Lab
beforeAll(async () => {
  first = await openLab()
  second = await openLab()
  await defineHiddenParts(first, { columnsOfBoris: ['title', 'amount'], word: 'attic' })
  await defineHiddenParts(second, { columnsOfBoris: ['body', 'shelf.name', 'mood'], word: 'cellar' })
})
afterAll(async () => {
  await first.close()
  await second.close()
})

/** Tables whose descriptions are compared. The closed one of the other lab does not exist. */
const DESCRIBED = [...CLASSES, 'lab_shelf', 'lab_vault', 'lab_attic', 'lab_cellar', 'user', 'sys_group', 'sys_ui_form']

const arbitraryCase = fc.record({
  world: arbitraryWorld,
  readRules: arbitraryReadRules,
  writeRules: arbitraryWriteRules,
  differences: fc.record({
    choices: fc.noBias(fc.nat(1_000_000)),
    more: fc.array(arbitraryRow, { maxLength: 5, size: 'max' }),
    entries: fc.noBias(fc.nat(9)),
  }),
  russian: fc.boolean(),
  requests: fc.array(arbitraryRequest, { minLength: 1, maxLength: 30, size: 'max' }),
})

test('two databases that differ only in what a caller may not see give the same responses to any request', async () => {
  const { catalog } = first
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryCase, MAX_SHRINKS), async (seed) => {
      const rules = withClosedColumns([...seed.readRules, ...seed.writeRules])
      const rows = rowsOf(seed.world, catalog)
      const twins = await makeTwins(rows, seed.differences, {
        catalog,
        rules,
        rightsIn: async (standing) => naiveRights(rules, ['reader'], await naiveWorld(first, standing)),
      })
      await furnish(first, twins.first, rules)
      await furnish(second, twins.second, rules)
      const tables = { ...naiveTables([...twins.first.rows, ...twins.second.rows], catalog), ...tablesBeside(catalog) }
      const ground: Ground = { catalog, tables, options: [...first.options.values()] }
      const as = principalOf(['reader'], seed.russian ? { language: 'ru', timeZone: 'Europe/Moscow' } : {})
      for (const table of [null, ...DESCRIBED]) {
        const described = await describeAs(first, table, as)
        expect({ table, described: await describeAs(second, table, as) }).toEqual({ table, described })
      }
      const memory: Memory = { cursor: null, etags: new Map() }
      for (const request of seed.requests) {
        const requested = { ...requestOf(request, ground, memory), as }
        if (await isHeldApart(requested)) continue
        const response = await first.call(requested)
        expect({ requested, response: await second.call(requested) }).toEqual({ requested, response })
        remember(memory, requested, response)
      }
      // Also the result of the writes among the requests.
      for (const table of [
        ...CLASSES,
        'lab_shelf',
        'sys_journal_entry',
        'sys_history',
        'sys_attachment',
        'sys_ui_form',
      ]) {
        const requested = { table, as, parameters: { sysparm_display_value: 'all', sysparm_limit: '100' } }
        expect({ table, response: await second.call(requested) }).toEqual({
          table,
          response: await first.call(requested),
        })
      }
    }),
    runs(40),
  )
}, 300_000)

async function furnish(lab: Lab, world: World, rules: readonly LabRule[]): Promise<void> {
  await emptyLab(lab.database)
  await insertRows(lab, storable([...world.rows, ...world.beside], lab.catalog))
  await translate(lab, world.translations)
  await writePeople(lab, world.people)
  await lab.meetPeople()
  await setRules(lab.database, rules)
  await restartIds(lab.database)
}

/** Whether the request deletes a record to which a hidden one refers in only one of the databases: a known difference. */
async function isHeldApart(requested: LabRequest): Promise<boolean> {
  if (requested.operation !== 'delete' || !/^\d+$/.test(requested.sysId ?? '')) return false
  const [one, other] = [await pointingAt(first, requested.sysId ?? ''), await pointingAt(second, requested.sysId ?? '')]
  return one !== other
}

async function pointingAt(lab: Lab, id: string): Promise<string> {
  const columns = ['lab', 'lab_part', 'lab_kit', 'lab_shelf'].flatMap((name) => {
    const table = lab.catalog.tables.get(name)
    return [...(table?.columns.values() ?? [])]
      .filter((column) => column.type === 'reference' && column.ownerTable === name)
      .map((column) => ({ table: table?.storage.table ?? '', column: column.storage ?? '' }))
  })
  const parts = columns.map(
    ({ table, column }) =>
      sql`select ${table}::text as t, ${column}::text as c, sys_id::text as id from ${sql.id('docket', table)} where ${sql.id(column)} = ${id}::bigint`,
  )
  const rows = await lab.database.rows(sql`${sql.join(parts, sql` union all `)} order by 1, 2, 3`)
  return JSON.stringify(rows)
}
