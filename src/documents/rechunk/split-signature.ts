import type { ChunkSizes } from '../chunk/chunk-text.ts'

/** Increased when `chunkText` splits differently: loaded documents are then split again. */
export const chunkerVersion = 2

/** Identifies how a document is split. Documents with another signature than their collection's are split again. */
export function splitSignature({ maxUnits, overlapUnits }: ChunkSizes): string {
  return `${chunkerVersion}/${maxUnits}/${overlapUnits}`
}
