import { DateTime } from 'luxon'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import {
  type DateUnit,
  earliestLocalMs,
  type Instant,
  instantAt,
  MAX_UNITS_AWAY,
  type Moment,
  movedMs,
  SECOND_MS,
  startOfLocalDayMs,
  startOfUnitMs,
  wholeSecond,
} from './date-values.ts'
import { endsOfPeriod, periodNamed } from './named-period.ts'
import { readDate, readTime, unexpected } from './read-date-text.ts'

/**
 * Values that begin with `javascript:`. They look like code and are none: a closed list of names is recognised and
 * computed here, nothing is ever evaluated, and everything else is refused (record spec, section 6). The object is
 * called `gs` by ServiceNow's clients and `ss` by SimpleOne's; both are read.
 *
 *   gs.getUserID()  gs.getUserId()  gs.user_id()  gs.getUser().getID()     the caller's sys_id
 *   gs.getUserName()  gs.getUser().getName()                              the caller's user_name
 *   gs.getMyGroups()  gs.getUser().getMyGroups()                          sys_ids of the caller's groups
 *   gs.nowDateTime()  gs.nowNoTZ()                                        this second
 *   gs.now()  gs.nowDate()                                                the first second of today
 *   gs.yesterday()                                                        this second, a day ago
 *   gs.beginningOf<Period>()  gs.endOf<Period>()                          named-period.ts without spaces: LastWeek, Last7Days
 *   gs.<units>Ago(n)  gs.<units>AgoStart(n)  gs.<units>AgoEnd(n)          minutes hours days weeks months quarters years
 *   gs.dateGenerate('YYYY-MM-DD', 'start' | 'end' | 'HH:MM:SS')           in the caller's zone
 *
 * A negative n lies ahead. Ends are the last second of a period.
 */
export type Helper =
  | { readonly kind: 'user-id' }
  | { readonly kind: 'user-name' }
  | { readonly kind: 'group-ids' }
  | { readonly kind: 'instant'; readonly epochMs: (moment: Moment) => number }

const PREFIX = 'javascript:'
/** UTF-16 units; the longest helper that means something has about 60. */
const MAX_HELPER_UNITS = 200

const CALL = /^[gs]s\.(\w+)\(([^()]*)\)$/
const CALL_ON_USER = /^[gs]s\.getUser\(\)\.(\w+)\(\)$/
const PERIOD_CALL = /^(beginning|end)Of(This|Current|Last|Next|Today|Yesterday|Tomorrow|OneYearAgo)(\d*)([A-Za-z]*)$/
const AGO_CALL = /^(minute|hour|day|week|month|quarter|year)sAgo(Start|End)?$/
const COUNT = /^-?\d{1,9}$/
const TWO_QUOTED = /^\s*(['"])([^'"]*)\1\s*,\s*(['"])([^'"]*)\3\s*$/

const WITHOUT_ARGUMENTS: Readonly<Record<string, Helper>> = {
  getUserID: { kind: 'user-id' },
  getUserId: { kind: 'user-id' },
  user_id: { kind: 'user-id' },
  getUserName: { kind: 'user-name' },
  getMyGroups: { kind: 'group-ids' },
  now: instantOf((moment) => startOfUnitMs(moment, 'day', 0)),
  nowDate: instantOf((moment) => startOfUnitMs(moment, 'day', 0)),
  nowDateTime: instantOf(({ nowMs }) => wholeSecond(nowMs)),
  nowNoTZ: instantOf(({ nowMs }) => wholeSecond(nowMs)),
  yesterday: instantOf((moment) => wholeSecond(movedMs(moment, 'day', -1))),
}

const OF_USER: Readonly<Record<string, Helper>> = {
  getID: { kind: 'user-id' },
  getName: { kind: 'user-name' },
  getMyGroups: { kind: 'group-ids' },
}

export function isHelper(value: string): boolean {
  return value.startsWith(PREFIX)
}

/** Whether the value of a test is a helper. */
export function holdsHelper({ value, literal }: { readonly value: string; readonly literal?: true }): boolean {
  return literal !== true && isHelper(value)
}

/**
 * @param value what `isHelper` is true of
 * @returns the helper, or a sentence that says what is wrong with it
 */
export function readHelper(value: string): Result<Helper, string> {
  if (value.length > MAX_HELPER_UNITS) return unknownHelper(value)
  const trimmed = value.slice(PREFIX.length).trim()
  const call = trimmed.endsWith(';') ? trimmed.slice(0, -1).trimEnd() : trimmed
  const [, ofUser] = CALL_ON_USER.exec(call) ?? []
  if (ofUser !== undefined) return known(OF_USER, ofUser) ?? unknownHelper(value)
  const [, name, argumentText] = CALL.exec(call) ?? []
  if (name === undefined || argumentText === undefined) return unknownHelper(value)
  if (name === 'dateGenerate') return readDateGenerate(argumentText)
  const [, unit, side] = AGO_CALL.exec(name) ?? []
  if (unit !== undefined) return readAgo(unit as DateUnit, side, argumentText.trim())
  if (argumentText.trim() !== '') return unknownHelper(value)
  return known(WITHOUT_ARGUMENTS, name) ?? readPeriodCall(name) ?? unknownHelper(value)
}

export function computeInstant(helper: Helper & { readonly kind: 'instant' }, moment: Moment): Instant {
  return instantAt(helper.epochMs(moment), moment.timeZone)
}

function instantOf(epochMs: (moment: Moment) => number): Helper {
  return { kind: 'instant', epochMs }
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
  return succeed(
    instantOf((moment) => {
      const { fromMs, toMs } = endsOfPeriod(period, moment)
      return end === 'beginning' ? fromMs : toMs - SECOND_MS
    }),
  )
}

function readAgo(unit: DateUnit, side: string | undefined, argument: string): Result<Helper, string> {
  const count = COUNT.test(argument) ? Number(argument) : Number.NaN
  if (!(Math.abs(count) <= MAX_UNITS_AWAY[unit])) {
    return unexpected(`a whole number of ${unit}s up to ${MAX_UNITS_AWAY[unit]}`, argument)
  }
  if (side === 'Start') return succeed(instantOf((moment) => startOfUnitMs(moment, unit, -count)))
  if (side === 'End') return succeed(instantOf((moment) => startOfUnitMs(moment, unit, 1 - count) - SECOND_MS))
  return succeed(instantOf((moment) => wholeSecond(movedMs(moment, unit, -count))))
}

function readDateGenerate(argumentText: string): Result<Helper, string> {
  const [, , dateArgument, , timeArgument] = TWO_QUOTED.exec(argumentText) ?? []
  if (dateArgument === undefined || timeArgument === undefined) {
    return unexpected("gs.dateGenerate('YYYY-MM-DD', 'start' or 'end' or 'HH:MM:SS')", argumentText)
  }
  const date = readDate(dateArgument)
  if (!date.ok) return date
  const day = DateTime.fromISO(date.value, { zone: 'utc' })
  if (timeArgument === 'start') return succeed(instantOf(({ timeZone }) => startOfLocalDayMs(day, timeZone)))
  if (timeArgument === 'end') {
    return succeed(instantOf(({ timeZone }) => startOfLocalDayMs(day.plus({ day: 1 }), timeZone) - SECOND_MS))
  }
  const time = readTime(timeArgument)
  if (!time.ok) return time
  const wallMs = Date.parse(`${date.value}T${time.value}Z`)
  return succeed(instantOf(({ timeZone }) => earliestLocalMs(wallMs, timeZone)))
}

function unknownHelper(value: string): Result<never, string> {
  const { error } = unexpected(
    'one of the helpers that docs/operators.md lists, such as javascript:gs.daysAgo(7) or javascript:gs.getUserID()',
    value,
  )
  return refuse(`${error} Code is never run.`)
}
