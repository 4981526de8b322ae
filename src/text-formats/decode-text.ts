import { isUtf8 } from 'node:buffer'
import { charsetLabel, decodeBytes } from './charset-labels.ts'
import { detectCharset, isMisleading } from './detect-charset.ts'

export interface DecodedText {
  readonly text: string
  /** A label of the WHATWG Encoding standard, or a name of iconv-lite. */
  readonly encoding: string
  /** Number of invalid byte sequences; each became U+FFFD. */
  readonly undecodable: number
  /** Statistics determined the encoding. */
  readonly isGuessed: boolean
  /** For a guess: an equally likely encoding that gives another text. */
  readonly rival?: string
}

export interface CharsetHints {
  /** A label given by the caller; it takes precedence. */
  readonly given?: string | undefined
  /** A label inside the text (HTML meta, XML declaration); used if the bytes are compatible with it. */
  readonly declared?: string | undefined
}

/**
 * Decodes bytes. The encoding is determined by the caller, then the byte order mark, then the structure (UTF-8, UTF-16,
 * ISO-2022-JP), then the declaration inside the text, and finally by language statistics (`detect-charset.ts`).
 *
 * @returns undefined when the bytes are not text in any supported encoding
 */
export function decodeText(bytes: Uint8Array, { given, declared }: CharsetHints = {}): DecodedText | undefined {
  const wanted = given === undefined ? undefined : charsetLabel(given)
  const form = encodingByForm(bytes)
  if (wanted !== undefined) return decodeGiven(bytes, wanted, form)
  if (form === 'utf-32' || form === 'binary') return undefined
  if (form !== undefined) return decodeAs(bytes, form)
  const label = declared === undefined ? undefined : charsetLabel(declared)
  const mayBe = label !== undefined && !/^utf-/.test(label)
  if (mayBe && !isMisleading(bytes, label)) return decodeAs(bytes, label)
  const guessed = detectCharset(bytes)
  if (guessed === undefined) return mayBe ? decodeAs(bytes, label) : undefined
  const { encoding, rival } = guessed
  return { ...decodeAs(bytes, encoding), isGuessed: true, ...(rival === undefined ? {} : { rival }) }
}

/** A UTF-16 mark gives the byte order, which `charset=utf-16` leaves open. */
function decodeGiven(bytes: Uint8Array, wanted: string, form: string | undefined): DecodedText | undefined {
  const isWide = /^utf-(?:16|32)/.test(wanted)
  if (isWide && form !== undefined && /^utf-16/.test(form)) return decodeAs(bytes, form)
  return form === 'binary' && !isWide ? undefined : decodeAs(bytes, wanted)
}

/** @returns undefined when the structure is ambiguous: single bytes, or an East Asian encoding */
function encodingByForm(bytes: Uint8Array): string | undefined {
  const known = byteOrderMark(bytes) ?? utf16WithoutMark(bytes)
  if (known !== undefined) return known
  if (isBinary(bytes)) return 'binary'
  if (isIso2022Jp(bytes)) return 'iso-2022-jp'
  return isUtf8(bytes) || isMostlyUtf8(bytes) ? 'utf-8' : undefined
}

function decodeAs(bytes: Uint8Array, encoding: string): DecodedText {
  const text = decodeBytes(bytes, encoding)
  return { text, encoding, undecodable: countReplacements(text), isGuessed: false }
}

/** Seven-bit text with escape sequences that switch to Japanese and back. */
function isIso2022Jp(bytes: Uint8Array): boolean {
  const at = bytes.indexOf(0x1b)
  if (at < 0 || bytes.some((byte) => byte >= 0x80)) return false
  const text = Buffer.from(bytes).toString('latin1')
  return /\x1b\$[@B][!-~]/.test(text) && /\x1b\([BJ]/.test(text)
}

function countReplacements(text: string): number {
  let count = 0
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count++
  return count
}

// ── marks and structure ──

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [b0, b1, b2, b3] = bytes
  if (b0 === 0xef && b1 === 0xbb && b2 === 0xbf) return 'utf-8'
  if (b0 === 0xff && b1 === 0xfe) return b2 === 0 && b3 === 0 ? 'utf-32' : 'utf-16le'
  if (b0 === 0xfe && b1 === 0xff) return 'utf-16be'
  return b0 === 0 && b1 === 0 && b2 === 0xfe && b3 === 0xff ? 'utf-32' : undefined
}

const formSampleBytes = 8_192

/**
 * UTF-16 is recognized by bytes that other texts do not contain: zeros beside ASCII, fours beside Cyrillic, always on the same
 * side. In pages of other languages the zeros come from the markup.
 */
function utf16WithoutMark(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, Math.min(formSampleBytes, bytes.length - (bytes.length % 2)))
  if (sample.length < 4 || !sample.some((byte) => byte === 0 || byte === 4)) return undefined
  const plausible = { 'utf-16le': 0, 'utf-16be': 0 }
  const zeros = { 'utf-16le': 0, 'utf-16be': 0 }
  for (let at = 0; at < sample.length; at += 2) {
    const [low = 0, high = 0] = [sample[at], sample[at + 1]]
    if (isPlausibleUnit(low | (high << 8))) plausible['utf-16le']++
    if (isPlausibleUnit(high | (low << 8))) plausible['utf-16be']++
    if (high === 0 && low !== 0) zeros['utf-16le']++
    if (low === 0 && high !== 0) zeros['utf-16be']++
  }
  const min = (sample.length / 2) * 0.9
  if (plausible['utf-16le'] >= min && plausible['utf-16le'] > plausible['utf-16be']) return 'utf-16le'
  if (plausible['utf-16be'] >= min) return 'utf-16be'
  const likelier = zeros['utf-16le'] > zeros['utf-16be'] ? 'utf-16le' : 'utf-16be'
  const [max, fewest] = [Math.max(...Object.values(zeros)), Math.min(...Object.values(zeros))]
  return max >= 3 && fewest * 50 <= max && isCleanUtf16(sample, likelier) ? likelier : undefined
}

/** Characters of any script: no control characters, no lone surrogates, no unassigned characters. */
function isCleanUtf16(sample: Uint8Array, encoding: string): boolean {
  const text = new TextDecoder(encoding).decode(sample).replace(/\ufffd$/, '')
  const odd = text.match(/[\ufffd\p{Cn}\p{Co}]|(?![\t\n\f\r])\p{Cc}/gu)?.length ?? 0
  return odd === 0
}

function isPlausibleUnit(unit: number): boolean {
  if (unit < 0x20) return unit === 9 || unit === 10 || unit === 13
  return (
    unit < 0x7f ||
    (unit >= 0xa0 && unit < 0x180) ||
    (unit >= 0x400 && unit < 0x460) ||
    (unit >= 0x2010 && unit < 0x2040)
  )
}

/** More than a few control characters that texts do not contain. Escape and form feed occur in logs and listings. */
function isBinary(bytes: Uint8Array): boolean {
  let controls = 0
  for (const byte of bytes) if (byte < 0x20 ? !isTextControl(byte) : byte === 0x7f) controls++
  return controls > 2 && controls > bytes.length / 200
}

function isTextControl(byte: number): boolean {
  return (byte >= 9 && byte <= 13) || byte === 0x1b || byte === 0x1a
}

/** A truncated UTF-8 text, or one with some pasted bytes of another encoding. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let good = 0
  let bad = 0
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    if (first < 0x80) {
      at++
      continue
    }
    const length =
      first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xc2 && first < 0xe0 ? 2 : 0
    let follows = 1
    while (follows < length && ((bytes[at + follows] ?? 0) & 0xc0) === 0x80) follows++
    if (length > 0 && follows === length) good++
    else if (length === 0 || at + follows < bytes.length) bad++
    at += follows
  }
  return good > 0 && good >= bad * 10
}
