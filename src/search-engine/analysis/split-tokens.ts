/**
 * Digits in groups of three; C++ and C#; letters and digits, also joined by a mark without a space beside it. Repetitions are
 * bounded, because the regular expression engine recurses on some: `a_a_a_…` of a few megabytes would overflow the stack.
 */
export const tokenPattern =
  /\d{1,3}(?:[,\u00a0\u202f]\d{3}){1,9}(?![\d\p{L}])|\d+,\d+(?![\d,\p{L}])|(?<![\p{L}\p{N}])[A-Za-z](?:\+\+|#)(?![\p{L}\p{N}])|[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,127}(?:(?:_+|[.@'’ʼ&\-‐‑\u00ad])[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,127}){0,32}_*/gu

/** UTF-16 units. The pattern cuts longer sequences of letters. */
const maxLetters = 128

/**
 * Calls `visit` with each match of `tokenPattern` and its offset. Most tokens are letters of the Latin or Cyrillic alphabet with a
 * space or a comma after them. These are found without the pattern, in a tenth of its time.
 *
 * @param wanted plain words are visited only if they begin with one of these letters: small letters of one alphabet, the first one may
 * be a capital. Absent: all words are visited
 */
export function forEachToken(text: string, visit: (token: string, from: number) => void, wanted?: FirstLetters): void {
  let at = 0
  while (at < text.length) {
    const kind = kindOf(text.charCodeAt(at))
    if (kind === gap || kind === mark) {
      at++
      continue
    }
    const end = kind === other ? at : endOfWord(text, at)
    if (end > at) {
      const isSkipped = wanted !== undefined && !wanted.has(text.charCodeAt(at)) && isPlainWord(text, at, end)
      if (!isSkipped) visit(text.slice(at, end), at)
      at = end
      continue
    }
    tokenPattern.lastIndex = at
    const match = tokenPattern.exec(text)
    if (match === null) return
    // `visit` may split other texts.
    at = tokenPattern.lastIndex
    visit(match[0], match.index)
  }
}

/** First letters of words, in both cases. */
export class FirstLetters {
  readonly #codes = new Uint8Array(kinds.length)

  constructor(words: Iterable<string>) {
    for (const word of words)
      for (const letter of [word.charAt(0), word.charAt(0).toUpperCase(), ...(word.startsWith('е') ? 'ёЁ' : '')])
        if (letter.charCodeAt(0) < kinds.length) this.#codes[letter.charCodeAt(0)] = 1
  }

  /** @param code of a letter of a plain word */
  has(code: number): boolean {
    return this.#codes[code] === 1
  }
}

/** @returns the end of the letters from here; `from`: other characters may belong to the token */
function endOfWord(text: string, from: number): number {
  const max = Math.min(text.length, from + maxLetters)
  let end = from + 1
  while (end < max && isLetter(kindOf(text.charCodeAt(end)))) end++
  if (end === text.length || kindOf(text.charCodeAt(end)) === gap) return end
  const isStop = text.charCodeAt(end) === stop && (end + 1 === text.length || kindOf(text.charCodeAt(end + 1)) === gap)
  return isStop ? end : from
}

function isPlainWord(text: string, from: number, to: number): boolean {
  const first = kindOf(text.charCodeAt(from))
  const wanted = first === latinCapital ? latin : first === cyrillicCapital ? cyrillic : first
  for (let at = from + 1; at < to; at++) if (kindOf(text.charCodeAt(at)) !== wanted) return false
  return true
}

const stop = '.'.charCodeAt(0)

const other = 0
/** Neither begins a token nor continues one. */
const gap = 1
/** Begins no token. */
const mark = 2
const latin = 3
const latinCapital = 4
const cyrillic = 5
const cyrillicCapital = 6

const kinds = new Uint8Array(0x4_60)
for (const [kind, pattern] of [
  [mark, /[!-/:-@[-`{-~]/],
  [gap, /[\s,;:!?()[\]{}"<>/|*=«»]/],
  [latin, /[a-z]/],
  [latinCapital, /[A-Z]/],
  [cyrillic, /[а-яё]/],
  [cyrillicCapital, /[А-ЯЁ]/],
] as const)
  for (let code = 0; code < kinds.length; code++) if (pattern.test(String.fromCharCode(code))) kinds[code] = kind

function kindOf(code: number): number {
  return code < kinds.length ? (kinds[code] as number) : other
}

function isLetter(kind: number): boolean {
  return kind >= latin
}
