import { expect, test } from 'vitest'
import type { Moment } from './date-values.ts'
import { readDateOperand } from './read-date-operand.ts'

/** 00:25:36 of the next day in Moscow. */
const moscow: Moment = { nowMs: Date.parse('2026-03-11T21:25:36Z'), timeZone: 'Europe/Moscow' }

const examples: [column: 'date' | 'datetime' | 'time', value: string, text: string][] = [
  ['datetime', '2026-03-11 14:00:00', '2026-03-11 14:00:00'],
  ['datetime', '2026-03-11', '2026-03-11 00:00:00'],
  ['datetime', '2026-03-11T14:00:00+03:00', '2026-03-11 11:00:00'],
  ['datetime', 'javascript:gs.beginningOfToday()', '2026-03-11 21:00:00'],
  ['date', '2026-03-11', '2026-03-11'],
  ['date', 'javascript:gs.beginningOfToday()', '2026-03-12'],
  ['time', '14:00:00', '14:00:00'],
  ['time', 'javascript:gs.hoursAgo(1)', '23:25:36'],
]
test.each(examples)('a %s column is compared with %s', (column, value, text) => {
  expect(readDateOperand(column, value, moscow)).toEqual({ ok: true, value: text })
})

const refused: [column: 'date' | 'datetime' | 'time', value: string, error: string][] = [
  ['date', '2026-03-11 14:00:00', 'Expected a date that exists, as YYYY-MM-DD, found "2026-03-11 14:00:00".'],
  ['time', '14:00', 'Expected a time of day, as HH:MM:SS, found "14:00".'],
  ['datetime', 'javascript:gs.getUserID()', 'Expected a helper that gives a date, found "javascript:gs.getUserID()".'],
]
test.each(refused)('a %s column is not compared with %s', (column, value, error) => {
  expect(readDateOperand(column, value, moscow)).toEqual({ ok: false, error })
})
