import type { FoundChunk } from '../store/read-chunks.ts'

/** A chunk, and the chunks with the same text that it represents. */
export interface ShapedChunk {
  readonly chunk: FoundChunk
  /** null: texts are not compared. */
  readonly duplicates: readonly FoundChunk[] | null
}
