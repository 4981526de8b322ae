/** A term of the query and how often the query contains it. */
export interface QueryTerm {
  readonly term: string
  readonly count: number
  /** Identifies the word of the query: several terms may be searched for one word. Absent: a word of its own. */
  readonly word?: number
  /** The word, if it may be misspelt. */
  readonly spelling?: string
  /** A stop word, or a single character: it is not in the word order of the index (`looseTermsIn`). */
  readonly isLoose?: true
}
