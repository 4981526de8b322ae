import { describe, expect, test } from 'vitest'
import { listMembers, rangeEnds } from './split-value.ts'

describe('the members of IN', () => {
  const examples: [value: string, members: string[]][] = [
    ['', []],
    ['1', ['1']],
    ['1,2,3', ['1', '2', '3']],
    ['1@2@3', ['1', '2', '3']],
    ['Smith, John@Doe, Jane', ['Smith, John', 'Doe, Jane']],
    ['a, b', ['a', ' b']],
    ['1,,2,', ['1', '', '2', '']],
    ['javascript:gs.getUser().getMyGroups()', ['javascript:gs.getUser().getMyGroups()']],
    ["javascript:gs.dateGenerate('2026-01-05','start')", ["javascript:gs.dateGenerate('2026-01-05','start')"]],
    ['5@javascript:gs.getUserID()', ['5', 'javascript:gs.getUserID()']],
  ]
  test.each(examples)('%s', (value, members) => {
    expect(listMembers({ value })).toEqual(members)
  })

  test('of a literal value are texts, and no helper keeps its commas', () => {
    expect(listMembers({ value: 'javascript:a,b', literal: true })).toEqual(['javascript:a', 'b'])
  })
})

describe('the ends of BETWEEN', () => {
  test('are parted by one @', () => {
    expect(rangeEnds('1@2')).toEqual({ ok: true, value: ['1', '2'] })
    expect(rangeEnds('javascript:gs.daysAgoStart(1)@javascript:gs.daysAgoEnd(0)')).toEqual({
      ok: true,
      value: ['javascript:gs.daysAgoStart(1)', 'javascript:gs.daysAgoEnd(0)'],
    })
  })

  test.each(['', '1', '@', '1@', '@2', '1@2@3', '1,2'])('"%s" has not two', (value) => {
    expect(rangeEnds(value)).toEqual({
      ok: false,
      error: `Expected two values parted by one @, as from@to, found "${value}".`,
    })
  })
})
