import type { Principal } from '../identity/principal.ts'
import type { DocumentDeps } from './document-deps.ts'
import { type ReadableCollections, readableAmong } from './rights/collection-access.ts'
import { isBound } from './rights/visible-documents.ts'
import type { KnownCollections } from './store/expected-collections.ts'
import type { IndexView } from './sync/lexical-index.ts'

/** A search of what was expected to be there. */
interface EarlySearch<T> {
  readonly expected: KnownCollections
  readonly found: Promise<T>
}

interface Requested {
  readonly principal: Principal
  /** null: all that the caller may read. */
  readonly names: readonly string[] | null
}

/**
 * Begins a search while the database says which collections there are, and in which state. Nothing of it may leave before its collections are
 * known to be the expected ones; otherwise it is discarded, and keeps its own snapshot until it ends. A caller who could not read a collection
 * begins nothing, so that neither results nor times depend on it. For bound collections the database has to say first what the caller sees.
 *
 * @returns null: nothing is expected
 */
export async function searchEarly<T>(
  { index, expectedCollections }: DocumentDeps,
  { principal, names }: Requested,
  search: (view: IndexView, readable: ReadableCollections) => Promise<T>,
): Promise<EarlySearch<T> | null> {
  const expected = expectedCollections.expected(names)
  // If it is not the state of the index, something has changed since.
  if (expected === null || index.position() !== expected.now.position) return null
  const readable = readableAmong(expected.now, principal, names)
  if (!readable.ok || readable.value.collections.some(isBound)) return null
  const found = index.withSnapshot((view) => search(view, readable.value))
  // An error matters only if it is the result.
  found.catch(() => undefined)
  // Threads begin before the statement is sent: writing a statement takes longer than waking them.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  return { expected, found }
}
