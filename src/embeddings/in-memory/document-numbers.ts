import { firstIndexFrom } from '../../kernel/ascending-ids.ts'

const firstCapacity = 64
const growth = 1.5

/** The documents of a collection by small numbers, which take four bytes for each vector and are an index of flags. */
export class DocumentNumbers {
  readonly #numbers = new Map<number, number>()
  /** By number; -1: forgotten. */
  #documentIds = new Float64Array(firstCapacity)
  /** Numbers that were used. */
  #count = 0
  readonly #docIds: string[] = []
  /** Numbers of documents that were forgotten. */
  readonly #free: number[] = []

  /** Adds it, if it is new. */
  numberOf(documentId: number, docId: string): number {
    const known = this.#numbers.get(documentId)
    if (known !== undefined) return known
    const number = this.#free.pop() ?? this.#count++
    this.#reserve(this.#count)
    this.#numbers.set(documentId, number)
    this.#documentIds[number] = documentId
    this.#docIds[number] = docId
    return number
  }

  #reserve(count: number): void {
    if (count <= this.#documentIds.length) return
    const larger = new Float64Array(Math.ceil(count * growth))
    larger.set(this.#documentIds)
    this.#documentIds = larger
  }

  documentIdOf(number: number): number {
    return this.#documentIds[number] as number
  }

  docIdOf(number: number): string {
    return this.#docIds[number] as string
  }

  /** Of all documents, in no order. */
  ids(): Iterable<number> {
    return this.#numbers.keys()
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
    const flags = new Uint8Array(this.#count)
    if (ids.length * 16 < this.#numbers.size) this.#flagEach(ids, flags)
    else if (ids.length > 0) this.#flagAll(ids, flags)
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
    const documentIds = this.#documentIds
    let at = 0
    let [previous, next] = [Number.NEGATIVE_INFINITY, ids[0] as number]
    for (let number = 0; number < flags.length; number++) {
      const id = documentIds[number] as number
      if (id < next && id > previous) continue
      if (id !== next) at = firstIndexFrom(ids, id)
      if (ids[at] === id) {
        flags[number] = 1
        at++
      }
      previous = at === 0 ? Number.NEGATIVE_INFINITY : (ids[at - 1] as number)
      next = at === ids.length ? Number.POSITIVE_INFINITY : (ids[at] as number)
    }
  }
}
