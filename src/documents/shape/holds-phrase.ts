import { termsIn } from '../../search-engine/analysis/analyze.ts'
import { letterOrWord } from '../../search-engine/analysis/letter-pairs.ts'

/**
 * Whether a text contains the words of a phrase consecutively and in order. A word may have another inflection
 * (`printers` for `printer`); stop words must be equal.
 */
export class PhraseMatcher {
  readonly #words: readonly string[]
  /** For each language met so far: stems of the phrase, and of words of texts. */
  readonly #stems = new Map<string, Map<string, string>>()
  readonly #stopWords = new Map<string, RegExp | null>()

  constructor(phrase: string) {
    this.#words = wordsOf(phrase.normalize('NFKC'))
  }

  /** @param language of the text, as `detectLanguage` names it */
  isIn(text: string, language: string | null): boolean {
    const normal = text.normalize('NFKC')
    if (this.#stopWordsIn(language)?.test(normal) === false) return false
    const found = wordsOf(normal)
    const stems = this.#stemsIn(language)
    const isSame = (one: string, other: string): boolean => {
      if (one === other) return true
      const stem = stemOf(one, language, stems)
      return stem !== '' && stem === stemOf(other, language, stems)
    }
    const last = found.length - this.#words.length
    for (let at = 0; at <= last; at++)
      if (this.#words.every((word, next) => isSame(word, found[at + next] ?? ''))) return true
    return false
  }

  /**
   * Finds the first adjacent stop words of the phrase. Most texts do not contain them, and this check is cheaper than a
   * comparison of all words.
   */
  #stopWordsIn(language: string | null): RegExp | null {
    let pattern = this.#stopWords.get(language ?? '')
    if (pattern === undefined) {
      const isStop = this.#words.map((word) => stemOf(word, language, this.#stemsIn(language)) === '')
      const from = isStop.findIndex((stop, at) => stop && isStop[at + 1] === true)
      const rest = isStop.indexOf(false, from)
      pattern = from < 0 ? null : patternOf(this.#words.slice(from, rest < 0 ? undefined : rest))
      this.#stopWords.set(language ?? '', pattern)
    }
    return pattern
  }

  #stemsIn(language: string | null): Map<string, string> {
    let stems = this.#stems.get(language ?? '')
    if (stems === undefined) {
      stems = new Map()
      this.#stems.set(language ?? '', stems)
    }
    return stems
  }
}

/** @param words of letters, digits and marks only */
function patternOf(words: readonly string[]): RegExp {
  return new RegExp(words.map((word) => word.replaceAll('е', '[её]')).join('[^\\p{L}\\p{N}]*'), 'iu')
}

/** In scripts without spaces each character is a word. */
function wordsOf(text: string): readonly string[] {
  return (text.match(letterOrWord) ?? []).map((word) => word.toLowerCase().replaceAll('ё', 'е'))
}

/** '' for a stop word. */
function stemOf(word: string, language: string | null, known: Map<string, string>): string {
  const held = known.get(word)
  if (held !== undefined) return held
  const stem = termsIn(word, language ?? undefined)
    .map(({ term }) => term)
    .join(' ')
  known.set(word, stem)
  return stem
}
