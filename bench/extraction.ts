/**
 * npm run bench:extraction [-- file.pdf …]: how fast documents are read, split and analysed.
 *
 * PDF: pages per second in an extraction process and in this one, compared with the bare library (the text content of every page, without
 * further processing), alternating, the median of five. Further files can be given.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { getDocumentProxy } from 'unpdf'
import { chunkText } from '../src/documents/chunk/chunk-text.ts'
import { extractDocument } from '../src/extraction/extract-document.ts'
import { defaultExtractionLimits } from '../src/extraction/extraction-limits.ts'
import { defaultExtractorPoolOptions, openExtractorPool } from '../src/extraction/process/extractor-pool.ts'
import { analyze } from '../src/search-engine/analysis/analyze.ts'
import { wordDocument, wordParagraph } from '../test/documents/write-office.ts'
import { type PdfRun, writePdf } from '../test/documents/write-pdf.ts'
import { rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'

const rounds = 5
const vocabulary = {
  en: 'the printer does not print because the queue of the server holds a damaged job and nobody restarted service after network maintenance in building three office documents scanner error request user password access system report update version'.split(
    ' ',
  ),
  ru: 'принтер не печатает потому что очередь сервера держит повреждённое задание и никто не перезапустил службу после обслуживания сети в третьем здании документы сканер ошибка заявка пользователь пароль доступ система отчёт обновление версия'.split(
    ' ',
  ),
}

/** The same text in every run: a linear congruential generator picks the words. */
function textOf(language: keyof typeof vocabulary, units: number): string {
  const words = vocabulary[language]
  const parts: string[] = []
  let seed = 7
  for (let length = 0, sentence = 0; length < units; sentence++) {
    const picked = Array.from({ length: 8 + (sentence % 9) }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return words[seed % words.length] ?? ''
    })
    if (sentence % 5 === 0) picked.push(`INC00${seed % 100_000}`)
    const written = `${picked.join(' ')}.${sentence % 6 === 5 ? '\n\n' : ' '}`
    parts.push(written.charAt(0).toUpperCase() + written.slice(1))
    length += written.length
  }
  return parts.join('')
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
const seconds = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1_000
}
const machine = describeMachine()
const measured: { readonly what: string; readonly value: number; readonly unit: string }[] = []
const row = (what: string, value: number, unit: string): void => {
  measured.push({ what, value, unit })
}

const directory = mkdtempSync(join(tmpdir(), 'docket-bench-'))

// ── PDF ──

const lines =
  textOf('en', 400_000)
    .replace(/\n+/g, ' ')
    .match(/.{1,85}(?: |$)/g) ?? []
const pages = Array.from({ length: 80 }, (_, page) =>
  lines.slice(page * 50, page * 50 + 50).map((text, line): PdfRun => [10, 60, 780 - line * 14, text.trim()]),
)
const generated = join(directory, 'generated.pdf')
writeFileSync(generated, writePdf({ pages }))

async function bare(path: string): Promise<number> {
  const pdf = await getDocumentProxy(new Uint8Array(readFileSync(path)), { verbosity: 0 })
  for (let page = 1; page <= pdf.numPages; page++) await (await pdf.getPage(page)).getTextContent()
  const { numPages } = pdf
  await pdf.loadingTask.destroy()
  return numPages
}

const files = [generated, ...process.argv.slice(2)]
const pool = openExtractorPool({
  ...defaultExtractorPoolOptions,
  limits: defaultExtractionLimits,
  readableDirectories: files.map((file) => join(file, '..')),
})
for (const path of files) {
  const count = await bare(path)
  const took = { bare: [] as number[], here: [] as number[], pool: [] as number[] }
  await pool.extract({ path, fileName: '' })
  for (let round = 0; round < rounds; round++) {
    took.bare.push(await seconds(() => bare(path)))
    took.here.push(
      await seconds(() => extractDocument({ path, fileName: '' }, defaultExtractionLimits, () => undefined)),
    )
    took.pool.push(await seconds(() => pool.extract({ path, fileName: '' })))
  }
  row(`PDF ${basename(path)}, ${count} pages: bare library`, count / median(took.bare), 'pages/s')
  row('PDF: extracted in this process', count / median(took.here), 'pages/s')
  row('PDF: extracted through the pool', count / median(took.pool), 'pages/s')
}

// ── other formats, through the pool ──

const prose = textOf('ru', 2_000_000)
const paragraphs = prose.split('\n\n')
const made: readonly (readonly [string, Uint8Array])[] = [
  ['plain text, UTF-8', Buffer.from(prose)],
  ['HTML', Buffer.from(`<html>${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}</html>`)],
  [
    'Markdown',
    Buffer.from(
      `# Title\n\n${paragraphs.map((paragraph, index) => (index % 5 === 0 ? `## Part\n\n${paragraph}` : paragraph)).join('\n\n')}`,
    ),
  ],
  ['DOCX', wordDocument(paragraphs.map((paragraph) => wordParagraph(paragraph)).join(''))],
  ['JSONL', Buffer.from(paragraphs.map((text, id) => JSON.stringify({ id, text })).join('\n'))],
]
for (const [what, bytes] of made) {
  const path = join(directory, 'made')
  writeFileSync(path, bytes)
  const took: number[] = []
  for (let round = 0; round < rounds; round++) took.push(await seconds(() => pool.extract({ path, fileName: '' })))
  row(`${what}: 2 million characters`, 2 / median(took), 'million characters/s')
}
await pool.close()
rmSync(directory, { recursive: true })

// ── chunks and terms ──

for (const language of ['en', 'ru'] as const) {
  const text = textOf(language, 8_000_000)
  const megabytes = Buffer.byteLength(text) / 1e6
  let chunks = chunkText(text, [])
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    took.push(
      await seconds(() => {
        chunks = chunkText(text, [])
      }),
    )
  }
  const cut = median(took)
  const analysed = await seconds(() => {
    for (const { from, to } of chunks) analyze(text.slice(from, to), language)
  })
  row(`${language}: cut, ${chunks.length} chunks of ${megabytes.toFixed(1)} MB`, megabytes / cut, 'MB/s')
  row(`${language}: analysed`, megabytes / analysed, 'MB/s')
  row(`${language}: both`, chunks.length / (cut + analysed), 'chunks/s')
}

writeResults('extraction', { machine, measured }, [
  `Medians of ${rounds} rounds, in turns.`,
  '',
  ...table(
    ['', 'a second', ''],
    measured.map(({ what, value, unit }) => [what, String(rounded(value)), unit.replace('/s', '')]),
  ),
])
