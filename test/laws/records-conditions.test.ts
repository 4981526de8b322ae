import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseEncodedQuery } from '../../src/condition/parse-encoded-query.ts'
import { printEncodedQuery } from '../../src/condition/print-encoded-query.ts'
import {
  arbitraryConditionSeed,
  arbitraryWorld,
  CLASSES,
  conditionOf,
  type Ground,
  naiveTables,
  naiveWorld,
  rowsOf,
  storable,
} from './arbitrary-records.ts'
import { idsWhere } from './naive-evaluator.ts'
import { emptyLab, insertRows, type Lab, MAX_SHRINKS, openLab, principalOf, recordsOf, runs } from './record-lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

const arbitraryQuestion = fc.record({
  where: arbitraryConditionSeed,
  table: fc.constantFrom('lab', ...CLASSES, 'lab_shelf'),
  timeZone: fc.constantFrom('UTC', 'Europe/Moscow', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'),
  now: fc.constantFrom('2026-03-11 14:25:36', '2026-03-08 06:59:59', '2025-12-31 23:30:00', '2026-10-25 00:30:00'),
})

const arbitraryQuestions = fc.array(arbitraryQuestion, { minLength: 1, maxLength: 16, size: 'max' })

/** Full-text search through a list: `shelves.nameARE…`. Found with the seed -2139830682; the model could not evaluate it. */
const wordsThroughList: SeedOfQuestion = {
  where: {
    kind: 'comparison',
    comparison: { path: [29, 1556], operator: 102, values: [0, 49, 0, 0], other: [0], text: 'ЁлкаORDERBYx-0' },
  },
  table: 'lab_part',
  timeZone: 'Europe/Moscow',
  now: '2026-10-25 00:30:00',
}
type SeedOfQuestion = typeof arbitraryQuestion extends fc.Arbitrary<infer Question> ? Question : never
const oneOfEach = { rows: [{ child: 1, cells: 0 }], shelves: [{ child: 0, cells: 0 }] }

test('a condition picks exactly the rows that it says, whatever stands in them', async () => {
  const { catalog } = lab
  await fc.assert(
    fc.asyncProperty(
      fc.limitShrink(fc.tuple(arbitraryWorld, arbitraryQuestions), MAX_SHRINKS),
      async ([seed, questions]) => {
        const rows = rowsOf(seed, catalog)
        await emptyLab(lab.database)
        await insertRows(lab, storable(rows, catalog))
        const tables = naiveTables(rows, catalog)
        const ground: Ground = { catalog, tables, options: [...lab.options.values()] }
        for (const question of questions) {
          const tree = conditionOf(question.where, question.table, ground)
          const text = printEncodedQuery({ where: tree, orders: [] })
          const parsed = parseEncodedQuery(text)
          if (!parsed.ok) throw new Error(`${text}: ${parsed.error.detail}`)
          lab.clock.set(question.now)
          const world = await naiveWorld(lab, rows, { where: parsed.value.where, timeZone: question.timeZone })
          const response = await lab.call({
            table: question.table,
            parameters: { sysparm_query: text, sysparm_fields: 'sys_id', sysparm_limit: '100' },
            as: principalOf(['admin'], { timeZone: question.timeZone }),
          })
          const picked = recordsOf(response).map((record) => String(record['sys_id']))
          expect({ text, ids: picked }).toEqual({
            text,
            ids: idsWhere(parsed.value.where, question.table, world).toSorted(),
          })
          expect(response.ok && response.value.headers['x-total-count']).toBe(String(picked.length))
        }
      },
    ),
    { ...runs(60), examples: [[[oneOfEach, [wordsThroughList]]]] },
  )
}, 300_000)
