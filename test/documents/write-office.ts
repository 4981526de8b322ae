import { writeZip, type ZipEntry } from './write-zip.ts'

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const main = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
} as const
const mainNames = { docx: 'word/document.xml', pptx: 'ppt/presentation.xml', xlsx: 'xl/workbook.xml' } as const
const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export type OfficeKind = keyof typeof main

/** An Office Open XML package: the parts given, with the list of types and the link to the main part. */
export function officePackage(
  kind: OfficeKind,
  parts: Readonly<Record<string, string>>,
  more: readonly ZipEntry[] = [],
): Buffer {
  return writeZip([
    {
      name: '[Content_Types].xml',
      content: `${xml}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${mainNames[kind]}" ContentType="${main[kind]}"/></Types>`,
    },
    { name: '_rels/.rels', content: relationships({ rId1: ['officeDocument', mainNames[kind]] }) },
    ...Object.entries(parts).map(([name, content]) => ({ name, content })),
    ...more,
  ])
}

export function relationships(links: Readonly<Record<string, readonly [type: string, target: string]>>): string {
  const list = Object.entries(links).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${types}/${type}" Target="${target}"/>`,
  )
  return `${xml}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`
}

const w =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'

/** A Word document around the given paragraphs, with styles, footnote 2 and a title. */
export function wordDocument(body: string, more: readonly ZipEntry[] = []): Buffer {
  return officePackage(
    'docx',
    {
      'word/document.xml': `${xml}<w:document ${w}><w:body>${body}</w:body></w:document>`,
      'word/_rels/document.xml.rels': relationships({
        rId1: ['styles', 'styles.xml'],
        rId2: ['footnotes', 'footnotes.xml'],
      }),
      'word/styles.xml': `${xml}<w:styles ${w}><w:style w:styleId="1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Sub"><w:name w:val="Own"/><w:basedOn w:val="Sub0"/></w:style><w:style w:styleId="Sub0"><w:name w:val="Own base"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`,
      'word/footnotes.xml': `${xml}<w:footnotes ${w}><w:footnote w:id="2"><w:p><w:r><w:t>As of May.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
      'docProps/core.xml': `${xml}<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Handbook</dc:title><dc:language>en-GB</dc:language></cp:coreProperties>`,
    },
    more,
  )
}

export const wordParagraph = (text: string, style?: string): string =>
  `<w:p>${style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

/** An OpenDocument or EPUB package: its type first and stored, as both formats ask. */
export function typedPackage(mediaType: string, parts: Readonly<Record<string, string>>): Buffer {
  return writeZip([
    { name: 'mimetype', content: mediaType, isStored: true },
    ...Object.entries(parts).map(([name, content]) => ({ name, content })),
  ])
}

export function epubBook(chapters: readonly string[], encryption?: string): Buffer {
  const items = chapters
    .map((_, index) => `<item id="c${index}" href="text/c%20${index}.xhtml" media-type="application/xhtml+xml"/>`)
    .join('')
  const spine = chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('')
  return typedPackage('application/epub+zip', {
    'META-INF/container.xml': `${xml}<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    ...(encryption === undefined ? {} : { 'META-INF/encryption.xml': encryption }),
    'OEBPS/book.opf': `${xml}<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Book</dc:title><dc:language>ru</dc:language></metadata><manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>${items}</manifest><spine><itemref idref="nav"/>${spine}</spine></package>`,
    'OEBPS/nav.xhtml': '<html><body><nav>Contents</nav></body></html>',
    ...Object.fromEntries(
      chapters.map((chapter, index) => [
        `OEBPS/text/c ${index}.xhtml`,
        `${xml}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${chapter}</body></html>`,
      ]),
    ),
  })
}
