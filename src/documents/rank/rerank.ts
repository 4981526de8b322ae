import type { ModelError } from '../../embeddings/call-model.ts'
import { type RerankAddress, rerankTexts } from '../../embeddings/rerank-texts.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { scoreOfPlace } from '../../search-engine/ranking/fuse-rankings.ts'
import type { FoundChunk } from '../store/read-chunks.ts'

/** Chunks that the reranker gets (docs/spec/documents.md, section 4). */
export const rerankedDepth = 50

export interface RerankWarning {
  readonly kind: 'reranker-failed'
  readonly error: ModelError['kind']
}

interface RerankParts {
  readonly reranker: RerankAddress | null
  readonly onError: (error: unknown) => void
}

interface Reranked {
  readonly ordered: readonly FoundChunk[]
  /** Scores of the first chunks of `ordered`; null: no reranker was called. */
  readonly scores: readonly number[] | null
}

export async function rerank(
  { reranker, onError }: RerankParts,
  query: string,
  chunks: readonly FoundChunk[],
): Promise<Result<Reranked, RerankWarning>> {
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
