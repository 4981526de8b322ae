import type { Candidate } from './in-memory/nearest-candidates.ts'
import type { NearSearch, RankBounds } from './vector-engine.ts'

/** Candidates that decide about a result. */
export interface DecidingCandidates {
  /** Their exact similarities are needed. */
  readonly open: ReadonlySet<Candidate>
  /** Those that can be before one of the needed ones: whether they count has to be known. */
  readonly above: readonly Candidate[]
}

/** What has to be known to rank the k nearest, or only those of them whose exact rank is needed. */
export async function decidingAmong(
  candidates: readonly Candidate[],
  { k, neededOf }: Pick<NearSearch, 'k' | 'neededOf'>,
): Promise<DecidingCandidates> {
  if (neededOf === undefined) {
    const possible = possiblyAmong(candidates, k)
    return { open: new Set(possible), above: possible }
  }
  const bounds = boundsOfRanks(candidates)
  const needed = await neededOf(bounds.filter(({ first }) => first <= k))
  const wanted = candidates.filter((_, at) => needed.has(bounds[at] as RankBounds))
  const lowest = wanted.reduce((min, { lower }) => Math.min(min, lower), Number.POSITIVE_INFINITY)
  const isOpen = (one: Candidate) => wanted.some(({ upper, lower }) => one.upper >= lower && one.lower <= upper)
  return { open: new Set(candidates.filter(isOpen)), above: candidates.filter(({ upper }) => upper >= lowest) }
}

/** Those that can be among the k nearest. */
function possiblyAmong(candidates: readonly Candidate[], k: number): readonly Candidate[] {
  const minLower = candidates.map(({ lower }) => lower).sort((one, other) => other - one)[k - 1]
  return minLower === undefined ? candidates : candidates.filter(({ upper }) => upper >= minLower)
}

/** In the order of the candidates. */
function boundsOfRanks(candidates: readonly Candidate[]): readonly RankBounds[] {
  const lowers = Float64Array.from(candidates, ({ lower }) => lower).sort()
  const uppers = Float64Array.from(candidates, ({ upper }) => upper).sort()
  return candidates.map(({ documentId, chunkIndex, upper, lower }) => ({
    documentId,
    chunkIndex,
    first: candidates.length - countUpTo(lowers, upper) + 1,
    last: candidates.length - countBelow(uppers, lower),
  }))
}

function countBelow(ascending: Float64Array, number: number): number {
  return firstWhere(ascending, (each) => each >= number)
}

function countUpTo(ascending: Float64Array, number: number): number {
  return firstWhere(ascending, (each) => each > number)
}

/** The first index for whose number it holds, as for all after it. */
function firstWhere(ascending: Float64Array, holds: (number: number) => boolean): number {
  let [from, to] = [0, ascending.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(ascending[middle] as number)) to = middle
    else from = middle + 1
  }
  return from
}
