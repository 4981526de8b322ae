import { DateTime } from 'luxon'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { DateUnit, Instant, Moment } from './date-types.ts'
import {
  earliestLocalMs,
  instantAt,
  MAX_UNITS_AWAY,
  movedMs,
  SECOND_MS,
  startOfLocalDayMs,
  startOfUnitMs,
  wholeSecond,
} from './date-values.ts'
import { endsOfPeriod, type NamedPeriod, periodNamed } from './named-period.ts'
import { readDate, readTime, unexpected } from './read-date-text.ts'

/**
 * Values that begin with `javascript:`. They look like code, but are not: a closed list of names is recognised and computed here, nothing
 * is ever evaluated, and everything else is rejected (docs/spec/records.md, section 6). The object is called `gs` by ServiceNow's clients
 * and `ss` by SimpleOne's; both are accepted.
 *
 *   gs.getUserID()  gs.getUserId()  gs.user_id()  gs.getUser().getID()     the caller's sys_id
 *   gs.getUserName()  gs.getUser().getName()                              the caller's user_name
 *   gs.getMyGroups()  gs.getUser().getMyGroups()                          sys_ids of the caller's groups
 *   gs.getUser().getCompanyID()                                           sys_id of the caller's company
 *   gs.getProperty('name')                                                the value of a property
 *   gs.nowDateTime()  gs.nowNoTZ()                                        this second
 *   gs.now()  gs.nowDate()                                                the first second of today
 *   gs.yesterday()                                                        this second, a day ago
 *   gs.beginningOf<Period>()  gs.endOf<Period>()                          named-period.ts without spaces: LastWeek, Last7Days
 *   gs.<units>Ago(n)  gs.<units>AgoStart(n)  gs.<units>AgoEnd(n)          minutes hours days weeks months quarters years
 *   gs.dateGenerate('YYYY-MM-DD', 'start' | 'end' | 'HH:MM:SS')           in the caller's zone
 *   gs.dateGenerate('YYYY-MM-DD HH:MM:SS')                                the same
 *
 * A negative n is in the future. Ends are the last second of a period.
 */
export type Helper =
  | { readonly kind: 'user-id' }
  | { readonly kind: 'user-name' }
  | { readonly kind: 'group-ids' }
  | { readonly kind: 'company-id' }
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'instant'; readonly at: InstantCall }

/** The instant that a helper means, relative to the caller's moment. */
type InstantCall =
  /** This second, moved by this number of units. */
  | { readonly kind: 'moved'; readonly unit: DateUnit; readonly away: number }
  /** The first second of the unit at this distance, or the last second before it. */
  | { readonly kind: 'start' | 'before-start'; readonly unit: DateUnit; readonly away: number }
  | { readonly kind: 'beginning' | 'end'; readonly period: NamedPeriod }
  /** A day, `YYYY-MM-DD`, in the caller's zone: its `start`, its `end`, or at `HH:MM:SS`. */
  | { readonly kind: 'of-day'; readonly date: string; readonly time: string }

const PREFIX = 'javascript:'
/** UTF-16 units; the longest meaningful helper has about 60. */
const MAX_HELPER_UNITS = 200

const CALL = /^[gs]s\.(\w+)\(([^()]*)\)$/
const CALL_ON_USER = /^[gs]s\.getUser\(\)\.(\w+)\(\)$/
const PERIOD_CALL = /^(beginning|end)Of(This|Current|Last|Next|Today|Yesterday|Tomorrow|OneYearAgo)(\d*)([A-Za-z]*)$/
const AGO_CALL = /^(minute|hour|day|week|month|quarter|year)sAgo(Start|End)?$/
const QUOTED = /^\s*(['"])([^'"]+)\1\s*$/
const COUNT = /^-?\d{1,9}$/
const DATE_AND_TIME = /^\s*(['"])([0-9-]+) ([0-9:]+)\1\s*$/
const TWO_QUOTED = /^\s*(['"])([^'"]*)\1\s*,\s*(['"])([^'"]*)\3\s*$/

const WITHOUT_ARGUMENTS: Readonly<Record<string, Helper>> = {
  getUserID: { kind: 'user-id' },
  getUserId: { kind: 'user-id' },
  user_id: { kind: 'user-id' },
  getUserName: { kind: 'user-name' },
  getMyGroups: { kind: 'group-ids' },
  now: instant({ kind: 'start', unit: 'day', away: 0 }),
  nowDate: instant({ kind: 'start', unit: 'day', away: 0 }),
  nowDateTime: instant({ kind: 'moved', unit: 'hour', away: 0 }),
  nowNoTZ: instant({ kind: 'moved', unit: 'hour', away: 0 }),
  yesterday: instant({ kind: 'moved', unit: 'day', away: -1 }),
}

const OF_USER: Readonly<Record<string, Helper>> = {
  getID: { kind: 'user-id' },
  getName: { kind: 'user-name' },
  getMyGroups: { kind: 'group-ids' },
  getCompanyID: { kind: 'company-id' },
}

export function isHelper(value: string): boolean {
  return value.startsWith(PREFIX)
}

/**
 * @param value a text for which `isHelper` is true
 * @returns the helper, or a sentence about what is wrong with it
 */
export function readHelper(value: string): Result<Helper, string> {
  if (value.length > MAX_HELPER_UNITS) return unknownHelper(value)
  const trimmed = value.slice(PREFIX.length).trim()
  const call = trimmed.endsWith(';') ? trimmed.slice(0, -1).trimEnd() : trimmed
  const [, ofUser] = CALL_ON_USER.exec(call) ?? []
  if (ofUser !== undefined) return known(OF_USER, ofUser) ?? unknownHelper(value)
  const [, name, argumentText] = CALL.exec(call) ?? []
  if (name === undefined || argumentText === undefined) return unknownHelper(value)
  if (name === 'getProperty') return readGetProperty(argumentText)
  if (name === 'dateGenerate') return readDateGenerate(argumentText)
  const [, unit, side] = AGO_CALL.exec(name) ?? []
  if (unit !== undefined) return readAgo(unit as DateUnit, side, argumentText.trim())
  if (argumentText.trim() !== '') return unknownHelper(value)
  return known(WITHOUT_ARGUMENTS, name) ?? readPeriodCall(name) ?? unknownHelper(value)
}

export function computeInstant(helper: Helper & { readonly kind: 'instant' }, moment: Moment): Instant {
  return instantAt(epochMsOf(helper, moment), moment.timeZone)
}

/** Whole seconds. */
export function epochMsOf({ at }: Helper & { readonly kind: 'instant' }, moment: Moment): number {
  switch (at.kind) {
    case 'moved':
      return wholeSecond(movedMs(moment, at.unit, at.away))
    case 'start':
      return startOfUnitMs(moment, at.unit, at.away)
    case 'before-start':
      return startOfUnitMs(moment, at.unit, at.away) - SECOND_MS
    case 'beginning':
      return endsOfPeriod(at.period, moment).fromMs
    case 'end':
      return endsOfPeriod(at.period, moment).toMs - SECOND_MS
    case 'of-day':
      return timeOfDayMs(at, moment.timeZone)
  }
}

function timeOfDayMs({ date, time }: InstantCall & { readonly kind: 'of-day' }, timeZone: string): number {
  const day = DateTime.fromISO(date, { zone: 'utc' })
  if (time === 'start') return startOfLocalDayMs(day, timeZone)
  if (time === 'end') return startOfLocalDayMs(day.plus({ day: 1 }), timeZone) - SECOND_MS
  return earliestLocalMs(Date.parse(`${date}T${time}Z`), timeZone)
}

function instant(at: InstantCall): Helper {
  return { kind: 'instant', at }
}

function known(table: Readonly<Record<string, Helper>>, name: string): Result<Helper, string> | undefined {
  const helper = Object.hasOwn(table, name) ? table[name] : undefined
  return helper && succeed(helper)
}

function readPeriodCall(name: string): Result<Helper, string> | undefined {
  const [, end, side = '', digits = '', unit = ''] = PERIOD_CALL.exec(name) ?? []
  const words = side === 'OneYearAgo' ? ['One year ago'] : [side, digits, unit]
  const period = periodNamed(words.filter((word) => word !== '').join(' '))
  if (period === undefined) return undefined
  return succeed(instant({ kind: end === 'beginning' ? 'beginning' : 'end', period }))
}

function readAgo(unit: DateUnit, side: string | undefined, argument: string): Result<Helper, string> {
  const count = COUNT.test(argument) ? Number(argument) : Number.NaN
  if (!(Math.abs(count) <= MAX_UNITS_AWAY[unit])) {
    return unexpected(`a whole number of ${unit}s up to ${MAX_UNITS_AWAY[unit]}`, argument)
  }
  if (side === 'Start') return succeed(instant({ kind: 'start', unit, away: -count }))
  if (side === 'End') return succeed(instant({ kind: 'before-start', unit, away: 1 - count }))
  return succeed(instant({ kind: 'moved', unit, away: -count }))
}

function readGetProperty(argumentText: string): Result<Helper, string> {
  const [, , name] = QUOTED.exec(argumentText) ?? []
  if (name === undefined) return unexpected("gs.getProperty('name')", argumentText)
  return succeed({ kind: 'property', name })
}

function readDateGenerate(argumentText: string): Result<Helper, string> {
  const [, , dateOfOne, timeOfOne] = DATE_AND_TIME.exec(argumentText) ?? []
  const [, , dateArgument = dateOfOne, , timeArgument = timeOfOne] = TWO_QUOTED.exec(argumentText) ?? []
  if (dateArgument === undefined || timeArgument === undefined) {
    return unexpected("gs.dateGenerate('YYYY-MM-DD', 'start' or 'end' or 'HH:MM:SS')", argumentText)
  }
  const date = readDate(dateArgument)
  if (!date.ok) return date
  if (timeArgument === 'start' || timeArgument === 'end')
    return succeed(instant({ kind: 'of-day', date: date.value, time: timeArgument }))
  const time = readTime(timeArgument)
  return time.ok ? succeed(instant({ kind: 'of-day', date: date.value, time: time.value })) : time
}

function unknownHelper(value: string): Result<never, string> {
  const { error } = unexpected(
    'one of the helpers that docs/operators.md lists, such as javascript:gs.daysAgo(7) or javascript:gs.getUserID()',
    value,
  )
  return fail(`${error} Code is never run.`)
}
