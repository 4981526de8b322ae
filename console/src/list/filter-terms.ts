import type { Operator } from 'docket-client'
import { type MessageKey, t } from '../messages/i18n.ts'
import type { Column } from '../table/table-info.ts'

const OPERATORS_OF = {
  text: ['LIKE', 'NOT LIKE', '=', 'STARTSWITH', 'ENDSWITH', 'ISEMPTY', 'ISNOTEMPTY'],
  choice: ['IN', 'NOT IN', 'ISEMPTY', 'ISNOTEMPTY'],
  reference: ['=', '!=', 'ISEMPTY', 'ISNOTEMPTY'],
  date: ['ON', 'NOTON', '<', '>', 'ISEMPTY', 'ISNOTEMPTY'],
  boolean: ['='],
  number: ['=', '!=', '>', '>=', '<', '<=', 'ISEMPTY', 'ISNOTEMPTY'],
} as const satisfies Readonly<Record<string, readonly Operator[]>>

export type ValueKind = keyof typeof OPERATORS_OF

const NUMBERS: ReadonlySet<string> = new Set([
  'integer',
  'smallinteger',
  'biginteger',
  'decimal',
  'float',
  'percent_complete',
])

export function kindOf({ type, choices }: Column): ValueKind {
  if (choices.length > 0 || type === 'choice') return 'choice'
  if (type === 'reference') return 'reference'
  if (type === 'datetime' || type === 'date') return 'date'
  if (type === 'boolean') return 'boolean'
  return NUMBERS.has(type) ? 'number' : 'text'
}

export const operatorsOf = (column: Column): readonly Operator[] => OPERATORS_OF[kindOf(column)]

/** Words for the operators that the form offers. Dates have words of their own. */
export function operatorTitle(operator: Operator, kind: ValueKind): string {
  const key = (kind === 'date' && DATE_WORDS[operator]) || WORDS[operator]
  return key === undefined ? operator : t(key)
}

const WORDS: Readonly<Partial<Record<Operator, MessageKey>>> = {
  LIKE: 'op.contains',
  'NOT LIKE': 'op.notContains',
  '=': 'op.is',
  '!=': 'op.isNot',
  STARTSWITH: 'op.startsWith',
  ENDSWITH: 'op.endsWith',
  ISEMPTY: 'op.isEmpty',
  ISNOTEMPTY: 'op.isNotEmpty',
  IN: 'op.is',
  'NOT IN': 'op.isNot',
  ON: 'op.on',
  NOTON: 'op.notOn',
  '<': 'op.less',
  '<=': 'op.atMost',
  '>': 'op.more',
  '>=': 'op.atLeast',
}
const DATE_WORDS: Readonly<Partial<Record<Operator, MessageKey>>> = { '<': 'op.before', '>': 'op.after' }

/** Periods that ON knows by name (docs/operators.md), in the order in which they are offered. */
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
