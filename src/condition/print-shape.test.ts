import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryQueryText } from '../../test/laws/arbitrary-query.ts'
import { shapeOfQuery } from './comparison-shape.ts'
import { parseEncodedQuery } from './parse-encoded-query.ts'
import { printShape } from './print-shape.ts'

function shapeIn(text: string): string {
  const parsed = parseEncodedQuery(text)
  if (!parsed.ok) throw new Error(parsed.error.detail)
  return printShape(parsed.value)
}

test.each([
  ['', ''],
  ['active=true^ORDERBYDESCnumber', 'active=?^ORDERBYDESCnumber'],
  ['state=1^ORstate=2^subjectLIKEprinter', '(state=?^ORstate=?)^subjectLIKE?'],
  ['a=1^NQb=2^c=3', 'a=?^OR(b=?^c=?)'],
  ['due=', 'dueISEMPTY'],
  ['xIN1,2,3', 'xIN?'],
  ['aSAMEASb', 'aSAMEASb'],
  ['123TEXTQUERY321=printer', '123TEXTQUERY321=?'],
  ['JOINt.a=o.b!x=1', '(JOINt.a=o.b!x=?)'],
  ['RLQUERYo.t,>=1^x=5^ENDRLQUERY', 'RLQUERYo.t,>=1^x=?^ENDRLQUERY'],
  ['RLQUERYo.t,>41^ENDRLQUERY', 'RLQUERYo.t,>?^ENDRLQUERY'],
])('%s has the shape %s', (text, shape) => {
  expect(shapeIn(text)).toBe(shape)
})

test('queries with the same plan have the same shape', () => {
  const known = new Map<string, string>()
  fc.assert(
    fc.property(arbitraryQueryText, (text) => {
      const parsed = parseEncodedQuery(text)
      if (!parsed.ok) return
      const { key } = shapeOfQuery(parsed.value)
      const shape = printShape(parsed.value)
      expect(shape).toBe(known.get(key) ?? shape)
      known.set(key, shape)
    }),
    { numRuns: 2_000 },
  )
})
