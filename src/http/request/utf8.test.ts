import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readUtf8 } from './utf8.ts'

test('every text is read as it was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(readUtf8(Buffer.from(text))).toEqual({ ok: true, text })
    }),
  )
})

test('whatever a strict decoder rejects is rejected, at the letter where it breaks off', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc
      .tuple(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 4 }))
      .map(([text, more]) => Buffer.concat([Buffer.from(text), more])),
  )
  fc.assert(
    fc.property(bytes, (sent) => {
      const read = readUtf8(Buffer.from(sent))
      const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      if (read.ok) {
        expect(strict.decode(sent)).toBe(read.text)
        return
      }
      expect(() => strict.decode(sent)).toThrow()
      // A lenient decoder gives the same text up to there, and then a replacement character.
      const lenient = Buffer.from(sent).toString('utf8')
      expect(lenient[read.position]).toBe('\ufffd')
      const before = Buffer.from(lenient.slice(0, read.position))
      expect(Buffer.from(sent).subarray(0, before.length)).toEqual(before)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['a lone byte of windows-1251', [0x61, 0xcf, 0x62], 1],
  ['a letter that is cut off', [0x61, 0xd0], 1],
  ['half of a surrogate pair', [0xed, 0xa0, 0x80], 0],
  ['a longer form of a slash', [0xc0, 0xaf], 0],
  ['after a letter of two units', [0xf0, 0x9f, 0xa6, 0xad, 0xff], 2],
])('%s', (_what, bytes, position) => {
  expect(readUtf8(Buffer.from(bytes))).toEqual({ ok: false, position })
})
