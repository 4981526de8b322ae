import { type Result, succeed } from '../../kernel/result.ts'
import { unexpected } from './read-date-text.ts'

/** Parts of a date in the caller's zone. `weekday`: Monday 1 to Sunday 7. `week`: ISO 8601, 1 to 53. `day`: of the month. */
export const DATE_PARTS = ['year', 'quarter', 'month', 'week', 'day', 'weekday', 'hour'] as const
export type DatePart = (typeof DATE_PARTS)[number]

export const PART_COMPARISONS = ['EE', 'NE', 'GT', 'GE', 'LT', 'LE'] as const
export type PartComparison = (typeof PART_COMPARISONS)[number]

/** The comparison in a value of DATEPART: this part of the date is equal to, after or before the number. */
export interface DatePartComparison {
  readonly part: DatePart
  readonly operator: PartComparison
  readonly number: number
}

/** Week 0 exists in the lists of ServiceNow's clients; no date is in it here. */
const NUMBERS: Readonly<Record<DatePart, readonly [min: number, max: number]>> = {
  year: [1, 9999],
  quarter: [1, 4],
  month: [1, 12],
  week: [0, 53],
  day: [1, 31],
  weekday: [1, 7],
  hour: [0, 23],
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june']
const MORE_MONTHS = ['july', 'august', 'september', 'october', 'november', 'december']

const SERVICENOW =
  /^[^@]*@javascript:[gs]s\.datePart\(\s*['"](\w{1,20})['"]\s*,\s*['"](\w{1,20})['"]\s*,\s*['"](\w{1,20})['"]\s*\)$/
const PLAIN = /^(\w{1,20})@(?:(\w{1,20})@)?(\w{1,20})$/

const EXPECTED =
  "part@number or part@comparison@number, part one of year, quarter, month, week, day, weekday, hour, comparison one of EE, NE, GT, GE, LT, LE; or label@javascript:gs.datePart('part','number','comparison')"

/**
 *   value = part "@" [ comparison "@" ] number                                           ours; EE without a comparison
 *         | label "@javascript:gs.datePart('" part "','" number "','" comparison "')"    ServiceNow's; the label is ignored
 *
 * `dayofweek` is another name for weekday. Weekdays and months may have English names, in full or in three letters.
 */
export function readDatePart(value: string): Result<DatePartComparison, string> {
  const [, part, comparison, number] = PLAIN.exec(value) ?? reordered(SERVICENOW.exec(value))
  if (part === undefined || number === undefined) return unexpected(EXPECTED, value)
  const read = toComparison(part.toLowerCase(), (comparison ?? 'EE').toUpperCase(), number.toLowerCase())
  return read === undefined ? unexpected(EXPECTED, value) : succeed(read)
}

/** ServiceNow has the number before the comparison. */
function reordered(match: RegExpExecArray | null): readonly (string | undefined)[] {
  const [all, part, number, comparison] = match ?? []
  return [all, part, comparison, number]
}

function toComparison(partName: string, operatorName: string, numberName: string): DatePartComparison | undefined {
  const part = DATE_PARTS.find((known) => known === (partName === 'dayofweek' ? 'weekday' : partName))
  const operator = PART_COMPARISONS.find((known) => known === operatorName)
  if (part === undefined || operator === undefined) return undefined
  const number = numberOf(part, numberName)
  const [min, max] = NUMBERS[part]
  return number >= min && number <= max ? { part, operator, number } : undefined
}

/** NaN, which is in no range, for a text that is neither a number nor a name. */
function numberOf(part: DatePart, text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  if (part === 'weekday') return positionOf(WEEKDAYS, text)
  return part === 'month' ? positionOf([...MONTHS, ...MORE_MONTHS], text) : Number.NaN
}

function positionOf(names: readonly string[], text: string): number {
  const index = names.findIndex((name) => name === text || (text.length === 3 && name.startsWith(text)))
  return index < 0 ? Number.NaN : index + 1
}
