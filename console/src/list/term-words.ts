import { type ConditionTree, printEncodedQuery } from 'docket-client'
import { isolated } from '../messages/isolate.ts'
import type { Translate } from '../messages/keys.ts'
import { durationText } from './duration-text.ts'
import { kindOf, operatorKey, PERIODS } from './filter-terms.ts'
import { isNamed } from './period.ts'

type Comparison = Extract<ConditionTree, { kind: 'comparison' }>
type Rows = Extract<ConditionTree, { kind: 'rows' }>
type Value = Comparison['value']
type Operand = Extract<Value, { kind: 'literal' | 'helper' }>
type Helper = Extract<Extract<Operand, { kind: 'helper' }>['call'], { ok: true }>['value']
type InstantCall = Extract<Helper, { kind: 'instant' }>['at']
type DatePart = Extract<Value, { kind: 'date-part' }>['comparison']
type Period = Extract<Extract<Value, { kind: 'date-span' }>['span'], { kind: 'period' }>['period']

interface DescribedColumn {
  readonly type: string
  readonly target: string | null
  readonly choices: readonly { readonly value: string; readonly title: string }[]
}

/** What wording a condition needs: the user's language, and the names that the user may read. */
export interface TermContext {
  readonly translate: Translate
  readonly language: string
  /** null: the path leads to nothing that the user may read. */
  readonly column: (path: string) => { readonly title: string; readonly column: DescribedColumn } | null
  /** null: the name is still being read, or the user may not read it. */
  readonly recordName: (table: string, sysId: string) => string | null | undefined
  readonly tableTitle: (table: string) => string
}

/** A condition in the user's language, without operator names. */
export function termWords(term: ConditionTree, context: TermContext): string {
  if (term.kind === 'comparison') return comparisonWords(term, context)
  if (term.kind === 'rows') return rowsWords(term, context)
  const word = context.translate(term.kind === 'any' ? 'filter.or' : 'filter.and')
  const parts = term.of.map((part) => {
    const words = termWords(part, context)
    return part.kind === 'all' || part.kind === 'any' ? `(${words})` : words
  })
  return parts.join(` ${word} `)
}

function comparisonWords(term: Comparison, context: TermContext): string {
  const { operator, value } = term
  const known = context.column(term.path.join('.'))
  const title = isolated(known?.title ?? (term.path.length === 0 ? '' : context.translate('filter.unreadable')))
  const column = known?.column ?? { type: 'string', target: null, choices: [] }
  if (value.kind === 'date-span') {
    const words = spanWords(value.text, value.span, context)
    const isNot = operator === 'NOTON' ? `${context.translate('op.isNot')} ` : ''
    return `${title}: ${isNot}${words}`
  }
  if (value.kind === 'date-part') return `${title}: ${partWords(value.comparison, context)}`
  const named = namedChoices(term, column)
  const word = context.translate(named === null ? operatorKey(operator, kindOf(column)) : 'op.is')
  const words = named ?? valueWords(value, column, context)
  return [title, word, words].filter((part) => part !== '').join(' ')
}

/** "Priority less than Medium" is unclear, so the matching choices are listed. null: the choices have no order. */
function namedChoices({ operator, value }: Comparison, { choices }: DescribedColumn): string | null {
  const isFitting = ORDERED[operator]
  if (isFitting === undefined || value.kind !== 'literal') return null
  if (choices.length === 0 || ![value.text, ...choices.map((each) => each.value)].every((text) => /^\d+$/.test(text)))
    return null
  const fitting = choices.filter((each) => isFitting(Number(each.value), Number(value.text)))
  return fitting.length === 0 ? null : fitting.map(({ title }) => isolated(title)).join(', ')
}

const ORDERED: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
}

function valueWords(value: Value, column: DescribedColumn, context: TermContext): string {
  const operand = (each: Operand): string => isolated(operandWords(each, column, context))
  switch (value.kind) {
    case 'none':
      return ''
    case 'field': {
      const path = value.path.join('.')
      return isolated(context.column(path)?.title ?? context.translate('filter.unreadable'))
    }
    case 'literal':
    case 'helper':
      return operand(value)
    case 'list':
    case 'members':
      return membersWords(value.members.map(operand), context)
    case 'range':
      return `${operand(value.from)} ${context.translate('filter.and')} ${operand(value.to)}`
    case 'relative-date':
      return relative(context, value.date.away, value.date.unit, 'always')
    case 'name':
      return optionWords(value.name, context)
    case 'words':
    case 'malformed':
      return isolated(value.text)
    default:
      return ''
  }
}

/** Names of the members. Members without a readable name are counted. */
function membersWords(members: readonly string[], { translate }: TermContext): string {
  const unknown = members.filter((each) => each === UNKNOWN).length
  const known = members.filter((each) => each !== UNKNOWN)
  if (unknown === 0) return known.join(', ')
  return [...known, translate('filter.others', { count: unknown })].join(', ')
}

const UNKNOWN = '…'

function operandWords(operand: Operand, column: DescribedColumn, context: TermContext): string {
  if (operand.kind === 'helper') return operand.call.ok ? helperWords(operand.call.value, context) : operand.text
  const { text } = operand
  if (column.type === 'boolean') return context.translate(text === 'true' || text === '1' ? 'value.yes' : 'value.no')
  const choice = column.choices.find(({ value }) => value === text)
  if (choice !== undefined) return choice.title
  if (column.type === 'duration') return durationText(text, context.language)
  if (kindOf(column) === 'date') return dateWords(text, context)
  if (column.target === null || !/^\d+$/.test(text)) return text
  return context.recordName(column.target, text) ?? (text.length >= 15 ? UNKNOWN : text)
}

/** A date in the user's format. It is in the user's time zone already. */
function dateWords(text: string, { language }: TermContext): string {
  const at = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  if (!/^\d{4}-\d\d-\d\d( |$)/.test(text) || Number.isNaN(at.getTime())) return text
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  const time = text.slice(11, 16)
  return [day.format(at), time === '00:00' ? '' : time].filter((part) => part !== '').join(', ')
}

function helperWords(helper: Helper, context: TermContext): string {
  switch (helper.kind) {
    case 'user-id':
    case 'user-name':
      return context.translate('filter.me')
    case 'group-ids':
      return context.translate('filter.myGroups')
    case 'company-id':
      return context.translate('filter.myCompany')
    case 'property':
      return helper.name
    default:
      return instantWords(helper.at, context)
  }
}

function instantWords(at: InstantCall, context: TermContext): string {
  const { translate } = context
  switch (at.kind) {
    case 'moved':
      return at.away === 0 ? relative(context, 0, 'second') : relative(context, at.away, at.unit, 'always')
    case 'start':
      return translate('filter.beginning', { period: relative(context, at.away, at.unit) })
    case 'before-start':
      return translate('filter.end', { period: relative(context, at.away - 1, at.unit) })
    case 'beginning':
    case 'end':
      return translate(`filter.${at.kind}`, { period: periodWords(at.period, context) })
    default: {
      const ends = {
        start: translate('filter.beginning', { period: '' }),
        end: translate('filter.end', { period: '' }),
      }
      const time = Object.hasOwn(ends, at.time) ? ends[at.time as keyof typeof ends].trim() : at.time
      return `${dateWords(at.date, context)}, ${time}`
    }
  }
}

function spanWords(text: string, span: Extract<Value, { kind: 'date-span' }>['span'], context: TermContext): string {
  const known = Object.entries(PERIODS).find(([name]) => isNamed(text, name))
  if (known !== undefined) return context.translate(known[1])
  if (span.kind === 'day') return dateWords(span.date, context)
  if (span.kind === 'period') return periodWords(span.period, context)
  const edge = ({ text: written, date, helper }: typeof span.start): string =>
    helper === undefined ? dateWords(date ?? written, context) : helperWords(helper, context)
  return `${edge(span.start)} – ${edge(span.end)}`
}

function periodWords(period: Period, context: TermContext): string {
  const now = relative(context, 0, 'second')
  if (period.kind === 'since-one-year-ago') return `${relative(context, -1, 'year', 'always')} – ${now}`
  if (period.kind === 'rolling') {
    const away = relative(context, -period.hours, 'hour', 'always')
    return period.hours > 0 ? `${away} – ${now}` : `${now} – ${away}`
  }
  const [first, last] = [period.first, period.last].map((away) => relative(context, away, period.unit))
  return first === last ? String(first) : `${first} – ${last}`
}

/** "7 days ago", "tomorrow"; with `always`, "1 day ago" instead of "yesterday". */
function relative(
  { language }: TermContext,
  away: number,
  unit: Intl.RelativeTimeFormatUnit,
  numeric: 'auto' | 'always' = 'auto',
): string {
  return new Intl.RelativeTimeFormat(language, { numeric }).format(away, unit)
}

const PART_WORDS = {
  EE: 'op.is',
  NE: 'op.isNot',
  GT: 'op.more',
  GE: 'op.atLeast',
  LT: 'op.less',
  LE: 'op.atMost',
} as const

function partWords({ part, operator, number }: DatePart, { translate, language }: TermContext): string {
  const format = (options: Intl.DateTimeFormatOptions, at: number): string =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(at)
  // 1 January 2024 was a Monday.
  const displayed =
    part === 'weekday'
      ? format({ weekday: 'long' }, Date.UTC(2024, 0, number))
      : part === 'month'
        ? format({ month: 'long' }, Date.UTC(2024, number - 1, 1))
        : String(number)
  return `${translate(`part.${part}`)} ${translate(PART_WORDS[operator])} ${displayed}`
}

function optionWords(name: string, { translate, tableTitle }: TermContext): string {
  if (name === 'me') return translate('filter.me')
  return name === 'mygroups' ? translate('filter.myGroups') : isolated(tableTitle(name))
}

/** Number of records of another table. JOIN requires at least one. Columns of that table have no titles here: their conditions stay a query. */
function rowsWords({ link, where }: Rows, context: TermContext): string {
  const [comparison, number] = link.kind === 'count' ? [link.comparison, link.number] : (['>=', 1] as const)
  const word = context.translate(operatorKey(comparison, 'number'))
  const inner = where === null ? '' : ` (${isolated(printEncodedQuery({ where, orders: [] }))})`
  return `${isolated(context.tableTitle(link.other.table))}: ${word} ${number}${inner}`
}
