import { compareChunks } from '../../embeddings/in-memory/nearest-candidates.ts'
import type { RerankAddress } from '../../embeddings/rerank-texts.ts'
import type { NearChunk, NearSearch, NeededRanks, PassingDocuments } from '../../embeddings/vector-engine.ts'
import { indexOfId } from '../../kernel/ascending-ids.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { Sql } from '../../kernel/sql.ts'
import { type ChunkKey, fuseRankings, keyOf, possiblyBest } from '../../search-engine/ranking/fuse-rankings.ts'
import type { Collection } from '../store/collections.ts'
import type { FoundChunk } from '../store/read-chunks.ts'
import type { IndexView } from '../sync/lexical-index.ts'
import { BestTexts } from './best-texts.ts'
import {
  isIncomplete,
  type NearParts,
  type NearWarning,
  rankSpace,
  type SpaceVector,
  searchVectors,
  type VectorSources,
} from './rank-near.ts'
import { rankVisible, type VisibleRanking, type VisibleSearch } from './rank-visible.ts'
import { readTexts } from './read-texts.ts'
import { type RerankWarning, rerank, rerankedDepth } from './rerank.ts'

export interface HybridParts extends NearParts {
  readonly view: IndexView
  readonly sources: VectorSources
  readonly reranker: RerankAddress | null
  /** How long a search waits for what other processes wrote; null: without a limit. */
  readonly waitMs: () => Promise<number | null>
}

/** Why a response is less complete than requested. */
export type SearchWarning =
  | NearWarning
  | RerankWarning
  /** The index of this process has not applied all loads yet. */
  | { readonly kind: 'index-behind' }

/** The rank of a chunk in each ranking; null: not in it. */
export interface ChunkRanks {
  readonly lexical: number | null
  readonly vector: number | null
  /** Cosine of the vectors of the chunk and the query, from -1 to 1. */
  readonly similarity: number | null
  /** Score of the reranker. */
  readonly rerank: number | null
}

export interface HybridSearch extends VisibleSearch {
  readonly query: string
  /** Filter and rights, on a row `d` of docket_documents.document; null: every document of the collections. */
  readonly condition: Sql<boolean> | null
  /** The collections to search. */
  readonly collections: readonly Collection[]
  /** A given vector instead of those that models compute from the query; null: none. */
  readonly vector: Float32Array | null
  /** Lexical and vectors, or vectors only. */
  readonly mode: 'hybrid' | 'vector'
  readonly weights: FusionWeights
  /** The caller named collections: a collection that the vector does not fit is an error. */
  readonly areNamed: boolean
}

/** The weight of a rank in each ranking. */
export interface FusionWeights {
  readonly lexical: number
  readonly vector: number
}

type ScoredChunk = ChunkKey & { readonly score: number }

export interface HybridRanking {
  readonly chunks: readonly FoundChunk[]
  readonly ranks: ReadonlyMap<string, ChunkRanks>
  readonly mode: 'lexical' | 'hybrid' | 'vector'
  readonly warnings: readonly SearchWarning[]
  readonly lexical: VisibleRanking
}

/** Chunks per ranking that are fused; a chunk below this rank in both rankings cannot reach the top. */
const fusedDepth = 100
/** Of so many documents that pass a filter, hardly any search needs all: the best candidates suffice. */
const maxIdsOfVectors = 1_000_000

/**
 * Ranks lexically and by vectors, fuses the rankings, and reranks the best chunks. Rights and filter apply inside every
 * ranking, so ranks count visible chunks only, and no forbidden text is sent to an address. Each model has its own
 * ranking, because vectors of different models cannot be compared. If a model fails, the response leaves it out and
 * says so.
 */
export async function rankHybrid(
  parts: HybridParts,
  position: number,
  search: HybridSearch,
): Promise<Result<HybridRanking, Problem>> {
  const embedding = Promise.all(searchVectors(parts, search.collections, search))
  const ranking = rankWords(parts, position, search)
  // An error of the words does not wait for the models.
  const vectors = await Promise.race([embedding, ranking.then(() => embedding)])
  const texts = new BestTexts((some, lexical) => readTexts(parts, some, { search, lexical }))
  const nearSearch = nearSearchOf(parts, { position, search, ranking, spaces: vectors.length, texts })
  // Side by side, in two threads. Neither goes on after the search has ended with an error.
  const [words, nearest] = await Promise.allSettled([ranking, rankSpaces(parts, vectors, nearSearch)])
  if (words.status === 'rejected' || nearest.status === 'rejected' || !nearest.value.ok) await texts.settled()
  if (words.status === 'rejected') throw words.reason
  if (nearest.status === 'rejected') throw nearest.reason
  if (!nearest.value.ok) return nearest.value
  const { rankings, warnings } = nearest.value.value
  if (warnings.some(({ kind }) => kind === 'vectors-behind') && !wordsSuffice(search, rankings.length))
    return fail(vectorsNotRead)
  const isByWords = rankings.length === 0
  const lexical = isByWords && !needsWords(search) ? await rankAllWords(parts, position, search) : words.value
  const fused = fuse(search, lexical, rankings)
  const chunks = await readBest(texts, fused, {
    ...{ search, lexical, near: rankings },
    count: neededCount(parts, search),
  })
  const isReranked = search.mode === 'hybrid'
  const reranked = isReranked ? await rerank(parts, search.query, chunks) : succeed({ ordered: chunks, scores: null })
  const { ordered, scores } = reranked.ok ? reranked.value : { ordered: chunks, scores: null }
  return succeed({
    chunks: ordered.slice(0, search.k),
    ranks: ranksOf(ordered, { lexical: lexical.ranked, near: rankings, scores }),
    mode: isByWords ? 'lexical' : search.mode,
    warnings: [...warnings, ...(reranked.ok ? [] : [reranked.error])],
    lexical,
  })
}

/** Whether words find what vectors do not. Otherwise neither version of a replaced document might be found. */
function wordsSuffice({ query, mode }: HybridSearch, rankings: number): boolean {
  return query !== '' && (mode === 'hybrid' || rankings === 0)
}

const vectorsNotRead: Problem = {
  kind: 'unavailable',
  detail: 'This server does not have all vectors at the moment',
  retryAfterSeconds: 1,
}

const depthOf = ({ k }: HybridSearch): number => Math.max(fusedDepth, k)

/** Whether ranks by words are part of the result. */
const needsWords = ({ mode, explain }: HybridSearch): boolean => mode === 'hybrid' || explain

/**
 * Every search needs the corrections and the statistics of the words, which depend on no filter: a search by vectors only does not wait
 * until a rare filter is read for the words, too.
 */
function rankWords(parts: HybridParts, position: number, search: HybridSearch): Promise<VisibleRanking> {
  if (needsWords(search)) return rankAllWords(parts, position, search)
  return rankVisible(parts.session, parts.view, position, { ...search, k: 1, filter: null })
}

function rankAllWords(parts: HybridParts, position: number, search: HybridSearch): Promise<VisibleRanking> {
  return rankVisible(parts.session, parts.view, position, { ...search, k: depthOf(search) })
}

interface NearOptions {
  readonly position: number
  readonly search: HybridSearch
  readonly ranking: Promise<VisibleRanking>
  /** How many rankings by vectors there are. */
  readonly spaces: number
  readonly texts: BestTexts
}

function nearSearchOf(parts: HybridParts, options: NearOptions): NearOfHybrid {
  const { position, search, spaces } = options
  const { waitMs } = parts
  const isFused = search.mode === 'hybrid' || spaces > 1
  const near = { ...search, k: isFused ? depthOf(search) : search.k, topK: search.k, position, waitMs }
  if (search.mode !== 'hybrid' || spaces > 1) return near
  return { ...near, neededOf: neededBeside(options, neededCount(parts, search)) }
}

/** How many of the best chunks are read. */
function neededCount({ reranker }: HybridParts, { mode, k }: HybridSearch): number {
  return mode === 'hybrid' && reranker !== null ? Math.max(k, rerankedDepth) : k
}

/** The ranks by vectors that decide about the best of both rankings: exact similarities are read for few chunks. */
function neededBeside({ ranking, search, texts }: NearOptions, count: number): NeededRanks {
  const { lexical, vector } = search.weights
  return async (near) => {
    const words = await ranking
    const best = possiblyBest(words.ranked, near, { weights: [lexical, vector], depth: depthOf(search), count })
    texts.readAhead(best.possible, words, count)
    return best.needed
  }
}

interface FusedSearch {
  readonly search: HybridSearch
  readonly lexical: VisibleRanking
  readonly near: readonly (readonly NearChunk[])[]
  /** How many of the best chunks are read. */
  readonly count: number
}

/** Equal scores are ordered by doc_id, which comes with the texts: so all with the score of the last one are read. */
async function readBest(
  texts: BestTexts,
  fused: readonly ScoredChunk[],
  { search, lexical, near, count }: FusedSearch,
): Promise<readonly FoundChunk[]> {
  const last = fused[count - 1]
  const best = last === undefined ? fused : fused.filter(({ score }) => score >= last.score)
  const found = await texts.of(
    best.map((chunk) => ({ ...chunk, relevance: 0 })),
    lexical,
  )
  const relevance = search.query === '' ? nearnessOf(near) : found.relevance
  return found.chunks
    .map((chunk) => ({ ...chunk, relevance: relevance.get(keyOf(chunk)) ?? 0 }))
    .sort((one, other) => other.score - one.score || compareChunks(one, other))
    .slice(0, count)
}

/** A search without a query has no words: the relevance of a chunk is the similarity of its vector. */
function nearnessOf(near: readonly (readonly NearChunk[])[]): ReadonlyMap<string, number> {
  const rounded = (similarity: number): number => Math.round(Math.min(1, Math.max(0, similarity)) * 10_000) / 10_000
  return new Map(near.flat().map((chunk) => [keyOf(chunk), rounded(chunk.similarity)]))
}

type NearOfHybrid = HybridSearch & Pick<NearSearch, 'position' | 'topK' | 'neededOf' | 'waitMs'>

interface NearRankings {
  /** One for each space that could be searched. */
  readonly rankings: readonly (readonly NearChunk[])[]
  readonly warnings: readonly NearWarning[]
}

async function rankSpaces(
  parts: HybridParts,
  vectors: readonly SpaceVector[],
  search: NearOfHybrid,
): Promise<Result<NearRankings, Problem>> {
  const passing = passingVisible(search)
  const rankings: (readonly NearChunk[])[] = []
  const warnings = new Map<string, NearWarning>()
  for (const each of vectors) {
    const [near, isPartial] = await Promise.all([
      rankSpace(parts, each, { ...search, ...passing, isGiven: search.vector !== null }),
      isIncomplete(parts.session, each, search),
    ])
    if (!near.ok) {
      warnings.set(near.error.kind, near.error)
      continue
    }
    const [other] = near.value.others
    if (other !== undefined && search.areNamed) return fail(otherLength(search, other))
    if (other !== undefined) warnings.set('vector-lengths', { kind: 'vector-lengths' })
    rankings.push(near.value.near)
    if (isPartial) warnings.set('vectors-incomplete', { kind: 'vectors-incomplete' })
  }
  return succeed({ rankings, warnings: [...warnings.values()] })
}

/**
 * The visible documents that pass the filter. The ranking by words reads them, too, so metadata is read once. Absent if there is no filter,
 * or if some of the collections are bound and others are not.
 */
function passingVisible({ filterSet, visible, collectionIds }: HybridSearch): Pick<NearSearch, 'passing'> {
  const isMixed = visible !== null && visible.collectionIds.length < collectionIds.length
  if (filterSet === null || isMixed) return {}
  const visibleOf = (ids: Float64Array | undefined): Float64Array | undefined =>
    visible === null ? ids : ids?.filter((id) => indexOfId(visible.documentIds, id) >= 0)
  const passing: PassingDocuments = {
    known: async () => visibleOf(await filterSet.known()),
    async read() {
      const { ids, isAll } = await filterSet.read(maxIdsOfVectors)
      return isAll ? visibleOf(ids) : undefined
    },
    countChecked: (candidates) => filterSet.countChecked(candidates),
  }
  return { passing }
}

function otherLength({ vector }: HybridSearch, { name }: Collection): Problem {
  const detail = `it has ${vector?.length} numbers; the vectors of the collection ${name} have another length`
  return { kind: 'invalid-value', field: 'vector', detail }
}

/** With vectors only and one model, the score is the cosine; several rankings are fused by rank. */
function fuse(
  { mode, weights }: HybridSearch,
  { ranked }: VisibleRanking,
  near: readonly (readonly NearChunk[])[],
): readonly ScoredChunk[] {
  const [only, ...others] = near
  if (only === undefined) return ranked
  if (mode === 'vector' && others.length === 0) return only.map((chunk) => ({ ...chunk, score: chunk.similarity }))
  const rankings = mode === 'vector' ? near : [ranked, ...near]
  const weightOf = (at: number): number => (mode === 'vector' ? 1 : at === 0 ? weights.lexical : weights.vector)
  const fused = fuseRankings(
    rankings,
    rankings.map((_, at) => weightOf(at)),
  )
  return fused.filter(({ score }) => score > 0)
}

function ranksOf(
  chunks: readonly FoundChunk[],
  from: {
    readonly lexical: readonly ChunkKey[]
    readonly near: readonly (readonly NearChunk[])[]
    readonly scores: readonly number[] | null
  },
): ReadonlyMap<string, ChunkRanks> {
  const lexical = new Map(from.lexical.map((chunk, at) => [keyOf(chunk), at + 1]))
  const near = new Map(
    from.near.flatMap((ranking) =>
      ranking.map((chunk, at) => [keyOf(chunk), { place: at + 1, similarity: chunk.similarity }] as const),
    ),
  )
  return new Map(
    chunks.map((chunk, at) => {
      const key = keyOf(chunk)
      const vector = near.get(key)
      const ranks = {
        lexical: lexical.get(key) ?? null,
        vector: vector?.place ?? null,
        similarity: vector?.similarity ?? null,
        rerank: from.scores?.[at] ?? null,
      }
      return [key, ranks]
    }),
  )
}
