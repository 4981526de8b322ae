import { expect, test } from 'vitest'
import { chunkText } from '../../src/documents/chunk/chunk-text.ts'
import { extractBytes } from './read-bytes.ts'
import { officePackage, relationships, typedPackage, wordDocument, wordParagraph } from './write-office.ts'

const rows = Array.from({ length: 30 }, (_, index) => [`article ${index}`, `${index} EUR`] as const)
const numbers = rows.map((_, index) => index)

/** What is repeated beside the chunks that have a row, and whether their text is the exact range without it. */
async function repeatedOf(bytes: Uint8Array | string, fileName = 'upload'): Promise<readonly unknown[]> {
  const result = await extractBytes(bytes, fileName)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  const { text, blocks } = result.value
  const chunks = chunkText(text, blocks, { maxUnits: 200, overlapUnits: 0 })
  const ofTable = chunks.filter(({ from, to }) => / EUR/.test(text.slice(from, to)))
  expect(ofTable.length).toBeGreaterThan(2)
  expect(chunks.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text)
  return [...new Set(ofTable.map(({ repeated }) => repeated))]
}

const wordCell = (text: string): string => `<w:tc>${wordParagraph(text)}</w:tc>`
const wordRow = (cells: readonly string[], properties = ''): string =>
  `<w:tr><w:trPr>${properties}</w:trPr>${cells.map(wordCell).join('')}</w:tr>`
const wordTable = (header: string): string => `<w:tbl>${header}${rows.map((cells) => wordRow(cells)).join('')}</w:tbl>`

const openCell = (text: string): string => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
const openRow = (cells: readonly string[]): string =>
  `<table:table-row>${cells.map(openCell).join('')}</table:table-row>`
const openTable = (header: string): string =>
  `<table:table table:name="T">${header}${rows.map(openRow).join('')}</table:table>`
const openDocument = (kind: string, element: string, body: string): Buffer =>
  typedPackage(`application/vnd.oasis.opendocument.${kind}`, {
    'content.xml': `<office:document-content><office:body><office:${element}>${body}</office:${element}></office:body></office:document-content>`,
  })

const sheetRow = (cells: readonly string[]): string =>
  `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`
const workbook = (titles: readonly (readonly string[])[]): Buffer =>
  officePackage('xlsx', {
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationships({ rId1: ['worksheet', 'worksheets/sheet1.xml'] }),
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${[...titles, ...rows].map(sheetRow).join('')}</sheetData></worksheet>`,
  })

const names = ['Article', 'Price']
const htmlRow = (cells: readonly string[], tag: 'td' | 'th'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
const htmlRows = rows.map((cells) => htmlRow(cells, 'td')).join('')
const rtfRow = (cells: readonly string[], word = ''): string =>
  `\\trowd${word}\\cellx1000\\cellx2000\\pard\\intbl ${cells.join('\\cell ')}\\cell\\row\n`
const slideRow = (cells: readonly string[]): string =>
  `<a:tr>${cells.map((cell) => `<a:tc><a:txBody><a:p><a:r><a:t>${cell}</a:t></a:r></a:p></a:txBody></a:tc>`).join('')}</a:tr>`

test.each<[string, Uint8Array | string, string, string]>([
  [
    'Markdown',
    `| Article | Price |\n|---|---|\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`,
    'table.md',
    '| Article | Price |\n|---|---|',
  ],
  [
    'Markdown without outer bars',
    `Article | Price\n--- | ---:\n${rows.map((cells) => cells.join(' | ')).join('\n')}\n`,
    'table.md',
    'Article | Price\n--- | ---:',
  ],
  ['HTML', `<html><table>${htmlRow(names, 'td')}${htmlRows}</table>`, 'a.html', 'Article | Price'],
  [
    'HTML with two header rows',
    `<html><table><thead><tr><th colspan="2">Spring</th></tr>${htmlRow(names, 'th')}</thead><tbody>${htmlRows}</tbody></table>`,
    'a.html',
    'Spring\nArticle | Price',
  ],
  ['DOCX', wordDocument(wordTable(wordRow(names))), 'a.docx', 'Article | Price'],
  [
    'DOCX with two header rows',
    wordDocument(wordTable(wordRow(['Spring', ''], '<w:tblHeader/>') + wordRow(names, '<w:tblHeader/>'))),
    'a.docx',
    'Spring\nArticle | Price',
  ],
  ['ODT', openDocument('text', 'text', openTable(openRow(names))), 'a.odt', 'Article | Price'],
  [
    'ODT with two header rows',
    openDocument(
      'text',
      'text',
      openTable(`<table:table-header-rows>${openRow(['Spring'])}${openRow(names)}</table:table-header-rows>`),
    ),
    'a.odt',
    'Spring\nArticle | Price',
  ],
  ['ODS', openDocument('spreadsheet', 'spreadsheet', openTable(openRow(names))), 'a.ods', 'Article | Price'],
  ['XLSX', workbook([names]), 'a.xlsx', 'Article | Price'],
  ['XLSX with titles above', workbook([['Price list'], ['Spring'], names]), 'a.xlsx', 'Article | Price'],
  ['CSV', `Article,Price\n${rows.map((cells) => cells.join(',')).join('\n')}\n`, 'a.csv', 'Article | Price'],
  [
    'RTF',
    `{\\rtf1\\ansi ${rtfRow(names, '\\trhdr')}${rows.map((cells) => rtfRow(cells)).join('')}\\pard End\\par}`,
    'a.rtf',
    'Article | Price',
  ],
  [
    'PPTX',
    officePackage('pptx', {
      'ppt/presentation.xml':
        '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relationships({ rId1: ['slide', 'slides/slide1.xml'] }),
      'ppt/slides/slide1.xml': `<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>Prices</a:t></a:r></a:p></p:txBody></p:sp><p:graphicFrame><a:tbl>${slideRow(names)}${rows.map(slideRow).join('')}</a:tbl></p:graphicFrame></p:spTree></p:cSld></p:sld>`,
    }),
    'a.pptx',
    'Article | Price',
  ],
])('each part of a table of %s has its header row (issue 11, 1.5)', async (_, bytes, fileName, header) => {
  expect(await repeatedOf(bytes, fileName)).toEqual([header])
})

const second = numbers.map((index) => [`town ${index}`, `${index} EUR`] as const)
test.each<[string, Uint8Array | string, string, readonly [string, string]]>([
  [
    'Markdown',
    [names, ['Town', 'Rent']]
      .map((header, index) => [header, ['-', '-'], ...(index === 0 ? rows : second)])
      .map((table) => table.map((cells) => `| ${cells.join(' | ')} |`).join('\n'))
      .join('\n\n'),
    'a.md',
    ['| Article | Price |\n| - | - |', '| Town | Rent |\n| - | - |'],
  ],
  [
    'HTML',
    `<html><table>${htmlRow(names, 'td')}${htmlRows}</table><table>${htmlRow(['Town', 'Rent'], 'td')}${second.map((cells) => htmlRow(cells, 'td')).join('')}</table>`,
    'a.html',
    ['Article | Price', 'Town | Rent'],
  ],
  [
    'DOCX',
    wordDocument(
      `${wordTable(wordRow(names))}<w:p/><w:tbl>${wordRow(['Town', 'Rent'])}${second.map((cells) => wordRow(cells)).join('')}</w:tbl>`,
    ),
    'a.docx',
    ['Article | Price', 'Town | Rent'],
  ],
  [
    'ODT',
    openDocument(
      'text',
      'text',
      `${openTable(openRow(names))}<text:p/><table:table>${openRow(['Town', 'Rent'])}${second.map(openRow).join('')}</table:table>`,
    ),
    'a.odt',
    ['Article | Price', 'Town | Rent'],
  ],
  [
    'RTF',
    `{\\rtf1\\ansi ${rtfRow(names)}${rows.map((cells) => rtfRow(cells)).join('')}\\pard\\par ${rtfRow(['Town', 'Rent'])}${second.map((cells) => rtfRow(cells)).join('')}\\pard End\\par}`,
    'a.rtf',
    ['Article | Price', 'Town | Rent'],
  ],
])(
  'of two tables in a row in %s each part has the header of its own (issue 11, 1.5)',
  async (_, bytes, name, headers) => {
    expect(await repeatedOf(bytes, name)).toEqual(headers)
  },
)

test('a comment between two rows does not end the table (issue 11, 1.5)', async () => {
  const comment = '<office:annotation><dc:creator>Ann</dc:creator><text:p>Too high</text:p></office:annotation>'
  const commented = openRow(['article x', `${comment}9 EUR`])
  const bytes = openDocument('text', 'text', openTable(openRow(names) + commented))
  expect(await repeatedOf(bytes)).toEqual(['Article | Price'])
})
