import { rarityOf } from '../ranking/bm25.ts'
import { postingsWith, type Segment } from '../segments/segment.ts'
import type { Proposals } from './chunk-tables.ts'
import type { TablePart } from './removed-terms.ts'

/** The chunks of a table that are scored by our own formula, because LanceDB ranks them highest. */
interface Choice {
  readonly chunks: Uint32Array
  /** LanceDB's scores of these. */
  readonly scores: Float32Array
  /** No other chunk of the table contains a term of the search. */
  readonly areAll: boolean
}

/** Every table may have the best chunks. */
const minOfTable = 50
const minChosenOfTable = 10
/** How unevenly the best chunks may be distributed among tables. */
const unevenness = 2

/** The number of chunks to request of each of some tables, so that `wanted` of all tables can be chosen. */
export function proposedOf(tables: number, wanted: number): number {
  return tables === 1 ? wanted : Math.min(wanted, Math.max(minOfTable, Math.ceil((wanted * unevenness) / tables)))
}

/**
 * Chooses the best chunks of all tables together by LanceDB's scores, which are made comparable.
 *
 * @param requested the number of chunks that were requested of LanceDB, of each table
 */
export function chooseBest(
  parts: readonly TablePart[],
  proposals: readonly Proposals[],
  { requested, wanted }: { readonly requested: number; readonly wanted: number },
): readonly Choice[] {
  const scales = scalesOf(parts)
  const all = Float64Array.from(
    proposals.flatMap(({ scores }, part) => Array.from(scores, (score) => score * (scales[part] ?? 1))),
  ).sort()
  const min = all.length > wanted ? (all[all.length - wanted] ?? 0) : 0
  return proposals.map(({ chunks, scores }, part) => {
    const lower = scores.findIndex((score) => score * (scales[part] ?? 1) < min)
    const count = Math.min(Math.max(lower < 0 ? chunks.length : lower, minChosenOfTable), chunks.length)
    return {
      chunks: chunks.subarray(0, count),
      scores: scores.subarray(0, count),
      areAll: count === chunks.length && chunks.length < requested,
    }
  })
}

/** LanceDB knows how rare a word is in one table only. @returns what the scores of each table are multiplied with */
function scalesOf(parts: readonly TablePart[]): readonly number[] {
  const chunks = parts.reduce((sum, { segment }) => sum + segment.chunkCount, 0)
  const rarities = (parts[0]?.byTerm ?? []).map((_, term) =>
    rarityOf(
      parts.reduce((sum, { segment, byTerm }) => sum + chunksWith(segment, byTerm[term] ?? -1), 0),
      chunks,
    ),
  )
  return parts.map(({ segment, byTerm }) => {
    let own = 0
    let together = 0
    for (const [term, ordinal] of byTerm.entries()) {
      if (ordinal < 0) continue
      own += rarityOf(chunksWith(segment, ordinal), segment.chunkCount)
      together += rarities[term] ?? 0
    }
    return own === 0 ? 1 : together / own
  })
}

function chunksWith(segment: Segment, ordinal: number): number {
  return ordinal < 0 ? 0 : postingsWith(segment, ordinal)
}
