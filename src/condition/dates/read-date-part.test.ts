import { describe, expect, test } from 'vitest'
import { type DatePartComparison, readDatePart } from './read-date-part.ts'

describe('the value of DATEPART', () => {
  const examples: [value: string, meaning: DatePartComparison][] = [
    ['month@3', { part: 'month', operator: 'EE', number: 3 }],
    ['month@GE@3', { part: 'month', operator: 'GE', number: 3 }],
    ['month@ne@March', { part: 'month', operator: 'NE', number: 3 }],
    ['year@LT@2026', { part: 'year', operator: 'LT', number: 2026 }],
    ['quarter@4', { part: 'quarter', operator: 'EE', number: 4 }],
    ['week@LE@53', { part: 'week', operator: 'LE', number: 53 }],
    ['day@31', { part: 'day', operator: 'EE', number: 31 }],
    ['weekday@7', { part: 'weekday', operator: 'EE', number: 7 }],
    ['weekday@Monday', { part: 'weekday', operator: 'EE', number: 1 }],
    ['dayofweek@sun', { part: 'weekday', operator: 'EE', number: 7 }],
    ['hour@GT@0', { part: 'hour', operator: 'GT', number: 0 }],
    ["Monday@javascript:gs.datePart('dayofweek','monday','EE')", { part: 'weekday', operator: 'EE', number: 1 }],
    ["January@javascript:gs.datePart('month','jan','LE')", { part: 'month', operator: 'LE', number: 1 }],
    ["Quarter 1@javascript:gs.datePart('quarter','1','GT')", { part: 'quarter', operator: 'GT', number: 1 }],
    ["2015@javascript:gs.datePart('year','2015','LT')", { part: 'year', operator: 'LT', number: 2015 }],
    ["Week 0@javascript:gs.datePart('week','0','EE')", { part: 'week', operator: 'EE', number: 0 }],
    ['Noon hour@javascript:gs.datePart("hour", "12", "EE")', { part: 'hour', operator: 'EE', number: 12 }],
    ["июнь@javascript:ss.datePart('month','june','GE')", { part: 'month', operator: 'GE', number: 6 }],
  ]
  test.each(examples)('%s', (value, meaning) => {
    expect(readDatePart(value)).toEqual({ ok: true, value: meaning })
  })

  const shape = ['', 'month', '3', 'month@', '@3', 'month@3@4', 'month@GE@3@x', 'century@20', 'month@XX@3']
  const number = [
    'month@0',
    'month@13',
    'quarter@5',
    'week@54',
    'day@32',
    'weekday@0',
    'weekday@8',
    'hour@24',
    'year@0',
  ]
  const name = ['month@m', 'month@marc', 'weekday@march', 'hour@noon', 'year@-5', 'year@20260', 'month@3.0']
  const helper = [
    "x@javascript:gs.datePart('month','3')",
    "javascript:gs.datePart('month','3','EE')",
    "x@javascript:gs.datePart('month','3','EE');",
  ]
  test.each([...shape, ...number, ...name, ...helper])('"%s" is rejected', (value) => {
    expect(readDatePart(value)).toEqual({
      ok: false,
      error: expect.stringMatching(/^Expected part@number or part@comparison@number, part one of .*, found ".*"\.$/),
    })
  })
})
