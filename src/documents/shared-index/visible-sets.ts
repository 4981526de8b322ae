import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { sharedIds } from '../../kernel/ascending-ids.ts'
import type { VisibleIds } from '../../search-engine/segments/index-change.ts'

/** The documents that a caller sees, by a name that follows from their ids: they are sent when the search process does not know the name. */
export interface NamedIds {
  /** Collections with hidden documents, or possibly with some. */
  readonly collectionIds: readonly number[]
  readonly name: string
  /** Ascending; null: sent before. */
  readonly documentIds: Float64Array | null
}

const names = new WeakMap<Float64Array, string>()

/** @returns equal names for equal ids, in all workers */
export function nameOf({ documentIds }: VisibleIds): string {
  const known = names.get(documentIds)
  if (known !== undefined) return known
  const { buffer, byteOffset, byteLength } = documentIds
  const name = hash('sha256', Buffer.from(buffer, byteOffset, byteLength), 'base64')
  names.set(documentIds, name)
  return name
}

/** Ids of documents of all sets: eight bytes each, 64 MB. */
const maxIds = 8_000_000
const maxSets = 1_000

/** What callers of all workers see, once for each different set, in memory that search threads read without copying. */
export class VisibleSets {
  readonly #sets: LRUCache<string, KnownIds>
  #lastKey = 0

  constructor(maxSize = maxIds) {
    this.#sets = new LRUCache({ max: maxSets, maxSize, sizeCalculation: ({ ids }) => ids.length + 1 })
  }

  /** @returns undefined: they are not known, and have to be sent */
  idsOf({ collectionIds, name, documentIds }: NamedIds): VisibleIds | undefined {
    const known = this.#sets.get(name) ?? this.#keep(name, documentIds)
    return known === undefined ? undefined : { collectionIds, documentIds: known.ids, key: known.key }
  }

  #keep(name: string, documentIds: Float64Array | null): KnownIds | undefined {
    if (documentIds === null) return undefined
    const known = { ids: sharedIds(documentIds), key: ++this.#lastKey }
    this.#sets.set(name, known)
    return known
  }
}

interface KnownIds {
  readonly ids: Float64Array
  readonly key: number
}
