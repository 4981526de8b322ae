import { describe, expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'
import { epubBook, officePackage, relationships, typedPackage, wordDocument, wordParagraph } from './write-office.ts'
import { writeZip } from './write-zip.ts'

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const ofWord = { mediaType: docx, title: 'Handbook', language: 'en' }
const run = (text: string, properties = ''): string => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`
const cell = (...paragraphs: readonly string[]): string =>
  `<w:tc>${paragraphs.map((text) => wordParagraph(text)).join('')}</w:tc>`

describe('a Word document', () => {
  test('headings by name of the style, by inheritance and by the outline level of the paragraph', async () => {
    const body =
      wordParagraph('One', '1') +
      wordParagraph('Two', 'Sub') +
      `<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr>${run('Three')}</w:p>${wordParagraph('Text', 'Unknown')}`
    expect(await readBytes(wordDocument(body))).toEqual({
      ...ofWord,
      blocks: ['heading1 One', 'heading2 Two', 'heading3 Three', 'paragraph Text'],
    })
  })

  test('hidden text is left out and flagged; deleted and moved text is left out', async () => {
    const body = `<w:p>${run('Seen ')}${run('hidden', '<w:vanish/>')}${run('shown', '<w:vanish w:val="0"/>')}<w:del>${run('gone')}</w:del><w:ins>${run(' added')}</w:ins></w:p>`
    expect(await readBytes(wordDocument(body))).toEqual({
      ...ofWord,
      flags: { 'hidden-text': 1 },
      blocks: ['paragraph Seen shown added'],
    })
  })

  test('a footnote follows its paragraph', async () => {
    const body = `<w:p>${run('Prices')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>${wordParagraph('Next')}`
    expect(await readBytes(wordDocument(body))).toEqual({
      ...ofWord,
      blocks: ['paragraph Prices', 'note As of May.', 'paragraph Next'],
    })
  })

  test('pages as Word laid them out; a break of the author and its rendering are one', async () => {
    const body = `${wordParagraph('a')}<w:p><w:r><w:br w:type="page"/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t>b</w:t></w:r></w:p><w:p>${run('c')}<w:r><w:lastRenderedPageBreak/></w:r>${run('d')}</w:p>`
    expect(await readBytes(wordDocument(body))).toEqual({
      ...ofWord,
      pages: 3,
      blocks: ['1 paragraph a', '2 paragraph b', '2-3 paragraph cd'],
    })
  })

  test('tables by rows; a row of one cell is its paragraphs; a table in a cell is part of the row', async () => {
    const inner = `<w:tbl><w:tr>${cell('x')}${cell('y')}</w:tr></w:tbl>`
    const body = `<w:tbl><w:tr>${cell('a', 'b')}${cell('c')}</w:tr><w:tr>${cell('frame', 'text')}</w:tr><w:tr><w:tc>${inner}</w:tc>${cell('z')}</w:tr></w:tbl>`
    expect(await readBytes(wordDocument(body))).toEqual({
      ...ofWord,
      blocks: ['table-row a b | c', 'paragraph frame', 'paragraph text', 'table-row x | y | z'],
    })
  })

  test('lists, tabs, line breaks and symbols; a drawing in two forms is read once', async () => {
    const body =
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr>${run('item')}</w:p>` +
      `<w:p>${run('a')}<w:r><w:tab/></w:r>${run('b')}<w:r><w:br/></w:r>${run('c')}<w:r><w:noBreakHyphen/></w:r><w:r><w:sym w:char="F0B7"/></w:r></w:p>` +
      `<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>${wordParagraph('box')}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>${wordParagraph('box')}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`
    expect(await readBytes(wordDocument(body))).toEqual({
      ...ofWord,
      blocks: ['list-item item', 'paragraph a\tb\nc‑•', 'paragraph box'],
    })
  })

  test('without its main part it is damaged', async () => {
    expect(await readBytes(officePackage('docx', { 'word/other.xml': '<x/>' }))).toEqual({
      kind: 'unreadable-document',
      stage: 'open',
      cause: 'damaged',
      detail: 'the package has no document part',
    })
  })
})

const sheet = (rows: string): string =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`

function workbook(rows: string, more = ''): Buffer {
  return officePackage('xlsx', {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/>${more}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships({
      rId1: ['worksheet', '/xl/worksheets/sheet1.xml'],
      rId2: ['sharedStrings', 'sharedStrings.xml'],
      rId3: ['styles', 'styles.xml'],
      rId4: ['worksheet', 'worksheets/sheet1.xml'],
    }),
    'xl/worksheets/sheet1.xml': sheet(rows),
    'xl/sharedStrings.xml':
      '<sst><si><t>Name</t></si><si><r><t>Fi</t></r><r><t>rst</t></r><rPh><t>phonetic</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="10"/><xf numFmtId="20"/></cellXfs></styleSheet>',
  })
}
const ofExcel = { mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }

describe('an Excel workbook', () => {
  test('shared, formatted, inline and computed cells; dates, times and shares as they are shown', async () => {
    const rows =
      '<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>When</t></is></c><c r="C1" t="str"><f>"x"</f><v>Share</v></c></row>' +
      '<row><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>45000</v></c><c r="C2" s="3"><v>0.1234</v></c></row>' +
      '<row><c r="A3"><v>0.30000000000000004</v></c><c r="B3" s="2"><v>45000.5</v></c><c r="C3" s="4"><v>0.75</v></c></row>' +
      '<row><c r="A4" t="b"><v>1</v></c><c r="C4" t="e"><v>#N/A</v></c></row>'
    expect(await readBytes(workbook(rows))).toEqual({
      ...ofExcel,
      pages: 1,
      blocks: [
        '1 sheet1 Data',
        '1 table-row Name | When | Share',
        '1 table-row Name: First | When: 2023-03-15 | Share: 12.34%',
        '1 table-row Name: 0.3 | When: 2023-03-15 12:00:00 | Share: 18:00:00',
        '1 table-row Name: TRUE | Share: #N/A',
      ],
    })
  })

  test('characters that XML does not have are no escapes in the text', async () => {
    const rows =
      '<row><c t="inlineStr"><is><t>one_x000D_ two _x005F_x0041_</t></is></c><c t="str"><v>a_x0009_b</v></c></row>'
    expect(await readBytes(workbook(rows))).toEqual({
      ...ofExcel,
      pages: 1,
      blocks: ['1 sheet1 Data', '1 table-row one two _x0041_ | a\tb'],
    })
  })

  test('hidden sheets are left out and flagged; sheets keep their number', async () => {
    const more =
      '<sheet name="Secret" sheetId="2" state="hidden" r:id="rId4"/><sheet name="Last" sheetId="3" r:id="rId4"/>'
    expect(await readBytes(workbook('<row><c><v>1</v></c><c><v>2</v></c></row>', more))).toEqual({
      ...ofExcel,
      pages: 3,
      flags: { 'hidden-text': 1 },
      blocks: ['1 sheet1 Data', '1 table-row 1 | 2', '3 sheet1 Last', '3 table-row 1 | 2'],
    })
  })
})

const shape = (text: string, placeholder = '', hidden = ''): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="s" ${hidden}/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
const slide = (shapes: string, attributes = ''): string =>
  `<p:sld xmlns:p="p" xmlns:a="a" ${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`

test('a PowerPoint presentation: slides in order of showing, title first, tables by rows, nothing that is hidden', async () => {
  const table =
    '<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>'
  const bytes = officePackage('pptx', {
    'ppt/presentation.xml':
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/><p:sldId id="258" r:id="rId3"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationships({
      rId1: ['slide', 'slides/slide1.xml'],
      rId2: ['slide', 'slides/slide2.xml'],
      rId3: ['slide', 'slides/slide3.xml'],
    }),
    'ppt/slides/slide1.xml': slide(shape('secret'), 'show="0"'),
    'ppt/slides/slide2.xml': slide(
      shape('point', '<p:ph idx="1"/>') +
        table +
        shape('unseen', '', 'hidden="1"') +
        shape('7', '<p:ph type="sldNum"/>') +
        shape('Title', '<p:ph type="ctrTitle"/>'),
    ),
    'ppt/slides/slide3.xml': slide(shape('First line') + shape('Second line')),
    'ppt/slides/_rels/slide2.xml.rels': relationships({ rId1: ['notesSlide', '../notesSlides/notes1.xml'] }),
    'ppt/notesSlides/notes1.xml': slide(shape('say this', '<p:ph type="body"/>') + shape('7', '<p:ph type="sldNum"/>')),
  })
  expect(await readBytes(bytes)).toEqual({
    mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    title: 'Title',
    pages: 3,
    flags: { 'hidden-text': 2 },
    blocks: [
      '1 slide1 Title',
      '1 list-item point',
      '1 table-row a | b',
      '1 note say this',
      '3 slide1 First line',
      '3 paragraph Second line',
    ],
  })
})

const openDocument = (kind: string, body: string, styles = ''): Buffer =>
  typedPackage(`application/vnd.oasis.opendocument.${kind}`, {
    'content.xml': `<office:document-content xmlns:office="o"><office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
    'meta.xml':
      '<office:document-meta><office:meta><dc:title>Doc</dc:title><dc:language>ru-RU</dc:language></office:meta></office:document-meta>',
  })
const ofOdt = { mediaType: 'application/vnd.oasis.opendocument.text', title: 'Doc', language: 'ru' }

describe('OpenDocument', () => {
  test('a text: spaces as the format counts them, notes, pages, comments, nothing hidden or deleted', async () => {
    const body = `<office:text><text:tracked-changes><text:deletion><text:p>gone</text:p></text:deletion></text:tracked-changes>
      <text:h text:outline-level="2">Part</text:h>
      <text:p>one<text:s text:c="2"/>two
        three<text:tab/><text:span text:style-name="H">hidden</text:span><office:annotation><text:p>comment</text:p></office:annotation><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>note</text:p></text:note-body></text:note></text:p>
      <text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>
      <text:p><text:soft-page-break/>next</text:p></office:text>`
    const styles = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
    expect(await readBytes(openDocument('text', body, styles))).toEqual({
      ...ofOdt,
      pages: 2,
      flags: { 'hidden-text': 1 },
      blocks: [
        '1 heading2 Part',
        '1 paragraph one  two three',
        '1 note Comment: comment',
        '1 note note',
        '1 list-item item',
        '2 paragraph next',
      ],
    })
  })

  test('a spreadsheet: repeated cells, rows to the edge, hidden sheets', async () => {
    const row =
      '<table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
    const body = `<office:spreadsheet><table:table table:name="A">${row}<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table><table:table table:name="B" table:style-name="S">${row}</table:table></office:spreadsheet>`
    const styles = '<style:style style:name="S"><style:table-properties table:display="false"/></style:style>'
    expect(await readBytes(openDocument('spreadsheet', body, styles))).toEqual({
      ...ofOdt,
      mediaType: 'application/vnd.oasis.opendocument.spreadsheet',
      pages: 2,
      flags: { 'hidden-text': 1 },
      blocks: ['1 sheet1 A', '1 table-row x | x'],
    })
  })

  test('with a password it is rejected as such', async () => {
    const bytes = typedPackage('application/vnd.oasis.opendocument.text', {
      'META-INF/manifest.xml':
        '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
      'content.xml': 'scrambled',
    })
    expect(await readBytes(bytes)).toMatchObject({ cause: 'encrypted' })
  })
})

describe('a book', () => {
  test('its chapters in reading order, with headings, without the table of contents', async () => {
    expect(await readBytes(epubBook(['<h1>Глава&#160;1</h1><p>Текст.</p>', '<h1>Two</h1><p>More</p>']))).toEqual({
      mediaType: 'application/epub+zip',
      title: 'The Book',
      language: 'ru',
      blocks: ['heading1 Глава\u00a01', 'paragraph Текст.', 'heading1 Two', 'paragraph More'],
    })
  })

  test('under rights management it is rejected; scrambled fonts are none of our business', async () => {
    const encryption = (algorithm: string): string =>
      `<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/></enc:EncryptedData></encryption>`
    expect(
      await readBytes(epubBook(['<p>x</p>'], encryption('http://www.w3.org/2001/04/xmlenc#aes128-cbc'))),
    ).toMatchObject({ cause: 'encrypted' })
    expect(await readBytes(epubBook(['<p>x</p>'], encryption('http://www.idpf.org/2008/embedding')))).toMatchObject({
      blocks: ['paragraph x'],
    })
  })
})

describe('an archive', () => {
  test('of no format that we read is rejected by name', async () => {
    expect(await readBytes(writeZip([{ name: 'a.txt', content: 'x' }]), 'a.docx')).toMatchObject({
      kind: 'unsupported-media-type',
      found: 'a ZIP archive',
    })
  })

  test('whose entries have a password is rejected as such', async () => {
    const locked = { name: 'word/document.xml', content: 'x', isEncrypted: true }
    expect(await readBytes(officePackage('docx', {}, [locked]))).toMatchObject({
      kind: 'unreadable-document',
      cause: 'encrypted',
    })
  })

  test('an office document with a password is an envelope of another format, and rejected as encrypted', async () => {
    const envelope = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1_000),
      Buffer.from('EncryptedPackage', 'utf16le'),
      Buffer.alloc(500),
    ])
    expect(await readBytes(envelope, 'x.docx')).toMatchObject({ kind: 'unreadable-document', cause: 'encrypted' })
  })
})
