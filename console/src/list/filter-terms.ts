import type { Operator } from 'docket-client'
import type { MessageKey } from '../messages/keys.ts'

const OF_NUMBERS = ['=', '!=', '>', '>=', '<', '<=', 'ISEMPTY', 'ISNOTEMPTY'] as const
/** In display order. Those that the server does not take for a column are not offered. */
const OPERATORS_OF = {
  text: ['LIKE', 'NOT LIKE', '=', 'STARTSWITH', 'ENDSWITH', 'ISEMPTY', 'ISNOTEMPTY'],
  choice: ['IN', 'NOT IN', 'ISEMPTY', 'ISNOTEMPTY'],
  reference: ['=', '!=', 'ISEMPTY', 'ISNOTEMPTY'],
  date: ['ON', 'NOTON', '<', '>', 'ISEMPTY', 'ISNOTEMPTY'],
  boolean: ['='],
  number: OF_NUMBERS,
  duration: OF_NUMBERS,
  list: ['HAS', 'HASNOT', 'ISEMPTY', 'ISNOTEMPTY'],
} as const satisfies Readonly<Record<string, readonly Operator[]>>

export type ValueKind = keyof typeof OPERATORS_OF

/** Comparisons with another field, beside each comparison with a value that means the same. */
const FIELD_OPERATORS = [
  ['SAMEAS', '='],
  ['NSAMEAS', '!='],
  ['GT_FIELD', '>'],
  ['GT_OR_EQUALS_FIELD', '>='],
  ['LT_FIELD', '<'],
  ['LT_OR_EQUALS_FIELD', '<='],
] as const satisfies readonly (readonly [Operator, Operator])[]
const ORDERED: ReadonlySet<ValueKind> = new Set(['choice', 'date', 'number', 'duration'])

const NUMBERS: ReadonlySet<string> = new Set([
  'integer',
  'smallinteger',
  'biginteger',
  'decimal',
  'float',
  'percent_complete',
])

/** What decides how values of a column are compared. */
interface Compared {
  readonly type: string
  readonly choices: readonly unknown[]
}

/** A column with the operators that the server takes for it. */
interface Filtered extends Compared {
  readonly operators: readonly Operator[]
}

export function kindOf({ type, choices }: Compared): ValueKind {
  if (type === 'list' || type === 'duration') return type
  if (choices.length > 0 || type === 'choice') return 'choice'
  if (type === 'reference') return 'reference'
  if (type === 'datetime' || type === 'date') return 'date'
  if (type === 'boolean') return 'boolean'
  return NUMBERS.has(type) ? 'number' : 'text'
}

export const operatorsOf = (column: Filtered): readonly Operator[] => taken(OPERATORS_OF[kindOf(column)], column)

const taken = (operators: readonly Operator[], column: Filtered): readonly Operator[] =>
  operators.filter((each) => column.operators.includes(each))

/** Comparisons with another field of the same type. */
export const fieldOperatorsOf = (column: Filtered): readonly Operator[] =>
  taken(FIELD_OPERATORS.map(([operator]) => operator).slice(0, ORDERED.has(kindOf(column)) ? undefined : 2), column)

/** The comparison with another field that means the same; without one, the first. */
export const fieldOperatorFor = (operator: Operator): Operator =>
  (FIELD_OPERATORS.find(([, plain]) => plain === operator) ?? FIELD_OPERATORS[0])[0]

/** The server compares fields of one type; references to two tables have nothing in common. */
export const isComparable = (one: Referring, other: Referring): boolean =>
  one.type === other.type && one.target === other.target

interface Referring {
  readonly type: string
  readonly target: string | null
}

/** Message for the operator. Dates have messages of their own. */
export const operatorKey = (operator: Operator, kind: ValueKind): MessageKey =>
  (kind === 'date' && DATE_WORDS[operator]) || WORDS[operator]

const WORDS: Readonly<Record<Operator, MessageKey>> = {
  LIKE: 'op.contains',
  'NOT LIKE': 'op.notContains',
  '=': 'op.is',
  '!=': 'op.isNot',
  STARTSWITH: 'op.startsWith',
  NOTSTARTSWITH: 'op.notStartsWith',
  ENDSWITH: 'op.endsWith',
  ISEMPTY: 'op.isEmpty',
  ISNOTEMPTY: 'op.isNotEmpty',
  EMPTYSTRING: 'op.emptyText',
  ANYTHING: 'op.anything',
  IN: 'op.is',
  'NOT IN': 'op.isNot',
  BETWEEN: 'op.between',
  SAMEAS: 'op.sameAs',
  NSAMEAS: 'op.differs',
  GT_FIELD: 'op.more',
  LT_FIELD: 'op.less',
  GT_OR_EQUALS_FIELD: 'op.atLeast',
  LT_OR_EQUALS_FIELD: 'op.atMost',
  ON: 'op.on',
  NOTON: 'op.notOn',
  '<': 'op.less',
  '<=': 'op.atMost',
  '>': 'op.more',
  '>=': 'op.atLeast',
  RELATIVEGT: 'op.after',
  RELATIVEGE: 'op.since',
  RELATIVELT: 'op.before',
  RELATIVELE: 'op.until',
  RELATIVEEE: 'op.within',
  DATEPART: 'op.part',
  HAS: 'op.has',
  HASNOT: 'op.hasNot',
  DYNAMIC: 'op.is',
  CONTAINS_DYNAMIC: 'op.has',
  DOESNOTCONTAIN_DYNAMIC: 'op.hasNot',
  ARE: 'op.contains',
  INSTANCEOF: 'op.is',
  MATCH_PAT: 'op.matches',
  MATCH_RGX: 'op.matches',
}
const DATE_WORDS: Readonly<Partial<Record<Operator, MessageKey>>> = {
  '<': 'op.before',
  '<=': 'op.until',
  '>': 'op.after',
  '>=': 'op.since',
  GT_FIELD: 'op.after',
  LT_FIELD: 'op.before',
  GT_OR_EQUALS_FIELD: 'op.since',
  LT_OR_EQUALS_FIELD: 'op.until',
}

/** Named periods of the ON operator (docs/operators.md), in display order. */
export const PERIODS = {
  Today: 'period.today',
  Yesterday: 'period.yesterday',
  'This week': 'period.thisWeek',
  'Last week': 'period.lastWeek',
  'Last 7 days': 'period.last7Days',
  'This month': 'period.thisMonth',
  'Last month': 'period.lastMonth',
  'Last 30 days': 'period.last30Days',
  'Last 90 days': 'period.last90Days',
  'This year': 'period.thisYear',
} as const satisfies Readonly<Record<string, MessageKey>>

export const ME = 'javascript:gs.getUserID()'
export const MY_GROUPS = 'javascript:gs.getMyGroups()'
