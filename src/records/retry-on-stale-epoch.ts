import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogSource } from '../catalog/catalog-source.ts'
import type { Problem } from '../kernel/problem.ts'

/** The end of one attempt: a result, or newer rights, because its own are no longer current. */
export type Turn<S, T> = { readonly kind: 'done'; readonly result: T } | { readonly kind: 'outdated'; readonly now: S }

/**
 * Runs work with rights (a caller, or a snapshot of the dictionary and the rules), and runs it again with newer rights while it
 * reports that its own are outdated. This is the only loop of this kind.
 *
 * @param maxTurns limit of attempts
 * @returns null after so many outdated attempts
 */
export async function retryOnStaleEpoch<S, T>(
  start: S | Promise<S>,
  maxTurns: number,
  work: (rights: S) => Promise<Turn<S, T>>,
): Promise<T | null> {
  let rights = start instanceof Promise ? await start : start
  for (let turn = 1; turn <= maxTurns; turn += 1) {
    const ended = await work(rights)
    if (ended.kind === 'done') return ended.result
    rights = ended.now
  }
  return null
}

export const done = <T>(result: T): Turn<never, T> => ({ kind: 'done', result })
export const outdated = <S>(now: S): Turn<S, never> => ({ kind: 'outdated', now })

interface Sources {
  readonly catalog: Pick<CatalogSource, 'current' | 'refresh'>
}

interface CatalogTurns {
  readonly maxTurns?: number
  /** The first snapshot; absent: the current one of this process. */
  readonly start?: Catalog
}

/**
 * Attempts. Each costs a reload of the snapshot, which all waiting requests share. A client that writes many records of the
 * dictionary one after another leaves little time in between; this many conflicts in a row mean that it is being migrated.
 */
const MAX_TURNS = 20

/**
 * Runs work on a snapshot of the dictionary.
 *
 * @param work returns null if the snapshot is outdated, and has changed nothing then
 * @returns null after `maxTurns` outdated snapshots
 */
export function onCurrentCatalog<T>(
  { catalog }: Sources,
  work: (snapshot: Catalog) => Promise<T | null>,
  { maxTurns = MAX_TURNS, start }: CatalogTurns = {},
): Promise<T | null> {
  return retryOnStaleEpoch(start ?? catalog.current(), maxTurns, async (snapshot): Promise<Turn<Catalog, T>> => {
    const result = await work(snapshot)
    return result === null ? outdated(await catalog.refresh()) : done(result)
  })
}

export const DICTIONARY_KEEPS_CHANGING: Problem = {
  kind: 'unavailable',
  detail: 'the dictionary keeps changing; send the request again',
  retryAfterSeconds: 1,
}
