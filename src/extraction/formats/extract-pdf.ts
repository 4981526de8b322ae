import { getDocumentProxy } from 'unpdf'
import { hasWords } from '../expected-text.ts'
import type { ExtractionLimits } from '../extraction-limits.ts'
import { annotationLines, type PdfAnnotation } from '../read/pdf-forms.ts'
import { linesOfPage, type PdfLine } from '../read/pdf-lines.ts'
import { addPdfText, type OutlineEntry } from '../read/pdf-structure.ts'
import { linesOfXfa } from '../read/pdf-xfa.ts'
import { type Rejection, unreadable } from '../rejection.ts'
import type { TextSink } from '../text-builder.ts'

export interface PdfState {
  readonly limits: ExtractionLimits
  readonly into: TextSink
  readonly onPage: (done: number, of: number) => void
}

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>

/** Adds the text of a PDF page by page. A file without any text is rejected: it is a scan, and we do not read pictures. */
export async function extractPdf(
  bytes: Uint8Array,
  { limits, into, onPage }: PdfState,
): Promise<{ readonly pages: number; readonly title?: string; readonly language?: string }> {
  // The library takes ownership of the bytes.
  const pdf = await open(bytes.slice())
  try {
    const pages = pdf.numPages
    if (pages > limits.maxPages)
      throw unreadable('too-many-pages', `${pages} pages; at most ${limits.maxPages} are read`)
    if (await isOnlyXfa(pdf)) {
      const form = linesOfXfa(bytes)
      addForm(form, into)
      if (form.length > 0) return { pages, ...(await readAbout(pdf)) }
      into.flag('little-text')
    }
    const linesOfPages = await readPages(pdf, limits, onPage)
    const emptyPages = linesOfPages.filter((lines) => !lines.some(({ text }) => hasWords(text))).length
    if (emptyPages === pages)
      throw unreadable('no-text', `${pages} pages without a text layer: a scan must be recognised first`)
    into.flag('pages-without-text', emptyPages)
    addPdfText(linesOfPages, await readOutline(pdf), into)
    return { pages, ...(await readAbout(pdf)) }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

/** The pages of a pure XFA form contain only a message that the program is too old. */
function addForm(lines: readonly string[], into: TextSink): void {
  into.turnToPage(1)
  for (const line of lines) into.add('paragraph', line)
}

async function isOnlyXfa(pdf: PdfDocument): Promise<boolean> {
  try {
    const { info } = await pdf.getMetadata()
    const { IsXFAPresent: hasXfa, IsAcroFormPresent: hasFields } = info as Readonly<Record<string, unknown>>
    return hasXfa === true && hasFields !== true
  } catch {
    return false
  }
}

async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(bytes, {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
    })
  } catch (error) {
    throw rejectionOf(error)
  }
}

function rejectionOf(error: unknown): Rejection {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  if (name === 'PasswordException') return unreadable('encrypted', 'the PDF is protected by a password', 'open')
  return unreadable('damaged', `the PDF: ${message.replace(/\.$/, '')}`, 'open')
}

async function readPages(
  pdf: PdfDocument,
  limits: ExtractionLimits,
  onPage: PdfState['onPage'],
): Promise<readonly (readonly PdfLine[])[]> {
  const linesOfPages: (readonly PdfLine[])[] = []
  let units = 0
  for (let number = 1; number <= pdf.numPages; number++) {
    const lines = await readPage(pdf, number)
    for (const { text } of lines) units += text.length
    if (units > limits.maxTextUnits)
      throw unreadable('too-much-text', `more than ${limits.maxTextUnits} characters of text`)
    linesOfPages.push(lines)
    onPage(number, pdf.numPages)
  }
  return linesOfPages
}

async function readPage(pdf: PdfDocument, number: number): Promise<readonly PdfLine[]> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const [, bottom = 0, , top = 0] = page.view
    const filled = annotationLines((await page.getAnnotations()) as readonly PdfAnnotation[])
    page.cleanup()
    const lines = linesOfPage(
      items.filter((item) => 'str' in item),
      { bottom, top },
    )
    return [...lines, ...filled.map((text, index) => lineBelow(text, index, lines))]
  } catch (error) {
    throw unreadable('damaged', `page ${number} of the PDF: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A line below all other lines of the page, in the size of the last one. */
function lineBelow(text: string, index: number, lines: readonly PdfLine[]): PdfLine {
  const size = lines.at(-1)?.size ?? 10
  return {
    text,
    size,
    x: 0,
    y: -1_000 - index * size * 10,
    cells: [{ x: 0, text }],
    parts: [{ x: 0, text }],
    height: 0.5,
  }
}

async function readAbout(pdf: PdfDocument): Promise<{ readonly title?: string; readonly language?: string }> {
  try {
    const { info } = await pdf.getMetadata()
    const { Title: title, Language: language } = info as Readonly<Record<string, unknown>>
    return {
      // Print programs put the file name there.
      ...(typeof title === 'string' && title.trim() !== '' && !/\.\w{2,4}$|^(?:untitled|microsoft word - )/i.test(title)
        ? { title }
        : {}),
      ...(typeof language === 'string' ? { language: language.split('-')[0] ?? '' } : {}),
    }
  } catch {
    return {}
  }
}

/** More than the longest tables of contents. */
const maxOutlineEntries = 5_000

async function readOutline(pdf: PdfDocument): Promise<readonly OutlineEntry[]> {
  interface Item {
    readonly title: string
    readonly items: readonly Item[]
  }
  const entries: OutlineEntry[] = []
  try {
    const waiting = ((await pdf.getOutline()) ?? []).map((item: Item) => ({ item, level: 1 })).reverse()
    while (entries.length < maxOutlineEntries) {
      const next = waiting.pop()
      if (next === undefined) break
      entries.push({ title: next.item.title, level: next.level })
      for (const item of [...next.item.items].reverse()) waiting.push({ item, level: next.level + 1 })
    }
  } catch {
    // A broken outline loses the headings, not the text.
  }
  return entries
}
