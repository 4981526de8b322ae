import { randomUUID } from 'node:crypto'
import type { NewSegment } from '../../search-engine/segments/index-change.ts'
import { buildSegments, type SegmentSource } from './build-segments.ts'
import type { AddedDocument } from './read-document-changes.ts'

/** Prepared documents wait for milliseconds only. */
const maxDocuments = 1_000

/** Segments of documents that this process has just published: they need not be built again when the change is followed. */
export class PreparedDocuments {
  readonly #buffers = new Map<number, SharedArrayBuffer>()

  keep(documentId: number, buffer: SharedArrayBuffer): void {
    if (this.#buffers.size >= maxDocuments) this.clear()
    this.#buffers.set(documentId, buffer)
  }

  #take(documentId: number): SharedArrayBuffer | undefined {
    const buffer = this.#buffers.get(documentId)
    this.#buffers.delete(documentId)
    return buffer
  }

  /** Segments of documents that the change log adds: prepared ones, and those that are built of the others. */
  async segmentsOf(source: SegmentSource, added: readonly AddedDocument[]): Promise<readonly NewSegment[]> {
    const segments: NewSegment[] = []
    const toRead: AddedDocument[] = []
    for (const document of added) {
      const buffer = this.#take(document.id)
      if (buffer === undefined) toRead.push(document)
      else segments.push({ collectionId: document.collectionId, segmentId: randomUUID(), buffer })
    }
    for (const [collectionId, documents] of Map.groupBy(toRead, (each) => each.collectionId))
      for await (const { segment } of buildSegments(source, collectionId, documents)) segments.push(segment)
    return segments
  }

  clear(): void {
    this.#buffers.clear()
  }
}
