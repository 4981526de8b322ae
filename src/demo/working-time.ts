import { IANAZone } from 'luxon'
import type { Random } from './random.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const workBeginsAtHour = 9
const workEndsAtHour = 18

/** `YYYY-MM-DD HH:MM:SS` in UTC, the format of PostgreSQL. */
export function timestamp(ms: number): string {
  const day = Math.floor(ms / dayMs)
  let date = knownDates.get(day)
  if (date === undefined) {
    date = new Date(day * dayMs).toISOString().slice(0, 10)
    knownDates.set(day, date)
  }
  const seconds = Math.floor((ms - day * dayMs) / 1_000)
  return `${date} ${twoDigits(seconds / 3_600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}`
}

/** The desk formats a hundred thousand times on about a hundred days. */
const knownDates = new Map<number, string>()
const twoDigits = (value: number): string => (value < 10 ? `0${Math.floor(value)}` : String(Math.floor(value)))

/** Adds minutes of work (9 to 18 o'clock, Monday to Friday, in the zone); nights and weekends do not count. */
export function addWorkingMinutes(fromMs: number, minutes: number, zone: string): number {
  let at = nextWorkingMoment(fromMs, zone)
  let left = minutes * minuteMs
  for (;;) {
    const untilEvening = startOfDay(at, zone) + workEndsAtHour * hourMs - localTime(at, zone)
    if (left <= untilEvening) return at + left
    left -= untilEvening
    at = nextWorkingMoment(at + untilEvening, zone)
  }
}

/** The time itself if it is working time, otherwise the next start of work. */
export function nextWorkingMoment(ms: number, zone: string): number {
  const local = localTime(ms, zone)
  const morning = startOfDay(ms, zone) + workBeginsAtHour * hourMs
  const evening = startOfDay(ms, zone) + workEndsAtHour * hourMs
  if (isWeekend(local) || local >= evening) return nextWorkingMoment(ms + (morning + dayMs - local), zone)
  return local < morning ? ms + (morning - local) : ms
}

/** The load by weekday and by hour: Monday morning is the busiest, the lunch hour is quiet. */
const loadOfWeekday = [0.04, 1.25, 1.1, 1, 0.95, 0.82, 0.06]
const loadOfHour: readonly (readonly [hour: number, weight: number])[] = [
  [7, 1],
  [8, 4],
  [9, 11],
  [10, 13],
  [11, 12],
  [12, 8],
  [13, 6],
  [14, 9],
  [15, 11],
  [16, 9],
  [17, 6],
  [18, 2],
  [19, 1],
  [21, 0.5],
]

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** A time in the span at which a person in that zone would call: follows the weekly and daily rhythm of offices. */
export function busyMoment(random: Random, span: Span, zone: string): number {
  for (;;) {
    const day = startOfDay(span.fromMs + random.next() * (span.toMs - span.fromMs), zone)
    const local = day + random.pickWeighted(loadOfHour) * hourMs + random.between(0, 3_599) * 1_000
    const ms = local - offsetMs(local, zone)
    const keep = random.chance((loadOfWeekday[weekday(local)] ?? 0) / 1.25)
    if (keep && ms >= span.fromMs && ms <= span.toMs) return ms
  }
}

/** Any time of the span: machines do not sleep. */
export function anyMoment(random: Random, span: Span): number {
  return Math.floor((span.fromMs + random.next() * (span.toMs - span.fromMs)) / 1_000) * 1_000
}

/** `HH:MM` in that zone. */
export function wallClock(ms: number, zone: string): string {
  return timestamp(localTime(ms, zone)).slice(11, 16)
}

/** The next time, at least `ms`, at which the clock in that zone shows this hour on a day from Monday to Friday. */
export function nextWorkdayAt(ms: number, hour: number, zone: string): number {
  for (let day = startOfDay(ms, zone); ; day += dayMs) {
    const local = day + hour * hourMs
    const at = local - offsetMs(local, zone)
    if (at >= ms && !isWeekend(local)) return at
  }
}

/** Milliseconds of the local time in that zone, counted as if it were UTC. */
function localTime(ms: number, zone: string): number {
  return ms + offsetMs(ms, zone)
}

function startOfDay(ms: number, zone: string): number {
  const local = localTime(ms, zone)
  return local - (((local % dayMs) + dayMs) % dayMs)
}

function weekday(localMs: number): number {
  return new Date(localMs).getUTCDay()
}

function isWeekend(localMs: number): boolean {
  return weekday(localMs) % 6 === 0
}

interface KnownZone {
  readonly zone: IANAZone
  /** Offsets in ms by day since 1970; null for a day with a clock change. */
  readonly days: Map<number, number | null>
}

/** A zone changes its clocks twice a year, and the desk needs some hundred thousand offsets: ICU is called once per day. */
const knownZones = new Map<string, KnownZone>()

/** The zone's offset from UTC. Near a clock change, a *local* time may get the offset of some hours before or after it. */
function offsetMs(ms: number, name: string): number {
  let known = knownZones.get(name)
  if (known === undefined) {
    known = { zone: IANAZone.create(name), days: new Map() }
    knownZones.set(name, known)
  }
  const day = Math.floor(ms / dayMs)
  let offset = known.days.get(day)
  if (offset === undefined) {
    const [first, last] = [known.zone.offset(day * dayMs), known.zone.offset((day + 1) * dayMs)]
    offset = first === last ? first * minuteMs : null
    known.days.set(day, offset)
  }
  return offset ?? known.zone.offset(ms) * minuteMs
}
