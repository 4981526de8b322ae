import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxJsonDepth, readJson } from './read-json.ts'

const accepted: readonly (readonly [text: string, value: unknown])[] = [
  ['{}', {}],
  ['[]', []],
  [' \t\r\n{"a" : [1 , 2]}\n', { a: [1, 2] }],
  ['"x"', 'x'],
  ['null', null],
  ['[true,false,null,-0.5e-3]', [true, false, null, -0.0005]],
  ['{"a":{"b":[{"c":{}},[[]]]}}', { a: { b: [{ c: {} }, [[]]] } }],
  [String.raw`"\"\\\/\b\f\n\r\t\u043f\ud83d\ude00"`, '"\\/\b\f\n\r\tп😀'],
  // Numbers that a double cannot hold keep their digits.
  ['{"assigned_user":155931135900000001}', { assigned_user: '155931135900000001' }],
  ['[9007199254740991,9007199254740992,9007199254740993]', [9007199254740991, 9007199254740992, '9007199254740993']],
  ['-123456789012345678901234567890', '-123456789012345678901234567890'],
  ['[0.1,0.30000000000000004,1.10,1e3,1E+2,100000000000000000000]', [0.1, 0.30000000000000004, 1.1, 1000, 100, 1e20]],
  ['12345678901234.567890123', '12345678901234.567890123'],
  ['[1e400,-1e400,1e-400,0e99,0.0]', ['1e400', '-1e400', '1e-400', 0, 0]],
]

describe('JSON is read', () => {
  test.each(accepted)('%s', (text, value) => {
    expect(readJson(text)).toEqual({ ok: true, value })
  })
})

const rejected: readonly (readonly [text: string, position: number, detail: string])[] = [
  ['', 0, 'it is empty'],
  ['  ', 0, 'it is empty'],
  ['{"a":x}', 5, 'a value was expected'],
  ['{"a":', 5, 'it ends where a value was expected'],
  ['{"a":1', 6, 'a comma or } was expected'],
  ['{"a":1,}', 7, 'a key in double quotes was expected'],
  ['[1,]', 3, 'a value was expected'],
  ['[1 2]', 3, 'a comma or ] was expected'],
  ['{a:1}', 1, 'a key in double quotes was expected'],
  ["{'a':1}", 1, 'a key in double quotes was expected'],
  ['{"a" 1}', 5, 'a colon was expected'],
  ['{"a":1} x', 8, 'something follows its end'],
  ['{"a":"b', 5, 'the string that begins here has no end'],
  ['["a\nb"]', 3, 'a control character inside a string must be written as an escape'],
  [String.raw`["\x"]`, 2, 'this escape does not exist'],
  [String.raw`["\u12"]`, 2, 'this escape does not exist'],
  [String.raw`["a\u0000"]`, 3, 'text cannot hold the character U+0000'],
  [String.raw`["\ud800"]`, 2, 'half of a surrogate pair is not a character'],
  [String.raw`["\ude00\ud83d"]`, 2, 'half of a surrogate pair is not a character'],
  ['01', 1, 'something follows its end'],
  ['+1', 0, 'a value was expected'],
  ['.5', 0, 'a value was expected'],
  ['NaN', 0, 'a value was expected'],
  ['tru', 0, 'a value was expected'],
  ['{"state":"1","b":2,"state":"2"}', 19, 'the key "state" occurs twice'],
  [String.raw`{"state":"1","\u0073tate":"2"}`, 13, 'the key "state" occurs twice'],
]

describe('JSON is rejected with its place', () => {
  test.each(rejected)('%s', (text, position, detail) => {
    expect(readJson(text)).toEqual({ ok: false, error: { kind: 'bad-json', detail, position } })
  })
})

test('__proto__ is a key like any other and changes no prototype', () => {
  const result = readJson('{"__proto__":{"admin":true},"constructor":{"prototype":1}}')
  expect(result.ok).toBe(true)
  const value = result.ok ? (result.value as object) : {}
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(({} as { admin?: unknown }).admin).toBeUndefined()
})

test('nesting is counted, whatever is nested', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
  expect(readJson(nested(maxJsonDepth)).ok).toBe(true)
  expect(readJson(nested(maxJsonDepth + 2))).toEqual({
    ok: false,
    error: { kind: 'bad-json', detail: 'it is nested deeper than 100 levels', position: 300 },
  })
  expect(readJson('['.repeat(5_000_000)).ok).toBe(false)
})

test('a string of ten million letters is read', () => {
  const text = 'ж'.repeat(10_000_000)
  const result = readJson(JSON.stringify({ text }))
  expect(result.ok && (result.value as { text: string }).text.length).toBe(10_000_000)
})

/** JSON whose numbers a double holds and whose strings PostgreSQL holds. */
const plainJson = fc
  .jsonValue({ maxDepth: 6, noUnicodeString: false })
  .filter((value) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value)))

test('what JSON.stringify writes is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(plainJson, fc.integer({ min: 0, max: 3 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
    }),
  )
})

test('a text is accepted exactly when JSON.parse accepts it, but for what is rejected on purpose', () => {
  const onPurpose = /occurs twice|nested deeper|U\+0000|surrogate/
  const fragment = fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"b"',
      '1',
      '-',
      '.',
      'e',
      '0',
      'true',
      'null',
      ' ',
      '\\',
      'u0',
    ),
    fc.string({ maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const result = readJson(text)
      if (!result.ok && result.error.kind === 'bad-json' && onPurpose.test(result.error.detail)) return
      expect(result.ok).toBe(isJson(text))
    }),
    { numRuns: 2_000 },
  )
})

test('the digits of an integer of any length are kept', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (number) => {
      const result = readJson(`{"n":${number}}`)
      const n = result.ok ? (result.value as { n: number | string }).n : undefined
      expect(BigInt(n ?? 'nothing')).toBe(number)
    }),
  )
})

describe('a long list of numbers', () => {
  const token = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
    fc.constantFrom('-0', '1e-05', '1.10', '1e400', '0.1234567890123456789', '155931135900000001'),
  )
  const space = fc.constantFrom('', ' ', '\n', ' \t\r\n')
  const tokens = fc.array(token, { minLength: 300, maxLength: 310 })

  test('has the numbers that each would be alone', () => {
    fc.assert(
      fc.property(tokens, space, (numbers, between) => {
        const alone = numbers.map((number) => readJson(number)).map((read) => (read.ok ? read.value : null))
        const list = `[${between}${numbers.join(`,${between}`)}${between}]`
        expect(readJson(`{"a":[${list}],"b":1e999}`)).toEqual({ ok: true, value: { a: [alone], b: '1e999' } })
      }),
    )
  })

  test('has the place of its error', () => {
    const numbers = '0.5,'.repeat(300)
    expect(readJson(`[${numbers}]`)).toMatchObject({ error: { detail: 'a value was expected', position: 1_201 } })
    expect(readJson(`[${numbers}1 2]`)).toMatchObject({
      error: { detail: 'a comma or ] was expected', position: 1_203 },
    })
    expect(readJson(`[${numbers}1,01]`)).toMatchObject({ error: { position: 1_204 } })
    expect(readJson(`[${numbers}[1],"]",{"a":2}]`)).toMatchObject({ ok: true })
  })

  test('counts as one level', () => {
    const list = `[${'1,'.repeat(200)}1]`
    const nested = (depth: number) => `${'['.repeat(depth)}${list}${']'.repeat(depth)}`
    expect(readJson(nested(maxJsonDepth - 1)).ok).toBe(true)
    expect(readJson(nested(maxJsonDepth))).toMatchObject({ error: { position: maxJsonDepth } })
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('strings end at the same quote whether or not the text holds escapes or control characters elsewhere', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()))), (value) => {
      const text = JSON.stringify(value)
      expect(readJson(`\n${text}`)).toEqual(readJson(` ${text}`))
    }),
  )
  expect(readJson('\n{"a":"b}')).toEqual(readJson(' {"a":"b}'))
})
