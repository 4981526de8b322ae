import { LRUCache } from 'lru-cache'

const maxFilters = 1_000
/** PostgreSQL lists this many documents faster than the best candidates are ranked and checked. */
const maxDocuments = 2_000

/** Whether few documents passed a filter when it was searched last: then these are listed first. It never changes a result. */
export interface FilterRarity {
  readonly isRare: boolean
  note(documents: number): void
}

/** Filters that few documents passed; of one process. */
export class RareFilters {
  readonly #rare = new LRUCache<string, true>({ max: maxFilters })

  /** @param filter as the caller wrote it */
  of(filter: string, collectionIds: readonly number[]): FilterRarity {
    const key = `${collectionIds.join(',')} ${filter}`
    const rare = this.#rare
    return {
      isRare: rare.has(key),
      note(documents) {
        if (documents <= maxDocuments) rare.set(key, true)
        else rare.delete(key)
      },
    }
  }
}
