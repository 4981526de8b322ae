import { type Result, succeed } from '../../kernel/result.ts'
import type { Operator } from '../operators.ts'
import type { DateRange, DateUnit, Moment } from './date-types.ts'
import {
  isClockUnit,
  MAX_UNITS_AWAY,
  movedMs,
  rangeBetween,
  SECOND_MS,
  startOfUnitMs,
  wholeSecond,
} from './date-values.ts'
import { unexpected } from './read-date-text.ts'

export type RelativeOperator = Extract<Operator, `RELATIVE${string}`>

const VALUE = /^@(dayofweek|minute|hour|day|week|month|quarter|year)@(ago|ahead)@(\d{1,9})$/
const EXPECTED =
  'a relative date as @unit@ago@n or @unit@ahead@n, unit one of minute, hour, day (dayofweek), week, month, quarter, year'

/** This number of units before (negative) or after now. */
export interface RelativeDate {
  readonly unit: DateUnit
  readonly away: number
}

/** `@unit@ago@n` or `@unit@ahead@n`. */
export function readRelativeDate(text: string): Result<RelativeDate, string> {
  const [, unitName, side, digits] = VALUE.exec(text) ?? []
  if (unitName === undefined) return unexpected(EXPECTED, text)
  const unit = unitName === 'dayofweek' ? 'day' : (unitName as DateUnit)
  const count = Number(digits)
  if (count > MAX_UNITS_AWAY[unit]) return unexpected(`at most ${MAX_UNITS_AWAY[unit]} ${unit}s`, text)
  return succeed({ unit, away: side === 'ago' ? -count : count })
}

/**
 * The range of instants for which a RELATIVE operator is true. `@hour@ago@1` is the second an hour ago, `@day@ago@1` the whole of yesterday
 * in the caller's zone: minutes and hours are compared to the second, longer units as a whole (after yesterday is from today on).
 * RELATIVEEE is true within the unit: the clock hour, the day, the month.
 */
export function rangeOfRelative(operator: RelativeOperator, { unit, away }: RelativeDate, moment: Moment): DateRange {
  const { fromMs, toMs } =
    isClockUnit(unit) && operator !== 'RELATIVEEE' ? secondOf(moment, unit, away) : wholeUnit(moment, unit, away)
  return boundedBy(operator, fromMs, toMs, moment.timeZone)
}

interface Ends {
  readonly fromMs: number
  readonly toMs: number
}

function secondOf(moment: Moment, unit: DateUnit, away: number): Ends {
  const fromMs = wholeSecond(movedMs(moment, unit, away))
  return { fromMs, toMs: fromMs + SECOND_MS }
}

function wholeUnit(moment: Moment, unit: DateUnit, away: number): Ends {
  return { fromMs: startOfUnitMs(moment, unit, away), toMs: startOfUnitMs(moment, unit, away + 1) }
}

function boundedBy(operator: RelativeOperator, fromMs: number, toMs: number, timeZone: string): DateRange {
  switch (operator) {
    case 'RELATIVEGT':
      return rangeBetween(toMs, null, timeZone)
    case 'RELATIVEGE':
      return rangeBetween(fromMs, null, timeZone)
    case 'RELATIVELT':
      return rangeBetween(null, fromMs, timeZone)
    case 'RELATIVELE':
      return rangeBetween(null, toMs, timeZone)
    case 'RELATIVEEE':
      return rangeBetween(fromMs, toMs, timeZone)
  }
}
