import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCaseless } from '../../src/condition/caseless.ts'
import type { ConditionTree } from '../../src/condition/condition-tree.ts'
import { isHelper } from '../../src/condition/dates/read-helper.ts'
import { operandOf } from '../../src/condition/operator-spellings.ts'
import { printEncodedQuery, textOfValue } from '../../src/condition/print-encoded-query.ts'
import { typedValue } from '../../src/condition/typed-value.ts'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/kernel/sql.ts'
import { arbitraryValue } from './arbitrary-query.ts'
import {
  ABSENT_ID,
  anyOfFirst,
  arbitraryConditionSeed,
  arbitraryOrderSeeds,
  conditionOf,
  type Ground,
  LAB_IDS,
  naiveTables,
  orderOf,
  rowsOf,
  storable,
} from './arbitrary-records.ts'
import {
  emptyLab,
  insertRows,
  LAB_TABLES,
  type Lab,
  type LabRequest,
  MAX_SHRINKS,
  openLab,
  runs,
} from './record-lab.ts'

/** The text of every statement that the record service sent. */
const statements: string[] = []
const watched = (database: Database): Database => ({
  ...database,
  run(statement, values) {
    statements.push(statement.text)
    return database.run(statement, values)
  },
})

let lab: Lab
let ground: Ground
beforeAll(async () => {
  lab = await openLab(watched)
  const { catalog } = lab
  const rows = rowsOf(
    { rows: [3, 4, 5].map((cells) => ({ child: cells, cells })), shelves: [{ child: 0, cells: 9 }] },
    catalog,
  )
  await emptyLab(lab.database)
  await insertRows(lab, storable(rows, catalog))
  ground = { catalog, tables: naiveTables(rows, catalog), options: [...lab.options.values()] }
})
afterAll(() => lab.close())

async function statementsOf(
  requested: LabRequest,
): Promise<{ readonly ok: boolean; readonly texts: readonly string[] }> {
  statements.length = 0
  const { ok } = await lab.call(requested)
  return { ok, texts: statements.filter((text) => !text.startsWith('select catalog::text from')) }
}

// ── what is sent ──

/** Part of every text in the requests of this law. No statement may contain it. */
const MARK = 'zq7mark'
const markedText = fc.tuple(arbitraryValue, arbitraryValue).map(([before, after]) => `${before}${MARK}${after}`)

/** Names of members that parts of statements have, in libraries and here: a JSON body may have any shape. */
const TELLING_KEYS = [
  ...[
    'kind',
    'sqlFragments',
    'parameters',
    'parts',
    'texts',
    'values',
    'sql',
    'text',
    'name',
    'raw',
    'isRawBuilder',
    'node',
  ],
  ...['toOperationNode', 'compile', 'execute', 'then', 'toJSON', 'toString', 'valueOf', 'length', 'reader', 'index'],
  ...['__proto__', 'constructor', 'prototype', 'toPostgres', 'rawType', 'immediate', 'identifiers', 'column', 'table'],
]
const INSTRUCTIONS = [
  ...['value', 'link', 'display_value', 'clear', 'set', 'add', 'remove', 'increment', 'append', 'prepend', 'message'],
  ...['merge', 'find'],
]
const forgedKey = fc.oneof(
  fc.constantFrom(...INSTRUCTIONS),
  fc.constantFrom(...INSTRUCTIONS),
  fc.constantFrom(...TELLING_KEYS),
  fc.constantFrom('title', 'sys_id', 'shelf.name', 'name', 'user_name'),
  markedText,
)
const SQL_NODE = { kind: 'RawNode', sqlFragments: [`${MARK}'; drop table docket.lab; --`], parameters: [] }
const forgedJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    markedText,
    fc.constantFrom(null, true, 5, -0.5, 1e300, [], {}, SQL_NODE, { raw: SQL_NODE, isRawBuilder: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    // Through JSON text, so that `__proto__` is an ordinary key, as in a body.
    fc
      .array(fc.tuple(forgedKey, tie('value')), { minLength: 1, maxLength: 3 })
      .map((pairs) =>
        JSON.parse(`{${pairs.map((pair) => pair.map((part) => JSON.stringify(part)).join(':')).join(',')}}`),
      ),
  ),
})).value

const COLUMNS = ['lab', 'lab_part', 'lab_shelf'].flatMap((table) => Object.keys(LAB_TABLES[table]?.columns ?? {}))
const columnName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...COLUMNS.filter((name) => name !== 'pass'), 'sys_id', 'sys_created_by') },
  { weight: 1, arbitrary: fc.oneof(markedText, fc.constantFrom(...TELLING_KEYS)) },
)
const forgedBody = fc
  .array(fc.tuple(columnName, forgedJson), { minLength: 1, maxLength: 3 })
  .map((pairs) => JSON.parse(`{${pairs.map((pair) => pair.map((part) => JSON.stringify(part)).join(':')).join(',')}}`))

const operatorText = fc.constantFrom(
  '=',
  '!=',
  'LIKE',
  'IN',
  '>',
  'BETWEEN',
  'ON',
  'HAS',
  'SAMEAS',
  'DYNAMIC',
  'DATEPART',
  'INSTANCEOF',
)
const forgedQuery = fc
  .tuple(fc.oneof(columnName, markedText), fc.oneof(operatorText, markedText), markedText)
  .chain((parts) =>
    fc.constantFrom(
      parts.join(''),
      `ORDERBY${parts.join('')}`,
      `title=x^ORDERBYDESC${parts[2]}`,
      `(${parts.join('')})^NQ${parts.join('.')}`,
      `peer.${parts.join('')}`,
      `AREx^${parts.join('')}`,
    ),
  )
const forgedCursor = fc
  .array(fc.oneof(markedText, fc.constant(null)), { minLength: 1, maxLength: 3 })
  .map((keys) => Buffer.from(JSON.stringify(keys)).toString('base64url'))

const parameters = fc.oneof(
  fc.record({ sysparm_query: forgedQuery }),
  fc.record({ sysparm_fields: fc.tuple(columnName, markedText).map((parts) => parts.join(',')) }),
  fc.record({ sysparm_fields: fc.tuple(columnName, markedText).map((parts) => parts.join('.')) }),
  fc.record({
    sysparm_cursor: fc.oneof(forgedCursor, markedText),
    sysparm_query: fc.constantFrom('', 'ORDERBYtitle', 'ORDERBYDESCamount'),
  }),
  fc.record({ sysparm_view: markedText, sysparm_display_value: fc.constantFrom('1', 'all') }),
  fc.record({ sysparm_limit: markedText }),
  fc.dictionary(markedText, markedText, { maxKeys: 2 }),
)
const tableName = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('lab', 'lab_part', 'lab_shelf') },
  { weight: 1, arbitrary: markedText },
)
const sysId = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LAB_IDS.slice(0, 3), ABSENT_ID) },
  { weight: 1, arbitrary: markedText },
)

const arbitraryForged: fc.Arbitrary<LabRequest> = fc.oneof(
  fc.record({ operation: fc.constant('list' as const), table: tableName, parameters }),
  fc.record({ operation: fc.constant('read' as const), table: tableName, sysId, parameters }),
  fc.record({
    operation: fc.constant('create' as const),
    table: tableName,
    body: fc.oneof({ weight: 5, arbitrary: forgedBody }, { weight: 1, arbitrary: forgedJson }),
    parameters,
  }),
  fc.record({
    operation: fc.constantFrom('patch' as const, 'patch' as const, 'put' as const),
    table: tableName,
    sysId,
    body: forgedBody,
  }),
  fc.record({
    operation: fc.constantFrom('patch' as const, 'delete' as const),
    table: tableName,
    sysId,
    body: forgedBody,
    ifMatch: markedText,
  }),
)

/** The content of all tables of Docket. */
async function contents(): Promise<string> {
  const tables = await lab.database.rows<{ schema: string; name: string }>(sql`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('docket', 'docket_system') and table_type = 'BASE TABLE' order by 1, 2`)
  const parts = tables.map(
    ({ schema, name }) => sql`select ${name}::text as name, count(*)::text as rows,
      md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) as text from ${sql.id(schema, name)} as t`,
  )
  return JSON.stringify(await lab.database.rows(sql`${sql.join(parts, sql` union all `)}`))
}

test('no letter of a request becomes a letter of a statement, and what is rejected leaves every table as it was', async () => {
  let before = await contents()
  let reached = 0
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryForged, MAX_SHRINKS), async (requested) => {
      const { ok, texts } = await statementsOf(requested)
      expect(texts.filter((text) => text.includes(MARK))).toEqual([])
      // Most requests are rejected before any statement is sent.
      if (texts.length === 0) return
      reached += 1
      const after = await contents()
      if (!ok) expect(after).toBe(before)
      before = after
    }),
    runs(400),
  )
  expect(reached).toBeGreaterThan(20)
}, 300_000)

/** The same condition with other values. Values on which the text of the statement depends stay. */
function withOtherValues(tree: ConditionTree, values: readonly string[], count = { comparisons: 0 }): ConditionTree {
  if (tree.kind === 'rows') return tree
  if (tree.kind !== 'comparison')
    return { ...tree, of: tree.of.map((member) => withOtherValues(member, values, count)) }
  const { operator } = tree
  const value = textOfValue(tree.value)
  const typed = (text: string): ConditionTree => ({ ...tree, value: typedValue(operator, text, false) })
  const isKept = operandOf(operator) !== 'value' || operator === 'DYNAMIC' || operator === 'DATEPART' || isHelper(value)
  const other = values[count.comparisons % values.length] ?? ''
  count.comparisons += 1
  if (isKept || value === '' || value.includes('javascript:')) return tree
  if (operator === 'BETWEEN') return typed(`${other || 'x'}@${other || 'x'}`)
  // For equality, the statement depends on whether the value has a letter.
  const isEquality = operator === '=' || operator === '!=' || operator === 'IN' || operator === 'NOT IN'
  if (isEquality) return typed(isCaseless(value) ? `${other.replaceAll(/[^\d]/gu, '')}7` : `x${other}`)
  return typed(other || 'x')
}

const arbitraryTwo = fc.record({
  where: arbitraryConditionSeed,
  orders: arbitraryOrderSeeds,
  values: fc.array(fc.oneof(arbitraryValue, fc.constantFrom('1', '5', '2026-03-11', '12:00:00', 'true', '{}')), {
    minLength: 1,
    maxLength: 5,
  }),
  table: fc.constantFrom('lab', 'lab_part', 'lab_shelf'),
  page: anyOfFirst(3),
})

test('requests that differ in nothing but values are one statement', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryTwo, MAX_SHRINKS), async ({ where, orders, values, table, page }) => {
      const tree = conditionOf(where, table, ground)
      const terms = orders.map((order) => orderOf(order, table, ground))
      const call = (condition: ConditionTree, number: number) =>
        statementsOf({
          table,
          parameters: {
            sysparm_query: printEncodedQuery({ where: condition, orders: terms }),
            sysparm_page: String(number),
            sysparm_fields: 'sys_id',
          },
        })
      const one = await call(tree, page + 2)
      const other = await call(withOtherValues(tree, values), page + 5)
      if (!one.ok || !other.ok) return
      compared += 1
      expect(other.texts).toEqual(one.texts)
    }),
    runs(150),
  )
  expect(compared).toBeGreaterThan(20)
}, 300_000)
