/** A term of the query and how often the query says it. */
export interface QueryTerm {
  readonly term: string
  readonly count: number
  /** Names the word of the query that gave it: a word may be looked for by several terms. Absent: a word of its own. */
  readonly word?: number
  /** That word, where it may be misspelt. */
  readonly spelling?: string
  /** A stop word, or a single letter: the order of words in the index does not hold it (`looseTermsIn`). */
  readonly isLoose?: true
}
