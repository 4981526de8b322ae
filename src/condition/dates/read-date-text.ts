import { fail, type Result, succeed } from '../../kernel/result.ts'
import { earliestLocalMs } from './date-values.ts'

/**
 * Strict parsers of dates and times, for conditions and for record bodies. Each returns the canonical text, or one sentence with
 * the expected form and what was found.
 */

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/
const ISO_DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)?$/
const TIME = /^(\d\d):(\d\d):(\d\d)$/

const EXPECTED_DATE = 'a date that exists, as YYYY-MM-DD'
const EXPECTED_DATE_TIME = 'a date and time that exist, as YYYY-MM-DD HH:MM:SS (or ISO 8601: YYYY-MM-DDTHH:MM:SSZ)'
const EXPECTED_TIME = 'a time of day, as HH:MM:SS'

/** @returns `YYYY-MM-DD`, years 0001 to 9999 */
export function readDate(text: string): Result<string, string> {
  const [, year, month, day] = DATE.exec(text) ?? []
  return isDay(year, month, day) ? succeed(text) : unexpected(EXPECTED_DATE, text)
}

/**
 * @param text `YYYY-MM-DD HH:MM:SS`; or ISO 8601 with `T`, where seconds may be missing, a fraction of them is removed, and `Z` or an
 * offset may follow; or a date alone, which is its first second
 * @param timeZone of a text without `Z` or offset: 'UTC' for stored values, the caller's zone for display values. A time that a clock
 * change skips is moved forward; if it repeats the time, the first one is meant
 * @returns `YYYY-MM-DD HH:MM:SS` in UTC, years 0001 to 9999
 */
export function readDateTime(text: string, timeZone: string): Result<string, string> {
  const time = readWallTime(text)
  if (!time.ok) return time
  const { wallMs, offsetMs } = time.value
  if (offsetMs !== null || timeZone === 'UTC') return utcTextOf(wallMs - (offsetMs ?? 0), text)
  return utcTextOf(earliestLocalMs(wallMs, timeZone), text)
}

/** `readDateTime` in UTC. It needs no time zones, so the query parser in the browser does without their library. */
export function readUtcDateTime(text: string): Result<string, string> {
  const time = readWallTime(text)
  return time.ok ? utcTextOf(time.value.wallMs - (time.value.offsetMs ?? 0), text) : time
}

/** The parsed text as if it were UTC, and its offset; null: it has none. */
function readWallTime(text: string): Result<{ readonly wallMs: number; readonly offsetMs: number | null }, string> {
  const [, year, month, day, hour = '00', minute = '00', second = '00', offset] =
    DATE_TIME.exec(text) ?? ISO_DATE_TIME.exec(text) ?? DATE.exec(text) ?? []
  if (!isDay(year, month, day) || !isTimeOfDay(hour, minute, second)) return unexpected(EXPECTED_DATE_TIME, text)
  const wallMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (offset === undefined) return succeed({ wallMs, offsetMs: null })
  const offsetMs = offset === 'Z' ? 0 : offsetOf(offset)
  return offsetMs === undefined ? unexpected(EXPECTED_DATE_TIME, text) : succeed({ wallMs, offsetMs })
}

function utcTextOf(epochMs: number, text: string): Result<string, string> {
  if (epochMs < FIRST_MS || epochMs > LAST_MS) return unexpected(EXPECTED_DATE_TIME, text)
  return succeed(new Date(epochMs).toISOString().slice(0, 19).replace('T', ' '))
}

/** @returns `HH:MM:SS`, from 00:00:00 to 23:59:59 */
export function readTime(text: string): Result<string, string> {
  const [, hour, minute, second] = TIME.exec(text) ?? []
  return isTimeOfDay(hour, minute, second) ? succeed(text) : unexpected(EXPECTED_TIME, text)
}

/** One sentence for an error message; the text is shortened, so that the message stays short. */
export function unexpected(expected: string, found: string): { readonly ok: false; readonly error: string } {
  const maxUnits = 40
  const quoted = found.length <= maxUnits ? found : `${found.slice(0, maxUnits)}…`
  return fail(`Expected ${expected}, found "${quoted.toWellFormed()}".`)
}

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59Z')

/** undefined if the offset is invalid: the maximum is 23:59. */
function offsetOf(offset: string): number | undefined {
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return undefined
  const sign = offset.startsWith('-') ? -1 : 1
  return sign * (hours * 60 + minutes) * 60_000
}

function isDay(year: string | undefined, month: string | undefined, day: string | undefined): boolean {
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  return y >= 1 && m >= 1 && m <= 12 && d >= 1 && d <= daysOfMonth(y, m)
}

function daysOfMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

function isTimeOfDay(hour: string | undefined, minute: string | undefined, second: string | undefined): boolean {
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59
}
