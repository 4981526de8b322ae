import { analyse } from 'chardet'
import { decodeBytes } from './charset-labels.ts'
import { charsetLanguages } from './charset-languages.ts'
import { cyrillicPairs } from './cyrillic-pairs.ts'

/** Enough for the statistics of a language; more takes longer without a better result. */
const sampleBytes = 20_000

/** The result of the statistics of bytes above ASCII. */
export interface DetectedCharset {
  readonly encoding: string
  /** An equally likely encoding that gives another text. */
  readonly rival?: string
}

/**
 * Determines the encoding of a text that is neither UTF-8 nor UTF-16, by language statistics.
 *
 * @returns undefined when the bytes form words in no encoding
 */
export function detectCharset(bytes: Uint8Array): DetectedCharset | undefined {
  const sample = bytes.length <= sampleBytes ? bytes : denseSample(bytes)
  const single = detectSingleByte(sample)
  const wide = (single?.average ?? nonsense) > words ? undefined : detectMultiByte(sample)
  return wide === undefined ? single : { encoding: wide }
}

/** The part with the most bytes above ASCII: a page may begin with scripts. */
function denseSample(bytes: Uint8Array): Uint8Array {
  let best = 0
  let max = -1
  for (let from = 0; from < bytes.length; from += sampleBytes) {
    let count = 0
    for (const byte of bytes.subarray(from, from + sampleBytes)) if (byte >= 0x80) count++
    if (count > max) {
      max = count
      best = from
    }
  }
  // Begins after an ASCII byte, so that no two-byte character is split.
  while (best > 0 && (bytes[best - 1] ?? 0) >= 0x40) best++
  return bytes.subarray(best, best + sampleBytes)
}

// ── multi-byte encodings ──

/** The name in the detector, and the required confidence. */
const multiByte: ReadonlyMap<string, string> = new Map([
  ['EUC-JP', 'euc-jp'],
  ['Shift_JIS', 'shift_jis'],
  ['EUC-KR', 'euc-kr'],
  ['GB18030', 'gb18030'],
  ['Big5', 'big5'],
])
const sure = 90
/** Below this number of bytes above ASCII a guess is unreliable. */
const fewestHighBytes = 12

function detectMultiByte(sample: Uint8Array): string | undefined {
  if (!hasHighBytes(sample)) return undefined
  for (const { name, confidence } of analyse(sample)) {
    const label = multiByte.get(name)
    if (label !== undefined && confidence >= sure && isAlmostClean(sample, label)) return label
  }
  return undefined
}

function hasHighBytes(sample: Uint8Array): boolean {
  let count = 0
  for (const byte of sample) if (byte >= 0x80 && ++count >= fewestHighBytes) return true
  return false
}

/** A sample may end in the middle of a character, and files contain a few invalid bytes. */
function isAlmostClean(sample: Uint8Array, label: string): boolean {
  const text = decodeBytes(sample, label)
  let wrong = 0
  let wide = 0
  for (const character of text)
    if (character === '\ufffd') wrong++
    else if (character > '\u02ff') wide++
  return wrong <= 1 + wide / 100
}

// ── single-byte encodings ──

/** Classes of adjacent characters. */
const space = 0
const small = 1
const capital = 2
const caseless = 3
const sign = 4
const smallAscii = 5
const capitalAscii = 6

interface Model {
  readonly encoding: string
  /** By byte: the logarithm of its share among bytes above ASCII, ignoring case. */
  readonly weights: Float64Array
  readonly kinds: Uint8Array
  /** 1: a letter that occurs only at the end of words. */
  readonly finals: Uint8Array
  /** For Russian: the letter's number from 1, 0 for others. */
  readonly russian: Uint8Array | undefined
  /** Whether ASCII letters are letters of the language. */
  readonly isLatin: boolean
}

const share = { otherLetter: 0.0005, foreign: 0.000_01, unusedByte: 0.000_000_1, punctuation: 0.004, signs: 0.0008 }
const punctuation = /^[\u00a0«»“”„‘’‚–—…№•،؛؟·]$/u
const signs = /^[‹›†‡©®™§°±×²³½¼¾´¨¿¡€£¥¤¬¶µ¹÷\u00ad٪₪฿]$/u

function modelOf(language: string, letters: string, encoding: string): Model {
  const shares = new Map<string, number>()
  let sum = 0
  for (const [, letter = '', digit] of letters.matchAll(/(\P{N})(\d)/gu)) {
    const weight = 2 ** (Number(digit) - 9)
    shares.set(letter, weight)
    sum += weight
  }
  const script = /^[a-z\u00aa-\u02ff]/.test(letters) ? 'Latin' : scriptOf(letters)
  const weights = new Float64Array(256)
  const kinds = new Uint8Array(256)
  const finals = new Uint8Array(256)
  const russian = language === 'ru' ? new Uint8Array(256) : undefined
  for (let byte = 0; byte < 256; byte++) {
    const character = decodeBytes(Uint8Array.of(byte), encoding)
    const lower = character.toLowerCase()
    kinds[byte] = kindOf(character, byte)
    if ('ςםןץףך'.includes(character)) finals[byte] = 1
    if (russian !== undefined && /^[а-яё]$/.test(lower)) russian[byte] = lower.replace('ё', 'е').charCodeAt(0) - 0x42f
    const own = shares.get(lower)
    weights[byte] = Math.log(own === undefined ? shareOf(character, script) : (own / sum) * 0.93)
  }
  return { encoding, weights, kinds, finals, russian, isLatin: script === 'Latin' }
}

function scriptOf(letters: string): string {
  return ['Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai'].find((name) => isOfScript(letters[0] ?? '', name)) ?? 'Latin'
}

function isOfScript(character: string, script: string): boolean {
  return new RegExp(`^\\p{Script=${script}}$`, 'u').test(character)
}

function shareOf(character: string, script: string): number {
  // Undefined bytes are decoded as a control character or as U+FFFD.
  if (/^[\u0080-\u009f\ufffd\ue000-\uf8ff]$/.test(character)) return share.unusedByte
  if (punctuation.test(character)) return share.punctuation
  if (signs.test(character)) return share.signs
  return isOfScript(character, script) ? share.otherLetter : share.foreign
}

function kindOf(character: string, byte: number): number {
  const lower = character.toLowerCase()
  const isCapital = lower !== character
  if (/^\p{L}$/u.test(character)) {
    if (byte < 0x80) return isCapital ? capitalAscii : smallAscii
    if (isCapital) return capital
    return character.toUpperCase() !== character || character === 'ß' || character === 'ı' ? small : caseless
  }
  if (/^\p{M}$/u.test(character)) return caseless
  return byte < 0x80 || character === '\u00a0' ? space : sign
}

let models: readonly Model[] | undefined

function allModels(): readonly Model[] {
  models ??= charsetLanguages.flatMap(({ language, encodings, letters }) =>
    encodings.map((encoding) => modelOf(language, letters, encoding)),
  )
  return models
}

/** A few letters are not enough for statistics: these are the most likely encodings of files. */
const usual: ReadonlyMap<string, number> = new Map([
  ['windows-1252', 1.5],
  ['windows-1251', 1.5],
  ['koi8-r', 1],
  ['ibm866', 1],
])
/** Encodings within this difference, in natural logarithms, count as equally likely. */
const equal = 1e-9
/** A lower average means that the bytes form words in no encoding. */
const worstAverage = -9

function detectSingleByte(sample: Uint8Array): (DetectedCharset & { readonly average: number }) | undefined {
  const count = sample.reduce((sum, byte) => (byte >= 0x80 ? sum + 1 : sum), 0)
  let best: Model | undefined
  let highest = Number.NEGATIVE_INFINITY
  let rivals: Model[] = []
  for (const model of allModels()) {
    const score = scoreOf(sample, model) + (usual.get(model.encoding) ?? 0)
    if (score > highest + equal) rivals = []
    else if (score > highest - equal) rivals.push(model)
    if (score <= highest + equal) continue
    highest = score
    best = model
  }
  const average = (highest - (usual.get(best?.encoding ?? '') ?? 0)) / Math.max(count, 1)
  if (best === undefined || (average < worstAverage && count >= fewestHighBytes)) return undefined
  const { encoding } = best
  const text = decodeBytes(sample, encoding)
  const rival = rivals.find((model) => decodeBytes(sample, model.encoding) !== text)
  return rival === undefined ? { encoding, average } : { encoding, average, rival: rival.encoding }
}

/** In natural logarithms per byte above ASCII. */
const clearlyWorse = 1
const nonsense = -6.5
/** Above it the bytes are words in a single-byte encoding; East Asian texts stay below. */
const words = -4.6
const fewestToContradict = 20

/** Whether the bytes are very unlikely in the declared encoding. */
export function isMisleading(bytes: Uint8Array, declared: string): boolean {
  const sample = bytes.length <= sampleBytes ? bytes : denseSample(bytes)
  const count = sample.reduce((sum, byte) => (byte >= 0x80 ? sum + 1 : sum), 0)
  if (count < fewestToContradict) return false
  if (new Set(multiByte.values()).has(declared === 'gbk' ? 'gb18030' : declared))
    return !isAlmostClean(sample, declared)
  const own = allModels().filter(({ encoding }) => sameLetters(encoding, declared))
  if (own.length === 0) return false
  const score = Math.max(...own.map((model) => scoreOf(sample, model))) / count
  if (detectMultiByte(sample) !== undefined) return score < nonsense
  const best = Math.max(...allModels().map((model) => scoreOf(sample, model))) / count
  return best - score > clearlyWorse
}

function sameLetters(encoding: string, declared: string): boolean {
  return encoding === declared || (declared === 'koi8-r' && encoding === 'koi8-u')
}

/** The log likelihood of the bytes above ASCII, each with the byte before it. */
function scoreOf(sample: Uint8Array, model: Model): number {
  const { weights, kinds, finals, russian, isLatin } = model
  let score = 0
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at] ?? 0
    const before = at === 0 ? 32 : (sample[at - 1] ?? 32)
    const kind = kinds[byte] ?? space
    const kindBefore = kinds[before] ?? space
    if (byte < 0x80) {
      if (before >= 0x80 && kind >= smallAscii) score += asciiAfter(kindBefore, kind, isLatin)
      continue
    }
    const pair = russian === undefined ? undefined : pairWeight(russian[before] ?? 0, russian[byte] ?? 0)
    score += (pair ?? weights[byte] ?? 0) + placeWeight(kindBefore, kind, isLatin)
    const isInside = (kind === sign && isLetterKind(kindBefore)) || finals[byte] === 1
    if (isInside && isLetterKind(kinds[sample[at + 1] ?? 32] ?? space)) score += insideWord
  }
  return score
}

/** A sign between two letters, where only an apostrophe is usual, or a final letter. */
const insideWord = -4

const isLetterKind = (kind: number): boolean => kind === small || kind === capital || kind === caseless || kind > sign

function asciiAfter(before: number, kind: number, isLatin: boolean): number {
  if (before !== small && before !== capital && before !== caseless) return 0
  if (!isLatin) return -4
  return before === small && kind === capitalAscii ? -4 : 0
}

/** How likely the case of a letter is after the previous character. */
function placeWeight(before: number, kind: number, isLatin: boolean): number {
  const isAfterAscii = before === smallAscii || before === capitalAscii
  if (!isLatin && isAfterAscii && kind !== sign && kind !== space) return -4
  if (kind === capital) {
    if (before === small || before === smallAscii) return -6
    return before === capital || before === capitalAscii ? -0.3 : -2
  }
  return kind === small && (before === space || before === sign) ? -0.2 : 0
}

let pairWeights: readonly (readonly number[])[] | undefined

/** For two Russian letters: the log likelihood that the second follows the first. */
function pairWeight(first: number, second: number): number | undefined {
  if (first === 0 || second === 0) return undefined
  pairWeights ??= cyrillicPairs.map((row) => {
    const shares = [...row].map((digit) => 2 ** Number(digit))
    const sum = shares.reduce((total, each) => total + each, 0)
    return shares.map((each) => Math.log(each / sum))
  })
  return pairWeights[first - 1]?.[second - 1]
}
