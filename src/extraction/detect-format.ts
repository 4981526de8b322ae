import type { DecodedText } from '../text-formats/decode-text.ts'
import { signatureOf } from '../text-formats/file-signatures.ts'
import { codeEndings, type Format, formats, supportedFormats } from '../text-formats/media-types.ts'
import { tableDelimiter } from '../text-formats/read-csv.ts'
import { isJsonLines } from './formats/extract-json.ts'
import { looksLikeMarkdown } from './formats/extract-markdown.ts'
import type { Archive } from './read/open-archive.ts'
import { readJson } from './read/read-json.ts'
import { readXmlText } from './read/read-xml.ts'
import { Rejection, unreadable } from './rejection.ts'

/** The kind of a file by its first bytes, before it is read. */
export type Container = 'pdf' | 'rtf' | 'archive' | 'text'

/**
 * Detects the kind of a file by its bytes. The name of the file does not count.
 *
 * @throws Rejection with the detected format, when it is not supported
 */
export function detectContainer(bytes: Uint8Array): Container {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1')
  if (isPdf(head, bytes)) return 'pdf'
  const found = signatureOf(head)
  if (found === undefined || found.mediaType === formats.pdf.mediaType) return 'text'
  if (found.mediaType === formats.rtf.mediaType) return 'rtf'
  if (found.mediaType === 'application/zip') return 'archive'
  throw found.mediaType === 'application/x-ole-storage' ? rejectCompoundFile(bytes) : unsupported(found.name)
}

/** A PDF may have other bytes before its first line; a text that quotes that line lacks the end of a PDF. */
function isPdf(head: string, bytes: Uint8Array): boolean {
  if (/^(?:\xef\xbb\xbf)?[\s\0]*%PDF-\d/.test(head)) return true
  return /[\r\n]%PDF-\d/.test(head) && Buffer.from(bytes.subarray(-1_024)).toString('latin1').includes('%%EOF')
}

export function unsupported(found: string): Rejection {
  return new Rejection({ kind: 'unsupported-media-type', found, expected: supportedFormats })
}

/** Older Office formats, and the container of encrypted newer ones. */
function rejectCompoundFile(head: Uint8Array): Rejection {
  const names = Buffer.from(head).toString('utf16le') + Buffer.from(head.subarray(1)).toString('utf16le')
  if (names.includes('EncryptedPackage'))
    return unreadable('encrypted', 'the office document is protected by a password', 'open')
  if (names.includes('WordDocument')) return unsupported('a Word document of the format before 2007 (.doc)')
  if (names.includes('Workbook') || names.includes('Book\0'))
    return unsupported('an Excel workbook of the format before 2007 (.xls)')
  if (names.includes('PowerPoint Document'))
    return unsupported('a PowerPoint presentation of the format before 2007 (.ppt)')
  if (names.includes('__substg1.0_')) return unsupported('an Outlook message (.msg)')
  return unsupported('an OLE compound file')
}

/** The format of an archive, as its entries declare it. */
export async function detectInArchive(archive: Archive): Promise<Format> {
  const { names } = archive
  if (names.has('[Content_Types].xml')) return detectOfficeOpenXml(archive)
  const type = (await archive.readSmall('mimetype'))?.toString('latin1').trim() ?? ''
  if (type === formats.epub.mediaType || names.has('META-INF/container.xml')) return 'epub'
  const openDocument =
    /^application\/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)(?:-(?:web|master|template|master-template))?$/.exec(
      type,
    )?.[1]
  if (openDocument === 'text') return 'odt'
  if (openDocument === 'presentation') return 'odp'
  if (openDocument === 'spreadsheet') return 'ods'
  throw unsupported(type === '' || type.length > 100 ? 'a ZIP archive' : `a ZIP archive of type ${type}`)
}

async function detectOfficeOpenXml(archive: Archive): Promise<Format> {
  const types = (await archive.readSmall('[Content_Types].xml'))?.toString('utf8') ?? ''
  if (/ms-excel\.sheet\.binary|sheet\.binary\.macro/.test(types)) throw unsupported('an Excel binary workbook (.xlsb)')
  if (
    /(?:wordprocessingml|ms-word)\.(?:document|template)[\w.]*\.?main\+xml|ms-word\.(?:document|template)/.test(types)
  )
    return 'docx'
  if (/(?:presentationml|ms-powerpoint)\.(?:presentation|slideshow|template)[\w.]*\.?main\+xml/.test(types))
    return 'pptx'
  if (/(?:spreadsheetml|ms-excel)\.(?:sheet|template)[\w.]*\.?main\+xml/.test(types)) return 'xlsx'
  // Some programs declare the type of the main part only by its file name ending; then the parts decide.
  if (archive.names.has('word/document.xml')) return 'docx'
  if (archive.names.has('ppt/presentation.xml')) return 'pptx'
  if (archive.names.has('xl/workbook.xml')) return 'xlsx'
  throw unsupported('an Office Open XML package of another kind')
}

export interface TextFormat {
  readonly format: Format
  readonly mediaType: string
  /** Delimiter of a table. */
  readonly delimiter?: string
}

/** The format of a text by its content; if that is ambiguous, the file name ending decides. */
export function detectTextFormat({ text }: DecodedText, fileName: string): TextFormat {
  const ending = endingOf(fileName)
  const format = markupFormat(text, ending) ?? dataFormat(text, ending)
  if (format !== undefined) return { format, mediaType: formats[format].mediaType }
  const language = codeEndings.get(ending)
  if (language !== undefined) return { format: 'code', mediaType: `text/x-${language}` }
  const isTableName = ending === 'csv' || ending === 'tsv' || ending === 'tab'
  const delimiter = ending === 'md' || ending === 'txt' ? undefined : tableDelimiter(text, isTableName)
  if (delimiter !== undefined) {
    const table = delimiter === '\t' ? 'tsv' : 'csv'
    return { format: table, mediaType: formats[table].mediaType, delimiter }
  }
  const isNamedMarkdown = ending === 'md' || ending === 'markdown'
  if (!isNamedMarkdown && !looksLikeMarkdown(text)) return { format: 'text', mediaType: formats.text.mediaType }
  // A .txt file keeps the media type of plain text; its headings still count as headings.
  return { format: 'markdown', mediaType: formats[ending === 'txt' ? 'text' : 'markdown'].mediaType }
}

function endingOf(fileName: string): string {
  const base = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1).toLowerCase()
  return base.slice(base.lastIndexOf('.') + 1)
}

const headUnits = 4_096

function markupFormat(text: string, ending: string): Format | undefined {
  const head = text.slice(0, headUnits).replace(/^\ufeff?\s*/, '')
  if (isMail(head)) return 'eml'
  if (!head.startsWith('<')) return undefined
  const root = rootElement(head)
  const isHtml =
    /^<!doctype\s+html/i.test(head) ||
    root === 'html' ||
    ((ending === 'html' || ending === 'htm') && root !== undefined)
  if (isHtml) return 'html'
  if (head.startsWith('<?xml')) return 'xml'
  if (ending === 'vue' || ending === 'svelte') return undefined
  if (ending !== 'xml' && root !== undefined && htmlElements.has(root)) return 'html'
  return root !== undefined && isWellFormed(text) ? 'xml' : undefined
}

/** The first element after declarations and comments. */
function rootElement(head: string): string | undefined {
  let rest = head
  for (;;) {
    const skipped = /^<(?:\?[^>]*\?|!--[\s\S]*?--|![^>[]*(?:\[[^\]]*\])?\s*)>\s*/.exec(rest)
    if (skipped === null) return /^<([a-zA-Z][\w:.-]*)[\s/>]/.exec(rest)?.[1]?.toLowerCase()
    rest = rest.slice(skipped[0].length)
  }
}

const htmlElements: ReadonlySet<string> = new Set(
  'html head body title meta link style script div p h1 h2 h3 h4 h5 h6 table ul ol dl pre blockquote section article header footer main nav span a b i em strong center font form br hr img'.split(
    ' ',
  ),
)

/** Without a declaration, a text that is not well-formed is another format that begins with a bracket. */
function isWellFormed(text: string): boolean {
  try {
    readXmlText(text, {})
    return true
  } catch (error) {
    if (error instanceof Rejection && error.problem.kind === 'unreadable-document' && error.problem.cause === 'damaged')
      return false
    throw error
  }
}

const mailHeaders =
  /^(?:from|to|cc|subject|date|message-id|received|mime-version|return-path|delivered-to|content-type|content-transfer-encoding|content-disposition|content-id|content-location|reply-to|sender|x-[\w-]+|dkim-signature|in-reply-to|references)$/i

/** A message begins with header lines, up to an empty line or the end of the sample; some of them are mail headers. */
function isMail(head: string): boolean {
  const lines = head.replace(/^From .*\r?\n/, '').split(/\r?\n/)
  const known = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (line === '' || index === lines.length - 1) break
    if (/^[ \t]/.test(line) && index > 0) continue
    const name = /^([!-9;-~]{1,76}):/.exec(line)?.[1]
    if (name === undefined) return false
    if (mailHeaders.test(name)) known.add(name.toLowerCase())
  }
  const isAddressed = known.has('from') || known.has('to') || known.has('received') || known.has('return-path')
  return (isAddressed && known.size >= 3) || hasMailContent(head, known)
}

/** Mail without senders and recipients: a web archive, a part of a message, a mail whose first lines declare its content. */
function hasMailContent(head: string, known: ReadonlySet<string>): boolean {
  if (!/^content-type:[ \t]*[a-z]+\/[\w.+-]+/im.test(head)) return false
  if (known.has('mime-version') || known.has('content-transfer-encoding')) return true
  return /^content-type:[ \t]*multipart\/[^\n]*(?:\n[ \t][^\n]*){0,4}boundary=/i.test(head)
}

function dataFormat(text: string, ending: string): Format | undefined {
  const first = text.slice(0, 100).replace(/^\ufeff?\s*/, '')[0]
  const maySpeakJson = first === '{' || first === '[' || ending === 'json'
  if (maySpeakJson && readJson(text, { value: () => undefined, endOfMember: () => undefined })) return 'json'
  if ((first === '{' || first === '[') && isJsonLines(text, ending === 'jsonl' || ending === 'ndjson')) return 'jsonl'
  return undefined
}
