import { expect, test } from 'vitest'
import { readBytes, type Seen } from './read-bytes.ts'
import { type PdfRun, writePdf } from './write-pdf.ts'

const blocksOf = async (bytes: Buffer): Promise<readonly string[]> => ((await readBytes(bytes)) as Seen).blocks
const content = (operators: string): Buffer => writePdf({ pages: [[]], rawContent: Buffer.from(operators, 'latin1') })
const show = (x: number, y: number, text: string): string => `BT /F1 11 Tf ${x} ${y} Td (${text}) Tj ET`

test('a word that is drawn twice to look bold is read once (issue 11, 1.4)', async () => {
  const pages: PdfRun[][] = [
    [
      [11, 70, 700, 'Warranty'],
      [11, 70.4, 700, 'Warranty'],
      [11, 70, 600, 'no no'],
      [11, 70, 500, 'no no'],
    ],
  ]
  expect(await blocksOf(writePdf({ pages }))).toEqual([
    '1 paragraph Warranty',
    '1 paragraph no no',
    '1 paragraph no no',
  ])
})

test('a word whose letters are each drawn twice is read once (issue 11, 1.4)', async () => {
  const width = { N: 7.94, o: 6.12, t: 3.06, i: 2.44, c: 5.5, e: 6.12 } as const
  let x = 70
  const letters = [...'Notice'].map((letter) => {
    const operators = `${show(x, 700, letter)} ${show(x + 0.3, 700, letter)}`
    x += width[letter as keyof typeof width]
    return operators
  })
  expect(await blocksOf(content(letters.join('\n')))).toEqual(['1 paragraph Notice'])
  expect(await blocksOf(content(show(70, 700, 'bboolldd wwoorrdd aaaa book')))).toEqual([
    '1 paragraph bold word aaaa book',
  ])
})

test('a number or an identifier that consists of pairs keeps them', async () => {
  const text = 'Colour FFEEDD, key 1122AABB, part XX77YY, mail aabbccdd'
  expect(await blocksOf(content(show(70, 700, text)))).toEqual([`1 paragraph ${text}`])
})

test('words between which the file has a narrow space are no one word (issue 11, 1.4)', async () => {
  expect(await blocksOf(content('BT /F1 11 Tf -1.2 Tw 70 700 Td (Paid in full on) Tj ( the first day) Tj ET'))).toEqual(
    ['1 paragraph Paid in full on the first day'],
  )
})

test('a stamp across the margin does not divide the text, and what every page bears there is left out (issue 11, 1.4)', async () => {
  const stamp = 'BT /F1 11 Tf 0 1 -1 0 20 300 Tm (Copy of 3 May) Tj ET'
  const page = `${show(70, 700, 'The sentence goes on')}\n${stamp}\n${show(70, 687, 'in the next line.')}`
  expect(await blocksOf(content(page))).toEqual([
    '1 paragraph The sentence goes on in the next line.',
    '1 paragraph Copy of 3 May',
  ])
  const lines = [700, 687, 674, 661].map((y) => show(70, y, `Line at ${y}.`)).join('\n')
  const many = writePdf({ pages: [[], [], [], [], []], rawContent: Buffer.from(`${lines}\n${stamp}`) })
  expect((await blocksOf(many)).join('\n')).not.toContain('Copy')
})

test('a page that is written from bottom to top is read as it is meant (issue 11, 1.4)', async () => {
  const line = (x: number, text: string): string => `BT /F1 11 Tf 0 1 -1 0 ${x} 70 Tm (${text}) Tj ET`
  expect(await blocksOf(content(`${line(100, 'First line,')}\n${line(113, 'second line.')}`))).toEqual([
    '1 paragraph First line, second line.',
  ])
})

/** A form; without a table of references, which the reader makes itself. */
function form(fields: readonly string[]): Buffer {
  const kids = fields.map((_, index) => `${index + 10} 0 R`).join(' ')
  const text = show(70, 700, 'Request for leave')
  const objects = [
    `1 0 obj << /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${kids}] /DA (/F1 10 Tf) >> >> endobj`,
    '2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj',
    `3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [${kids}] /Resources << /Font << /F1 5 0 R >> >> >> endobj`,
    `4 0 obj << /Length ${text.length} >> stream\n${text}\nendstream endobj`,
    '5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> endobj',
    ...fields.map(
      (field, index) =>
        `${index + 10} 0 obj << /Type /Annot /Subtype /Widget /Rect [70 ${600 - index * 30} 200 ${620 - index * 30}] /F 4 ${field} >> endobj`,
    ),
  ]
  return Buffer.from(`%PDF-1.7\n${objects.join('\n')}\ntrailer << /Root 1 0 R >>\n%%EOF\n`)
}

test('the fields of a form are read with their names; what is empty, secret or not chosen is not (issue 11, 1.4)', async () => {
  const bytes = form([
    '/FT /Tx /T (name) /TU (Full name) /V (Ada Lovelace)',
    '/FT /Tx /T (empty) /V ()',
    '/FT /Tx /T (pin) /Ff 8192 /V (1234)',
    '/FT /Ch /Ff 131072 /T (kind) /Opt [[(a) (Annual leave)] [(s) (Sick leave)]] /V (a)',
    '/FT /Btn /T (agreed) /V /Yes /AS /Yes /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>',
    '/FT /Btn /T (refused) /V /Off /AS /Off /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>',
  ])
  expect(await blocksOf(bytes)).toEqual([
    '1 paragraph Request for leave',
    '1 paragraph Full name: Ada Lovelace',
    '1 paragraph kind: Annual leave',
    '1 paragraph agreed: X',
  ])
})

/** A form of XFA alone: its page only says that the program is too old. */
function xfaForm(): Buffer {
  const xdp = `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form1" layout="tb"><pageSet><pageArea><contentArea w="180mm" h="250mm"/><medium stock="a4" short="210mm" long="297mm"/></pageArea></pageSet><subform w="180mm" layout="tb"><draw w="100mm" h="10mm"><value><text>Travel expenses</text></value></draw><field name="Town" w="100mm" h="10mm"><ui><textEdit/></ui><caption><value><text>Town</text></value></caption></field></subform></subform></template><xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form1><Town>Lisbon</Town></form1></xfa:data></xfa:datasets></xdp:xdp>`
  const text = show(70, 700, 'Please wait')
  const objects = [
    '1 0 obj << /Type /Catalog /Pages 2 0 R /NeedsRendering true /AcroForm << /Fields [] /XFA 6 0 R >> >> endobj',
    '2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj',
    '3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >> endobj',
    `4 0 obj << /Length ${text.length} >> stream\n${text}\nendstream endobj`,
    '5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> endobj',
    `6 0 obj << /Length ${xdp.length} >> stream\n${xdp}\nendstream endobj`,
  ]
  return Buffer.from(`%PDF-1.7\n${objects.join('\n')}\ntrailer << /Root 1 0 R >>\n%%EOF\n`)
}

test('a form of XFA alone is read with its data (issue 11, 1.4)', async () => {
  const text = (await blocksOf(xfaForm())).join('\n')
  expect(text).toContain('Travel expenses')
  expect(text).toContain('Lisbon')
  expect(text).not.toContain('Please wait')
})

test('a word that is divided at the end of a page is one word again, and its paragraph is on both pages (issue 11, 1.4)', async () => {
  const pages: PdfRun[][] = [
    [[11, 70, 120, 'The tenant pays the whole guaran-']],
    [
      [11, 70, 770, 'tee before the first day.'],
      [11, 70, 700, 'The key is handed over for free-'],
    ],
    [[11, 70, 770, 'Berlin keeps a copy.']],
  ]
  const read = (await readBytes(writePdf({ pages }))) as Seen
  expect(read.blocks).toEqual([
    '1-2 paragraph The tenant pays the whole guarantee before the first day.',
    '2 paragraph The key is handed over for free-',
    '3 paragraph Berlin keeps a copy.',
  ])
})
