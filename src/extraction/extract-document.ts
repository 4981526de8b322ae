import { readFile } from 'node:fs/promises'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { declaredEncoding } from '../text-formats/declared-encoding.ts'
import { type DecodedText, decodeText } from '../text-formats/decode-text.ts'
import { type Format, formats } from '../text-formats/media-types.ts'
import type { ReadAttachment } from './attachment-text.ts'
import { checkText } from './check-text.ts'
import { detectContainer, detectInArchive, detectTextFormat, type TextFormat, unsupported } from './detect-format.ts'
import type { ExtractedText } from './extracted-text.ts'
import type { ExtractionLimits } from './extraction-limits.ts'
import { extractDelimited } from './formats/extract-delimited.ts'
import { extractDocx } from './formats/extract-docx.ts'
import { extractEmail } from './formats/extract-email.ts'
import { extractEpub } from './formats/extract-epub.ts'
import { extractHtml } from './formats/extract-html.ts'
import { extractJson, extractJsonLines } from './formats/extract-json.ts'
import { extractMarkdown } from './formats/extract-markdown.ts'
import { extractOpenDocument } from './formats/extract-opendocument.ts'
import { extractPlain } from './formats/extract-plain.ts'
import { extractPptx } from './formats/extract-pptx.ts'
import { extractRtf } from './formats/extract-rtf.ts'
import { extractWordXml, isWordXml } from './formats/extract-word-xml.ts'
import { extractXlsx } from './formats/extract-xlsx.ts'
import { extractXml } from './formats/extract-xml.ts'
import type { FileToRead } from './process/extractor-messages.ts'
import { openArchive } from './read/open-archive.ts'
import { type FileProblem, Rejection, unreadable } from './rejection.ts'
import { type AboutText, createTextBuilder, type TextSink } from './text-builder.ts'

type About = Partial<Omit<AboutText, 'mediaType'>>

/**
 * Extracts the text of a file: detects, opens and reads it. Runs in a separate process (`extractor-pool.ts`), because a
 * malicious file can use all the memory and time that it gets.
 *
 * @param onPage called after each page of formats that take long per page
 * @throws when the file cannot be read from the disk
 */
export async function extractDocument(
  file: FileToRead,
  limits: ExtractionLimits,
  onPage: (done: number, of: number) => void,
): Promise<Result<ExtractedText, FileProblem>> {
  // Outside of the try block: a missing file is not an error in the file.
  const bytes = await readFile(file.path)
  try {
    const into = createTextBuilder(limits)
    const readAttachment: ReadAttachment = (attached, name, text) =>
      readInto(attached, name, { limits, into: text, onPage: () => undefined })
    const about = await readInto(bytes, file.fileName, { limits, into, onPage, readAttachment, charset: file.charset })
    return succeed(checkText(into.finish(about), bytes.length, about.expectedAs))
  } catch (error) {
    return fail(problemOf(error))
  }
}

interface ExtractionState {
  readonly limits: ExtractionLimits
  readonly into: TextSink
  readonly onPage: (done: number, of: number) => void
  /** Absent inside an attachment: nested attachments are not read. */
  readonly readAttachment?: ReadAttachment
  /** Encoding of a text, given by the caller. */
  readonly charset?: string | undefined
}

async function readInto(bytes: Buffer, fileName: string, state: ExtractionState): Promise<AboutText> {
  const container = detectContainer(bytes)
  if (container === 'archive') return readArchive(bytes, state)
  if (container === 'pdf') {
    // Loaded with the first PDF: the library is the largest part of the process.
    const { extractPdf } = await import('./formats/extract-pdf.ts')
    return { mediaType: formats.pdf.mediaType, ...(await extractPdf(new Uint8Array(bytes), state)) }
  }
  if (container === 'rtf') return { mediaType: formats.rtf.mediaType, ...extractRtf(bytes, state.into) }
  return readText(bytes, fileName, state)
}

/** An exception of a parser is an error in the file: a valid file does not cause one. */
function problemOf(error: unknown): FileProblem {
  if (error instanceof Rejection) return error.problem
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const isMemory = error instanceof RangeError && /allocat|string length|array length/i.test(message)
  return unreadable(isMemory ? 'out-of-memory' : 'damaged', `${name}: ${message.slice(0, 200)}`).problem
}

// ── archives ──

async function readArchive(bytes: Buffer, { limits, into, readAttachment }: ExtractionState): Promise<AboutText> {
  const archive = await openArchive(bytes, limits)
  try {
    const format = await detectInArchive(archive)
    const about = await archiveReaders[format]?.(archive, into, readAttachment)
    return { mediaType: formats[format].mediaType, ...about }
  } finally {
    archive.close()
  }
}

type ArchiveReader = (
  archive: Awaited<ReturnType<typeof openArchive>>,
  into: TextSink,
  readEmbedded?: ReadAttachment,
) => Promise<About>

const archiveReaders: Readonly<Partial<Record<Format, ArchiveReader>>> = {
  docx: extractDocx,
  pptx: extractPptx,
  xlsx: extractXlsx,
  odt: (archive, into) => extractOpenDocument(archive, 'odt', into),
  odp: (archive, into) => extractOpenDocument(archive, 'odp', into),
  ods: (archive, into) => extractOpenDocument(archive, 'ods', into),
  epub: extractEpub,
}

// ── texts ──

async function readText(
  bytes: Uint8Array,
  fileName: string,
  { limits, into, readAttachment, charset }: ExtractionState,
): Promise<AboutText> {
  // No encoding needs more than four bytes per character: a longer file exceeds the limit before it is decoded.
  if (bytes.length > limits.maxTextUnits * 4)
    throw unreadable('too-much-text', `more than ${limits.maxTextUnits} characters of text`)
  const decoded = decodeText(bytes, { given: charset, declared: declaredEncoding(bytes) })
  if (decoded === undefined) throw unsupported('binary data of no format that we know')
  const detected = detectTextFormat(decoded, fileName)
  if (detected.format === 'eml') {
    // A message declares the encodings of its parts. They do not apply any more if it was saved as UTF-16.
    const message = /^utf-16/.test(decoded.encoding) ? Buffer.from(decoded.text) : bytes
    return { mediaType: detected.mediaType, ...(await extractEmail(message, into, readAttachment)) }
  }
  flagEncoding(decoded, into)
  const about = await addText(decoded, detected, into)
  return { mediaType: detected.mediaType, ...about }
}

/** @throws Rejection when the encoding cannot be determined */
function flagEncoding({ undecodable, isGuessed, encoding, rival }: DecodedText, into: TextSink): void {
  if (rival !== undefined)
    throw unreadable(
      'ambiguous-encoding',
      `it may be in ${encoding} or in ${rival}, which give different texts: name the encoding as charset`,
      'decode',
    )
  into.flag('undecodable', undecodable)
  if (isGuessed) into.flag('encoding-guessed', 1, [encoding])
}

async function addText({ text }: DecodedText, { format, delimiter = ',' }: TextFormat, into: TextSink): Promise<About> {
  switch (format) {
    case 'html':
      return extractHtml(text, into)
    case 'markdown':
      return extractMarkdown(text, into)
    case 'xml':
      if (isWordXml(text)) return { ...(await extractWordXml(text, into)), expectedAs: 'docx' }
      return extractXml(text, into)
    case 'json':
      return nothingDeclared(extractJson(text, into))
    case 'jsonl':
      return nothingDeclared(extractJsonLines(text, into))
    case 'csv':
    case 'tsv':
      return nothingDeclared(extractDelimited(text, delimiter, into))
    default:
      return extractPlain(text, format === 'code' ? 'code' : 'paragraph', into)
  }
}

const nothingDeclared = (_: unknown): About => ({})
