import { DateTime } from 'luxon'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { DateRange, Moment } from './date-types.ts'
import { rangeBetween, SECOND_MS, startOfLocalDayMs } from './date-values.ts'
import { endsOfPeriod, type NamedPeriod, periodNamed } from './named-period.ts'
import { readDate, readDateTime, readUtcDateTime, unexpected } from './read-date-text.ts'
import { epochMsOf, type Helper, isHelper, readHelper } from './read-helper.ts'

const EXPECTED =
  'a date as YYYY-MM-DD, a period such as Today, Last week or Last 7 days, or label@start@end (docs/operators.md)'

/** The parsed value of ON and NOTON. */
export type DateSpan =
  | { readonly kind: 'day'; readonly date: string }
  | { readonly kind: 'period'; readonly period: NamedPeriod }
  | { readonly kind: 'edges'; readonly start: SpanEdge; readonly end: SpanEdge }

/** `text` is the edge as written. An edge with neither `date` nor `helper` is a date and time, possibly in the caller's zone. */
interface SpanEdge {
  readonly text: string
  readonly date?: string
  readonly helper?: Helper & { readonly kind: 'instant' }
}

/**
 * Parses the value of ON and NOTON.
 *
 *   value = date | period | label "@" edge "@" edge
 *   edge  = date | `YYYY-MM-DD HH:MM:SS` | ISO 8601 | `javascript:` helper of an instant
 *
 * With edges the label is ignored, so it may be in any language. Both edges are inclusive: a date as the end means the whole day, a time
 * its whole second.
 */
export function readDateSpan(text: string, isLiteral: boolean): Result<DateSpan, string> {
  const [label = '', start, end, ...more] = text.split('@', 4)
  if (start === undefined) return readLabel(label)
  if (end === undefined || more.length > 0) return unexpected(EXPECTED, text)
  const from = readEdge(start, isLiteral)
  if (!from.ok) return from
  const to = readEdge(end, isLiteral)
  return to.ok ? succeed({ kind: 'edges', start: from.value, end: to.value }) : to
}

function readLabel(label: string): Result<DateSpan, string> {
  const period = periodNamed(label)
  if (period !== undefined) return succeed({ kind: 'period', period })
  const date = readDate(label)
  return date.ok ? succeed({ kind: 'day', date: date.value }) : unexpected(EXPECTED, label)
}

function readEdge(text: string, isLiteral: boolean): Result<SpanEdge, string> {
  if (isHelper(text) && !isLiteral) {
    const helper = readHelper(text)
    if (!helper.ok) return helper
    return helper.value.kind === 'instant'
      ? succeed({ text, helper: helper.value })
      : unexpected('a helper that gives a date', text)
  }
  const date = readDate(text)
  if (date.ok) return succeed({ text, date: date.value })
  const dateTime = readUtcDateTime(text)
  return dateTime.ok ? succeed({ text }) : dateTime
}

/** The range of a span in the caller's zone; weeks begin on Monday. */
export function rangeOfSpan(span: DateSpan, moment: Moment): Result<DateRange, string> {
  switch (span.kind) {
    case 'period': {
      const { fromMs, toMs } = endsOfPeriod(span.period, moment)
      return succeed(rangeBetween(fromMs, toMs, moment.timeZone))
    }
    case 'day': {
      const { firstMs, afterMs } = wholeDay(span.date, moment.timeZone)
      return succeed(rangeBetween(firstMs, afterMs, moment.timeZone))
    }
    case 'edges':
      return rangeOfEdges(span, moment)
  }
}

function rangeOfEdges(
  { start, end }: DateSpan & { readonly kind: 'edges' },
  moment: Moment,
): Result<DateRange, string> {
  const from = edgeAt(start, moment)
  if (!from.ok) return from
  const to = edgeAt(end, moment)
  if (!to.ok) return to
  if (from.value.firstMs >= to.value.afterMs)
    return fail(`The range starts at ${start.text}, after its end ${end.text}.`)
  return succeed(rangeBetween(from.value.firstMs, to.value.afterMs, moment.timeZone))
}

/** The range of an edge: a day or a second. Epoch milliseconds. */
interface Edge {
  readonly firstMs: number
  readonly afterMs: number
}

function edgeAt({ text, date, helper }: SpanEdge, moment: Moment): Result<Edge, string> {
  if (helper !== undefined) return succeed(wholeSecondFrom(epochMsOf(helper, moment)))
  if (date !== undefined) return succeed(wholeDay(date, moment.timeZone))
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
