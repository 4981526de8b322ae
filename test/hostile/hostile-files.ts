import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import {
  epubBook,
  officePackage,
  relationships,
  typedPackage,
  wordDocument,
  wordParagraph,
} from '../documents/write-office.ts'
import { writePdf } from '../documents/write-pdf.ts'
import { writeZip } from '../documents/write-zip.ts'

/** A file made to hurt, and what must come of it: the cause of an error, or the text that is in it all the same. */
export interface HostileFile {
  readonly name: string
  readonly bytes: () => Uint8Array
  readonly rejected?: string
  readonly text?: string
}

const megabytes = 1024 * 1024
const xml = '<?xml version="1.0"?>'

/** Spaces, deflated: one packed megabyte written many times, which takes no time to make. Checksums are not right. */
function deflatedSpaces(count: number): Buffer {
  const packed = deflateRawSync(Buffer.alloc(megabytes, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const end = deflateSync('').subarray(2)
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: count }, () => packed), end])
}

function pdfWith(stream: Buffer, filters: string): Buffer {
  const body = writePdf({ pages: [[[11, 70, 700, 'x']]] }).toString('latin1')
  const at = body.indexOf('<< /Length')
  const end = body.indexOf('endstream')
  return Buffer.concat([
    Buffer.from(body.slice(0, at), 'latin1'),
    Buffer.from(`<< /Length ${stream.length} /Filter [${filters}] >>\nstream\n`),
    stream,
    Buffer.from(`\n${body.slice(end)}`, 'latin1'),
  ])
}

function bombInWord(size: number): Buffer {
  const packed = deflateRawSync(Buffer.alloc(size, ' '))
  return officePackage('docx', {}, [
    { name: 'word/document.xml', content: '', packed: { bytes: packed, size, crc: 0 } },
  ])
}

const laughs = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, level) => `<!ENTITY lol${level + 1} "${`&lol${level || ''};`.repeat(10)}">`).join('')}]>`

const nested = (open: string, inner: string, close: string, times = 200_000): string =>
  open.repeat(times) + inner + close.repeat(times)

function filled(piece: (at: number) => string, bytes: number): string {
  const pieces: string[] = []
  for (let length = 0; length < bytes; length += pieces.at(-1)?.length ?? bytes) pieces.push(piece(pieces.length))
  return pieces.join('')
}

/** No letter and no digit is in them. */
const wordless: ReadonlySet<string> = new Set([
  'zero-width joiners',
  'marks without letters',
  'lone surrogates in UTF-16',
  'slashes in JSON',
  'brackets in JSON',
  'angle brackets',
  'opened comments in HTML',
])

/** @param htmlMb size of pages that are slow to read: their time grows with it, and each is read by a process of its own */
export const hostileFiles = (htmlMb: number): readonly HostileFile[] => [
  // ── archives ──
  { name: 'a zip bomb in a Word document', bytes: () => bombInWord(64 * megabytes), rejected: 'archive-limits' },
  {
    name: 'an archive of 25,000 entries',
    bytes: () =>
      officePackage(
        'docx',
        {},
        Array.from({ length: 25_000 }, (_, index) => ({ name: `word/media/${index}`, content: '', isStored: true })),
      ),
    rejected: 'archive-limits',
  },
  {
    name: 'an entry larger than the archive says',
    bytes: () =>
      officePackage('docx', {}, [
        { name: 'word/document.xml', content: '<w:document>'.padEnd(100_000), claimedSize: 100 },
      ]),
    rejected: 'damaged',
  },
  {
    name: 'an entry that claims to be four gigabytes',
    bytes: () =>
      officePackage('docx', {}, [{ name: 'word/document.xml', content: '<w:document/>', claimedSize: 0xffff_fff0 }]),
    rejected: 'archive-limits',
  },
  {
    name: 'an archive in an archive',
    bytes: () => writeZip([{ name: 'inner.zip', content: bombInWord(megabytes) }]),
    rejected: 'unsupported-media-type',
  },
  {
    name: 'an archive in a document',
    bytes: () =>
      wordDocument(wordParagraph('outer'), [
        { name: 'word/embeddings/inner.docx', content: wordDocument(wordParagraph('inner')) },
      ]),
    text: 'outer',
  },
  {
    name: 'names of entries that climb out',
    bytes: () =>
      wordDocument(wordParagraph('inside'), [
        { name: '../../../../etc/passwd', content: 'x' },
        { name: '/etc/passwd', content: 'x' },
        { name: 'C:\\windows\\system32', content: 'x' },
        { name: 'a\0b', content: 'x' },
      ]),
    text: 'inside',
  },
  {
    name: 'a link to a part that climbs out',
    bytes: () =>
      officePackage('xlsx', {
        'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels': relationships({ r1: ['worksheet', '../../../../../etc/passwd'] }),
      }),
    text: 'A',
  },
  {
    name: 'an archive without its end',
    bytes: () => wordDocument(wordParagraph('x')).subarray(0, 400),
    rejected: 'damaged',
  },
  {
    name: 'a book that names its one chapter fifty thousand times',
    bytes: () => {
      const item = '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
      return typedPackage('application/epub+zip', {
        'META-INF/container.xml': '<container><rootfile full-path="b.opf"/></container>',
        'b.opf': `<package><manifest>${item}</manifest><spine>${'<itemref idref="c"/>'.repeat(50_000)}</spine></package>`,
        'c.xhtml': '<html><body><p>once</p></body></html>',
      })
    },
    text: 'once',
  },
  // ── entities ──
  {
    name: 'a billion laughs',
    bytes: () => Buffer.from(`${xml}${laughs}<lolz>&lol9;</lolz>`),
    rejected: 'forbidden-markup',
  },
  {
    name: 'a billion laughs in a workbook',
    bytes: () => officePackage('xlsx', { 'xl/workbook.xml': `${xml}${laughs}<workbook>&lol9;</workbook>` }),
    rejected: 'forbidden-markup',
  },
  {
    name: 'an entity that reads a file',
    bytes: () => Buffer.from(`${xml}<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`),
    rejected: 'forbidden-markup',
  },
  {
    name: 'a document type from elsewhere',
    bytes: () => Buffer.from(`${xml}<!DOCTYPE a SYSTEM "http://127.0.0.1:9/x.dtd"><a>&x;seen</a>`),
    text: 'a: &x;seen',
  },
  // ── nesting ──
  { name: 'nested HTML', bytes: () => Buffer.from(`<html>${nested('<div>', 'deep', '</div>')}`), text: 'deep' },
  {
    name: 'nested HTML that is never closed',
    bytes: () => Buffer.from(`<html>${nested('<div><b><p>', 'deep', '</span></i>')}`),
    text: 'deep',
  },
  {
    name: 'nested HTML tables',
    bytes: () => Buffer.from(`<html>${'<table><tr><td>'.repeat(200_000)}deep`),
    text: 'deep',
  },
  ...(
    [
      ['elements that are never closed', (at: number) => `<div id=${at}>`],
      ['lists and formatting', (at: number) => `<ul><li><b style="x:${at}"><span>`],
      ['formatting of many kinds', (at: number) => `<font color=${at}><a href=${at}>`],
      ['drawings', () => '<svg><g><foreignObject><p>'],
      ['tables in the wrong places', () => '<table><b><div><tr>'],
      ['templates', () => '<template><p></template><p>'],
      ['selections', () => '<select><option><svg>'],
    ] as const
  ).map(([what, start]) => ({
    name: `${htmlMb} MB of nested ${what} in HTML (issue 11, 1.1)`,
    bytes: () => Buffer.from(`<html><body>deep${filled(start, htmlMb * 1_000_000)}`),
    text: 'deep',
  })),
  ...(
    [
      ['paragraphs', '<p>x'],
      ['line breaks', '<br>x'],
      ['cells', '<table><tr><td>a<td>b</table>'],
    ] as const
  ).map(([what, piece]) => ({
    name: `${htmlMb} MB of short ${what} in HTML (issue 11, 1.1)`,
    bytes: () => Buffer.from(`<html><body>${piece.repeat((htmlMb * 1_000_000) / piece.length)}`),
  })),
  { name: 'nested XML', bytes: () => Buffer.from(`${xml}${nested('<a>', 'deep', '</a>')}`), text: 'a: deep' },
  {
    name: 'nested elements in a Word document',
    bytes: () => wordDocument(nested('<w:sdt>', wordParagraph('deep'), '</w:sdt>')),
    text: 'deep',
  },
  {
    name: 'nested tables in a Word document',
    bytes: () => wordDocument(nested('<w:tbl><w:tr><w:tc>', wordParagraph('deep'), '</w:tc></w:tr></w:tbl>', 50_000)),
    text: 'deep',
  },
  {
    name: 'nested sections in an OpenDocument text',
    bytes: () =>
      typedPackage('application/vnd.oasis.opendocument.text', {
        'content.xml': `<o>${nested('<text:section>', '<text:p>deep</text:p>', '</text:section>', 100_000)}</o>`,
      }),
    text: 'deep',
  },
  { name: 'a nested chapter of a book', bytes: () => epubBook([nested('<div>', 'deep', '</div>')]), text: 'deep' },
  { name: 'nested RTF', bytes: () => Buffer.from(`{\\rtf1 ${nested('{', 'deep', '}')}}`), text: 'deep' },
  { name: 'nested JSON', bytes: () => Buffer.from(nested('[', '"deep"', ']')), text: 'deep' },
  { name: 'nested JSON objects', bytes: () => Buffer.from(nested('{"a":', '"deep"', '}')), text: 'a.a.a.a.a.a: deep' },
  {
    name: 'nested parts of a message',
    bytes: () =>
      Buffer.from(
        `From: a@b.c\r\nTo: d@e.f\r\nSubject: s\r\n${Array.from({ length: 2_000 }, (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`).join('')}\r\nx`,
      ),
    rejected: 'damaged',
  },
  // ── PDF ──
  {
    name: 'a PDF whose page unpacks to two gigabytes',
    bytes: () => pdfWith(deflateSync(deflatedSpaces(2_048)), '/FlateDecode /FlateDecode'),
    rejected: 'out-of-memory',
  },
  {
    name: 'a PDF that claims a hundred million pages',
    bytes: () =>
      Buffer.from(
        writePdf({ pages: [[[11, 70, 700, 'x']]] })
          .toString('latin1')
          .replace('/Count 1 ', '/Count 99999999 '),
        'latin1',
      ),
    text: 'x',
  },
  {
    name: 'a PDF whose pages are their own parents',
    bytes: () =>
      Buffer.from(
        writePdf({ pages: [[[11, 70, 700, 'x']]] })
          .toString('latin1')
          .replace(/\/Kids \[\d+ 0 R\]/, '/Kids [2 0 R]'),
        'latin1',
      ),
    rejected: 'damaged',
  },
  // ── texts that are slow to read for a careless reader ──
  ...(
    [
      ['opened comments', `# a\n\n${'<!--'.repeat(400_000)}`],
      ['opened links', `# a\n\n${'['.repeat(500_000)}\n\n${'[a]('.repeat(300_000)}`],
      ['rules and bars', `# a\n\n${'- '.repeat(500_000)}\n\n${'|'.repeat(500_000)}`],
      ['white space', `# a\n\n${' '.repeat(2_000_000)}x\n\n${' \n'.repeat(500_000)}x`],
      ['signs of headings', `# a ${'#'.repeat(1_000_000)} x\n\n${'# #'.repeat(500_000)}`],
      ['emphasis', `# a\n\n${'*'.repeat(1_000_000)}${'_a'.repeat(500_000)}`],
      ['quotes', `a,b\n${'"'.repeat(1_000_001)}\n`],
      ['zero-width joiners', '\u200d'.repeat(2_000_000)],
      ['marks without letters', '\u0301'.repeat(2_000_000)],
      ['lone surrogates in UTF-16', ''],
      ['slashes in JSON', `["${'\\\\'.repeat(1_000_000)}"]`],
      ['brackets in JSON', '['.repeat(3_000_000)],
      ['angle brackets', `<html>${'<'.repeat(1_000_000)}`],
      ['attributes', `<html><a ${'x=1 '.repeat(400_000)}>t</a>`],
      ['10 MB of paragraphs in HTML (issue 11, 1.1)', filled(() => '<p>word</p>', 10_000_000)],
      [
        '10 MB of cells in HTML (issue 11, 1.1)',
        `<table>${filled(() => '<tr><td>12</td><td>34</td></tr>', 10_000_000)}`,
      ],
      ['opened comments in HTML', `<html>${'<!-'.repeat(700_000)}`],
      ['head lines', `From: a\nTo: b\n${'X: y\n'.repeat(300_000)}`],
    ] as const
  ).map(([what, text]) => ({
    name: `a text of ${what}`,
    ...(wordless.has(what) ? { rejected: 'no-text' } : {}),
    bytes: () => (text === '' ? Buffer.from(`fffe${'00d8'.repeat(500_000)}`, 'hex') : Buffer.from(text)),
  })),
]
