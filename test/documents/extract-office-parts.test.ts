import { describe, expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'
import { officePackage, relationships, typedPackage, wordParagraph } from './write-office.ts'

/** The blocks of a file, and nothing else of it. */
async function blocksOf(bytes: Uint8Array | string, fileName?: string): Promise<unknown> {
  const read = (await readBytes(bytes, fileName)) as { blocks?: unknown }
  return read.blocks ?? read
}

const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

/** A Word document with parts beside its body. */
function wordWith(body: string, parts: Readonly<Record<string, readonly [type: string, content: string]>>): Buffer {
  const links = Object.entries(parts).map(([name, [type]]) => [name.replace(/\W/g, ''), [type, name]] as const)
  return officePackage('docx', {
    'word/document.xml': `<w:document ${w} xmlns:r="r"><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relationships(Object.fromEntries(links)),
    ...Object.fromEntries(Object.entries(parts).map(([name, [, content]]) => [`word/${name}`, content])),
  })
}

describe('a Word document, beside its body (issue 11, office)', () => {
  test('each page header and footer is read once, behind the body', async () => {
    const header = (text: string): string => `<w:hdr ${w}>${wordParagraph(text)}</w:hdr>`
    const bytes = wordWith(wordParagraph('Body'), {
      'header1.xml': ['header', header('Acme contract 4711')],
      'header2.xml': ['header', header('Acme contract 4711')],
      'footer1.xml': ['footer', `<w:ftr ${w}>${wordParagraph('Confidential')}</w:ftr>`],
    })
    expect(await blocksOf(bytes)).toEqual(['paragraph Body', 'note Acme contract 4711', 'note Confidential'])
  })

  test('a comment follows its paragraph and says that it is one', async () => {
    const body = `<w:p><w:r><w:t>Price</w:t></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>${wordParagraph('Next')}`
    const bytes = wordWith(body, {
      'comments.xml': [
        'comments',
        `<w:comments ${w}><w:comment w:id="0" w:author="Ann Lee">${wordParagraph('Too high')}${wordParagraph('Ask again')}</w:comment></w:comments>`,
      ],
    })
    expect(await blocksOf(bytes)).toEqual([
      'paragraph Price',
      'note Comment (Ann Lee): Too high\nAsk again',
      'paragraph Next',
    ])
  })

  test('texts of other formats stand where they are inserted', async () => {
    const body = `${wordParagraph('Before')}<w:altChunk r:id="pagehtm"/><w:altChunk r:id="notesrtf"/><w:altChunk r:id="webmht"/>${wordParagraph('After')}`
    const bytes = wordWith(body, {
      'page.htm': ['aFChunk', '<html><body><h1>Inserted</h1><p>From a page</p></body></html>'],
      'notes.rtf': ['aFChunk', '{\\rtf1\\ansi From a text\\par}'],
      'web.mht': [
        'aFChunk',
        'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>From an archive</p>\r\n--b--\r\n',
      ],
    })
    expect(await blocksOf(bytes)).toEqual([
      'paragraph Before',
      'heading1 Inserted',
      'paragraph From a page',
      'paragraph From a text',
      'paragraph From an archive',
      'paragraph After',
    ])
  })

  test('list numbers are read as they are shown: levels, patterns, styles, restarts', async () => {
    const level = (index: number, format: string, pattern: string, more = ''): string =>
      `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${pattern}"/></w:lvl>`
    const numbering = `<w:numbering ${w}><w:abstractNum w:abstractNumId="7">${level(0, 'decimal', 'Clause %1', '<w:pStyle w:val="Article"/>')}${level(1, 'decimal', '%1.%2')}${level(2, 'lowerRoman', '(%3)')}</w:abstractNum><w:abstractNum w:abstractNumId="8">${level(0, 'bullet', '\uf0b7')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num></w:numbering>`
    const styles = `<w:styles ${w}><w:style w:styleId="Article"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>`
    const item = (text: string, list: number, ilvl: number): string =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${ilvl}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
    const body = [
      wordParagraph('Scope', 'Article'),
      wordParagraph('Payment', 'Article'),
      item('Due dates', 1, 1),
      item('Interest', 1, 1),
      item('first', 1, 2),
      item('second', 1, 2),
      item('a point', 2, 0),
      wordParagraph('Law', 'Article'),
      item('Courts', 1, 1),
      item('Restarted', 3, 0),
      item('Plain', 0, 0),
    ]
    const bytes = wordWith(body.join(''), {
      'numbering.xml': ['numbering', numbering],
      'styles.xml': ['styles', styles],
    })
    expect(await blocksOf(bytes)).toEqual([
      'heading1 Clause 1 Scope',
      'heading1 Clause 2 Payment',
      'list-item 2.1 Due dates',
      'list-item 2.2 Interest',
      'list-item (i) first',
      'list-item (ii) second',
      'list-item a point',
      'heading1 Clause 3 Law',
      'list-item 3.1 Courts',
      'list-item Clause 9 Restarted',
      'paragraph Plain',
    ])
  })
})

describe('an OpenDocument text, beside its body (issue 11, office)', () => {
  const odt = (styles: string, automatic: string, body: string): Buffer =>
    typedPackage('application/vnd.oasis.opendocument.text', {
      'styles.xml': `<office:document-styles>${styles}</office:document-styles>`,
      'content.xml': `<office:document-content><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    })

  test.each(['text', 'text-template', 'text-web', 'text-master'])('of the type %s', async (type) => {
    const content = '<office:document-content><text:p>Printers</text:p></office:document-content>'
    const bytes = typedPackage(`application/vnd.oasis.opendocument.${type}`, { 'content.xml': content })
    expect(await blocksOf(bytes)).toEqual(['paragraph Printers'])
  })

  test('page headers and footers once, comments marked', async () => {
    const styles =
      '<style:master-page><style:header><text:p>Acme <text:span>contract</text:span></text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></style:master-page>'
    const body =
      '<text:p>Price<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026-01-01</dc:date><text:p>Too high</text:p></office:annotation></text:p>'
    expect(await blocksOf(odt(styles, '', body))).toEqual([
      'paragraph Price',
      'note Comment (Ann): Too high',
      'note Acme contract',
    ])
  })

  test('list numbers of lists and of headings', async () => {
    const outline =
      '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    const lists =
      '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-prefix="Clause "/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" style:num-list-format="%1%.%2%)"/></text:list-style><text:list-style style:name="L2"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>'
    const item = (text: string, more = '', attributes = ''): string =>
      `<text:list-item ${attributes}><text:p>${text}</text:p>${more}</text:list-item>`
    const body = `<text:h text:outline-level="1">One</text:h><text:h text:outline-level="1">Two</text:h><text:h text:outline-level="2">Deep</text:h>
      <text:list text:style-name="L1" xml:id="a">${item('first')}${item('second', `<text:p>more</text:p><text:list>${item('x')}${item('y')}</text:list>`)}</text:list>
      <text:p>between</text:p><text:list text:style-name="L1" text:continue-list="a">${item('third')}${item('tenth', '', 'text:start-value="10"')}</text:list>
      <text:list text:style-name="L2">${item('point')}</text:list>`
    expect(await blocksOf(odt(outline, lists, body))).toEqual([
      'heading1 1. One',
      'heading1 2. Two',
      'heading2 2.1 Deep',
      'list-item Clause 1 first',
      'list-item Clause 2 second',
      'list-item more',
      'list-item 2.a) x',
      'list-item 2.b) y',
      'paragraph between',
      'list-item Clause 3 third',
      'list-item Clause 10 tenth',
      'list-item point',
    ])
  })
})

test('an RTF document: list numbers, headers, footers, comments and text boxes (issue 11, office)', async () => {
  const rtf = String.raw`{\rtf1\ansi{\header Acme contract\par}{\footer Confidential\par}
{\listtext\pard\plain 4.2\tab}\pard\ls1 Due dates\par
{\listtext\pard\plain \'b7\tab}\pard\ls2 a point\par
\pard Price{\*\atnid AL}{\*\atnauthor Ann Lee}\chatn{\*\annotation{\*\atnref 1}{\*\atndate 1}\pard Too high}\par
{\shp{\*\shpinst\shpleft1{\sp{\sn shapeType}{\sv 202}}{\shptxt\pard In a box\par}}{\shprslt old}}\pard Last\par}`
  expect(await blocksOf(rtf)).toEqual([
    'list-item 4.2 Due dates',
    'list-item a point',
    'paragraph Price',
    'note Comment (Ann Lee): Too high',
    'paragraph In a box',
    'paragraph Last',
    'note Acme contract',
    'note Confidential',
  ])
})

describe('an archive (issue 11, archives)', () => {
  const bytes = officePackage('docx', {
    'word/document.xml': `<w:document ${w}><w:body>${wordParagraph('Body')}</w:body></w:document>`,
  })

  test.each([
    ['bytes behind it', Buffer.concat([bytes, Buffer.from('\r\n\0\0rest')])],
    ['70,000 bytes behind it', Buffer.concat([bytes, Buffer.alloc(70_000)])],
    [
      'the signature of its end in the bytes behind it',
      Buffer.concat([bytes, Buffer.from('PK\x05\x06'), Buffer.alloc(40, 255)]),
    ],
    [
      'a comment that was cut off',
      Buffer.concat([bytes.subarray(0, -2), Buffer.from([20, 0]), Buffer.from('only this')]),
    ],
  ])('with %s is read', async (_, damaged) => {
    expect(await blocksOf(damaged)).toEqual(['paragraph Body'])
  })
})

describe('a Word document in one XML file (issue 11, office)', () => {
  const styles = '<w:styles><w:style w:styleId="H"><w:name w:val="heading 1"/></w:style></w:styles>'
  const body = `<w:body>${wordParagraph('Head', 'H')}<w:p><w:r><w:t>one </w:t></w:r><w:r><w:t>two</w:t></w:r></w:p></w:body>`

  test('of Word 2003', async () => {
    const text = `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">${styles}${body}</w:wordDocument>`
    expect(await blocksOf(text)).toEqual(['heading1 Head', 'paragraph one two'])
  })

  test('of Word 2003, with notes, comments, headers and footers', async () => {
    const text = `<?xml version="1.0"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body><w:p><w:r><w:t>Price</w:t></w:r><w:r><w:footnote>${wordParagraph('As of May')}</w:footnote></w:r><aml:annotation w:type="Word.Comment" aml:author="Ann"><aml:content>${wordParagraph('Too high')}</aml:content></aml:annotation></w:p><w:tbl><w:tr><w:tc>${wordParagraph('a')}</w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r><w:r><w:footnote>${wordParagraph('of b')}</w:footnote></w:r></w:p></w:tc></w:tr></w:tbl><w:sectPr><w:hdr>${wordParagraph('Acme contract')}</w:hdr><w:ftr>${wordParagraph('Confidential')}</w:ftr></w:sectPr></w:body></w:wordDocument>`
    expect(await blocksOf(text)).toEqual([
      'paragraph Price',
      'note As of May',
      'note Comment (Ann): Too high',
      'table-row a | b',
      'note of b',
      'note Acme contract',
      'note Confidential',
    ])
  })

  test('as a flat package whose parts are linked', async () => {
    const part = (name: string, content: string): string =>
      `<pkg:part pkg:name="/${name}" pkg:contentType="x"><pkg:xmlData>${content}</pkg:xmlData></pkg:part>`
    const links = relationships({ rId1: ['header', 'header1.xml'], rId2: ['styles', 'styles.xml'] })
    const text = `<?xml version="1.0"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">${part('_rels/.rels', relationships({ rId1: ['officeDocument', 'word/document.xml'] }).replace(/^<\?xml[^>]*>/, ''))}${part('word/_rels/document.xml.rels', links.replace(/^<\?xml[^>]*>/, ''))}${part('word/document.xml', `<w:document ${w}>${body}</w:document>`)}${part('word/styles.xml', styles)}${part('word/header1.xml', `<w:hdr ${w}>${wordParagraph('Acme contract')}</w:hdr>`)}</pkg:package>`
    expect(await blocksOf(text)).toEqual(['heading1 Head', 'paragraph one two', 'note Acme contract'])
  })

  test('as a flat package', async () => {
    const text = `<?xml version="1.0"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"><pkg:part><pkg:xmlData>${styles}</pkg:xmlData></pkg:part><pkg:part><pkg:xmlData><w:document ${w}>${body}</w:document></pkg:xmlData></pkg:part></pkg:package>`
    expect(await blocksOf(text)).toEqual(['heading1 Head', 'paragraph one two'])
  })
})
