import type { ChunkSizes } from '../chunk/chunk-text.ts'

/** Raised when `chunkText` cuts otherwise: documents that are loaded are cut again then. */
export const chunkerVersion = 2

/** How a document is cut. Documents with another signature than their collection's are cut again. */
export function cutSignature({ maxUnits, overlapUnits }: ChunkSizes): string {
  return `${chunkerVersion}/${maxUnits}/${overlapUnits}`
}
