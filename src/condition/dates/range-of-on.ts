import { DateTime } from 'luxon'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { type DateRange, type Moment, rangeBetween, SECOND_MS, startOfLocalDayMs } from './date-values.ts'
import { endsOfPeriod, periodNamed } from './named-period.ts'
import { readDate, readDateTime, unexpected } from './read-date-text.ts'
import { isHelper, readHelper } from './read-helper.ts'

const EXPECTED =
  'a date as YYYY-MM-DD, a period such as Today, Last week or Last 7 days, or label@start@end (docs/operators.md)'

/**
 * The range that the value of ON and NOTON means, in the caller's zone; weeks begin on Monday.
 *
 *   value = date | period | label "@" edge "@" edge
 *   edge  = date | `YYYY-MM-DD HH:MM:SS` | ISO 8601 | `javascript:` helper of an instant
 *
 * With edges the label says nothing, so it may be in any language. Both edges belong to the range: a date as the end
 * means the whole day, a time its whole second.
 */
export function rangeOfOn(value: string, moment: Moment, literal?: true): Result<DateRange, string> {
  const [label = '', start, end, ...more] = value.split('@', 4)
  const edgeOf = literal ? writtenEdge : edgeOrHelper
  if (start === undefined) return rangeOfLabel(label, moment)
  if (end === undefined || more.length > 0) return unexpected(EXPECTED, value)
  const from = edgeOf(start, moment)
  if (!from.ok) return from
  const to = edgeOf(end, moment)
  if (!to.ok) return to
  if (from.value.firstMs >= to.value.afterMs) return refuse(`The range starts at ${start}, after its end ${end}.`)
  return succeed(rangeBetween(from.value.firstMs, to.value.afterMs, moment.timeZone))
}

function rangeOfLabel(label: string, moment: Moment): Result<DateRange, string> {
  const period = periodNamed(label)
  if (period !== undefined) {
    const { fromMs, toMs } = endsOfPeriod(period, moment)
    return succeed(rangeBetween(fromMs, toMs, moment.timeZone))
  }
  const date = readDate(label)
  if (!date.ok) return unexpected(EXPECTED, label)
  const { firstMs, afterMs } = wholeDay(date.value, moment.timeZone)
  return succeed(rangeBetween(firstMs, afterMs, moment.timeZone))
}

/** What an edge covers: a day or a second. Epoch milliseconds. */
interface Edge {
  readonly firstMs: number
  readonly afterMs: number
}

function edgeOrHelper(text: string, moment: Moment): Result<Edge, string> {
  if (!isHelper(text)) return writtenEdge(text, moment)
  const helper = readHelper(text)
  if (!helper.ok) return helper
  if (helper.value.kind !== 'instant') return unexpected('a helper that gives a date', text)
  return succeed(wholeSecondFrom(helper.value.epochMs(moment)))
}

function writtenEdge(text: string, moment: Moment): Result<Edge, string> {
  const date = readDate(text)
  if (date.ok) return succeed(wholeDay(date.value, moment.timeZone))
  const dateTime = readDateTime(text, moment.timeZone)
  return dateTime.ok ? succeed(wholeSecondFrom(Date.parse(`${dateTime.value.replace(' ', 'T')}Z`))) : dateTime
}

function wholeSecondFrom(firstMs: number): Edge {
  return { firstMs, afterMs: firstMs + SECOND_MS }
}

function wholeDay(date: string, timeZone: string): Edge {
  const day = DateTime.fromISO(date, { zone: 'utc' })
  return { firstMs: startOfLocalDayMs(day, timeZone), afterMs: startOfLocalDayMs(day.plus({ day: 1 }), timeZone) }
}
