import type { MessageKey } from '../messages/keys.ts'
import type { Completion, CompletionContext, KnownColumn, KnownTable } from './complete-query.ts'
import { isComparable } from './filter-terms.ts'
import type {
  ColumnOfTable,
  ComparisonPlace,
  LinkedColumnPlace,
  LinkPlace,
  SignPlace,
  TablePlace,
} from './link-place.ts'

/** Where JOIN and RLQUERY are: the table whose rows they are conditions on. */
interface Around {
  readonly table: string
  readonly context: CompletionContext
}

/** What can be put in at the tables and columns of JOIN and RLQUERY: only what the server accepts there, and the user may read. */
export function linksFor(place: LinkPlace, around: Around): readonly Completion[] {
  switch (place.kind) {
    case 'table':
      return tablesFor(place, around)
    case 'link':
      return columnsFor(place, around)
    case 'comparison':
      return comparisonsFor(place, around)
    default:
      return signFor(place, around)
  }
}

/** Tables whose columns decide what is offered. */
export function tablesOfLink(place: LinkPlace): readonly string[] {
  if (place.kind !== 'table' && place.kind !== 'link') return []
  return [...(place.own === null ? [] : [place.own.table]), ...(place.kind === 'link' ? [place.table] : [])]
}

// ── tables ──

function tablesFor(place: TablePlace, { table, context }: Around): readonly Completion[] {
  const { role, own, from, to, next } = place
  const word = place.word.toLowerCase()
  const fits = (name: string): boolean => role !== 'own' || isSameHierarchy(name, table, context)
  const usual =
    role === 'own'
      ? [table]
      : role === 'other'
        ? [own === null ? null : columnIn(own, context)?.target]
        : context.known(table)?.referencedBy?.map((each) => each.table)
  const rank = ({ name, title }: CompletionContext['tables'][number]): number =>
    (usual?.includes(name) ? 0 : 1) +
    (name.startsWith(word) ? 0 : title.toLowerCase().startsWith(word) ? 2 : 4) +
    (name.startsWith('sys_') ? 8 : 0)
  return context.tables
    .filter(({ name, title }) => fits(name) && (name.includes(word) || title.toLowerCase().includes(word)))
    .toSorted((one, other) => rank(one) - rank(other) || one.title.localeCompare(other.title))
    .map(({ name, title }) => ({
      kind: 'table',
      from,
      to,
      insert: next === '.' ? name : `${name}.`,
      code: name,
      title,
      needs: next === '.' ? null : needsAfterTable(role, next),
    }))
}

function needsAfterTable(role: TablePlace['role'], next: string): Completion['needs'] {
  if (role === 'own' && next !== '=') return 'ownColumn'
  return role === 'counted' && next !== ',' ? 'countedColumn' : 'field'
}

/** One of them is the other, or extends it. Rows of both are then rows of one table. */
function isSameHierarchy(one: string, other: string, { tables }: CompletionContext): boolean {
  const parents = new Map(tables.map(({ name, parent }) => [name, parent]))
  const extendsTable = (name: string, ancestor: string): boolean => {
    for (let at: string | null | undefined = name; at != null; at = parents.get(at)) if (at === ancestor) return true
    return false
  }
  return extendsTable(one, other) || extendsTable(other, one)
}

// ── columns ──

function columnsFor(place: LinkedColumnPlace, around: Around): readonly Completion[] {
  const { context } = around
  const { role, from, to, next } = place
  const table = tableNamed(place.table, context)
  if (table === undefined) return []
  const word = place.word.toLowerCase()
  const rank = ({ name, title }: KnownColumn): number =>
    // A reference is compared with the key of its records.
    (role === 'other' && name === 'sys_id' ? -1 : 0) +
    (name.startsWith(word) ? 0 : title.toLowerCase().startsWith(word) ? 2 : 4) +
    (name.startsWith('sys_') && name !== 'sys_id' ? 1 : 0)
  return [...table.columns.values()]
    .filter((column) => mayRead(column) && fitsLink(column, place, around))
    .filter(({ name, title }) => name.includes(word) || title.toLowerCase().includes(word))
    .toSorted((one, other) => rank(one) - rank(other) || one.title.localeCompare(other.title))
    .map(({ name, title }) => ({
      kind: 'field',
      from,
      to,
      insert: name,
      code: `${place.table}.${name}`,
      title,
      needs: role === 'own' && next !== '=' ? 'otherTable' : role === 'counted' && next !== ',' ? 'count' : null,
    }))
}

const mayRead = ({ rights }: KnownColumn): boolean => rights.read !== 'never'

/** As the server decides it (src/records/authorize/linked-rows.ts). */
function fitsLink(column: KnownColumn, { role, table, own }: LinkedColumnPlace, around: Around): boolean {
  const { context } = around
  if (role === 'counted') return refersTo(column, around.table, context)
  if (role === 'own') return isKey(column) || refers(column) || isPlain(column)
  const first = own === null ? null : columnIn(own, context)
  if (own === null || first === null) return false
  if (isKey(first)) return refersTo(column, own.table, context)
  if (isKey(column)) return refersTo(first, table, context)
  return isPlain(first) && isPlain(column) && isComparable(first, column)
}

const isKey = ({ name }: KnownColumn): boolean => name === 'sys_id'
const refers = ({ type, target }: KnownColumn): boolean => type === 'reference' && target !== null
const refersTo = (column: KnownColumn, table: string, context: CompletionContext): boolean =>
  refers(column) && isSameHierarchy(column.target ?? '', table, context)
const isPlain = (column: KnownColumn): boolean => !isKey(column) && column.operators.includes('SAMEAS')

/** undefined: it is not read yet, or the user may not read it. */
const tableNamed = (name: string, context: CompletionContext): KnownTable | undefined =>
  context.tables.some((each) => each.name === name) ? context.known(name) : undefined

function columnIn({ table, column: name }: ColumnOfTable, context: CompletionContext): KnownColumn | null {
  const column = tableNamed(table, context)?.columns.get(name)
  return column !== undefined && mayRead(column) ? column : null
}

// ── what stands between them ──

const COMPARISONS: Readonly<Record<string, MessageKey>> = {
  '>=': 'op.atLeast',
  '=': 'op.equals',
  '<=': 'op.atMost',
  '>': 'op.more',
  '<': 'op.less',
  '!=': 'op.isNot',
}

function comparisonsFor({ from, to, word, hasNumber }: ComparisonPlace, { context }: Around): readonly Completion[] {
  return Object.entries(COMPARISONS)
    .filter(([code]) => code.startsWith(word))
    .map(([code, key]) => ({
      kind: 'operator',
      from,
      to,
      insert: code,
      code,
      title: context.translate(key),
      needs: hasNumber ? null : 'number',
    }))
}

const SIGNS = {
  '=': { key: 'complete.sameAs', needs: 'link' },
  '!': { key: 'complete.whose', needs: null },
  ',': { key: 'complete.howMany', needs: 'atLeast' },
} as const

function signFor({ sign, from, to }: SignPlace, { context }: Around): readonly Completion[] {
  const { key, needs } = SIGNS[sign]
  return [{ kind: 'join', from, to, insert: sign, code: sign, title: context.translate(key), needs }]
}
