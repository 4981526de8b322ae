import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { Block, BlockKind, ExtractedText } from '../extracted-text.ts'
import type { FileProblem } from '../rejection.ts'
import { createResultReader, writeResult } from './result-frame.ts'

const kinds: readonly BlockKind[] = [
  'heading',
  'slide',
  'sheet',
  'paragraph',
  'list-item',
  'table-row',
  'code',
  'quote',
  'note',
]
const block: fc.Arbitrary<Block> = fc.record(
  {
    from: fc.nat(),
    to: fc.nat(),
    kind: fc.constantFrom(...kinds),
    headingPath: fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }),
    level: fc.integer({ min: 1, max: 9 }),
    page: fc.integer({ min: 1 }),
    pageTo: fc.integer({ min: 1 }),
    beginsTable: fc.constant(true),
    isHeader: fc.constant(true),
  },
  { requiredKeys: ['from', 'to', 'kind', 'headingPath'] },
)
const extracted: fc.Arbitrary<ExtractedText> = fc.record(
  {
    text: fc.string({ unit: 'binary' }),
    mediaType: fc.string(),
    language: fc.string(),
    title: fc.string(),
    pages: fc.nat(),
    blocks: fc.array(block),
    flags: fc.constant([{ kind: 'hidden-text' as const, count: 2 }]),
  },
  { requiredKeys: ['text', 'mediaType', 'blocks', 'flags'] },
)
const problem: FileProblem = { kind: 'unreadable-document', stage: 'open', cause: 'encrypted', detail: 'x' }
const result: fc.Arbitrary<Result<ExtractedText, FileProblem>> = fc.oneof(
  extracted.map(succeed),
  fc.constant(fail(problem)),
)

test('results arrive as they were written, in whatever pieces the pipe delivers them', () => {
  fc.assert(
    fc.property(fc.array(result, { maxLength: 3 }), fc.integer({ min: 1, max: 200 }), (results, pieceBytes) => {
      const bytes = Buffer.concat(results.map(writeResult))
      const read: unknown[] = []
      const reader = createResultReader(1_000_000, (one) => read.push(one))
      for (let at = 0; at < bytes.length; at += pieceBytes) reader.take(bytes.subarray(at, at + pieceBytes))
      expect(read).toEqual(results)
    }),
  )
})

test('a message longer than any result is not waited for', () => {
  const reader = createResultReader(1_000, () => undefined)
  expect(() => reader.take(Buffer.from([0xff, 0xff, 0xff, 0x7f]))).toThrow(
    'a result of 2147483647 bytes; at most 1000 are taken',
  )
})
