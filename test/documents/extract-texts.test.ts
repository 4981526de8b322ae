import { describe, expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'

/** Bytes of a text in a single-byte encoding, by asking the decoder what each byte is. */
function encode(text: string, encoding: string): Uint8Array {
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder(encoding).decode(Uint8Array.of(byte)), byte]),
  )
  return Uint8Array.from(text, (letter) => bytes.get(letter) ?? 63)
}
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const plain = { mediaType: 'text/plain' }

const russian = 'Заявка INC0012345 закрыта: принтер не печатает.\nПроверьте очередь.'
const western = 'Größe déjà vu — café'

describe('encodings', () => {
  test.each([
    ['UTF-8', Buffer.from(russian), russian],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${russian}`), russian],
    ['UTF-16 LE with a mark', Buffer.from(`\ufeff${russian}`, 'utf16le'), russian],
    ['UTF-16 BE with a mark', utf16be(`\ufeff${russian}`), russian],
    ['UTF-16 LE', Buffer.from(russian, 'utf16le'), russian],
    ['UTF-16 BE', utf16be(russian), russian],
  ])('%s', async (_, bytes, text) => {
    expect(await readBytes(bytes)).toEqual({ ...plain, blocks: [`paragraph ${text}`] })
  })

  const guessed = { ...plain, flags: { 'encoding-guessed': 1 } }

  test.each([
    ['windows-1251', encode(russian, 'windows-1251'), russian],
    ['KOI8-R', encode(russian, 'koi8-r'), russian],
    ['IBM866', encode(russian, 'ibm866'), russian],
    ['windows-1252', encode(western, 'windows-1252'), western],
  ])('%s is told by its letters', async (_, bytes, text) => {
    expect(await readBytes(bytes)).toEqual({ ...guessed, blocks: [`paragraph ${text}`] })
  })

  test.each(
    ['Привет', 'ПРИВЕТ, МИР', 'да', 'Срочно!', 'id;имя', 'Иванов Пётр', 'щука и ёж'].flatMap((text) =>
      ['windows-1251', 'koi8-r', 'ibm866'].map((encoding) => [text, encoding] as const),
    ),
  )('a few letters are enough: %s in %s', async (text, encoding) => {
    expect(await readBytes(encode(text, encoding))).toEqual({ ...guessed, blocks: [`paragraph ${text}`] })
  })

  test.each(['à la carte', 'El niño', 'Übung', 'smörgås är gott', 'ça va?', '© 2020 Müller'])(
    'windows-1252: %s',
    async (text) => {
      expect(await readBytes(encode(text, 'windows-1252'))).toEqual({ ...guessed, blocks: [`paragraph ${text}`] })
    },
  )

  test('what an HTML page says of itself is believed when its bytes are no UTF-8', async () => {
    const page = '<html><head><meta charset="iso-8859-2"></head><body>Łódź</body></html>'
    expect(await readBytes(encode(page, 'iso-8859-2'))).toEqual({ mediaType: 'text/html', blocks: ['paragraph Łódź'] })
  })

  test('UTF-8 that was cut off in the middle of a letter stays UTF-8, and is flagged', async () => {
    expect(await readBytes(Buffer.from(russian).subarray(0, 25))).toEqual({
      ...plain,
      flags: { undecodable: 1 },
      blocks: ['paragraph Заявка INC0012345 \ufffd'],
    })
  })
})

describe('what a reader does not see', () => {
  test('control and zero-width characters, writing directions and smuggled texts are taken out and flagged', async () => {
    const text = 'a\u200bb\u0000c\u202ed\u{e0041}\u{e0042}e\u001b[31mf\ufe01\ufe02g'
    expect(await readBytes(text)).toEqual({
      ...plain,
      flags: { 'invisible-characters': 1, 'control-characters': 2, 'bidi-controls': 1, 'smuggled-characters': 3 },
      blocks: ['paragraph abcdef\ufe01g'],
    })
  })

  test('emoji, joined scripts, soft hyphens and a mark at the start are ordinary', async () => {
    expect(await readBytes('\ufeff👩‍👩‍👧 ❤️ می‌خواهم Win\u00adter')).toEqual({
      ...plain,
      blocks: ['paragraph 👩‍👩‍👧 ❤️ می‌خواهم Winter'],
    })
  })

  test('letters are composed', async () => {
    expect(await readBytes('и\u0306')).toEqual({ ...plain, blocks: ['paragraph й'] })
  })
})

describe('plain text', () => {
  test('paragraphs stand between empty lines; form feeds turn pages', async () => {
    expect(await readBytes('One\r\ntwo\r\n \r\n  Three  \f\fFour')).toEqual({
      ...plain,
      pages: 3,
      blocks: ['1 paragraph One\ntwo', '1 paragraph Three', '3 paragraph Four'],
    })
  })

  test('source code is told by its name, and keeps its indents', async () => {
    expect(await readBytes('def f():\n    return 1\n\n# done\n', 'a.PY')).toEqual({
      mediaType: 'text/x-python',
      blocks: ['code def f():\n    return 1', 'code # done'],
    })
  })

  test.each([
    'MZ is how Windows programs begin.',
    'ID3 tags',
    'PDF files begin so:\n%PDF-1.7\nand end otherwise.',
    'GIF8 is no picture',
  ])('words that begin like another format are words: %s', async (text) => {
    expect(await readBytes(text)).toEqual({ ...plain, blocks: [`paragraph ${text}`] })
  })

  test.each([
    ['an empty file', ''],
    ['white space', ' \n\t\u00a0\u3000\n'],
    ['signs', '--- *** ...'],
    ['a page without words', '<!doctype html><html><body><script>var a = 1</script></body></html>'],
    ['a JSON without words', '{}'],
  ])('%s is rejected: it has no letter and no digit (issue 11, 1.2)', async (_, text) => {
    expect(await readBytes(text)).toEqual({
      kind: 'unreadable-document',
      stage: 'extract',
      cause: 'no-text',
      detail: 'it contains no letter and no digit',
    })
  })

  test('binary data is rejected by name, whatever it is called', async () => {
    expect(await readBytes(Buffer.from([...Array(256).keys()]), 'a.txt')).toEqual({
      kind: 'unsupported-media-type',
      found: 'binary data of no format that we know',
      expected:
        'plain text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, ODT, ODP, ODS, RTF, EPUB, EML, CSV, TSV, JSON, JSONL, XML, source code',
    })
    expect(await readBytes(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'a.pdf')).toMatchObject({
      found: 'a PNG picture',
    })
  })
})

describe('Markdown', () => {
  const markdown = { mediaType: 'text/markdown' }

  test('its blocks, as they stand', async () => {
    const text = `# Title *here* #

Text goes
on [link](http://x).

Setext
------
- item
  goes on
2) item
> quote

| a | b |
|---|---|
| 1 | 2 |

\`\`\`ts
# no heading

const a = 1
\`\`\`

    indented
`
    expect(await readBytes(text)).toEqual({
      ...markdown,
      title: 'Title here',
      blocks: [
        'heading1 # Title *here* #',
        'paragraph Text goes\non [link](http://x).',
        'heading2 Setext\n------',
        'list-item - item\n  goes on',
        'list-item 2) item',
        'quote > quote',
        'table-row | a | b |\n|---|---|',
        'table-row | 1 | 2 |',
        'code ```ts\n# no heading\n\nconst a = 1\n```',
        'code indented',
      ],
    })
  })

  test('front matter gives the title; comments are taken out, but not those in code', async () => {
    expect(
      await readBytes(
        '---\ntitle: "From above"\n---\n\nSeen <!-- not\nseen -->too\n\n[//]: # (nor this)\n\n```\n<!-- kept -->\n```\n',
        'a.md',
      ),
    ).toEqual({
      ...markdown,
      title: 'From above',
      flags: { 'hidden-text': 2 },
      blocks: ['code ---\ntitle: "From above"\n---', 'paragraph Seen \ntoo', 'code ```\n<!-- kept -->\n```'],
    })
  })

  test('a .txt keeps its name and has the headings that stand in it', async () => {
    expect(await readBytes('Title\n=====\n\n- item\n', 'a.txt')).toEqual({
      ...plain,
      title: 'Title',
      blocks: ['heading1 Title\n=====', 'list-item - item'],
    })
  })

  test('a comment that is code, escaped or never ends in its paragraph is text', async () => {
    const text =
      'Title\n=====\n\nUse `<!--` or ``a ` <!--`` to begin.\n\nAn arrow <!-- b,\n\nor \\<!-- c --> and <!-- gone\n--> d.\n\n- <!-- one\n\nand all --> e\n\nLast `x`<!-- hidden --> `-->`\n'
    expect(await readBytes(text, 'a.md')).toEqual({
      mediaType: 'text/markdown',
      title: 'Title',
      flags: { 'hidden-text': 3 },
      blocks: [
        'heading1 Title\n=====',
        'paragraph Use `<!--` or ``a ` <!--`` to begin.',
        'paragraph An arrow <!-- b,',
        'paragraph or \\<!-- c --> and \n d.',
        'paragraph -',
        'paragraph e',
        'paragraph Last `x` `-->`',
      ],
    })
  })

  test('comments of a script are no headings', async () => {
    expect(await readBytes('#!/bin/sh\n# Title\n\n# Other\necho `x`\n')).toMatchObject(plain)
  })
})

describe('HTML', () => {
  const html = { mediaType: 'text/html' }

  test('what a browser shows, by its blocks', async () => {
    const page = `<!doctype html><html lang="ru-RU"><head><title>A &amp; B</title><style>p{}</style><script>if (a<b) "</p>"</script></head><body>
      <h1>Head<br>line</h1><p>One <b>two</b><br>three<p>Four&nbsp;5
      <ul><li>a<li>b<ul><li>c</ul></ul><blockquote>said</blockquote>
      <table><tr><th>N<th>C<tr><td>x<td><p>y</p><p>z</p></table>
      <pre>\n  code\n    more</pre><svg><title>no</title><text>yes</text></svg><template>no</template><noscript>no</noscript>
      <table><tr><td><h2>Frame</h2>text</td></tr></table>`
    expect(await readBytes(page)).toEqual({
      ...html,
      title: 'A & B',
      language: 'ru',
      blocks: [
        'heading1 Head\nline',
        'paragraph One two\nthree',
        'paragraph Four\u00a05',
        'list-item a',
        'list-item b',
        'list-item c',
        'quote said',
        'table-row N | C',
        'table-row x | y z',
        'code   code\n    more',
        'paragraph yes',
        'heading2 Frame',
        'paragraph text',
      ],
    })
  })

  test.each([
    ['hidden', '<div hidden>no<p>no</div>'],
    ['style', '<span style="color: red; display:none">no</span>'],
    ['invisible', '<p style="visibility: hidden">no'],
    ['size', '<p style="font-size:0px">no</p>'],
    ['opacity', '<p style="opacity:0">no</p>'],
  ])('what is hidden by %s is taken out and flagged', async (_, hidden) => {
    expect(await readBytes(`<html><p>yes</p>${hidden}<p>too</p>`)).toEqual({
      ...html,
      flags: { 'hidden-text': 1 },
      blocks: ['paragraph yes', 'paragraph too'],
    })
  })

  test('what is closed in a cell does not close what hides the table', async () => {
    expect(await readBytes('<html><div hidden><table><tr><td></div>no</table></div>yes')).toEqual({
      ...html,
      flags: { 'hidden-text': 1 },
      blocks: ['paragraph yes'],
    })
  })

  test.each([
    ['svg', '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>'],
    ['svg with a paragraph before', '<p>a<svg><g><path/></g></svg></p>'],
    ['button', '<button>a</button>'],
    ['object', '<object data="x"><p>no</p></object>'],
    ['math', '<math><mi>a</mi></math>'],
    ['canvas in a table', '<table><tr><td><canvas>no</canvas>a</table>'],
  ])('what follows an element %s is read (issue 11, 1.1)', async (_, element) => {
    const { blocks } = (await readBytes(`<html><body>${element}<h2>Head</h2><p>yes</p>`)) as { blocks: string[] }
    expect(blocks.slice(-2)).toEqual(['heading2 Head', 'paragraph yes'])
    expect(blocks.join()).not.toContain('no')
  })

  test('an icon in a heading does not break the path of headings (issue 11, 1.1)', async () => {
    const icon = '<svg class="icon"><title>link</title><use href="#i"></use></svg>'
    const result = await readBytes(`<html><h1>One</h1><h2><a href="#two">${icon}</a>Two</h2><p>a<h2>Three</h2><p>b`)
    expect(result).toEqual({
      ...html,
      title: 'One',
      blocks: ['heading1 One', 'heading2 Two', 'paragraph a', 'heading2 Three', 'paragraph b'],
    })
  })

  test.each([
    ['a visible child', '<div style="visibility:hidden">no<p style="visibility:visible">yes</p></div>'],
    ['a child with a size', '<ul style="font-size:0">no<li style="font-size:14px">yes</li></ul>'],
  ])('what is hidden keeps %s (issue 11, 1.1)', async (_, page) => {
    expect(await readBytes(`<html>${page}<p>too`)).toMatchObject({
      flags: { 'hidden-text': 1 },
      blocks: [expect.stringMatching(/^(?:paragraph|list-item) yes$/), 'paragraph too'],
    })
  })

  test.each([
    ['visibility', 'visibility:hidden', 'visibility:visible'],
    ['size', 'font-size:0', 'font-size:14px'],
  ])('a block that %s hides still ends the text before it and its own', async (_, hiding, showing) => {
    const block = `<p style="${hiding}">no<b style="${showing}">shown words</b></p>`
    const row = `<table style="${hiding}"><tr><td>no<td style="${showing}">cell</table>`
    expect(await readBytes(`<html>before${block}<math><mi>x</mi></math>${row}<i>after</i>`)).toEqual({
      ...html,
      flags: { 'hidden-text': 2 },
      blocks: ['paragraph before', 'paragraph shown words', 'paragraph x', 'table-row | cell', 'paragraph after'],
    })
  })

  test('a block that is transparent ends the text before it', async () => {
    expect(await readBytes('<html>one<p style="opacity:0">no</p><i>two</i>')).toEqual({
      ...html,
      flags: { 'hidden-text': 1 },
      blocks: ['paragraph one', 'paragraph two'],
    })
  })

  test('a block that is not displayed does not end the text around it', async () => {
    expect(await readBytes('<html><div>one <b>word<section hidden>no<p>no</section>s</b></div>')).toEqual({
      ...html,
      flags: { 'hidden-text': 1 },
      blocks: ['paragraph one words'],
    })
  })

  test.each([
    ['without data', '<object>yes</object>'],
    ['with empty data', '<object data="">yes</object>'],
    ['of a type that browsers do not show', '<object data="a.swf" type="Application/X-Shockwave-Flash">yes</object>'],
    ['in another one', '<object data="a" type="application/x-a"><object>yes</object></object>'],
    ['that is written as an empty element', '<object data="a.png"/>yes'],
    ['of a nested table', '<table><tr><td><object>yes</object></table>'],
  ])('the fallback of an object %s is read', async (_, object) => {
    expect(await readBytes(`<html><p>a</p>${object}<p>b`)).toEqual({
      ...html,
      blocks: ['paragraph a', expect.stringMatching(/^(?:paragraph|table-row) yes$/), 'paragraph b'],
    })
  })

  test.each([
    ['whose type browsers show', '<object data="a" type="image/png; q=1">no</object>'],
    ['whose type only its address can tell', '<object data="a.pdf">no</object>'],
    ['in one that is shown', '<object data="a.pdf"><object>no</object></object>'],
    ['that is hidden', '<object hidden>no</object>'],
  ])('the fallback of an object %s is not read', async (_, object) => {
    expect(await readBytes(`<html><p>a</p>${object}<p>b`)).toMatchObject({ blocks: ['paragraph a', 'paragraph b'] })
  })

  test.each([
    ['fades in', '<body style="opacity:0"><p>yes</p></body>'],
    ['is shown by a script', '<body style="display: none"><p>yes</p><script>no()</script></body>'],
    [
      'is hidden but for its footer',
      `<div style="visibility:hidden"><p>${'yes '.repeat(100)}</p></div><footer>2024</footer>`,
    ],
    ['has an empty element that is hidden', '<div hidden/><p>yes</p>'],
  ])('a page that %s is read (issue 11, 1.1)', async (_, page) => {
    const { blocks } = (await readBytes(`<html>${page}`)) as { blocks: string[] }
    expect(blocks[0]).toMatch(/^paragraph yes/)
    expect(blocks.join()).not.toContain('no')
  })

  test('styles that look like hiding are not', async () => {
    expect(await readBytes('<html><p style="opacity:0.5;font-size:0.9em" hidden="until-found">yes</p>')).toEqual({
      ...html,
      blocks: ['paragraph yes'],
    })
  })
})

describe('tables with delimiters', () => {
  test('rows say the names of their columns; quotes hold delimiters and line ends', async () => {
    expect(await readBytes('id;name;note\r\n1;"A ""B""; C";"two\r\nlines"\r\n2;D;\r\n', 'people.csv')).toEqual({
      mediaType: 'text/csv',
      blocks: [
        'table-row id | name | note',
        'table-row id: 1 | name: A "B"; C | note: two lines',
        'table-row id: 2 | name: D',
      ],
    })
  })

  test('tabs tell a table without a name; numbers are no names of columns', async () => {
    expect(await readBytes('1\ta\n2\tb\n3\tc\n')).toEqual({
      mediaType: 'text/tab-separated-values',
      blocks: ['table-row 1 | a', 'table-row 2 | b', 'table-row 3 | c'],
    })
  })

  test('prose with commas is no table', async () => {
    expect(await readBytes('Yes, we can.\nNo, we cannot.\nWell, perhaps.\n')).toMatchObject(plain)
  })

  test('a quote that is never closed ends at the end', async () => {
    expect(await readBytes('a,b\n1,"x\n2,y\n', 't.csv')).toMatchObject({
      blocks: ['table-row a | b', 'table-row a: 1 | b: x 2,y'],
    })
  })
})

describe('JSON', () => {
  test('values by their paths, a block for each member', async () => {
    const value = {
      title: 'Отчёт',
      items: [
        { id: 1, tags: ['a', 'b'] },
        { id: 2, none: null, ok: true },
      ],
      deep: { a: { b: 'line\n"two"' } },
    }
    expect(await readBytes(JSON.stringify(value))).toEqual({
      mediaType: 'application/json',
      blocks: [
        'list-item title: Отчёт',
        'list-item items.id: 1\nitems.tags: a\nitems.tags: b\nitems.id: 2\nitems.ok: true',
        'list-item deep.a.b: line\n"two"',
      ],
    })
  })

  test('lines of JSON, a block for each line', async () => {
    expect(await readBytes('{"id":1,"q":"a"}\n\n{"id":2}\n', 'x.txt')).toEqual({
      mediaType: 'application/jsonl',
      blocks: ['list-item id: 1\nq: a', 'list-item id: 2'],
    })
  })

  test.each(['{"a": 1,}', '[1, 2', '{"a" 1}', '["\\x"]', '[01]', '{} x', '[INFO] started'])(
    '%s is plain text',
    async (text) => {
      expect(await readBytes(text)).toEqual({ ...plain, blocks: [`paragraph ${text}`] })
    },
  )

  test('a name does not make JSON of what is none', async () => {
    expect(await readBytes('{"a": ', 'a.json')).toMatchObject(plain)
  })
})

describe('XML', () => {
  const xml = { mediaType: 'application/xml' }

  test('data by names, prose by paragraphs, titles by sections', async () => {
    const text =
      '<?xml version="1.0" encoding="windows-1251"?><book id="7" xmlns="x"><section><title><p>Глава</p></title><p>Текст <em>с</em> ударением &lt;1&gt;.</p><section><title>Part</title><note type="a"><![CDATA[raw & more]]></note></section></section><binary>AAAA</binary></book>'
    expect(await readBytes(encode(text, 'windows-1251'))).toEqual({
      ...xml,
      blocks: [
        'list-item book.id: 7',
        'heading1 Глава',
        'paragraph Текст с ударением <1>.',
        'heading2 Part',
        'list-item note.type: a',
        'paragraph raw & more',
      ],
    })
  })

  test('that is not well-formed is rejected, saying where', async () => {
    expect(await readBytes('<?xml version="1.0"?>\n<a><b></a>')).toEqual({
      kind: 'unreadable-document',
      stage: 'extract',
      cause: 'damaged',
      detail: 'not well-formed XML: 2:10: unexpected close tag.',
    })
  })

  test('without a declaration it is XML when it is well-formed, else plain text', async () => {
    expect(await readBytes('<row><name>x</name><!-- two -- dashes --></row>')).toEqual({
      ...xml,
      blocks: ['list-item name: x'],
    })
    expect(await readBytes('<user> wrote: 1 < 2')).toEqual({ ...plain, blocks: ['paragraph <user> wrote: 1 < 2'] })
  })

  test('that declares entities is rejected', async () => {
    expect(
      await readBytes('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'),
    ).toMatchObject({ cause: 'forbidden-markup' })
  })
})

describe('mail', () => {
  const mail = (body: string): string =>
    `From: =?utf-8?B?0JjQstCw0L0=?= <ivan@example.com>\r\nTo: Desk <desk@example.com>, x@example.com\r\nSubject: =?koi8-r?B?8NLJ18XU?=\r\nDate: Fri, 20 Nov 2026 10:00:00 +0300\r\nMIME-Version: 1.0\r\n${body}`
  const head = [
    'heading1 Привет',
    'paragraph From: Иван <ivan@example.com>\nTo: Desk <desk@example.com>, x@example.com\nDate: 2026-11-20T07:00:00.000Z',
  ]
  const ofMail = { mediaType: 'message/rfc822', title: 'Привет' }

  test('a plain body in its encoding', async () => {
    const text = mail(
      'Content-Type: text/plain; charset=windows-1251\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=CF=F0=E8=ED=F2=E5=F0\r\n\r\nTwo\r\n',
    )
    expect(await readBytes(text)).toEqual({ ...ofMail, blocks: [...head, 'paragraph Принтер', 'paragraph Two'] })
  })

  test('the plain form is read where there are two; attachments are read by their content, messages among them', async () => {
    const text = mail(
      'Content-Type: multipart/mixed; boundary=A\r\n\r\n--A\r\nContent-Type: multipart/alternative; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nplain\r\n--B\r\nContent-Type: text/html\r\n\r\n<p>html</p>\r\n--B--\r\n--A\r\nContent-Type: application/pdf; name="act.pdf"\r\nContent-Disposition: attachment; filename="act.pdf"\r\n\r\nxx\r\n--A\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner body\r\n--A--\r\n',
    )
    expect(await readBytes(text)).toEqual({
      ...ofMail,
      blocks: [
        ...head,
        'paragraph plain',
        'heading2 Attachment: act.pdf',
        'paragraph xx',
        'heading2 Attachment: message/rfc822',
        'heading3 inner',
        'paragraph inner body',
      ],
    })
  })

  test('an HTML body is read as a page', async () => {
    expect(
      await readBytes(
        mail('Content-Type: text/html; charset=utf-8\r\n\r\n<h2>Тема</h2><p>one<div style="display:none">no</div>'),
      ),
    ).toEqual({
      ...ofMail,
      flags: { 'hidden-text': 1 },
      blocks: [...head, 'heading2 Тема', 'paragraph one'],
    })
  })

  test('a text that begins with one word and a colon is no mail', async () => {
    expect(await readBytes('Note: this\nis: a list\n\nSubject: none')).toMatchObject(plain)
  })
})

describe('RTF', () => {
  const rtf = (body: string): Buffer =>
    Buffer.from(
      `{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}{\\f2\\fcharset238 C;}}${body}}`,
      'latin1',
    )
  const ofRtf = { mediaType: 'application/rtf' }

  test('Cyrillic by code page, by font and by number, with the fallback left out', async () => {
    const body =
      "\\f0 \\'cf\\'f0 \\f1 \\'e8\\'e2 \\f2 \\'b3 {\\uc2\\u1077 ab\\u1090\\'3f\\'3f}\\u-3913 ?\\par\\f1 \xcf\xf0\xe8"
    expect(await readBytes(rtf(body))).toEqual({ ...ofRtf, blocks: ['paragraph Пр ив ł ет•', 'paragraph При'] })
  })

  test('headings, items, rows, notes; no hidden text, fields, pictures or unknown groups', async () => {
    const body =
      '{\\stylesheet{\\s0 Normal;}{\\s3 heading 2;}}{\\info{\\title Doc}{\\author Me}}{\\header top}\\pard\\s3 Head\\par\\pard a{\\v no}{\\footnote note}\\par' +
      "{\\listtext\\'b7\\tab}item\\par\\pard\\trowd\\intbl x\\par y\\cell z\\cell\\row\\pard{\\field{\\*\\fldinst HYPERLINK}{\\fldrslt link}}{\\pict 00ff}{\\*\\new no}\\emdash{\\upr{old}{\\*\\ud{new}}}"
    expect(await readBytes(rtf(body))).toEqual({
      ...ofRtf,
      title: 'Doc',
      flags: { 'hidden-text': 1 },
      blocks: [
        'heading2 Head',
        'paragraph a',
        'note note',
        'list-item item',
        'table-row x y | z',
        'paragraph link—new',
        'note top',
      ],
    })
  })

  test('that was cut off is rejected', async () => {
    expect(await readBytes(rtf('text').subarray(0, -1))).toMatchObject({
      kind: 'unreadable-document',
      cause: 'damaged',
    })
  })
})
