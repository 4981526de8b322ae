import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import iconv from 'iconv-lite'
import { languageTexts } from '../documents/language-texts.ts'
import { flatPresentation, flatSpreadsheet, flatText } from './flat-documents.ts'

/** A file of the corpus, and what an independent reader finds in it. */
export interface CorpusFile {
  /** `docx`, `html`, `text in windows-1250` … */
  readonly kind: string
  readonly path: string
  readonly expected: string
  /** Kinds of warnings that it must have; no others are true. */
  readonly warnings: readonly string[]
}

const run = promisify(execFile)
export const missingPrograms =
  'LibreOffice and pdftotext are needed: apt-get install --no-install-recommends libreoffice-writer libreoffice-calc libreoffice-impress poppler-utils fonts-dejavu-core fonts-droid-fallback fonts-nanum fonts-tlwg-loma'

/** Whether the programs that write and read the corpus are installed; `.ci/run` installs them. */
export const programsAreInstalled = [['soffice', '--version'] as const, ['pdftotext', '-v'] as const].every(
  ([program, option]) => spawnSync(program, [option]).status === 0,
)

/** Writes the corpus into a folder. LibreOffice writes the office files, and reads them back; pdftotext reads PDFs. */
export async function makeCorpus(folder: string): Promise<readonly CorpusFile[]> {
  if (!programsAreInstalled) throw new Error(missingPrograms)
  return [...(await officeFiles(folder)), ...encodedFiles(folder), ...warnedFiles(folder)]
}

// ── office ──

async function convert(folder: string, from: readonly string[], to: string, into: string): Promise<readonly string[]> {
  const target = join(folder, into)
  mkdirSync(target, { recursive: true })
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
  await run('soffice', [profile, '--headless', '--convert-to', to, '--outdir', target, ...from], {
    timeout: 600_000,
    maxBuffer: 1 << 26,
  })
  const ending = to.split(':')[0] ?? ''
  return from.map((path) => join(target, `${basename(path).replace(/\.[^.]+$/, '')}.${ending}`))
}

function writeSources(
  folder: string,
  ending: string,
  write: (text: string, language: string) => string,
): readonly string[] {
  mkdirSync(join(folder, 'sources'), { recursive: true })
  return languageTexts.map(({ language, text }) => {
    const path = join(folder, 'sources', `${language}.${ending}`)
    writeFileSync(path, write(text, language))
    return path
  })
}

const asText = 'txt:Text (encoded):UTF8'
/** Every sheet in a file of its own, cells as they are shown. */
const asTable = 'csv:Text - txt - csv (StarCalc):9,0,76,1,,0,false,true,true,false,false,-1'

async function officeFiles(folder: string): Promise<readonly CorpusFile[]> {
  const texts = writeSources(folder, 'fodt', flatText)
  const sheets = writeSources(folder, 'fods', flatSpreadsheet)
  const slides = writeSources(folder, 'fodp', flatPresentation)
  const files: CorpusFile[] = []
  for (const kind of ['docx', 'odt', 'rtf']) {
    const written = await convert(folder, texts, kind, kind)
    const read = await convert(folder, written, asText, `${kind}-read`)
    files.push(...pairs(kind, written, (index) => readFileSync(read[index] ?? '', 'utf8')))
  }
  for (const kind of ['xlsx', 'ods']) {
    const written = await convert(folder, sheets, kind, kind)
    await convert(folder, written, asTable, `${kind}-read`)
    files.push(...pairs(kind, written, (index) => sheetsRead(folder, `${kind}-read`, written[index] ?? '')))
  }
  for (const kind of ['pptx', 'odp']) {
    const written = await convert(folder, slides, kind, kind)
    const printed = await convert(folder, written, 'pdf', `${kind}-read`)
    const read = await Promise.all(printed.map(readPdf))
    files.push(...pairs(kind, written, (index) => read[index] ?? ''))
  }
  const printed = await convert(folder, texts, 'pdf', 'pdf')
  const read = await Promise.all(printed.map(readPdf))
  files.push(...pairs('pdf', printed, (index) => read[index] ?? ''))
  // LibreOffice does not read what it writes in these: what was written is what must be found.
  const sources = languageTexts.map(({ text }) => bodyOf(flatText(text)))
  files.push(...pairs('epub', await convert(folder, texts, 'epub', 'epub'), (index) => sources[index] ?? ''))
  files.push(...pairs('html', await convert(folder, texts, 'xhtml', 'html'), (index) => sources[index] ?? ''))
  return files
}

const bodyOf = (flat: string): string =>
  flat
    .replace(/^.*<office:body>/s, '')
    .replace(/<text:note-citation>.*?<\/text:note-citation>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')

function pairs(kind: string, paths: readonly string[], expected: (index: number) => string): readonly CorpusFile[] {
  return paths.map((path, index) => ({ kind, path, expected: expected(index), warnings: [] }))
}

function sheetsRead(folder: string, into: string, path: string): string {
  const name = basename(path).replace(/\.[^.]+$/, '')
  return readdirSync(join(folder, into))
    .filter((each) => each.startsWith(`${name}-`))
    .map((each) => readFileSync(join(folder, into, each), 'utf8'))
    .join('\n')
}

async function readPdf(path: string): Promise<string> {
  return (await run('pdftotext', ['-q', path, '-'], { maxBuffer: 1 << 26 })).stdout
}

// ── encodings ──

function encodedFiles(folder: string): readonly CorpusFile[] {
  mkdirSync(join(folder, 'encoded'), { recursive: true })
  return languageTexts.flatMap(({ language, encodings, text }) =>
    ['utf-8', 'utf-16le', ...encodings.split(' ')].flatMap((encoding) => {
      const isUnicode = encoding.startsWith('utf')
      const guessed = isUnicode ? [] : ['encoding-guessed']
      const bytes = iconv.encode(text, encoding, { addBOM: encoding === 'utf-16le' })
      const expected = iconv.decode(bytes, encoding)
      const page = `<!DOCTYPE html><html><head><meta charset="${encoding}"><title>${language}</title></head><body><h1>1</h1><p>${text}</p></body></html>`
      const head = `From: a@example.org\r\nTo: b@example.org\r\nSubject: ${language}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=${encoding}\r\nContent-Transfer-Encoding: base64\r\n\r\n`
      const one = (kind: string, content: Buffer | string, warnings: readonly string[]): CorpusFile => {
        const path = join(folder, 'encoded', `${language}-${encoding}.${kind}`)
        writeFileSync(path, content)
        return { kind: `${kind} in ${encoding}`, path, expected, warnings }
      }
      return [
        one('txt', bytes, guessed),
        one('html', iconv.encode(page, encoding, { addBOM: encoding === 'utf-16le' }), []),
        one('eml', head + bytes.toString('base64').replace(/.{76}/g, '$&\r\n'), []),
        one('csv', iconv.encode(`a;b\n${rowsOf(text)}`, encoding, { addBOM: encoding === 'utf-16le' }), guessed),
      ]
    }),
  )
}

const rowsOf = (text: string): string =>
  text
    .replaceAll(';', ',')
    .split(/[.。]/)
    .map((sentence, index) => `${index};${sentence.replaceAll('"', '')}`)
    .join('\n')

// ── files that lose something ──

function warnedFiles(folder: string): readonly CorpusFile[] {
  mkdirSync(join(folder, 'warned'), { recursive: true })
  const one = (
    name: string,
    content: Buffer | string,
    expected: string,
    ...warnings: readonly string[]
  ): CorpusFile => {
    const path = join(folder, 'warned', name)
    writeFileSync(path, content)
    return { kind: 'files that lose something', path, expected, warnings }
  }
  const mail = (type: string, content: string): string =>
    `From: a@example.org\r\nTo: b@example.org\r\nSubject: Plan\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nSee the plan.\r\n--x\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename=plan.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n${content}\r\n--x--\r\n`
  return Array.from({ length: 10 }, (_, size) => size + 1).flatMap((size) => [
    one(
      `scripts-${size}.html`,
      `<!doctype html><html><body><div>Loading</div><script>${'var a = 1;'.repeat(3_000 * size)}</script></body></html>`,
      'Loading',
      'little-text',
    ),
    one(`blank-${size}.txt`, `one${' '.repeat(5_000 * size)}`, 'one', 'little-text'),
    one(`picture-${size}.rtf`, `{\\rtf1 {\\pict\\pngblip ${'00'.repeat(40_000 * size)}} Scan}`, 'Scan', 'little-text'),
    one(`mail-${size}.eml`, mail('image/png', 'iVBORw0KGgo='), 'See the plan', 'attachments-not-read'),
    one(`hidden-${size}.html`, `<!doctype html><p>Seen ${size}</p><p hidden>Unseen</p>`, `Seen ${size}`, 'hidden-text'),
    one(
      `cut-${size}.txt`,
      Buffer.concat([Buffer.from('Größe und Maß '.repeat(size)), Buffer.from([0xc3])]),
      'Größe',
      'undecodable',
    ),
  ])
}
