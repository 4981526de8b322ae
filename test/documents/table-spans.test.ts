import { expect, test } from 'vitest'
import { extractBytes } from './read-bytes.ts'
import { wordDocument, wordParagraph } from './write-office.ts'

async function textOf(bytes: Uint8Array | string, fileName: string): Promise<string> {
  const result = await extractBytes(bytes, fileName)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value.text
}

const wordCell = (text: string, properties = ''): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${wordParagraph(text)}</w:tc>`
const wordRow = (...cells: readonly string[]): string => `<w:tr>${cells.join('')}</w:tr>`

test.each([
  [
    'HTML',
    'a.html',
    `<table><thead><tr><th rowspan=9>Land<th>City<th colspan=2>Price<th>Note</thead>
      <tr><td rowspan=2>Germany<td>Berlin<td>1<td>2<td>capital
      <tr><td>Munich<td>3<td>4<td>large
      <tr><td>France<td colspan="2">Paris<td>6<td rowspan="2">capital
      <tr><td>Spain<td>Madrid<td>7<td>8
      <tr><td>Italy<td>Rome
      <tr><td>Austria<td>Vienna<td>9<td>10<td>capital</table>`,
    [
      'Land | City | Price |  | Note',
      'Germany | Berlin | 1 | 2 | capital',
      '| Munich | 3 | 4 | large',
      'France | Paris |  | 6 | capital',
      'Spain | Madrid | 7 | 8',
      'Italy | Rome',
      'Austria | Vienna | 9 | 10 | capital',
    ],
  ],
  [
    'HTML whose last row is below a cell that it does not reach',
    'a.html',
    '<table><tr><td>a<td>b<td>c<td rowspan=3>d<tr><td>e<tr><td>f<tr><td>g<td>h<td>i<td>j</table>',
    ['a | b | c | d', 'e', 'f', 'g | h | i | j'],
  ],
  [
    'DOCX',
    'a.docx',
    wordDocument(
      `<w:tbl>${wordRow(wordCell('Land'), wordCell('Price', '<w:gridSpan w:val="2"/>'), wordCell('Note'))}
        ${wordRow(wordCell('Germany'), wordCell('1'), wordCell('2'), wordCell('capital'))}</w:tbl>`,
    ),
    ['Land | Price |  | Note', 'Germany | 1 | 2 | capital'],
  ],
  [
    'DOCX with a title over the table',
    'a.docx',
    wordDocument(
      `<w:tbl>${wordRow(wordCell('Prices', '<w:gridSpan w:val="3"/>'))}${wordRow(wordCell('Chair'), wordCell('1'), wordCell('2'))}</w:tbl>`,
    ),
    ['Prices', '', 'Chair | 1 | 2'],
  ],
] as const)(
  'cells stay in their columns beside cells of several columns or rows: %s',
  async (_, fileName, bytes, lines) => {
    expect((await textOf(bytes, fileName)).split('\n')).toEqual(lines)
  },
)

test.each([
  ['colspan', 'a |'],
  ['rowspan', 'a | b'],
])('a %s without bounds takes no memory', async (name, begin) => {
  const row = `<tr><td ${name}=1000000000>a<td>b`
  const text = await textOf(`<table>${row.repeat(2_000)}</table>`, 'a.html')
  expect(text.startsWith(begin)).toBe(true)
  expect(text.length).toBeLessThan(2_000 * 1_000)
})

test.each(['0', '-1', '2.5', 'x', ''])('a span of "%s" is one column', async (span) => {
  expect(
    await textOf(`<table><tr><td colspan="${span}" rowspan="${span}">a<td>b<tr><td>c<td>d</table>`, 'a.html'),
  ).toBe('a | b\nc | d')
})
