import { germanWords } from './german-words.ts'
import { stemWord } from './stem-word.ts'

const shortestPart = 3
/** Longer words are compounds of compounds. Their parts could be found, but each one costs a look-up of every ending. */
const longestCompound = 60
const stemOf = (word: string): string => stemWord(word, 'de')

const umlauts: Readonly<Record<string, string>> = { a: 'ä', o: 'ö', u: 'ü', au: 'äu' }

/** The tables of known words. They are made with the first compound, because a start would wait for them. */
const known = new (class {
  #modifiers: ReadonlyMap<string, string> | undefined
  #heads: ReadonlySet<string> | undefined

  /** Words by their forms in front of another word: `arbeits` and `arbeit`, `häuser` and `haus`, `schul` and `schule`. */
  get modifiers(): ReadonlyMap<string, string> {
    this.#modifiers ??= modifiersOf(germanWords)
    return this.#modifiers
  }

  /** Stems of words that may be the last one: it may have any ending. */
  get heads(): ReadonlySet<string> {
    this.#heads ??= new Set([...germanWords].filter(isLongEnough).map(stemOf))
    return this.#heads
  }
})()

function modifiersOf(words: ReadonlySet<string>): ReadonlyMap<string, string> {
  const forms = new Map<string, string>()
  for (const word of words) for (const form of formsBeforeAnother(word)) if (!forms.has(form)) forms.set(form, word)
  for (const word of words) forms.set(word, word)
  return forms
}

function formsBeforeAnother(word: string): readonly string[] {
  const endings = ['s', 'es', 'n', 'en', 'e', 'er', 'ens'].map((ending) => word + ending)
  const changed = word.replace(/(au|[aou])(?!.*[aou])/, (vowel) => umlauts[vowel] ?? vowel)
  const plurals = changed === word ? [] : [changed, `${changed}e`, `${changed}er`]
  const short = word.endsWith('e') ? [word.slice(0, -1), `${word.slice(0, -1)}s`] : []
  return [...endings, ...plurals, ...short]
}

function isLongEnough(part: string): boolean {
  return part.length >= shortestPart || part === 'öl'
}

/** Minimum length of a known word next to an unknown part: a short word such as `ort` is the ending of too many words. */
const shortestHead = 5
const shortestFirst = 7
const shortestUnknown = 4
/** `unterstand` does not contain `stand`. */
const prefixes: ReadonlySet<string> = new Set(
  'durch gegen hinter miss nach nieder ober über unter wider wieder zurück zusammen'.split(' '),
)

/**
 * The parts of a German compound, in order: `netzwerkdrucker` has `netzwerk` and `drucker`, `arbeitszeiten` has `arbeit` and
 * `zeiten`. Chooses the split with the fewest words, and of these the one with the longest last word. Unknown parts are left
 * out: `spamfilter` has `filter`.
 *
 * @param word in lower case, NFC
 * @returns an empty list if it is one word, or if no part is known
 */
export function splitCompound(word: string): readonly string[] {
  if (word.length < 2 * shortestPart - 1 || word.length > longestCompound || known.heads.has(stemOf(word))) return []
  /** The parts of the rest of the word, from each offset on. */
  const rests: (readonly string[] | undefined)[] = Array.from({ length: word.length })
  for (let from = word.length - 2; from >= 0; from--) rests[from] = splitRest(word, from, rests)
  return rests[0] ?? knownEnd(word, rests) ?? knownBeginning(word) ?? []
}

function knownEnd(word: string, rests: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  for (let from = shortestUnknown; from <= word.length - shortestHead; from++)
    if (rests[from] !== undefined && isLikeWord(word.slice(0, from))) return rests[from]
  return undefined
}

function knownBeginning(word: string): readonly string[] | undefined {
  for (let to = word.length - shortestUnknown; to >= shortestFirst; to--) {
    const base = known.modifiers.get(word.slice(0, to))
    if (base !== undefined && isLikeWord(word.slice(to))) return [base]
  }
  return undefined
}

function isLikeWord(part: string): boolean {
  return /[aeiouyäöü]/.test(part) && !prefixes.has(part)
}

function splitRest(
  word: string,
  from: number,
  rests: readonly (readonly string[] | undefined)[],
): readonly string[] | undefined {
  const rest = word.slice(from)
  if (from > 0 && isLongEnough(rest) && known.heads.has(stemOf(rest))) return [rest]
  let best: readonly string[] | undefined
  for (let to = from + 2; to < word.length; to++) {
    const others = rests[to]
    if (others === undefined || (best !== undefined && others.length + 1 >= best.length)) continue
    const part = word.slice(from, to)
    const base = isLongEnough(part) ? known.modifiers.get(part) : undefined
    if (base !== undefined) best = [base, ...others]
  }
  return best
}
