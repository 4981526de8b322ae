import type { MoveRequest } from '../search-engine.ts'
import { maxPlaces } from '../segments/merge-segments.ts'
import { removedShare } from '../segments/plan-merge.ts'
import type { WriterIndex } from '../segments/writer-index.ts'

/** Segments that become one with a table. */
export interface ChosenSegments {
  readonly collectionId: number
  readonly segmentIds: readonly string[]
  /** Ids of documents that are left out. */
  readonly dropped: ReadonlySet<number>
}

type Size = ReturnType<WriterIndex['sizesOf']>[number]

/** Tables of similar size that are merged: each of them costs a search about as much, whatever its size. */
const tablesAtOnce = 4
/** Chunks. Tables of this size and more are not merged. */
const maxMerged = 1_500_000

/** @returns what to write next; null: nothing */
export function planMove(
  held: Pick<WriterIndex, 'sizesOf' | 'droppable'>,
  request: MoveRequest,
): ChosenSegments | null {
  for (const collectionId of request.collectionIds) {
    const sizes = held.sizesOf(collectionId)
    const chosen = (segments: readonly Size[], drops: boolean): ChosenSegments => {
      const segmentIds = segments.map(({ segmentId }) => segmentId)
      const dropped = new Set(drops ? held.droppable(collectionId, segmentIds, request.keepFrom) : [])
      return { collectionId, segmentIds, dropped }
    }
    for (const size of sizes) {
      if (size.isMoved ? !isWorn(size) : size.chunks < request.minChunks) continue
      const one = chosen([size], isWorn(size))
      // The removed documents of a table may still be searched: it is written later.
      if (!size.isMoved || one.dropped.size > 0) return one
    }
    const similar = similarTables(sizes)
    if (similar !== undefined) return chosen(similar, true)
  }
  return null
}

function isWorn({ chunks, removedChunks }: Size): boolean {
  return removedChunks > 0 && removedChunks >= chunks * removedShare
}

function similarTables(sizes: readonly Size[]): readonly Size[] | undefined {
  const tiers = Map.groupBy(
    sizes.filter(({ isMoved, chunks }) => isMoved && chunks < maxMerged),
    ({ chunks }) => Math.floor(Math.log(chunks) / Math.log(tablesAtOnce)),
  )
  return [...tiers]
    .filter(([, tier]) => tier.length >= tablesAtOnce)
    .sort(([one], [other]) => one - other)
    .map(([, tier]) => fitting(tier).slice(0, tablesAtOnce))
    .find((chosen) => chosen.length > 1)
}

/** Those that fit into one segment together. */
function fitting(sizes: readonly Size[]): readonly Size[] {
  let [postings, tokens] = [0, 0]
  return sizes.filter((size) => {
    if (postings + size.postings > maxPlaces || tokens + size.tokens > maxPlaces) return false
    postings += size.postings
    tokens += size.tokens
    return true
  })
}
