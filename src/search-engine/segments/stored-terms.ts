/** Packed terms of a document, as stored beside its chunks. */
export interface KeptTerms {
  readonly documentId: number
  readonly bytes: Uint8Array
}

/** Those of several documents, one after the other in shared memory: threads pass them on as one object. */
export interface StoredTerms {
  readonly documentIds: Float64Array
  /** For each document the end of its terms. */
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
}

export function* eachTerms({ documentIds, ends, bytes }: StoredTerms): Generator<KeptTerms> {
  let from = 0
  for (const [at, documentId] of documentIds.entries()) {
    const to = ends[at] ?? from
    yield { documentId, bytes: bytes.subarray(from, to) }
    from = to
  }
}
