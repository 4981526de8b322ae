/** Prepared documents wait for milliseconds only. */
const maxDocuments = 1_000

/** Segments of documents that this process has just published: they need not be built again when the change is followed. */
export class PreparedDocuments {
  readonly #buffers = new Map<number, SharedArrayBuffer>()

  keep(documentId: number, buffer: SharedArrayBuffer): void {
    if (this.#buffers.size >= maxDocuments) this.clear()
    this.#buffers.set(documentId, buffer)
  }

  take(documentId: number): SharedArrayBuffer | undefined {
    const buffer = this.#buffers.get(documentId)
    this.#buffers.delete(documentId)
    return buffer
  }

  clear(): void {
    this.#buffers.clear()
  }
}
