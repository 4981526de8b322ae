import { all, any, type ConditionTree, condition, type Operator, printEncodedQuery } from 'docket-client'
import type { MetadataKey } from 'docket-client/documents'
import { parseMetadataFilter } from 'docket-client/parse'

/** A filter over metadata: conditions of which all must match, or where it cannot be read, and why. */
export type ReadFilter =
  | { readonly ok: true; readonly terms: readonly ConditionTree[] }
  | ({ readonly ok: false } & FilterFault)

export interface FilterFault {
  /** Offset in the text, in UTF-16 units. */
  readonly position: number
  readonly detail: string
}

/** @param noOrder what to say about an order, which a filter cannot have */
export function readFilter(text: string, noOrder: string): ReadFilter {
  const read = parseMetadataFilter(text)
  if (!read.ok) return { ok: false, position: read.error.position, detail: read.error.detail }
  const { where, orders } = read.value
  const [order] = orders
  if (order !== undefined) return { ok: false, position: order.position, detail: noOrder }
  return { ok: true, terms: where === null ? [] : where.kind === 'all' ? where.of : [where] }
}

/** Conditions that have no form are kept as trees, unchanged. */
export function printFilter([first, ...others]: readonly ConditionTree[]): string {
  return printEncodedQuery({ where: first === undefined ? null : all(first, ...others), orders: [] })
}

type Value = string | number | boolean
/** What is known about a key; about one that no document has, only its name. */
export type KnownKey = Pick<MetadataKey, 'key' | 'types' | 'values' | 'distinct_values'>

export const unknownKey = (key: string): KnownKey => ({ key, types: ['text'], values: [], distinct_values: 0 })

export type EditedAs = 'choice' | 'boolean' | 'number' | 'time' | 'text'

/** More values are typed, not chosen from a list of boxes. */
const maxChoices = 30

/** A key with values of several types is edited as text, which is compared by the type of each stored value. */
export function editedAs({ types, values, distinct_values }: KnownKey): EditedAs {
  const [type = 'text', ...others] = types
  if (others.length > 0) return 'text'
  if (type !== 'text') return type
  const isListed = values.length > 0 && values.length === distinct_values && values.length <= maxChoices
  return isListed ? 'choice' : 'text'
}

const OPERATORS_OF = {
  choice: ['IN', 'NOT IN', 'LIKE', 'NOT LIKE', 'STARTSWITH', 'ISEMPTY', 'ISNOTEMPTY'],
  text: ['=', '!=', 'LIKE', 'NOT LIKE', 'STARTSWITH', 'ENDSWITH', 'ISEMPTY', 'ISNOTEMPTY'],
  number: ['=', '!=', '>', '>=', '<', '<=', 'BETWEEN', 'ISEMPTY', 'ISNOTEMPTY'],
  boolean: ['=', 'ISEMPTY', 'ISNOTEMPTY'],
  // A date is its midnight: "until" a day would end before it, "after" a day would include it.
  time: ['>=', '<', 'ISEMPTY', 'ISNOTEMPTY'],
} as const satisfies Readonly<Record<EditedAs, readonly Operator[]>>

/** Operators that a form offers; that of an existing condition is always among them. */
export function operatorsFor(known: KnownKey, current: Operator | null): readonly Operator[] {
  const offered: readonly Operator[] = OPERATORS_OF[editedAs(known)]
  return current === null || offered.includes(current) ? offered : [...offered, current]
}

/** Times that move with the clock. */
export const PAST_DAYS = [1, 7, 30, 90, 365] as const
export const daysAgo = (days: number): string => `javascript:gs.daysAgo(${days})`
const helpers: ReadonlySet<string> = new Set(PAST_DAYS.map(daysAgo))

export const valuesTaken = (operator: Operator): 'none' | 'one' | 'two' | 'several' =>
  operator === 'ISEMPTY' || operator === 'ISNOTEMPTY'
    ? 'none'
    : operator === 'BETWEEN'
      ? 'two'
      : operator === 'IN' || operator === 'NOT IN'
        ? 'several'
        : 'one'

export interface ConditionForm {
  readonly operator: Operator
  readonly values: readonly string[]
}

/** The condition that a form means. */
export function termOf(key: string, { operator, values }: ConditionForm): ConditionTree {
  const one = (by: Operator, value: string): ConditionTree => {
    const made = condition('key', by, value, !helpers.has(value))
    return made.kind === 'comparison' ? { ...made, path: pathOf(key) } : made
  }
  switch (valuesTaken(operator)) {
    case 'none':
      return one(operator, '')
    case 'two':
      return one(operator, `${values[0] ?? ''}@${values[1] ?? ''}`)
    case 'several': {
      // A list in text is split at commas or @, so a value that has one is compared by itself.
      if (values.length > 1 && !values.some((value) => /[,@]/.test(value))) return one(operator, values.join(','))
      const by = operator === 'IN' ? '=' : '!='
      const [first = one(by, ''), ...others] = values.map((value) => one(by, value))
      return operator === 'IN' ? any(first, ...others) : all(first, ...others)
    }
    default:
      return one(operator, values[0] ?? '')
  }
}

/** Dots stand in the key itself; where they cannot be printed as such, the key is quoted as a whole. */
function pathOf(key: string): readonly string[] {
  const segments = key.split('.')
  return segments.includes('') ? [key] : segments
}

export const keyOf = (term: ConditionTree): string | null =>
  term.kind === 'comparison' && term.path.length > 0 ? term.path.join('.') : null

/** The form of a condition. @returns null if no form means the same: it is then edited as text */
export function formOf(term: ConditionTree): (ConditionForm & { readonly key: string }) | null {
  const key = keyOf(term)
  if (key === null || term.kind !== 'comparison') return null
  const values = valuesOf(term.value)
  if (values === null) return null
  const form = { operator: term.operator, values }
  return printFilter([termOf(key, form)]) === printFilter([{ ...term, path: pathOf(key) }]) ? { key, ...form } : null
}

type TermValue = Extract<ConditionTree, { kind: 'comparison' }>['value']

function valuesOf(value: TermValue): readonly string[] | null {
  switch (value.kind) {
    case 'none':
      return []
    case 'literal':
    case 'helper':
      return [value.text]
    case 'list':
      return value.members.map(({ text }) => text)
    case 'range':
      return [value.from.text, value.to.text]
    default:
      return null
  }
}

/** The form that an existing condition opens with: a single value of a key with listed values is a choice. */
export function openedForm(known: KnownKey, form: ConditionForm | null): ConditionForm {
  if (form === null) return { operator: operatorsFor(known, null)[0] ?? '=', values: [] }
  const chosen = { '=': 'IN', '!=': 'NOT IN' } as const
  if (editedAs(known) !== 'choice' || (form.operator !== '=' && form.operator !== '!=')) return form
  return { operator: chosen[form.operator], values: form.values }
}

export const isComplete = ({ operator, values }: ConditionForm): boolean =>
  ({ none: 0, one: 1, two: 2, several: 1 })[valuesTaken(operator)] <= values.filter((value) => value !== '').length

/** Filters do not distinguish cases. */
export const isSameValue = (one: Value, other: string): boolean => String(one).toLowerCase() === other.toLowerCase()
