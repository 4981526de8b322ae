/** The vectors of one document in a few bytes. Equal vectors have equal fingerprints, in any order of their chunks. */
export interface VectorsFingerprint {
  readonly documentId: number
  readonly chunks: number
  /** 32 bits. */
  readonly hash: number
}

/** Collects fingerprints chunk by chunk. */
export class Fingerprints {
  readonly #documents = new Map<number, { chunks: number; hash: number }>()

  /** @param codes the rounded vector as searched; its bytes are a multiple of four */
  add(collectionId: number, documentId: number, chunkIndex: number, codes: Int8Array, scale: number): void {
    const document = this.#documents.get(documentId) ?? { chunks: 0, hash: 0 }
    this.#documents.set(documentId, document)
    document.chunks++
    // Summed, not chained: a collection contains chunks in any order.
    document.hash = (document.hash + hashOf(collectionId, chunkIndex, codes, scale)) | 0
  }

  all(): readonly VectorsFingerprint[] {
    return [...this.#documents].map(([documentId, { chunks, hash }]) => ({ documentId, chunks, hash }))
  }
}

/** FNV-1a over words. */
function hashOf(collectionId: number, chunkIndex: number, codes: Int8Array, scale: number): number {
  let hash = mix(mix(mix(0x811c_9dc5, collectionId), chunkIndex), Math.fround(scale) * 2 ** 40)
  const words = new Int32Array(codes.buffer, codes.byteOffset, codes.length / 4)
  for (const word of words) hash = mix(hash, word)
  // Otherwise the last words would affect only the low bits.
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d)
}

const mix = (hash: number, word: number): number => Math.imul(hash ^ word, 0x0100_0193)
