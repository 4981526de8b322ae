import fc from 'fast-check'
import type { Column } from '../../src/catalog/catalog.ts'
import { isResolvedPath, resolvePath } from '../../src/catalog/resolve-path.ts'
import { comparisonOf } from '../../src/column-types/column-types.ts'
import { printEncodedQuery } from '../../src/condition/print-encoded-query.ts'
import {
  ABSENT_ID,
  anyOfFirst,
  arbitraryConditionSeed,
  arbitraryOrderSeeds,
  arbitraryPath,
  type Cell,
  type ConditionSeed,
  cellsFor,
  conditionOf,
  type Ground,
  type OrderSeed,
  orderOf,
  pathOf,
  pick,
  pickByComparisonType,
  TEXTS,
} from './arbitrary-records.ts'
import type { Lab, LabRequest } from './record-lab.ts'

/** Random requests of every kind, as numbers. Tables, rows and earlier responses turn them into requests. */
export interface RequestSeed {
  readonly operation: LabRequest['operation'] & string
  readonly table: number
  readonly record: number
  readonly fields: readonly (readonly number[])[]
  readonly query: ConditionSeed | null
  readonly orders: readonly OrderSeed[]
  readonly parameters: Readonly<Record<string, string>>
  readonly paging: 'none' | 'cursor' | 'next'
  readonly body: readonly WriteSeed[]
  readonly match: 'none' | 'known' | 'wrong'
}

interface WriteSeed {
  readonly column: number
  readonly kind: number
  readonly values: readonly [number, number, number]
}

const arbitraryWrite: fc.Arbitrary<WriteSeed> = fc.record({
  column: anyOfFirst(5_000),
  kind: anyOfFirst(60),
  values: fc.tuple(anyOfFirst(200), anyOfFirst(200), anyOfFirst(200)),
})

const given = (values: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...values) })

const arbitraryParameters = fc
  .record({
    sysparm_display_value: given(['1', 'all', '0']),
    sysparm_exclude_reference_link: given(['1']),
    sysparm_view: given(['Shared', 'Mine', 'Theirs', '1']),
    sysparm_limit: given(['1', '2', '3', '5', '100']),
    sysparm_page: given(['1', '2', '3']),
    sysparm_no_count: given(['1']),
    sysparm_rights: fc.constantFrom(undefined, '1'),
    sysparm_max_text: given(['1', '4', '12']),
    sysparm_wysiwyg: given(['json', 'elements']),
  })
  .map((parameters) => Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)))

export const arbitraryRequest: fc.Arbitrary<RequestSeed> = fc.record({
  operation: fc.constantFrom(
    'list',
    'list',
    'list',
    'list',
    'stats',
    'stats',
    'read',
    'read',
    'patch',
    'patch',
    'put',
    'create',
    'delete',
  ),
  table: anyOfFirst(60),
  record: anyOfFirst(400),
  fields: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(arbitraryPath, { minLength: 1, maxLength: 6 }) },
  ),
  query: fc.option(arbitraryConditionSeed, { nil: null }),
  orders: arbitraryOrderSeeds,
  parameters: arbitraryParameters as fc.Arbitrary<Record<string, string>>,
  paging: fc.constantFrom('none', 'none', 'cursor', 'next'),
  body: fc.noBias(fc.array(arbitraryWrite, { maxLength: 3 })),
  match: fc.constantFrom('none', 'none', 'none', 'known', 'known', 'wrong'),
})

/** What the caller knows from earlier responses. */
export interface Memory {
  cursor: { readonly of: LabRequest; readonly next: string } | null
  /** By sys_id of the record. */
  readonly etags: Map<string, string>
}

const TABLES = ['lab', 'lab', 'lab', 'lab_part', 'lab_part', 'lab_kit', 'lab_shelf'] as const
/** Tables that only the server writes, or nobody. */
const READ_TABLES = [
  ...TABLES,
  'lab_vault',
  'sys_journal_entry',
  'sys_history',
  'sys_attachment',
  'sys_ui_form',
  'user',
  'no_such_table',
]

export function requestOf(seed: RequestSeed, ground: Ground, memory: Memory): LabRequest {
  if (seed.paging === 'next' && seed.operation === 'list' && memory.cursor !== null) {
    const { of, next } = memory.cursor
    return { ...of, parameters: { ...of.parameters, sysparm_cursor: next } }
  }
  const { operation } = seed
  const isRead = operation === 'list' || operation === 'read' || operation === 'stats'
  const table = pick(isRead ? READ_TABLES : TABLES, seed.table)
  const parameters: Record<string, string> = { ...seed.parameters }
  const fields = seed.fields.flatMap((path) => pathOf(path, table, ground)?.path.join('.') ?? [])
  if (operation === 'stats') Object.assign(parameters, aggregatesOf(fields, table, { seed, ground }))
  else if (fields.length > 0) parameters['sysparm_fields'] = fields.join(',')
  const isRequested = operation === 'list' || operation === 'stats' || (operation === 'read' && seed.record % 4 === 0)
  const query = isRequested && ground.tables[table] !== undefined ? queryOf(seed, table, ground) : ''
  if (query !== '') parameters['sysparm_query'] = query
  if (operation === 'list' && seed.paging === 'cursor') parameters['sysparm_cursor'] = '*'
  if (operation === 'list' || operation === 'stats') return { operation, table, parameters }
  const body = operation === 'read' || operation === 'delete' ? {} : { body: bodyOf(seed, table, ground) }
  if (operation === 'create') return { operation, table, parameters, ...body }
  const sysId = recordOf(seed, table, ground)
  const ifMatch = matchOf(seed, memory.etags.get(sysId))
  return { operation, table, parameters, sysId, ...body, ...(ifMatch !== undefined && { ifMatch }) }
}

const SUMMED = /^(integer|smallinteger|biginteger|decimal|float|percent_complete|duration)$/
const RANGED = /^(integer|smallinteger|biginteger|decimal|float|percent_complete|duration|datetime|date|time)$/

/** Groups by the first fields, and for every field the aggregates of its type. */
function aggregatesOf(
  paths: readonly string[],
  table: string,
  { seed, ground }: { readonly seed: RequestSeed; readonly ground: Ground },
): Readonly<Record<string, string>> {
  const start = ground.catalog.tables.get(table)
  const typeOf = (path: string): string => {
    const fieldPath = start === undefined ? null : resolvePath(ground.catalog, start, path.split('.'))
    return fieldPath !== null && isResolvedPath(fieldPath) ? fieldPath.end.column.type : ''
  }
  const summed = paths.filter((path) => SUMMED.test(typeOf(path)))
  const ranged = paths.filter((path) => RANGED.test(typeOf(path)))
  const [first] = summed
  /** A column that is no date is rejected with a unit. */
  const withUnit = (path: string): string =>
    /^date/.test(typeOf(path)) || seed.record % 29 === 0 ? `${path}${pick(UNITS, seed.record)}` : path
  const order = first === undefined ? '-count' : pick(['-count', `sum(${first})`, `-max(${first}),count`], seed.record)
  const having =
    first === undefined
      ? 'count>1'
      : pick(['', 'count>1', `sum(${first})>0`, `avg(${first})<=2.5^count<4`], seed.record)
  const groupedBy = [...datesOf(table, { seed, ground }), ...paths.slice(0, seed.record % 3).map(withUnit)]
  const [firstGroup] = groupedBy
  return {
    sysparm_group_by: groupedBy.join(','),
    sysparm_sum_fields: summed.join(','),
    sysparm_avg_fields: summed.join(','),
    sysparm_min_fields: ranged.join(','),
    sysparm_max_fields: ranged.join(','),
    sysparm_order_by: firstGroup !== undefined && seed.record % 7 < 2 ? `-${firstGroup}` : order,
    sysparm_having: having,
  }
}

const UNITS = [':week', ':day', ':hour', ':month', ':quarter', ':year', '']

/** Of the many columns few are dates: every third request groups by one. */
function datesOf(
  table: string,
  { seed, ground }: { readonly seed: RequestSeed; readonly ground: Ground },
): readonly string[] {
  const isDate = ({ type }: Column): boolean => type === 'date' || type === 'datetime'
  const reached = pathOf(seed.fields[0] ?? [seed.record], table, ground, { accepts: isDate })
  return seed.record % 3 !== 2 || reached === null ? [] : [`${reached.path.join('.')}${pick(UNITS, seed.record)}`]
}

function queryOf(seed: RequestSeed, table: string, ground: Ground): string {
  const where = seed.query === null ? null : conditionOf(seed.query, table, ground)
  const orders = seed.operation === 'list' ? seed.orders.map((order) => orderOf(order, table, ground)) : []
  return printEncodedQuery({ where, orders })
}

function recordOf(seed: RequestSeed, table: string, { tables }: Ground): string {
  const ids = (tables[table]?.rows ?? []).map((row) => String(row['sys_id']))
  const others = (tables['lab']?.rows ?? []).map((row) => String(row['sys_id']))
  // Mostly a record of the table; sometimes one of another table, or a missing one.
  return pick(
    ids.length === 0 || seed.record % 5 === 0 ? [...others, ABSENT_ID, 'x'] : ids,
    Math.floor(seed.record / 5),
  )
}

function matchOf({ match }: RequestSeed, known: string | undefined): string | undefined {
  if (match === 'none') return undefined
  return match === 'known' ? known : '"d41d8cd98f00b204e9800998ecf8427e"'
}

// ── bodies ──

function bodyOf(seed: RequestSeed, table: string, ground: Ground): Readonly<Record<string, unknown>> {
  const columns = [...(ground.catalog.tables.get(table)?.columns.values() ?? [])].filter(
    (column) => column.type !== 'password' && column.type !== 'encrypted',
  )
  const open = columns.filter((column) => !column.readOnly)
  return Object.fromEntries(
    seed.body.map((write) => {
      const column = pickByComparisonType(write.kind % 9 === 8 ? columns : open, write.column)
      return [column.name, valueWritten(column, write, { table, ground, mayInstruct: seed.operation === 'patch' })]
    }),
  )
}

interface WriteContext {
  readonly table: string
  readonly ground: Ground
  readonly mayInstruct: boolean
}

function valueWritten(column: Column, seed: WriteSeed, context: WriteContext): unknown {
  const [first, second, third] = seed.values
  const value = (number: number): unknown =>
    jsonOf(column, pick(cellsFor(context.table, column, context.ground), number))
  const text = (number: number): string => pick(TEXTS, number)
  const number = pick([1, -1, 5, 0, 2_000_000_000, 0.5], second)
  const shelves = (context.ground.tables['lab_shelf']?.rows ?? []).map((row) => row['sys_id'])
  const members = [first, second].map((each) => pick([...shelves, 'vpn', 'a b'], each))
  const plain: (() => unknown)[] = [() => value(first), () => value(second), () => ({ value: value(first), link: 'x' })]
  // Taken with sysparm_wysiwyg=json.
  if (column.type === 'wysiwyg') plain.push(() => ({ type: 'doc', content: [paragraphOf(text(first))] }))
  const kinds = [...plain]
  const odd: (() => unknown)[] = [
    () => null,
    () => ({ clear: true }),
    () => '',
    () => ({ no_such: 1 }),
    () => [1],
    () => third,
  ]
  const descendants = comparisonOf(column)
  if (descendants === 'whole' || descendants === 'decimal' || descendants === 'float')
    kinds.push(() => ({ increment: number }))
  if (descendants === 'text')
    kinds.push(
      () => ({ append: text(first) }),
      () => ({ prepend: text(second) }),
    )
  if (descendants === 'list') {
    kinds.push(
      () => ({ add: members }),
      () => ({ remove: members }),
      () => ({ add: [members[0]], remove: [members[1]] }),
    )
  }
  if (descendants === 'json') kinds.push(() => ({ merge: { a: first, b: { c: null } } }))
  if (descendants === 'nothing')
    kinds.push(
      () => ({ message: text(first) }),
      () => text(second),
    )
  if (column.type === 'reference') kinds.push(() => ({ find: findOf(column, seed, context) }))
  const isOdd = seed.kind % 6 === 0
  return pick(isOdd ? odd : context.mayInstruct ? kinds : plain, Math.floor(seed.kind / 6))()
}

const paragraphOf = (text: string): unknown => ({ type: 'paragraph', content: [{ type: 'text', text }] })

function findOf(column: Column, { values: [first, second, third] }: WriteSeed, { ground }: WriteContext): unknown {
  const reached = pathOf(third % 3 === 0 ? [first, second] : [second], column.reference ?? '', ground)
  if (reached === null) return { sys_id: ABSENT_ID }
  const cell = pick(cellsFor(reached.table, reached.column, ground), first)
  return { [reached.path.join('.')]: Array.isArray(cell) ? cell.join(',') : cell }
}

function jsonOf(column: Column, cell: Cell): unknown {
  return column.type === 'json' && typeof cell === 'string' ? JSON.parse(cell) : cell
}

export function remember(memory: Memory, requested: LabRequest, response: Awaited<ReturnType<Lab['call']>>): void {
  if (!response.ok) return
  const { 'x-next-cursor': next, etag } = response.value.headers
  if (next !== undefined) memory.cursor = { of: requested, next }
  if (etag !== undefined && requested.sysId !== undefined) memory.etags.set(requested.sysId, etag)
}
