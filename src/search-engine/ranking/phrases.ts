import { termsIn } from '../analysis/analyze.ts'
import { isSingleLetter } from '../analysis/letter-pairs.ts'
import { hashOfBytes, type Segment, tokenOf, u16, u32 } from '../segments/segment.ts'

/** The terms of a phrase, in order, in the form of documents of each language. */
export type PhraseTerms = readonly (readonly string[])[]

const quoted = /"([^"]+)"|“([^”“]+)[”“]|„([^“”]+)[“”]|«([^»]+)»/gu

/** Texts between quotation marks. */
export interface Quotations {
  readonly texts: readonly string[]
  /**
   * Whether chunks without them are dropped. If not required, this applies only while some chunk contains them all; otherwise
   * they count as ordinary words.
   */
  readonly isRequired: boolean
}

/**
 * Maximum number of other words beside required quotations: people put names into quotation marks in full questions
 * (docs/decisions/0021).
 */
const maxBesideRequired = 3
const maxBesideHeld = 8

/** The texts to find verbatim. A single quotation mark does not count. */
export function quotationsOf(query: string): Quotations {
  const beside = query.replace(quoted, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  const isRequired = beside <= maxBesideRequired
  const found = [...query.matchAll(quoted)].flatMap(([, straight, ...others]) => {
    if (straight !== undefined) return beside <= maxBesideHeld ? straight : []
    return isRequired ? others.flatMap((text) => text ?? []) : []
  })
  return { texts: found.filter((text) => /[\p{L}\p{N}]/u.test(text)), isRequired }
}

/** @param languages whose stems are searched */
export function phraseTerms(phrase: string, languages: Iterable<string>): PhraseTerms {
  return [...languages].map((language) => {
    const terms = termsIn(phrase, language).map(({ term }) => term)
    // A character in a longer sequence is not in the word order: the texts are compared instead.
    return terms.some(isSingleLetter) ? [] : terms
  })
}

const encoder = new TextEncoder()

/** Drops chunks whose words are not consecutive as in each phrase; stop words are not in the index. */
export class PhraseFilter {
  readonly #phrases: readonly (readonly Uint16Array[])[]

  constructor(phrases: readonly PhraseTerms[]) {
    this.#phrases = phrases.map((languages) => languages.map((terms) => Uint16Array.from(terms, tokenOfTerm)))
  }

  holds({ tokenStart, tokens }: Segment, chunk: number): boolean {
    const own = tokens.subarray(u32(tokenStart, chunk), u32(tokenStart, chunk + 1))
    return this.#phrases.every((languages) => languages.some((phrase) => includes(own, phrase)))
  }
}

function tokenOfTerm(term: string): number {
  const bytes = encoder.encode(term)
  return tokenOf(hashOfBytes(bytes, 0, bytes.length))
}

function includes(tokens: Uint16Array, phrase: Uint16Array): boolean {
  for (let at = 0; at + phrase.length <= tokens.length; at++) {
    let length = 0
    while (length < phrase.length && u16(tokens, at + length) === u16(phrase, length)) length++
    if (length === phrase.length) return true
  }
  return phrase.length === 0
}
