import { indexOfId } from '../../kernel/ascending-ids.ts'
import { unitLength } from '../similarity.ts'
import type { CodeBlock, CodeMemory } from './code-memory.ts'
import { maxProducts as chunksOfBlock } from './dot-products.ts'
import type { Fingerprints } from './fingerprint-vectors.ts'
import type { Nearest } from './nearest.ts'
import { type RoundedVector, roundToBytes, strideOf } from './whole-numbers.ts'

/** Vectors of adjacent chunks of one document, as stored: float32, in sequence. */
export interface StoredVectors {
  readonly collectionId: number
  readonly documentId: number
  readonly docId: string
  readonly firstChunk: number
  /** Shared, so that a thread receives them without a copy. */
  readonly buffer: SharedArrayBuffer
}

/** The query: its numbers are in every region of the memory. */
type RoundedQuery = Pick<RoundedVector, 'scale' | 'error'>

/** Sums of rounded numbers differ by less from the exact ones. */
const slack = 1e-6

interface HeldDocument {
  readonly documentId: number
  readonly docId: string
  /** For the current search. */
  isAllowed: boolean
}

interface Block extends CodeBlock {
  readonly scales: Float32Array
  readonly errors: Float32Array
  readonly documents: HeldDocument[]
  readonly chunks: Int32Array
}

/** The rounded vectors of one collection, in any order, without gaps: the last vector replaces a removed one. */
export class Shelf {
  count = 0
  /** Dimensions of a vector. */
  readonly length: number
  readonly #stride: number
  readonly #memory: CodeMemory
  readonly #blocks: Block[] = []
  readonly #documents = new Map<number, HeldDocument>()

  constructor(length: number, memory: CodeMemory) {
    this.length = length
    this.#stride = strideOf(length)
    this.#memory = memory
  }

  add({ documentId, docId, firstChunk, buffer }: StoredVectors): void {
    const document = this.#documents.get(documentId) ?? { documentId, docId, isAllowed: true }
    this.#documents.set(documentId, document)
    for (const [at, rounded] of roundedVectors(buffer, this.length).entries()) {
      const block = this.#blockOf(this.count)
      const slot = this.count % chunksOfBlock
      this.#codesAt(block, slot).set(rounded.numbers)
      block.scales[slot] = rounded.scale
      // Rounded up.
      block.errors[slot] = rounded.error * (1 + 1e-6)
      block.documents[slot] = document
      block.chunks[slot] = firstChunk + at
      this.count++
    }
  }

  forget(documentIds: ReadonlySet<number>): void {
    const isKnown = [...documentIds].some((id) => this.#documents.delete(id))
    if (!isKnown) return
    for (let place = this.count - 1; place >= 0; place--) {
      const { documents } = this.#blockOf(place)
      if (documentIds.has((documents[place % chunksOfBlock] as HeldDocument).documentId)) this.#takeOut(place)
    }
    this.#freeFrom(Math.ceil(this.count / chunksOfBlock))
  }

  forgetAll(): void {
    this.count = 0
    this.#freeFrom(0)
  }

  addTo(found: Fingerprints, collectionId: number, documentIds: ReadonlySet<number> | null): void {
    for (const [number, block] of this.#blocks.entries())
      for (let slot = 0; slot < this.#countOf(number); slot++) {
        const { documentId } = block.documents[slot] as HeldDocument
        if (documentIds !== null && !documentIds.has(documentId)) continue
        const scale = block.scales[slot] as number
        found.add(collectionId, documentId, block.chunks[slot] as number, this.#codesAt(block, slot), scale)
      }
  }

  offerAll(query: RoundedQuery, allowed: Float64Array | null, best: Nearest): void {
    for (const document of this.#documents.values())
      document.isAllowed = allowed === null || indexOfId(allowed, document.documentId) >= 0
    for (const [number, block] of this.#blocks.entries()) this.#offerBlock(block, this.#countOf(number), query, best)
  }

  /** Adjacent chunks that are allowed are compared at once. */
  #offerBlock(block: Block, count: number, query: RoundedQuery, best: Nearest): void {
    for (let from = 0; from < count; ) {
      if (!(block.documents[from] as HeldDocument).isAllowed) {
        from++
        continue
      }
      let to = from + 1
      while (to < count && (block.documents[to] as HeldDocument).isAllowed) to++
      this.#offerChunks(block, from, to, query, best)
      from = to
    }
  }

  #offerChunks(block: Block, from: number, to: number, query: RoundedQuery, best: Nearest): void {
    const products = block.region.products(block.from + from * this.#stride, to - from, this.#stride)
    for (let slot = from; slot < to; slot++) {
      const near = (products[slot - from] as number) * (block.scales[slot] as number) * query.scale
      // By Cauchy and Schwarz: the error of the vector by the query, and the error of the query by the rounded vector.
      const error = block.errors[slot] as number
      // A query without direction is equally near to all.
      const margin = query.scale === 0 ? 0 : error + query.error * (1 + error) + slack
      if (near + margin < best.min) continue
      const { documentId, docId } = block.documents[slot] as HeldDocument
      const chunkIndex = block.chunks[slot] as number
      best.offer({ documentId, docId, chunkIndex, upper: near + margin, lower: near - margin })
    }
  }

  #blockOf(place: number): Block {
    const number = Math.floor(place / chunksOfBlock)
    this.#blocks[number] ??= {
      ...this.#memory.allocate(this.#stride),
      scales: new Float32Array(chunksOfBlock),
      errors: new Float32Array(chunksOfBlock),
      documents: [],
      chunks: new Int32Array(chunksOfBlock),
    }
    return this.#blocks[number]
  }

  #countOf(block: number): number {
    return Math.min(chunksOfBlock, this.count - block * chunksOfBlock)
  }

  /** A memory that grows has a new buffer: a view is made when it is needed. */
  #codesAt({ region, from }: Block, slot: number): Int8Array {
    return new Int8Array(region.memory.buffer, from + slot * this.#stride, this.#stride)
  }

  #takeOut(place: number): void {
    const last = --this.count
    const source = this.#blockOf(last)
    const target = this.#blockOf(place)
    const [from, to] = [last % chunksOfBlock, place % chunksOfBlock]
    this.#codesAt(target, to).set(this.#codesAt(source, from))
    target.scales[to] = source.scales[from] as number
    target.errors[to] = source.errors[from] as number
    target.documents[to] = source.documents[from] as HeldDocument
    target.chunks[to] = source.chunks[from] as number
    source.documents.length = from
  }

  #freeFrom(number: number): void {
    for (const block of this.#blocks.splice(number)) this.#memory.free(block, this.#stride)
  }
}

/** @param buffer vectors of float32, one after the other */
export function roundedVectors(buffer: SharedArrayBuffer, length: number): readonly RoundedVector[] {
  const stored = new Float32Array(buffer)
  return Array.from({ length: Math.floor(stored.length / length) }, (_, at) =>
    roundToBytes(unitLength(stored.subarray(at * length, (at + 1) * length))),
  )
}
