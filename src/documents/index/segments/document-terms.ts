import { analyze } from '../../chunk/analyze.ts'
import type { DocumentTerms } from './build-segment.ts'

/** A document as the index takes it from the database. */
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
  /** The first row of the table that the chunk is a part of. */
  readonly repeated?: string | null | undefined
}

/**
 * Raise it when the terms or weights of an unchanged document change: indexes made before are then built anew. The
 * analyser has no number of its own, so a change of stems or stop words counts too.
 */
export const termsVersion = 1

/**
 * A word of the title says as much as three of the text: measured on abstracts, where two to four rank within half a point
 * of nDCG@10 of each other and one is a point and a half worse. One of a heading stands in the text too, so it counts once
 * more.
 */
const titleWeight = 3
const headingWeight = 1

export function termsOfDocument({ id, docId, title, language, chunks }: IndexedText): DocumentTerms {
  const latin = language ?? undefined
  const titleTerms = title === null ? [] : analyze(title, latin)
  return {
    id,
    docId,
    chunks: chunks.map(({ text, headingPath, repeated }) => {
      const weights = new Map<string, number>()
      addTerms(weights, analyze(text, latin), 1)
      // The first part of a table holds the row itself.
      if (repeated && !text.includes(repeated)) addTerms(weights, analyze(repeated, latin), 1)
      addTerms(weights, titleTerms, titleWeight)
      for (const heading of headingPath)
        if (heading !== title) addTerms(weights, analyze(heading, latin), headingWeight)
      return weights
    }),
  }
}

function addTerms(weights: Map<string, number>, terms: readonly string[], weight: number): void {
  for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight)
}
