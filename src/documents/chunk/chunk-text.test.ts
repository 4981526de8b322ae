import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block, BlockKind } from '../../extraction/extracted-text.ts'
import { type Chunk, chunkText, defaultChunkSizes } from './chunk-text.ts'

/** Text of every awkward kind, none of whose graphemes is longer than the shortest chunk. */
const word = fc.oneof(
  { weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
  fc.constantFrom(
    'Привет',
    'мир.',
    'й',
    'и\u0306',
    'e\u0301',
    '👩‍👩‍👧‍👦',
    '🇷🇺🇩🇪',
    '👍🏽',
    '東京。',
    '\r\n',
    '\n',
    '\n\n',
    '. ',
    '! ',
    'г. Москва',
    '\u0e33',
  ),
  fc.integer({ min: 1, max: 400 }).map((times) => 'x'.repeat(times)),
  fc.integer({ min: 1, max: 80 }).map((times) => '🇷🇺'.repeat(times)),
)
const text = fc
  .array(fc.tuple(word, fc.constantFrom('', ' ', ' ', '\n', '. ')), { maxLength: 120, size: 'max' })
  .map((words) => words.flat().join(''))
const kinds: readonly BlockKind[] = [
  'paragraph',
  'heading',
  'list-item',
  'table-row',
  'code',
  'slide',
  'sheet',
  'quote',
  'note',
]

const textWithBlocks = fc
  .tuple(
    text,
    fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(...kinds), fc.boolean()), {
      maxLength: 20,
    }),
  )
  .map(([whole, cuts]) => {
    const sorted = cuts
      .map(([share, kind, turnsPage]) => ({ from: Math.floor(share * whole.length), kind, turnsPage }))
      .sort((a, b) => a.from - b.from)
    let page = 1
    const blocks = sorted.map(({ from, kind, turnsPage }, index): Block => {
      if (turnsPage) page++
      return {
        from,
        to: sorted[index + 1]?.from ?? whole.length,
        kind,
        page,
        headingPath: [`part ${Math.floor(from / 200)}`, kind],
      }
    })
    return { whole, blocks }
  })
const sizes = fc
  .integer({ min: 100, max: 1_500 })
  .chain((maxUnits) =>
    fc.record({ maxUnits: fc.constant(maxUnits), overlapUnits: fc.integer({ min: 0, max: Math.floor(maxUnits / 2) }) }),
  )

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

describe('laws', () => {
  test('chunks cover the whole text in order, none too long, overlaps bounded, no grapheme cut', () => {
    fc.assert(
      fc.property(textWithBlocks, sizes, ({ whole, blocks }, { maxUnits, overlapUnits }) => {
        const chunks = chunkText(whole, blocks, { maxUnits, overlapUnits })
        const starts = new Set([...graphemes.segment(whole)].map(({ index }) => index).concat(whole.length))
        expect(chunks.map(({ index }) => index)).toEqual(chunks.map((_, index) => index))
        expect(chunks[0]?.from ?? 0).toBe(0)
        expect(chunks.at(-1)?.to ?? 0).toBe(whole.length)
        for (const [index, { from, to }] of chunks.entries()) {
          expect(to).toBeGreaterThan(from)
          expect(to - from).toBeLessThanOrEqual(maxUnits)
          expect(starts.has(from)).toBe(true)
          expect(starts.has(to)).toBe(true)
          const before = chunks[index - 1]
          if (before === undefined) continue
          expect(from).toBeLessThanOrEqual(before.to)
          expect(from).toBeGreaterThan(before.from)
          expect(to).toBeGreaterThan(before.to)
          expect(before.to - from).toBeLessThanOrEqual(overlapUnits)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('the same input gives the same chunks', () => {
    fc.assert(
      fc.property(textWithBlocks, sizes, ({ whole, blocks }, chunkSizes) => {
        expect(chunkText(whole, blocks, chunkSizes)).toEqual(chunkText(whole, blocks, chunkSizes))
      }),
      { numRuns: 50 },
    )
  })

  test('a text that fits is one chunk, and no surrogate pair is cut where a grapheme is longer than a chunk', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), (marks) => {
        const stacked = `x${'\u{1d165}'.repeat(marks)}`
        const chunks = chunkText(stacked, [], { maxUnits: 100, overlapUnits: 0 })
        expect(chunks.map(({ from, to }) => stacked.slice(from, to)).join('')).toBe(stacked)
        for (const { from, to } of chunks) expect(stacked.slice(from, to).isWellFormed()).toBe(true)
      }),
    )
  })
})

const sentence = (about: string): string => `The ${about} was looked at twice and then put back where it belongs.`
const prose = (about: string, sentences: number): string =>
  Array.from({ length: sentences }, (_, index) => sentence(`${about} ${index}`)).join(' ')

/** A text from parts, with the blocks that an extractor would give. */
function documentOf(parts: readonly (readonly [BlockKind, string, number?])[]): { text: string; blocks: Block[] } {
  const blocks: Block[] = []
  let path: string[] = []
  let whole = ''
  for (const [kind, content, page] of parts) {
    if (kind === 'heading' || kind === 'slide' || kind === 'sheet') path = [content]
    blocks.push({
      from: whole.length,
      to: whole.length + content.length,
      kind,
      headingPath: path,
      ...(page === undefined ? {} : { page }),
    })
    whole += `${content}\n\n`
  }
  return { text: whole, blocks }
}

const textsOf = (whole: string, chunks: readonly Chunk[]): readonly string[] =>
  chunks.map(({ from, to }) => whole.slice(from, to))

describe('structure', () => {
  test('a new heading begins a new chunk, which knows its heading', () => {
    const { text: whole, blocks } = documentOf([
      ['heading', 'Printers'],
      ['paragraph', prose('printer', 6)],
      ['heading', 'Scanners'],
      ['paragraph', prose('scanner', 6)],
    ])
    const chunks = chunkText(whole, blocks)
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual([['Printers'], ['Scanners']])
    expect(textsOf(whole, chunks)[1]).toBe(`Scanners\n\n${prose('scanner', 6)}\n\n`)
  })

  test('small sections under one roof share a chunk; its heading path is what they have in common', () => {
    const { text: whole, blocks } = documentOf([
      ['heading', 'Printers'],
      ['paragraph', 'Ask the desk.'],
      ['heading', 'Scanners'],
      ['paragraph', 'Ask the desk too.'],
    ])
    expect(chunkText(whole, blocks)).toEqual([{ index: 0, from: 0, to: whole.length, headingPath: [] }])
  })

  test('a heading stays with the beginning of its text, however long that is', () => {
    const { text: whole, blocks } = documentOf([
      ['heading', 'On printers'],
      ['paragraph', prose('printer', 14)],
    ])
    const [first] = textsOf(whole, chunkText(whole, blocks))
    expect(first?.startsWith('On printers\n\nThe printer 0 was')).toBe(true)
  })

  test('a long paragraph becomes chunks of like size; each goes on with the last sentence of the one before', () => {
    const whole = prose('printer', 20)
    const chunks = chunkText(whole, [])
    expect(chunks).toHaveLength(2)
    const [first, second] = textsOf(whole, chunks)
    const lastSentence = `${sentence('printer 10')} `
    expect(first?.endsWith(lastSentence)).toBe(true)
    expect(second?.startsWith(lastSentence)).toBe(true)
  })

  test('a chunk says the page on which it begins; each page begins a chunk', () => {
    const { text: whole, blocks } = documentOf([
      ['paragraph', prose('first page', 8), 1],
      ['paragraph', prose('second page', 8), 2],
    ])
    const chunks = chunkText(whole, blocks, { maxUnits: 1_000, overlapUnits: 0 })
    expect(chunks.map(({ page }) => page)).toEqual([1, 2])
  })

  test('slides stand alone, also when they are small', () => {
    const { text: whole, blocks } = documentOf([
      ['slide', 'One', 1],
      ['paragraph', 'First point', 1],
      ['slide', 'Two', 2],
      ['paragraph', 'Second point', 2],
    ])
    expect(textsOf(whole, chunkText(whole, blocks))).toEqual(['One\n\nFirst point\n\n', 'Two\n\nSecond point\n\n'])
  })

  test('rows are not cut while they fit, and are not repeated', () => {
    const rows = Array.from({ length: 60 }, (_, index): [BlockKind, string] => [
      'table-row',
      `id: ${index}; name: user number ${index}`,
    ])
    const { text: whole, blocks } = documentOf(rows)
    const chunks = chunkText(whole, blocks)
    expect(textsOf(whole, chunks).join('')).toBe(whole)
    for (const chunk of textsOf(whole, chunks)) expect(chunk).toMatch(/^id: \d+; .*user number \d+\n\n$/s)
  })

  test('a text wrapped by hand is cut at sentences, not at line ends', () => {
    const whole = prose('printer', 20).replace(/(.{60}) /g, '$1\n')
    const [first] = textsOf(whole, chunkText(whole, []))
    expect(first?.trimEnd().endsWith('.')).toBe(true)
  })
})

describe('tables (issue 11, tables)', () => {
  const rows = (count: number): (readonly [BlockKind, string])[] => [
    ['table-row', 'Article | Price'],
    ...Array.from({ length: count }, (_, index): [BlockKind, string] => [
      'table-row',
      `article ${index} | ${index} EUR`,
    ]),
  ]

  test('every part of a table has its first row beside its text; what follows the table has not', () => {
    const { text: whole, blocks } = documentOf([...rows(120), ['heading', 'After'], ['paragraph', prose('end', 14)]])
    const chunks = chunkText(whole, blocks)
    const parts = chunks.filter(({ from, to }) => whole.slice(from, to).includes(' EUR'))
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.map(({ repeated }) => repeated)).toEqual(parts.map(() => 'Article | Price'))
    expect(chunks.at(-1)).not.toHaveProperty('repeated')
    expect(textsOf(whole, parts).filter((text) => text.includes('Article | Price'))).toHaveLength(1)
  })

  test('a table that is whole in one chunk repeats nothing', () => {
    const { text: whole, blocks } = documentOf(rows(3))
    expect(chunkText(whole, blocks)[0]).not.toHaveProperty('repeated')
  })
})

test('a chunk of several pages says where it begins and ends (issue 11, pages)', () => {
  const { text: whole, blocks } = documentOf([
    ['paragraph', 'Short first page.', 1],
    ['paragraph', 'Short second page.', 2],
    ['paragraph', prose('third page', 20), 3],
  ])
  const ends = chunkText(whole, blocks).map(({ page, pageTo }) => [page, pageTo])
  expect(ends).toEqual([
    [1, 2],
    [3, 3],
    [3, 3],
  ])
})

test('an empty text has no chunks', () => {
  expect(chunkText('', [])).toEqual([])
})

test('sizes that contradict each other are a fault of the settings', () => {
  expect(() => chunkText('x', [], { maxUnits: 99, overlapUnits: 0 })).toThrow(RangeError)
  expect(() => chunkText('x', [], { maxUnits: 200, overlapUnits: 101 })).toThrow(RangeError)
  expect(() => chunkText('x', [], { maxUnits: Number.NaN, overlapUnits: 0 })).toThrow(RangeError)
  expect(chunkText('x', [], defaultChunkSizes)).toHaveLength(1)
})
