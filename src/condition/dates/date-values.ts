import { DateTime, IANAZone } from 'luxon'
import type { CalendarUnit, ClockUnit, DateRange, DateUnit, Instant, Moment } from './date-types.ts'

/**
 * The maximum distance of a condition from now, a thousand years in each unit: a larger number is a mistake, and within it every result is
 * a date that the database supports.
 */
export const MAX_UNITS_AWAY: Readonly<Record<DateUnit, number>> = {
  minute: 525_960_000,
  hour: 8_766_000,
  day: 365_250,
  week: 52_178,
  month: 12_000,
  quarter: 4_000,
  year: 1_000,
}

export const SECOND_MS = 1_000
const CLOCK_UNIT_MS: Readonly<Record<ClockUnit, number>> = { hour: 3_600_000, minute: 60_000 }

export function isClockUnit(unit: DateUnit): unit is ClockUnit {
  return unit === 'hour' || unit === 'minute'
}

/** @throws RangeError if the zone is unknown: zones are checked when they are stored; a caller cannot send one here */
function zoneNamed(timeZone: string): IANAZone {
  const zone = IANAZone.create(timeZone)
  if (!zone.isValid) throw new RangeError(`unknown time zone: ${timeZone}`)
  return zone
}

function localTimeAt(epochMs: number, timeZone: string): DateTime {
  return DateTime.fromMillis(epochMs, { zone: zoneNamed(timeZone), locale: 'en-US' })
}

/**
 * The first instant whose local date is the given one. If a clock change removes midnight, that is 01:00; if it gives two midnights, the
 * first of them, so that days neither overlap nor leave an hour out.
 *
 * @param day midnight UTC of the calendar day
 */
export function startOfLocalDayMs(day: DateTime, timeZone: string): number {
  return earliestLocalMs(day.toMillis(), timeZone)
}

/** Longer than any clock change, including Samoa's of a whole day in 2011, and shorter than the time between two. */
const AROUND_A_CHANGE_MS = 26 * 3_600_000

/**
 * The instant at which clocks in the zone display a time: the earlier of two; if a clock change skips the time, later by the length of the
 * change. (The library's own search reads the zone three times as often, and this runs several times per query.)
 *
 * @param wallMs the displayed time, as if it were UTC
 */
export function earliestLocalMs(wallMs: number, timeZone: string): number {
  const zone = zoneNamed(timeZone)
  const before = wallMs - zone.offset(wallMs - AROUND_A_CHANGE_MS) * CLOCK_UNIT_MS.minute
  const after = wallMs - zone.offset(wallMs + AROUND_A_CHANGE_MS) * CLOCK_UNIT_MS.minute
  if (before === after) return before
  const shows = (epochMs: number) => epochMs + zone.offset(epochMs) * CLOCK_UNIT_MS.minute === wallMs
  const [earlier, later] = before < after ? [before, after] : [after, before]
  if (shows(earlier)) return earlier
  return shows(later) ? later : before
}

/** Today's date in the caller's zone, as midnight UTC so that clock changes do not affect calendar arithmetic. */
export function todayOf({ nowMs, timeZone }: Moment): DateTime {
  const local = localTimeAt(nowMs, timeZone)
  return DateTime.utc(local.year, local.month, local.day)
}

/** The start, in epoch milliseconds, of the unit that is `away` units after (before, if negative) the current one. */
export function startOfUnitMs(moment: Moment, unit: DateUnit, away: number): number {
  if (!isClockUnit(unit)) return startOfLocalDayMs(calendarStart(moment, unit, away), moment.timeZone)
  // With the current offset: at a clock change "this hour" stays sixty minutes around now, also in zones of half hours.
  const offsetMs = localTimeAt(moment.nowMs, moment.timeZone).offset * CLOCK_UNIT_MS.minute
  const size = CLOCK_UNIT_MS[unit]
  return Math.floor((moment.nowMs + offsetMs) / size) * size - offsetMs + away * size
}

function calendarStart(moment: Moment, unit: CalendarUnit, away: number): DateTime {
  return todayOf(moment)
    .startOf(unit)
    .plus({ [unit]: away })
}

/** Now, moved by whole units: clock units by elapsed time, calendar units by the calendar at the same time of day. */
export function movedMs({ nowMs, timeZone }: Moment, unit: DateUnit, away: number): number {
  if (isClockUnit(unit)) return nowMs + away * CLOCK_UNIT_MS[unit]
  return localTimeAt(nowMs, timeZone)
    .plus({ [unit]: away })
    .toMillis()
}

/** Each form is computed when it is read: a request needs one of them, and a local time costs 20 µs. */
export function instantAt(epochMs: number, timeZone: string): Instant {
  return {
    get utc() {
      return utcText(epochMs)
    },
    get localDate() {
      return dateText(localTimeAt(epochMs, timeZone))
    },
    get localTime() {
      return timeText(localTimeAt(epochMs, timeZone))
    },
  }
}

/** @param fromMs inclusive @param toMs exclusive; both in epoch milliseconds, null if unbounded */
export function rangeBetween(fromMs: number | null, toMs: number | null, timeZone: string): DateRange {
  return {
    from: fromMs === null ? null : utcText(fromMs),
    to: toMs === null ? null : utcText(toMs),
    fromDate: fromMs === null ? null : dateText(localTimeAt(fromMs, timeZone)),
    toDate: toMs === null ? null : dateText(localTimeAt(toMs - 1, timeZone).plus({ day: 1 })),
  }
}

/** Removes the fraction of a second, downwards on both sides of 1970. */
export function wholeSecond(epochMs: number): number {
  return Math.floor(epochMs / SECOND_MS) * SECOND_MS
}

function utcText(epochMs: number): string {
  const utc = new Date(wholeSecond(epochMs))
  const year = utc.getUTCFullYear()
  // The database has no year 0: a time before year 1 is before every stored value.
  if (year < 1) return '0001-01-01 00:00:00'
  const time = timeText({ hour: utc.getUTCHours(), minute: utc.getUTCMinutes(), second: utc.getUTCSeconds() })
  return `${dateText({ year, month: utc.getUTCMonth() + 1, day: utc.getUTCDate() })} ${time}`
}

function dateText({ year, month, day }: Pick<DateTime, 'year' | 'month' | 'day'>): string {
  return year < 1 ? '0001-01-01' : `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
}

function timeText({ hour, minute, second }: Pick<DateTime, 'hour' | 'minute' | 'second'>): string {
  return `${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
