/**
 * Converts text to index terms. Documents and queries use the same function, so that their terms match.
 *
 *  word         Cyrillic → Russian stem (ё = е); Latin → stem in the document's language, English by default; then
 *               without accents. German compounds also give their parts. Joined and mixed words, too.
 *  identifier   INC0012345, ERR-42, foo_bar.ts, a@b.example, 1.2.3, parseQuery: the whole in lower case, and its parts
 *  number       3,14 = 3.14; 1,000 = 1000; leading zeros also without them
 *  scripts written without spaces (Han, Kana, Thai …), and Hangul: overlapping pairs of characters
 *
 * Loose terms are indexed without their order and do not count in the length of a text: stop words (`~the`), for queries that
 * contain nothing else, and single characters of Han and Hangul.
 *
 * A term never contains white space. Terms are in text order; the parts of a token follow it.
 */
import { latinStemmerFor } from './detect-language.ts'
import { pairsOfLetters, unspacedLetter, unspacedOrOther } from './letter-pairs.ts'
import { splitCompound } from './split-compound.ts'
import { type FirstLetters, forEachToken } from './split-tokens.ts'
import { stemWord } from './stem-word.ts'
import { type StemmedLanguage, stopWords } from './stop-words.ts'

/** An index term and the range of the word in the text, in UTF-16 units. */
export interface Term {
  readonly term: string
  readonly from: number
  readonly to: number
}

/** The terms of a text. */
export interface TextTerms {
  /** In the order of the text. */
  readonly words: readonly string[]
  readonly letters: readonly string[]
  readonly stopWords: readonly string[]
}

/** @param language of the document or query, as `detectLanguage` names it; undefined: English for Latin words */
export function analyze(text: string, language?: string): string[] {
  return termsIn(text, language).map(({ term }) => term)
}

/** As `analyze`, with loose terms. */
export function analyzeAll(text: string, language?: string): TextTerms {
  const latin = latinStemmerFor(language)
  const words: string[] = []
  const letters: string[] = []
  const stopWords: string[] = []
  forEachToken(text, (token) => {
    const found = termsOfToken(token, latin)
    if (typeof found === 'string') (isStopTerm(found) ? stopWords : words).push(found)
    else {
      for (const { term } of found.words) words.push(term)
      for (const { term } of found.loose) (isStopTerm(term) ? stopWords : letters).push(term)
    }
  })
  return { words, letters, stopWords }
}

/** As `analyze`, with ranges for highlights. All terms of one token share its range; pairs of characters have their own. */
export function termsIn(text: string, language?: string): readonly Term[] {
  return placedTerms(text, language, false)
}

/** Loose terms with ranges. */
export function looseTermsIn(text: string, language?: string): readonly Term[] {
  return placedTerms(text, language, true)
}

function placedTerms(text: string, language: string | undefined, areLoose: boolean): readonly Term[] {
  const terms: Term[] = []
  forEachTerm(text, language, (term, from, to, isLoose) => {
    if (isLoose === areLoose) terms.push({ term, from, to })
  })
  return terms
}

/** Calls `visit` with each term, loose or not, and the range of its word. */
export function forEachTerm(
  text: string,
  language: string | undefined,
  visit: (term: string, from: number, to: number, isLoose: boolean) => void,
  wanted?: FirstLetters,
): void {
  const latin = latinStemmerFor(language)
  const visitToken = (token: string, at: number): void => {
    const found = termsOfToken(token, latin)
    if (typeof found === 'string') visit(found, at, at + token.length, isStopTerm(found))
    else {
      for (const { term, from, to } of found.words) visit(term, at + from, at + to, false)
      for (const { term, from, to } of found.loose) visit(term, at + from, at + to, true)
    }
  }
  // Parts of German compounds begin with other letters than the word; the stem of a word begins with its first letter.
  forEachToken(text, visitToken, latin === 'de' ? undefined : wanted)
}

/** Words never contain this character. */
const stopWordMark = '~'

/** Whether an index term is a stop word. */
export function isStopTerm(term: string): boolean {
  return term.startsWith(stopWordMark)
}

/** @returns the word of a term in readable form: a stop word without its mark */
export function readableTerm(term: string): string {
  return isStopTerm(term) ? term.slice(stopWordMark.length) : term
}

/** Longer tokens are not words (base64, long hashes): documents and queries keep only their beginning. */
const maxTokenUnits = 128

/** The terms of a token, with ranges relative to it. */
interface TokenTerms {
  readonly words: readonly Term[]
  readonly loose: readonly Term[]
}

/** Most tokens give one term that equals the token: storing it as a string takes a quarter of the memory. */
function asRemembered({ words, loose }: TokenTerms): string | TokenTerms {
  const [only, second] = [...words, ...loose]
  return only === undefined || second !== undefined ? { words, loose } : only.term
}

/**
 * Texts repeat their words, so most tokens are cached. The cache is bounded and emptied when full: cheaper than exact eviction.
 */
const maxRemembered = 50_000
const remembered = new Map<StemmedLanguage, Map<string, string | TokenTerms>>()

/** @returns a string if the only term covers the whole token: a word, or a stop word */
function termsOfToken(token: string, latin: StemmedLanguage): string | TokenTerms {
  let known = remembered.get(latin)
  if (known === undefined) {
    known = new Map()
    remembered.set(latin, known)
  }
  const seen = known.get(token)
  if (seen !== undefined) return seen
  // A sentence of such scripts is one token, and hardly ever repeats.
  if (unspacedLetter.test(token)) return unspacedTerms(token, latin)
  // A match is a view into its text; a key or a term that is a view would keep the whole text in memory.
  const copy = ` ${token}`.slice(1)
  const terms = asRemembered(spacedTerms(copy, latin))
  if (known.size >= maxRemembered) known.clear()
  if (token.length <= maxTokenUnits) known.set(copy, terms)
  return terms
}

function spacedTerms(token: string, latin: StemmedLanguage): TokenTerms {
  const words: Term[] = []
  const loose: Term[] = []
  for (const term of newTerms(token.length > maxTokenUnits ? cutToken(token) : token, latin))
    (isStopTerm(term) ? loose : words).push({ term, from: 0, to: token.length })
  return { words, loose }
}

/** Characters of scripts without spaces in pairs; the text between them (`使用VPN连接`) as elsewhere. */
function unspacedTerms(token: string, latin: StemmedLanguage): TokenTerms {
  const words: Term[] = []
  const loose: Term[] = []
  for (const { index: at, 0: run } of token.matchAll(unspacedOrOther)) {
    const found = unspacedLetter.test(run) ? pairsOfLetters(run) : tokensOfRun(run, latin)
    for (const { term, from, to } of found.words) words.push({ term, from: at + from, to: at + to })
    for (const { term, from, to } of found.loose) loose.push({ term, from: at + from, to: at + to })
  }
  return { words, loose }
}

function tokensOfRun(run: string, latin: StemmedLanguage): TokenTerms {
  const words: Term[] = []
  const loose: Term[] = []
  forEachToken(run, (part, index) => {
    const found = spacedTerms(part, latin)
    for (const { term, from, to } of found.words) words.push({ term, from: index + from, to: index + to })
    for (const { term, from, to } of found.loose) loose.push({ term, from: index + from, to: index + to })
  })
  return { words, loose }
}

function cutToken(token: string): string {
  return token.slice(0, maxTokenUnits).replace(/[\ud800-\udbff]$/, '')
}

const onlyAsciiLetters = /^[a-zA-Z]+$/
const onlyCyrillicLetters = /^[а-яёА-ЯЁ]+$/

/** Stop words carry their mark. */
function newTerms(token: string, latin: StemmedLanguage): readonly string[] {
  const isPlainWord = (onlyAsciiLetters.test(token) && !innerCapital.test(token)) || onlyCyrillicLetters.test(token)
  if (isPlainWord) return wordTerms(token, latin)
  const normal = token.normalize('NFKC').replace(/[’ʼ]/g, "'").replace(/[‐‑]/g, '-').replaceAll('\u00ad', '')
  if (/^[a-zA-Z](?:\+\+|#)$/.test(normal)) return [normal.toLowerCase()]
  if (/^[\d.,\s]+$/.test(normal)) return numberTerms(normal)
  return [...new Set(compoundTerms(normal, latin))]
}

// ── words ──

/** @param word letters of one script, possibly with an apostrophe */
function wordTerms(word: string, latin: StemmedLanguage): readonly string[] {
  const lower = word.toLowerCase()
  if (stopAcronyms.has(word)) return [lower]
  if (isStopWord(lower, latin)) return [stopWordMark + lower.replaceAll('ё', 'е')]
  const stem = stemOf(lower, latin)
  if (stem === '') return []
  return latin === 'de' ? [...new Set([stem, ...splitCompound(lower).map((part) => stemOf(part, latin))])] : [stem]
}

/** In capitals these are names; in lower case they are stop words. */
const stopAcronyms: ReadonlySet<string> = new Set(['IT', 'US', 'UN'])

function isStopWord(word: string, latin: StemmedLanguage): boolean {
  if (cyrillicLetter.test(word)) return stopWords.get('ru')?.has(word.replaceAll('ё', 'е')) === true
  const words = stopWords.get(latin)
  return words?.has(word) === true || (word.includes("'") && words?.has(withoutApostrophe(word, latin)) === true)
}

function stemOf(word: string, latin: StemmedLanguage): string {
  if (cyrillicLetter.test(word)) return stemWord(word.replace(/['\p{M}]/gu, ''), 'ru').replaceAll('ё', 'е')
  return withoutAccents(stemWord(withoutApostrophe(word, latin), latin))
}

const cyrillicLetter = /\p{Script=Cyrillic}/u

/** `printer's` → `printer`; `l'imprimante` → `imprimante`; `o'brien` → `obrien`. */
function withoutApostrophe(word: string, latin: StemmedLanguage): string {
  if (!word.includes("'")) return word
  const owned = word.replace(/'s?$/, '')
  const elided = latin === 'fr' || latin === 'it' ? owned.replace(/^\p{L}{1,5}'(?=\p{L}{2})/u, '') : owned
  return elided.replaceAll("'", '')
}

function withoutAccents(word: string): string {
  if (/^[a-z0-9]*$/.test(word)) return word
  const folded = word.normalize('NFD').replace(/\p{M}/gu, '')
  return folded
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .replaceAll('æ', 'ae')
}

// ── numbers ──

/** @param number digits with dots, commas and no-break spaces */
function numberTerms(number: string): readonly string[] {
  const isGrouped = /^\d{1,3}(?:[,\s]\d{3})+$/.test(number)
  // A comma is a decimal mark or separates a list: index both readings.
  if (number.includes(',') && !isGrouped) return [number.replace(',', '.'), ...number.split(',')]
  const plain = number.replace(/[,\s]/g, '')
  const dots = plain.split('.')
  if (dots.length <= 2) return [...new Set([plain, withoutLeadingZeros(plain)])]
  const beginnings = dots.slice(2).map((_, index) => dots.slice(0, index + 2).join('.'))
  const longParts = dots.filter((part) => part.length > 1)
  return [...new Set([plain, ...beginnings, ...longParts])]
}

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '')
}

// ── identifiers and other compounds ──

const innerCapital = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u
/** Between lower and upper case, before the last capital of a sequence, between letter and digit. */
const innerSeams = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u
const scriptSeams = /(?<=\p{Script=Cyrillic})(?=\p{Script=Latin})|(?<=\p{Script=Latin})(?=\p{Script=Cyrillic})/u

function* compoundTerms(token: string, latin: StemmedLanguage): Generator<string> {
  const trimmed = token.replace(/_+$/, '')
  if (/[_@.&]|\p{N}/u.test(trimmed)) {
    yield* identifierTerms(trimmed, latin)
    return
  }
  for (const word of hyphenParts(trimmed)) yield* letterTerms(word, latin)
}

/**
 * The whole, then the parts between its marks, from the loosest mark to the tightest. Stop words are kept here: the `inc` of
 * INC0012345 is not the English abbreviation.
 */
function* identifierTerms(token: string, latin: StemmedLanguage): Generator<string> {
  for (const marks of [/@/, /[.&]/, /[_-]+/, innerSeams]) {
    const pieces = token.split(marks).filter((piece) => piece !== '')
    if (pieces.length < 2) continue
    yield token.toLowerCase()
    const parts = ordinal.test(token) ? pieces.slice(0, 1) : pieces
    for (const piece of parts) if (piece.length > 1 || /\p{N}/u.test(piece)) yield* identifierTerms(piece, latin)
    return
  }
  if (/^\p{N}+$/u.test(token)) yield* [token, withoutLeadingZeros(token)]
  else yield stemOf(token.toLowerCase(), latin)
}

/** `1st`, `5-й`: the letters are an ending, not a part. */
const ordinal = /^\d+-?(?:st|nd|rd|th|й|я|е|х|ый|ой|ая|ое|го|му)$/iu

/** `state-of-the-art` is split into its words; `e-mail` and `co-operate` are also one word. */
function hyphenParts(token: string): readonly string[] {
  const parts = token.split('-')
  const [first = '', second = ''] = parts
  const isPrefixed = parts.length === 2 && /^[a-z]{1,2}$/i.test(first) && /^[a-z]{3,}$/i.test(second)
  return isPrefixed ? [first + second, second] : parts
}

/** @param word letters, marks and apostrophes, in any case */
function* letterTerms(word: string, latin: StemmedLanguage): Generator<string> {
  const oneScript = withoutLookAlikes(word)
  const pieces = oneScript.split(scriptSeams)
  if (pieces.length > 1) yield oneScript.toLowerCase()
  for (const piece of pieces) {
    yield* wordTerms(piece, latin)
    const humps = piece.split(innerSeams)
    if (humps.length > 1) for (const hump of humps) if (hump.length > 1) yield* wordTerms(hump, latin)
  }
}

const lookAlikes: ReadonlyMap<string, string> = new Map(
  [...'aceopxyABCEHKMOPTXY'].map((latin, index) => [latin, 'асеорхуАВСЕНКМОРТХУ'.charAt(index)] as const),
)

/** Converts a Cyrillic word that was typed with some similar Latin letters to Cyrillic. */
function withoutLookAlikes(word: string): string {
  if (!/\p{Script=Cyrillic}/u.test(word) || !/[a-zA-Z]/.test(word)) return word
  const latin = word.match(/[a-zA-Z]/g) ?? []
  const allAlike = latin.length * 2 <= word.length && latin.every((letter) => lookAlikes.has(letter))
  return allAlike ? word.replace(/[a-zA-Z]/g, (letter) => lookAlikes.get(letter) ?? letter) : word
}
