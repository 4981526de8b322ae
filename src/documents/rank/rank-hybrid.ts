import { type RawBuilder, sql } from 'kysely'
import type { Session } from '../../database/database.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { Reading } from '../index/lexical-index.ts'
import { isSomeDue } from '../store/embeddings.ts'
import { type FoundChunk, readChunks } from '../store/read-chunks.ts'
import type { ModelTrouble } from '../vectors/ask-model.ts'
import { queryInput } from '../vectors/embedder.ts'
import type { NearChunk } from '../vectors/held-vectors.ts'
import type { Embeddings } from '../vectors/open-embeddings.ts'
import { type RerankAddress, rerankTexts } from '../vectors/rerank-texts.ts'
import { type ChunkKey, fuseRankings, keyOf, scoreOfPlace } from './fuse-rankings.ts'
import { rankByVectors } from './rank-by-vectors.ts'
import { rankVisible, type VisibleRanking, type VisibleSearch } from './rank-visible.ts'

export interface HybridParts {
  readonly session: Session
  readonly reading: Reading
  /** null: not configured. */
  readonly embeddings: Embeddings | null
  readonly reranker: RerankAddress | null
  /** What an address did wrong, for the log. */
  readonly onTrouble: (error: unknown) => void
}

/** Why an answer is less than what was asked for. */
export type SearchWarning =
  | { readonly kind: 'embeddings-not-configured' }
  | { readonly kind: 'embeddings-troubled'; readonly trouble: ModelTrouble['kind'] }
  | { readonly kind: 'reranker-troubled'; readonly trouble: ModelTrouble['kind'] }
  /** Vectors of some documents that the caller sees are still to be made. */
  | { readonly kind: 'vectors-incomplete' }

/** Where a chunk stands in each ranking; null: nowhere. */
export interface ChunkRanks {
  readonly lexical: number | null
  readonly vector: number | null
  /** Cosine of the vectors of the chunk and the query, from -1 to 1. */
  readonly similarity: number | null
  /** What the reranker gave. */
  readonly rerank: number | null
}

export interface HybridSearch extends VisibleSearch {
  readonly query: string
  /** Filter and rights, on a row `d` of docket_documents.document; null: every document of the collections. */
  readonly condition: RawBuilder<boolean> | null
}

export interface HybridRanking {
  readonly chunks: readonly FoundChunk[]
  readonly ranks: ReadonlyMap<string, ChunkRanks>
  readonly mode: 'lexical' | 'hybrid'
  readonly warnings: readonly SearchWarning[]
  readonly lexical: VisibleRanking
}

/** Chunks of each ranking that are fused; what stands lower in both could not come to the top. */
const fusedDepth = 100
/** Chunks that are put before the reranker (documents spec, section 4). */
const rerankedDepth = 50

/**
 * Ranks by words and by meaning, fuses the two, and lets the reranker order the best. Rights and filter are inside of both
 * rankings, so places count visible chunks only, and no forbidden text goes to an address. Where an address fails, the
 * answer is what is left without it, and says so.
 */
export async function rankHybrid(parts: HybridParts, position: number, search: HybridSearch): Promise<HybridRanking> {
  const { session, reading } = parts
  const depth = Math.max(fusedDepth, search.k)
  // Asked while the words are looked up.
  const embedding = embedQuery(parts, search.query)
  const lexical = await rankVisible(session, reading, position, { ...search, k: depth })
  const near = await rankNear(parts, await embedding, { ...search, k: depth, position: lexical.position })
  const candidates = near.ok
    ? fuseRankings([lexical.ranked, near.value], await readNames(session, [...lexical.ranked, ...near.value]))
    : lexical.ranked
  const isIncomplete = near.ok && (await isSomeDue(session, parts.embeddings?.modelId ?? 0, scopeOf(search)))
  const chunks = await readChunks(session, candidates.slice(0, Math.max(search.k, rerankedDepth)))
  const reranked = await rerank(parts, search.query, chunks)
  const warnings = [
    ...(near.ok ? [] : [near.error]),
    ...(isIncomplete ? [{ kind: 'vectors-incomplete' } as const] : []),
    ...(reranked.ok ? [] : [reranked.error]),
  ]
  const { ordered, scores } = reranked.ok ? reranked.value : { ordered: chunks, scores: null }
  return {
    chunks: ordered.slice(0, search.k),
    ranks: ranksOf(ordered, { lexical: lexical.ranked, near: near.ok ? near.value : [], scores }),
    mode: near.ok ? 'hybrid' : 'lexical',
    warnings,
    lexical,
  }
}

// ── by meaning ──

async function embedQuery(
  { embeddings, onTrouble }: HybridParts,
  query: string,
): Promise<Result<Float32Array, SearchWarning>> {
  if (embeddings === null) return refuse({ kind: 'embeddings-not-configured' })
  const { embedder } = embeddings
  const { queryTimeoutMs: timeoutMs } = embedder
  const embedded = await embedder.embed([queryInput(embedder, query)], { timeoutMs, isUrgent: true })
  const [vector] = embedded.ok ? embedded.value : []
  if (vector !== undefined) return succeed(vector)
  return refuse(troubleWith(embedded.ok ? 'wrong-answer' : embedded.error, onTrouble))
}

function troubleWith(trouble: ModelTrouble | 'wrong-answer', onTrouble: HybridParts['onTrouble']): SearchWarning {
  const { kind, detail } =
    trouble === 'wrong-answer'
      ? { kind: trouble, detail: 'its vector has another length than those of the documents' }
      : trouble
  onTrouble(new Error(`a search asked the embedding model in vain: ${detail}`))
  return { kind: 'embeddings-troubled', trouble: kind }
}

async function rankNear(
  { session, embeddings, onTrouble }: HybridParts,
  vector: Result<Float32Array, SearchWarning>,
  search: HybridSearch & { readonly position: number },
): Promise<Result<readonly NearChunk[], SearchWarning>> {
  if (!vector.ok) return vector
  if (embeddings === null) return refuse({ kind: 'embeddings-not-configured' })
  const near = await rankByVectors(session, embeddings.index, { ...search, vector: vector.value })
  return near === undefined ? refuse(troubleWith('wrong-answer', onTrouble)) : succeed(near)
}

function scopeOf({ collectionIds, condition }: HybridSearch): RawBuilder<boolean> {
  return sql<boolean>`(d.collection_id = any (${collectionIds}::integer[]) and d.removed_position is null
    and ${condition ?? sql`true`})`
}

/** doc_ids, for the order of equal scores. */
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
  /** By the reranker, of the first chunks of `ordered`; null: nobody was asked. */
  readonly scores: readonly number[] | null
}

async function rerank(
  { reranker, onTrouble }: HybridParts,
  query: string,
  chunks: readonly FoundChunk[],
): Promise<Result<Reranked, SearchWarning>> {
  if (reranker === null || chunks.length === 0) return succeed({ ordered: chunks, scores: null })
  const asked = chunks.slice(0, rerankedDepth)
  const given = await rerankTexts(
    reranker,
    query,
    asked.map(({ text }) => text),
  )
  if (!given.ok) {
    onTrouble(new Error(`a search asked the reranking address in vain: ${given.error.detail}`))
    return refuse({ kind: 'reranker-troubled', trouble: given.error.kind })
  }
  // Sorting keeps the order of equals.
  const sorted = asked
    .map((chunk, at) => ({ chunk, score: given.value[at] ?? 0 }))
    .sort((one, other) => other.score - one.score)
  const ordered = [...sorted.map(({ chunk }) => chunk), ...chunks.slice(rerankedDepth)]
  // The reranker's scores have a scale of their own, and chunks below the fiftieth have none: a place has.
  return succeed({
    ordered: ordered.map((chunk, at) => ({ ...chunk, score: scoreOfPlace(at + 1) })),
    scores: sorted.map(({ score }) => score),
  })
}

function ranksOf(
  chunks: readonly FoundChunk[],
  from: {
    readonly lexical: readonly ChunkKey[]
    readonly near: readonly NearChunk[]
    readonly scores: readonly number[] | null
  },
): ReadonlyMap<string, ChunkRanks> {
  const lexical = new Map(from.lexical.map((chunk, at) => [keyOf(chunk), at + 1]))
  const near = new Map(from.near.map((chunk, at) => [keyOf(chunk), { place: at + 1, similarity: chunk.similarity }]))
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
