import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Instant, Moment } from './date-types.ts'
import { computeInstant, isHelper, readHelper } from './read-helper.ts'

/** Wednesday, 17:25:36 in Moscow. */
const moscow: Moment = { nowMs: Date.parse('2026-03-11T14:25:36.789Z'), timeZone: 'Europe/Moscow' }

function compute(call: string, moment: Moment): Instant | string {
  const helper = readHelper(`javascript:${call}`)
  if (!helper.ok) return helper.error
  return helper.value.kind === 'instant' ? computeInstant(helper.value, moment) : helper.value.kind
}

describe('helpers of the clock, in Moscow', () => {
  const examples: [call: string, local: string][] = [
    ['gs.now()', '2026-03-11 00:00:00'],
    ['gs.nowDate()', '2026-03-11 00:00:00'],
    ['gs.nowDateTime()', '2026-03-11 17:25:36'],
    ['gs.nowNoTZ()', '2026-03-11 17:25:36'],
    ['gs.yesterday()', '2026-03-10 17:25:36'],
    ['gs.beginningOfToday()', '2026-03-11 00:00:00'],
    ['gs.endOfToday()', '2026-03-11 23:59:59'],
    ['gs.beginningOfYesterday()', '2026-03-10 00:00:00'],
    ['gs.endOfYesterday()', '2026-03-10 23:59:59'],
    ['gs.beginningOfTomorrow()', '2026-03-12 00:00:00'],
    ['gs.endOfTomorrow()', '2026-03-12 23:59:59'],
    ['gs.beginningOfThisWeek()', '2026-03-09 00:00:00'],
    ['gs.endOfThisWeek()', '2026-03-15 23:59:59'],
    ['gs.beginningOfLastWeek()', '2026-03-02 00:00:00'],
    ['gs.endOfLastWeek()', '2026-03-08 23:59:59'],
    ['gs.beginningOfNextWeek()', '2026-03-16 00:00:00'],
    ['gs.endOfNextWeek()', '2026-03-22 23:59:59'],
    ['gs.beginningOfThisMonth()', '2026-03-01 00:00:00'],
    ['gs.endOfThisMonth()', '2026-03-31 23:59:59'],
    ['gs.beginningOfLastMonth()', '2026-02-01 00:00:00'],
    ['gs.endOfLastMonth()', '2026-02-28 23:59:59'],
    ['gs.beginningOfNextMonth()', '2026-04-01 00:00:00'],
    ['gs.endOfNextMonth()', '2026-04-30 23:59:59'],
    ['gs.beginningOfThisQuarter()', '2026-01-01 00:00:00'],
    ['gs.endOfThisQuarter()', '2026-03-31 23:59:59'],
    ['gs.beginningOfLastQuarter()', '2025-10-01 00:00:00'],
    ['gs.endOfNextQuarter()', '2026-06-30 23:59:59'],
    ['gs.beginningOfThisYear()', '2026-01-01 00:00:00'],
    ['gs.endOfThisYear()', '2026-12-31 23:59:59'],
    ['gs.beginningOfLastYear()', '2025-01-01 00:00:00'],
    ['gs.endOfNextYear()', '2027-12-31 23:59:59'],
    ['gs.beginningOfCurrentHour()', '2026-03-11 17:00:00'],
    ['gs.endOfCurrentMinute()', '2026-03-11 17:25:59'],
    ['gs.beginningOfLast7Days()', '2026-03-04 00:00:00'],
    ['gs.endOfLast7Days()', '2026-03-11 23:59:59'],
    ['gs.beginningOfLast15Minutes()', '2026-03-11 17:10:00'],
    ['gs.endOfLast2Hours()', '2026-03-11 17:25:36'],
    ['gs.beginningOfNext2Quarters()', '2026-04-01 00:00:00'],
    ['gs.beginningOfOneYearAgo()', '2025-03-11 17:25:36'],
    ['gs.endOfOneYearAgo()', '2026-03-31 23:59:59'],
    ['gs.minutesAgo(30)', '2026-03-11 16:55:36'],
    ['gs.minutesAgoStart(0)', '2026-03-11 17:25:00'],
    ['gs.minutesAgoEnd(15)', '2026-03-11 17:10:59'],
    ['gs.hoursAgo(18)', '2026-03-10 23:25:36'],
    ['gs.hoursAgoStart(1)', '2026-03-11 16:00:00'],
    ['gs.hoursAgoEnd(0)', '2026-03-11 17:59:59'],
    ['gs.daysAgo(7)', '2026-03-04 17:25:36'],
    ['gs.daysAgo(-7)', '2026-03-18 17:25:36'],
    ['gs.daysAgoStart(0)', '2026-03-11 00:00:00'],
    ['gs.daysAgoEnd(-1)', '2026-03-12 23:59:59'],
    ['gs.weeksAgo(1)', '2026-03-04 17:25:36'],
    ['gs.weeksAgoStart(1)', '2026-03-02 00:00:00'],
    ['gs.monthsAgo(1)', '2026-02-11 17:25:36'],
    ['gs.monthsAgoStart(3)', '2025-12-01 00:00:00'],
    ['gs.monthsAgoEnd(1)', '2026-02-28 23:59:59'],
    ['gs.quartersAgo(2)', '2025-09-11 17:25:36'],
    ['gs.quartersAgoStart(1)', '2025-10-01 00:00:00'],
    ['gs.quartersAgoEnd(-2)', '2026-09-30 23:59:59'],
    ['gs.yearsAgo(1)', '2025-03-11 17:25:36'],
    ['gs.yearsAgoStart(1)', '2025-01-01 00:00:00'],
    ["gs.dateGenerate('2026-01-05','start')", '2026-01-05 00:00:00'],
    ["gs.dateGenerate('2026-01-05','end')", '2026-01-05 23:59:59'],
    ['gs.dateGenerate("2026-01-05" , "12:30:00")', '2026-01-05 12:30:00'],
    ['gs.dateGenerate("2026-01-05 12:30:00")', '2026-01-05 12:30:00'],
    ['ss.beginningOfToday()', '2026-03-11 00:00:00'],
    [' gs.daysAgo( 7 ) ; ', '2026-03-04 17:25:36'],
  ]
  test.each(examples)('%s', (call, local) => {
    const instant = compute(call, moscow)
    expect(typeof instant === 'string' ? instant : `${instant.localDate} ${instant.localTime}`).toBe(local)
  })

  test('an instant has its UTC form beside the local ones', () => {
    expect(compute('gs.beginningOfToday()', moscow)).toEqual({
      utc: '2026-03-10 21:00:00',
      localDate: '2026-03-11',
      localTime: '00:00:00',
    })
  })

  test('a month before the last of March is the last of February', () => {
    const lastOfMarch: Moment = { nowMs: Date.parse('2026-03-31T10:00:00Z'), timeZone: 'UTC' }
    expect(compute('gs.monthsAgo(1)', lastOfMarch)).toMatchObject({ utc: '2026-02-28 10:00:00' })
  })
})

describe('helpers of the user', () => {
  const examples: [call: string, kind: string][] = [
    ['gs.getUserID()', 'user-id'],
    ['ss.getUserId()', 'user-id'],
    ['gs.user_id()', 'user-id'],
    ['gs.getUser().getID()', 'user-id'],
    ['gs.getUserName()', 'user-name'],
    ['gs.getUser().getName()', 'user-name'],
    ['gs.getUser().getMyGroups()', 'group-ids'],
    ['gs.getMyGroups()', 'group-ids'],
  ]
  test.each(examples)('%s', (call, kind) => {
    expect(compute(call, moscow)).toBe(kind)
  })
})

describe('everything else is rejected', () => {
  const closedList =
    'Expected one of the helpers that docs/operators.md lists, such as javascript:gs.daysAgo(7) or ' +
    'javascript:gs.getUserID(), found '
  const others = [
    '',
    'gs',
    'gs.daysAgo',
    'daysAgo(7)',
    'gs.constructor()',
    'gs.__proto__()',
    'gs.toString()',
    'gs.hasOwnProperty()',
  ]
  const code = [
    'alert(1)',
    '7',
    'gs.daysAgo(7) + 1',
    'gs.daysAgo(gs.now())',
    'gs.getUserID(1)',
    'gs.getUser()',
    'gs.now();;',
  ]
  const near = [
    'xs.now()',
    'gs.getUser().getRoles()',
    'gs.getUser().constructor()',
    'gs.beginningOfLastDecade()',
    'gs.endofToday()',
  ]
  test.each([...others, ...code, ...near])('%s', (call) => {
    expect(compute(call, moscow)).toBe(`${closedList}"javascript:${call}". Code is never run.`)
  })

  const arguments_: [call: string, message: string][] = [
    ['gs.daysAgo()', 'Expected a whole number of days up to 365250, found "".'],
    ["gs.daysAgo('7')", 'Expected a whole number of days up to 365250, found "\'7\'".'],
    ['gs.daysAgo(1.5)', 'Expected a whole number of days up to 365250, found "1.5".'],
    ['gs.yearsAgo(1001)', 'Expected a whole number of years up to 1000, found "1001".'],
    ['gs.hoursAgo(99999999999)', 'Expected a whole number of hours up to 8766000, found "99999999999".'],
    ["gs.dateGenerate('2026-02-30','start')", 'Expected a date that exists, as YYYY-MM-DD, found "2026-02-30".'],
    ["gs.dateGenerate('2026-01-05','noon')", 'Expected a time of day, as HH:MM:SS, found "noon".'],
    [
      "gs.dateGenerate('2026-01-05')",
      "Expected gs.dateGenerate('YYYY-MM-DD', 'start' or 'end' or 'HH:MM:SS'), found \"'2026-01-05'\".",
    ],
  ]
  test.each(arguments_)('%s', (call, message) => {
    expect(compute(call, moscow)).toBe(message)
  })

  test('any text at all is read or rejected, and never thrown at', () => {
    const piece = fc.constantFrom(
      'gs.',
      'ss.',
      'getUser()',
      '.',
      'daysAgo',
      'beginningOf',
      'Last',
      '7',
      'Days',
      '(',
      ')',
      "'",
      ';',
      ' ',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (call) => {
        const value = `javascript:${call}`
        expect(isHelper(value)).toBe(true)
        expect(typeof compute(call, moscow)).toMatch(/string|object/)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([' ', 'gs.daysAgo(', "gs.dateGenerate('", '(', ';'])('a very long run of %j is refused at once', (part) => {
    expect(readHelper(`javascript:${part.repeat(60_000)}`).ok).toBe(false)
  })
})
