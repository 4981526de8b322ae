import { termsIn } from '../../search-engine/analysis/analyze.ts'
import { letterOrWord } from '../../search-engine/analysis/letter-pairs.ts'

/**
 * Whether the words of a phrase follow each other in a text, in order and without others between them. A word may have another
 * form (`printers` for `printer`); stop words have to be the same.
 */
export class PhraseMatcher {
  readonly #words: readonly string[]
  /** Of each language that was met: stems of the phrase, and of words of texts. */
  readonly #stems = new Map<string, Map<string, string>>()

  constructor(phrase: string) {
    this.#words = wordsOf(phrase)
  }

  /** @param language of the text, as `detectLanguage` names it */
  isIn(text: string, language: string | null): boolean {
    const found = wordsOf(text)
    const stems = this.#stems.get(language ?? '') ?? new Map<string, string>()
    this.#stems.set(language ?? '', stems)
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
}

/** Letters of scripts without spaces are words by themselves. */
function wordsOf(text: string): readonly string[] {
  return (text.normalize('NFKC').match(letterOrWord) ?? []).map((word) => word.toLowerCase().replaceAll('ё', 'е'))
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
