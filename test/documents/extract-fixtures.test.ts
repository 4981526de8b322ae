import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/documents/${name}`, import.meta.url))

/** The same manual, written by LibreOffice in every format that it knows (the source was one HTML page). */
const manual = [
  'heading1 Руководство по печати',
  'paragraph Принтер HP не печатает, если очередь занята. See the manual for details.',
  'heading2 Очередь печати',
  'list-item Откройте панель управления',
  'list-item Очистите очередь',
  'paragraph Сноски и длинный текст: заявка INC0012345 закрыта.',
  'table-row Код | Описание',
  'table-row ERR-42 | Нет бумаги',
  'table-row ERR-43 | Замятие',
  'heading2 Scanners',
  'paragraph Scanning works over the network. Ёлка.',
]
const title = 'Руководство по печати'
/** The page break stands before the second last block. */
const paged = manual.map((block, index) => `${index < 9 ? 1 : 2} ${block}`)

test('a Word document', async () => {
  expect(await readBytes(fixture('manual.docx'))).toEqual({
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    title,
    language: 'en',
    pages: 2,
    blocks: paged,
  })
})

test('an OpenDocument text', async () => {
  expect(await readBytes(fixture('manual.odt'))).toEqual({
    mediaType: 'application/vnd.oasis.opendocument.text',
    title,
    blocks: manual,
  })
})

test('an RTF document, with its Cyrillic', async () => {
  expect(await readBytes(fixture('manual.rtf'))).toEqual({ mediaType: 'application/rtf', title, blocks: manual })
})

test('a PDF: pages, headings by size, items, rows', async () => {
  const blocks = paged.map((block) => block.replace('list-item ', 'list-item • '))
  expect(await readBytes(fixture('manual.pdf'))).toEqual({
    mediaType: 'application/pdf',
    title,
    language: 'en',
    pages: 2,
    blocks,
  })
})

test('a book whose headings are paragraphs of a style', async () => {
  const blocks = manual.map((block) => block.replace(/^(?:heading\d|list-item) /, 'paragraph '))
  expect(await readBytes(fixture('manual.epub'))).toEqual({
    mediaType: 'application/epub+zip',
    title,
    language: 'en',
    blocks,
  })
})

const slides = [
  '1 slide1 Итоги квартала',
  '1 list-item Продажи выросли',
  '1 list-item Costs fell',
  '1 note Сказать про склад',
  '2 slide1 Plans',
  '2 paragraph Free box',
]

test('an OpenDocument presentation, with its notes', async () => {
  expect(await readBytes(fixture('deck.odp'))).toEqual({
    mediaType: 'application/vnd.oasis.opendocument.presentation',
    title: 'Итоги квартала',
    pages: 2,
    blocks: slides,
  })
})

test('a PowerPoint presentation, with its notes', async () => {
  expect(await readBytes(fixture('deck.pptx'))).toEqual({
    mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    title: 'Итоги квартала',
    language: 'en',
    pages: 2,
    blocks: slides.map((block) => block.replace('list-item', 'paragraph')),
  })
})

const people = [
  '1 sheet1 sheet',
  '1 table-row Имя | Город | Возраст',
  '1 table-row Имя: Пётр | Город: Москва | Возраст: 31',
  '1 table-row Имя: Анна "Б" | Город: Казань | Возраст: 28',
]

test('an OpenDocument spreadsheet', async () => {
  expect(await readBytes(fixture('people.ods'))).toEqual({
    mediaType: 'application/vnd.oasis.opendocument.spreadsheet',
    pages: 1,
    blocks: people,
  })
})

test('an Excel workbook', async () => {
  expect(await readBytes(fixture('people.xlsx'))).toEqual({
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    language: 'en',
    pages: 1,
    blocks: people,
  })
})

test('a PDF with a password is rejected as such', async () => {
  expect(await readBytes(fixture('locked.pdf'))).toEqual({
    kind: 'unreadable-document',
    stage: 'open',
    cause: 'encrypted',
    detail: 'the PDF is protected by a password',
  })
})
