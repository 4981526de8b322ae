import { isUtf8 } from 'node:buffer'
import { cyrillicPairs } from './cyrillic-pairs.ts'
import { detectCharset } from './detect-charset.ts'

export interface DecodedText {
  readonly text: string
  /** A label of the WHATWG Encoding standard. */
  readonly encoding: string
  /** Places where the bytes mean nothing in the encoding; each became U+FFFD. */
  readonly undecodable: number
}

/**
 * Decodes bytes whose encoding nobody told us: by byte order mark, by form (UTF-8, UTF-16), by what was declared inside the
 * text, and at last by statistics of languages (`detect-charset.ts`) and by which single-byte alphabet makes words of them.
 *
 * @param declared a label found inside the text (HTML meta, XML declaration); believed only when the bytes are no UTF-8 or UTF-16
 * @returns undefined when the bytes are no text in any encoding that we read
 */
export function decodeText(bytes: Uint8Array, declared?: string): DecodedText | undefined {
  const marked = byteOrderMark(bytes)
  if (marked === 'utf-32') return undefined
  if (marked !== undefined) return decodeAs(bytes, marked)
  const wide = utf16WithoutMark(bytes)
  if (wide !== undefined) return decodeAs(bytes, wide)
  if (isBinary(bytes)) return undefined
  if (isUtf8(bytes)) return decodeAs(bytes, 'utf-8')
  if (isMostlyUtf8(bytes)) return decodeAs(bytes, 'utf-8')
  const label = knownSingleByteLabel(declared)
  if (label !== undefined) return decodeAs(bytes, label)
  const guessed = detectCharset(bytes) ?? likeliestAlphabet(bytes)
  return guessed === undefined ? undefined : decodeAs(bytes, guessed)
}

function decodeAs(bytes: Uint8Array, encoding: string): DecodedText {
  const text = new TextDecoder(encoding).decode(bytes)
  return { text, encoding, undecodable: countReplacements(text) }
}

function countReplacements(text: string): number {
  let count = 0
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count++
  return count
}

// ── marks and forms ──

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [b0, b1, b2, b3] = bytes
  if (b0 === 0xef && b1 === 0xbb && b2 === 0xbf) return 'utf-8'
  if (b0 === 0xff && b1 === 0xfe) return b2 === 0 && b3 === 0 ? 'utf-32' : 'utf-16le'
  if (b0 === 0xfe && b1 === 0xff) return 'utf-16be'
  return b0 === 0 && b1 === 0 && b2 === 0xfe && b3 === 0xff ? 'utf-32' : undefined
}

const formSampleBytes = 8_192

/** UTF-16 shows in bytes that no text has: zeros beside ASCII, fours beside Cyrillic, always on the same side. */
function utf16WithoutMark(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, Math.min(formSampleBytes, bytes.length - (bytes.length % 2)))
  if (sample.length < 4 || !sample.some((byte) => byte === 0 || byte === 4)) return undefined
  const plausible = { 'utf-16le': 0, 'utf-16be': 0 }
  for (let at = 0; at < sample.length; at += 2) {
    const [low = 0, high = 0] = [sample[at], sample[at + 1]]
    if (isPlausibleUnit(low | (high << 8))) plausible['utf-16le']++
    if (isPlausibleUnit(high | (low << 8))) plausible['utf-16be']++
  }
  const least = (sample.length / 2) * 0.9
  if (plausible['utf-16le'] >= least && plausible['utf-16le'] > plausible['utf-16be']) return 'utf-16le'
  return plausible['utf-16be'] >= least ? 'utf-16be' : undefined
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

/** Control characters that texts do not have, beyond a stray few. Escape and form feed occur in logs and listings. */
function isBinary(bytes: Uint8Array): boolean {
  let controls = 0
  for (const byte of bytes) if (byte < 0x20 ? !isTextControl(byte) : byte === 0x7f) controls++
  return controls > 2 && controls > bytes.length / 200
}

function isTextControl(byte: number): boolean {
  return (byte >= 9 && byte <= 13) || byte === 0x1b || byte === 0x1a
}

/** A UTF-8 text that was cut off, or in which somebody pasted other bytes. */
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

// ── single-byte alphabets ──

const alphabets = ['windows-1251', 'koi8-r', 'ibm866', 'windows-1252'] as const

function knownSingleByteLabel(declared: string | undefined): string | undefined {
  if (declared === undefined) return undefined
  try {
    const label = new TextDecoder(declared.trim()).encoding
    return /^(?:utf-|replacement|x-user-defined)/.test(label) ? undefined : label
  } catch {
    return undefined
  }
}

/** What a byte is in an alphabet: 1 to 32 the Cyrillic letters, then these. */
const other = 0
const latinLetter = 33
const accentedLetter = 34
/** Signs that stand apart from letters: box drawing, and characters of foreign alphabets. */
const oddSign = 35
const undefinedByte = 36

interface Alphabet {
  readonly encoding: string
  readonly kinds: Uint8Array
  readonly isCapital: Uint8Array
}

function alphabetOf(encoding: string): Alphabet {
  const kinds = new Uint8Array(256)
  const isCapital = new Uint8Array(256)
  const decoder = new TextDecoder(encoding)
  for (let byte = 0; byte < 256; byte++) {
    const letter = decoder.decode(Uint8Array.of(byte))
    const small = letter.toLowerCase().replace('ё', 'е')
    isCapital[byte] = small !== letter ? 1 : 0
    kinds[byte] = kindOf(small, byte)
  }
  return { encoding, kinds, isCapital }
}

function kindOf(small: string, byte: number): number {
  if (/^[а-я]$/.test(small)) return small.charCodeAt(0) - 0x430 + 1
  if (/^[a-z]$/.test(small)) return latinLetter
  if (byte < 0x80) return other
  if (/^[à-öø-ÿœšžß]$/.test(small)) return accentedLetter
  // TextDecoder reads what an alphabet leaves open as C1 controls.
  if (/^[\u0080-\u009f\ufffd]$/.test(small)) return undefinedByte
  return /^[\u00a0«»“”„‘’‚–—…№©®™°§•·€‰±×²³½¼¾´¨¿¡‹›†‡˜ˆ¢£¥¬¶µªº¸¹¯¦¤¨÷№]$/.test(small) ? other : oddSign
}

let knownAlphabets: readonly Alphabet[] | undefined

const alphabetSampleBytes = 200_000

function likeliestAlphabet(bytes: Uint8Array): string | undefined {
  knownAlphabets ??= alphabets.map(alphabetOf)
  const sample = bytes.subarray(0, alphabetSampleBytes)
  let best: string | undefined
  let highest = Number.NEGATIVE_INFINITY
  for (const alphabet of knownAlphabets) {
    const score = scoreOf(sample, alphabet)
    if (score > highest) {
      highest = score
      best = alphabet.encoding
    }
  }
  // An average so low means that no alphabet makes words of the bytes.
  return highest > -1.5 ? best : undefined
}

/** Average fitness of the bytes above ASCII, each judged with the byte before it. */
function scoreOf(sample: Uint8Array, { kinds, isCapital }: Alphabet): number {
  let score = 0
  let judged = 0
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at] ?? 0
    const before = at === 0 ? 32 : (sample[at - 1] ?? 32)
    if (byte < 0x80 && before < 0x80) continue
    judged++
    score += scoreOfPair(kinds[before] ?? other, kinds[byte] ?? other)
    if (isCapital[byte] === 1 && isCapital[before] === 0 && isLetter(kinds[before]) && isLetter(kinds[byte])) score -= 4
  }
  return judged === 0 ? 0 : score / judged
}

const isCyrillic = (kind: number): boolean => kind >= 1 && kind <= 32
const isLetter = (kind: number | undefined): boolean => kind !== undefined && kind >= 1 && kind <= accentedLetter

function scoreOfPair(first: number, second: number): number {
  if (first === undefinedByte || second === undefinedByte) return -8
  if (isCyrillic(first) && isCyrillic(second)) return Number(cyrillicPairs[first - 1]?.charAt(second - 1) ?? 0) - 3
  if (first === accentedLetter && second === accentedLetter) return -2
  if (first === oddSign || second === oddSign) return first === second ? 0 : -3
  const [isMixed, isWestern] = [
    isCyrillic(first) !== isCyrillic(second),
    first === accentedLetter || second === accentedLetter,
  ]
  if (isMixed && isLetter(first) && isLetter(second)) return -4
  if (isWestern) return first === latinLetter || second === latinLetter ? 2 : 0.1
  return 0
}
