import { describe, expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'
import { type PdfRun, writePdf } from './write-pdf.ts'

const pdf = { mediaType: 'application/pdf' }
const lines = (top: number, texts: readonly string[], size = 11, x = 70): PdfRun[] =>
  texts.map((text, index) => [size, x, top - index * size * 1.2, text])

describe('a PDF', () => {
  test('headings by size, paragraphs by distance and indent, words divided at line ends', async () => {
    const page = [
      ...lines(780, ['Big Title'], 24),
      ...lines(740, ['Part'], 16),
      ...lines(700, ['First para-', 'graph goes', 'on.']),
      ...lines(660.4, ['Indented one.'], 11, 90),
      ...lines(600, ['After a gap']),
      ...lines(500, ['- item one', '- item two']),
    ]
    expect(await readBytes(writePdf({ pages: [page] }))).toEqual({
      ...pdf,
      title: 'Big Title',
      pages: 1,
      blocks: [
        '1 heading1 Big Title',
        '1 heading2 Part',
        '1 paragraph First paragraph goes on.',
        '1 paragraph Indented one.',
        '1 paragraph After a gap',
        '1 list-item - item one',
        '1 list-item - item two',
      ],
    })
  })

  test('headings by the bookmarks, where there are bookmarks', async () => {
    const pages = [
      lines(700, ['Chapter one']),
      [...lines(700, ['Text of it.']), ...lines(600, ['Larger but no heading'], 14)],
    ]
    expect(await readBytes(writePdf({ pages, outline: ['Chapter One'], title: 'Doc' }))).toEqual({
      ...pdf,
      title: 'Doc',
      pages: 2,
      blocks: ['1 heading1 Chapter one', '2 paragraph Text of it.', '2 paragraph Larger but no heading'],
    })
  })

  test('rows by columns', async () => {
    const row = (y: number, ...cells: readonly string[]): PdfRun[] =>
      cells.map((cell, index) => [11, 70 + index * 150, y, cell])
    expect(
      await readBytes(writePdf({ pages: [[...row(700, 'Code', 'Meaning'), ...row(680, 'ERR-42', 'No paper')]] })),
    ).toEqual({
      ...pdf,
      pages: 1,
      blocks: ['1 table-row Code | Meaning', '1 table-row ERR-42 | No paper'],
    })
  })

  test('what every page repeats at its edge is left out', async () => {
    const pages = Array.from({ length: 6 }, (_, index) => [
      ...lines(820, ['Annual report']),
      ...lines(700, [`Text of page ${index + 1}`, 'goes on', 'and on', 'to its end.']),
      ...lines(20, [String(index + 1)]),
    ])
    expect(await readBytes(writePdf({ pages }))).toEqual({
      ...pdf,
      pages: 6,
      blocks: pages.map((_, index) => `${index + 1} paragraph Text of page ${index + 1} goes on and on to its end.`),
    })
  })

  test('few lines on many pages are no repetition', async () => {
    const pages = Array.from({ length: 6 }, () => lines(820, ['Same words']))
    expect(await readBytes(writePdf({ pages }))).toMatchObject({
      blocks: pages.map((_, index) => `${index + 1} paragraph Same words`),
    })
  })

  test('without a text layer it is rejected; single pages without one are flagged', async () => {
    expect(await readBytes(writePdf({ pages: [[], []] }))).toEqual({
      kind: 'unreadable-document',
      stage: 'extract',
      cause: 'no-text',
      detail: '2 pages without a text layer: a scan must be recognised first',
    })
    expect(await readBytes(writePdf({ pages: [[], lines(700, ['x'])] }))).toEqual({
      ...pdf,
      pages: 2,
      flags: { 'pages-without-text': 1 },
      blocks: ['2 paragraph x'],
    })
  })

  test('over the limits it is rejected, naming the limit', async () => {
    const pages = [lines(700, ['aaaa']), lines(700, ['bbbb'])]
    expect(await readBytes(writePdf({ pages }), 'a.pdf', { maxPages: 1 })).toMatchObject({
      cause: 'too-many-pages',
      detail: '2 pages; at most 1 are read',
    })
    expect(await readBytes(writePdf({ pages }), 'a.pdf', { maxTextUnits: 7 })).toMatchObject({ cause: 'too-much-text' })
  })

  test('what is not a PDF behind its first bytes is damaged', async () => {
    expect(await readBytes('%PDF-1.7\nnothing more')).toMatchObject({
      kind: 'unreadable-document',
      stage: 'open',
      cause: 'damaged',
    })
  })
})
