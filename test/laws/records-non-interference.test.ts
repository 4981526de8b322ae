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
import { makeTwins, translate, type World, writePeople } from './hidden-differences.ts'
import { naiveRights } from './naive-rights.ts'
import {
  ANNA,
  BORIS,
  emptyLab,
  insertRows,
  type Lab,
  type LabRequest,
  type LabRow,
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
  await makeViews(first, ['title', 'amount'])
  await makeViews(second, ['body', 'shelf.name', 'mood'])
})
afterAll(async () => {
  await first.close()
  await second.close()
})

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
      const rules = [...seed.readRules, ...seed.writeRules]
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

/** `Shared` is for all, `Mine` is Anna's. Boris has his own view with each title, which must not affect others. */
async function makeViews(lab: Lab, ofBoris: readonly string[]): Promise<void> {
  const form = lab.catalog.tables.get('lab')?.id
  const views = [
    { id: '900000000000000701', title: 'Shared', user: null, columns: ['title', 'shelf.name', 'amount', 'ctl'] },
    { id: '900000000000000702', title: 'Mine', user: ANNA, columns: ['title', 'peer.title', 'tags', 'no_longer'] },
    { id: '900000000000000703', title: 'Mine', user: BORIS, columns: ofBoris },
    { id: '900000000000000704', title: 'Theirs', user: BORIS, columns: ofBoris },
    { id: '900000000000000705', title: 'Shared', user: BORIS, columns: ofBoris },
  ]
  const rows = views.flatMap(({ id, title, user, columns }): LabRow[] => [
    { class: 'sys_ui_form', values: { sys_id: id, title, table_id: form, user_id: user, active: true } },
    { class: 'sys_ui_form_section', values: { sys_id: `${id}1`.slice(-18), form_id: id, order: 1 } },
    ...columns.map((name, index) => ({
      class: 'sys_ui_form_element',
      values: {
        sys_id: `${id}${index}2`.slice(-18),
        section_id: `${id}1`.slice(-18),
        column_name: name,
        order: index,
      },
    })),
  ])
  await insertRows(lab, rows)
}
