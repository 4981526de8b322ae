import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Result } from '../../kernel/result.ts'
import type { DateRange, Moment } from './date-types.ts'
import { rangeOfSpan, readDateSpan } from './range-of-on.ts'

/** Wednesday; 17:25:36 in Moscow, 10:25:36 in New York three days after its clocks went forward. */
const nowMs = Date.parse('2026-03-11T14:25:36.789Z')
const moscow: Moment = { nowMs, timeZone: 'Europe/Moscow' }
const newYork: Moment = { nowMs, timeZone: 'America/New_York' }

function rangeOfText(value: string, moment: Moment): Result<DateRange, string> {
  const span = readDateSpan(value, false)
  return span.ok ? rangeOfSpan(span.value, moment) : span
}

function rangeOf(value: string, moment: Moment): DateRange {
  const range = rangeOfText(value, moment)
  if (!range.ok) throw new Error(range.error)
  return range.value
}

describe('a period in Moscow', () => {
  const examples: [value: string, from: string, to: string][] = [
    ['Today', '2026-03-10 21:00:00', '2026-03-11 21:00:00'],
    ['today', '2026-03-10 21:00:00', '2026-03-11 21:00:00'],
    ['TOMORROW', '2026-03-11 21:00:00', '2026-03-12 21:00:00'],
    ['Yesterday', '2026-03-09 21:00:00', '2026-03-10 21:00:00'],
    ['This week', '2026-03-08 21:00:00', '2026-03-15 21:00:00'],
    ['Last week', '2026-03-01 21:00:00', '2026-03-08 21:00:00'],
    ['Next week', '2026-03-15 21:00:00', '2026-03-22 21:00:00'],
    ['This month', '2026-02-28 21:00:00', '2026-03-31 21:00:00'],
    ['Last month', '2026-01-31 21:00:00', '2026-02-28 21:00:00'],
    ['Next month', '2026-03-31 21:00:00', '2026-04-30 21:00:00'],
    ['This quarter', '2025-12-31 21:00:00', '2026-03-31 21:00:00'],
    ['Last quarter', '2025-09-30 21:00:00', '2025-12-31 21:00:00'],
    ['Next quarter', '2026-03-31 21:00:00', '2026-06-30 21:00:00'],
    ['This year', '2025-12-31 21:00:00', '2026-12-31 21:00:00'],
    ['Last year', '2024-12-31 21:00:00', '2025-12-31 21:00:00'],
    ['Next year', '2026-12-31 21:00:00', '2027-12-31 21:00:00'],
    ['Last 7 days', '2026-03-03 21:00:00', '2026-03-11 21:00:00'],
    ['Last 30 days', '2026-02-08 21:00:00', '2026-03-11 21:00:00'],
    ['Last 60 days', '2026-01-09 21:00:00', '2026-03-11 21:00:00'],
    ['Last 90 days', '2025-12-10 21:00:00', '2026-03-11 21:00:00'],
    ['Last 120 days', '2025-11-10 21:00:00', '2026-03-11 21:00:00'],
    ['Last 2 weeks', '2026-02-22 21:00:00', '2026-03-15 21:00:00'],
    ['Last 3 months', '2025-11-30 21:00:00', '2026-03-31 21:00:00'],
    ['Last 6 months', '2025-08-31 21:00:00', '2026-03-31 21:00:00'],
    ['Last 9 months', '2025-05-31 21:00:00', '2026-03-31 21:00:00'],
    ['Last 12 months', '2025-02-28 21:00:00', '2026-03-31 21:00:00'],
    ['Last 2 quarters', '2025-09-30 21:00:00', '2026-03-31 21:00:00'],
    ['Last 2 years', '2024-12-31 21:00:00', '2026-12-31 21:00:00'],
    ['Next 7 days', '2026-03-10 21:00:00', '2026-03-18 21:00:00'],
    ['Next 2 quarters', '2026-03-31 21:00:00', '2026-09-30 21:00:00'],
    ['Current hour', '2026-03-11 14:00:00', '2026-03-11 15:00:00'],
    ['Last hour', '2026-03-11 13:00:00', '2026-03-11 14:00:00'],
    ['Last 2 hours', '2026-03-11 12:25:36', '2026-03-11 14:25:37'],
    ['Next 2 hours', '2026-03-11 14:25:36', '2026-03-11 16:25:37'],
    ['Current minute', '2026-03-11 14:25:00', '2026-03-11 14:26:00'],
    ['Last minute', '2026-03-11 14:24:00', '2026-03-11 14:25:00'],
    ['Last 15 minutes', '2026-03-11 14:10:00', '2026-03-11 14:26:00'],
    ['One year ago', '2025-03-11 14:25:36', '2026-03-31 21:00:00'],
    ['2026-01-05', '2026-01-04 21:00:00', '2026-01-05 21:00:00'],
    ['2024-02-29', '2024-02-28 21:00:00', '2024-02-29 21:00:00'],
  ]
  test.each(examples)('%s', (value, from, to) => {
    const range = rangeOf(value, moscow)
    expect([range.from, range.to]).toEqual([from, to])
  })
})

describe('a label with its edges', () => {
  const examples: [value: string, range: DateRange][] = [
    [
      'Today@javascript:gs.daysAgoStart(0)@javascript:gs.daysAgoEnd(0)',
      { from: '2026-03-10 21:00:00', to: '2026-03-11 21:00:00', fromDate: '2026-03-11', toDate: '2026-03-12' },
    ],
    [
      'Сегодня@javascript:gs.beginningOfToday()@javascript:gs.endOfToday()',
      { from: '2026-03-10 21:00:00', to: '2026-03-11 21:00:00', fromDate: '2026-03-11', toDate: '2026-03-12' },
    ],
    [
      'Last 7 days@javascript:gs.beginningOfLast7Days()@javascript:gs.endOfLast7Days()',
      { from: '2026-03-03 21:00:00', to: '2026-03-11 21:00:00', fromDate: '2026-03-04', toDate: '2026-03-12' },
    ],
    [
      "2026-01-05@javascript:gs.dateGenerate('2026-01-05','start')@javascript:gs.dateGenerate('2026-01-05','end')",
      { from: '2026-01-04 21:00:00', to: '2026-01-05 21:00:00', fromDate: '2026-01-05', toDate: '2026-01-06' },
    ],
    [
      'отпуск@2026-07-01@2026-07-14',
      { from: '2026-06-30 21:00:00', to: '2026-07-14 21:00:00', fromDate: '2026-07-01', toDate: '2026-07-15' },
    ],
    [
      '@2026-07-01 09:00:00@2026-07-01 17:59:59',
      { from: '2026-07-01 06:00:00', to: '2026-07-01 15:00:00', fromDate: '2026-07-01', toDate: '2026-07-02' },
    ],
    [
      'x@2026-07-01T09:00:00Z@2026-07-01T09:00:00Z',
      { from: '2026-07-01 09:00:00', to: '2026-07-01 09:00:01', fromDate: '2026-07-01', toDate: '2026-07-02' },
    ],
  ]
  test.each(examples)('%s', (value, range) => {
    expect(rangeOf(value, moscow)).toEqual(range)
  })
})

describe('where clocks change', () => {
  const examples: [what: string, value: string, moment: Moment, from: string, to: string][] = [
    ['a day of 23 hours', '2026-03-08', newYork, '2026-03-08 05:00:00', '2026-03-09 04:00:00'],
    ['a day of 25 hours', '2026-11-01', newYork, '2026-11-01 04:00:00', '2026-11-02 05:00:00'],
    ['a week with the change in it', 'Last week', newYork, '2026-03-02 05:00:00', '2026-03-09 04:00:00'],
    ['a month with the change in it', 'This month', newYork, '2026-03-01 05:00:00', '2026-04-01 04:00:00'],
    ['half hours', '2026-01-05', { nowMs, timeZone: 'Asia/Kolkata' }, '2026-01-04 18:30:00', '2026-01-05 18:30:00'],
    [
      'an hour of half-hour zones',
      'Current hour',
      { nowMs, timeZone: 'Asia/Kolkata' },
      '2026-03-11 13:30:00',
      '2026-03-11 14:30:00',
    ],
    [
      'quarters of an hour',
      '2026-04-05',
      { nowMs, timeZone: 'Pacific/Chatham' },
      '2026-04-04 10:15:00',
      '2026-04-05 11:15:00',
    ],
    [
      'no midnight',
      '2018-11-04',
      { nowMs, timeZone: 'America/Sao_Paulo' },
      '2018-11-04 03:00:00',
      '2018-11-05 02:00:00',
    ],
    [
      'two midnights',
      '2024-11-03',
      { nowMs, timeZone: 'America/Havana' },
      '2024-11-03 04:00:00',
      '2024-11-04 05:00:00',
    ],
    [
      'a day that never was',
      '2011-12-30',
      { nowMs, timeZone: 'Pacific/Apia' },
      '2011-12-30 10:00:00',
      '2011-12-30 10:00:00',
    ],
    ['the first day there is', '0001-01-01', moscow, '0001-01-01 00:00:00', '0001-01-01 21:29:43'],
  ]
  test.each(examples)('%s', (_, value, moment, from, to) => {
    const range = rangeOf(value, moment)
    expect([range.from, range.to]).toEqual([from, to])
  })
})

describe('what is rejected', () => {
  const expected =
    'Expected a date as YYYY-MM-DD, a period such as Today, Last week or Last 7 days, or label@start@end ' +
    '(docs/operators.md), found '
  const examples: [value: string, message: string][] = [
    ['', `${expected}"".`],
    ['Someday', `${expected}"Someday".`],
    ['2026-02-30', `${expected}"2026-02-30".`],
    ['Last weeks', `${expected}"Last weeks".`],
    ['Last 0 days', `${expected}"Last 0 days".`],
    ['Last 1001 years', `${expected}"Last 1001 years".`],
    ['This 2 weeks', `${expected}"This 2 weeks".`],
    ['2026-01-01@2026-02-01', `${expected}"2026-01-01@2026-02-01".`],
    ['a@2026-01-01@2026-02-01@x', `${expected}"a@2026-01-01@2026-02-01@x".`],
    ['a@2026-02-01@2026-01-01', 'The range starts at 2026-02-01, after its end 2026-01-01.'],
    [
      'a@x@2026-01-01',
      'Expected a date and time that exist, as YYYY-MM-DD HH:MM:SS (or ISO 8601: YYYY-MM-DDTHH:MM:SSZ), found "x".',
    ],
    [
      'a@javascript:gs.getUserID()@2026-01-01',
      'Expected a helper that gives a date, found "javascript:gs.getUserID()".',
    ],
    [
      'a@2026-01-01@javascript:gs.exit()',
      'Expected one of the helpers that docs/operators.md lists, such as javascript:gs.daysAgo(7) or ' +
        'javascript:gs.getUserID(), found "javascript:gs.exit()". Code is never run.',
    ],
  ]
  test.each(examples)('%s', (value, message) => {
    expect(rangeOfText(value, moscow)).toEqual({ ok: false, error: message })
  })
})

describe('laws', () => {
  const zones = ['Europe/Moscow', 'Asia/Kolkata', 'America/New_York', 'Pacific/Chatham', 'America/Havana', 'UTC']
  const timeZone = fc.constantFrom(...zones, 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Asia/Tehran')
  const epochMs = fc.integer({ min: Date.parse('1990-01-01T00:00:00Z'), max: Date.parse('2060-01-01T00:00:00Z') })
  const moment = fc.record({ nowMs: epochMs, timeZone })

  test('the present minute, hour, day, week, month, quarter and year contain now', () => {
    const units = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']
    fc.assert(
      fc.property(moment, fc.constantFrom(...units), (at, unit) => {
        expect(contains(rangeOf(`This ${unit}`, at), at.nowMs)).toBe(true)
      }),
    )
  })

  test('last, this and next lie side by side', () => {
    const units = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']
    fc.assert(
      fc.property(moment, fc.constantFrom(...units), (at, unit) => {
        const [last, present, next] = ['Last', 'This', 'Next'].map((side) => rangeOf(`${side} ${unit}`, at))
        expect([last?.to, last?.toDate === present?.fromDate || unit === 'hour' || unit === 'minute']).toEqual([
          present?.from,
          true,
        ])
        expect(present?.to).toBe(next?.from)
      }),
    )
  })

  test('an instant is in the range of a date exactly when that is its date on a calendar in the zone', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: -50 * 3_600_000, max: 50 * 3_600_000 }), (at, distanceMs) => {
        const otherMs = at.nowMs + distanceMs
        const day = calendarDate(at.nowMs, at.timeZone)
        expect(contains(rangeOf(day, at), otherMs)).toBe(calendarDate(otherMs, at.timeZone) === day)
      }),
      { numRuns: 1_000 },
    )
  })

  test('the days of a range are those of its first and its last second', () => {
    const labels = ['Last 7 days', 'This quarter', 'Last 3 hours', 'Next month', 'One year ago', 'Last 45 minutes']
    fc.assert(
      fc.property(moment, fc.constantFrom(...labels), (at, label) => {
        const range = rangeOf(label, at)
        expect(range.fromDate).toBe(calendarDate(msOf(range.from), at.timeZone))
        const lastDay = calendarDate(msOf(range.to) - 1_000, at.timeZone)
        expect(range.toDate).toBe(new Date(Date.parse(lastDay) + 24 * 3_600_000).toISOString().slice(0, 10))
      }),
    )
  })

  test('a week begins on Monday', () => {
    fc.assert(
      fc.property(moment, (at) => {
        expect(new Date(rangeOf('This week', at).fromDate ?? '').getUTCDay()).toBe(1)
      }),
    )
  })
})

function contains({ from, to }: DateRange, epochMs: number): boolean {
  return msOf(from) <= epochMs && epochMs < msOf(to)
}

function msOf(utc: string | null): number {
  return Date.parse(`${utc?.replace(' ', 'T')}Z`)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** `YYYY-MM-DD` by the platform's own calendar, without the library that the code uses. */
function calendarDate(epochMs: number, timeZone: string): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  formats.set(timeZone, format)
  return format.format(epochMs)
}
