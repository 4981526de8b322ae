import type { Session } from '../../database/database.ts'
import type { ModelError } from '../../embeddings/call-model.ts'
import { queryInput } from '../../embeddings/embedder.ts'
import type { CallerVectors, Embeddings } from '../../embeddings/open-embeddings.ts'
import { isSomeDue } from '../../embeddings/store/due-for-embedding.ts'
import { type NearChunk, type NearSearch, VectorsBehind } from '../../embeddings/vector-engine.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { VisibleState } from '../rights/visible-state.ts'
import { type Collection, callerModel } from '../store/collections.ts'

/** The sources of vectors. */
export interface VectorSources {
  /** The default model; null: none. */
  readonly embeddings: Embeddings | null
  /** All configured models, by the names by which collections choose them. */
  readonly models: ReadonlyMap<string, Embeddings>
  readonly givenVectors: CallerVectors
}

/** Why a response is less complete than requested. */
export type NearWarning =
  | { readonly kind: 'embeddings-not-configured' }
  | { readonly kind: 'embeddings-failed'; readonly error: ModelError['kind'] }
  /** Vectors of some documents visible to the caller are not made yet. */
  | { readonly kind: 'vectors-incomplete' }
  /** This process has not read all vectors in the time of the search, or has forgotten some of its state. */
  | { readonly kind: 'vectors-behind' }
  /** Callers give the vectors of some collections, and the search has none. */
  | { readonly kind: 'vector-needed' }
  /** Some collections have vectors of another length than the given one. */
  | { readonly kind: 'vector-lengths' }

/** Collections whose vectors are comparable with one query vector. */
interface Space {
  /** null: callers give the vectors. */
  readonly model: Embeddings | null
  readonly collections: readonly Collection[]
}

export interface NearParts {
  readonly session: Session
  readonly sources: VectorSources
  /** Receives errors of a model, for the log. */
  readonly onError: (error: unknown) => void
}

/** The query vector of one space. */
export interface SpaceVector {
  readonly space: Space
  readonly vector: Result<Float32Array, NearWarning>
}

/** The query vectors: the given one, or those that each model makes of the query. */
export function searchVectors(
  parts: NearParts,
  collections: readonly Collection[],
  requested: { readonly query: string; readonly vector: Float32Array | null },
): readonly Promise<SpaceVector>[] {
  return spacesOf(parts.sources, collections).map(async (space) => ({
    space,
    vector: await vectorIn(parts, space, requested),
  }))
}

function spacesOf(sources: VectorSources, collections: readonly Collection[]): readonly Space[] {
  const spaces = Map.groupBy(collections, ({ embeddingsModel }) => {
    if (embeddingsModel === callerModel) return callerModel
    return (embeddingsModel === null ? sources.embeddings : sources.models.get(embeddingsModel)) ?? 'none'
  })
  return [...spaces].map(([source, collections]) =>
    typeof source === 'string' ? { model: null, collections } : { model: source, collections },
  )
}

const areGiven = ({ model, collections }: Space): boolean =>
  model === null && collections.some(({ embeddingsModel }) => embeddingsModel === callerModel)

async function vectorIn(
  { onError }: NearParts,
  space: Space,
  { query, vector }: { readonly query: string; readonly vector: Float32Array | null },
): Promise<Result<Float32Array, NearWarning>> {
  const { model } = space
  if (model === null && !areGiven(space)) return fail({ kind: 'embeddings-not-configured' })
  if (vector !== null) return succeed(vector)
  if (model === null) return fail({ kind: 'vector-needed' })
  const { embedder } = model
  const { queryTimeoutMs: timeoutMs } = embedder
  const embedded = await embedder.embed([queryInput(embedder, query)], { timeoutMs, isUrgent: true })
  const [made] = embedded.ok ? embedded.value : []
  return made !== undefined
    ? succeed(made)
    : fail(problemWith(embedded.ok ? 'wrong-response' : embedded.error, onError))
}

function problemWith(error: ModelError | 'wrong-response', onError: NearParts['onError']): NearWarning {
  const { kind, detail } =
    error === 'wrong-response'
      ? { kind: error, detail: 'its vector does not have the length of those of the documents' }
      : error
  onError(new Error(`the embedding model did not serve a search: ${detail}`))
  return { kind: 'embeddings-failed', error: kind }
}

export interface NearInSpace {
  /** Nearest first. */
  readonly near: readonly NearChunk[]
  /** Collections whose vectors have another length than the given one. */
  readonly others: readonly Collection[]
}

interface NearRequest {
  /** The caller gave the vector. */
  readonly isGiven: boolean
  /** What the caller may see of bound collections; null: every document of the collections. */
  readonly visible: VisibleState | null
}

/** The nearest chunks of one space. */
export async function rankSpace(
  { sources, onError }: NearParts,
  { space, vector }: SpaceVector,
  search: Pick<NearSearch, 'k' | 'topK' | 'condition' | 'passing' | 'position' | 'neededOf' | 'waitMs'> & NearRequest,
): Promise<Result<NearInSpace, NearWarning>> {
  if (!vector.ok) return vector
  const { model, collections } = space
  const lengths = search.isGiven ? await lengthsIn(space) : []
  if (lengths === null) return fail({ kind: 'embeddings-failed', error: 'failed' })
  const isOther = (_: Collection, at: number): boolean => lengths[at] != null && lengths[at] !== vector.value.length
  const others = collections.filter(isOther)
  const collectionIds = collections.filter((each) => !others.includes(each)).map(({ id }) => id)
  if (collectionIds.length === 0) return succeed({ near: [], others })
  const index = model?.index ?? (await sources.givenVectors.index())
  const wholeCollectionIds = collectionIds.filter((id) => search.visible?.collectionIds.includes(id) !== true)
  try {
    const near = await index.nearest({ ...search, collectionIds, wholeCollectionIds, vector: vector.value })
    return near === undefined ? fail(problemWith('wrong-response', onError)) : succeed({ near, others })
  } catch (error) {
    if (error instanceof VectorsBehind) return fail({ kind: 'vectors-behind' })
    throw error
  }
}

/**
 * Vector lengths of each collection; null in the list: the collection has no vectors yet. @returns null: the model
 * fails
 */
async function lengthsIn({ model, collections }: Space): Promise<readonly (number | null)[] | null> {
  if (model === null) return collections.map(({ vectorLength }) => vectorLength)
  const length = await model.vectorLength()
  return length === null ? null : collections.map(() => length)
}

/** Whether vectors of documents that the search may find are not made yet. */
export async function isIncomplete(
  session: Session,
  { space: { model, collections } }: SpaceVector,
  search: Pick<NearSearch, 'condition'>,
): Promise<boolean> {
  return (
    model !== null && isSomeDue(session, model.modelId, { collectionIds: collections.map(({ id }) => id), ...search })
  )
}
