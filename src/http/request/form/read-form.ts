import { readUtf8 } from '../utf8.ts'
import type { PulledBytes } from './pull-bytes.ts'

/** A part of a form. Unread content is skipped when the next part is read. */
export interface FormPart {
  readonly name: string
  /** undefined: sent without a file name. */
  readonly fileName: string | undefined
  /** Without parameters, lower case; `text/plain` by default. */
  readonly type: string
  /** Of a text: lower case; `utf-8` by default. */
  readonly charset: string
  /** The part names its charset. */
  readonly hasCharset?: true
  readonly content: AsyncIterable<Buffer>
}

/** The body is not a valid form. The message completes "the form cannot be read:". */
export class BrokenForm extends Error {}

/** A byte that is not UTF-8, in the head of a part. */
export class InvalidUtf8 extends Error {
  /** The name of the part, if it is known. */
  readonly part: string
  /** In UTF-16 units. */
  readonly position: number
  constructor(part: string, position: number) {
    super(`the head of the part ${part} is not UTF-8`)
    this.part = part
    this.position = position
  }
}

/**
 * Reads `multipart/form-data` (RFC 7578) chunk by chunk: it holds only what it needs to find the next boundary. Names must be UTF-8;
 * `filename*` with an encoding (RFC 8187) wins over `filename`. Existing libraries replace invalid bytes by replacement characters, parse
 * parts of type JSON by themselves, or hold files in memory.
 *
 *     form      := { preamble } boundary { part boundary } "--" epilogue
 *     boundary  := CRLF "--" text-of-the-type blanks
 *     part      := CRLF { header CRLF } CRLF content
 *
 * @param contentType of the request
 * @throws BrokenForm, InvalidUtf8, or what the body throws
 */
export async function* readForm(body: Pick<PulledBytes, 'next'>, contentType: string): AsyncGenerator<FormPart> {
  const pieces = new Pieces(body)
  const boundary = Buffer.from(`\r\n--${boundaryOf(contentType)}`, 'latin1')
  await skip(pieces.upTo(boundary))
  while (!(await isEnd(pieces))) {
    const head = await readHead(pieces)
    let isRead = false
    const read = async function* (): AsyncGenerator<Buffer> {
      yield* pieces.upTo(boundary)
      isRead = true
    }
    yield { ...partOf(head), content: read() }
    if (!isRead) await skip(pieces.upTo(boundary))
  }
}

/** RFC 2046 allows 70 characters; no client needs more than this. */
const longestBoundary = 200

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? ''
  if (boundary === '' || boundary.length > longestBoundary)
    throw new BrokenForm('its Content-Type names no boundary that can be used')
  return boundary
}

async function skip(content: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of content) {
    // The remaining content is not needed.
  }
}

async function isEnd(pieces: Pieces): Promise<boolean> {
  return (await pieces.next(2)).toString('latin1') === '--'
}

/** Longest head of a part; clients send about a hundredth of it. */
const longestHead = 16_384

/** Header fields by their names in lower case; a byte is a character. */
type Head = ReadonlyMap<string, string>

async function readHead(pieces: Pieces): Promise<Head> {
  const read: Buffer[] = []
  let length = 0
  for await (const piece of pieces.upTo(emptyLine)) {
    length += piece.length
    if (length > longestHead) throw new BrokenForm(`the head of a part is longer than ${longestHead} bytes`)
    read.push(piece)
  }
  // The first line is the rest of the boundary line; a line that begins with a blank continues the line before.
  const [rest = '', ...lines] = Buffer.concat(read)
    .toString('latin1')
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  if (rest.trim() !== '') throw new BrokenForm('something stands behind a boundary on its line')
  const head = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new BrokenForm('a line in the head of a part is not a header')
    head.set(name.toLowerCase(), value)
  }
  return head
}

const emptyLine = Buffer.from('\r\n\r\n')

// ── heads ──

function partOf(head: Head): Omit<FormPart, 'content'> {
  const disposition = parameterized(head.get('content-disposition') ?? '')
  const sent = disposition.parameters.get('name')
  if (disposition.value !== 'form-data' || sent === undefined)
    throw new BrokenForm('a part does not say what it is: Content-Disposition: form-data; name="…" is missing')
  const name = unescaped(decodeUtf8(sent, ''))
  const coding = (head.get('content-transfer-encoding') ?? 'binary').trim().toLowerCase()
  if (!sentAsItIs.has(coding)) throw new BrokenForm(`the part ${name} is sent in ${coding}: send its bytes as they are`)
  const type = parameterized(head.get('content-type') ?? 'text/plain')
  return {
    name,
    fileName: fileNameOf(disposition.parameters, name),
    type: type.value,
    charset: type.parameters.get('charset')?.toLowerCase() ?? 'utf-8',
    ...(type.parameters.has('charset') ? { hasCharset: true } : {}),
  }
}

const sentAsItIs: ReadonlySet<string> = new Set(['binary', '8bit', '7bit'])

interface Parameterized {
  /** In lower case. */
  readonly value: string
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * `value; name=token; name="text"`. A backslash escapes a quotation mark or a backslash, and is itself before any other character. Browsers
 * write `filename="\"`: a quotation mark at the end ends the text.
 */
function parameterized(text: string): Parameterized {
  const [value = ''] = text.split(';', 1)
  const parameters = new Map<string, string>()
  const one = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\\\|\\"(?!\s*$)|\\(?!["\\])|\\(?="\s*$))*)"|([^;]*))/g
  for (const [, name = '', quoted, plain = ''] of text.slice(value.length).matchAll(one)) {
    const key = name.toLowerCase()
    if (parameters.has(key)) throw new BrokenForm(`the head of a part says ${key} twice`)
    parameters.set(key, quoted === undefined ? plain.trim() : quoted.replaceAll(/\\(["\\])/g, '$1'))
  }
  return { value: value.trim().toLowerCase(), parameters }
}

function decodeUtf8(latin1: string, part: string): string {
  const read = readUtf8(Buffer.from(latin1, 'latin1'))
  if (!read.ok) throw new InvalidUtf8(part, read.position)
  return read.text
}

function fileNameOf(parameters: ReadonlyMap<string, string>, part: string): string | undefined {
  const encoded = parameters.get('filename*')
  if (encoded !== undefined) return decodeExtended(encoded, part)
  const plain = parameters.get('filename')
  return plain === undefined ? undefined : unescaped(decodeUtf8(plain, part))
}

/** Browsers escape quotation marks and line ends in names, and nothing else: `%` stays as it is (HTML standard, multipart/form-data). */
const unescaped = (text: string): string => text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')

/** RFC 8187: `UTF-8'en'letters%20in%20bytes`; in any encoding that Node knows. */
function decodeExtended(text: string, part: string): string {
  const [, charset = '', value = ''] = /^([^']+)'[^']*'((?:[^%]|%[0-9a-f]{2})*)$/i.exec(text) ?? []
  const bytes = Buffer.from(
    value.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  if (/^utf-?8$/i.test(charset)) return decodeUtf8(bytes.toString('latin1'), part)
  const decoded = decodeStrictly(bytes, charset)
  if (decoded === undefined) throw new BrokenForm(`filename* of the part ${part} cannot be decoded`)
  return decoded
}

/** @returns undefined if the encoding is unknown, or the bytes are invalid in it */
export function decodeStrictly(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

// ── bytes ──

/** A body as it arrives, read from its beginning. */
class Pieces {
  readonly #source: Pick<PulledBytes, 'next'>
  // Before the first boundary a line end may be missing.
  #rest: Buffer = Buffer.from('\r\n')

  constructor(body: Pick<PulledBytes, 'next'>) {
    this.#source = body
  }

  /** Chunks of the text before a delimiter; the delimiter is skipped too. */
  async *upTo(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(mark)
      if (at !== -1) {
        const before = this.#rest.subarray(0, at)
        this.#rest = this.#rest.subarray(at + mark.length)
        if (before.length > 0) yield before
        return
      }
      // The delimiter may begin in the bytes at hand and end in the next chunk.
      const sure = this.#rest.length - mark.length + 1
      if (sure > 0) {
        const before = this.#rest.subarray(0, sure)
        this.#rest = this.#rest.subarray(sure)
        yield before
      }
      await this.#more()
    }
  }

  /** The next bytes, without consuming them. */
  async next(count: number): Promise<Buffer> {
    while (this.#rest.length < count) await this.#more()
    return this.#rest.subarray(0, count)
  }

  async #more(): Promise<void> {
    const piece = await this.#source.next()
    if (piece === undefined) throw new BrokenForm('it ends before its last boundary')
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
  }
}
