import { analyzeAll, type TextTerms } from '../analysis/analyze.ts'
import type { ChunkTerms, DocumentTerms } from './build-segment.ts'

/** A document as read from the database for the index. */
export interface IndexedText {
  readonly id: number
  readonly docId: string
  readonly title: string | null
  /** As `detectLanguage` names it. */
  readonly language: string | null
  readonly chunks: readonly IndexedChunk[]
}

export interface IndexedChunk {
  readonly text: string
  readonly headingPath: readonly string[]
  /** The first row of the table that the chunk is part of. */
  readonly repeated?: string | null | undefined
}

/**
 * A word of the title counts as much as four of the text (docs/decisions/0018). A word of a heading occurs in the text too, so
 * it counts once more.
 */
const titleWeight = 4
const headingWeight = 1

export function termsOfDocument({ id, docId, title, language, chunks }: IndexedText): DocumentTerms {
  const latin = language ?? undefined
  const titleTerms = title === null ? nothing : analyzeAll(title, latin)
  return {
    id,
    docId,
    chunks: chunks.map((chunk) => termsOfChunk(chunk, title, titleTerms, latin)),
  }
}

const nothing: TextTerms = { words: [], letters: [], stopWords: [] }

function termsOfChunk(
  { text, headingPath, repeated }: IndexedChunk,
  title: string | null,
  titleTerms: TextTerms,
  latin: string | undefined,
): ChunkTerms {
  const weights = new Map<string, number>()
  const letterWeights = new Map<string, number>()
  const present = new Set<string>()
  const fields: (readonly string[])[] = []
  const add = ({ words, letters, stopWords }: TextTerms, weight: number): void => {
    addTerms(weights, words, weight)
    addTerms(letterWeights, letters, weight)
    for (const word of stopWords) present.add(word)
    if (words.length > 0) fields.push(words)
  }
  add(titleTerms, titleWeight)
  for (const heading of headingPath) if (heading !== title) add(analyzeAll(heading, latin), headingWeight)
  // The first part of a table contains the row itself.
  if (repeated && !text.includes(repeated)) add(analyzeAll(repeated, latin), 1)
  add(analyzeAll(text, latin), 1)
  return { weights, letters: letterWeights, stopWords: present, fields }
}

function addTerms(weights: Map<string, number>, terms: readonly string[], weight: number): void {
  for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight)
}
