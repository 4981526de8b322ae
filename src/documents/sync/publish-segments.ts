import type { Database } from '../../database/database.ts'
import type { Worker } from '../../jobs/worker-number.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type BlobStore, dropFile } from '../store/blob-store.ts'
import { keepBlob } from '../store/blobs.ts'
import {
  clearManifests,
  countChunksAfter,
  haveTables,
  minChunksOfManifest,
  readManifests,
  type SegmentManifest,
  takeWriterLease,
  writeManifest,
} from '../store/segment-manifests.ts'
import type { ExportedIndex, LexicalIndex } from './lexical-index.ts'
import { readLogState } from './read-document-changes.ts'

/** What a process needs to write its segments to the store of files. */
export interface SegmentWriter {
  readonly database: Database
  readonly index: Pick<LexicalIndex, 'refresh' | 'buildProgress' | 'sizes' | 'tables' | 'exportSegments'>
  /** Whether all of these tables of LanceDB exist. Absent: no segment has one. */
  readonly haveAllTables?: (tables: readonly string[]) => Promise<boolean>
  readonly blobs: BlobStore
  /** `fileStoreIdentity` */
  readonly fileStore: string
  readonly worker: Pick<Worker, 'number'>
  readonly clock: Clock
  /** Folder of unfinished files. */
  readonly uploadFolder: string
}

/** A manifest may lack this share of the chunks of its collection: a process that fetches its segments builds these. */
const missingShare = 0.1
/** Chunks. Built in one or two seconds. */
const maxMissing = 20_000

/**
 * Writes the segments of collections whose manifest lacks too much, if this process is the one that does. Segments that are in
 * the store already are only named again.
 */
export async function writeSegments(writer: SegmentWriter, stopping?: AbortSignal): Promise<void> {
  const { database, index, fileStore, worker } = writer
  if (index.buildProgress() !== null || !(await takeWriterLease(database, worker.number()))) return
  // Before its manifest is cleared, a collection must have had the chance to reach this index.
  await index.refresh()
  const { historyId } = await readLogState(database)
  const sizes = (await index.sizes()).filter(({ chunks }) => chunks >= minChunksOfManifest)
  await clearManifests(
    database,
    sizes.map(({ collectionId }) => collectionId),
  )
  const manifests = await readManifests(database, { historyId, fileStore })
  const missing = await countChunksAfter(database, manifests.values())
  const tables = new Map((await index.tables()).map((each) => [each.collectionId, each.tables]))
  for (const { collectionId, chunks } of sizes) {
    if (stopping?.aborted) return
    const manifest = manifests.get(collectionId)
    const isComplete =
      (missing.get(collectionId) ?? 0) < Math.min(maxMissing, Math.max(minChunksOfManifest, chunks * missingShare)) &&
      haveTables(manifest, tables.get(collectionId) ?? [])
    if (manifest !== undefined && isComplete && !manifest.segments.some(({ isDamaged }) => isDamaged)) continue
    if (!(await writeCollection(writer, collectionId, { manifest, stopping }))) return
  }
}

interface WriteOptions {
  /** The present one. */
  readonly manifest: SegmentManifest | undefined
  readonly stopping: AbortSignal | undefined
}

/** @returns false: another process writes now, or this one stops */
async function writeCollection(
  writer: SegmentWriter,
  collectionId: number,
  { manifest, stopping }: WriteOptions,
): Promise<boolean> {
  const { index, uploadFolder } = writer
  const before = manifest?.segments ?? []
  const damaged = new Set(before.filter(({ isDamaged }) => isDamaged).map(({ hash }) => hash))
  const exported = await index.exportSegments({
    collectionId,
    knownHashes: before.filter(({ isDamaged }) => !isDamaged).map(({ hash }) => hash),
    folder: uploadFolder,
    // A saved file may be the damaged one: both names can lead to the same bytes.
    mayLink: damaged.size === 0,
  })
  // The collection is being rebuilt.
  if (exported === null) return true
  try {
    // Another process dropped a table that this one did not use for long: the next search or step of writing builds the collection again.
    const named = exported.segments.flatMap(({ table }) => table || [])
    if ((await writer.haveAllTables?.(named)) === false) return true
    return (
      (await storeFiles(writer, exported, { damaged, stopping })) && (await writeOne(writer, collectionId, exported))
    )
  } finally {
    for (const { path } of exported.segments) if (path !== null) await dropFile({ path })
  }
}

interface StoreOptions {
  /** Hashes of files that have to be written again. */
  readonly damaged: ReadonlySet<string>
  readonly stopping: AbortSignal | undefined
}

async function storeFiles(
  { database, blobs, clock, worker }: SegmentWriter,
  { segments }: ExportedIndex,
  { damaged, stopping }: StoreOptions,
): Promise<boolean> {
  for (const { hash, size, path } of segments) {
    if (path === null) continue
    if (stopping?.aborted || !(await takeWriterLease(database, worker.number()))) return false
    const bytes = Buffer.from(hash, 'hex')
    // The store takes a file of the same size for the same file.
    if (damaged.has(hash)) await blobs.remove(bytes)
    await keepBlob(database, blobs, { path, hash: bytes, size }, new Date(clock.nowMs()))
  }
  return true
}

function writeOne(
  { database, fileStore, clock, worker }: SegmentWriter,
  collectionId: number,
  { historyId, position, segments }: ExportedIndex,
): Promise<boolean> {
  return database.inTransaction(async (session) => {
    if (!(await takeWriterLease(session, worker.number()))) return false
    // What it was exported from may be lost.
    if ((await readLogState(session)).historyId !== historyId) return false
    const stored = segments.map(({ hash, size, table }) => ({ hash, size, isDamaged: false, table: table || null }))
    const now = new Date(clock.nowMs())
    // If a file or the collection is gone, the next turn begins again.
    await writeManifest(session, { collectionId, position, segments: stored, historyId, fileStore, now })
    return true
  })
}
