import fc from 'fast-check'
import type { Catalog, Column } from '../../src/catalog/catalog.ts'
import { comparisonOf } from '../../src/column-types/column-types.ts'
import type { ComparisonType } from '../../src/column-types/comparison-types.ts'
import { fits } from '../../src/column-types/fitting-operators.ts'
import { allOf, anyOf } from '../../src/condition/combine-conditions.ts'
import type {
  ConditionComparison,
  ConditionTree,
  ConditionValue,
  OrderTerm,
} from '../../src/condition/condition-tree.ts'
import { isHelper } from '../../src/condition/dates/read-helper.ts'
import { operandOf } from '../../src/condition/operator-spellings.ts'
import { OPERATORS, type Operator } from '../../src/condition/operators.ts'
import { textOfValue } from '../../src/condition/print-encoded-query.ts'
import { NO_VALUE, splitMembers, typedValue } from '../../src/condition/typed-value.ts'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/kernel/sql.ts'
import { arbitraryValue, comparisonsOf } from './arbitrary-query.ts'
import {
  foldCase,
  type NaiveColumn,
  type NaiveRow,
  type NaiveTable,
  type NaiveType,
  type NaiveWorld,
} from './naive-evaluator.ts'
import { ANNA, BORIS, GROUPS, LAB_CHOICES, LAB_NOW, type Lab, type LabRow, USERS } from './record-lab.ts'

/**
 * Random rows for the tables of the lab (record-lab.ts) and random conditions on them. Only small numbers are random. A dictionary and rows
 * turn them into columns, operators and values, so that counterexamples shrink to small ones: 0 is the empty cell, the first column, the
 * first operator.
 */

// ── values ──

/** Texts that break parsers, quoting, LIKE, sorting and case folding. `k7q` is a separate word, for full-text search. */
export const TEXTS: readonly string[] = [
  ...['', ' ', 'printer', 'PRINTER_a', 'printer%a', 'принтер', 'Принтер', 'ПРИНТЕР', 'Ёлка', 'ёлка', 'елка', 'ежик'],
  ...['50%', '_', '%', 'a_b', 'aXb', "O'Brien", '"quoted"', '`', 'a^b', '^', '^^', '(x', 'x)', '(a)', 'a)b(c'],
  ...['null', 'NULL', 'true', '0', '2', '10', '-1', '1e3', 'a,b', 'a@b', '@', ',', '\\', '\\\\', '\n', '\t', 'a\nb'],
  ...['😀', '👩‍👩‍👧', 'straße', 'STRASSE', 'é', 'e\u0301', '--', ';drop table', '$1', '{x}', '[1]', '=5', 'STANCEOFx'],
  ...['ORDERBYtitle', '^NQtitle=1', 'k7q', 'слово k7q и ещё', '  two  spaces ', 'javascript:gs.getUserName()'],
]
const TAGS = ['vpn', 'VPN', 'почта', 'Почта', 'a b', '50%', 'x"y', '{', 'NULL', '\\', "it's"]
const WHOLE = ['0', '1', '-1', '2', '5', '7', '10', '42', '100']
const BIG = [...WHOLE, '9223372036854775807', '-9223372036854775807', '900000000000000001', '65000', '3600000']
const DECIMALS = [0, 0.1, 0.25, 1, 12.34, -5.5, 99999999.99]
const FLOATS = [0, 1.5, -2.25, 0.1, 1e-7, 1e300, -1e300]
/** Times around the fixed clock, changes to summer time in several zones, ends of years and weeks, and very early and late dates. */
const DATETIMES = [
  ...[
    '2026-03-11 14:25:36',
    '2026-03-11 14:25:35',
    '2026-03-11 00:00:00',
    '2026-03-10 23:59:59',
    '2026-03-10 21:00:00',
  ],
  ...[
    '2026-03-10 20:59:59',
    '2026-03-08 07:00:00',
    '2026-03-08 06:59:59',
    '2026-03-29 01:00:00',
    '2026-10-25 01:00:00',
  ],
  ...[
    '2025-12-31 23:59:59',
    '2026-01-01 00:00:00',
    '2024-12-30 12:00:00',
    '2026-02-28 23:59:59',
    '2024-02-29 00:00:00',
  ],
  ...[
    '2026-03-09 00:00:00',
    '2026-03-16 00:00:00',
    '2025-11-02 06:30:00',
    '1970-01-01 00:00:00',
    '1955-06-15 12:00:00',
  ],
  ...['2099-12-31 23:59:59', '2026-04-05 15:30:00', '2026-03-11 13:25:36', '2025-03-11 14:25:36'],
]
const DATES = [...new Set(DATETIMES.map((text) => text.slice(0, 10)))]
const TIMES = ['00:00:00', '08:30:00', '12:00:00', '14:25:36', '17:25:36', '23:59:59']
const JSONS = [
  '{}',
  '[]',
  '{"a":1}',
  '{"a":{"b":[1,2]}}',
  '"text"',
  '5',
  'true',
  '{"q\\"\'^":"Ё %_"}',
  '[null]',
  '1.50',
]

export const SHELF_IDS = Array.from({ length: 6 }, (_, index) => `90000000000000030${index}`)
export const LAB_IDS = Array.from({ length: 40 }, (_, index) => `9000000000000004${String(index).padStart(2, '0')}`)
export const VAULT_IDS = Array.from({ length: 3 }, (_, index) => `90000000000000050${index}`)
/** No record has this sys_id. */
export const ABSENT_ID = '900000000000000999'

/** Possible values of a column, in the form of `naive-evaluator.ts`. */
function poolOf(column: Column, ids: IdsOf): readonly Cell[] {
  if (column.name.startsWith('ctl') && column.type === 'integer') return ['0', '1', '2']
  if (column.name === 'record_id') return LAB_IDS
  if (column.name === 'column_name') return ['note', 'remark', 'part_note', 'title', 'amount']
  switch (column.type) {
    case 'smallinteger':
    case 'integer':
      return WHOLE
    case 'percent_complete':
      return WHOLE.filter((text) => text !== '-1')
    case 'days_of_week':
      return ['0', '1', '31', '64', '127']
    case 'list':
      return listsOf(column.reference === null ? TAGS : [...ids(column.reference), ABSENT_ID])
    case 'choice':
      return [...(LAB_CHOICES[column.name] ?? []), 'gone', '007', '']
    case 'document_id':
      return ids('')
    case 'sys_id':
      return ids(column.ownerTable)
    case 'reference':
      return ids(column.reference ?? '')
    case 'image':
    case 'file':
      return ['900000000000000601', '900000000000000602']
    default:
      return POOLS[comparisonOf(column)]
  }
}

export type Cell = string | number | boolean | readonly string[] | null
type IdsOf = (table: string) => readonly string[]

const POOLS: Readonly<Record<ComparisonType, readonly Cell[]>> = {
  text: TEXTS,
  choice: [],
  whole: BIG,
  decimal: DECIMALS,
  float: FLOATS,
  boolean: [true, false],
  datetime: DATETIMES,
  date: DATES,
  time: TIMES,
  id: [],
  uuid: [],
  key: [],
  list: [],
  document: [],
  json: JSONS,
  journal: [],
  nothing: [],
}

function listsOf(members: readonly string[]): readonly (readonly string[])[] {
  const [a = '', b = '', c = ''] = members
  const pairs = members.slice(1).map((member, index) => [member, members[index] ?? ''])
  return [[], ...members.map((member) => [member]), ...pairs, [c, a, b]]
}

export const pick = <T>(from: readonly T[], number: number): T => {
  const found = from[number % from.length]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

// ── rows ──

/** `child` selects the class; the cells are computed from `cells`, with 0 for a row of empty cells. */
export interface RowSeed {
  readonly child: number
  readonly cells: number
}

export interface WorldSeed {
  readonly rows: readonly RowSeed[]
  readonly shelves: readonly RowSeed[]
}

/** All numbers are equally likely: small ones do not break more. */
export const anyOfFirst = (count: number): fc.Arbitrary<number> => fc.noBias(fc.nat(count - 1))

// One number for all cells: a counterexample then shrinks by whole rows, because each step needs the database.
export const arbitraryRow: fc.Arbitrary<RowSeed> = fc.record({ child: anyOfFirst(3), cells: anyOfFirst(1_000_000) })

export const arbitraryWorld: fc.Arbitrary<WorldSeed> = fc.record({
  rows: fc.noBias(fc.array(arbitraryRow, { maxLength: 24, size: 'max' })),
  shelves: fc.noBias(fc.array(arbitraryRow, { minLength: 1, maxLength: SHELF_IDS.length, size: 'max' })),
})

export const CLASSES = ['lab', 'lab_part', 'lab_kit'] as const

export function rowsOf(seed: WorldSeed, catalog: Catalog): readonly LabRow[] {
  const shelves = seed.shelves.map((row, index) => ({ row, class: 'lab_shelf', id: SHELF_IDS[index] ?? '' }))
  const labs = seed.rows.map((row, index) => ({ row, class: pick(CLASSES, row.child), id: LAB_IDS[index] ?? '' }))
  const made = [...shelves, ...labs]
  const ids = idsIn(catalog, made)
  const vault = { class: 'lab_vault', values: { sys_id: VAULT_IDS[0] ?? '', code: 'vault k7q', depth: 5 } }
  return [
    vault,
    ...made.map(({ row, class: name, id }) => ({ class: name, values: valuesOf(name, id, row, catalog, ids) })),
  ]
}

/** One more row of `lab` or of a child table, which may refer to the existing rows. */
export function rowAmong(seed: RowSeed, id: string, catalog: Catalog, rows: readonly LabRow[]): LabRow {
  const standing = rows.map((row) => ({ class: row.class, id: String(row.values['sys_id']) }))
  const name = pick(CLASSES, seed.child)
  return { class: name, values: valuesOf(name, id, seed, catalog, idsIn(catalog, standing)) }
}

/** Another value for a cell, from the possible ones of its column, including references to these rows. */
export function otherCell(column: Column, number: number, catalog: Catalog, rows: readonly LabRow[]): Cell {
  const standing = rows.map((row) => ({ class: row.class, id: String(row.values['sys_id']) }))
  return pick([null, ...poolOf(column, idsIn(catalog, standing))], number)
}

/** Ids of the existing rows of a table; for '' document ids of some of them and of a missing record. */
function idsIn(catalog: Catalog, rows: readonly { readonly class: string; readonly id: string }[]): IdsOf {
  return (table) => {
    switch (table) {
      case '':
        return [...rows.map((row) => documentId(catalog, row.class, row.id)), documentId(catalog, 'lab', ABSENT_ID)]
      case 'user':
        return USERS
      case 'sys_group':
        return GROUPS
      case 'lab_vault':
        return VAULT_IDS.slice(0, 1)
      default: {
        const descendants = catalog.tables.get(table)?.descendants ?? []
        return rows.filter((row) => descendants.includes(row.class)).map((row) => row.id)
      }
    }
  }
}

export function documentId(catalog: Catalog, table: string, id: string): string {
  const hex = (digits: string): string => BigInt(digits).toString(16).padStart(16, '0')
  return hex(catalog.tables.get(table)?.id ?? '0') + hex(id)
}

const NOT_FILLED: ReadonlySet<string> = new Set(['sys_id', 'sys_created_at', 'sys_updated_at', 'sys_db_table_id'])

function valuesOf(table: string, id: string, row: RowSeed, catalog: Catalog, ids: IdsOf): Record<string, Cell> {
  const values: Record<string, Cell> = { sys_id: id }
  const next = numbersFrom(row.cells)
  for (const column of catalog.tables.get(table)?.columns.values() ?? []) {
    if (column.storage === null || NOT_FILLED.has(column.name)) continue
    const pool = poolOf(column, ids)
    const [isEmpty, number] = [next() % 5 === 0, next()]
    values[column.name] = row.cells === 0 || isEmpty || pool.length === 0 ? null : pick(pool, number)
  }
  return values
}

/** Mulberry32: pseudo-random whole numbers below 2^32, the same for the same seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** The rows in the form of PostgreSQL: JSON columns have JSON values, not texts. */
export function storable(rows: readonly LabRow[], catalog: Catalog): readonly LabRow[] {
  return rows.map((row) => ({
    ...row,
    values: Object.fromEntries(
      Object.entries(row.values).map(([name, value]) => [
        name,
        catalog.tables.get(row.class)?.columns.get(name)?.type === 'json' && typeof value === 'string'
          ? JSON.parse(value)
          : value,
      ]),
    ),
  }))
}

// ── the same rows for the naive evaluator ──

const NAIVE_TYPES: Readonly<Record<ComparisonType, NaiveType>> = {
  text: 'text',
  choice: 'choice',
  whole: 'bigint',
  decimal: 'number',
  float: 'number',
  boolean: 'boolean',
  datetime: 'datetime',
  date: 'date',
  time: 'time',
  id: 'bigint',
  uuid: 'text',
  key: 'text',
  list: 'list',
  document: 'document',
  json: 'json',
  journal: 'text',
  nothing: 'text',
}

/** Columns of built-in tables to which paths of conditions may lead. */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  user: ['sys_id', 'user_name', 'display_name', 'manager', 'language', 'time_zone'],
  sys_group: ['sys_id', 'name', 'manager'],
}

const PEOPLE: readonly NaiveRow[] = [
  { sys_id: ANNA, user_name: 'anna', display_name: 'Анна', manager: null, language: 'en', time_zone: 'UTC' },
  {
    sys_id: BORIS,
    user_name: 'boris',
    display_name: 'Борис 50%',
    manager: ANNA,
    language: 'ru',
    time_zone: 'Europe/Moscow',
  },
  { sys_id: USERS[2] ?? '', user_name: 'nobody', display_name: null, manager: BORIS, language: 'en', time_zone: 'UTC' },
]
const TEAMS: readonly NaiveRow[] = [
  { sys_id: GROUPS[0] ?? '', name: 'Support', manager: ANNA },
  { sys_id: GROUPS[1] ?? '', name: 'Сеть', manager: null },
  { sys_id: GROUPS[2] ?? '', name: 'sales_EU', manager: BORIS },
]

export function naiveTables(rows: readonly LabRow[], catalog: Catalog): Readonly<Record<string, NaiveTable>> {
  const tables: Record<string, NaiveTable> = {}
  for (const name of [...CLASSES, 'lab_shelf', 'lab_vault', 'user', 'sys_group']) {
    const table = catalog.tables.get(name)
    if (table === undefined) throw new Error(`no table ${name}`)
    const columns = [...table.columns.values()].filter((column) => isRequested(name, column))
    tables[name] = {
      displayColumn: table.displayColumn?.name ?? '',
      searchedColumns: columns.filter((column) => column.fullTextSearch).map((column) => column.name),
      columns: Object.fromEntries(columns.map((column) => [column.name, naiveColumn(column)])),
      rows:
        name === 'user'
          ? PEOPLE
          : name === 'sys_group'
            ? TEAMS
            : rows.filter((row) => table.descendants.includes(row.class)).map(naiveRow),
    }
  }
  return tables
}

/** Built-in tables with rows about records. Requests may list them, but laws do not check their content. */
export function tablesBeside(catalog: Catalog): Readonly<Record<string, NaiveTable>> {
  return Object.fromEntries(
    ['sys_journal_entry', 'sys_history', 'sys_attachment', 'sys_ui_form'].map((name) => {
      const columns = [...(catalog.tables.get(name)?.columns.values() ?? [])]
      return [
        name,
        {
          displayColumn: '',
          columns: Object.fromEntries(columns.map((each) => [each.name, naiveColumn(each)])),
          rows: [],
        },
      ]
    }),
  )
}

/** Conditions cannot use secrets. */
function isRequested(table: string, column: Column): boolean {
  if (column.type === 'password' || column.type === 'encrypted') return false
  return BUILT_IN[table]?.includes(column.name) ?? true
}

function naiveColumn(column: Column): NaiveColumn {
  if (column.name === 'sys_db_table_id') return { type: 'class' }
  if (column.type === 'reference' && column.reference !== null) return { type: 'reference', table: column.reference }
  const type = NAIVE_TYPES[comparisonOf(column)]
  return type === 'list' && column.reference !== null ? { type, table: column.reference } : { type }
}

function naiveRow(row: LabRow): NaiveRow {
  return {
    ...(row.values as NaiveRow),
    sys_db_table_id: row.class,
    sys_created_at: LAB_NOW,
    sys_updated_at: LAB_NOW,
  }
}

/** Everything that the naive evaluator needs for these rows, with Anna as the caller. */
export async function naiveWorld(
  lab: Lab,
  rows: readonly LabRow[],
  requested: { readonly where?: ConditionTree | null; readonly timeZone?: string } = {},
): Promise<NaiveWorld> {
  const { catalog } = lab
  return {
    tables: naiveTables(rows, catalog),
    moment: { nowMs: lab.clock.nowMs(), timeZone: requested.timeZone ?? 'UTC' },
    user: { id: ANNA, userName: 'anna', groupIds: GROUPS.slice(0, 2) },
    parentOf: { lab_part: 'lab', lab_kit: 'lab' },
    dynamicOptions: {
      [lab.options.get('Me') ?? '']: [ANNA],
      [lab.options.get('One of my groups') ?? '']: GROUPS.slice(0, 2),
    },
    compareText: await textOrder(lab.database, comparedTexts(rows, requested.where ?? null)),
    matchesWords: (texts, words) => texts.some((found) => wordsOf(found).includes(words.toLowerCase())),
  }
}

const wordsOf = (found: string): readonly string[] => found.toLowerCase().split(/[^\p{L}\p{N}]+/u)

/** Reads the order of these texts from the database: the law is about conditions, not about collations. */
async function textOrder(
  database: Database,
  texts: Iterable<string>,
): Promise<(a: string, b: string, type: NaiveType) => number> {
  const known = [...new Set([...texts].flatMap((text) => [text, foldCase(text)]))]
  const rows = await database.rows<{ text: string; place: number; number: number }>(sql`
    select v as text, dense_rank() over (order by docket_system.fold(v) collate docket_system.text_order)::integer as place,
           dense_rank() over (order by docket_system.fold(v) collate docket_system.number_order)::integer as number
    from unnest(${known}::text[]) as v`)
  const places = new Map(rows.map((row) => [row.text, row]))
  return (a, b, type) => {
    const [one, other] = [places.get(a), places.get(b)]
    if (one === undefined || other === undefined) throw new Error(`not ranked: ${JSON.stringify([a, b])}`)
    return type === 'choice' ? one.number - other.number : one.place - other.place
  }
}

/** All texts that may be compared when this condition is evaluated on these rows. */
function comparedTexts(rows: readonly LabRow[], tree: ConditionTree | null): ReadonlySet<string> {
  const cells = [...rows.flatMap((row) => Object.values(row.values)), ...[...PEOPLE, ...TEAMS].flatMap(Object.values)]
  const requested = comparisonsOf(tree).map(({ value }) => textOfValue(value))
  const values = requested.flatMap((text) => [text, ...text.split('@'), ...text.split(',')])
  return new Set([...cells.filter((cell) => typeof cell === 'string'), ...values, 'anna', ...CLASSES])
}

// ── conditions ──

/** One comparison as numbers, before tables and rows turn it into columns and values. */
export interface ComparisonSeed {
  readonly path: readonly number[]
  readonly operator: number
  readonly values: readonly number[]
  readonly other: readonly number[]
  readonly text: string
}

export type ConditionSeed =
  | { readonly kind: 'all' | 'any'; readonly of: readonly ConditionSeed[] }
  | { readonly kind: 'comparison'; readonly comparison: ComparisonSeed }

const hops = (count: number): fc.Arbitrary<number[]> => fc.array(anyOfFirst(30), { minLength: count, maxLength: count })

/** Long paths mostly end at an empty value, so half of the paths are columns of the record itself. */
export const arbitraryPath = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: hops(0) },
      { weight: 3, arbitrary: hops(1) },
      { weight: 1, arbitrary: hops(2) },
      { weight: 1, arbitrary: hops(3) },
    ),
    anyOfFirst(5_000),
  )
  .map(([walked, column]) => [...walked, column])

export const arbitraryComparisonSeed: fc.Arbitrary<ComparisonSeed> = fc.record({
  path: arbitraryPath,
  operator: anyOfFirst(120),
  values: fc.tuple(anyOfFirst(200), anyOfFirst(200), anyOfFirst(200), anyOfFirst(200)),
  other: arbitraryPath,
  text: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, { weight: 1, arbitrary: arbitraryValue }),
})

export const arbitraryConditionSeed: fc.Arbitrary<ConditionSeed> = fc.letrec<{ tree: ConditionSeed }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('comparison' as const), comparison: arbitraryComparisonSeed }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
      }),
    },
  ),
})).tree

export interface OrderSeed {
  readonly path: readonly number[]
  readonly descending: boolean
}

export const arbitraryOrderSeeds: fc.Arbitrary<readonly OrderSeed[]> = fc.noBias(
  fc.array(fc.record({ path: arbitraryPath, descending: fc.boolean() }), { maxLength: 3 }),
)

export function orderOf(seed: OrderSeed, table: string, ground: Ground): OrderTerm {
  const path = pathOf(seed.path, table, ground)?.path ?? []
  return { path, direction: seed.descending ? 'descending' : 'ascending', position: 0 }
}

/** The tables and rows that turn seeds into requests. */
export interface Ground {
  readonly catalog: Catalog
  readonly tables: Readonly<Record<string, NaiveTable>>
  /** sys_ids of the dynamic options for the caller and for their groups. */
  readonly options: readonly string[]
}

export function conditionOf(seed: ConditionSeed, table: string, ground: Ground): ConditionTree {
  if (seed.kind === 'comparison') return comparisonFrom(seed.comparison, table, ground)
  const [first, ...rest] = seed.of.map((member) => conditionOf(member, table, ground))
  if (first === undefined) throw new Error('nothing in brackets')
  return seed.kind === 'all' ? allOf([first, ...rest]) : anyOf([first, ...rest])
}

interface Reached {
  readonly path: readonly string[]
  readonly table: string
  readonly column: Column
  readonly isThroughList: boolean
}

/** All numbers except the last select references, as long as there are any. */
export function pathOf(
  numbers: readonly number[],
  table: string,
  ground: Ground,
  {
    accepts = () => true,
    throughLists = false,
  }: { readonly accepts?: (column: Column) => boolean; readonly throughLists?: boolean } = {},
): Reached | null {
  const path: string[] = []
  let at = table
  let isThroughList = false
  for (const number of numbers.slice(0, -1)) {
    const references = columnsAt(at, ground).filter((column) => {
      const type = ground.tables[at]?.columns[column.name]?.type
      const leadsOn = type === 'reference' || (throughLists && type === 'list')
      return leadsOn && ground.tables[column.reference ?? ''] !== undefined
    })
    if (references.length === 0) break
    const step = pick(references, number)
    isThroughList ||= step.type === 'list'
    path.push(step.name)
    at = step.reference ?? ''
  }
  const last = columnsAt(at, ground).filter(accepts)
  if (last.length === 0) return null
  const column = pickByComparisonType(last, numbers.at(-1) ?? 0)
  return { path: [...path, column.name], table: at, column, isThroughList }
}

/** Each comparison type is equally likely, regardless of its number of columns: most columns are texts. */
export function pickByComparisonType(columns: readonly Column[], number: number): Column {
  const descendantsById = [...Map.groupBy(columns, (column) => comparisonOf(column)).values()]
  return pick(pick(descendantsById, number), Math.floor(number / descendantsById.length))
}

function columnsAt(table: string, { catalog, tables }: Ground): readonly Column[] {
  return Object.keys(tables[table]?.columns ?? {}).flatMap((name) => catalog.tables.get(table)?.columns.get(name) ?? [])
}

export function comparisonFrom(seed: ComparisonSeed, table: string, ground: Ground): ConditionComparison {
  const reached = pathOf(seed.path, table, ground, { throughLists: true })
  if (reached === null) throw new Error(`${table} has no columns`)
  const { path, column } = reached
  const operators = operatorsFor(column).filter((each) => !reached.isThroughList || operandOf(each) !== 'field')
  const operator = pick(operators, seed.operator)
  const text = textFor(operator, reached, { seed, table, ground })
  const value = typedFor(operator, text)
  const ofRecord = operator === 'ARE' && (seed.values[1] ?? 0) % 2 === 0
  return { kind: 'comparison', path: ofRecord ? [] : path, operator, value, position: 0 }
}

function operatorsFor(column: Column): readonly Operator[] {
  if (column.name === 'sys_db_table_id') return ['INSTANCEOF', 'ISEMPTY', 'ISNOTEMPTY']
  const descendants = comparisonOf(column)
  return OPERATORS.filter(
    (operator) =>
      fits(operator, column) && operator !== 'INSTANCEOF' && !(descendants === 'nothing' && operator === 'ARE'),
  )
}

interface ValueContext {
  readonly seed: ComparisonSeed
  readonly table: string
  readonly ground: Ground
}

function typedFor(operator: Operator, text: string): ConditionValue {
  if (operandOf(operator) === 'none') return NO_VALUE
  return operandOf(operator) === 'field' ? { kind: 'field', path: text.split('.') } : typedValue(operator, text, false)
}

function textFor(operator: Operator, reached: Reached, context: ValueContext): string {
  const { seed, ground, table } = context
  const { column } = reached
  const descendants = comparisonOf(column)
  const [first = 0, second = 0, third = 0, fourth = 0] = seed.values
  if (operandOf(operator) === 'none') return ''
  if (operandOf(operator) === 'field') {
    const other = pathOf(seed.other, table, ground, {
      accepts: (each) => comparisonOf(each) === descendants && each.name !== 'sys_db_table_id',
    })
    return (other?.path ?? reached.path).join('.')
  }
  const one = (number: number): string => valueStanding(reached, number, context)
  switch (operator) {
    case 'IN':
    case 'NOT IN': {
      if (descendants === 'id' && fourth % 8 === 0) return GROUPS_HELPER
      const members = [first, second, third].slice(0, 1 + (fourth % 3)).map(one)
      // The helper for all groups of the caller is a whole value, not a member of a list.
      if (members.includes(GROUPS_HELPER)) return GROUPS_HELPER
      // A helper is one member, even if it contains commas.
      const joint = fourth % 2 === 0 && !members.some(isHelper) ? ',' : '@'
      return plain(members.join(joint), descendants)
    }
    case '<':
    case '>':
    case '<=':
    case '>=': {
      // A set of groups has no order.
      const value = one(first)
      return value === GROUPS_HELPER ? ABSENT_ID : value
    }
    case 'BETWEEN':
      return [one(first), one(second)].map((text) => text.replaceAll('@', '') || '1').join('@')
    case 'LIKE':
    case 'NOT LIKE':
    case 'STARTSWITH':
    case 'NOTSTARTSWITH':
    case 'ENDSWITH':
      return partOfText(reached, context)
    case 'ON':
    case 'NOTON':
      return pick(PERIODS, first)
    case 'RELATIVEGT':
    case 'RELATIVEGE':
    case 'RELATIVELT':
    case 'RELATIVELE':
    case 'RELATIVEEE':
      return `@${pick(UNITS, first)}@${pick(['ago', 'ahead'], second)}@${pick([0, 1, 2, 7, 30], third)}`
    case 'DATEPART':
      return pick(DATE_PARTS, first)
    case 'HAS':
    case 'HASNOT':
      // A list without members is 400.
      return pick(
        [...cellsStanding(reached.table, column, ground).flat(), ...TAGS, ...SHELF_IDS].map(String).filter(hasMember),
        first,
      )
    case 'MATCH_PAT':
      return wildcardsOf(partOfText(reached, context), first)
    case 'MATCH_RGX':
      return pick(REGEXES, first)
    case 'DYNAMIC':
    case 'CONTAINS_DYNAMIC':
    case 'DOESNOTCONTAIN_DYNAMIC':
      return pick(['me', 'mygroups', ...ground.options], first)
    case 'INSTANCEOF':
      return pick([...CLASSES, 'lab_shelf', 'user'], first)
    case 'ARE':
      return pick(['k7q', 'K7Q', 'w9z'], first)
    default:
      return one(first)
  }
}

const hasMember = (text: string): boolean => splitMembers(text).length > 0

/** Without letters whose case differs between alphabets. */
const REGEXES = ['.*', '.{0,5}', '[^@]*', '[0-9]+', '.*[0-9].*', '(?:a|b|1).*', '(.*a)?.*b.*', '^.+$', '.*[^0-9 ]']

function wildcardsOf(text: string, number: number): string {
  const escaped = [...text].slice(0, 20).map((letter) => (/[*?\\]/.test(letter) ? `\\${letter}` : letter))
  const some = number % 3 === 0 && escaped.length > 0 ? ['?', ...escaped.slice(1)] : escaped
  return `${number % 5 === 0 ? '' : '*'}${some.join('')}${number % 7 === 0 && some.length > 0 ? '' : '*'}` || '*'
}

/** A text that begins like a helper gets a letter in front. */
const plain = (text: string, descendants: ComparisonType): string =>
  (descendants === 'text' || descendants === 'choice') && text.startsWith('javascript:') ? `x${text}` : text

const GROUPS_HELPER = 'javascript:gs.getMyGroups()'
const HELPERS: Partial<Readonly<Record<ComparisonType, readonly string[]>>> = {
  datetime: [
    'javascript:gs.nowDateTime()',
    'javascript:gs.beginningOfToday()',
    "javascript:gs.dateGenerate('2026-03-08','02:30:00')",
  ],
  date: ['javascript:gs.now()', 'javascript:gs.daysAgo(1)', 'javascript:gs.endOfLastMonth()'],
  time: ['javascript:gs.nowDateTime()', 'javascript:gs.beginningOfToday()'],
  id: ['javascript:gs.getUserID()', GROUPS_HELPER],
  list: ['javascript:gs.getUserID()', GROUPS_HELPER],
  text: ['javascript:gs.getUserName()'],
}

/** Mostly a value that some row has, so that conditions are sometimes true. */
function valueStanding({ table, column }: Reached, number: number, { seed, ground }: ValueContext): string {
  const descendants = comparisonOf(column)
  const helpers = HELPERS[descendants] ?? []
  if (helpers.length > 0 && number % 11 === 10) return pick(helpers, number)
  if (seed.text !== '' && (descendants === 'text' || descendants === 'choice' || descendants === 'nothing'))
    return plain(seed.text, 'text')
  const standing = cellsStanding(table, column, ground)
  const cells = number % 4 === 0 || standing.length === 0 ? poolIn(column, ground) : standing
  const text = cellText(pick(cells, Math.floor(number / 4)))
  const folded = number % 3 === 0 && descendants === 'text' ? text.toUpperCase().replaceAll('İ', 'I') : text
  return plain(
    descendants === 'whole' && folded === '' ? '0' : folded,
    descendants === 'nothing' ? 'text' : descendants,
  )
}

const EXTRA: Partial<Readonly<Record<ComparisonType, readonly Cell[]>>> = {
  id: [ABSENT_ID],
  document: ['0'.repeat(32)],
  journal: ['x', 'k7q noted'],
  nothing: ['x'],
}

function poolIn(column: Column, ground: Ground): readonly Cell[] {
  return [...poolOf(column, (of) => idsStanding(of, ground)), ...(EXTRA[comparisonOf(column)] ?? [])]
}

/** The values of the rows of the table, and further possible ones. */
export function cellsFor(table: string, column: Column, ground: Ground): readonly Cell[] {
  return [...cellsStanding(table, column, ground), ...poolIn(column, ground)]
}

function cellsStanding(table: string, column: Column, { tables }: Ground): readonly Cell[] {
  return (tables[table]?.rows ?? []).map((row) => row[column.name] ?? null).filter((cell) => cell !== null)
}

function idsStanding(table: string, { tables, catalog }: Ground): readonly string[] {
  if (table === 'sys_db_table') return [...CLASSES, 'lab_shelf'].flatMap((name) => catalog.tables.get(name)?.id ?? [])
  const name = table === '' ? 'lab' : table
  const ids = (tables[name]?.rows ?? []).map((row) => String(row['sys_id']))
  return table === '' ? ids.map((id) => documentId(catalog, 'lab', id)) : ids
}

function cellText(cell: Cell): string {
  return Array.isArray(cell) ? cell.join(',') : String(cell)
}

function partOfText({ table, column }: Reached, { seed, ground }: ValueContext): string {
  const [first = 0, second = 0, third = 0, fourth = 0] = seed.values
  if (seed.text !== '') return plain(seed.text, 'text')
  if (first % 13 === 12) return 'javascript:gs.getUserName()'
  const leadsOn = column.type === 'reference' || column.type === 'list'
  const displayedTable = leadsOn ? (column.reference ?? '') : table
  const displayed = leadsOn ? (ground.tables[displayedTable]?.displayColumn ?? '') : column.name
  const standing = (ground.tables[displayedTable]?.rows ?? [])
    .map((row) => row[displayed])
    .filter((cell) => typeof cell === 'string')
  const letters = [...pick([...standing, ...TEXTS], first)]
  const from = letters.length === 0 ? 0 : second % letters.length
  const part = fourth % 3 === 0 ? letters : letters.slice(from, from + 1 + (third % 4))
  return plain(part.join(''), 'text')
}

const UNITS = ['minute', 'hour', 'day', 'dayofweek', 'week', 'month', 'quarter', 'year']
const PERIODS = [
  ...[
    'Today',
    'Yesterday',
    'Tomorrow',
    'This week',
    'Last week',
    'Next week',
    'This month',
    'Last month',
    'This quarter',
  ],
  ...[
    'Next quarter',
    'This year',
    'Last year',
    'One year ago',
    'Last 7 days',
    'Last 3 months',
    'Last 2 hours',
    'next 2 weeks',
  ],
  ...[
    'This hour',
    'Current minute',
    'Last 2 years',
    '2026-03-11',
    'x@2026-03-08@2026-03-11',
    'Диапазон@2026-03-10@2026-03-10',
  ],
  'x@2026-03-08 02:30:00@2026-03-29 03:30:00',
  'Today@javascript:gs.beginningOfToday()@javascript:gs.endOfToday()',
]
const DATE_PARTS = [
  ...[
    'year@2026',
    'year@LT@2000',
    'quarter@1',
    'quarter@NE@1',
    'month@3',
    'month@mar',
    'week@11',
    'week@GE@52',
    'day@11',
  ],
  ...['day@LE@1', 'weekday@wed', 'weekday@GT@5', 'dayofweek@1', 'hour@14', 'hour@GE@17', 'hour@EE@0', 'hour@NE@23'],
  "Monday@javascript:gs.datePart('dayofweek','monday','EE')",
]
