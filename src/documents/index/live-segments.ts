import { type QueryTerm, type Ranking, type RankOptions, rankChunks, type SearchedPart } from './rank-chunks.ts'
import { f64, findDocument, openSegment, type Segment, u8, u32 } from './segment.ts'

/** Segments and removals that belong to positions of the database's change log. */
export interface IndexChange {
  /** The log is applied up to here. */
  readonly position: number
  /** No search asks for an earlier state than this any more. */
  readonly keepFrom: number
  readonly segments: readonly NewSegment[]
  /** Documents of the new segments, with the position at which each appeared; only those after `keepFrom` matter. */
  readonly added: readonly DocumentAt[]
  readonly removed: readonly DocumentAt[]
  /** Collections that are gone for every later search. */
  readonly dropped: readonly { readonly collectionId: number; readonly position: number }[]
}

export interface NewSegment {
  readonly collectionId: number
  readonly segmentId: string
  readonly buffer: SharedArrayBuffer
}

export interface DocumentAt {
  readonly collectionId: number
  readonly documentId: number
  readonly position: number
}

/** The same documents in fewer segments. */
export interface SegmentSwap {
  readonly collectionId: number
  readonly before: readonly string[]
  readonly after: NewSegment
}

export interface LexicalSearch {
  /** The state to search: all changes up to this position and none after it. */
  readonly position: number
  readonly collectionIds: readonly number[]
  readonly terms: readonly QueryTerm[]
  readonly options: RankOptions
}

/**
 * The lexical index as searches see it: segments by collection, and which of their documents are there. A search names the
 * position of the change log that its other questions to the database saw; the few changes after it are undone for the
 * time of the search, so that a document that is just being replaced is found exactly once.
 */
export class LiveSegments {
  #position = 0
  readonly #collections = new Map<number, Map<string, HeldSegment>>()
  /** Changes after the oldest position that may still be asked for, oldest first. */
  #history: readonly PastChange[] = []
  #dropped: readonly { readonly collectionId: number; readonly position: number }[] = []

  apply(change: IndexChange): void {
    for (const segment of change.segments) this.#hold(segment)
    for (const { collectionId, documentId } of change.removed) this.#hide(collectionId, documentId)
    const changes = [
      ...change.added.map((added) => ({ ...added, kind: 'added' as const })),
      ...change.removed.map((removed) => ({ ...removed, kind: 'removed' as const })),
    ].sort((x, y) => x.position - y.position)
    this.#history = [...this.#history, ...changes].filter(({ position }) => position > change.keepFrom)
    this.#dropped = [...this.#dropped, ...change.dropped]
    for (const { collectionId, position } of this.#dropped)
      if (position <= change.keepFrom) this.#collections.delete(collectionId)
    this.#dropped = this.#dropped.filter(({ position }) => position > change.keepFrom)
    this.#position = change.position
  }

  /** Documents that were removed before stay removed, also when the merge began before their removal. */
  swap({ collectionId, before, after }: SegmentSwap): void {
    const held = this.#collections.get(collectionId)
    if (held === undefined) return
    const gone = before.flatMap((segmentId) => held.get(segmentId)?.hiddenDocuments() ?? [])
    for (const segmentId of before) held.delete(segmentId)
    this.#hold(after)
    for (const documentId of gone) this.#hide(collectionId, documentId)
  }

  search({ position, collectionIds, terms, options }: LexicalSearch): Ranking {
    if (position > this.#position) throw new Error(`the index is at ${this.#position}, the search at ${position}`)
    const later = this.#history.filter((change) => change.position > position)
    for (const change of later.toReversed()) this.#undo(change)
    try {
      return rankChunks(this.#parts(collectionIds), terms, options)
    } finally {
      for (const change of later) this.#redo(change)
    }
  }

  #parts(collectionIds: readonly number[]): readonly SearchedPart[] {
    return collectionIds.flatMap((id) => [...(this.#collections.get(id)?.values() ?? [])].map((held) => held.part()))
  }

  #hold({ collectionId, segmentId, buffer }: NewSegment): void {
    const held = this.#collections.get(collectionId) ?? new Map<string, HeldSegment>()
    this.#collections.set(collectionId, held.set(segmentId, new HeldSegment(openSegment(buffer))))
  }

  #undo({ kind, collectionId, documentId }: PastChange): void {
    if (kind === 'added') this.#hide(collectionId, documentId)
    else this.#show(collectionId, documentId)
  }

  #redo({ kind, collectionId, documentId }: PastChange): void {
    if (kind === 'added') this.#show(collectionId, documentId)
    else this.#hide(collectionId, documentId)
  }

  #hide(collectionId: number, documentId: number): void {
    for (const held of this.#collections.get(collectionId)?.values() ?? []) held.setHidden(documentId, 1)
  }

  #show(collectionId: number, documentId: number): void {
    for (const held of this.#collections.get(collectionId)?.values() ?? []) held.setHidden(documentId, 0)
  }
}

type PastChange = DocumentAt & { readonly kind: 'added' | 'removed' }

/** A segment and which of its documents are there. */
class HeldSegment {
  readonly #segment: Segment
  #hidden: Uint8Array | null = null
  #chunks: number
  #length: number

  constructor(segment: Segment) {
    this.#segment = segment
    this.#chunks = segment.chunkCount
    this.#length = segment.chunkLength.reduce((sum, length) => sum + length, 0)
  }

  part(): SearchedPart {
    return { segment: this.#segment, hidden: this.#hidden, chunks: this.#chunks, length: this.#length }
  }

  setHidden(documentId: number, to: 0 | 1): void {
    const document = findDocument(this.#segment, documentId)
    if (document < 0) return
    this.#hidden ??= new Uint8Array(this.#segment.chunkCount)
    const { firstChunk, chunkLength } = this.#segment
    for (let chunk = u32(firstChunk, document); chunk < u32(firstChunk, document + 1); chunk++) {
      if (u8(this.#hidden, chunk) === to) continue
      this.#hidden[chunk] = to
      this.#chunks += to === 0 ? 1 : -1
      this.#length += to === 0 ? u32(chunkLength, chunk) : -u32(chunkLength, chunk)
    }
  }

  hiddenDocuments(): readonly number[] {
    const hidden = this.#hidden
    if (hidden === null) return []
    const { documentIds, firstChunk } = this.#segment
    const gone: number[] = []
    for (let document = 0; document < documentIds.length; document++) {
      const first = u32(firstChunk, document)
      if (first < u32(firstChunk, document + 1) && hidden[first] === 1) gone.push(f64(documentIds, document))
    }
    return gone
  }
}
