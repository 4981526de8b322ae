import type { DocumentAt, IndexChange, NewSegment, SegmentSwap } from './index-change.ts'
import type { SegmentSize } from './plan-merge.ts'
import { findDocument, openSegment, type Segment, u32 } from './segment.ts'
import { hashOfSegment } from './segment-file.ts'

/**
 * The segments and their removed documents, as known to this thread, which passes them to the search thread, merges them and
 * saves them. It changes in the same steps as the state of the search thread.
 */
export class WriterIndex {
  position = 0
  readonly #collections = new Map<number, Map<string, Held>>()
  /** Removals after the oldest state that may still be searched: new segments may be built from that state. */
  #removals: readonly DocumentAt[] = []

  apply(change: IndexChange): void {
    if (change.newHistory !== undefined) this.#removals = []
    for (const { collectionId, documentId } of change.newHistory?.restored ?? [])
      this.#restore(collectionId, documentId)
    for (const segment of change.segments) this.#hold(segment)
    for (const { collectionId, documentId, position } of change.removed)
      this.#remove(collectionId, documentId, position)
    for (const { collectionId } of change.dropped) this.#collections.delete(collectionId)
    this.#removals = [...this.#removals, ...change.removed].filter(({ position }) => position > change.keepFrom)
    this.position = change.position
  }

  swap({ collectionId, before, after, at, absent = [] }: SegmentSwap): void {
    const held = this.#collections.get(collectionId)
    const replaced = before.flatMap((segmentId) => held?.get(segmentId) ?? [])
    if (replaced.length < before.length) return
    const fromReplaced = replaced.flatMap((segment) =>
      [...segment.removed].map(([documentId, position]) => ({ collectionId, documentId, position })),
    )
    const later = this.#removals.filter((each) => each.collectionId === collectionId)
    const removed = at === null ? fromReplaced : [...fromReplaced, ...later].filter(({ position }) => position > at)
    for (const segmentId of before) held?.delete(segmentId)
    for (const segment of after) this.#hold(segment)
    for (const { documentId, position } of removed) this.#remove(collectionId, documentId, position)
    for (const documentId of absent) this.#remove(collectionId, documentId, at ?? this.position)
  }

  /** Input for merge plans. */
  sizesOf(collectionId: number): readonly HeldSize[] {
    return [...(this.#collections.get(collectionId) ?? [])].map(([segmentId, { segment, removedChunks }]) => ({
      segmentId,
      chunks: segment.chunkCount,
      removedChunks,
      isMoved: segment.table !== '',
      postings: u32(segment.postingStart, segment.termCount),
      tokens: u32(segment.tokenStart, segment.chunkCount),
    }))
  }

  /** Tables with postings of segments. */
  tables(): readonly CollectionTables[] {
    return [...this.#collections.keys()].flatMap((collectionId) => {
      const tables = this.segmentsOf(collectionId).flatMap(({ table }) => (table === '' ? [] : table))
      return tables.length === 0 ? [] : { collectionId, tables }
    })
  }

  buffersOf(collectionId: number, segmentIds: readonly string[]): readonly SharedArrayBuffer[] {
    return segmentIds.flatMap((id) => this.#collections.get(collectionId)?.get(id)?.segment.buffer ?? [])
  }

  /** Removed documents that no searchable state contains any more. */
  droppable(collectionId: number, segmentIds: readonly string[], keepFrom: number): readonly number[] {
    return segmentIds.flatMap((id) =>
      [...(this.#collections.get(collectionId)?.get(id)?.removed ?? [])]
        .filter(([, position]) => position <= keepFrom)
        .map(([documentId]) => documentId),
    )
  }

  collectionIds(): readonly number[] {
    return [...this.#collections.keys()]
  }

  /** Everything as one change, for a new thread or an empty folder. */
  asChange(): IndexChange {
    const all = this.#all()
    return {
      position: this.position,
      keepFrom: this.position,
      segments: all.map(({ collectionId, segmentId, segment, hash }) => ({
        collectionId,
        segmentId,
        buffer: segment.buffer,
        ...(hash !== undefined && { hash }),
      })),
      added: [],
      removed: all.flatMap(({ collectionId, removed }) =>
        [...removed].map(([documentId, position]) => ({ collectionId, documentId, position })),
      ),
      dropped: [],
    }
  }

  counts(): { readonly segments: number; readonly documents: number; readonly chunks: number; readonly bytes: number } {
    const all = this.#all()
    return {
      segments: all.length,
      documents: all.reduce((sum, { segment, removed }) => sum + segment.documentCount - removed.size, 0),
      chunks: all.reduce((sum, { segment, removedChunks }) => sum + segment.chunkCount - removedChunks, 0),
      bytes: all.reduce((sum, { segment }) => sum + segment.buffer.byteLength, 0),
    }
  }

  /** The chunks of each collection that are not removed. */
  sizes(): readonly CollectionSize[] {
    return [...this.#collections].map(([collectionId, segments]) => ({
      collectionId,
      chunks: [...segments.values()].reduce(
        (sum, { segment, removedChunks }) => sum + segment.chunkCount - removedChunks,
        0,
      ),
    }))
  }

  /** Ids of the current documents, ascending. */
  documentIds(collectionId: number): Float64Array {
    const segments = [...(this.#collections.get(collectionId)?.values() ?? [])]
    return Float64Array.from(
      segments.flatMap(({ segment, removed }) => [...segment.documentIds].filter((id) => !removed.has(id))),
    ).sort()
  }

  /** Ids of the documents that are removed but still in segments. */
  removedIds(collectionId: number): readonly number[] {
    return [...(this.#collections.get(collectionId)?.values() ?? [])].flatMap(({ removed }) => [...removed.keys()])
  }

  /** The segments of a collection, or of all, with their hashes. Each hash is computed once. */
  hashed(collectionId?: number): readonly HashedSegment[] {
    return [...this.#collections]
      .filter(([id]) => collectionId === undefined || id === collectionId)
      .flatMap(([id, segments]) =>
        [...segments].map(([segmentId, held]) => {
          const { buffer } = held.segment
          held.hash ??= hashOfSegment(buffer)
          return { collectionId: id, segmentId, buffer, hash: held.hash }
        }),
      )
  }

  segmentsOf(collectionId: number): readonly Segment[] {
    return [...(this.#collections.get(collectionId)?.values() ?? [])].map(({ segment }) => segment)
  }

  #all() {
    return [...this.#collections].flatMap(([collectionId, segments]) =>
      [...segments].map(([segmentId, held]) => ({ collectionId, segmentId, ...held })),
    )
  }

  #hold({ collectionId, segmentId, buffer, hash }: NewSegment): void {
    const segments = this.#collections.get(collectionId) ?? new Map<string, Held>()
    segments.set(segmentId, { segment: openSegment(buffer), removed: new Map(), removedChunks: 0, hash })
    this.#collections.set(collectionId, segments)
  }

  #remove(collectionId: number, documentId: number, position: number): void {
    for (const held of this.#collections.get(collectionId)?.values() ?? []) {
      const document = findDocument(held.segment, documentId)
      if (document < 0 || held.removed.has(documentId)) continue
      held.removed.set(documentId, position)
      held.removedChunks += chunksOf(held.segment, document)
    }
  }

  #restore(collectionId: number, documentId: number): void {
    for (const held of this.#collections.get(collectionId)?.values() ?? [])
      if (held.removed.delete(documentId))
        held.removedChunks -= chunksOf(held.segment, findDocument(held.segment, documentId))
  }
}

function chunksOf({ firstChunk }: Segment, document: number): number {
  return u32(firstChunk, document + 1) - u32(firstChunk, document)
}

interface Held {
  readonly segment: Segment
  /** Removed documents, with the sequence number of the change log. */
  readonly removed: Map<number, number>
  removedChunks: number
  hash: string | undefined
}

interface HeldSize extends SegmentSize {
  readonly isMoved: boolean
  /** Also those that are in a table. */
  readonly postings: number
  readonly tokens: number
}

export interface CollectionSize {
  readonly collectionId: number
  readonly chunks: number
}

export interface CollectionTables {
  readonly collectionId: number
  /** Names. */
  readonly tables: readonly string[]
}

export type HashedSegment = NewSegment & { readonly hash: string }
