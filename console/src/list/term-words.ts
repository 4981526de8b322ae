import type { ConditionTree } from 'docket-client'
import type { Say } from '../messages/keys.ts'
import { kindOf, operatorKey, PERIODS } from './filter-terms.ts'

type Test = Extract<ConditionTree, { kind: 'test' }>
type Rows = Extract<ConditionTree, { kind: 'rows' }>
type Value = Test['value']
type Operand = Extract<Value, { kind: 'literal' | 'helper' }>
type Helper = Extract<Extract<Operand, { kind: 'helper' }>['call'], { ok: true }>['value']
type InstantCall = Extract<Helper, { kind: 'instant' }>['at']
type DatePart = Extract<Value, { kind: 'date-part' }>['test']
type Period = Extract<Extract<Value, { kind: 'date-span' }>['span'], { kind: 'period' }>['period']

interface DescribedColumn {
  readonly type: string
  readonly target: string | null
  readonly choices: readonly { readonly value: string; readonly title: string }[]
}

/** What wording a condition needs: the user's language, and the names that the user may read. */
export interface Speech {
  readonly say: Say
  readonly language: string
  /** null: the path leads to nothing that the user may read. */
  readonly column: (path: string) => { readonly title: string; readonly column: DescribedColumn } | null
  /** null: the name is still being read, or the user may not read it. */
  readonly recordName: (table: string, sysId: string) => string | null
  readonly tableTitle: (table: string) => string
}

/** A condition in the user's language, without operator names. */
export function termWords(term: ConditionTree, speech: Speech): string {
  if (term.kind === 'test') return testWords(term, speech)
  if (term.kind === 'rows') return rowsWords(term, speech)
  const word = speech.say(term.kind === 'any' ? 'filter.or' : 'filter.and')
  const parts = term.of.map((part) => {
    const words = termWords(part, speech)
    return term.kind === 'all' && part.kind === 'any' ? `(${words})` : words
  })
  return parts.join(` ${word} `)
}

function testWords(term: Test, speech: Speech): string {
  const { operator, value } = term
  const known = speech.column(term.path.join('.'))
  const title = known?.title ?? term.path.join('.')
  const column = known?.column ?? { type: 'string', target: null, choices: [] }
  if (value.kind === 'date-span') {
    const words = spanWords(value.text, value.span, speech)
    const isNot = operator === 'NOTON' ? `${speech.say('op.isNot')} ` : ''
    return `${title}: ${isNot}${words}`
  }
  if (value.kind === 'date-part') return `${title}: ${partWords(value.test, speech)}`
  const named = namedChoices(term, column)
  const word = speech.say(named === null ? operatorKey(operator, kindOf(column)) : 'op.is')
  const words = named ?? valueWords(value, column, speech)
  return [title, word, words].filter((part) => part !== '').join(' ')
}

/** "Priority less than Medium" is unclear, so the matching choices are listed. null: the choices have no order. */
function namedChoices({ operator, value }: Test, { choices }: DescribedColumn): string | null {
  const isFitting = ORDERED[operator]
  if (isFitting === undefined || value.kind !== 'literal') return null
  if (choices.length === 0 || ![value.text, ...choices.map((each) => each.value)].every((text) => /^\d+$/.test(text)))
    return null
  const fitting = choices.filter((each) => isFitting(Number(each.value), Number(value.text)))
  return fitting.length === 0 ? null : fitting.map(({ title }) => title).join(', ')
}

const ORDERED: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
}

function valueWords(value: Value, column: DescribedColumn, speech: Speech): string {
  const operand = (each: Operand): string => operandWords(each, column, speech)
  switch (value.kind) {
    case 'none':
      return ''
    case 'field': {
      const path = value.path.join('.')
      return speech.column(path)?.title ?? path
    }
    case 'literal':
    case 'helper':
      return operand(value)
    case 'list':
    case 'members':
      return membersWords(value.members.map(operand), speech)
    case 'range':
      return `${operand(value.from)} ${speech.say('filter.and')} ${operand(value.to)}`
    case 'relative-date':
      return relative(speech, value.date.away, value.date.unit, 'always')
    case 'name':
      return optionWords(value.name, speech)
    case 'words':
    case 'malformed':
      return value.text
    default:
      return ''
  }
}

/** Names of the members. Members without a readable name are counted. */
function membersWords(members: readonly string[], { say }: Speech): string {
  const unknown = members.filter((each) => each === UNKNOWN).length
  const known = members.filter((each) => each !== UNKNOWN)
  if (unknown === 0) return known.join(', ')
  return [...known, say('filter.others', { count: unknown })].join(', ')
}

const UNKNOWN = '…'

function operandWords(operand: Operand, column: DescribedColumn, speech: Speech): string {
  if (operand.kind === 'helper') return operand.call.ok ? helperWords(operand.call.value, speech) : operand.text
  const { text } = operand
  if (column.type === 'boolean') return speech.say(text === 'true' || text === '1' ? 'value.yes' : 'value.no')
  const choice = column.choices.find(({ value }) => value === text)
  if (choice !== undefined) return choice.title
  if (kindOf(column) === 'date') return dateWords(text, speech)
  if (column.target === null || !/^\d+$/.test(text)) return text
  return speech.recordName(column.target, text) ?? (text.length >= 15 ? UNKNOWN : text)
}

/** A date in the user's format. It is in the user's time zone already. */
function dateWords(text: string, { language }: Speech): string {
  const at = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  if (!/^\d{4}-\d\d-\d\d( |$)/.test(text) || Number.isNaN(at.getTime())) return text
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  const time = text.slice(11, 16)
  return [day.format(at), time === '00:00' ? '' : time].filter((part) => part !== '').join(', ')
}

function helperWords(helper: Helper, speech: Speech): string {
  switch (helper.kind) {
    case 'user-id':
    case 'user-name':
      return speech.say('filter.me')
    case 'group-ids':
      return speech.say('filter.myGroups')
    case 'company-id':
      return speech.say('filter.myCompany')
    case 'property':
      return helper.name
    default:
      return instantWords(helper.at, speech)
  }
}

function instantWords(at: InstantCall, speech: Speech): string {
  const { say } = speech
  switch (at.kind) {
    case 'moved':
      return at.away === 0 ? relative(speech, 0, 'second') : relative(speech, at.away, at.unit, 'always')
    case 'start':
      return say('filter.beginning', { period: relative(speech, at.away, at.unit) })
    case 'before-start':
      return say('filter.end', { period: relative(speech, at.away - 1, at.unit) })
    case 'beginning':
    case 'end':
      return say(`filter.${at.kind}`, { period: periodWords(at.period, speech) })
    default: {
      const ends = { start: say('filter.beginning', { period: '' }), end: say('filter.end', { period: '' }) }
      const time = Object.hasOwn(ends, at.time) ? ends[at.time as keyof typeof ends].trim() : at.time
      return `${dateWords(at.date, speech)}, ${time}`
    }
  }
}

function spanWords(text: string, span: Extract<Value, { kind: 'date-span' }>['span'], speech: Speech): string {
  const [label = ''] = text.split('@')
  const known = Object.entries(PERIODS).find(([name]) => name.toLowerCase() === label.toLowerCase())
  if (known !== undefined) return speech.say(known[1])
  if (span.kind === 'day') return dateWords(span.date, speech)
  if (span.kind === 'period') return periodWords(span.period, speech)
  const edge = ({ text: written, date, helper }: typeof span.start): string =>
    helper === undefined ? dateWords(date ?? written, speech) : helperWords(helper, speech)
  return `${edge(span.start)} – ${edge(span.end)}`
}

function periodWords(period: Period, speech: Speech): string {
  const now = relative(speech, 0, 'second')
  if (period.kind === 'since-one-year-ago') return `${relative(speech, -1, 'year', 'always')} – ${now}`
  if (period.kind === 'rolling') {
    const away = relative(speech, -period.hours, 'hour', 'always')
    return period.hours > 0 ? `${away} – ${now}` : `${now} – ${away}`
  }
  const [first, last] = [period.first, period.last].map((away) => relative(speech, away, period.unit))
  return first === last ? String(first) : `${first} – ${last}`
}

/** "7 days ago", "tomorrow"; with `always`, "1 day ago" instead of "yesterday". */
function relative(
  { language }: Speech,
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

function partWords({ part, comparison, number }: DatePart, { say, language }: Speech): string {
  const format = (options: Intl.DateTimeFormatOptions, at: number): string =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(at)
  // 1 January 2024 was a Monday.
  const displayed =
    part === 'weekday'
      ? format({ weekday: 'long' }, Date.UTC(2024, 0, number))
      : part === 'month'
        ? format({ month: 'long' }, Date.UTC(2024, number - 1, 1))
        : String(number)
  return `${say(`part.${part}`)} ${say(PART_WORDS[comparison])} ${displayed}`
}

function optionWords(name: string, { say, tableTitle }: Speech): string {
  if (name === 'me') return say('filter.me')
  return name === 'mygroups' ? say('filter.myGroups') : tableTitle(name)
}

/** Number of records of another table. JOIN requires at least one. */
function rowsWords({ link, where }: Rows, speech: Speech): string {
  const [comparison, number] = link.kind === 'count' ? [link.comparison, link.number] : (['>=', 1] as const)
  const word = speech.say(operatorKey(comparison, 'number'))
  return `${speech.tableTitle(link.other.table)}: ${word} ${number}${where === null ? '' : ` (${UNKNOWN})`}`
}
