import type { Principal } from '../identity/principal.ts'
import { IndexBuilding } from '../kernel/index-building.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { readableTerm } from '../search-engine/analysis/analyze.ts'
import { keyOf } from '../search-engine/ranking/fuse-rankings.ts'
import { quotationsOf } from '../search-engine/ranking/phrases.ts'
import type { QueryTerm } from '../search-engine/ranking/query-term.ts'
import { queryTerms } from '../search-engine/ranking/query-terms.ts'
import type { Ranking } from '../search-engine/ranking/rank-chunks.ts'
import { relevanceOfTexts } from '../search-engine/ranking/relevance.ts'
import type { DocumentDeps } from './document-deps.ts'
import { filterCondition } from './filter/read-filter.ts'
import {
  type ChunkRanks,
  type FusionWeights,
  type HybridParts,
  type HybridRanking,
  rankHybrid,
  type SearchWarning,
} from './rank/rank-hybrid.ts'
import { rankVisible, type VisibleSearch } from './rank/rank-visible.ts'
import { type ReadableCollections, readableAmong } from './rights/collection-access.ts'
import { bothOf, isBound, visibleDocuments } from './rights/visible-documents.ts'
import type { VisibleState } from './rights/visible-state.ts'
import { searchEarly } from './search-early.ts'
import { type CorrectedWord, spellingsOf } from './shape/corrected-words.ts'
import { type HighlightedTerms, highlightedTerms, highlightsOf, type Range } from './shape/highlight.ts'
import { PhraseMatcher } from './shape/holds-phrase.ts'
import { isPlain, plainShape, type Shape, shapeChunks } from './shape/shape-hits.ts'
import type { ShapedChunk } from './shape/shaped-chunk.ts'
import { type Collection, readCollections } from './store/collections.ts'
import { type FoundChunk, readChunks } from './store/read-chunks.ts'
import { type Neighbour, readNeighbours } from './store/read-neighbours.ts'
import type { IndexView } from './sync/lexical-index.ts'

export type SearchMode = 'lexical' | 'hybrid' | 'vector'

const evenWeights: FusionWeights = { lexical: 1, vector: 1 }

/** A search request (docs/spec/documents.md, section 4). */
export interface Search {
  readonly query: string
  readonly k: number
  /** null: all collections that the caller may read. */
  readonly collectionNames: readonly string[] | null
  /** An encoded query over metadata; '' selects every document. */
  readonly filter: string
  /** Lexical only, lexical and vectors, or vectors only. */
  readonly mode?: SearchMode
  /** Used instead of the vectors that models compute from the query. */
  readonly vector?: Float32Array | null
  readonly weights?: FusionWeights
  /** Sequence number of the change log, as loads return it: the search waits for this state. */
  readonly minSequence?: number
  readonly highlight?: boolean
  readonly explain?: boolean
  /** Absent: the k best chunks, unchanged. */
  readonly shape?: Shape
}

export interface SearchHit extends FoundChunk {
  /** Words of the chunk that match the query; null unless requested. */
  readonly highlights: readonly Range[] | null
  /** The terms of the score; null unless requested. */
  readonly explanation: readonly ExplainedTerm[] | null
  /** The ranks in both rankings; null unless requested in a hybrid search. */
  readonly ranks: ChunkRanks | null
  /** Chunks with the same text; null unless duplicates are collapsed. */
  readonly duplicates: readonly FoundChunk[] | null
  /** Its neighbours in the document, in order; null unless requested. */
  readonly context: readonly Neighbour[] | null
}

export interface SearchFound {
  /** Best first. */
  readonly hits: readonly SearchHit[]
  /** The mode that was used: without vectors a search is lexical. */
  readonly mode: SearchMode
  readonly warnings: readonly SearchWarning[]
  /** Words that occur in no visible document, and the words that were searched instead. */
  readonly corrections: readonly CorrectedWord[]
  /** The query with the best corrections; null: it was searched unchanged. */
  readonly didYouMean: string | null
}

export interface ExplainedTerm {
  readonly term: string
  /** How often the query contains it. */
  readonly weight: number
  /** Visible chunks with this term in the searched collections. */
  readonly chunks: number
  readonly score: number
}

/** The best chunks for a query among the visible documents that pass the filter, best first. */
export async function searchDocuments(
  deps: DocumentDeps,
  principal: Principal,
  search: Search,
): Promise<Result<SearchFound, Problem>> {
  const filter = filterCondition(search.filter, sql`d.filter_values`, {
    principal,
    nowMs: deps.clock.nowMs(),
  })
  if (!filter.ok) return filter
  const { collectionNames: names } = search
  const searchAmong = (view: IndexView, readable: ReadableCollections): Promise<Result<SearchFound, Problem>> =>
    searchCollections(deps, view, { principal, search, filter: filter.value, readable })
  const found = deps.index.withSnapshot(async (view): Promise<Result<SearchFound, Problem>> => {
    const early = mayBeginEarly(deps, search) ? await searchEarly(deps, { principal, names }, searchAmong) : null
    const now = await readCollections(deps.database, names)
    const known = deps.expectedCollections.learn(names, now)
    const readable = readableAmong(now, principal, names)
    if (!readable.ok) return readable
    return early?.expected.text === known.text ? early.found : searchAmong(view, readable.value)
  })
  return found.catch(rejectWhileBuilding)
}

/** A reranker would get texts before the rights are known. */
const mayBeginEarly = ({ reranker }: DocumentDeps, { mode }: Search): boolean => reranker === null || mode !== 'hybrid'

interface CollectionsSearch {
  readonly principal: Principal
  readonly search: Search
  /** null: every document. */
  readonly filter: Sql<boolean> | null
  readonly readable: ReadableCollections
}

async function searchCollections(
  deps: DocumentDeps,
  view: IndexView,
  { principal, search, filter, readable }: CollectionsSearch,
): Promise<Result<SearchFound, Problem>> {
  const { collections, snapshot } = readable
  const rights = await visibleDocuments(deps.readableRecords, principal, collections)
  const visibleNow = rights && (await deps.visibleStates.read({ collections, rights, snapshot }))
  const newest = visibleNow?.position ?? readable.position
  const collectionIds = collections.map(({ id }) => id)
  const position = await view.reach(newest, collectionIds, deps.searchWaitMs)
  const { minSequence = 0 } = search
  if (position < minSequence) return fail(notReached(minSequence))
  const isBehind = position < newest
  const isThere = isBehind ? notDeletedAfter(position) : null
  const conditions = bothOf(filter, isThere)
  // What a caller sees now lacks the versions that this state has.
  const visible =
    rights !== null && isThere !== null
      ? await deps.visibleStates.read({
          collections,
          rights: sql<boolean>`(${rights} and ${isThere})`,
          snapshot,
          at: position,
        })
      : visibleNow
  const { terms, pairs, phrases, preferred } = queryTerms(search.query, languagesOf(collections, visible))
  const requested = {
    query: search.query,
    terms,
    pairs,
    collectionIds,
    filter: conditions,
    filterSet: conditions && deps.filterSets.of({ collectionIds, filter: conditions, position }, !isBehind),
    rarity: deps.rareFilters.of(search.filter, collectionIds),
    visible,
    condition: bothOf(rights, conditions),
    explain: search.explain === true,
  }
  const { vector = null, weights = evenWeights, mode: wanted = 'lexical', collectionNames } = search
  const near = { collections, vector, weights, areNamed: collectionNames !== null }
  const rank = async (options: Pick<VisibleSearch, 'k' | 'phrases'>): Promise<Result<HybridRanking, Problem>> =>
    wanted === 'lexical'
      ? succeed(await rankByWords(deps, view, position, { ...requested, ...options }))
      : rankHybrid(hybridParts(deps, view), position, { ...requested, ...near, ...options, mode: wanted })
  const quotations = quotationsOf(search.query)
  const quoted = { rank, search, preferred, quotations: quotations.texts, phrases }
  const held = await rankInShape(quoted)
  if (!held.ok) return held
  const isNowhere = held.value.shaped.length === 0 && quotations.texts.length > 0 && !quotations.isRequired
  const ranked = isNowhere ? await rankInShape({ ...quoted, quotations: [], phrases: [] }) : held
  if (!ranked.ok) return ranked
  const { shaped, found } = ranked.value
  const { mode, warnings } = found
  const neighbours = await neighboursOf(deps, shaped, search.shape?.context ?? 0)
  const searched = search.highlight === false ? null : highlighted(terms, found)
  const hits = shaped.map((each) => ({ ...hitOf(each, found, search, searched), context: neighbours(each.chunk) }))
  const allWarnings: readonly SearchWarning[] = isBehind ? [{ kind: 'index-behind' }, ...warnings] : warnings
  return succeed({ hits, mode, warnings: allWarnings, ...spellingsOf(search.query, found.lexical.corrections, hits) })
}

/**
 * A search of an earlier state sees versions that were replaced since, but not documents that were deleted since.
 * docket_documents.publish replaces a version in one step, so the next version was added where this one was removed; the
 * last one may be deleted.
 */
const notDeletedAfter = (position: number): Sql<boolean> => sql<boolean>`
  (d.removed_position is null or d.removed_position <= ${position} or exists (
    with recursive later as (
      select n.removed_position from docket_documents.document n
      where n.collection_id = d.collection_id and n.added_position = d.removed_position
      union
      select n.removed_position from later join docket_documents.document n
        on n.collection_id = d.collection_id and n.added_position = later.removed_position
    )
    select from later where later.removed_position is null))`

const notReached = (sequence: number): Problem => ({
  kind: 'unavailable',
  detail: `The search index of this server has not reached the sequence number ${sequence} yet`,
  retryAfterSeconds: 1,
})

/** A collection is not indexed yet: reject the search instead of returning a part. */
function rejectWhileBuilding(error: unknown): Result<never, Problem> {
  if (!(error instanceof IndexBuilding)) throw error
  const { percent, retryAfterSeconds } = error
  return fail({ kind: 'index-building', percent, retryAfterSeconds })
}

/** Chunks ranked at first per returned chunk, for a response that drops some. */
const rankedForEach = 8
const minRanked = 200
const maxRanked = 10_000

/** For a query of stop words only, this many chunks are compared with the exact phrase, whatever k is. */
const rankedByStopWords = 200

interface ShapedSearch {
  readonly rank: (options: Pick<VisibleSearch, 'k' | 'phrases'>) => Promise<Result<HybridRanking, Problem>>
  readonly search: Search
  /** Chunks with this phrase come first; null: the ranking is unchanged. */
  readonly preferred: string | null
  /** Texts that every chunk must contain, and their terms. */
  readonly quotations: readonly string[]
  readonly phrases: VisibleSearch['phrases']
}

/** A response that drops chunks (less relevant ones, duplicates) reads further down the ranking until it is full. */
async function rankInShape({
  rank,
  search: { query, k, shape = plainShape },
  preferred,
  quotations,
  phrases: phraseTerms,
}: ShapedSearch): Promise<Result<{ readonly shaped: readonly ShapedChunk[]; readonly found: HybridRanking }, Problem>> {
  const phrases = quotations.map((text) => new PhraseMatcher(text))
  const isAsRanked = isPlain(shape) && phrases.length === 0 && preferred === null
  const relevanceOf = relevanceOfTexts(query)
  const first = preferred === null ? Math.max(k * rankedForEach, minRanked) : rankedByStopWords
  for (let depth = isAsRanked ? k : first; ; depth *= 5) {
    const ranked = await rank({ k: Math.min(depth, Math.max(maxRanked, k)), phrases: phraseTerms })
    if (!ranked.ok) return ranked
    const found = ranked.value
    const chunks = found.chunks.map((chunk) => ({
      ...chunk,
      relevance: relevanceOf(chunk.text, chunk.relevance),
    }))
    const held = chunks.filter((chunk) => phrases.every((phrase) => containsPhrase(chunk, phrase)))
    const shaped = shapeChunks(preferred === null ? held : preferredFirst(held, preferred), shape, k)
    const isFull =
      new Set(shaped.map(({ chunk }) => (shape.chunksOfDocument === null ? chunk : chunk.documentId))).size >= k
    if (isAsRanked || isFull || chunks.length < depth || depth >= maxRanked) return succeed({ shaped, found })
  }
}

/** Whether its text, its title, a heading, or the first row of its table contains the phrase. */
function containsPhrase({ text, title, headingPath, repeated, language }: FoundChunk, phrase: PhraseMatcher): boolean {
  return [text, title, ...headingPath, repeated].some((field) => field !== null && phrase.isIn(field, language))
}

/** Reorders only the first chunks, so that a rank does not depend on k. */
function preferredFirst(chunks: readonly FoundChunk[], query: string): readonly FoundChunk[] {
  const matcher = new PhraseMatcher(query)
  const isPreferred = (chunk: FoundChunk, at: number): boolean =>
    at < rankedByStopWords && containsPhrase(chunk, matcher)
  const matching = new Set(chunks.filter(isPreferred))
  return [...matching, ...chunks.filter((chunk) => !matching.has(chunk))]
}

/** @returns the neighbours of a chunk; null if none are requested */
async function neighboursOf(
  { database }: DocumentDeps,
  shaped: readonly ShapedChunk[],
  places: number,
): Promise<(chunk: FoundChunk) => readonly Neighbour[] | null> {
  if (places === 0) return () => null
  const chunks = shaped.map(({ chunk }) => chunk)
  const byDocument = Map.groupBy(await readNeighbours(database, chunks, places), ({ documentId }) => documentId)
  return ({ documentId, chunkIndex }) =>
    (byDocument.get(documentId) ?? []).filter(
      (each) => each.chunkIndex !== chunkIndex && Math.abs(each.chunkIndex - chunkIndex) <= places,
    )
}

/** For a bound collection only the languages of documents visible to the caller. */
function languagesOf(collections: readonly Collection[], visible: VisibleState | null): readonly string[] {
  const open = collections.filter((collection) => !isBound(collection))
  return [...new Set([...open.flatMap(({ languages }) => languages), ...(visible?.languages ?? [])])]
}

function hybridParts(deps: DocumentDeps, view: IndexView): HybridParts {
  const { database: session, reranker, searchWaitMs: waitMs, onError } = deps
  return { session, view, sources: deps, reranker, waitMs, onError }
}

async function rankByWords(
  { database }: DocumentDeps,
  view: IndexView,
  position: number,
  search: VisibleSearch,
): Promise<HybridRanking> {
  const lexical = await rankVisible(database, view, position, search)
  const chunks = await readChunks(database, lexical.ranked)
  return { chunks, ranks: new Map(), mode: 'lexical', warnings: [], lexical }
}

function hitOf(
  { chunk, duplicates }: ShapedChunk,
  found: HybridRanking,
  search: Search,
  searched: HighlightedTerms | null,
): Omit<SearchHit, 'context'> {
  return {
    ...chunk,
    highlights: searched === null ? null : highlightsOf(chunk.text, chunk.language, searched),
    explanation: search.explain === true ? explanationOf(found.lexical, chunk) : null,
    ranks: search.explain === true ? (found.ranks.get(keyOf(chunk)) ?? null) : null,
    duplicates,
  }
}

function highlighted(terms: readonly QueryTerm[], { lexical }: HybridRanking): HighlightedTerms {
  const corrected = lexical.corrections.flatMap((correction) => correction.terms)
  const loose = terms.filter(({ isLoose }) => isLoose).map(({ term }) => term)
  return highlightedTerms([...terms.map(({ term }) => term), ...corrected], loose)
}

/** A chunk found by vectors only has no terms. */
function explanationOf({ ranked, statistics, explained }: Ranking, chunk: FoundChunk): readonly ExplainedTerm[] {
  const at = ranked.findIndex((each) => keyOf(each) === keyOf(chunk))
  const scores = explained?.[at] ?? []
  return statistics.terms
    .map(({ term, count, chunks }, index) => ({
      term: readableTerm(term),
      weight: count,
      chunks,
      score: scores[index] ?? 0,
    }))
    .filter(({ score }) => score > 0)
}
