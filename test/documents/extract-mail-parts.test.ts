import { describe, expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'
import { wordDocument, wordParagraph } from './write-office.ts'
import { writePdf } from './write-pdf.ts'

interface Part {
  readonly type: string
  readonly name?: string
  readonly content: Uint8Array | string
}

/** A mail with a plain body and the parts given. */
function mailWith(parts: readonly Part[], boundary = 'A'): string {
  const written = parts.map(({ type, name, content }) => {
    const disposition = name === undefined ? '' : `Content-Disposition: attachment; filename="${name}"\r\n`
    // Messages stand in a mail as they are; files are encoded.
    return typeof content === 'string'
      ? `--${boundary}\r\nContent-Type: ${type}\r\n${disposition}\r\n${content}\r\n`
      : `--${boundary}\r\nContent-Type: ${type}\r\n${disposition}Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}\r\n`
  })
  return `From: a@example.com\r\nTo: b@example.com\r\nSubject: Report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n${written.join('')}--${boundary}--\r\n`
}

const head = ['heading1 Report', 'paragraph From: a@example.com\nTo: b@example.com', 'paragraph See below.']
const ofMail = { mediaType: 'message/rfc822', title: 'Report' }
const octets = 'application/octet-stream'

describe('attachments of a mail (issue 11, mail)', () => {
  test('are read by their own readers, each under its name, and told by content', async () => {
    const text = mailWith([
      { type: octets, name: 'plan.docx', content: wordDocument(wordParagraph('Goals', '1') + wordParagraph('Grow')) },
      { type: octets, name: 'act.pdf', content: writePdf({ pages: [[[12, 72, 700, 'Signed by both sides']]] }) },
      { type: 'text/csv', name: 'list.csv', content: Buffer.from('Name,Town,Zip\nAnn,Bonn,53111\nBob,Kiel,24103\n') },
    ])
    expect(await readBytes(text)).toEqual({
      ...ofMail,
      blocks: [
        ...head,
        'heading2 Attachment: plan.docx',
        'heading3 Goals',
        'paragraph Grow',
        'heading2 Attachment: act.pdf',
        'paragraph Signed by both sides',
        'heading2 Attachment: list.csv',
        'table-row Name | Town | Zip',
        'table-row Name: Ann | Town: Bonn | Zip: 53111',
        'table-row Name: Bob | Town: Kiel | Zip: 24103',
      ],
    })
  })

  test('what cannot be read is named, and costs nothing else', async () => {
    const text = mailWith([
      { type: 'image/png', name: 'photo.png', content: Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1') },
      { type: octets, name: 'broken.docx', content: Buffer.from('PK\x03\x04broken', 'latin1') },
      { type: 'text/plain', name: 'note.txt', content: Buffer.from('Kept') },
    ])
    expect(await readBytes(text)).toEqual({
      ...ofMail,
      flags: { 'attachments-not-read': 2 },
      attachmentsNotRead: ['photo.png', 'broken.docx'],
      blocks: [
        ...head,
        'list-item Attachment: photo.png',
        'list-item Attachment: broken.docx',
        'heading2 Attachment: note.txt',
        'paragraph Kept',
      ],
    })
  })

  test('one level is read: attachments of an attached message are named', async () => {
    const inner = mailWith([{ type: 'text/plain', name: 'deep.txt', content: Buffer.from('too deep') }], 'B')
    expect(await readBytes(mailWith([{ type: 'message/rfc822', name: 'fwd.eml', content: inner }]))).toEqual({
      ...ofMail,
      flags: { 'attachments-not-read': 1 },
      attachmentsNotRead: ['deep.txt'],
      blocks: [
        ...head,
        'heading2 Attachment: fwd.eml',
        'heading3 Report',
        ...head.slice(1),
        'list-item Attachment: deep.txt',
      ],
    })
  })

  test('the limit of the text is that of the whole mail', async () => {
    const text = mailWith([{ type: 'text/plain', name: 'long.txt', content: Buffer.from('x'.repeat(2_000)) }])
    expect(await readBytes(text, 'mail.eml', { maxTextUnits: 1_500 })).toMatchObject({ cause: 'too-much-text' })
  })
})

test('a report of delivery is read with the message that it returns (issue 11, mail)', async () => {
  const status = 'Reporting-MTA: dns; mx.example.com\r\n\r\nFinal-Recipient: rfc822; b@example.com\r\nStatus: 5.1.1'
  const returned = 'From: a@example.com\r\nSubject: Lost\r\n\r\nLost words'
  const text = mailWith([
    { type: 'message/delivery-status', content: status },
    { type: 'message/rfc822', content: returned },
  ])
  const read = (await readBytes(text)) as { blocks: readonly string[]; flags?: unknown }
  expect(read.flags).toBeUndefined()
  const whole = read.blocks.join('\n')
  for (const found of ['Reporting-MTA: dns; mx.example.com', 'Status: 5.1.1', 'heading3 Lost', 'Lost words'])
    expect(whole).toContain(found)
})

test.each([
  [
    'whose first line is Content-Type',
    'Content-Type: multipart/alternative;\r\n boundary="x"\r\nSubject: Hi\r\n\r\n--x\r\nContent-Type: text/plain\r\n\r\nHello\r\n--x--\r\n',
    ['heading1 Hi', 'paragraph Hello'],
  ],
  [
    'that has nothing but Content-Type and its encoding in front',
    `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from('Gr\u00fc\u00dfe').toString('base64')}\r\n`,
    ['paragraph Gr\u00fc\u00dfe'],
  ],
  [
    'whose Content-Type stands before its people',
    'Content-Type: text/plain\r\nFrom: a@example.com\r\nTo: b@example.com\r\nSubject: Hi\r\n\r\nHello\r\n',
    ['heading1 Hi', 'paragraph From: a@example.com\nTo: b@example.com', 'paragraph Hello'],
  ],
  [
    'that is a web archive with its styles and pictures',
    'From: <Saved by Blink>\r\nSubject: Saved\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x; type="text/html"\r\n\r\n--x\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://example.com/\r\n\r\n<p>pa=\r\nge</p>\r\n--x\r\nContent-Type: text/css\r\nContent-Location: cid:css-1@mhtml.blink\r\n\r\np { color: red }\r\n--x\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://example.com/a.png\r\n\r\niVBORw0KGgo=\r\n--x--\r\n',
    ['heading1 Saved', 'paragraph From: Saved by Blink', 'paragraph page'],
  ],
  [
    'that is a web archive (MHTML)',
    'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<h1>Saved</h1><p>page</p>\r\n--x--\r\n',
    ['heading1 Saved', 'paragraph page'],
  ],
])('a mail %s is a mail (issue 11, mail)', async (_, text, blocks) => {
  expect(await readBytes(text)).toMatchObject({ mediaType: 'message/rfc822', blocks })
})

test('lines about content types are no mail (issue 11, mail)', async () => {
  expect(await readBytes('Content-Type: text/html\nhow to set it\n\nMore')).toMatchObject({ mediaType: 'text/plain' })
})

describe('a mail in two forms', () => {
  const mailOf = (plain: string, html: string): string =>
    `From: a@example.com\r\nTo: b@example.com\r\nSubject: Report\r\nContent-Type: multipart/alternative; boundary=A\r\n\r\n--A\r\nContent-Type: text/plain\r\n\r\n${plain}\r\n--A\r\nContent-Type: text/html\r\n\r\n${html}\r\n--A--\r\n`
  const page = '<p>The pump of the third boiler was replaced on Monday, and the report of the inspection is due.</p>'
  const read = (plain: string) => readBytes(mailOf(plain, page))
  const withBody = (body: string) => ({ ...ofMail, blocks: [...head.slice(0, 2), `paragraph ${body}`] })

  test('is read from the page when the plain form says little of it', async () => {
    for (const plain of ['Your reader shows no HTML.', 'Read online: https://example.com/a/b/c/d/e/f/g/h/i/j/k/l/m/n'])
      expect(await read(plain)).toEqual(
        withBody('The pump of the third boiler was replaced on Monday, and the report of the inspection is due.'),
      )
  })

  test('is read from the plain form when that has most words of the page', async () => {
    const plain = 'The pump of the third boiler was replaced on Monday.'
    expect(await read(plain)).toEqual(withBody(plain))
  })
})
