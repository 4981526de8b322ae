import type { Session } from '../../database/database.ts'
import type { ModelError } from '../../embeddings/call-model.ts'
import { type RerankAddress, rerankTexts } from '../../embeddings/rerank-texts.ts'
import type { NearChunk } from '../../embeddings/vector-engine.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { RankedChunk } from '../../search-engine/ranking/best-chunks.ts'
import { type ChunkKey, fuseRankings, keyOf, scoreOfPlace } from '../../search-engine/ranking/fuse-rankings.ts'
import { unpackRanking } from '../../search-engine/ranking/pack-ranking.ts'
import type { Collection } from '../store/collections.ts'
import { type FoundChunk, readChunks } from '../store/read-chunks.ts'
import type { IndexView } from '../sync/lexical-index.ts'
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

export interface HybridParts extends NearParts {
  readonly view: IndexView
  readonly sources: VectorSources
  readonly reranker: RerankAddress | null
}

/** Why a response is less complete than requested. */
export type SearchWarning =
  | NearWarning
  | { readonly kind: 'reranker-failed'; readonly error: ModelError['kind'] }
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
/**
 * Chunks of the documents that only vectors found. Other chunks of these documents contain too few words of the query
 * to matter.
 */
const maxChunksOfOthers = 10_000
/** Chunks that the reranker gets (docs/spec/documents.md, section 4). */
const rerankedDepth = 50

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
  const { session, view } = parts
  const depth = Math.max(fusedDepth, search.k)
  const embedding = Promise.all(searchVectors(parts, search.collections, search))
  const ranking = rankVisible(session, view, position, { ...search, k: depth })
  // An error of the words does not wait for the models.
  const vectors = await Promise.race([embedding, ranking.then(() => embedding)])
  const isFused = search.mode === 'hybrid' || vectors.length > 1
  // Side by side, in two threads. Neither goes on after the search has ended with an error.
  const [words, near] = await Promise.allSettled([
    ranking,
    rankSpaces(parts, vectors, { ...search, k: isFused ? depth : search.k, topK: search.k, position }),
  ])
  if (words.status === 'rejected') throw words.reason
  if (near.status === 'rejected') throw near.reason
  if (!near.value.ok) return near.value
  const lexical = words.value
  const { rankings, warnings } = near.value.value
  const fused = await fuse(session, search, lexical, rankings)
  const best = fused.slice(0, Math.max(search.k, rerankedDepth))
  const relevant =
    search.query === '' ? withNearness(best, rankings) : await withRelevance(parts, best, lexical, search)
  const chunks = await readChunks(session, relevant)
  const isReranked = search.mode === 'hybrid'
  const reranked = isReranked ? await rerank(parts, search.query, chunks) : succeed({ ordered: chunks, scores: null })
  const { ordered, scores } = reranked.ok ? reranked.value : { ordered: chunks, scores: null }
  return succeed({
    chunks: ordered.slice(0, search.k),
    ranks: ranksOf(ordered, { lexical: lexical.ranked, near: rankings, scores }),
    mode: rankings.length === 0 ? 'lexical' : search.mode,
    warnings: [...warnings, ...(reranked.ok ? [] : [reranked.error])],
    lexical,
  })
}

/**
 * Relevance is the same in every mode: it depends on the words of the chunk. Therefore chunks that vectors found are
 * scored lexically, too.
 */
async function withRelevance(
  { view }: HybridParts,
  chunks: readonly ScoredChunk[],
  lexical: VisibleRanking,
  { terms, pairs, collectionIds, visible }: HybridSearch,
): Promise<readonly RankedChunk[]> {
  const known = new Map(lexical.ranked.map((chunk) => [keyOf(chunk), chunk.relevance]))
  const others = chunks.filter((chunk) => !known.has(keyOf(chunk)))
  if (others.length > 0) {
    const allowed = Float64Array.from(new Set(others.map(({ documentId }) => documentId))).sort()
    const options = { k: maxChunksOfOthers, pairs, allowed }
    const limits = visible === null ? {} : { visible }
    const found = await view.search(lexical.position, { collectionIds, terms, options, ...limits })
    for (const chunk of unpackRanking(found).ranked) known.set(keyOf(chunk), chunk.relevance)
  }
  return chunks.map((chunk) => ({ ...chunk, relevance: known.get(keyOf(chunk)) ?? 0 }))
}

/** A search without a query has no words: the relevance of a chunk is the similarity of its vector. */
function withNearness(chunks: readonly ScoredChunk[], near: readonly (readonly NearChunk[])[]): readonly RankedChunk[] {
  const known = new Map(near.flat().map((chunk) => [keyOf(chunk), chunk.similarity]))
  const relevanceOf = (similarity: number): number => Math.round(Math.min(1, Math.max(0, similarity)) * 10_000) / 10_000
  return chunks.map((chunk) => ({ ...chunk, relevance: relevanceOf(known.get(keyOf(chunk)) ?? 0) }))
}

interface NearRankings {
  /** One for each space that could be searched. */
  readonly rankings: readonly (readonly NearChunk[])[]
  readonly warnings: readonly NearWarning[]
}

async function rankSpaces(
  parts: HybridParts,
  vectors: readonly SpaceVector[],
  search: HybridSearch & { readonly position: number; readonly topK: number },
): Promise<Result<NearRankings, Problem>> {
  const rankings: (readonly NearChunk[])[] = []
  const warnings = new Map<string, NearWarning>()
  for (const each of vectors) {
    const near = await rankSpace(parts, each, { ...search, isGiven: search.vector !== null })
    if (!near.ok) {
      warnings.set(near.error.kind, near.error)
      continue
    }
    const [other] = near.value.others
    if (other !== undefined && search.areNamed) return fail(otherLength(search, other))
    if (other !== undefined) warnings.set('vector-lengths', { kind: 'vector-lengths' })
    rankings.push(near.value.near)
    if (await isIncomplete(parts.session, each, search))
      warnings.set('vectors-incomplete', { kind: 'vectors-incomplete' })
  }
  return succeed({ rankings, warnings: [...warnings.values()] })
}

function otherLength({ vector }: HybridSearch, { name }: Collection): Problem {
  const detail = `it has ${vector?.length} numbers; the vectors of the collection ${name} have another length`
  return { kind: 'invalid-value', field: 'vector', detail }
}

/** With vectors only and one model, the score is the cosine; several rankings are fused by rank. */
async function fuse(
  session: Session,
  { mode, weights }: HybridSearch,
  { ranked }: VisibleRanking,
  near: readonly (readonly NearChunk[])[],
): Promise<readonly (ChunkKey & { readonly score: number })[]> {
  const [only, ...others] = near
  if (only === undefined) return ranked
  if (mode === 'vector' && others.length === 0) return only.map((chunk) => ({ ...chunk, score: chunk.similarity }))
  const rankings = mode === 'vector' ? near : [ranked, ...near]
  const weightOf = (at: number): number => (mode === 'vector' ? 1 : at === 0 ? weights.lexical : weights.vector)
  const fused = fuseRankings(
    rankings,
    await readNames(session, rankings.flat()),
    rankings.map((_, at) => weightOf(at)),
  )
  return fused.filter(({ score }) => score > 0)
}

/** Reads doc_ids, which order equal scores. */
async function readNames(session: Session, chunks: readonly ChunkKey[]): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(chunks.map(({ documentId }) => documentId))]
  if (ids.length === 0) return new Map()
  const rows = await session.rows(sql<{ id: string; doc_id: string }>`
    select d.id, d.doc_id from docket_documents.document d where d.id = any (${ids}::bigint[])`)
  return new Map(rows.map(({ id, doc_id }) => [Number(id), doc_id]))
}

// ── reranking ──

interface Reranked {
  readonly ordered: readonly FoundChunk[]
  /** Scores of the first chunks of `ordered`; null: no reranker was called. */
  readonly scores: readonly number[] | null
}

async function rerank(
  { reranker, onError }: HybridParts,
  query: string,
  chunks: readonly FoundChunk[],
): Promise<Result<Reranked, SearchWarning>> {
  if (reranker === null || chunks.length === 0) return succeed({ ordered: chunks, scores: null })
  const requested = chunks.slice(0, rerankedDepth)
  const given = await rerankTexts(
    reranker,
    query,
    requested.map(({ text }) => text),
  )
  if (!given.ok) {
    onError(new Error(`the reranking address did not serve a search: ${given.error.detail}`))
    return fail({ kind: 'reranker-failed', error: given.error.kind })
  }
  // A stable sort keeps the order of equal scores.
  const sorted = requested
    .map((chunk, at) => ({ chunk, score: given.value[at] ?? 0 }))
    .sort((one, other) => other.score - one.score)
  const ordered = [...sorted.map(({ chunk }) => chunk), ...chunks.slice(rerankedDepth)]
  // The reranker's scores have another scale, and chunks below the fiftieth have none; ranks are comparable.
  return succeed({
    ordered: ordered.map((chunk, at) => ({ ...chunk, score: scoreOfPlace(at + 1) })),
    scores: sorted.map(({ score }) => score),
  })
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
