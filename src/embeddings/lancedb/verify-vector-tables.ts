import type { Session } from '../../database/database.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import { unitLength } from '../similarity.ts'
import { readWholeAmong, readWholeDocuments, type WholeDocument } from '../store/read-vectors.ts'
import { storedVectors } from '../store/stored-vectors.ts'
import { maxExamples, suspectsAtOnce, type VectorCheck, type VectorDifference } from '../verify-vectors.ts'
import { type LanceModel, type ListedState, lockList, readListedState, startAgain } from './listed-tables.ts'

/**
 * Compares the vectors in tables with the stored ones, number by number. Differences are checked again while no table is written: documents
 * that are added or moved meanwhile are not differences. Tables never change, so a difference is damage, and repairing is writing them again.
 *
 * @param fill writes what is in no table
 */
export async function verifyVectorTables(
  model: LanceModel,
  repairs: boolean,
  onProgress: (progress: IndexProgress) => void,
  fill: () => Promise<void>,
): Promise<VectorCheck> {
  const { database, modelId } = model
  const { position: upTo } = await readListedState(database, modelId)
  const suspects: number[] = []
  let documents = 0
  let vectors = 0
  for (let after = -1, isMore = true; isMore; ) {
    const whole = await readWholeDocuments(database, modelId, after, null)
    const state = await readListedState(database, modelId)
    const compared = await compareDocuments(model, database, whole.documents, state)
    suspects.push(...compared.differences.map(({ documentId }) => documentId))
    documents += whole.documents.length
    vectors += compared.vectors
    onProgress({ documents, of: Math.max(documents, upTo) })
    after = whole.reached
    isMore = whole.isMore
  }
  let differences = await settle(model, suspects)
  if (repairs && differences.length > 0) {
    await startAgain(model, (await readListedState(database, modelId)).tables)
    await fill()
    differences = await settle(model, suspects)
  }
  return { documents, vectors, differences: differences.length, examples: differences.slice(0, maxExamples) }
}

async function settle(model: LanceModel, suspects: readonly number[]): Promise<readonly VectorDifference[]> {
  const { database, modelId } = model
  const found: VectorDifference[] = []
  for (let from = 0; from < suspects.length; from += suspectsAtOnce)
    await database.inTransaction(async (session) => {
      await lockList(session, modelId)
      const state = await readListedState(session, modelId)
      const some = suspects.slice(from, from + suspectsAtOnce)
      const whole = await readWholeAmong(session, modelId, state.position, some)
      found.push(...(await compareDocuments(model, session, whole, state)).differences)
    })
  return found
}

interface ComparedDocuments {
  readonly vectors: number
  readonly differences: readonly VectorDifference[]
}

async function compareDocuments(
  model: LanceModel,
  session: Session,
  documents: readonly WholeDocument[],
  state: ListedState,
): Promise<ComparedDocuments> {
  const held = await heldVectors(
    model,
    documents.filter(({ position }) => position <= state.position),
    state,
  )
  const wrong = new Map<number, VectorDifference['kind']>()
  let vectors = 0
  for await (const some of storedVectors(session, model.modelId, documents, state.vectorLength ?? 0))
    for (const { documentId, firstChunk, numbers } of some) {
      const length = state.vectorLength || numbers.length
      for (let at = 0; (at + 1) * length <= numbers.length; at++) {
        vectors++
        const own = held.get(documentId)
        // It is searched in the database.
        if (own === undefined) continue
        const exact = unitLength(numbers.subarray(at * length, (at + 1) * length))
        const found = own.get(firstChunk + at)
        own.delete(firstChunk + at)
        if (found === undefined) wrong.set(documentId, wrong.get(documentId) ?? 'missing')
        else if (found.length !== exact.length || found.some((number, place) => number !== exact[place]))
          wrong.set(documentId, 'different')
      }
    }
  for (const [documentId, left] of held) if (left.size > 0) wrong.set(documentId, 'different')
  return { vectors, differences: [...wrong].map(([documentId, kind]) => ({ kind, documentId })) }
}

/** By document and chunk; a document that should be in a table has an entry. */
async function heldVectors(
  { tables }: LanceModel,
  documents: readonly WholeDocument[],
  state: ListedState,
): Promise<ReadonlyMap<number, Map<number, Float32Array>>> {
  const held = new Map(documents.map(({ id }) => [id, new Map<number, Float32Array>()]))
  // The newest table of a document counts.
  for (const table of state.tables) {
    const own = documents.filter(
      ({ collectionId, position }) => table.collectionIds.includes(collectionId) && position <= table.lastPosition,
    )
    if (own.length === 0) continue
    const rows = await tables.rowsOf(
      table.name,
      own.map(({ id }) => id),
    )
    for (const { documentId, chunkIndex, vector } of rows) held.get(documentId)?.set(chunkIndex, vector)
  }
  return held
}
