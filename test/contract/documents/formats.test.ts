import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentStage, ok, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  await stage.send('admin', 'PUT /collections/formats', { chunk_units: 200, overlap_units: 0 })
})
afterAll(() => stage.close())

const fixture = (name: string): Buffer => readFileSync(new URL(`../../fixtures/documents/${name}`, import.meta.url))
const word = 'application/vnd.openxmlformats-officedocument'
const open = 'application/vnd.oasis.opendocument'

interface Hit {
  readonly text: string
  readonly page: number | null
  readonly heading_path: readonly string[]
  readonly from: number
  readonly to: number
}

const find = async (docId: string, query: string): Promise<Hit | undefined> => {
  const { body } = await stage.send('reader', 'POST /get_relevant_documents', {
    query,
    k: 1,
    collection_names: ['formats'],
    metadata: `doc_id=${docId}`,
  })
  return (body as { data: readonly Hit[] }).data[0]
}
const textOf = async (docId: string): Promise<string> => {
  const line = `GET /get_content_by_tag?collection_name=formats&tag_info=doc_id=${docId}`
  const { body } = await stage.send('reader', line)
  return (body as { data: readonly { text: string }[] }).data[0]?.text ?? ''
}

describe('every format, told by its content and not by its name', () => {
  test.each([
    {
      file: 'manual.docx',
      type: `${word}.wordprocessingml.document`,
      pages: 2,
      query: 'scanning network',
      page: 2,
      headings: ['Руководство по печати', 'Scanners'],
    },
    {
      file: 'manual.pdf',
      type: 'application/pdf',
      pages: 2,
      query: 'scanning network',
      page: 2,
      headings: ['Руководство по печати', 'Scanners'],
    },
    {
      file: 'manual.odt',
      type: `${open}.text`,
      pages: null,
      query: 'scanning network',
      page: null,
      headings: ['Руководство по печати', 'Scanners'],
    },
    {
      file: 'manual.rtf',
      type: 'application/rtf',
      pages: null,
      query: 'scanning network',
      page: null,
      headings: ['Руководство по печати', 'Scanners'],
    },
    {
      file: 'manual.epub',
      type: 'application/epub+zip',
      pages: null,
      query: 'scanning network',
      page: null,
      headings: null,
    },
    {
      file: 'deck.pptx',
      type: `${word}.presentationml.presentation`,
      pages: 2,
      query: null,
      page: null,
      headings: null,
    },
    { file: 'deck.odp', type: `${open}.presentation`, pages: 2, query: null, page: null, headings: null },
    { file: 'people.xlsx', type: `${word}.spreadsheetml.sheet`, pages: null, query: null, page: null, headings: null },
    { file: 'people.ods', type: `${open}.spreadsheet`, pages: null, query: null, page: null, headings: null },
  ])('$file', async ({ file, type, pages, query, page, headings }) => {
    const bytes = fixture(file)
    const loaded = await stage.sendFile(
      'writer',
      'collection_name=formats',
      { name: 'wrong.name', bytes },
      { doc_id: file },
    )
    const text = await textOf(file)
    expect(loaded).toMatchObject({
      status: 200,
      body: ok({
        doc_id: file,
        collection_name: 'formats',
        state: 'ready',
        result: 'created',
        chunks: expect.any(Number),
        characters: text.length,
        pages: pages ?? expect.toSatisfy((value) => value === null || Number.isInteger(value)),
        media_type: type,
        language: expect.toSatisfy((value) => value === null || typeof value === 'string'),
        version: 1,
        sequence: 0,
        took_ms: 0,
      }),
    })
    expect(text.length).toBeGreaterThan(20)
    const original = await stage.send('reader', `GET /get_document_file?collection_name=formats&id_value=${file}`)
    expect(original.headers).toMatchObject({ 'content-type': type, 'content-length': String(bytes.length) })
    if (query === null) return
    const hit = await find(file, query)
    expect(hit?.text).toBe(text.slice(hit?.from, hit?.to))
    expect(hit?.text).toContain('Scanning works over the network. Ёлка.')
    expect(hit?.page).toBe(page)
    if (headings !== null) expect(hit?.heading_path).toEqual(headings)
  })

  test.each([
    { name: 'plain', bytes: 'Просто текст про печать.', type: 'text/plain', text: 'Просто текст про печать.' },
    {
      name: 'markdown',
      bytes: '# Заголовок\n\n## Ниже\n\nтекст **жирный**',
      type: 'text/markdown',
      text: expect.stringContaining('текст'),
    },
    {
      name: 'html',
      bytes: '<!doctype html><html><body><h1>Head</h1><p>Body text</p><script>no()</script></body></html>',
      type: 'text/html',
      text: 'Head\n\nBody text',
    },
    { name: 'csv', bytes: 'name,age\nAnna,30\nBob,40\n', type: 'text/csv', text: expect.stringContaining('Anna') },
    {
      name: 'tsv',
      bytes: 'name\tage\nAnna\t30\nBob\t40\n',
      type: 'text/tab-separated-values',
      text: expect.stringContaining('Bob'),
    },
    {
      name: 'json',
      bytes: '{"title":"Отчёт","items":[{"n":1},{"n":2}]}',
      type: 'application/json',
      text: expect.stringContaining('Отчёт'),
    },
    {
      name: 'jsonl',
      bytes: '{"n":"one"}\n{"n":"two"}\n{"n":"three"}\n',
      type: 'application/jsonl',
      text: expect.stringContaining('three'),
    },
    {
      name: 'xml',
      bytes: '<?xml version="1.0"?><a><b>deep text</b></a>',
      type: 'application/xml',
      text: expect.stringContaining('deep text'),
    },
    {
      name: 'mail',
      bytes:
        'From: a@b.c\r\nTo: d@e.f\r\nSubject: Hello there\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\nMessage-ID: <1@b.c>\r\n\r\nThe body of it.\r\n',
      type: 'message/rfc822',
      text: expect.stringContaining('The body of it.'),
    },
    {
      name: 'code',
      bytes: "import fs from 'node:fs'\n\nexport function readIt() {\n  return fs.readFileSync('x')\n}\n",
      type: 'text/x-typescript',
      text: expect.stringContaining('readFileSync'),
    },
  ])('$name', async ({ name, bytes, type, text }) => {
    const loaded = await stage.sendFile(
      'writer',
      'collection_name=formats',
      { name: `a.${{ markdown: 'md', code: 'ts' }[name] ?? name}`, bytes },
      { doc_id: name },
    )
    expect(loaded).toMatchObject({ status: 200, body: { data: { media_type: type, pages: null } } })
    expect(await textOf(name)).toEqual(text)
  })
})

describe('every encoding', () => {
  const text = 'Принтер не печатает. Проверьте очередь печати и перезагрузите компьютер, затем попробуйте снова.'
  /** The code of a Cyrillic letter from А to я in each code page. */
  const pages: Readonly<Record<string, (letter: number) => number>> = {
    'windows-1251': (letter) => letter - 0x410 + 0xc0,
    IBM866: (letter) => (letter < 0x440 ? letter - 0x410 + 0x80 : letter - 0x440 + 0xe0),
    'KOI8-R': (letter) => {
      const order = 'юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ'
      return 0xc0 + order.indexOf(String.fromCharCode(letter))
    },
  }
  const inPage = (page: string): Uint8Array =>
    Uint8Array.from(text, (letter) => {
      const code = letter.charCodeAt(0)
      return code < 0x80 ? code : (pages[page]?.(code) ?? 0)
    })
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['windows-1251', inPage('windows-1251')],
    ['KOI8-R', inPage('KOI8-R')],
    ['IBM866', inPage('IBM866')],
  ])('%s', async (name, bytes) => {
    const id = name.replaceAll(' ', '-')
    await stage.sendFile('writer', 'collection_name=formats', { name: 'a.txt', bytes }, { doc_id: id })
    expect(await textOf(id)).toBe(text)
    expect(await find(id, 'принтеры')).toMatchObject({ text })
  })

  test('windows-1252', async () => {
    const french = 'Le café est fermé à côté de la gare, et le garçon a déjà rangé les tables d’été.'
    const bytes = Uint8Array.from(french, (letter) => (letter === '’' ? 0x92 : letter.charCodeAt(0)))
    await stage.sendFile('writer', 'collection_name=formats', { name: 'a.txt', bytes }, { doc_id: 'w1252' })
    expect(await textOf('w1252')).toBe(french)
  })
})

describe('what cannot be read', () => {
  const unreadable = (detail: string, cause: string, stage: string) =>
    rejected('UNREADABLE_DOCUMENT', `No text can be read from the document: ${detail} (${cause}, stage ${stage}).`)

  test.each([
    {
      name: 'a PDF with a password',
      bytes: () => fixture('locked.pdf'),
      response: unreadable('the PDF is protected by a password', 'encrypted', 'open'),
    },
    {
      name: 'a PDF that is none',
      bytes: () => Buffer.from('%PDF-1.7\nx'),
      response: unreadable('the PDF: Invalid PDF structure', 'damaged', 'open'),
    },
  ])('$name: 422', async ({ bytes, response }) => {
    const sent = await stage.sendFile('writer', 'collection_name=unreadable', { name: 'a', bytes: bytes() })
    expect({ status: sent.status, body: sent.body }).toEqual({ status: 422, body: response })
  })

  test.each([
    ['a picture', [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]],
    ['a program', [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['an old Office file', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['a packed file', [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]],
  ])('%s: 415 names what was found and what is read', async (_what, bytes) => {
    const sent = await stage.sendFile('writer', 'collection_name=unreadable', {
      name: 'a.txt',
      bytes: Uint8Array.from(bytes),
    })
    expect(sent).toMatchObject({
      status: 415,
      body: { errors: [{ code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.stringMatching(/PDF/) }] },
    })
  })

  test('nothing of it is there afterwards, and no collection', async () => {
    expect((await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=unreadable')).body).toEqual(
      rejected('NOT_FOUND', 'There is no collection unreadable.'),
    )
  })
})
