import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storedInFirstLayout } from '../../../test/harness/first-layout-terms.ts'
import { buildFromPacked, buildFromReadable } from './build-from-packed.ts'
import { buildSegment } from './build-segment.ts'
import { type IndexedText, termsOfDocument } from './document-terms.ts'
import { fingerprintsOf } from './fingerprints.ts'
import { mergeSegments } from './merge-segments.ts'
import { openPackedTerms, packTerms } from './packed-terms.ts'
import { openSegment } from './segment.ts'
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

test('a merge of segments of packed terms is the segment of the texts, byte for byte (issue 14, 1)', () => {
  fc.assert(
    fc.property(documents, fc.integer({ min: 1, max: 7 }), (texts, parts) => {
      const segments = [...Map.groupBy(texts.map(packed), (_, at) => at % parts).values()].map(buildFromPacked)
      const made = buildSegment(texts.map(termsOfDocument))
      expect(bytesOf(mergeSegments(segments, new Set()).buffer)).toEqual(bytesOf(made.buffer))
      // Without some documents, which then leave gaps.
      const dropped = new Set(texts.filter((_, at) => at % 3 === 1).map(({ id }) => id))
      const left = buildSegment(texts.filter(({ id }) => !dropped.has(id)).map(termsOfDocument))
      expect(bytesOf(mergeSegments(segments, dropped).buffer)).toEqual(bytesOf(left.buffer))
    }),
    { numRuns: 50 },
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

test('damage of any number of bytes, the layout included, is noticed before terms are read', () => {
  const change = fc.record({ place: fc.nat(), difference: fc.integer({ min: 1, max: 255 }) })
  fc.assert(
    fc.property(document(1), fc.array(change, { minLength: 1, maxLength: 20 }), (text, changes) => {
      const bytes = packTerms(buildSegment([termsOfDocument(text)]))
      const changed = Uint8Array.from(bytes)
      for (const { place, difference } of changes) {
        const at = place % bytes.length
        changed[at] = (changed[at] ?? 0) ^ difference
      }
      if (Buffer.compare(bytes, changed) !== 0) expect(openPackedTerms(1, changed)).toBe(undefined)
      for (let layout = 0; layout < 256; layout++) {
        if (layout === bytes[0]) continue
        expect(openPackedTerms(1, Uint8Array.of(layout, ...bytes.subarray(1)))).toBe(undefined)
      }
    }),
    { numRuns: 50 },
  )
})

test.each([
  { layout: 'this layout', sample: null },
  { layout: 'the first layout', sample: Buffer.from(storedInFirstLayout, 'base64') },
])(
  'damage of $layout under a right checksum stays in its document: the others of a segment are right',
  ({ sample }) => {
    const change = fc.record({ place: fc.nat(), value: fc.oneof(fc.constantFrom(0, 1, 127, 128, 255), fc.nat(255)) })
    fc.assert(
      fc.property(document(7), fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(), (text, changes, cut) => {
        const bytes = Uint8Array.from(sample ?? packTerms(buildSegment([termsOfDocument(text)])))
        for (const { place, value } of changes) bytes[16 + (place % (bytes.length - 16))] = value
        const damaged = cut % 4 === 0 ? bytes.subarray(0, 48 + (cut % Math.max(1, bytes.length - 48))) : bytes
        seal(damaged)
        const opened = openPackedTerms(7, damaged)
        const { segment, documents: taken } = buildFromReadable([...others, ...(opened === undefined ? [] : [opened])])
        const expected = fingerprintsOf(buildFromPacked(others))
        const found = fingerprintsOf(segment)
        expect(taken.length).toBeGreaterThanOrEqual(others.length)
        expect(taken.map(({ documentId }) => documentId).toSorted()).toEqual(found.documentIds().toSorted())
        for (const { documentId } of others) expect(found.of(documentId)).toBe(expected.of(documentId))
        openSegment(mergeSegments([segment], new Set([7])).buffer)
      }),
      { numRuns: 300 },
    )
  },
)

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

/** The length and the checksum of changed bytes, as if they had been written so. */
function seal(bytes: Uint8Array): void {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  header.setUint32(16, bytes.length, true)
  header.setUint32(4, crc32(bytes.subarray(8)), true)
}

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

const others = [1, 2, 9].map((id) =>
  packed({
    id,
    docId: `doc-${id}`,
    title: 'Принтер',
    language: 'en',
    chunks: Array.from({ length: 3 }, (_, at) => ({
      text: `the toner of printer ${at} and INC00${at}`,
      headingPath: [],
    })),
  }),
)

function packed(text: IndexedText) {
  const opened = openPackedTerms(text.id, packTerms(buildSegment([termsOfDocument(text)])))
  if (opened === undefined) throw new Error('what was just packed cannot be opened')
  return opened
}

function bytesOf(buffer: SharedArrayBuffer): string {
  return Buffer.from(buffer).toString('base64')
}
