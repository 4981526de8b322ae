import { isUtf8 } from 'node:buffer'
import { charsetLabel } from '../../text-formats/charset-labels.ts'
import { declaredEncoding } from '../../text-formats/declared-encoding.ts'
import { type DecodedText, decodeText } from '../../text-formats/decode-text.ts'

/** A message whose texts and header lines the MIME parser can read. */
export interface ReadableMail {
  readonly bytes: Uint8Array
  /** Labels of encodings that statistics determined. */
  readonly guessed: readonly string[]
  readonly undecodable: number
}

/**
 * The same message, with texts in UTF-8 that the MIME parser would misread: without a charset or with a wrong one, in an
 * unknown encoding, in UTF-16. The other bytes are unchanged.
 */
export function withReadableTexts(bytes: Uint8Array): ReadableMail {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const changes = changesIn(source)
  const guessed = changes.flatMap(({ decoded }) => (decoded.isGuessed ? [decoded.encoding] : []))
  const undecodable = changes.reduce((sum, { decoded }) => sum + decoded.undecodable, 0)
  return { bytes: changes.length === 0 ? bytes : withChanges(source, changes), guessed, undecodable }
}

function withChanges(source: Buffer, changes: readonly Change[]): Buffer {
  const pieces: Buffer[] = []
  let done = 0
  for (const { from, to, replacement } of changes) {
    pieces.push(source.subarray(done, from), replacement)
    done = to
  }
  return Buffer.concat([...pieces, source.subarray(done)])
}

interface Change {
  readonly from: number
  readonly to: number
  readonly replacement: Buffer
  readonly decoded: Pick<DecodedText, 'encoding' | 'isGuessed' | 'undecodable'>
}

function changesIn(source: Buffer): readonly Change[] {
  const changes: Change[] = []
  for (const part of partsOf(source)) {
    const text = changeOfText(source, part)
    const head = changeOfHead(source, part, text)
    if (head !== undefined) changes.push(head)
    if (text !== undefined) changes.push({ ...text, from: part.body, to: part.end })
  }
  return changes
}

// ── parts ──

/** Offsets of a part: its header lines, then its body. */
interface Part {
  readonly head: number
  readonly body: number
  readonly end: number
}

/** More than real mails have; a malicious one may consist of boundaries only. */
const maxParts = 10_000
const maxHeadBytes = 1024 * 1024

function* partsOf(source: Buffer): Generator<Part> {
  const boundaries = new Set<string>()
  let head: number | undefined = 0
  let body: number | undefined
  let parts = 0
  for (let at = 0; at < source.length && parts < maxParts; ) {
    const next = endOfLine(source, at)
    if (head !== undefined && body === undefined) {
      if (isEmptyLine(source, at, next) || at - head > maxHeadBytes) {
        const fields = headText(source, head, at)
        const boundary = parameterOf(fieldOf(fields, 'content-type'), 'boundary')
        if (boundary !== undefined) boundaries.add(boundary)
        // A message inside a message begins with header lines again.
        if (/^message\/(?:rfc822|global)/i.test(fieldOf(fields, 'content-type').trim())) head = next
        else body = next
      }
    } else if (source[at] === 0x2d && source[at + 1] === 0x2d) {
      const line = source.toString('latin1', at + 2, Math.min(next, at + 250)).trimEnd()
      const isLast = line.endsWith('--') && boundaries.has(line.slice(0, -2))
      if (isLast || boundaries.has(line)) {
        if (head !== undefined && body !== undefined) yield { head, body, end: at }
        parts++
        head = isLast ? undefined : next
        body = undefined
      }
    }
    at = next
  }
  if (head !== undefined && body !== undefined) yield { head, body, end: source.length }
}

function endOfLine(source: Buffer, from: number): number {
  const at = source.indexOf(0x0a, from)
  return at < 0 ? source.length : at + 1
}

function isEmptyLine(source: Buffer, from: number, to: number): boolean {
  return to - from <= 2 && (source[from] === 0x0a || source[from] === 0x0d)
}

/** One byte per character; folded lines are joined. */
function headText(source: Buffer, from: number, to: number): string {
  return source.toString('latin1', from, to).replace(/\r?\n[ \t]+/g, ' ')
}

function fieldOf(head: string, name: string): string {
  return new RegExp(`^${name}:(.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
}

function parameterOf(field: string, name: string): string | undefined {
  const [, quoted, plain] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i').exec(field) ?? []
  return quoted ?? plain
}

// ── header lines ──

/** Header lines with raw bytes: in UTF-8, in the encoding of the text below them, or in one determined by statistics. */
function changeOfHead(source: Buffer, { head, body }: Part, text: TextChange | undefined): Change | undefined {
  const bytes = source.subarray(head, body)
  const isRaw = !isUtf8(bytes)
  if (!isRaw && text === undefined) return undefined
  const declared = parameterOf(fieldOf(headText(source, head, body), 'content-type'), 'charset')
  const decoded = isRaw ? decodeText(bytes, { declared: text?.decoded.encoding ?? declared }) : undefined
  if (isRaw && decoded === undefined) return undefined
  const lines = decoded?.text ?? bytes.toString('utf8')
  return {
    from: head,
    to: body,
    replacement: Buffer.from(text === undefined ? lines : withUtf8(lines)),
    decoded: decoded ?? { encoding: 'utf-8', isGuessed: false, undecodable: 0 },
  }
}

/** The header lines of a part whose text is now UTF-8 in base64. */
function withUtf8(lines: string): string {
  const fields = lines.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const type = fields.find((line) => /^content-type:/i.test(line)) ?? 'Content-Type: text/plain'
  const kept = fields.filter((line) => line !== '' && !/^content-(?:type|transfer-encoding):/i.test(line))
  const ownType = type.replace(/;\s*charset\s*=\s*(?:"[^"]*"|[^\s;]*)/gi, '')
  return [...kept, `${ownType}; charset=utf-8`, 'Content-Transfer-Encoding: base64', '', ''].join('\r\n')
}

// ── texts ──

interface TextChange {
  readonly replacement: Buffer
  readonly decoded: DecodedText
}

/** @returns undefined when the parser reads the text of the part correctly, or it has none */
function changeOfText(source: Buffer, { head, body, end }: Part): TextChange | undefined {
  const fields = headText(source, head, body)
  const type = fieldOf(fields, 'content-type')
  if (type !== '' && !/^text\//i.test(type)) return undefined
  const named = parameterOf(type, 'charset')
  // An attachment is read as a separate file with its own encoding detection.
  if (named === undefined && /^attachment/i.test(fieldOf(fields, 'content-disposition'))) return undefined
  const bytes = transferDecoded(source.subarray(body, end), fieldOf(fields, 'content-transfer-encoding'))
  const decoded = misreadText(bytes, named)
  if (decoded === undefined) return undefined
  const lines = Buffer.from(decoded.text).toString('base64').replace(/.{76}/g, '$&\r\n')
  return { replacement: Buffer.from(`${lines}\r\n`), decoded }
}

/** Labels that mean "unknown" in mail. */
const unknownCharsets: ReadonlySet<string> = new Set([
  'us-ascii',
  'ascii',
  'unknown-8bit',
  'default_charset',
  'x-unknown',
])

function misreadText(bytes: Buffer, named: string | undefined): DecodedText | undefined {
  const charset = named === undefined || unknownCharsets.has(named.toLowerCase()) ? undefined : charsetLabel(named)
  const isRead = isUtf8(bytes) ? charset === 'utf-8' || isAscii(bytes) : false
  if (isRead && !/^(?:utf-16|iso-2022)/.test(charset ?? '')) return undefined
  if (charset !== undefined && /^utf-(?:16|32)/.test(charset)) return decodeText(bytes, { given: charset })
  if (isUtf8(bytes) && charset === undefined) return isAscii(bytes) ? undefined : decodeText(bytes)
  return decodeText(bytes, { declared: charset ?? declaredEncoding(bytes) })
}

function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80)
}

function transferDecoded(bytes: Buffer, encoding: string): Buffer {
  if (/^base64/i.test(encoding)) return Buffer.from(bytes.toString('latin1'), 'base64')
  if (!/^quoted-printable/i.test(encoding)) return bytes
  const text = bytes.toString('latin1').replace(/[ \t]*=[ \t]*\r?\n/g, '')
  return Buffer.from(
    text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
