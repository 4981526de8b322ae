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
