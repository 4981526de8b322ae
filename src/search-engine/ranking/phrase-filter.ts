import { hashOfBytes, type Segment, tokenOf, u16, u32 } from '../segments/segment.ts'

/** The terms of a phrase, in order, in the form of documents of each language. */
export type PhraseTerms = readonly (readonly string[])[]

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
