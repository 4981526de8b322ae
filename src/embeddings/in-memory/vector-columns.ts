const firstCapacity = 64
const growth = 1.25

/** What is known of each vector of a collection besides its numbers, by its place. */
export class VectorColumns {
  scales = new Float32Array(firstCapacity)
  errors = new Float32Array(firstCapacity)
  /** Numbers of documents. */
  documents = new Int32Array(firstCapacity)
  chunks = new Int32Array(firstCapacity)

  /** Makes place for so many vectors. */
  reserve(count: number): this {
    if (count <= this.chunks.length) return this
    const capacity = Math.max(Math.ceil(count * growth), firstCapacity)
    this.scales = copied(this.scales, new Float32Array(capacity))
    this.errors = copied(this.errors, new Float32Array(capacity))
    this.documents = copied(this.documents, new Int32Array(capacity))
    this.chunks = copied(this.chunks, new Int32Array(capacity))
    return this
  }

  move(from: number, to: number): void {
    this.scales[to] = this.scales[from] as number
    this.errors[to] = this.errors[from] as number
    this.documents[to] = this.documents[from] as number
    this.chunks[to] = this.chunks[from] as number
  }
}

function copied<T extends Float32Array | Int32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
