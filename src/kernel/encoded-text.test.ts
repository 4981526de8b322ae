import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EncodedText, encodeText } from './encoded-text.ts'

test('a text that is encoded and decoded is the same text, and its characters are the bytes of UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const encoded = encodeText(text)
      expect(Buffer.from(encoded.latin1, 'latin1').equals(Buffer.from(text, 'utf8'))).toBe(true)
      expect(encoded.toString()).toBe(text.toWellFormed())
    }),
  )
})

test('pieces of ASCII may be put around encoded texts', () => {
  const wrapped = new EncodedText(`[${encodeText('Отчёт ✓').latin1}]`)
  expect(wrapped.toString()).toBe('[Отчёт ✓]')
})

test('a text of several parts is one text, in its bytes, its length and as a text', () => {
  const text = encodeText('Отчёт ✓').within('[', ']').within('{"data":', '}')
  const bytes = Buffer.from('{"data":[Отчёт ✓]}', 'utf8')
  const written = Buffer.alloc(64)
  expect(text.toString()).toBe('{"data":[Отчёт ✓]}')
  expect(text.length).toBe(bytes.length)
  expect(text.bytes.equals(bytes)).toBe(true)
  expect(written.subarray(0, text.writeTo(written)).equals(bytes)).toBe(true)
})
