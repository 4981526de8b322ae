import type { FoundChunk } from '../store/read-chunks.ts'

/** A chunk, and others with the same text that it stands for. */
export interface ShapedChunk {
  readonly chunk: FoundChunk
  /** null: texts are not compared. */
  readonly duplicates: readonly FoundChunk[] | null
}
