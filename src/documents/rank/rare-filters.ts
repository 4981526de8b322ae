import { LRUCache } from 'lru-cache'

const maxFilters = 1_000
/** PostgreSQL lists this many documents faster than the best candidates are ranked and checked. */
const maxDocuments = 2_000
/** A share is that of one search: with three times as many candidates as it predicts, a second attempt is seldom needed. */
const reserve = 3

/** How many documents passed a filter when it was searched last: how the search begins. It never changes a result. */
export interface FilterRarity {
  /** Few documents pass: these are listed first. */
  readonly isRare: boolean
  /** Candidates among which k are expected to pass; null: nothing is known. */
  candidatesFor(k: number): number | null
  note(documents: number): void
  recordShare(passed: number, candidates: number): void
}

interface Known {
  readonly isRare?: boolean
  /** Of the best candidates, those that passed. */
  readonly share?: number
}

/** What is known of filters; of one process. */
export class RareFilters {
  readonly #known = new LRUCache<string, Known>({ max: maxFilters })

  /** @param filter as the caller wrote it */
  of(filter: string, collectionIds: readonly number[]): FilterRarity {
    const key = `${collectionIds.join(',')} ${filter}`
    const filters = this.#known
    const { isRare = false, share = 0 } = filters.get(key) ?? {}
    const learn = (more: Known): void => void filters.set(key, { ...filters.get(key), ...more })
    return {
      isRare,
      candidatesFor: (k) => (share === 0 ? null : Math.ceil((reserve * k) / share)),
      note: (documents) => learn({ isRare: documents <= maxDocuments }),
      recordShare(passed, candidates) {
        if (candidates > 0) learn({ share: passed / candidates })
      },
    }
  }
}
