import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { languageTexts } from './language-texts.ts'
import { readBytes, type Seen } from './read-bytes.ts'

const textOf = (language: string): string => languageTexts.find((each) => each.language === language)?.text ?? ''
const russian = textOf('ru')
const head = 'From: a@example.org\r\nTo: b@example.org\r\nMIME-Version: 1.0\r\n'
const mail = (fields: string, body: Buffer, subject: Buffer | string = 'Letter'): Buffer =>
  Buffer.concat([
    Buffer.from(`${head}Subject: `),
    Buffer.from(subject),
    Buffer.from(`\r\n${fields}\r\n`),
    body,
    Buffer.from('\r\n'),
  ])
const base64 = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('base64').replace(/.{76}/g, '$&\r\n'))
const quotedPrintable = (bytes: Buffer): Buffer =>
  Buffer.from(
    Array.from(bytes, (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join('')
      .replace(/(?:=..){25}/g, '$&=\r\n'),
  )
const bodyOf = async (bytes: Buffer): Promise<string> => ((await readBytes(bytes)) as Seen).blocks.slice(2).join('\n')
const flagsOf = async (bytes: Buffer): Promise<unknown> => ((await readBytes(bytes)) as Seen).flags

test.each([
  ['koi8-r, undeclared', mail('', iconv.encode(russian, 'koi8-r'))],
  [
    'windows-1251 declared as us-ascii',
    mail('Content-Type: text/plain; charset=us-ascii\r\n', iconv.encode(russian, 'windows-1251')),
  ],
  [
    'windows-1251 declared as UTF-8',
    mail('Content-Type: text/plain; charset=utf-8\r\n', iconv.encode(russian, 'windows-1251')),
  ],
  [
    'koi8-r declared as iso-8859-1, in base64',
    mail(
      'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: base64\r\n',
      base64(iconv.encode(russian, 'koi8-r')),
    ),
  ],
])('a mail in %s is read and the guess is named (issue 11, 1.3)', async (_, bytes) => {
  expect(await bodyOf(bytes)).toBe(`paragraph ${russian}`)
  expect(await flagsOf(bytes)).toEqual({ 'encoding-guessed': 1 })
})

test.each([
  [
    'IBM855 in quoted-printable',
    mail(
      'Content-Type: text/plain;\r\n charset="ibm855"; format=fixed\r\nContent-Transfer-Encoding: quoted-printable\r\n',
      quotedPrintable(iconv.encode(russian, 'ibm855')),
    ),
  ],
  [
    'UTF-16 with a mark, in base64',
    mail(
      'Content-Type: text/plain; charset=utf-16\r\nContent-Transfer-Encoding: base64\r\n',
      base64(iconv.encode(`\ufeff${russian}`, 'utf-16be')),
    ),
  ],
  [
    'UTF-16 little-endian, in base64',
    mail(
      'Content-Type: text/plain; charset="utf-16le"\r\nContent-Transfer-Encoding: base64\r\n',
      base64(iconv.encode(russian, 'utf-16le')),
    ),
  ],
  ['UTF-8 declared as us-ascii', mail('Content-Type: text/plain; charset=us-ascii\r\n', Buffer.from(russian))],
  ['UTF-8, undeclared', mail('', Buffer.from(russian))],
  [
    'UTF-16 as a whole',
    iconv.encode(`\ufeff${mail('Content-Type: text/plain\r\n', Buffer.from(russian)).toString()}`, 'utf-16le'),
  ],
])('a mail in %s is read, and nothing was guessed (issue 11, 1.3)', async (_, bytes) => {
  expect(await bodyOf(bytes)).toBe(`paragraph ${russian}`)
  expect(await flagsOf(bytes)).toBeUndefined()
})

test('parts of a mail have encodings of their own, and header lines are read in that of the text (issue 11, 1.3)', async () => {
  const bytes = Buffer.concat([
    Buffer.from(`${head}Subject: `),
    iconv.encode('Заказ принят', 'windows-1251'),
    Buffer.from(
      '\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\n',
    ),
    iconv.encode(russian, 'koi8-r'),
    Buffer.from(
      '\r\n--x\r\nContent-Type: text/plain; charset=ibm855; name=a.txt\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n',
    ),
    iconv.encode(russian, 'ibm855'),
    Buffer.from('\r\n--x--\r\n'),
  ])
  const seen = (await readBytes(bytes)) as Seen
  expect(seen.title).toBe('Заказ принят')
  expect(seen.blocks.slice(2)).toEqual([`paragraph ${russian}`, 'heading2 Attachment: a.txt', `paragraph ${russian}`])
})

test('the name of an attachment that was not read is in the warning (issue 11, 1.2)', async () => {
  const bytes = mail(
    'Content-Type: image/png; name="plan.png"\r\nContent-Disposition: attachment; filename="plan.png"\r\nContent-Transfer-Encoding: base64\r\n',
    base64(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  )
  expect(await readBytes(bytes)).toMatchObject({ attachmentsNotRead: ['plan.png'] })
})
