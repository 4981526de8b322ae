import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Database } from '../../database/database.ts'
import type { NewSegment } from '../../search-engine/segments/index-change.ts'
import { openSegment } from '../../search-engine/segments/segment.ts'
import { hashOfSegment } from '../../search-engine/segments/segment-file.ts'
import { type BlobStore, MissingFile } from '../store/blob-store.ts'
import {
  readManifests,
  recordDamagedSegment,
  type SegmentManifest,
  type StoredSegment,
} from '../store/segment-manifests.ts'
import type { UnbuiltCollection } from './initial-build.ts'

/** The store of files as a source of segments. */
export interface SegmentStore {
  readonly blobs: BlobStore
  /** `fileStoreIdentity` */
  readonly fileStore: string
  /** Whether tables of LanceDB can be read. Absent: no, so segments with tables are left out. */
  readonly hasTables?: boolean
}

export interface StoredSegmentsOptions {
  readonly database: Database
  /** null: there are none. */
  readonly store: SegmentStore | null
  readonly onError: (error: unknown) => void
}

/**
 * Segments that another process wrote to the store of files. A segment that is missing or damaged there is left out: its
 * documents are read from the database.
 */
export class StoredSegments {
  readonly #options: StoredSegmentsOptions
  #manifests: ReadonlyMap<number, SegmentManifest> = new Map()

  constructor(options: StoredSegmentsOptions) {
    this.#options = options
  }

  /** @param historyId newest history of the database */
  async begin(historyId: string): Promise<void> {
    const { database, store } = this.#options
    this.#manifests = store === null ? new Map() : await readManifests(database, { ...store, historyId })
  }

  /** @returns no manifest that may contain a document of the change log after `upTo`: these are in the index already */
  manifestOf({ collectionId, upTo, afterId }: UnbuiltCollection): SegmentManifest | undefined {
    const manifest = this.#manifests.get(collectionId)
    return manifest !== undefined && afterId === 0 && manifest.position <= upTo ? manifest : undefined
  }

  /** @param next called before each segment */
  async fetch({ collectionId, segments }: SegmentManifest, next: () => void): Promise<readonly NewSegment[]> {
    const { store, onError } = this.#options
    const fetched: NewSegment[] = []
    for (const segment of segments) {
      next()
      if (store === null || segment.isDamaged || (segment.table !== null && store.hasTables !== true)) continue
      try {
        const buffer = await readSegment(store.blobs, segment)
        fetched.push({ collectionId, segmentId: randomUUID(), buffer, hash: segment.hash })
      } catch (error) {
        if (error instanceof MissingFile || error instanceof DamagedSegmentError) {
          await this.#reportDamaged(collectionId, segment, error)
          continue
        }
        // Each request to a store that does not respond takes minutes; the database has everything.
        onError(error)
        this.#manifests = new Map()
        break
      }
    }
    return fetched
  }

  async #reportDamaged(collectionId: number, { hash }: StoredSegment, cause: Error): Promise<void> {
    // A manifest that was replaced meanwhile may name files that are cleared away.
    if (!(await recordDamagedSegment(this.#options.database, collectionId, hash))) return
    this.#options.onError(
      new Error(
        `a segment of collection ${collectionId} in the file store is lost or damaged; its documents are read from the database: ${cause.message}`,
        { cause },
      ),
    )
  }
}

class DamagedSegmentError extends Error {}

async function readSegment(blobs: BlobStore, { hash, size }: StoredSegment): Promise<SharedArrayBuffer> {
  const buffer = new SharedArrayBuffer(size)
  const view = new Uint8Array(buffer)
  let at = 0
  const stream = await blobs.read(Buffer.from(hash, 'hex'))
  for await (const bytes of stream as Readable & AsyncIterable<Buffer>) {
    if (at + bytes.length > size) throw new DamagedSegmentError(`the file ${hash} has more than ${size} bytes`)
    view.set(bytes, at)
    at += bytes.length
  }
  if (at < size) throw new DamagedSegmentError(`the file ${hash} has ${at} bytes instead of ${size}`)
  if (hashOfSegment(buffer) !== hash) throw new DamagedSegmentError(`the file ${hash} has other bytes`)
  openSegment(buffer)
  return buffer
}
