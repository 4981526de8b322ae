import type { Clock } from '../../kernel/clock.ts'
import { type BuildProgress, progressOf } from '../../kernel/index-building.ts'
import type { UnbuiltPart } from '../../search-engine/segments/save-segments.ts'

/**
 * A collection that is not fully in the index yet. `upTo`: documents added at a later sequence number reach the index
 * through the change log. `afterId`: documents up to this id are already in the index. `done`: how many; `of`: how many
 * there were when the build began.
 */
export type UnbuiltCollection = UnbuiltPart

/** Documents of a collection that are read at once. */
export const documentsOfPage = 2_000

/**
 * The remaining work to build the index from the database: collection by collection, the smallest first, so that most
 * of them can be searched early. Each entry is replaced as a whole: work on a replaced entry is recognized by identity.
 */
export class InitialBuild {
  readonly #clock: Clock
  #left: ReadonlyMap<number, UnbuiltCollection> | null = null
  /** Sequence number at which the last documents of a collection were read: documents removed before are missing. */
  readonly #builtAt = new Map<number, number>()
  #beganMs: number
  /** Documents of the collections to build when this process began, and those that were in the index then. */
  #documents = 0
  #found = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#beganMs = clock.nowMs()
  }

  /** Whether the collections to build are known. */
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
    this.#builtAt.clear()
    this.#beganMs = this.#clock.nowMs()
    this.#documents = this.left.reduce((sum, { of }) => sum + of, 0)
    this.#found = this.left.reduce((sum, { done }) => sum + done, 0)
  }

  /** Resets to an empty index. */
  forget(): void {
    this.#left = null
  }

  next(): UnbuiltCollection | undefined {
    return this.#left?.values().next().value
  }

  /** Whether this entry was not replaced. */
  isUnderWay(unbuilt: UnbuiltCollection): boolean {
    return this.#left?.get(unbuilt.collectionId) === unbuilt
  }

  /** @param after the same collection after some work; null: it was removed */
  replace(collectionId: number, after: UnbuiltCollection | null): void {
    if (this.#left === null || !this.#left.has(collectionId)) return
    const left = new Map(this.#left)
    if (after === null) left.delete(collectionId)
    else left.set(collectionId, after)
    this.#left = left
  }

  /** The index has nothing of this collection any more. */
  restart(unbuilt: UnbuiltCollection): void {
    if (this.#left === null) return
    if (this.#left.size === 0) {
      this.#beganMs = this.#clock.nowMs()
      this.#documents = 0
      this.#found = 0
    }
    if (!this.#left.has(unbuilt.collectionId)) this.#documents += unbuilt.of
    this.#left = new Map(this.#left).set(unbuilt.collectionId, unbuilt)
  }

  /**
   * Records that the documents of this page are in the index. After the last page the collection can be searched as of
   * `at` and later.
   *
   * @param at sequence number of the change log at which the page was read
   */
  advance(unbuilt: UnbuiltCollection, page: readonly { readonly id: number }[], at: number): void {
    const { collectionId, done } = unbuilt
    const last = page.at(-1)
    if (last !== undefined && page.length === documentsOfPage) {
      this.replace(collectionId, { ...unbuilt, afterId: last.id, done: done + page.length })
    } else {
      this.#builtAt.set(collectionId, at)
      this.replace(collectionId, null)
    }
  }

  /** @param sequence of the state to search; absent: the newest */
  areReady(collectionIds: readonly number[], sequence = Number.POSITIVE_INFINITY): boolean {
    const left = this.#left
    return left !== null && !collectionIds.some((id) => left.has(id) || (this.#builtAt.get(id) ?? 0) > sequence)
  }

  /** Over all collections: progress of a part would reveal what a collection contains to callers who may not see all of it. */
  progress(): BuildProgress {
    const toDo = this.left.reduce((sum, { done, of }) => sum + of - done, 0)
    const tookMs = this.#clock.nowMs() - this.#beganMs
    return progressOf({ of: this.#documents, done: this.#documents - toDo, found: this.#found, tookMs })
  }
}
