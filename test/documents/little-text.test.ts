import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { warningsOf } from '../../src/documents/warnings.ts'
import { expectedTexts } from '../../src/extraction/expected-text.ts'
import { formats } from '../../src/text-formats/media-types.ts'
import { readBytes } from './read-bytes.ts'
import { wordDocument, wordParagraph } from './write-office.ts'

const flagsOf = async (bytes: Uint8Array | string): Promise<unknown> =>
  ((await readBytes(bytes)) as { flags?: unknown }).flags

test.each([
  [
    'a page that scripts make',
    `<!doctype html><html><body><div id="app">Loading</div><script>${'var a = 1;'.repeat(3_000)}</script></body></html>`,
  ],
  [
    'a page of styles',
    `<!doctype html><html><head><style>${'p { color: red }'.repeat(2_000)}</style></head><body>Home</body></html>`,
  ],
  ['white space', `one${' '.repeat(5_000)}`],
  ['an RTF of a picture', `{\\rtf1 {\\pict\\pngblip ${'00'.repeat(40_000)}} Scan}`],
])('%s has little text (issue 11, 1.2)', async (_, file) => {
  expect(await flagsOf(file)).toMatchObject({ 'little-text': 1 })
})

const fixtures = new URL('../fixtures/documents/', import.meta.url)
test.each(readdirSync(fixtures))('%s does not have little text (issue 11, 1.2)', async (name) => {
  expect(await flagsOf(readFileSync(new URL(name, fixtures)))).not.toMatchObject({ 'little-text': 1 })
})

test.each([
  ['a short text', 'yes'],
  ['a short page', `<!doctype html><html><head><style>${'p{}'.repeat(300)}</style></head><body>Home</body></html>`],
  ['a Russian text', 'Принтер печатает только первую страницу. '.repeat(100)],
  ['a Japanese text', '\u5370\u5237\u3067\u304d\u307e\u305b\u3093\u3002'.repeat(200)],
  ['a table of numbers', '1,2,3\n'.repeat(1_000)],
  ['a Word document', wordDocument(wordParagraph('The printer is on the second floor.'))],
])('%s does not have little text (issue 11, 1.2)', async (_, file) => {
  expect(await flagsOf(file)).toBeUndefined()
})

test('docs/documents.md says how much text is expected of each format (issue 11, 1.2)', () => {
  const docs = readFileSync(new URL('../../docs/documents.md', import.meta.url), 'utf8')
  const rows = Object.entries(expectedTexts).map(
    ([format, { charactersPerByte, fromBytes }]) =>
      `| ${formats[format as keyof typeof formats].name} | ${charactersPerByte} | ${fromBytes} |`,
  )
  expect(docs).toContain(rows.join('\n'))
})

test('warnings say which pages and which encoding, and leave out what is ordinary (issue 11, 1.2)', () => {
  const many = Array.from({ length: 200 }, (_, index) => index + 1)
  expect(
    warningsOf([
      { kind: 'invisible-characters', count: 2 },
      { kind: 'little-text', count: 1 },
      { kind: 'pages-without-text', count: 2, details: [3, 7] },
      { kind: 'encoding-guessed', count: 1, details: ['windows-1250'] },
      { kind: 'hidden-text', count: 4 },
    ]),
  ).toEqual(['little-text', 'pages-without-text: [3,7]', 'encoding-guessed: windows-1250', 'hidden-text'])
  expect(warningsOf([{ kind: 'pages-without-text', count: 200, details: many }])).toEqual([
    `pages-without-text: [${many.slice(0, 100).join(',')},…]`,
  ])
})
