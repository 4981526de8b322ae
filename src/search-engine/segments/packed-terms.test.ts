import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildFromPacked } from './build-from-packed.ts'
import { buildSegment } from './build-segment.ts'
import { type IndexedText, termsOfDocument } from './document-terms.ts'
import { fingerprintsOf } from './fingerprints.ts'
import { mergeSegments } from './merge-segments.ts'
import { openPackedTerms, packTerms } from './packed-terms.ts'
import { sortByBytes } from './sort-by-bytes.ts'

test('a segment of packed terms is that of the texts, byte for byte (issue 14, 1)', () => {
  fc.assert(
    fc.property(documents, (texts) => {
      const made = buildSegment(texts.map(termsOfDocument))
      expect(bytesOf(buildFromPacked(texts.map(packed)).buffer)).toEqual(bytesOf(made.buffer))
    }),
  )
})

test('packed terms of many chunks keep weights above three and stop words of most chunks (issue 14, 1)', () => {
  const chunks = Array.from({ length: 200 }, (_, at) => ({
    text: `${'the printer '.repeat(at)} word${at} ${at % 2 === 0 ? 'and' : 'with'} ${at % 50 === 0 ? 'toner' : ''}`,
    headingPath: [],
  }))
  const texts = [1, 2, 3].map((id) => ({ id, docId: `doc-${id}`, title: 'Принтер', language: 'en', chunks }))
  const made = buildSegment(texts.map(termsOfDocument))
  expect(bytesOf(buildFromPacked(texts.map(packed)).buffer)).toEqual(bytesOf(made.buffer))
})

test('packed terms of tens of thousands of words give the segment of the texts (issue 14, 1)', () => {
  const chunks = Array.from({ length: 40 }, (_, chunk) => ({
    text: Array.from({ length: 1_000 }, (_, word) => `term${chunk * 1_000 + word}`).join(' '),
    headingPath: [],
  }))
  // The second document has the same words: none of them may be numbered again.
  const texts = [1, 2].map((id) => ({ id, docId: `doc-${id}`, title: null, language: 'en', chunks }))
  const made = buildSegment(texts.map(termsOfDocument))
  expect(bytesOf(buildFromPacked(texts.map(packed)).buffer)).toEqual(bytesOf(made.buffer))
})

test('a merge of segments of packed terms holds what one segment of the texts holds (issue 14, 1)', () => {
  fc.assert(
    fc.property(documents, fc.integer({ min: 1, max: 7 }), (texts, parts) => {
      const segments = [...Map.groupBy(texts.map(packed), (_, at) => at % parts).values()].map(buildFromPacked)
      const merged = fingerprintsOf(mergeSegments(segments, new Set()))
      const made = fingerprintsOf(buildSegment(texts.map(termsOfDocument)))
      expect(merged.documentIds().map(merged.of)).toEqual(made.documentIds().map(made.of))
    }),
    { numRuns: 30 },
  )
})

test('a changed, missing or added byte of packed terms is noticed, and so is another document (issue 14, 1)', () => {
  fc.assert(
    fc.property(document(1), fc.nat(), fc.integer({ min: 1, max: 255 }), (text, place, difference) => {
      const bytes = packTerms(buildSegment([termsOfDocument(text)]))
      expect(openPackedTerms(1, bytes)?.chunks).toBe(text.chunks.length)
      expect(openPackedTerms(2, bytes)).toBe(undefined)
      expect(openPackedTerms(1, bytes.subarray(0, place % bytes.length))).toBe(undefined)
      expect(openPackedTerms(1, Uint8Array.of(...bytes, 0))).toBe(undefined)
      const changed = Uint8Array.from(bytes)
      const at = place % bytes.length
      changed[at] = (changed[at] ?? 0) ^ difference
      expect(openPackedTerms(1, changed)).toBe(undefined)
    }),
  )
})

test('texts of bytes are sorted as buffers are, whatever they begin with (issue 14, 1)', () => {
  const bytes = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => Buffer.from(text)),
    fc
      .string({ unit: fc.constantFrom('a', 'b', '\0'), maxLength: 30 })
      .map((text) => Buffer.from(`same beginning ${text}`)),
  )
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 300 }), (texts) => {
      const start = Uint32Array.from({ length: texts.length + 1 }, (_, at) =>
        texts.slice(0, at).reduce((sum, { length }) => sum + length, 0),
      )
      const order = sortByBytes({ start, bytes: Buffer.concat(texts) }, texts.length)
      expect([...order].sort((one, other) => one - other)).toEqual([...texts.keys()])
      expect(Array.from(order, (ordinal) => texts[ordinal]?.toString('hex'))).toEqual(
        [...texts].sort(Buffer.compare).map((text) => text.toString('hex')),
      )
    }),
  )
})

// ── what the tests say ──

const words = [
  ...['the', 'and', 'и', 'не', 'der', 'printer', 'printers', 'Принтеры', 'ёлка', 'ERR-42', 'a@b.example', '3,14'],
  ...[
    'Donaudampfschifffahrt',
    'straße',
    'l’été',
    '東京都',
    'プリンタ',
    '한국어',
    '𠀋𠀌',
    'C++',
    'INC0012345',
    '1,000',
    'مرحبا',
    '~x',
  ],
]
const sentence = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...words) }, fc.string({ unit: 'grapheme', maxLength: 6 })), {
    maxLength: 40,
  })
  .map((parts) => parts.join(' '))

function document(id: number): fc.Arbitrary<IndexedText> {
  const chunk = fc.record({
    text: sentence,
    headingPath: fc.array(sentence, { maxLength: 2 }),
    repeated: fc.option(sentence),
  })
  return fc.record({
    id: fc.constant(id),
    docId: fc.string({ unit: 'grapheme', maxLength: 12 }),
    title: fc.option(sentence),
    language: fc.constantFrom(null, 'en', 'ru', 'de', 'fr', 'ja'),
    chunks: fc.array(chunk, { maxLength: 5 }),
  })
}

/** Ids beyond 32 bits among them. */
const documents = fc
  .uniqueArray(fc.integer({ min: 1, max: 2 ** 40 }), { maxLength: 12 })
  .chain((ids) => fc.tuple(...ids.map(document)))

function packed(text: IndexedText) {
  const opened = openPackedTerms(text.id, packTerms(buildSegment([termsOfDocument(text)])))
  if (opened === undefined) throw new Error('what was just packed cannot be opened')
  return opened
}

function bytesOf(buffer: SharedArrayBuffer): string {
  return Buffer.from(buffer).toString('base64')
}
