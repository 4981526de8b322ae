import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryQuery, arbitraryQueryText, withoutPositions } from '../../test/laws/arbitrary-query.ts'
import { parseEncodedQuery } from './parse-encoded-query.ts'
import { printEncodedQuery } from './print-encoded-query.ts'

function reprint(text: string): string {
  const result = parseEncodedQuery(text)
  if (!result.ok) throw new Error(`${text}: ${result.error.detail}`)
  return printEncodedQuery(result.value)
}

describe('printing what was read', () => {
  const examples: [text: string, printed: string][] = [
    ['', ''],
    ['active=true', 'active=true'],
    ['a=1^b=2^ORc=3', 'a=1^b=2^ORc=3'],
    ['(((a=1)^(b=2)))', 'a=1^b=2'],
    ['(a=1^b=2)^ORc=3', 'a=1^b=2^NQc=3'],
    ['a=1^(b=2^NQc=3^d=4)', 'a=1^b=2^OR(c=3^d=4)'],
    ['a=1^NQb=2', 'a=1^ORb=2'],
    ['aNOTINx', 'aNOT INx'],
    ['a=', 'aISEMPTY'],
    ['AREwords', '123TEXTQUERY321=words'],
    ['ORDERBYDESCx^a=1', 'a=1^ORDERBYDESCx'],
    ['(a=1)ORDERBYx', 'a=1^ORDERBYx'],
    ['x<^\\=5', 'x<^\\=5'],
    ['xIN^\\STANCEOF', 'xIN^\\STANCEOF'],
    ["a=^'javascript:gs.getUserName()", "a=^'javascript:gs.getUserName()"],
    ["a=^''quoted'", "a='quoted'"],
    ["xIN^'5@javascript:a", "xIN^'5,javascript:a"],
    ['xIN1@2', 'xIN1,2'],
    ['xINa,b@c', 'xINa,b@c'],
    ['xINjavascript:gs.getUserID()@5', 'xINjavascript:gs.getUserID()@5'],
    ["xON^'y@2026-01-01@javascript:gs.now()", "xON^'y@2026-01-01@javascript:gs.now()"],
    ["a=^'", 'aISEMPTY'],
    ['a=:)', 'a=:)'],
    ['(b=1^c=1^NQa=:^\\))^d=f(x)', '(b=1^c=1)^ORa=:)^d=f(x)'],
    ['e=1^OR(a=:^\\)^d=f(x))', 'e=1^NQa=:)^d=f(x)'],
    ['g=1^(e=1^OR(a=:^\\)^d=f(x)))', 'g=1^e=1^OR(a=:^\\)^d=f(x))'],
    ['JOINt.a=o.b', 'JOINt.a=o.b!'],
    ['JOINt.a=o.b!x=1^y=2^ORz=3', 'JOINt.a=o.b!x=1^y=2^ORz=3'],
    ['c=1^JOINt.a=o.b!x=1^ORDERBYn', 'c=1^(JOINt.a=o.b!x=1)^ORDERBYn'],
    ['JOINt.a=o.b!x=1^JOINt.a=p.b!y=2', '(JOINt.a=o.b!x=1)^(JOINt.a=p.b!y=2)'],
    ['RLQUERYo.t,>=1,m2m^ENDRLQUERY', 'RLQUERYo.t,>=1^ENDRLQUERY'],
    ['RLQUERYo.t,=0^x=a)^EQ^ENDRLQUERY^c=1', 'RLQUERYo.t,=0^x=a)^ENDRLQUERY^c=1'],
    ['RLQUERYo.t,<3^(x=1^NQy=2^z=3)^ENDRLQUERY', 'RLQUERYo.t,<3^x=1^NQy=2^z=3^ENDRLQUERY'],
    ['x=^^ENDRLQUERY', 'x=^^ENDRLQUERY'],
  ]
  test.each(examples)('%s', (text, printed) => {
    expect(reprint(text)).toBe(printed)
  })
})

describe('laws', () => {
  test('printing a query and reading it back gives the same query', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        const result = parseEncodedQuery(printEncodedQuery(query))
        expect(result.ok ? withoutPositions(result.value) : result.error).toEqual(query)
      }),
      { numRuns: 2_000 },
    )
  })

  test('printing what was read changes nothing the second time', () => {
    fc.assert(
      fc.property(arbitraryQueryText, (text) => {
        const result = parseEncodedQuery(text)
        if (!result.ok) return
        const once = printEncodedQuery(result.value)
        expect(reprint(once)).toBe(once)
      }),
      { numRuns: 2_000 },
    )
  })
})
