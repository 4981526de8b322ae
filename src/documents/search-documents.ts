import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import type { DocumentRoom } from './document-room.ts'
import { queryTerms } from './index/query-terms.ts'
import { readableCollections } from './rights/collection-access.ts'
import { type FoundChunk, readChunks } from './store/read-chunks.ts'

export interface Search {
  readonly query: string
  readonly k: number
  /** null: all that the caller may read. */
  readonly collectionNames: readonly string[] | null
}

/** The best chunks for a query among the documents that the caller may read, best first. */
export async function searchDocuments(
  room: DocumentRoom,
  principal: Principal,
  search: Search,
): Promise<Result<readonly FoundChunk[], Problem>> {
  using reading = room.index.begin()
  const readable = await readableCollections(room.database, principal, search.collectionNames)
  if (!readable.ok) return readable
  const { position, collections } = readable.value
  const { ranked } = await reading.search(position, {
    collectionIds: collections.map(({ id }) => id),
    terms: queryTerms(search.query, [...new Set(collections.flatMap(({ languages }) => languages))]),
    options: { k: search.k },
  })
  return succeed(await readChunks(room.database, ranked))
}
