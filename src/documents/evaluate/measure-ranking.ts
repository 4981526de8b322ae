/** How relevant documents are to a query: gains by doc_id, above 0 where a person judged the document relevant. */
export type Judgements = ReadonlyMap<string, number>

/** Each from 0 to 1, the mean over the queries with a relevant document. */
export interface RankingMeasures {
  readonly queries: number
  /** Linear gain, discount by the logarithm to base 2 of the rank. */
  readonly ndcg10: number
  readonly map: number
  readonly recall10: number
  readonly recall100: number
}

/**
 * Measures rankings against human judgements.
 *
 * @param rankings doc_ids by query, best first, without duplicates
 */
export function measureRankings(
  rankings: ReadonlyMap<string, readonly string[]>,
  judgements: ReadonlyMap<string, Judgements>,
): RankingMeasures {
  const checked = [...judgements].filter(([, gains]) => relevantIn(gains) > 0)
  const mean = (measure: (ranking: readonly string[], gains: Judgements) => number): number =>
    checked.reduce((sum, [query, gains]) => sum + measure(rankings.get(query) ?? [], gains), 0) /
    Math.max(checked.length, 1)
  return {
    queries: checked.length,
    ndcg10: mean(ndcg10),
    map: mean(averagePrecision),
    recall10: mean((ranking, gains) => recall(ranking.slice(0, 10), gains)),
    recall100: mean((ranking, gains) => recall(ranking.slice(0, 100), gains)),
  }
}

function relevantIn(gains: Judgements): number {
  return [...gains.values()].filter((gain) => gain > 0).length
}

function ndcg10(ranking: readonly string[], gains: Judgements): number {
  const reached = discounted(ranking.map((docId) => gains.get(docId) ?? 0))
  const possible = discounted([...gains.values()].sort((one, other) => other - one))
  return possible === 0 ? 0 : reached / possible
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0)
}

function averagePrecision(ranking: readonly string[], gains: Judgements): number {
  let found = 0
  let sum = 0
  for (const [rank, docId] of ranking.entries()) {
    if ((gains.get(docId) ?? 0) <= 0) continue
    found++
    sum += found / (rank + 1)
  }
  return sum / relevantIn(gains)
}

function recall(ranking: readonly string[], gains: Judgements): number {
  return ranking.filter((docId) => (gains.get(docId) ?? 0) > 0).length / relevantIn(gains)
}
