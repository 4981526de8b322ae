import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson, parseWithNumbersAsWritten, withDigitsAsText } from './exact-json.ts'

/** A number as JSON text: of any length, with a fraction or an exponent. */
const number = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    fc.option(fc.stringMatching(/^\d{1,30}$/)),
    fc.option(fc.integer({ min: -400, max: 400 })),
  )
  .map(
    ([whole, part, exponent]) => `${whole}${part === null ? '' : `.${part}`}${exponent === null ? '' : `e${exponent}`}`,
  )

/** The value of a number, exactly. */
function normalized(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', part = ''] = mantissa.replace('-', '').split('.')
  const digits = `${whole}${part}`.replace(/^0+/, '')
  const shortened = digits.replace(/0+$/, '')
  if (shortened === '') return '0'
  return `${mantissa.startsWith('-') ? '-' : ''}${shortened}e${Number(exponent) - part.length + (digits.length - shortened.length)}`
}

const text = fc.letrec<{ value: string; array: string; object: string; string: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, number, tie('string'), fc.constantFrom('true', 'null'), tie('array'), tie('object')),
  // Digits inside a string are not a number.
  string: fc
    .oneof(fc.string({ unit: 'binary' }), number, fc.constantFrom('",12345678901234567890', '\\', '[1e999'))
    .map((each) => JSON.stringify(each.toWellFormed())),
  array: fc.array(tie('value'), { maxLength: 4 }).map((members) => `[${members.join(' , ')}]`),
  object: fc
    .dictionary(fc.string({ maxLength: 4 }), tie('value'), { maxKeys: 4 })
    .map((members) => `{${Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}: ${value}`)}}`),
})).value

const tokens = (json: string): readonly string[] =>
  [...json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[^\s]/g)].map(([token]) =>
    /^[-\d]/.test(token) ? normalized(token) : token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token,
  )

describe('JSON of long numbers (issue 8)', () => {
  test('is written again with the same digits', () => {
    fc.assert(
      fc.property(text, (json) => {
        // Keys that are whole numbers change their place in an object; the tokens are then the same in another order.
        expect(tokens(JSON.stringify(parseExactJson(json))).toSorted()).toEqual(tokens(json).toSorted())
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    ['{"n":12345678901234567890}', '{"n":12345678901234567890}'],
    [
      '[9007199254740991,9007199254740993,-0.1234567890123456789]',
      '[9007199254740991,9007199254740993,-0.1234567890123456789]',
    ],
    ['1e400', '1e400'],
    ['"12345678901234567890"', '"12345678901234567890"'],
    ['[0.30000000000000004,1.10]', '[0.30000000000000004,1.1]'],
  ])('%s becomes %s', (json, written) => {
    expect(JSON.stringify(parseExactJson(json))).toBe(written)
  })

  test('is as JSON.parse reads it where a double holds each number', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value)
        expect(parseExactJson(json)).toEqual(JSON.parse(json))
      }),
    )
  })

  test('has texts of digits where a text is wanted', () => {
    expect(withDigitsAsText(parseExactJson('{"a":[12345678901234567890,1],"b":null,"c":{"d":1e400}}'))).toEqual({
      a: ['12345678901234567890', 1],
      b: null,
      c: { d: '1e400' },
    })
    const plain = { a: [1, 'x'] }
    expect(withDigitsAsText(plain)).toBe(plain)
  })

  test('may be nested as deep as it wants', () => {
    const long = parseExactJson('12345678901234567890')
    let deep: unknown = []
    for (let level = 0; level < 100_000; level += 1) deep = [long, deep]
    expect(withDigitsAsText(deep)).toEqual(['12345678901234567890', expect.anything()])
  })

  test('keeps 1.10 where numbers stay as written', () => {
    expect(JSON.stringify(parseWithNumbersAsWritten('[1.10,2,"x"]'))).toBe('[1.10,2,"x"]')
  })
})
