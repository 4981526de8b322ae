import { LRUCache } from 'lru-cache'
import type { CollectionsNow } from './collections.ts'

const maxLists = 200
/** Limit over all lists, in UTF-16 units of their JSON. */
const maxUnits = 4_000_000

/** Collections as a search read them. */
export interface KnownCollections {
  readonly now: CollectionsNow
  /** Equal: a search finds the same. Writes of records change the snapshot, but not this. */
  readonly text: string
}

interface LastKnown extends KnownCollections {
  /** Whether the search before read the same. */
  readonly isQuiet: boolean
}

/**
 * The collections as a search will probably read them: mostly nothing has changed since the one before. After a change nothing is expected
 * until two searches have read the same, so that hardly any search begins twice while documents are loaded.
 */
export class ExpectedCollections {
  readonly #last = new LRUCache<string, LastKnown>({
    max: maxLists,
    maxSize: maxUnits,
    sizeCalculation: ({ text }, key) => text.length + key.length,
  })

  /** @param names null: all */
  expected(names: readonly string[] | null): KnownCollections | null {
    const last = this.#last.get(JSON.stringify(names))
    return last?.isQuiet === true ? last : null
  }

  learn(names: readonly string[] | null, now: CollectionsNow): KnownCollections {
    const key = JSON.stringify(names)
    const text = JSON.stringify([now.position, now.collections])
    const last = { now, text, isQuiet: this.#last.get(key)?.text === text }
    this.#last.set(key, last)
    return last
  }
}
