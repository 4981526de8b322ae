import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DateRange, Moment } from './date-types.ts'
import { type RelativeOperator, rangeOfRelative, readRelativeDate } from './range-of-relative.ts'

const nowMs = Date.parse('2026-03-11T14:25:36.789Z')
const moscow: Moment = { nowMs, timeZone: 'Europe/Moscow' }

function rangeOf(operator: RelativeOperator, value: string, moment: Moment): DateRange {
  const date = readRelativeDate(value)
  if (!date.ok) throw new Error(date.error)
  return rangeOfRelative(operator, date.value, moment)
}

describe('in Moscow', () => {
  const examples: [operator: RelativeOperator, value: string, from: string | null, to: string | null][] = [
    ['RELATIVEGE', '@hour@ago@1', '2026-03-11 13:25:36', null],
    ['RELATIVEGT', '@hour@ago@1', '2026-03-11 13:25:37', null],
    ['RELATIVELT', '@minute@ago@30', null, '2026-03-11 13:55:36'],
    ['RELATIVELE', '@minute@ahead@30', null, '2026-03-11 14:55:37'],
    ['RELATIVEEE', '@hour@ago@1', '2026-03-11 13:00:00', '2026-03-11 14:00:00'],
    ['RELATIVEEE', '@minute@ago@0', '2026-03-11 14:25:00', '2026-03-11 14:26:00'],
    ['RELATIVEGE', '@dayofweek@ago@2', '2026-03-08 21:00:00', null],
    ['RELATIVEGT', '@dayofweek@ago@2', '2026-03-09 21:00:00', null],
    ['RELATIVELT', '@day@ago@2', null, '2026-03-08 21:00:00'],
    ['RELATIVELE', '@day@ago@2', null, '2026-03-09 21:00:00'],
    ['RELATIVEEE', '@day@ago@2', '2026-03-08 21:00:00', '2026-03-09 21:00:00'],
    ['RELATIVEEE', '@week@ago@1', '2026-03-01 21:00:00', '2026-03-08 21:00:00'],
    ['RELATIVEEE', '@month@ahead@1', '2026-03-31 21:00:00', '2026-04-30 21:00:00'],
    ['RELATIVEEE', '@quarter@ago@1', '2025-09-30 21:00:00', '2025-12-31 21:00:00'],
    ['RELATIVEEE', '@year@ago@1', '2024-12-31 21:00:00', '2025-12-31 21:00:00'],
  ]
  test.each(examples)('%s %s', (operator, value, from, to) => {
    const range = rangeOf(operator, value, moscow)
    expect([range.from, range.to]).toEqual([from, to])
  })

  test('a date column is compared with days', () => {
    expect(rangeOf('RELATIVEGT', '@day@ago@2', moscow).fromDate).toBe('2026-03-10')
    expect(rangeOf('RELATIVELE', '@day@ago@2', moscow).toDate).toBe('2026-03-10')
    expect(rangeOf('RELATIVEEE', '@month@ago@0', moscow)).toMatchObject({
      fromDate: '2026-03-01',
      toDate: '2026-04-01',
    })
  })
})

describe('what is rejected', () => {
  const expected =
    'Expected a relative date as @unit@ago@n or @unit@ahead@n, unit one of minute, hour, day (dayofweek), week, month, ' +
    'quarter, year, found '
  const examples: [value: string, message: string][] = [
    ['', `${expected}"".`],
    ['@hour@ago', `${expected}"@hour@ago".`],
    ['hour@ago@1', `${expected}"hour@ago@1".`],
    ['@second@ago@1', `${expected}"@second@ago@1".`],
    ['@hour@before@1', `${expected}"@hour@before@1".`],
    ['@hour@ago@-1', `${expected}"@hour@ago@-1".`],
    ['@hour@ago@1.5', `${expected}"@hour@ago@1.5".`],
    ['@year@ago@1001', 'Expected at most 1000 years, found "@year@ago@1001".'],
  ]
  test.each(examples)('%s', (value, message) => {
    expect(readRelativeDate(value)).toEqual({ ok: false, error: message })
  })
})

describe('laws', () => {
  const moment = fc.record({
    nowMs: fc.integer({ min: Date.parse('1990-01-01T00:00:00Z'), max: Date.parse('2060-01-01T00:00:00Z') }),
    timeZone: fc.constantFrom('Europe/Moscow', 'Asia/Kolkata', 'America/New_York', 'Pacific/Chatham', 'America/Havana'),
  })
  const value = fc
    .tuple(
      fc.constantFrom('minute', 'hour', 'day', 'dayofweek', 'week', 'month', 'quarter', 'year'),
      fc.constantFrom('ago', 'ahead'),
      fc.integer({ min: 0, max: 400 }),
    )
    .map(([unit, side, count]) => `@${unit}@${side}@${count}`)

  test('before and on-or-after part all time in two, and so do after and on-or-before', () => {
    fc.assert(
      fc.property(moment, value, (at, requested) => {
        expect(rangeOf('RELATIVELT', requested, at).to).toBe(rangeOf('RELATIVEGE', requested, at).from)
        expect(rangeOf('RELATIVELE', requested, at).to).toBe(rangeOf('RELATIVEGT', requested, at).from)
      }),
    )
  })

  test('within the unit of now lies now', () => {
    fc.assert(
      fc.property(moment, value, (at, requested) => {
        const { from, to } = rangeOf('RELATIVEEE', requested.replace(/\d+$/, '0'), at)
        const now = new Date(at.nowMs).toISOString().slice(0, 19).replace('T', ' ')
        expect(from !== null && to !== null && from <= now && now < to).toBe(true)
      }),
    )
  })
})
