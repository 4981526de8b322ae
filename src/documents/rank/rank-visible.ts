import type { Session } from '../../database/database.ts'
import { passingDocuments } from '../../embeddings/store/passing-documents.ts'
import type { Sql } from '../../kernel/sql.ts'
import { unpackRanking } from '../../search-engine/ranking/pack-ranking.ts'
import type { PhraseTerms } from '../../search-engine/ranking/phrase-filter.ts'
import type { QueryTerm } from '../../search-engine/ranking/query-term.ts'
import type { Ranking } from '../../search-engine/ranking/rank-chunks.ts'
import type { TermPair } from '../../search-engine/ranking/term-pairs.ts'
import type { VisibleState } from '../rights/visible-state.ts'
import type { IndexView } from '../sync/lexical-index.ts'
import { type FilterSet, passingIds } from './filter-sets.ts'
import type { FilterRarity } from './rare-filters.ts'

export interface VisibleSearch {
  readonly terms: readonly QueryTerm[]
  /** Adjacent terms of the query. */
  readonly pairs: readonly TermPair[]
  readonly phrases: readonly PhraseTerms[]
  readonly k: number
  readonly collectionIds: readonly number[]
  /** On a row `d` of docket_documents.document, only on columns that never change; null: none. */
  readonly filter: Sql<boolean> | null
  /** The documents that pass the filter; null: there is none. */
  readonly filterSet: FilterSet | null
  readonly rarity: FilterRarity
  /** What the caller may see of bound collections; null: every document of the collections. */
  readonly visible: VisibleState | null
  readonly explain: boolean
}

export interface VisibleRanking extends Ranking {
  /** Sequence number of the change log of the searched state. */
  readonly position: number
}

/** Candidates to check before all documents that pass the filter are read from the database. */
const minCandidates = 200
const candidatesPerChunk = 8
/** The database sends this many ids to the index in some milliseconds; more are not worthwhile before the other ways failed. */
const maxIdsAtFirst = 20_000
const secondCandidates = 10_000

/**
 * The k best chunks of visible documents that pass the filter. The result equals a ranking of all visible documents.
 * Hidden documents do not exist for it: neither scores nor statistics depend on them.
 *
 * If the documents that pass the filter are known, only those are ranked. Otherwise: most filters hold for many documents. So the best candidates of all are ranked first, and the filter is checked on
 * these few, or on some thousands if enough of these are expected to pass. If too few of them pass, the filter is rare: the database
 * lists the documents that pass, and only those are ranked; so they are at once when the filter is known to be rare. A common filter
 * that holds for none of the best thousands costs both.
 *
 * @param position sequence number of the change log: the state to search, which the view has reached
 */
export async function rankVisible(
  session: Session,
  view: IndexView,
  position: number,
  search: VisibleSearch,
): Promise<VisibleRanking> {
  const { filter, filterSet, rarity, k, terms, pairs, phrases, collectionIds, explain, visible } = search
  const rank = async (max: number, allowed?: Float64Array): Promise<VisibleRanking> => {
    const options = { k: max, explain, pairs, phrases, ...(allowed === undefined ? {} : { allowed }) }
    const limits = visible === null ? {} : { visible }
    const packed = await view.search(position, { collectionIds, terms, options, ...limits })
    return { ...unpackRanking(packed), position }
  }
  if (filter === null || filterSet === null) return rank(k)
  const known = await filterSet.known()
  if (known !== undefined) return rank(k, known)

  /** undefined when the best candidates are not enough. */
  const amongBest = async (max: number): Promise<VisibleRanking | undefined> => {
    const { ranked, explained, ...others } = await rank(max)
    const passing = await passingDocuments(session, ranked, filter)
    const passed = [...ranked.keys()].filter((place) => passing.has(ranked[place]?.documentId ?? 0))
    rarity.recordShare(passed.length, ranked.length)
    const left = passed.slice(0, k)
    if (left.length < k && ranked.length === max) return undefined
    const kept = <T>(list: readonly T[]): readonly T[] => left.flatMap((place) => list.slice(place, place + 1))
    return { ...others, ranked: kept(ranked), explained: explained === null ? null : kept(explained) }
  }
  const usual = Math.max(minCandidates, k * candidatesPerChunk)
  const expected = Math.min(usual, rarity.candidatesFor(k) ?? usual)
  if (!rarity.isRare) {
    // Each candidate costs time: where the filter is known, fewer are ranked, and in the same order.
    const first = (await amongBest(expected)) ?? (expected < usual ? await amongBest(usual) : undefined)
    if (first !== undefined) return first
    const needed = rarity.candidatesFor(k) ?? secondCandidates
    const more = needed > usual && needed < secondCandidates ? await amongBest(needed) : undefined
    if (more !== undefined) return more
  }
  const some = await filterSet.read(maxIdsAtFirst)
  rarity.note(some.ids.length)
  if (some.isAll) return rank(k, some.ids)
  const second = await amongBest(Math.max(secondCandidates, k * candidatesPerChunk))
  if (second !== undefined) return second
  return rank(k, (await passingIds(session, { collectionIds, filter, position }, null)).ids)
}
