import { type Operator, operandOf, operatorAt } from 'docket-client/parse'
import type { MessageKey, Translate } from '../messages/keys.ts'
import { linksFor, tablesOfLink } from './complete-link.ts'
import { isComparable, kindOf, ME, MY_GROUPS, operatorKey, PERIODS } from './filter-terms.ts'
import { readQuery } from './list-query.ts'
import {
  type FieldPlace,
  type JoinPlace,
  type OperatorPlace,
  placesAt,
  type QueryPlace,
  type ValuePlace,
} from './query-place.ts'

/** One thing that can be put in at the cursor. */
export interface Completion {
  readonly kind: 'table' | 'field' | 'operator' | 'value' | 'join'
  /** What it replaces, as offsets in the text. */
  readonly from: number
  readonly to: number
  readonly insert: string
  /** Part of the query as it is written. */
  readonly code: string
  /** The same in the user's language. */
  readonly title: string
  /** What the query lacks after it; null: nothing. */
  readonly needs: keyof typeof FILLERS | null
}

export interface Completions {
  readonly items: readonly Completion[]
  /** The first one is what the user is typing: Enter takes it. */
  readonly isTyped: boolean
}

/** What is used of a column of a table (table/table-info.ts). */
export interface KnownColumn {
  readonly name: string
  readonly title: string
  readonly type: string
  readonly target: string | null
  readonly choices: readonly { readonly value: string; readonly title: string }[]
  readonly operators: readonly Operator[]
  readonly rights: { readonly read: 'always' | 'never' | 'on_rows' }
}

export interface KnownTable {
  readonly columns: ReadonlyMap<string, KnownColumn>
  /** Columns of other tables that refer to its records. */
  readonly referencedBy?: readonly { readonly table: string; readonly column: string }[]
}

export interface CompletionContext {
  /** The table of the query. */
  readonly name: string
  readonly table: KnownTable
  /** All that the user may read. */
  readonly tables: readonly { readonly name: string; readonly title: string; readonly parent: string | null }[]
  /** undefined: the table is not read yet, or the user may not read it. */
  readonly known: (table: string) => KnownTable | undefined
  /** Max. references in a path. */
  readonly maxHops: number
  readonly translate: Translate
}

/** Short texts that make a query complete, by what it lacks. */
const FILLERS = {
  operator: 'ISEMPTY',
  condition: 'sys_idISEMPTY',
  field: 'sys_id',
  value: 'x',
  join: 't.sys_id=t.sys_id',
  rows: 't.sys_id,>=1^ENDRLQUERY',
  ownColumn: 'sys_id=t.sys_id',
  otherTable: '=t.sys_id',
  link: 't.sys_id',
  countedColumn: 'sys_id,>=1',
  count: ',>=1',
  atLeast: '>=1',
  number: '1',
} as const
/** RLQUERY may stand in another one. */
const maxCounts = 2
const maxItems = 200

/**
 * What can be put in at an offset of an encoded query. Only columns that the user may read are offered, and what belongs to them.
 * If the query has no fault, it has none with any of these (and with what each `needs`).
 */
export function completionsAt(text: string, cursor: number, context: CompletionContext): Completions {
  const places = placesAt(text, cursor)
  const found = places.flatMap((place): readonly Completion[] => {
    switch (place.kind) {
      case 'field':
        return fieldsFor(place, tableOf(place, context))
      case 'operator':
        return operatorsFor(text, place, tableOf(place, context))
      case 'value':
        return valuesFor(place, tableOf(place, context))
      case 'join':
        return joinsFor(place, context)
      default:
        return linksFor(place, { table: place.within ?? context.name, context })
    }
  })
  const changing = found.filter(({ from, to, insert }) => text.slice(from, to) !== insert)
  const isWhole = readQuery(text).ok
  const parsing = changing.filter((each) =>
    isWhole ? readQuery(completed(text, each)).ok : isBeginning(completed(text, each)),
  )
  // A fault elsewhere in the text says nothing about what is put in here.
  const items = (parsing.length > 0 || isWhole ? parsing : changing).slice(0, maxItems)
  const [first] = items
  const typed = places.find(({ kind, from }) => kind !== 'join' && kind !== 'sign' && from === first?.from)?.word ?? ''
  const isTyped = first !== undefined && first.kind !== 'join' && typed !== '' && changing.length === found.length
  // What is typed is not complete, so nothing is joined to it.
  return { items: isTyped ? items.filter(({ kind, from, to }) => kind !== 'join' || from < to) : items, isTyped }
}

/** Whether it is a query, or one as soon as each RLQUERY has its end. */
const isBeginning = (text: string): boolean =>
  Array.from({ length: maxCounts + 1 }, (_, ends) => text + '^ENDRLQUERY'.repeat(ends)).some(
    (each) => readQuery(each).ok,
  )

/** The context of names within a JOIN or RLQUERY. */
function tableOf({ within }: QueryPlace, context: CompletionContext): CompletionContext {
  if (within === null) return context
  const isReadable = context.tables.some(({ name }) => name === within)
  return { ...context, name: within, table: (isReadable ? context.known(within) : undefined) ?? NO_TABLE }
}

const NO_TABLE: KnownTable = { columns: new Map() }

/** Tables whose columns have to be read before anything is offered, as far as those before them are known. */
export function tablesToRead(text: string, cursor: number, context: CompletionContext): readonly string[] {
  const wanted = placesAt(text, cursor).flatMap((place) => {
    const within = place.within ?? []
    const { table } = tableOf(place, context)
    switch (place.kind) {
      case 'join':
        return []
      case 'field':
        return [
          within,
          targetsOf([...place.path, ''], table, context),
          targetsOf(place.compared, table, context),
        ].flat()
      case 'operator':
      case 'value':
        return [within, targetsOf(place.path, table, context)].flat()
      default:
        return tablesOfLink(place)
    }
  })
  const readable = new Set(context.tables.map(({ name }) => name))
  return [...new Set(wanted)].filter((name) => readable.has(name))
}

/** Tables on a path as far as known, and the first one that is not. */
function targetsOf(
  path: readonly string[],
  table: KnownTable,
  { known, maxHops }: CompletionContext,
): readonly string[] {
  const targets: string[] = []
  let at: KnownTable | undefined = table
  for (const name of path.slice(0, -1).slice(0, maxHops)) {
    const target: string | null | undefined = at?.columns.get(name)?.target
    if (target == null) break
    targets.push(target)
    at = known(target)
  }
  return targets
}

export const withCompletion = (text: string, { from, to, insert }: Completion): string =>
  text.slice(0, from) + insert + text.slice(to)

/** The query with the completion and a short text for what it needs. */
export function completed(text: string, completion: Completion): string {
  const { from, to, insert, needs } = completion
  return text.slice(0, from) + insert + (needs === null ? '' : FILLERS[needs]) + text.slice(to)
}

// ── fields ──

const mayRead = ({ rights }: KnownColumn): boolean => rights.read !== 'never'

/** They have no values to compare or to sort by. */
const UNREAD: ReadonlySet<string> = new Set(['journal_input', 'image', 'password'])

function fieldsFor(place: FieldPlace, context: CompletionContext): readonly Completion[] {
  const table = tableAt(place.path, context)
  if (table === undefined || place.path.length > context.maxHops) return []
  const compared = place.role === 'other' ? columnAt(place.compared, context) : null
  if (place.role === 'other' && compared === null) return []
  const word = place.word.toLowerCase()
  const rank = ({ name, title }: KnownColumn): number =>
    (name.startsWith(word) ? 0 : title.toLowerCase().startsWith(word) ? 2 : 4) + (name.startsWith('sys_') ? 1 : 0)
  const leads = (column: KnownColumn): boolean =>
    column.type === 'reference' && column.target !== null && place.path.length < context.maxHops
  const fits = (column: KnownColumn): boolean => {
    if (!mayRead(column) || UNREAD.has(column.type)) return false
    if (place.goesOn) return leads(column)
    return compared === null || isComparable(compared, column) || leads(column)
  }
  return [...table.columns.values()]
    .filter(fits)
    .filter(({ name, title }) => name.includes(word) || title.toLowerCase().includes(word))
    .sort((one, other) => rank(one) - rank(other) || one.title.localeCompare(other.title))
    .map((column) => {
      const isHop = compared !== null && !place.goesOn && !isComparable(compared, column)
      const isOpen = place.role === 'condition' && place.isOpen && !place.goesOn
      return {
        kind: 'field',
        from: place.from,
        to: place.to,
        insert: isHop ? `${column.name}.` : column.name,
        code: [...place.path, column.name].join('.'),
        title: column.title,
        needs: isHop ? 'field' : isOpen ? 'operator' : null,
      }
    })
}

/** The table at the end of references. A reference that the user may not read leads nowhere. */
function tableAt(path: readonly string[], context: CompletionContext): KnownTable | undefined {
  let table: KnownTable | undefined = context.table
  for (const name of path) {
    const column: KnownColumn | undefined = table?.columns.get(name)
    if (column === undefined || !mayRead(column) || column.target === null) return undefined
    table = context.known(column.target)
  }
  return table
}

function columnAt(path: readonly string[], context: CompletionContext): KnownColumn | null {
  const column = tableAt(path.slice(0, -1), context)?.columns.get(path.at(-1) ?? '')
  return column !== undefined && mayRead(column) ? column : null
}

// ── operators ──

function operatorsFor(text: string, place: OperatorPlace, context: CompletionContext): readonly Completion[] {
  const column = columnAt(place.path, context)
  if (column === null) return []
  const kind = kindOf(column)
  // A space may part a name from the words of an operator: "opened_at after".
  const word = place.word.trim().toLowerCase()
  return column.operators
    .map((operator) => ({ operator, title: context.translate(titleKey(operator, kind)) }))
    .filter(({ operator, title }) =>
      place.isLonger
        ? operator.length > place.word.length && operator.startsWith(place.word)
        : operator.toLowerCase().startsWith(word) || title.toLowerCase().startsWith(word),
    )
    .map(({ operator, title }) => ({ kind: 'operator', code: operator, title, ...written(text, place, operator) }))
}

/** In a sentence, "is" may be a dash; alone it has to be a word. */
function titleKey(operator: Operator, kind: ReturnType<typeof kindOf>): MessageKey {
  const key = operatorKey(operator, kind)
  return key === 'op.is' ? 'op.equals' : key
}

/** The operator in its place. The value after it stays if the operator takes one. */
function written(
  text: string,
  { from, to, valueTo }: OperatorPlace,
  operator: Operator,
): Pick<Completion, 'from' | 'to' | 'insert' | 'needs'> {
  const value = text.slice(to, valueTo)
  const kind = operandOf(operator)
  if (kind === 'none') return { from, to: valueTo, insert: operator, needs: null }
  if (kind === 'field') {
    const isPath = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$/.test(value)
    return { from, to: isPath ? to : valueTo, insert: operator, needs: isPath ? null : 'field' }
  }
  const needs = operator === 'ARE' && value === '' ? 'value' : null
  return { from, to, insert: operator + guardOf(operator, value), needs }
}

/** Keeps `<` before a value that begins with `=` from being read as `<=`. */
const guardOf = (operator: string, value: string): string =>
  operatorAt(operator + value, 0)?.spelling === operator ? '' : '^\\'

// ── values ──

function valuesFor(place: ValuePlace, context: CompletionContext): readonly Completion[] {
  const column = columnAt(place.path, context)
  if (column === null) return []
  const { word: typed, isFirst, isInBrackets, spelling, from, to } = place
  const word = typed.toLowerCase()
  return knownValues(column, place.operator, context)
    .filter(({ value, title }) => value.toLowerCase().startsWith(word) || title.toLowerCase().startsWith(word))
    .map(({ value, title }) => {
      const escaped = escapedValue(value, isInBrackets)
      const insert = (isFirst ? guardOf(spelling, escaped) : '') + escaped
      return { kind: 'value', from, to, insert, code: value, title, needs: null }
    })
}

interface KnownValue {
  readonly value: string
  readonly title: string
}

const EQUALS: ReadonlySet<Operator> = new Set(['=', '!=', 'IN', 'NOT IN', 'HAS', 'HASNOT'])
const ORDERED: ReadonlySet<Operator> = new Set(['<', '<=', '>', '>='])
const LISTS: ReadonlySet<Operator> = new Set(['IN', 'NOT IN', 'HAS', 'HASNOT'])

function knownValues(
  { type, target, choices }: KnownColumn,
  operator: Operator,
  { translate }: CompletionContext,
): readonly KnownValue[] {
  if (operator === 'ON' || operator === 'NOTON')
    return Object.entries(PERIODS).map(([value, key]) => ({ value, title: translate(key) }))
  if (!EQUALS.has(operator) && !(choices.length > 0 && ORDERED.has(operator))) return []
  if (type === 'boolean')
    return [
      { value: 'true', title: translate('value.yes') },
      { value: 'false', title: translate('value.no') },
    ]
  const people = target === 'user' ? [{ value: ME, title: translate('filter.me') }] : []
  const groups =
    target === 'sys_group' && (operator === 'IN' || operator === 'NOT IN')
      ? [{ value: MY_GROUPS, title: translate('filter.myGroups') }]
      : []
  // In a list, these would be more than one value; and a value that looks like a helper would be one.
  const plain = choices.filter(
    ({ value }) => value !== '' && !value.startsWith('javascript:') && !(LISTS.has(operator) && /[,@]/.test(value)),
  )
  return [...people, ...groups, ...plain]
}

function escapedValue(value: string, isInBrackets: boolean): string {
  const text = value.replaceAll('^', '^^')
  return isInBrackets && !/^javascript:/.test(value) ? text.replaceAll(/[()]/g, '^\\$&') : text
}

// ── what joins conditions, and orders ──

interface Join {
  readonly code: string
  readonly key: MessageKey
  readonly needs: 'condition' | 'field' | 'join' | 'rows' | null
}

const AND: Join = { code: '', key: 'filter.and', needs: 'condition' }
const ALTERNATIVES: readonly Join[] = [
  { code: 'OR', key: 'filter.or', needs: 'condition' },
  { code: 'NQ', key: 'complete.otherGroup', needs: 'condition' },
]
const ORDERS: readonly Join[] = [
  { code: 'ORDERBY', key: 'complete.ascending', needs: 'field' },
  { code: 'ORDERBYDESC', key: 'complete.descending', needs: 'field' },
]

const ROWS: readonly Join[] = [
  { code: 'JOIN', key: 'complete.join', needs: 'join' },
  { code: 'RLQUERY', key: 'complete.rows', needs: 'rows' },
]
const END: Join = { code: 'ENDRLQUERY', key: 'complete.endOfRows', needs: null }

function joinsFor(place: JoinPlace, { translate }: CompletionContext): readonly Completion[] {
  const { from, to, word, hasCaret, isAfterCondition, isInside, mayEndCount } = place
  const joins = [
    ...(from === to && isAfterCondition ? [AND] : []),
    ...(hasCaret && isAfterCondition ? ALTERNATIVES : []),
    ...(hasCaret && mayEndCount && isAfterCondition ? [END] : []),
    ...(isInside ? [] : ORDERS),
    ...(hasCaret === isAfterCondition ? ROWS : []),
  ]
  const caret = hasCaret ? '^' : ''
  return joins
    .filter(({ code }) => code.startsWith(word))
    .map(({ code, key, needs }) => ({
      kind: 'join',
      from,
      to,
      insert: caret + code,
      code: caret + code,
      title: translate(key),
      needs,
    }))
}
