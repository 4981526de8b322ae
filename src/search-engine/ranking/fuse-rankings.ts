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
 * ranks count, so that scores of different kinds need no common scale. The order of equal scores is that of the caller's choice.
 *
 * @param weights the weight of each ranking
 */
export function fuseRankings(
  rankings: readonly (readonly ChunkKey[])[],
  weights: readonly number[],
): readonly FusedChunk[] {
  const places = new Map<string, { readonly chunk: ChunkKey; readonly places: (number | null)[] }>()
  for (const [number, ranking] of rankings.entries())
    for (const [at, chunk] of ranking.entries()) {
      const held = places.get(keyOf(chunk)) ?? { chunk, places: rankings.map(() => null) }
      held.places[number] = at + 1
      places.set(keyOf(chunk), held)
    }
  return [...places.values()]
    .map(({ chunk: { documentId, chunkIndex }, places }) => {
      return { documentId, chunkIndex, places, score: scoreOf(places, weights) }
    })
    .sort((one, other) => other.score - one.score)
}

function scoreOf(places: readonly (number | null)[], weights: readonly number[]): number {
  return places.reduce<number>(
    (sum, place, at) => sum + (place === null ? 0 : (weights[at] ?? 1) * scoreOfPlace(place)),
    0,
  )
}

/** A chunk whose rank, from 1, lies between two bounds. */
interface BoundedChunk extends ChunkKey {
  readonly first: number
  readonly last: number
}

export interface Fusion {
  /** Of both rankings, the exact one first. */
  readonly weights: readonly [number, number]
  /** Chunks of a ranking that are fused. */
  readonly depth: number
  /** How many of the fused chunks are needed, with all that have the score of the last one. */
  readonly count: number
}

/** What is known of the best of two fused rankings, one of which is known by bounds of the ranks. */
export interface PossiblyBest<T> {
  /** Chunks of the bounded ranking that can be among the best: they need their exact rank. */
  readonly needed: ReadonlySet<T>
  /** All chunks that can be among the best. */
  readonly possible: readonly ChunkKey[]
}

export function possiblyBest<T extends BoundedChunk>(
  exact: readonly ChunkKey[],
  bounded: readonly T[],
  { weights, depth, count }: Fusion,
): PossiblyBest<T> {
  const places = new Map(exact.map((chunk, at) => [keyOf(chunk), { chunk, place: at + 1 }]))
  const ranges = bounded.map((chunk) => {
    const place = places.get(keyOf(chunk))?.place ?? null
    places.delete(keyOf(chunk))
    const last = chunk.last > depth ? null : chunk.last
    return { chunk, min: scoreOf([place, last], weights), max: scoreOf([place, chunk.first], weights) }
  })
  const others = [...places.values()].map(({ chunk, place }) => ({ chunk, score: scoreOf([place, null], weights) }))
  const mins = [...ranges.map(({ min }) => min), ...others.map(({ score }) => score)].sort((one, other) => other - one)
  const minScore = mins[count - 1] ?? Number.NEGATIVE_INFINITY
  const needed = ranges.filter(({ max }) => max >= minScore).map(({ chunk }) => chunk)
  const exactOnly = others.filter(({ score }) => score >= minScore).map(({ chunk }) => chunk)
  return { needed: new Set(needed), possible: [...exactOnly, ...needed] }
}
