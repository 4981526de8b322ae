/** A chunk of a document's version. */
export interface ChunkKey {
  readonly documentId: number
  readonly chunkIndex: number
}

/** A chunk and where each ranking has it: places from 1, null where it has not. */
export interface FusedChunk extends ChunkKey {
  readonly score: number
  readonly places: readonly (number | null)[]
}

/** Cormack, Clarke and Büttcher's constant: how much the first places of one ranking count against both having it. */
export const fusionConstant = 60

/** A chunk's score at a place from 1 of a single ranking. */
export function scoreOfPlace(place: number): number {
  return 1 / (fusionConstant + place)
}

/** `document chunk`, for maps. */
export function keyOf({ documentId, chunkIndex }: ChunkKey): string {
  return `${documentId} ${chunkIndex}`
}

/**
 * Makes one ranking of several by reciprocal rank fusion: a chunk's score is the sum over the rankings of 1 / (60 + place).
 * Only places count, so that scores of different kinds need no common scale.
 *
 * @param weights what a place in each ranking counts; by default 1
 * @param namesOf doc_id of a document: equal scores are in its order (by bytes), then by document and chunk
 */
export function fuseRankings(
  rankings: readonly (readonly ChunkKey[])[],
  namesOf: ReadonlyMap<number, string>,
  weights: readonly number[] = rankings.map(() => 1),
): readonly FusedChunk[] {
  const places = new Map<string, { readonly chunk: ChunkKey; readonly places: (number | null)[] }>()
  for (const [number, ranking] of rankings.entries())
    for (const [at, chunk] of ranking.entries()) {
      const held = places.get(keyOf(chunk)) ?? { chunk, places: rankings.map(() => null) }
      held.places[number] = at + 1
      places.set(keyOf(chunk), held)
    }
  const nameOf = ({ documentId }: ChunkKey): Buffer => Buffer.from(namesOf.get(documentId) ?? '')
  return [...places.values()]
    .map(({ chunk: { documentId, chunkIndex }, places }) => ({
      documentId,
      chunkIndex,
      places,
      score: places.reduce<number>(
        (sum, place, at) => sum + (place === null ? 0 : (weights[at] ?? 1) * scoreOfPlace(place)),
        0,
      ),
    }))
    .sort(
      (one, other) =>
        other.score - one.score ||
        Buffer.compare(nameOf(one), nameOf(other)) ||
        one.documentId - other.documentId ||
        one.chunkIndex - other.chunkIndex,
    )
}
