import { analyze } from '../../search-engine/analysis/analyze.ts'
import type { ShapedChunk } from './shaped-chunk.ts'

/** Chunks after these are not compared: each comparison is with every chosen chunk. */
const maxCompared = 200

/**
 * Maximal marginal relevance (Carbonell and Goldstein): repeatedly chooses the chunk with the best score after a
 * deduction for its overlap with the chunks chosen before. The overlap of two chunks is the share of common words among
 * all their words.
 *
 * @param diversity from 0 (by score alone) to 1 (by difference alone, after the first)
 * @param chunks best first
 */
export function chooseDiverse(chunks: readonly ShapedChunk[], diversity: number, k: number): readonly ShapedChunk[] {
  if (diversity === 0) return chunks.slice(0, k)
  const best = chunks[0]?.chunk.score ?? 0
  const top = best > 0 ? best : 1
  const left = chunks.slice(0, Math.max(maxCompared, k)).map((shaped) => ({
    shaped,
    value: (1 - diversity) * (shaped.chunk.score / top),
    words: new Set(analyze(shaped.chunk.text, shaped.chunk.language ?? undefined)),
    repeated: 0,
  }))
  const chosen: ShapedChunk[] = []
  while (chosen.length < k && left.length > 0) {
    let next = 0
    for (const [at, each] of left.entries()) {
      const other = left[next]
      if (other !== undefined && each.value - diversity * each.repeated > other.value - diversity * other.repeated)
        next = at
    }
    const [taken] = left.splice(next, 1)
    if (taken === undefined) break
    chosen.push(taken.shaped)
    for (const each of left) each.repeated = Math.max(each.repeated, shareOf(each.words, taken.words))
  }
  return chosen
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0
  for (const word of one) if (other.has(word)) common++
  return common === 0 ? 0 : common / (one.size + other.size - common)
}
