import type { FoundChunk } from '../store/read-chunks.ts'
import { chooseDiverse } from './choose-diverse.ts'
import type { ShapedChunk } from './shaped-chunk.ts'

/** How the found chunks are turned into a response (docs/documents.md). */
export interface Shape {
  /** 0: no minimum. */
  readonly minRelevance: number
  /** Chunks per document, best first; null: chunks are not grouped. */
  readonly chunksOfDocument: number | null
  readonly isCollapsed: boolean
  /** From 0 (the ranking unchanged) to 1 (as different from each other as possible). */
  readonly diversity: number
  /** Neighbours on each side of a chunk. */
  readonly context: number
}

export const plainShape: Shape = {
  minRelevance: 0,
  chunksOfDocument: null,
  isCollapsed: false,
  diversity: 0,
  context: 0,
}

/** Whether the k best chunks are the response without changes. */
export function isPlain({ minRelevance, chunksOfDocument, isCollapsed, diversity }: Shape): boolean {
  return minRelevance === 0 && chunksOfDocument === null && !isCollapsed && diversity === 0
}

/**
 * @param chunks best first
 * @param k chunks of the response, or documents if it is grouped
 */
export function shapeChunks(chunks: readonly FoundChunk[], shape: Shape, k: number): readonly ShapedChunk[] {
  const relevant = chunks.filter(({ relevance }) => relevance >= shape.minRelevance)
  const single = shape.isCollapsed
    ? collapseDuplicates(relevant)
    : relevant.map((chunk) => ({ chunk, duplicates: null }))
  if (shape.chunksOfDocument === null) return chooseDiverse(single, shape.diversity, k)
  const groups = groupsOf(single, shape.chunksOfDocument)
  const heads = groups.flatMap(([head]) => head ?? [])
  const chosen = chooseDiverse(heads, shape.diversity, k)
  return chosen.flatMap((head) => groups.find(([first]) => first === head) ?? [])
}

/** The best of several chunks with the same words represents all of them. */
function collapseDuplicates(chunks: readonly FoundChunk[]): readonly ShapedChunk[] {
  return [...Map.groupBy(chunks, wordsOf).values()].flatMap(([chunk, ...duplicates]) =>
    chunk === undefined ? [] : [{ chunk, duplicates }],
  )
}

/** Chunks without words are never duplicates. */
function wordsOf({ text, documentId, chunkIndex }: FoundChunk): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu)
  return words?.join(' ') ?? `\u0000 ${documentId} ${chunkIndex}`
}

/** Documents in the order of their best chunks, each with its best chunks. */
function groupsOf(chunks: readonly ShapedChunk[], size: number): readonly (readonly ShapedChunk[])[] {
  return [...Map.groupBy(chunks, ({ chunk }) => chunk.documentId).values()].map((group) => group.slice(0, size))
}
