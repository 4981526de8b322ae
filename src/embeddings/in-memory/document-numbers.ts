/** The documents of a collection by small numbers, which take four bytes for each vector and are an index of flags. */
export class DocumentNumbers {
  readonly #numbers = new Map<number, number>()
  readonly #documentIds: number[] = []
  readonly #docIds: string[] = []
  /** Numbers of documents that were forgotten. */
  readonly #free: number[] = []

  /** Adds it, if it is new. */
  numberOf(documentId: number, docId: string): number {
    const known = this.#numbers.get(documentId)
    if (known !== undefined) return known
    const number = this.#free.pop() ?? this.#documentIds.length
    this.#numbers.set(documentId, number)
    this.#documentIds[number] = documentId
    this.#docIds[number] = docId
    return number
  }

  documentIdOf(number: number): number {
    return this.#documentIds[number] as number
  }

  docIdOf(number: number): string {
    return this.#docIds[number] as string
  }

  knownOf(documentIds: Iterable<number>): readonly number[] {
    return [...documentIds].flatMap((documentId) => this.#numbers.get(documentId) ?? [])
  }

  /**
   * The numbers are used for others from now on.
   *
   * @returns the former numbers of those that were known
   */
  forget(documentIds: Iterable<number>): ReadonlySet<number> {
    const forgotten = new Set<number>()
    for (const documentId of documentIds) {
      const number = this.#numbers.get(documentId)
      if (number === undefined) continue
      this.#numbers.delete(documentId)
      this.#documentIds[number] = -1
      this.#docIds[number] = ''
      this.#free.push(number)
      forgotten.add(number)
    }
    return forgotten
  }

  /**
   * @param ids ascending
   * @returns by number: 1 for each of these documents
   */
  flags(ids: Float64Array): Uint8Array {
    const flags = new Uint8Array(this.#documentIds.length)
    if (ids.length * 16 < this.#numbers.size) this.#flagEach(ids, flags)
    else this.#flagAll(ids, flags)
    return flags
  }

  #flagEach(ids: Float64Array, flags: Uint8Array): void {
    for (const id of ids) {
      const number = this.#numbers.get(id)
      if (number !== undefined) flags[number] = 1
    }
  }

  /** Most documents are in the order of their ids: the next id is found without a search. */
  #flagAll(ids: Float64Array, flags: Uint8Array): void {
    let at = 0
    for (const [number, id] of this.#documentIds.entries()) {
      const isNext = id <= (ids[at] ?? Number.POSITIVE_INFINITY) && id > (ids[at - 1] ?? Number.NEGATIVE_INFINITY)
      if (!isNext) at = firstFrom(ids, id)
      if (ids[at] !== id) continue
      flags[number] = 1
      at++
    }
  }
}

/** @returns the index of the first of the ascending ids that is at least this one */
function firstFrom(ascending: Float64Array, id: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) < id) low = middle + 1
    else high = middle
  }
  return low
}
