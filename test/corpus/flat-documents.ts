/** Flat OpenDocument files, which LibreOffice converts into everything else. */
const names =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'

const flat = (kind: string, styles: string, body: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><office:document ${names} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}">${styles}<office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const sentences = (text: string): readonly string[] => text.split(/(?<=[.。])\s*/).filter((part) => part !== '')
const paragraph = (text: string): string => `<text:p>${escaped(text)}</text:p>`
const cell = (content: string, attributes = ''): string =>
  `<table:table-cell ${attributes}>${content}</table:table-cell>`
const row = (...cells: readonly string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`

/** A text with headings, paragraphs, a list, a table, a footnote, a page header and a page footer. */
export function flatText(text: string): string {
  const parts = sentences(text)
  const [first = '', second = '', ...rest] = parts
  const styles = `<office:automatic-styles><style:page-layout style:name="P"><style:header-style/><style:footer-style/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="Standard" style:page-layout-name="P"><style:header>${paragraph(`Header ${first.slice(0, 30)}`)}</style:header><style:footer>${paragraph('Footer 2026')}</style:footer></style:master-page></office:master-styles>`
  const list = parts.map((part) => `<text:list-item>${paragraph(part)}</text:list-item>`).join('')
  const table = parts.map((part, index) => row(cell(paragraph(String(index + 1))), cell(paragraph(part)))).join('')
  return flat(
    'text',
    styles,
    `<text:h text:outline-level="1">${escaped(first)}</text:h><text:p>${escaped(text)}<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>${paragraph(second)}</text:note-body></text:note></text:p><text:h text:outline-level="2">${escaped(second)}</text:h><text:list>${list}</text:list><table:table table:name="T"><table:table-column table:number-columns-repeated="2"/>${table}</table:table>${rest.map(paragraph).join('')}`,
  )
}

/** Two sheets: sentences, and numbers of several formats. */
export function flatSpreadsheet(text: string): string {
  const styles =
    '<office:automatic-styles><number:percentage-style style:name="N1"><number:number number:decimal-places="1" number:min-decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style><number:date-style style:name="N2"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style><number:number-style style:name="N3"><number:number number:decimal-places="2" number:min-decimal-places="2" number:min-integer-digits="1"/></number:number-style><style:style style:name="c1" style:family="table-cell" style:data-style-name="N1"/><style:style style:name="c2" style:family="table-cell" style:data-style-name="N2"/><style:style style:name="c3" style:family="table-cell" style:data-style-name="N3"/></office:automatic-styles>'
  const rows = sentences(text).map((part, index) =>
    row(
      cell(paragraph(part), 'office:value-type="string"'),
      cell('', `table:style-name="c1" office:value-type="percentage" office:value="0.${index + 1}25"`),
      cell('', `table:style-name="c2" office:value-type="date" office:date-value="2026-03-${String(index + 10)}"`),
      cell('', `table:style-name="c3" office:value-type="float" office:value="${index * 7 + 0.5}"`),
    ),
  )
  return flat(
    'spreadsheet',
    styles,
    `<table:table table:name="One">${rows.join('')}</table:table><table:table table:name="Two">${row(cell(paragraph(text), 'office:value-type="string"'))}</table:table>`,
  )
}

/** A slide for each three sentences. */
export function flatPresentation(text: string): string {
  const parts = sentences(text)
  const slides = parts.flatMap((part, index) => (index % 3 === 0 ? [[part, ...parts.slice(index + 1, index + 3)]] : []))
  const box = (y: number, content: string): string =>
    `<draw:frame svg:x="2cm" svg:y="${y}cm" svg:width="24cm" svg:height="3cm"><draw:text-box>${content}</draw:text-box></draw:frame>`
  const pages = slides.map(
    ([title = '', ...rest], index) =>
      `<draw:page draw:name="s${index}" draw:master-page-name="M">${box(1, paragraph(title))}${box(6, rest.map(paragraph).join(''))}</draw:page>`,
  )
  return flat(
    'presentation',
    '<office:automatic-styles><style:page-layout style:name="P"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="M" style:page-layout-name="P"/></office:master-styles>',
    pages.join(''),
  )
}
