/** A chunk of a version of a document. */
export interface ChunkKey {
  readonly documentId: number
  readonly chunkIndex: number
}

/** A chunk and its rank in each ranking: from 1, null if it is not in it. */
export interface FusedChunk extends ChunkKey {
  readonly score: number
  readonly places: readonly (number | null)[]
}

/** The constant of Cormack, Clarke and Büttcher: the weight of the first ranks of one ranking relative to being in both. */
export const fusionConstant = 60

/** The score of a chunk at a rank, from 1, of a single ranking. */
export function scoreOfPlace(place: number): number {
  return 1 / (fusionConstant + place)
}

/** `document chunk`, as a key of maps. */
export function keyOf({ documentId, chunkIndex }: ChunkKey): string {
  return `${documentId} ${chunkIndex}`
}

/**
 * Merges several rankings by reciprocal rank fusion: a chunk's score is the sum over the rankings of 1 / (60 + rank). Only
 * ranks count, so that scores of different kinds need no common scale.
 *
 * @param weights the weight of each ranking; 1 by default
 * @param namesOf doc_id of a document: equal scores are ordered by it (in byte order), then by document and chunk
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
