import { MovedSegmentError, RemovedTerms, type TablePart } from '../lancedb/removed-terms.ts'
import { type Ranking, rankChunks, searchedTerms } from '../ranking/rank-chunks.ts'
import type { FewChunks, SearchedPart } from '../ranking/score-part.ts'
import { letGoOf } from './collect-garbage.ts'
import type {
  DocumentAt,
  IndexChange,
  LexicalSearch,
  NewHistory,
  NewSegment,
  SegmentSwap,
  VisibleIds,
} from './index-change.ts'
import { KnownWords } from './known-words.ts'
import { commonTo, f64, findDocument, openSegment, type Segment, u8, u32 } from './segment.ts'
import { findTerm } from './sorted-terms.ts'

/**
 * The lexical index as searches see it: segments by collection, and which of their documents are current. A search names the
 * sequence number of the change log that its database queries used. The few changes after it are undone for the duration of the
 * search, so that a document that is being replaced is found exactly once.
 */
export class SegmentSet {
  #position = 0
  readonly #collections = new Map<number, Map<string, SegmentReader>>()
  /** Changes after the oldest sequence number that may still be searched, oldest first. */
  #history: readonly PastChange[] = []
  #dropped: readonly { readonly collectionId: number; readonly position: number }[] = []
  #words = new KnownWords()

  apply(change: IndexChange): void {
    if (change.newHistory !== undefined) this.#beginHistory(change.newHistory)
    for (const segment of change.segments) this.#words.add(this.#hold(segment))
    for (const { collectionId, documentId } of change.removed) this.#hide(collectionId, documentId)
    const changes = [
      ...change.added.map((added) => ({ ...added, kind: 'added' as const })),
      ...change.removed.map((removed) => ({ ...removed, kind: 'removed' as const })),
    ].sort((x, y) => x.position - y.position)
    this.#history = [...this.#history, ...changes].filter(({ position }) => position > change.keepFrom)
    this.#dropped = [...this.#dropped, ...change.dropped]
    for (const { collectionId, position } of this.#dropped)
      if (position <= change.keepFrom && this.#collections.delete(collectionId)) this.#forgetWords()
    this.#dropped = this.#dropped.filter(({ position }) => position > change.keepFrom)
    this.#position = change.position
  }

  /** Prepares corrections, a little at a time. @returns whether to call it again */
  readWords(): boolean {
    return this.#words.readSome(termsAtOnce)
  }

  /** Documents that were removed before stay removed, even if the merge began before their removal. */
  swap({ collectionId, before, after, at, absent = [] }: SegmentSwap): void {
    const held = this.#collections.get(collectionId)
    const replaced = before.flatMap((segmentId) => held?.get(segmentId) ?? [])
    // A thread without them received everything after the swap.
    if (replaced.length < before.length) return
    const gone =
      at === null ? replaced.flatMap((segment) => segment.hiddenDocuments()) : this.#removedAfter(collectionId, at)
    for (const segmentId of before) held?.delete(segmentId)
    letGoOf(replaced.map((segment) => segment.buffer))
    for (const segment of after.map((made) => this.#hold(made)))
      if (at !== null) this.#words.add(segment)
      // A merged segment contains no new words.
      else
        this.#words.replace(
          replaced.map((each) => each.segment),
          segment,
        )
    this.#forgetWords()
    for (const documentId of gone) this.#hide(collectionId, documentId)
    for (const documentId of absent) this.#hide(collectionId, documentId)
  }

  /** Ids of the current documents, ascending. */
  documentIds(collectionId: number): Float64Array {
    if (this.#dropped.some((dropped) => dropped.collectionId === collectionId)) return new Float64Array(0)
    const held = [...(this.#collections.get(collectionId)?.values() ?? [])]
    return Float64Array.from(held.flatMap((segment) => segment.visibleDocuments())).sort()
  }

  /** Everything as one change, for a new thread. The times of removals are not known here any more. */
  asChange(): IndexChange {
    const gone = new Set(this.#dropped.map(({ collectionId }) => collectionId))
    const all = [...this.#collections]
      .filter(([collectionId]) => !gone.has(collectionId))
      .flatMap(([collectionId, held]) =>
        [...held].map(([segmentId, segment]) => ({ collectionId, segmentId, segment })),
      )
    return {
      position: this.#position,
      keepFrom: this.#position,
      segments: all.map(({ collectionId, segmentId, segment: { buffer } }) => ({ collectionId, segmentId, buffer })),
      added: [],
      removed: all.flatMap(({ collectionId, segment }) =>
        segment.hiddenDocuments().map((documentId) => ({ collectionId, documentId, position: this.#position })),
      ),
      dropped: [],
    }
  }

  /** @param partOf what is searched instead of a part, for segments whose postings are in tables (`tablePartsOf`) */
  search(search: LexicalSearch, partOf: (part: SearchedPart) => SearchedPart = (part) => part): Ranking {
    const { terms, options } = search
    return this.#inStateOf(search, (held) =>
      rankChunks(
        held.map(({ part }) => partOf(part)),
        terms,
        options,
        this.#words,
      ),
    )
  }

  /** @returns the segments of a search whose postings are in tables */
  tablePartsOf(search: LexicalSearch): readonly TablePart[] {
    const { collectionIds, terms } = search
    if (!collectionIds.some((id) => [...(this.#collections.get(id)?.values() ?? [])].some(({ removed }) => removed)))
      return []
    return this.#inStateOf(search, (held) => {
      const parts = held.map(({ part }) => part)
      const bytes = searchedTerms(parts, terms, this.#words).map((term) => Buffer.from(term))
      return held.flatMap(({ removed, part: { segment } }) => {
        if (removed === null) return []
        const byTerm = bytes.map((term) => findTerm(segment, term))
        const ordinals = byTerm.filter((ordinal) => ordinal >= 0).sort((one, other) => one - other)
        return { segment, removed, unknown: removed.unknown, byTerm, ordinals }
      })
    })
  }

  #inStateOf<T>({ position, collectionIds, visible }: LexicalSearch, work: (parts: readonly HeldPart[]) => T): T {
    if (position > this.#position) throw new Error(`the index is at ${this.#position}, the search at ${position}`)
    const later = this.#history.filter((change) => change.position > position)
    for (const change of later.toReversed()) this.#undo(change)
    try {
      return work(this.#parts(collectionIds, visible))
    } finally {
      for (const change of later) this.#redo(change)
    }
  }

  #beginHistory({ restored }: NewHistory): void {
    for (const { collectionId } of this.#dropped) this.#collections.delete(collectionId)
    this.#dropped = []
    this.#history = []
    for (const { collectionId, documentId } of restored) this.#show(collectionId, documentId)
  }

  /** Words stay known after their segments are removed, until there are more words than terms. */
  #forgetWords(): void {
    const segments = [...this.#collections.values()].flatMap((held) => [...held.values()].map(({ segment }) => segment))
    const terms = segments.reduce((sum, { termCount }) => sum + termCount, 0)
    if (this.#words.count > terms) this.#words = new KnownWords(segments)
  }

  #removedAfter(collectionId: number, position: number): readonly number[] {
    return this.#history
      .filter(
        (change) => change.kind === 'removed' && change.collectionId === collectionId && change.position > position,
      )
      .map(({ documentId }) => documentId)
  }

  #parts(collectionIds: readonly number[], visible: VisibleIds | undefined): readonly HeldPart[] {
    const limited = new Set(visible?.collectionIds)
    return collectionIds.flatMap((id) => {
      const ids = limited.has(id) ? visible : undefined
      return [...(this.#collections.get(id)?.values() ?? [])].map((held) => ({
        part: ids === undefined ? held.part() : held.partOf(ids),
        removed: held.removed,
      }))
    })
  }

  #hold({ collectionId, segmentId, buffer }: NewSegment): Segment {
    const held = this.#collections.get(collectionId) ?? new Map<string, SegmentReader>()
    const segment = openSegment(buffer)
    this.#collections.set(collectionId, held.set(segmentId, new SegmentReader(segment)))
    return segment
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

/** Takes some milliseconds. */
const termsAtOnce = 5_000

interface HeldPart {
  readonly part: SearchedPart
  readonly removed: RemovedTerms | null
}

type PastChange = DocumentAt & { readonly kind: 'added' | 'removed' }

/** A list has at most one of this many chunks: a search of a larger part reads postings instead. */
const chunksPerFew = 16

/** What different callers see of a segment, at most so many of them: five bytes for four chunks each. */
const maxPartsKept = 8

/** A segment and which of its documents are current. */
class SegmentReader {
  readonly segment: Segment
  /** null: the segment has its own postings. */
  readonly removed: RemovedTerms | null
  #hidden: Uint8Array | null = null
  /** null: not listed since the last change. */
  #few: FewChunks | null = null
  /** What callers see, by the key of their documents; the last searched one is the last. */
  readonly #parts = new Map<number, SearchedPart>()
  #chunks: number
  #length: number

  constructor(segment: Segment) {
    this.segment = segment
    this.removed = segment.table === '' ? null : new RemovedTerms(segment)
    this.#chunks = segment.chunkCount
    this.#length = segment.chunkLength.reduce((sum, length) => sum + length, 0)
  }

  get buffer(): SharedArrayBuffer {
    return this.segment.buffer
  }

  part(): SearchedPart {
    const { removed } = this
    if (removed === null) this.#few ??= this.#fewHidden()
    return {
      segment: this.segment,
      hidden: this.#hidden,
      few: this.#few,
      chunks: this.#chunks,
      length: this.#length,
      ...(removed !== null && { chunksWith: (ordinal: number) => removed.chunksWith(ordinal) }),
    }
  }

  #fewHidden(): FewChunks | null {
    const { chunkCount } = this.segment
    const count = chunkCount - this.#chunks
    if (this.#hidden === null || count * chunksPerFew > chunkCount) return null
    const chunks = new Uint32Array(count)
    for (let at = 0, from = 0; at < count; at++, from++) {
      from = this.#hidden.indexOf(1, from)
      chunks[at] = from
    }
    return { chunks, areHidden: true }
  }

  /** The segment reduced to these documents. It is kept until the segment changes. */
  partOf({ documentIds, key }: VisibleIds): SearchedPart {
    if (this.removed !== null) throw new MovedSegmentError()
    if (key === undefined) return this.#reducedTo(documentIds)
    const part = this.#parts.get(key) ?? this.#reducedTo(documentIds)
    this.#parts.delete(key)
    this.#parts.set(key, part)
    for (const oldest of this.#parts.keys()) {
      if (this.#parts.size <= maxPartsKept) break
      this.#parts.delete(oldest)
    }
    return part
  }

  /** @param documentIds ascending */
  #reducedTo(documentIds: Float64Array): SearchedPart {
    const { firstChunk, chunkLength, chunkCount, documentIds: own } = this.segment
    const hidden = new Uint8Array(chunkCount).fill(1)
    const few = new Uint32Array(Math.floor(chunkCount / chunksPerFew))
    let chunks = 0
    let length = 0
    for (const document of commonTo(own, documentIds)) {
      const to = u32(firstChunk, document + 1)
      for (let chunk = u32(firstChunk, document); chunk < to; chunk++) {
        if (this.#hidden !== null && u8(this.#hidden, chunk) === 1) continue
        hidden[chunk] = 0
        if (chunks < few.length) few[chunks] = chunk
        chunks++
        length += u32(chunkLength, chunk)
      }
    }
    const visible = chunks > few.length ? null : { chunks: few.subarray(0, chunks), areHidden: false }
    return { segment: this.segment, hidden, few: visible, chunks, length }
  }

  setHidden(documentId: number, to: 0 | 1): void {
    const document = findDocument(this.segment, documentId)
    if (document < 0) return
    this.#hidden ??= new Uint8Array(this.segment.chunkCount)
    this.#few = null
    this.#parts.clear()
    const { firstChunk, chunkLength } = this.segment
    if (u8(this.#hidden, u32(firstChunk, document)) !== to) this.removed?.setRemoved(document, to === 1)
    for (let chunk = u32(firstChunk, document); chunk < u32(firstChunk, document + 1); chunk++) {
      if (u8(this.#hidden, chunk) === to) continue
      this.#hidden[chunk] = to
      this.#chunks += to === 0 ? 1 : -1
      this.#length += to === 0 ? u32(chunkLength, chunk) : -u32(chunkLength, chunk)
    }
  }

  hiddenDocuments(): readonly number[] {
    return this.#hidden === null ? [] : this.#documentsWhere((hidden) => hidden)
  }

  visibleDocuments(): readonly number[] {
    return this.#documentsWhere((hidden) => !hidden)
  }

  #documentsWhere(wanted: (isHidden: boolean) => boolean): readonly number[] {
    const { documentIds, firstChunk } = this.segment
    const found: number[] = []
    for (let document = 0; document < documentIds.length; document++) {
      const first = u32(firstChunk, document)
      const isHidden = first < u32(firstChunk, document + 1) && this.#hidden?.[first] === 1
      if (wanted(isHidden)) found.push(f64(documentIds, document))
    }
    return found
  }
}
