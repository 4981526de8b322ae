import type { CalendarUnit, DateUnit, Moment } from './date-types.ts'
import { MAX_UNITS_AWAY, movedMs, SECOND_MS, startOfUnitMs, wholeSecond } from './date-values.ts'

/**
 * Periods with a name: `Today`, `Last week`, `Next 2 quarters`. The labels of ON have the same names, and so do the helpers
 * `gs.beginningOf…` and `gs.endOf…`, without spaces.
 *
 *   Today, Yesterday, Tomorrow, One year ago
 *   ( This | Current | Last | Next ) unit
 *   ( Last | Next ) n unit [ "s" ]
 *
 * "Last n" follows the condition builder of ServiceNow, whose clients send these names: minutes, days, weeks and months go back n and
 * include the current one; quarters and years are n including the current one; hours count from now. "Next" mirrors it, except that
 * quarters and years begin after the current one.
 */
export type NamedPeriod =
  /** Whole units, counted from the current one (0), both ends inclusive. */
  | { readonly kind: 'units'; readonly unit: DateUnit; readonly first: number; readonly last: number }
  /** From now backwards or forwards, to the second. */
  | { readonly kind: 'rolling'; readonly hours: number }
  /** From this second a year ago to the end of the current month. */
  | { readonly kind: 'since-one-year-ago' }

const SINGLE_NAMES: Readonly<Record<string, NamedPeriod>> = {
  today: { kind: 'units', unit: 'day', first: 0, last: 0 },
  yesterday: { kind: 'units', unit: 'day', first: -1, last: -1 },
  tomorrow: { kind: 'units', unit: 'day', first: 1, last: 1 },
  'one year ago': { kind: 'since-one-year-ago' },
}

const RELATIVE_NAME = /^(this|current|last|next) (?:(\d{1,9}) )?(minute|hour|day|week|month|quarter|year)(s?)$/

/** @param name in any case, words separated by single spaces; undefined if it is not the name of a period */
export function periodNamed(name: string): NamedPeriod | undefined {
  const text = name.toLowerCase()
  if (Object.hasOwn(SINGLE_NAMES, text)) return SINGLE_NAMES[text]
  const [, side, digits, unitName, plural] = RELATIVE_NAME.exec(text) ?? []
  const unit = unitName as DateUnit | undefined
  if (side === undefined || unit === undefined) return undefined
  if (digits === undefined) return plural === '' ? wholeUnit(unit, UNITS_AWAY[side] ?? 0) : undefined
  const count = Number(digits)
  if (count < 1 || count > MAX_UNITS_AWAY[unit]) return undefined
  if (side === 'last') return lastUnits(unit, count)
  return side === 'next' ? nextUnits(unit, count) : undefined
}

const UNITS_AWAY: Readonly<Record<string, number>> = { this: 0, current: 0, last: -1, next: 1 }
const COUNTED_WITH_THE_PRESENT: ReadonlySet<DateUnit> = new Set<CalendarUnit>(['quarter', 'year'])

function wholeUnit(unit: DateUnit, away: number): NamedPeriod {
  return { kind: 'units', unit, first: away, last: away }
}

function lastUnits(unit: DateUnit, count: number): NamedPeriod {
  if (unit === 'hour') return { kind: 'rolling', hours: -count }
  return { kind: 'units', unit, first: COUNTED_WITH_THE_PRESENT.has(unit) ? 1 - count : -count, last: 0 }
}

function nextUnits(unit: DateUnit, count: number): NamedPeriod {
  if (unit === 'hour') return { kind: 'rolling', hours: count }
  return { kind: 'units', unit, first: COUNTED_WITH_THE_PRESENT.has(unit) ? 1 : 0, last: count }
}

/** Epoch milliseconds, whole seconds; `toMs` is exclusive. */
export interface PeriodEnds {
  readonly fromMs: number
  readonly toMs: number
}

export function endsOfPeriod(period: NamedPeriod, moment: Moment): PeriodEnds {
  switch (period.kind) {
    case 'units': {
      const { unit, first, last } = period
      return { fromMs: startOfUnitMs(moment, unit, first), toMs: startOfUnitMs(moment, unit, last + 1) }
    }
    case 'rolling': {
      const [now, other] = [wholeSecond(moment.nowMs), wholeSecond(movedMs(moment, 'hour', period.hours))]
      return { fromMs: Math.min(now, other), toMs: Math.max(now, other) + SECOND_MS }
    }
    case 'since-one-year-ago':
      return { fromMs: wholeSecond(movedMs(moment, 'year', -1)), toMs: startOfUnitMs(moment, 'month', 1) }
  }
}
