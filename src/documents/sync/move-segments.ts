import { IndexBuilding } from '../../kernel/index-building.ts'
import type { PackedRanking } from '../../search-engine/ranking/pack-ranking.ts'
import type { MoveProgress, SearchEngine } from '../../search-engine/search-engine.ts'
import type { LexicalSearch, SegmentSwap } from '../../search-engine/segments/index-change.ts'
import type { CollectionTables } from '../../search-engine/segments/writer-index.ts'
import { haveTables, minChunksOfManifest, readSegmentWriter, recordLostTables } from '../store/segment-manifests.ts'
import type { BegunSearches } from './begun-searches.ts'
import { type BuildSource, takeStored } from './build-step.ts'
import type { InitialBuild } from './initial-build.ts'
import { rebuildCollection } from './rebuild-collection.ts'

/** What the index of a process lets others do with its tables of LanceDB (docs/decisions/0056). */
export interface TableParts extends BuildSource {
  readonly engine: SearchEngine
  readonly initial: InitialBuild
  readonly searches: BegunSearches
  /** Who made the last step of a table in this index. */
  readonly lastMover: LastMover
  /** Newest history of the database that the index follows. */
  historyId(): string
  isBuilding(): boolean
  /** Runs when nothing is built, merged, rebuilt or saved in the background. */
  alone<T>(work: () => Promise<T>): Promise<T>
  save(): Promise<void>
  /** Runs when no merge, replacement or comparison of segments does. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Builds what is not in the index, in the background. */
  maintain(): void
  /** Reports errors unless the index is being closed. */
  inBackground(work: () => Promise<void>): void
}

/** Number of a worker, which no other one ever has; null: nobody made one. */
interface LastMover {
  worker: number | null
}

export interface MoveWork {
  /** Collections that every caller sees whole. */
  readonly collectionIds: readonly number[]
  readonly minChunks: number
  /** The worker that asks: several may have one index (a search process). null: it has no number at the moment. */
  readonly worker: number | null
  /** Whether it writes tables. Others take over those that it wrote. */
  readonly writes: boolean
}

/** One step of moving the postings of large segments into tables, or of taking over the segments of another process that did. */
export async function moveSegments(parts: TableParts, work: MoveWork): Promise<MoveProgress> {
  // A build may last for hours, and moves nothing.
  if (parts.isBuilding()) {
    await leaveMoves(parts, work)
    return 'none'
  }
  return parts.alone(async () => {
    const progress = await makeStep(parts, work)
    // The tables that a saved index names are dropped when they are not in use for a while.
    if (progress === 'moved') await parts.save()
    return work.writes ? progress : 'none'
  })
}

async function makeStep(parts: TableParts, work: MoveWork): Promise<MoveProgress> {
  const { engine, searches, exclusively, lastMover, database } = parts
  if (work.writes)
    return exclusively(async () => {
      // It was taken before the work that this step waited for.
      if (work.worker === null || (await readSegmentWriter(database)) !== work.worker) return 'none'
      lastMover.worker = work.worker
      const { progress, failure } = await engine.move({ ...work, keepFrom: searches.oldest(engine.sequence) })
      if (failure === null) return progress
      const { name, message } = failure
      const error = Object.assign(new Error(message), { name })
      if (await isOfLostTable(parts, error)) {
        // What searches are rejected with does not matter here. Its collection is being built, and nothing is moved meanwhile.
        await afterTableFailure(parts, work, error)
        // The next turn moves it again.
        await engine.abandonMove()
        return 'none'
      }
      parts.onError(new Error(`a table of LanceDB is not written: ${message}`, { cause: error }))
      return progress
    })
  if (!(await leaveMoves(parts, work))) return 'none'
  return (await adoptTables(parts, work.collectionIds)) ? 'moved' : 'none'
}

/**
 * Drops a table that is not complete, unless another worker of this index is about to write it. The tables of that one may be in no
 * manifest yet.
 *
 * @returns whether this index writes no tables
 */
function leaveMoves({ engine, exclusively, lastMover, database }: TableParts, { worker }: MoveWork): Promise<boolean> {
  return exclusively(async () => {
    const writer = await readSegmentWriter(database)
    if (writer !== null && writer === lastMover.worker && writer !== worker) return false
    await engine.abandonMove()
    return true
  })
}

/**
 * Takes over segments whose tables are others than those of this index: they are fetched, and what they lack is built. Tables that no
 * manifest names any more are dropped after a while.
 *
 * @returns whether it took over any
 */
async function adoptTables(parts: TableParts, collectionIds: readonly number[]): Promise<boolean> {
  const { engine, stored, initial, historyId } = parts
  if (initial.left.length > 0) return false
  let isAny = false
  await stored.begin(historyId())
  const own = new Map((await engine.tables()).map(({ collectionId, tables }) => [collectionId, tables]))
  const sizes = await engine.sizes()
  const small = new Set(sizes.flatMap((each) => (each.chunks < minChunksOfManifest ? each.collectionId : [])))
  for (const collectionId of collectionIds) {
    const asBuilt = { collectionId, upTo: engine.sequence, afterId: 0, done: 0, of: 0 }
    const named = stored.manifestOf(asBuilt)
    if (named === undefined && small.has(collectionId) && own.has(collectionId)) {
      await replaceWhenUnused(parts, () => rebuildCollection(parts, collectionId, () => undefined))
      isAny = true
    }
    if (named === undefined || haveTables(named, own.get(collectionId) ?? [])) continue
    await replaceWhenUnused(parts, async () => {
      const { position, segmentIds } = await engine.segmentsOf(collectionId)
      const unbuilt = { ...asBuilt, upTo: position }
      const manifest = stored.manifestOf(unbuilt)
      const taken = manifest && (await takeStored(parts, unbuilt, { manifest, at: position }))
      isAny ||= taken !== undefined && taken !== null
      return taken ? { ...taken.swap, before: segmentIds } : null
    })
  }
  return isAny
}

async function isOfLostTable({ engine }: TableParts, error: Error): Promise<boolean> {
  if (error.name !== 'LostTableError') return false
  const own = (await engine.tables()).flatMap(({ tables }) => tables)
  return own.some((table) => error.message.includes(table))
}

/** Replaces segments when no search needs earlier states any more. @param make null: nothing is replaced */
export async function replaceWhenUnused(parts: TableParts, make: () => Promise<SegmentSwap | null>): Promise<void> {
  const { engine, searches } = parts
  const own = searches.begin(engine.sequence)
  const historyId = parts.historyId()
  try {
    const swap = await make()
    if (swap === null) return
    await searches.untilNoneBefore(swap.at ?? 0, own)
    await parts.exclusively(async () => {
      if (historyId !== parts.historyId()) throw new Error('the database lost what the index was being built from')
      // It was restarted meanwhile, and will be built whole.
      if (parts.initial.left.some(({ collectionId }) => collectionId === swap.collectionId)) return
      await engine.replace(swap)
    })
  } finally {
    own.end()
  }
}

/** @param requireReady throws while a collection of the search is being built */
export async function searchOrRestart(
  parts: TableParts,
  search: LexicalSearch,
  requireReady: () => void,
): Promise<PackedRanking> {
  try {
    const found = await parts.engine.search(search)
    // A search that waited for a table may have found a collection that is being built again.
    requireReady()
    return found
  } catch (error) {
    throw await afterTableFailure(parts, search, error)
  }
}

/**
 * A search failed because of a table. If the table is lost, or its collection became bound, the collection is built again from the
 * database. Searches of it are rejected until then, never answered in part.
 *
 * @returns what the search is rejected with
 */
async function afterTableFailure(
  parts: TableParts,
  { collectionIds, visible }: Pick<LexicalSearch, 'collectionIds' | 'visible'>,
  error: unknown,
): Promise<unknown> {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' }
  if (name === 'TablesUnavailableError') {
    parts.onError(new Error(`tables of LanceDB cannot be read: ${message}`, { cause: error }))
    return new IndexBuilding({ percent: 99, retryAfterSeconds: unavailableSeconds })
  }
  if (name !== 'LostTableError' && name !== 'MovedSegmentError') return error
  const isLost = name === 'LostTableError'
  const all = (await parts.engine.tables()).filter(({ collectionId }) => collectionIds.includes(collectionId))
  const named = all.filter(({ collectionId, tables }) =>
    isLost ? tables.some((table) => message.includes(table)) : visible?.collectionIds.includes(collectionId),
  )
  const affected = isLost && named.length === 0 ? all : named
  if (affected.length > 0) parts.onError(new Error(`${message}; the collection is built again`, { cause: error }))
  if (isLost)
    await recordLostTables(
      parts.database,
      affected.flatMap(({ tables }) => tables),
    )
  // Not awaited: a table that is being written may take minutes, and other searches fail in the same way meanwhile.
  parts.inBackground(() => restartCollections(parts, affected))
  return new IndexBuilding({ percent: 0, retryAfterSeconds: unavailableSeconds })
}

const unavailableSeconds = 5

async function restartCollections(parts: TableParts, affected: readonly CollectionTables[]): Promise<void> {
  for (const { collectionId } of affected) await restartCollection(parts, collectionId)
  parts.maintain()
}

async function restartCollection(parts: TableParts, collectionId: number): Promise<void> {
  const { engine, initial, exclusively, stored, historyId } = parts
  await exclusively(async () => {
    // Another search found the same.
    if (initial.left.some((each) => each.collectionId === collectionId)) return
    const { position, segmentIds } = await engine.segmentsOf(collectionId)
    const { length: of } = await engine.writtenIds(collectionId)
    await stored.begin(historyId())
    // What was committed since has segments that stay.
    initial.restart({ collectionId, upTo: position, afterId: 0, done: 0, of })
    await engine.replace({ collectionId, before: segmentIds, after: [], at: null })
  })
}
