/** The plan's input for one segment. */
export interface SegmentSize {
  readonly segmentId: string
  readonly chunks: number
  readonly removedChunks: number
}

/**
 * The number of segments of similar size to merge together: more make searches slower, fewer rewrite the same chunks more
 * often.
 */
const fanIn = 8
/** From this share of removed chunks on, a segment is rewritten without them. */
export const removedShare = 0.25
/** Chunks. Larger segments are not merged: searches do not get faster, and the merge needs twice their memory. */
const maxChunks = 2_000_000

/** @returns ids of the segments of one collection to merge now, or undefined if no merge is needed */
export function planMerge(segments: readonly SegmentSize[]): readonly string[] | undefined {
  const worn = segments.find(({ chunks, removedChunks }) => removedChunks > 0 && removedChunks >= chunks * removedShare)
  if (worn !== undefined) return [worn.segmentId]
  const tiers = Map.groupBy(
    segments.filter(({ chunks }) => chunks < maxChunks / fanIn),
    ({ chunks }) => Math.floor(Math.log(Math.max(chunks, 1)) / Math.log(fanIn)),
  )
  for (const [, tier] of [...tiers].sort(([one], [other]) => one - other))
    if (tier.length >= fanIn) return tier.map(({ segmentId }) => segmentId)
  return undefined
}
