import { describe, expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'
import { officePackage, relationships, typedPackage, wordDocument, wordParagraph } from './write-office.ts'

/** The blocks of a file, and nothing else of it. */
async function blocksOf(bytes: Uint8Array | string, fileName?: string): Promise<unknown> {
  const read = (await readBytes(bytes, fileName)) as { blocks?: unknown }
  return read.blocks ?? read
}

const chart =
  '<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales by </a:t></a:r><a:r><a:t>region</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>A!$B$1</c:f><c:strCache><c:pt idx="0"><c:v>2026</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:f>A!$A$2</c:f><c:strCache><c:ptCount val="2"/><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>A!$B$2</c:f><c:numCache><c:pt idx="0"><c:v>17</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>'
const ofChart = ['paragraph Sales by region', 'paragraph 2026', 'paragraph North | South']

const shape = (text: string, placeholder = ''): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
const slide = (shapes: string): string => `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`

const points = (...values: readonly (number | string)[]): string =>
  values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')

test('charts: categories of several levels, categories that are numbers, and values that labels display (issue 11, 1.4)', async () => {
  const numbers = (format: string, ...values: readonly number[]): string =>
    `<c:numRef><c:f>A!$B$2</c:f><c:numCache><c:formatCode>${format}</c:formatCode><c:ptCount val="9"/>${points(...values)}</c:numCache></c:numRef>`
  const levels = `<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${points('Glasgow', 'London')}</c:lvl><c:lvl>${points('Scotland', 'England')}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat>`
  const years = `<c:cat>${numbers('General', 2025, 2026)}</c:cat>`
  const days = `<c:cat>${numbers('yyyy\\-mm\\-dd', 45_658)}</c:cat>`
  const labels = '<c:dLbls><c:showVal val="1"/></c:dLbls>'
  const noLabels = '<c:dLbls><c:showVal val="0"/></c:dLbls>'
  const plots = [
    `<c:barChart><c:ser>${noLabels}${levels}<c:val>${numbers('General', 11, 12)}</c:val></c:ser>`,
    `<c:ser>${labels}${years}<c:val>${numbers('0.0%', 0.25, 0.5)}</c:val></c:ser></c:barChart>`,
    `<c:lineChart><c:ser>${days}<c:val>${numbers('#,##0', 1_300)}</c:val></c:ser>${labels}</c:lineChart>`,
    `<c:scatterChart><c:ser><c:xVal>${numbers('General', 21)}</c:xVal><c:yVal>${numbers('General', 22)}</c:yVal></c:ser></c:scatterChart>`,
  ]
  const part = `<c:chartSpace><c:chart><c:plotArea>${plots.join('')}</c:plotArea></c:chart></c:chartSpace>`
  const bytes = officePackage('docx', {
    'word/document.xml':
      '<w:document><w:body><w:p><w:r><w:drawing><c:chart r:id="rId9"/></w:drawing></w:r></w:p></w:body></w:document>',
    'word/_rels/document.xml.rels': relationships({ rId9: ['chart', 'charts/chart1.xml'] }),
    'word/charts/chart1.xml': part,
  })
  expect(await blocksOf(bytes)).toEqual([
    'paragraph Glasgow | London',
    'paragraph Scotland | England',
    'paragraph 2025 | 2026',
    'paragraph 25.0% | 50.0%',
    'paragraph 2025-01-01',
    'paragraph 1,300',
  ])
})

describe('a PowerPoint presentation, beside its slides (issue 11, 1.4)', () => {
  const presentation = (
    slides: readonly string[],
    links: Parameters<typeof relationships>[0],
    parts: Readonly<Record<string, string>>,
  ): Buffer =>
    officePackage('pptx', {
      'ppt/presentation.xml': `<p:presentation xmlns:r="r"><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index}"/>`).join('')}</p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relationships({
        ...Object.fromEntries(
          slides.map((_, index) => [`rId${index}`, ['slide', `slides/slide${index}.xml`] as const]),
        ),
        rId90: ['commentAuthors', 'commentAuthors.xml'],
        rId91: ['authors', 'authors.xml'],
      }),
      ...Object.fromEntries(slides.map((content, index) => [`ppt/slides/slide${index}.xml`, content])),
      'ppt/slides/_rels/slide0.xml.rels': relationships(links),
      ...parts,
    })

  test('titles and names of its charts', async () => {
    const bytes = presentation(
      [slide(shape('Results', '<p:ph type="title"/>'))],
      { rId1: ['chart', '../charts/chart1.xml'] },
      { 'ppt/charts/chart1.xml': chart },
    )
    expect(await blocksOf(bytes)).toEqual(['1 slide1 Results', ...ofChart.map((block) => `1 ${block}`)])
  })

  test('each footer once, behind the slides, without dates and numbers', async () => {
    const footers = `${shape('Acme, confidential', '<p:ph type="ftr" idx="11"/>')}${shape('7', '<p:ph type="sldNum"/>')}${shape('1.1.', '<p:ph type="dt"/>')}`
    const bytes = presentation([slide(shape('One') + footers), slide(shape('Two') + footers)], {}, {})
    expect(await blocksOf(bytes)).toEqual(['1 slide1 One', '2 slide1 Two', '2 note Acme, confidential'])
  })

  test('what a layout and its master show on every slide, and not what they ask for', async () => {
    const bytes = presentation(
      [slide(shape('One'))],
      { rId1: ['slideLayout', '../slideLayouts/slideLayout1.xml'] },
      {
        'ppt/slideLayouts/slideLayout1.xml': slide(shape('Click to edit', '<p:ph type="title"/>') + shape('Draft')),
        'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationships({
          rId1: ['slideMaster', '../slideMasters/slideMaster1.xml'],
        }),
        'ppt/slideMasters/slideMaster1.xml': slide(shape('Click here', '<p:ph type="body"/>') + shape('Acme Inc.')),
      },
    )
    expect(await blocksOf(bytes)).toEqual(['1 slide1 One', '1 note Draft', '1 note Acme Inc.'])
  })

  test('comments, with their authors and replies', async () => {
    const bytes = presentation(
      [slide(shape('One'))],
      { rId1: ['comments', '../comments/comment1.xml'], rId2: ['comments', '../comments/modern.xml'] },
      {
        'ppt/commentAuthors.xml': '<p:cmAuthorLst><p:cmAuthor id="0" name="Ann Lee" initials="AL"/></p:cmAuthorLst>',
        'ppt/authors.xml': '<p188:authorLst><p188:author id="{B}" name="Bob"/></p188:authorLst>',
        'ppt/comments/comment1.xml':
          '<p:cmLst><p:cm authorId="0"><p:pos x="1" y="1"/><p:text>Too long</p:text></p:cm></p:cmLst>',
        'ppt/comments/modern.xml':
          '<p188:cmLst><p188:cm authorId="{B}"><p188:replyLst><p188:reply authorId="0"><p188:txBody><a:p><a:r><a:t>Why?</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>Wrong year</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>',
      },
    )
    expect(await blocksOf(bytes)).toEqual([
      '1 slide1 One',
      '1 note Comment (Ann Lee): Too long',
      '1 note Comment (Bob): Wrong year',
      '1 note Comment (Ann Lee): Why?',
    ])
  })
})

describe('an Excel workbook, beside its cells (issue 11, 1.4)', () => {
  const cell = (at: string, text: string): string => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`
  const sheet = `<worksheet><sheetData><row>${cell('A1', 'Article')}${cell('B1', 'Price')}</row><row>${cell('A2', 'Chair')}${cell('B2', '90')}</row><row>${cell('A3', 'Table')}${cell('B3', '200')}</row></sheetData><headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Acme &amp;&amp; Sons&amp;RPage &amp;P</oddHeader><oddFooter>&amp;CPage &amp;P of &amp;N</oddFooter></headerFooter></worksheet>`
  const workbook = (links: Parameters<typeof relationships>[0], parts: Readonly<Record<string, string>>): Buffer =>
    officePackage('xlsx', {
      'xl/workbook.xml':
        '<workbook xmlns:r="r"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relationships({
        rId1: ['worksheet', 'worksheets/sheet1.xml'],
        rId2: ['person', 'persons/person.xml'],
      }),
      'xl/worksheets/sheet1.xml': sheet,
      'xl/worksheets/_rels/sheet1.xml.rels': relationships(links),
      ...parts,
    })
  const table = [
    '1 sheet1 Data',
    '1 table-row Article | Price',
    '1 table-row Article: Chair | Price: 90',
    '1 table-row Article: Table | Price: 200',
  ]
  const furniture = '1 note Acme & Sons Page'

  test('comments follow the row of their cell; page headers are read once, those of numbers alone are not', async () => {
    const bytes = workbook(
      { rId1: ['comments', '../comments1.xml'] },
      {
        'xl/comments1.xml':
          '<comments><authors><author>Ann Lee</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Ann Lee:</t></r><r><t>\nToo high</t></r></text></comment><comment ref="D9" authorId="0"><text><t>Add more</t></text></comment></commentList></comments>',
      },
    )
    expect(await blocksOf(bytes)).toEqual([
      ...table.slice(0, 3),
      '1 note Comment (Ann Lee): Too high',
      ...table.slice(3),
      '1 note Comment (Ann Lee): Add more',
      furniture,
    ])
  })

  test('threads of comments are read once, with their people', async () => {
    const bytes = workbook(
      { rId1: ['comments', '../comments1.xml'], rId2: ['threadedComment', '../threadedComments/t1.xml'] },
      {
        'xl/comments1.xml':
          '<comments><authors><author>tc={1}</author></authors><commentList><comment ref="B3" authorId="0"><text><t>[Threaded comment] Your version …</t></text></comment></commentList></comments>',
        'xl/threadedComments/t1.xml':
          '<ThreadedComments><threadedComment ref="B3" personId="{P}" id="{1}"><text>Really?</text></threadedComment><threadedComment ref="B3" personId="{Q}" id="{2}" parentId="{1}"><text>Yes</text></threadedComment></ThreadedComments>',
        'xl/persons/person.xml':
          '<personList><person displayName="Ann" id="{P}"/><person displayName="Bob" id="{Q}"/></personList>',
      },
    )
    expect(await blocksOf(bytes)).toEqual([
      ...table,
      '1 note Comment (Ann): Really?',
      '1 note Comment (Bob): Yes',
      furniture,
    ])
  })

  test('text boxes and charts follow the sheet', async () => {
    const bytes = workbook(
      { rId1: ['drawing', '../drawings/drawing1.xml'] },
      {
        'xl/drawings/drawing1.xml':
          '<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Prices without tax</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>',
        'xl/drawings/_rels/drawing1.xml.rels': relationships({ rId1: ['chart', '../charts/chart1.xml'] }),
        'xl/charts/chart1.xml': chart,
      },
    )
    expect(await blocksOf(bytes)).toEqual([
      ...table,
      '1 paragraph Prices without tax',
      ...ofChart.map((block) => `1 ${block}`),
      furniture,
    ])
  })
})

test('charts of a Word document stand where they are shown (issue 11, 1.4)', async () => {
  const body = `${wordParagraph('Before')}<w:p><w:r><w:drawing><c:chart r:id="rId9"/></w:drawing></w:r></w:p>${wordParagraph('After')}`
  const links = relationships({ rId9: ['chart', 'charts/chart1.xml'] })
  const bytes = officePackage('docx', {
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': links,
    'word/charts/chart1.xml': chart,
  })
  expect(await blocksOf(bytes)).toEqual(['paragraph Before', ...ofChart, 'paragraph After'])
})

test('the reading of a word (ruby) stands in brackets beside it, in Word and OpenDocument texts (issue 11, 1.4)', async () => {
  const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`
  const ruby = `<w:r><w:ruby><w:rt>${run('とうきょう')}</w:rt><w:rubyBase>${run('東京')}</w:rubyBase></w:ruby></w:r>`
  expect(await blocksOf(wordDocument(`<w:p>${run('私は')}${ruby}${run('に住む')}</w:p>`))).toEqual([
    'paragraph 私は(とうきょう)東京に住む',
  ])
  const text =
    '私は<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>に住む'
  const content = `<office:document-content><text:p>${text}</text:p></office:document-content>`
  expect(await blocksOf(typedPackage('application/vnd.oasis.opendocument.text', { 'content.xml': content }))).toEqual([
    'paragraph 私は東京(とうきょう)に住む',
  ])
})

test('a text box of an old Word document is read where it stands (issue 11, 1.4)', async () => {
  const box = `<w:p><w:r><w:pict><v:shape><v:textbox><w:txbxContent>${wordParagraph('In a box')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`
  expect(await blocksOf(wordDocument(wordParagraph('Before') + box))).toEqual([
    'paragraph Before',
    'paragraph In a box',
  ])
})

test('comments and footnotes in a row of a Word table follow the row (issue 11, 1.4)', async () => {
  const withNote = '<w:p><w:r><w:t>Price</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
  const row = `<w:tr><w:tc>${withNote}</w:tc><w:tc>${wordParagraph('Town')}</w:tc></w:tr>`
  const other = `<w:tr><w:tc>${wordParagraph('9')}</w:tc><w:tc>${wordParagraph('Bonn')}</w:tc></w:tr>`
  expect(await blocksOf(wordDocument(`<w:tbl>${row}${other}</w:tbl>`))).toEqual([
    'table-row Price | Town',
    'note As of May.',
    'table-row 9 | Bonn',
  ])
})

describe('OpenDocument, beside its body (issue 11, 1.4)', () => {
  const openDocument = (kind: string, body: string, styles = ''): Buffer =>
    typedPackage(`application/vnd.oasis.opendocument.${kind}`, {
      'styles.xml': `<office:document-styles>${styles}</office:document-styles>`,
      'content.xml': `<office:document-content><office:body>${body}</office:body></office:document-content>`,
    })

  test('comments of a spreadsheet follow the row of their cell; text boxes are read', async () => {
    const cell = (text: string, more = ''): string =>
      `<table:table-cell>${more}<text:p>${text}</text:p></table:table-cell>`
    const comment =
      '<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026-01-01</dc:date><text:p>Too high</text:p></office:annotation>'
    const box =
      '<table:shapes><draw:frame><draw:text-box><text:p>Prices without tax</text:p></draw:text-box></draw:frame></table:shapes>'
    const body = `<office:spreadsheet><table:table table:name="A">${box}<table:table-row>${cell('Article')}${cell('Price')}</table:table-row><table:table-row>${cell('Chair')}${cell('90', comment)}</table:table-row></table:table></office:spreadsheet>`
    expect(await blocksOf(openDocument('spreadsheet', body))).toEqual([
      '1 sheet1 A',
      '1 paragraph Prices without tax',
      '1 table-row Article | Price',
      '1 table-row Article: Chair | Price: 90',
      '1 note Comment (Ann): Too high',
    ])
  })

  test('titles, series and categories of charts, where they are; formulas are none', async () => {
    const cell = (text: string, type: string): string =>
      `<table:table-cell office:value-type="${type}"><text:p>${text}</text:p></table:table-cell>`
    const row = (...cells: readonly string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`
    const local = `<table:table table:name="local-table">${row(cell('', 'string'), cell('Ships', 'string'))}${row(cell('May', 'string'), cell('12', 'float'))}${row(cell('June', 'string'), cell('14', 'float'))}</table:table>`
    const chart = `<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Arrivals</text:p></chart:title>${local}</chart:chart></office:chart></office:body></office:document-content>`
    const show = (object: string): string => `<draw:frame><draw:object xlink:href="./${object}"/></draw:frame>`
    const text = typedPackage('application/vnd.oasis.opendocument.text', {
      'content.xml': `<office:document-content><office:body><office:text><text:p>Before</text:p><text:p>${show('Object 1')}${show('Object 2')}</text:p><text:p>After</text:p></office:text></office:body></office:document-content>`,
      'Object 1/content.xml': chart,
      'Object 2/content.xml': '<math><mi>x</mi></math>',
    })
    const kept = ['Arrivals', 'Ships', 'May', 'June'].map((each) => `paragraph ${each}`)
    expect(await blocksOf(text)).toEqual(['paragraph Before', ...kept, 'paragraph After'])
  })

  test('a date that is typed in for all slides, and not the current one', async () => {
    const date = (name: string, source: string, text: string): string =>
      `<presentation:date-time-decl presentation:name="${name}" presentation:source="${source}">${text}</presentation:date-time-decl>`
    const page = '<draw:page><draw:frame><draw:text-box><text:p>One</text:p></draw:text-box></draw:frame></draw:page>'
    const body = `<office:presentation>${date('a', 'fixed', 'Spring 2024')}${date('b', 'current-date', '2026-01-01')}${page}</office:presentation>`
    expect(await blocksOf(openDocument('presentation', body))).toEqual(['1 slide1 One', '1 note Spring 2024'])
  })

  test('footers of slides and what their master shows, once', async () => {
    const frame = (text: string, role: string): string =>
      `<draw:frame ${role === '' ? '' : `presentation:class="${role}"`}><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
    const master = `<style:master-page>${frame('Click to edit', 'outline')}${frame('<presentation:footer/>', 'footer')}${frame('<text:page-number>1</text:page-number>', 'page-number')}${frame('Acme Inc.', '')}<presentation:notes>${frame('Notes', '')}</presentation:notes></style:master-page>`
    const page = (title: string): string =>
      `<draw:page presentation:use-footer-name="f">${frame(title, 'title')}</draw:page>`
    const body = `<office:presentation><presentation:footer-decl presentation:name="f">Confidential</presentation:footer-decl>${page('One')}${page('Two')}</office:presentation>`
    expect(await blocksOf(openDocument('presentation', body, master))).toEqual([
      '1 slide1 One',
      '2 slide1 Two',
      '2 note Acme Inc.',
      '2 note Confidential',
    ])
  })
})
