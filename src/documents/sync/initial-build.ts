import type { Clock } from '../../kernel/clock.ts'
import { type BuildProgress, progressOf } from '../../kernel/index-building.ts'
import type { UnbuiltPart } from '../../search-engine/segments/save-segments.ts'

/**
 * A collection that the index does not hold whole yet. `upTo`: documents that were added at a later sequence number reach the
 * index by the change log. `afterId`: documents up to this id are in the index already. `done`: how many; `of`: how many there
 * were when the build began.
 */
export type UnbuiltCollection = UnbuiltPart

/** Documents of a collection that are read at once. */
export const documentsOfPage = 2_000

/** @param documents what was read. @returns null: there are no more */
export function afterPage(
  unbuilt: UnbuiltCollection,
  documents: readonly { readonly id: number }[],
): UnbuiltCollection | null {
  const last = documents.at(-1)
  if (last === undefined || documents.length < documentsOfPage) return null
  return { ...unbuilt, afterId: last.id, done: unbuilt.done + documents.length }
}

/**
 * What is left of building the index from the database: collection by collection, the smallest first, so that most of them
 * can be searched early. Each entry is replaced as a whole: work that was begun for another entry is recognized by identity.
 */
export class InitialBuild {
  readonly #clock: Clock
  #left: ReadonlyMap<number, UnbuiltCollection> | null = null
  #beganMs: number
  /** Documents of the collections that were to be built when this process began, and those that were in the index then. */
  #documents = 0
  #found = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#beganMs = clock.nowMs()
  }

  /** Whether it is known which collections there are to build. */
  get isBegun(): boolean {
    return this.#left !== null
  }

  get left(): readonly UnbuiltCollection[] {
    return [...(this.#left?.values() ?? [])]
  }

  begin(unbuilt: readonly UnbuiltCollection[]): void {
    this.#left = new Map(
      [...unbuilt]
        .filter(({ done, of }) => done < of)
        .sort((one, other) => one.of - other.of || one.collectionId - other.collectionId)
        .map((each) => [each.collectionId, each]),
    )
    this.#beganMs = this.#clock.nowMs()
    this.#documents = this.left.reduce((sum, { of }) => sum + of, 0)
    this.#found = this.left.reduce((sum, { done }) => sum + done, 0)
  }

  /** Nothing is indexed any more. */
  forget(): void {
    this.#left = null
  }

  next(): UnbuiltCollection | undefined {
    return this.#left?.values().next().value
  }

  /** Whether nothing has replaced this entry. */
  isUnderWay(unbuilt: UnbuiltCollection): boolean {
    return this.#left?.get(unbuilt.collectionId) === unbuilt
  }

  /** @param after the same collection after some work; null: it is complete, or gone */
  replace(collectionId: number, after: UnbuiltCollection | null): void {
    if (this.#left === null || !this.#left.has(collectionId)) return
    const left = new Map(this.#left)
    if (after === null) left.delete(collectionId)
    else left.set(collectionId, after)
    this.#left = left
  }

  areReady(collectionIds: readonly number[]): boolean {
    const left = this.#left
    return left !== null && !collectionIds.some((id) => left.has(id))
  }

  /** Of everything together: a part of it would show what a collection holds to those who do not see all of it. */
  progress(): BuildProgress {
    const toDo = this.left.reduce((sum, { done, of }) => sum + of - done, 0)
    const tookMs = this.#clock.nowMs() - this.#beganMs
    return progressOf({ of: this.#documents, done: this.#documents - toDo, found: this.#found, tookMs })
  }
}
