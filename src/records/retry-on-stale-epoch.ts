import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogSource } from '../catalog/catalog-source.ts'
import type { Problem } from '../kernel/problem.ts'

/** The end of one attempt: a result, or newer rights, because its own are no longer current. */
export type Turn<S, T> = { readonly kind: 'done'; readonly result: T } | { readonly kind: 'outdated'; readonly now: S }

interface Turns<O, S, T> {
  /** Limit of attempts. */
  readonly max: number
  /** Reads from an outcome whether the rights were outdated. Not part of the work: a promise around each request would cost more than this. */
  readonly turnOf: (outcome: O) => Turn<S, T> | Promise<Turn<S, T>>
}

/**
 * Runs work with rights (a caller, or a snapshot of the dictionary and the rules), and runs it again with newer rights while its outcome
 * says that its own were outdated. This is the only loop of this kind.
 *
 * @returns null after so many outdated attempts
 */
export async function retryOnStaleEpoch<O, S, T>(
  start: S | Promise<S>,
  { max, turnOf }: Turns<O, S, T>,
  work: (rights: S) => Promise<O>,
): Promise<T | null> {
  let rights = start instanceof Promise ? await start : start
  for (let turn = 1; turn <= max; turn += 1) {
    const ending = turnOf(await work(rights))
    const ended = ending instanceof Promise ? await ending : ending
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
  const turnOf = (result: T | null): Turn<Catalog, T> | Promise<Turn<Catalog, T>> =>
    result === null ? catalog.refresh().then(outdated) : done(result)
  return retryOnStaleEpoch(start ?? catalog.current(), { max: maxTurns, turnOf }, work)
}

export const DICTIONARY_KEEPS_CHANGING: Problem = {
  kind: 'unavailable',
  detail: 'the dictionary keeps changing; send the request again',
  retryAfterSeconds: 1,
}
