import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { createTogether } from '../../src/records/create-together.ts'
import { recordRequest } from '../../src/records/parse/record-request.ts'
import { ABSENT_ID, arbitraryRow, arbitraryWorld, CLASSES, pick, rowAmong, rowsOf } from './arbitrary-records.ts'
import { arbitraryWriteRules } from './arbitrary-rules.ts'
import {
  emptyLab,
  insertRows,
  type Lab,
  MAX_SHRINKS,
  openLab,
  principalOf,
  restartIds,
  runs,
  setRules,
} from './record-lab.ts'

let lab: Lab
let twin: Lab
beforeAll(async () => {
  lab = await openLab()
  twin = await openLab()
})
afterAll(async () => {
  await lab.close()
  await twin.close()
})

/** Columns that are not compared or not written: hashes and encrypted texts differ each time, journals are written one by one. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'sys_id',
  'pass',
  'sealed',
  'note',
  'remark',
  'part_note',
  'field',
  'fixed',
])

/** The records with a tag in the lab, and their changes in the log. */
const written = ({ database }: Lab) =>
  database.rows(sql`
    select l.field as tag, to_jsonb(l) - 'sys_id' as record, c.operation, c.changes, c.changed_by, c.audited, c.table_id
    from docket.lab l join docket_system.change c on c.record_id = l.sys_id::text where starts_with(l.field, 'tag ') order by l.field`)

const seeds = fc.record({
  world: arbitraryWorld,
  rules: fc.oneof(fc.constant([]), arbitraryWriteRules),
  isAdmin: fc.boolean(),
  child: fc.nat(2),
  columns: fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }),
  rows: fc.array(fc.record({ row: arbitraryRow, spoil: fc.nat(12) }), { minLength: 2, maxLength: 30, size: 'max' }),
})

test('records that are created together are those that are created one by one, and so is what the log says', async () => {
  let together = 0
  let oneByOne = 0
  await fc.assert(
    fc.asyncProperty(seeds, async ({ world, rules, isAdmin, child, columns, rows }) => {
      const as = principalOf([isAdmin ? 'admin' : 'reader'])
      const standing = rowsOf(world, lab.catalog)
      for (const each of [lab, twin]) {
        await emptyLab(each.database)
        await insertRows(each, standing)
        await setRules(each.database, rules)
        await restartIds(each.database)
      }
      const table = pick(CLASSES, child)
      const names = [...(lab.catalog.tables.get(table)?.columns.keys() ?? [])].filter(
        (name) => !name.startsWith('sys_') && !LEFT_OUT.has(name),
      )
      const bodies = rows.map(({ row, spoil }, at) => {
        const { values } = rowAmong({ ...row, child }, ABSENT_ID, lab.catalog, standing)
        const given = columns.map((number) => pick(names, number)).map((name) => [name, values[name] ?? null])
        // Sometimes an invalid value.
        const spoilt = spoil === 0 ? [['amount', 'many']] : spoil === 1 ? [['ctl_shelf', ABSENT_ID]] : []
        return { ...Object.fromEntries([...given, ...spoilt]), field: `tag ${String(at).padStart(2, '0')}` }
      })
      const call = (where: Lab, body: unknown) => where.call({ operation: 'create', table, body, as })
      const outcomeOf = (response: Awaited<ReturnType<Lab['call']>>) => (response.ok ? 'created' : response.error)
      const expected = []
      for (const body of bodies) expected.push(outcomeOf(await call(lab, body)))
      const [epoch] = await twin.database.rows<{ identity: string }>(
        sql`select identity::text from docket_system.epoch`,
      )
      const requested = bodies.map((body, number) => ({
        number,
        call: {
          request: recordRequest({ operation: 'create', table, body: new Map(Object.entries(body)) }),
          ...{ principal: as, identityEpoch: epoch?.identity ?? '', baseUrl: '' },
        },
      }))
      const created = await createTogether(twin.deps, requested, null)
      together += created.size
      const outcomes = []
      for (const [number, body] of bodies.entries()) {
        outcomes.push(created.has(number) ? 'created' : outcomeOf(await call(twin, body)))
        if (!created.has(number) && outcomes.at(-1) === 'created') oneByOne += 1
      }
      expect(outcomes).toEqual(expected)
      expect(await written(twin)).toEqual(await written(lab))
    }),
    { ...runs(60), maxSkipsPerRun: MAX_SHRINKS },
  )
  // The law must have tested existing records, nearly all of them written together.
  expect(together).toBeGreaterThan(100)
  expect(oneByOne).toBeLessThan(together / 4)
})
