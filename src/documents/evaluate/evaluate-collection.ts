import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { DocumentDeps } from '../document-deps.ts'
import { readableCollections } from '../rights/collection-access.ts'
import type { Search, SearchFound, SearchMode } from '../search-documents.ts'
import { plainShape } from '../shape/shape-hits.ts'
import { type Judgements, measureRankings, type RankingMeasures } from './measure-ranking.ts'
import type { JudgedQuery } from './read-judgements.ts'

export interface Evaluation {
  readonly collectionName: string
  /** Their ids are different. */
  readonly queries: readonly JudgedQuery[]
  /** By query. Queries without a relevant document are not searched. */
  readonly judgements: ReadonlyMap<string, Judgements>
  readonly mode: SearchMode
  /** Runs one search as the caller; it may wait until it is their turn. */
  readonly search: (search: Search) => Promise<Result<SearchFound, Problem>>
}

export interface EvaluatedQuery extends Omit<RankingMeasures, 'queries'> {
  readonly id: string
  /** doc_ids, best first. */
  readonly found: readonly string[]
  /** doc_ids that are judged relevant and were not found. */
  readonly missed: readonly string[]
}

export interface EvaluatedCollection extends RankingMeasures {
  /** The modes that were used. */
  readonly modes: readonly SearchMode[]
  /** The worst first. */
  readonly perQuery: readonly EvaluatedQuery[]
}

/** recall@100 needs no more. */
const documentsOfQuery = 100
const documentsNamed = 10

/** Measures how well searches of this caller answer judged questions. */
export async function evaluateCollection(
  deps: DocumentDeps,
  principal: Principal,
  { collectionName, queries, judgements, mode, search }: Evaluation,
): Promise<Result<EvaluatedCollection, Problem>> {
  // Without a judged question nothing is searched, and the collection may still be none.
  const readable = await readableCollections(deps.database, principal, [collectionName])
  if (!readable.ok) return readable
  const rankings = new Map<string, readonly string[]>()
  const modes = new Set<SearchMode>()
  for (const { id, text } of queries) {
    if (relevantOf(judgements.get(id)).length === 0) continue
    const found = await search({
      query: text,
      k: documentsOfQuery,
      // A document counts at the rank of its first chunk.
      shape: { ...plainShape, chunksOfDocument: 1 },
      collectionNames: [collectionName],
      filter: '',
      mode,
      highlight: false,
    })
    if (!found.ok) return found
    rankings.set(
      id,
      found.value.hits.map(({ docId }) => docId),
    )
    modes.add(found.value.mode)
  }
  const searched = new Map([...judgements].filter(([id]) => rankings.has(id)))
  const perQuery = [...rankings].map(([id, found]) => evaluated(id, found, judgements.get(id) ?? new Map()))
  return succeed({
    ...measureRankings(rankings, searched),
    modes: [...modes].sort(),
    perQuery: perQuery.sort((one, other) => one.ndcg10 - other.ndcg10 || one.map - other.map),
  })
}

function evaluated(id: string, found: readonly string[], gains: Judgements): EvaluatedQuery {
  const { queries: _, ...measures } = measureRankings(new Map([[id, found]]), new Map([[id, gains]]))
  const missed = relevantOf(gains).filter((docId) => !found.includes(docId))
  return { id, ...measures, found: found.slice(0, documentsNamed), missed }
}

function relevantOf(gains: Judgements | undefined): readonly string[] {
  return [...(gains ?? [])].filter(([, gain]) => gain > 0).map(([docId]) => docId)
}
