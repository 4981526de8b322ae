import { expect, test } from 'vitest'
import { chunkText } from '../../src/documents/chunk/chunk-text.ts'
import { extractBytes } from './read-bytes.ts'
import { typedPackage, wordDocument, wordParagraph } from './write-office.ts'
import { writePdf } from './write-pdf.ts'

/** `page-pageTo text` of each chunk, cut short. */
async function pagesOf(bytes: Uint8Array | string): Promise<readonly string[]> {
  const result = await extractBytes(bytes)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  const { text, blocks } = result.value
  return chunkText(text, blocks, { maxUnits: 120, overlapUnits: 0 }).map(
    ({ from, to, page, pageTo }) => `${page}-${pageTo} ${text.slice(from, to).trim().slice(0, 12)}`,
  )
}

const long = (text: string): string => `${text} ${'word '.repeat(15)}end.`
const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const rendered = '<w:r><w:lastRenderedPageBreak/></w:r>'

test('a paragraph of a Word document that goes on over a page says both pages (issue 11, 1.6)', async () => {
  const body = `${wordParagraph(long('First page'))}<w:p>${run(long('Goes on'))}${rendered}${run('here.')}</w:p>${wordParagraph(long('Second page'))}`
  expect(await pagesOf(wordDocument(body))).toEqual(['1-1 First page w', '1-2 Goes on word', '2-2 Second page '])
})

test('a row of a table that goes on over a page says both pages (issue 11, 1.6)', async () => {
  const cell = (content: string): string => `<w:tc><w:p>${content}</w:p></w:tc>`
  const row = (first: string): string => `<w:tr>${cell(run(first))}${cell(run('x'))}</w:tr>`
  const broken = `<w:tr>${cell(run(long('Goes on')))}${cell(`${rendered}${run('y')}`)}</w:tr>`
  const body = `${wordParagraph(long('Before'))}<w:tbl>${row(long('One'))}${broken}${row(long('Two'))}</w:tbl>`
  expect(await pagesOf(wordDocument(body))).toEqual([
    '1-1 Before word ',
    '1-1 One word wor',
    '1-2 Goes on word',
    '2-2 Two word wor',
  ])
})

test('pages of an OpenDocument text begin at its soft breaks and at styles that break (issue 11, 1.6)', async () => {
  const styles =
    '<style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style><style:style style:name="M" style:family="paragraph" style:master-page-name="Standard"/>'
  const body = `<text:p text:style-name="M">${long('First page')}</text:p><text:p>${long('Goes on')}<text:soft-page-break/>here.</text:p><text:p text:style-name="B">${long('Third page')}</text:p>`
  const bytes = typedPackage('application/vnd.oasis.opendocument.text', {
    'content.xml': `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
  })
  expect(await pagesOf(bytes)).toEqual(['1-1 First page w', '1-2 Goes on word', '3-3 Third page w'])
})

test('an OpenDocument text that was never laid out claims no pages (issue 11, 1.6)', async () => {
  const bytes = typedPackage('application/vnd.oasis.opendocument.text', {
    'content.xml':
      '<office:document-content><office:automatic-styles><style:style style:name="B"><style:paragraph-properties fo:break-before="page"/></style:style></office:automatic-styles><office:body><office:text><text:p>one</text:p><text:p text:style-name="B">two</text:p></office:text></office:body></office:document-content>',
  })
  expect(await pagesOf(bytes)).toEqual(['undefined-undefined one\n\ntwo'])
})

test('small pages of a PDF share a chunk that says where it begins and ends (issue 11, 1.6)', async () => {
  const page = (...texts: readonly string[]): readonly (readonly [number, number, number, string])[] =>
    texts.map((text, index) => [12, 72, 700 - 14 * index, text])
  const bytes = writePdf({
    pages: [page('One.'), page('Two.'), page(`Three ${'words '.repeat(11)}`, `and ${'words '.repeat(11)}end.`)],
  })
  expect(await pagesOf(bytes)).toEqual(['1-2 One.\n\nTwo.', '3-3 Three words ', '3-3 words words '])
})
