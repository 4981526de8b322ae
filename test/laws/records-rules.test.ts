import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { allOf } from '../../src/condition/combine-conditions.ts'
import type { ConditionTree } from '../../src/condition/condition-tree.ts'
import { printEncodedQuery } from '../../src/condition/print-encoded-query.ts'
import { literal } from '../../src/condition/typed-value.ts'
import {
  arbitraryConditionSeed,
  arbitraryWorld,
  CLASSES,
  conditionOf,
  LAB_IDS,
  naiveTables,
  rowsOf,
  SHELF_IDS,
  storable,
  tablesBeside,
} from './arbitrary-records.ts'
import { arbitraryRequest, type Memory, remember, requestOf } from './arbitrary-requests.ts'
import {
  emptyLab,
  insertRows,
  type Lab,
  type LabRule,
  MAX_SHRINKS,
  openLab,
  principalOf,
  recordsOf,
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
beforeEach(async () => {
  await emptyLab(lab.database)
  await emptyLab(twin.database)
})

const reader = principalOf(['reader'])
const ids = (response: Awaited<ReturnType<Lab['call']>>): readonly string[] =>
  recordsOf(response).map((record) => String(record['sys_id']))

test('what a rule sees through a reference does not depend on whether the caller sees it', async () => {
  await insertRows(lab, [
    { class: 'lab_shelf', values: { sys_id: SHELF_IDS[0], name: 'A', ctl_level: 1 } },
    { class: 'lab', values: { sys_id: LAB_IDS[0], ctl_shelf: SHELF_IDS[0] } },
    { class: 'lab', values: { sys_id: LAB_IDS[1] } },
  ])
  // The reader may not read the table behind the reference, but the rule still uses it.
  const rule = { operation: 'read', table: 'lab', roles: ['reader'] } as const
  const orderedByShelf = { table: 'lab', as: reader, parameters: { sysparm_query: 'ORDERBYctl_shelf' } }
  await setRules(lab.database, [{ ...rule, condition: 'ctl_shelf.ctl_level=1' }])
  expect(ids(await lab.call(orderedByShelf))).toEqual([LAB_IDS[0]])
  await setRules(lab.database, [{ ...rule, condition: 'ctl_shelf.ctl_level!=1' }])
  expect(ids(await lab.call(orderedByShelf))).toEqual([LAB_IDS[1]])
})

test("a rule of the parent that asks for a child's column opens the child's records by either path", async () => {
  await insertRows(lab, [
    { class: 'lab_part', values: { sys_id: LAB_IDS[0], weight: 5 } },
    { class: 'lab_part', values: { sys_id: LAB_IDS[1], weight: 6 } },
    { class: 'lab_kit', values: { sys_id: LAB_IDS[2], weight: 5 } },
    { class: 'lab', values: { sys_id: LAB_IDS[3] } },
  ])
  await setRules(lab.database, [{ operation: 'read', table: 'lab', roles: ['reader'], condition: 'weight=5' }])
  expect(ids(await lab.call({ table: 'lab', as: reader }))).toEqual([LAB_IDS[0], LAB_IDS[2]])
  expect(ids(await lab.call({ table: 'lab_part', as: reader }))).toEqual([LAB_IDS[0]])
  expect(ids(await lab.call({ table: 'lab_kit', as: reader }))).toEqual([LAB_IDS[2]])
})

const arbitraryRuled = fc.tuple(
  arbitraryWorld,
  fc.array(fc.record({ ofLab: arbitraryConditionSeed, ofPart: fc.option(arbitraryConditionSeed, { nil: null }) }), {
    minLength: 1,
    maxLength: 3,
    size: 'max',
  }),
)

test("a caller's list under a rule is the administrator's list under the same condition", async () => {
  const { catalog } = lab
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryRuled, MAX_SHRINKS), async ([seed, rules]) => {
      const rows = rowsOf(seed, catalog)
      await emptyLab(lab.database)
      await insertRows(lab, storable(rows, catalog))
      const ground = { catalog, tables: naiveTables(rows, catalog), options: [...lab.options.values()] }
      for (const { ofLab, ofPart } of rules) {
        const onLab = conditionOf(ofLab, 'lab', ground)
        const onPart = ofPart === null ? onLab : conditionOf(ofPart, 'lab_part', ground)
        await setRules(lab.database, [
          ruleWhere('lab', onLab),
          ...(ofPart === null ? [] : [ruleWhere('lab_part', onPart)]),
        ])
        const byClass = new Map<string, readonly string[]>()
        for (const name of CLASSES) {
          byClass.set(name, await idsOfClass(name, name === 'lab_part' ? onPart : onLab))
        }
        for (const table of CLASSES) {
          const descendants = catalog.tables.get(table)?.descendants ?? []
          const expected = descendants.flatMap((name) => byClass.get(name) ?? [])
          const response = await lab.call({
            table,
            as: reader,
            parameters: { sysparm_limit: '100', sysparm_fields: 'sys_id' },
          })
          expect(ids(response)).toEqual(expected.toSorted())
          expect(response.ok && response.value.headers['x-total-count']).toBe(String(expected.length))
        }
        for (const id of LAB_IDS.slice(0, 5)) {
          const one = await lab.call({ operation: 'read', table: 'lab', sysId: id, as: reader })
          expect(one.ok).toBe([...byClass.values()].flat().includes(id))
        }
      }
    }),
    runs(25),
  )
}, 300_000)

const ruleWhere = (table: string, where: ConditionTree): LabRule => ({
  operation: 'read',
  table,
  roles: ['reader'],
  condition: printEncodedQuery({ where, orders: [] }),
})

/** Sent by the same user with all rights: conditions may depend on the user. */
async function idsOfClass(table: string, where: ConditionTree): Promise<readonly string[]> {
  const id = lab.catalog.tables.get(table)?.id ?? ''
  const ofClass = {
    kind: 'comparison',
    path: ['sys_db_table_id'],
    operator: '=',
    value: literal(id),
    position: 0,
  } as const
  const query = printEncodedQuery({ where: allOf([ofClass, where]), orders: [] })
  return ids(
    await lab.call({ table, parameters: { sysparm_query: query, sysparm_limit: '100', sysparm_fields: 'sys_id' } }),
  )
}

const OPERATIONS = ['create', 'read', 'write', 'delete'] as const
const OPEN: readonly LabRule[] = OPERATIONS.map((operation) => ({ operation, table: '*', roles: ['reader'] }))
/** For every table and every column, at the last level of the look-up. */
const ALWAYS_TRUE: readonly LabRule[] = [
  ...OPEN.map((rule) => ({ ...rule, condition: 'sys_idISNOTEMPTY' })),
  ...OPEN.map((rule) => ({ ...rule, column: '*', condition: 'sys_idISNOTEMPTY' })),
]

const arbitraryDay = fc.tuple(arbitraryWorld, fc.array(arbitraryRequest, { minLength: 1, maxLength: 20, size: 'max' }))

test('a rule that is always true changes no response', async () => {
  await setRules(lab.database, OPEN)
  await setRules(twin.database, ALWAYS_TRUE)
  const { catalog } = lab
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryDay, MAX_SHRINKS), async ([seed, requests]) => {
      const rows = rowsOf(seed, catalog)
      for (const each of [lab, twin]) {
        await emptyLab(each.database)
        await insertRows(each, storable(rows, catalog))
      }
      const tables = { ...naiveTables(rows, catalog), ...tablesBeside(catalog) }
      const memory: Memory = { cursor: null, etags: new Map() }
      for (const request of requests) {
        const requested = {
          ...requestOf(request, { catalog, tables, options: [...lab.options.values()] }, memory),
          as: reader,
        }
        const response = await lab.call(requested)
        expect({ requested, response: await twin.call(requested) }).toEqual({ requested, response })
        remember(memory, requested, response)
      }
    }),
    runs(30),
  )
}, 300_000)
