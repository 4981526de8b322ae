import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ConditionTree } from '../../src/condition/condition-tree.ts'
import { operandOf } from '../../src/condition/operator-spellings.ts'
import { parseMetadataFilter } from '../../src/condition/parse-encoded-query.ts'
import { printEncodedQuery, textOfValue } from '../../src/condition/print-encoded-query.ts'
import { NO_VALUE, typedValue } from '../../src/condition/typed-value.ts'
import { filterValuesOf, type Metadata, type Scalar } from '../../src/documents/filter/filter-values.ts'
import { filterCondition } from '../../src/documents/filter/read-filter.ts'
import { sql } from '../../src/kernel/sql.ts'
import { callerWith } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

/** The caller, at noon in Moscow. */
const asker = {
  principal: callerWith([], { groupIds: ['21', '22'], timeZone: 'Europe/Moscow' }),
  nowMs: Date.UTC(2026, 5, 15, 9),
}
const ownKeys = {
  doc_id: 'd',
  file_name: null,
  media_type: 'text/plain',
  language: null,
  loaded_at: '2024-01-01T00:00:00Z',
  size: 1,
}

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

// ── the specification in JavaScript ──

/** Evaluates a filter on the metadata itself, according to docs/spec/documents.md, section 5. */
function holds(tree: ConditionTree, metadata: Metadata): boolean {
  if (tree.kind === 'all') return tree.of.every((member) => holds(member, metadata))
  if (tree.kind === 'any') return tree.of.some((member) => holds(member, metadata))
  if (tree.kind === 'rows') throw new Error('a filter of documents asks for no rows')
  const key = tree.path.join('.')
  const stored = Object.hasOwn(metadata, key) ? (metadata[key] ?? null) : null
  const members = (Array.isArray(stored) ? (stored as readonly Scalar[]) : [stored as Scalar]).filter(
    (member): member is Exclude<Scalar, null> => member !== null && member !== '',
  )
  const { operator } = tree
  const value = textOfValue(tree.value)
  const some = (test: (member: Exclude<Scalar, null>) => boolean): boolean => members.some(test)
  const text = (test: (text: string) => boolean): boolean =>
    some((member) => typeof member === 'string' && test(member.toLowerCase()))
  const lower = value.toLowerCase()
  switch (operator) {
    case '=':
    case 'HAS':
      return some((member) => isEqual(member, value))
    case '!=':
    case 'HASNOT':
      return !some((member) => isEqual(member, value))
    case 'IN':
      return some((member) => listOf(value).some((one) => isEqual(member, one)))
    case 'NOT IN':
      return !some((member) => listOf(value).some((one) => isEqual(member, one)))
    case 'LIKE':
      return text((stored) => stored.includes(lower))
    case 'NOT LIKE':
      return !text((stored) => stored.includes(lower))
    case 'STARTSWITH':
      return text((stored) => stored.startsWith(lower))
    case 'NOTSTARTSWITH':
      return !text((stored) => stored.startsWith(lower))
    case 'ENDSWITH':
      return text((stored) => stored.endsWith(lower))
    case '<':
    case '>':
    case '<=':
    case '>=':
      return some((member) => inOrder(operator, orderOf(member, value)))
    case 'BETWEEN': {
      const [from = '', to = ''] = value.split('@')
      return some((member) => inOrder('>=', orderOf(member, from)) && inOrder('<=', orderOf(member, to)))
    }
    case 'ISEMPTY':
      return members.length === 0
    case 'ISNOTEMPTY':
      return members.length > 0
    default:
      throw new Error(`the generator made ${operator}`)
  }
}

const listOf = (value: string): readonly string[] => (value === '' ? [] : value.split(value.includes('@') ? '@' : ','))

function isEqual(member: Exclude<Scalar, null>, value: string): boolean {
  if (typeof member === 'boolean')
    return { true: true, '1': true, false: false, '0': false }[value.toLowerCase()] === member
  if (typeof member === 'number') return isNumber(value) && Number(value) === member
  const [one, other] = [instant(member), instant(value)]
  if (one !== undefined && other !== undefined) return one === other
  return member.toLowerCase() === value.toLowerCase()
}

/** Negative, 0 or positive: the member is less than, equal to or greater than the value; undefined: they are not comparable. */
function orderOf(member: Exclude<Scalar, null>, value: string): number | undefined {
  if (typeof member === 'boolean') return undefined
  if (typeof member === 'number') return isNumber(value) ? member - Number(value) : undefined
  const [one, other] = [instant(member), instant(value)]
  if (one !== undefined && other !== undefined) return one - other
  return Buffer.compare(Buffer.from(member.toLowerCase()), Buffer.from(value.toLowerCase()))
}

function inOrder(operator: '<' | '>' | '<=' | '>=', order: number | undefined): boolean {
  if (order === undefined) return false
  return { '<': order < 0, '>': order > 0, '<=': order <= 0, '>=': order >= 0 }[operator]
}

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)
const instant = (text: string): number | undefined => {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.test(text)) return undefined
  const withZone = /\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/i.test(text) || text.length === 10 ? text : `${text}Z`
  const ms = Date.parse(withZone.replace(' ', 'T').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  return Number.isNaN(ms) || new Date(text.slice(0, 10)).getUTCDate() !== Number(text.slice(8, 10)) ? undefined : ms
}

// ── random documents, and filters that often match them ──

const texts = [
  'open',
  'Open',
  'ОТКРЫТ',
  'открыт',
  'a',
  'b',
  '10',
  '1',
  'true',
  '100%',
  'a_b',
  'A,b',
  "it's",
  '"',
  '\\',
  'x@y',
  '2024',
]
const times = [
  '2024-01-31T10:00:00Z',
  '2024-01-31T13:00:00+03:00',
  '2024-01-31 10:00',
  '2024-01-31',
  '2024-02-30',
  '2025-06-01T00:00:00.5Z',
]
const numbers = [0, 1, -1, 10, 2.5, 1e21, -0.5]
const scalar = fc.oneof(
  fc.constantFrom(...texts),
  fc.constantFrom(...times),
  fc.constantFrom(...numbers),
  fc.boolean(),
  fc.constant(null),
  fc.constant(''),
)
const keys = ['status', 'priority', 'flag', 'created', 'tags', 'a.b', 'projectId', 'a "b" ^NQ=(1)', '__proto__', 'ключ']
const metadata = fc.dictionary(fc.constantFrom(...keys), fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), {
  noNullPrototype: true,
}) as fc.Arbitrary<Metadata>

const value = fc
  .oneof(
    fc.constantFrom(...texts, ...times, ...numbers.map(String), 'false', 'TRUE', '1.0', '1e1', '%', '_'),
    fc.string({ minLength: 1, maxLength: 3 }),
  )
  .filter((text) => text !== '' && !text.includes('\0') && text.isWellFormed())
const path = fc.constantFrom(...keys, 'absent').map((key) => (key === 'a.b' ? key.split('.') : [key]))
const tested = fc.oneof(
  fc.record({
    operator: fc.constantFrom(
      '=',
      '!=',
      'LIKE',
      'NOT LIKE',
      'STARTSWITH',
      'NOTSTARTSWITH',
      'ENDSWITH',
      '<',
      '>',
      '<=',
      '>=',
      'HAS',
      'HASNOT',
    ),
    value,
  }),
  fc.record({
    operator: fc.constantFrom('IN', 'NOT IN'),
    value: fc.array(value, { minLength: 1, maxLength: 3 }).map((all) => all.join('@')),
  }),
  fc.record({
    operator: fc.constant('BETWEEN'),
    value: fc
      .tuple(value, value)
      .filter((ends) => !ends.join('').includes('@'))
      .map((ends) => ends.join('@')),
  }),
  fc.record({ operator: fc.constantFrom('ISEMPTY', 'ISNOTEMPTY'), value: fc.constant('') }),
)
const leaf = fc.tuple(path, tested).map(([path, { operator, value: text }]): ConditionTree => {
  const value = operandOf(operator) === 'none' ? NO_VALUE : typedValue(operator, text, false)
  return { kind: 'comparison', path, operator, value, position: 0 }
})
const { tree } = fc.letrec<{ tree: ConditionTree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
    }),
  ),
}))

test('a filter holds for exactly the documents that the spec, evaluated by hand, says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(metadata, { minLength: 1, maxLength: 12 }),
      fc.array(tree, { minLength: 1, maxLength: 6 }),
      async (documents, filters) => {
        const values = documents.map((document) => JSON.stringify(filterValuesOf(document, ownKeys)))
        for (const filter of filters) {
          const text = printEncodedQuery({ where: filter, orders: [] })
          const condition = filterCondition(text, sql`d.filter_values`, asker)
          if (!condition.ok) throw new Error(`${text}: ${JSON.stringify(condition.error)}`)
          const rows = await fresh.database.rows(sql<{ n: string }>`
          select d.n from unnest(${values}::jsonb[]) with ordinality as d (filter_values, n) where ${condition.value ?? sql`true`} order by d.n`)
          const expected = documents.flatMap((document, at) => (holds(filter, document) ? [at] : []))
          expect(
            rows.map(({ n }) => Number(n) - 1),
            text,
          ).toEqual(expected)
        }
      },
    ),
    { numRuns: 150 },
  )
})

test.each([
  ['owner=javascript:gs.getUserID()', true],
  ['owner!=javascript:gs.getUserID()', false],
  ['name=javascript:gs.getUserName()', true],
  ['groupINjavascript:gs.getMyGroups()', true],
  ['group=javascript:gs.getUser().getMyGroups()', true],
  ['groupNOT INjavascript:gs.getMyGroups()', false],
  // Noon of 15 June in Moscow is nine o'clock in UTC.
  ['created=javascript:gs.nowDateTime()', true],
  ['created>=javascript:gs.beginningOfToday()', true],
  ['created<javascript:gs.beginningOfToday()', false],
  ['before=javascript:gs.beginningOfToday()', true],
  ['created>javascript:gs.daysAgo(7)', true],
  ['before<javascript:gs.daysAgo(7)', false],
  ['createdBETWEENjavascript:gs.daysAgo(1)@javascript:gs.nowDateTime()', true],
  ['createdINjavascript:gs.yesterday()@javascript:gs.nowDateTime()', true],
  // LIKE searches for the text of a helper, not for its value.
  ['noteLIKEjavascript:gs.now()', true],
] as const)('a helper stands for what it gives in the record query: %s', async (filter, expected) => {
  const metadata = {
    owner: asker.principal.userId,
    name: asker.principal.userName,
    group: '22',
    created: '2026-06-15T09:00:00Z',
    before: '2026-06-14T21:00:00Z',
    note: 'Type javascript:gs.now() here.',
  }
  const condition = filterCondition(filter, sql`d.filter_values`, asker)
  if (!condition.ok) throw new Error(JSON.stringify(condition.error))
  const values = JSON.stringify(filterValuesOf(metadata, ownKeys))
  const [row] = await fresh.database.rows(sql<{ holds: boolean }>`
    select ${condition.value ?? sql`true`} as holds from (select ${values}::jsonb) as d (filter_values)`)
  expect(row?.holds).toBe(expected)
})

test('a key of every document can be asked too, and the metadata of the same name comes first', async () => {
  const own = {
    doc_id: 'd1',
    file_name: 'a.pdf',
    media_type: 'application/pdf',
    language: 'ru',
    loaded_at: '2024-01-31T10:00:00.000Z',
    size: 10,
  }
  const requested = async (filter: string, metadata: Metadata = {}): Promise<boolean | undefined> => {
    const condition = filterCondition(filter, sql`d.filter_values`, asker)
    if (!condition.ok) throw new Error(JSON.stringify(condition.error))
    const [row] = await fresh.database.rows(sql<{ holds: boolean }>`
      select ${condition.value ?? sql`true`} as holds from (select ${JSON.stringify(filterValuesOf(metadata, own))}::jsonb) as d (filter_values)`)
    return row?.holds
  }
  expect(await requested('doc_id=D1^file_nameENDSWITH.pdf^media_type=application/pdf^language=ru')).toBe(true)
  expect(await requested('loaded_at>2024-01-31^loaded_at<2024-02-01^size>=10')).toBe(true)
  expect(await requested('language=ru', { language: 'de' })).toBe(false)
  expect(await requested('language=de', { language: 'de' })).toBe(true)
})

test.each([
  { filter: 'priority', position: 8, detail: /^Expected an operator/ },
  { filter: 'a=1^createdONToday', position: 4, detail: /^ON cannot be used on metadata\. It may be =, / },
  { filter: 'a=1^ORDERBYb', position: 4, detail: /^A filter has no order$/ },
  { filter: 'aBETWEEN1', position: 0, detail: /two values parted by one @/ },
  { filter: 'b=1^a=javascript:alert(1)', position: 4, detail: /Code is never run\.$/ },
  { filter: 'aINx@javascript:process.exit()', position: 0, detail: /Code is never run\.$/ },
  { filter: 'a>javascript:gs.getMyGroups()', position: 0, detail: /stands for several values, which have no order$/ },
  { filter: 'aBETWEEN1@javascript:gs.getMyGroups()', position: 0, detail: /does not stand for two ends$/ },
])('the filter $filter is rejected with its place', ({ filter, position, detail }) => {
  expect(filterCondition(filter, sql`x`, asker)).toEqual({
    ok: false,
    error: expect.objectContaining({ kind: 'bad-query', position, detail: expect.stringMatching(detail) }),
  })
  expect(parseMetadataFilter('a=1').ok).toBe(true)
})
