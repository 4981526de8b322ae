import { describe, expect, test } from 'vitest'
import type { ConditionValue, Operand } from './condition-tree.ts'
import { textOfValue } from './print-encoded-query.ts'
import { literal, typedOperand, typedValue } from './typed-value.ts'

const kindsOf = (value: ConditionValue): readonly string[] => {
  if (value.kind === 'list') return value.members.map(kindAndText)
  return value.kind === 'range' ? [value.from, value.to].map(kindAndText) : [value.kind]
}
const kindAndText = ({ kind, text }: Operand): string => `${kind} ${text}`

describe('the members of IN', () => {
  const examples: [value: string, members: string[]][] = [
    ['', []],
    ['1', ['literal 1']],
    ['1,2,3', ['literal 1', 'literal 2', 'literal 3']],
    ['1@2@3', ['literal 1', 'literal 2', 'literal 3']],
    ['Smith, John@Doe, Jane', ['literal Smith, John', 'literal Doe, Jane']],
    ['a, b', ['literal a', 'literal  b']],
    ['1,,2,', ['literal 1', 'literal ', 'literal 2', 'literal ']],
    ['javascript:gs.getUser().getMyGroups()', ['helper javascript:gs.getUser().getMyGroups()']],
    ["javascript:gs.dateGenerate('2026-01-05','start')", ["helper javascript:gs.dateGenerate('2026-01-05','start')"]],
    ['5@javascript:gs.getUserID()', ['literal 5', 'helper javascript:gs.getUserID()']],
    ['5,javascript:gs.getUserID()', ['literal 5', 'helper javascript:gs.getUserID()']],
  ]
  test.each(examples)('%s', (value, members) => {
    expect(kindsOf(typedValue('IN', value, false))).toEqual(members)
  })

  test('of a literal value are texts, and no helper keeps its commas', () => {
    expect(kindsOf(typedValue('IN', 'javascript:a,b', true))).toEqual(['literal javascript:a', 'literal b'])
  })
})

describe('the ends of BETWEEN', () => {
  test('are parted by one @', () => {
    expect(kindsOf(typedValue('BETWEEN', '1@2', false))).toEqual(['literal 1', 'literal 2'])
    const helpers = 'javascript:gs.daysAgoStart(1)@javascript:gs.daysAgoEnd(0)'
    expect(kindsOf(typedValue('BETWEEN', helpers, false))).toEqual([
      'helper javascript:gs.daysAgoStart(1)',
      'helper javascript:gs.daysAgoEnd(0)',
    ])
  })

  test.each(['', '1', '@', '1@', '@2', '1@2@3', '1,2'])('"%s" has not two', (text) => {
    const detail = `Expected two values parted by one @, as from@to, found "${text}".`
    expect(typedValue('BETWEEN', text, false)).toEqual({ kind: 'malformed', text, isLiteral: false, detail })
  })
})

describe('each operator has values of its own kind', () => {
  const examples: [operator: Parameters<typeof typedValue>[0], text: string, kind: string][] = [
    ['=', '5', 'literal'],
    ['=', 'javascript:gs.getUserID()', 'helper'],
    ['=', 'javascript:gs.exit()', 'helper'],
    ['LIKE', 'a@b,c', 'literal'],
    ['HAS', 'a,b', 'members'],
    ['ON', 'Today', 'date-span'],
    ['ON', 'x@2026-01-01@javascript:gs.daysAgo(1)', 'date-span'],
    ['ON', 'x@2026-01-01@javascript:gs.getUserID()', 'malformed'],
    ['ON', 'someday', 'malformed'],
    ['RELATIVEGE', '@hour@ago@1', 'relative-date'],
    ['RELATIVEGE', 'an hour ago', 'malformed'],
    ['DATEPART', 'month@3', 'date-part'],
    ['DATEPART', 'month@13', 'malformed'],
    ['DYNAMIC', 'me', 'name'],
    ['INSTANCEOF', 'task', 'name'],
    ['ARE', 'printer', 'words'],
  ]
  test.each(examples)('%s %s', (operator, text, kind) => {
    const value = typedValue(operator, text, false)
    expect([value.kind, textOfValue(value)]).toEqual([kind, text])
  })

  test('a literal value is no helper, and an edge of a range that looks like one is no date', () => {
    expect(typedValue('=', 'javascript:gs.getUserID()', true)).toEqual(literal('javascript:gs.getUserID()'))
    expect(typedValue('ON', 'x@2026-01-01@javascript:gs.daysAgo(1)', true).kind).toBe('malformed')
    expect(typedOperand('javascript:gs.getUserID()').kind).toBe('helper')
  })
})
