import { LRUCache } from 'lru-cache'
import type { Session } from '../../database/database.ts'
import { readIds } from '../../database/read-ids.ts'
import { changedIds, sharedIds } from '../../kernel/ascending-ids.ts'
import { compileSql, type Sql, sql } from '../../kernel/sql.ts'

/** A filter in one state of the documents. */
interface Filtered {
  readonly collectionIds: readonly number[]
  /** On a row `d` of docket_documents.document, only on columns that never change. */
  readonly filter: Sql<boolean>
  /** Sequence number of the change log: the state to search. */
  readonly position: number
}

interface PassingIds {
  /** Ascending. */
  readonly ids: Float64Array
  /** false: more documents pass. */
  readonly isAll: boolean
}

/** The documents of one search that pass its filter, whatever the caller may see. */
export interface FilterSet {
  /** undefined: they are not known, and it is not worthwhile to read them only to know them. */
  known(): Promise<Float64Array | undefined>
  /** Reads them unless they are known, at most so many. */
  read(max: number): Promise<PassingIds>
  /** @returns how many candidates searches with the same filter checked, with these, because they did not know its documents */
  countChecked(candidates: number): number
}

const maxFilters = 1_000
/** Limit over all filters: eight bytes each, 32 MB. */
const maxIds = 4_000_000
/** A filter that comes again will come more often. One with a time of now does not. */
const searchesBefore = 2
/** PostgreSQL checks a filter on so many documents in some 20 ms. */
const maxDocumentsChecked = 20_000
/** After more changes all documents are read again. A new history of the database skips more numbers (decision 0026). */
const maxChanges = 10_000

/**
 * The documents that pass a filter, kept for the next searches with the same one. Metadata of a document never changes, so the sequence
 * number of the change log and the condition with its values determine them. At a later number only what was added and removed since
 * is read.
 */
export class FilterSets {
  readonly #session: Pick<Session, 'rows'>
  readonly #kept = new LRUCache<string, KeptSet>({
    max: maxFilters,
    maxSize: maxIds,
    sizeCalculation: ({ ids }) => ids.length + 1,
  })
  /** Searches of filters that are not kept; Infinity: too many documents would have to be checked. */
  readonly #searches = new LRUCache<string, number>({ max: maxFilters })
  /** What is being read, for searches at the same time and for both rankings of one search. */
  readonly #reading = new Map<string, Reading>()
  /** Candidates that were checked because the documents that pass were not known. */
  readonly #checked = new LRUCache<string, number>({ max: maxFilters })

  constructor(session: Pick<Session, 'rows'>) {
    this.#session = session
  }

  /** @param isNewest false: the filter also excludes what was removed since, so its documents are not kept */
  of(filtered: Filtered, isNewest: boolean): FilterSet {
    const { sql: text, parameters } = compileSql(filtered.filter)
    const key = `${filtered.collectionIds.join(',')} ${text} ${JSON.stringify(parameters)}`
    const countChecked = (candidates: number): number => this.#countChecked(key, candidates)
    if (!isNewest)
      return { known: async () => undefined, read: (max) => passingIds(this.#session, filtered, max), countChecked }
    return { known: () => this.#known(key, filtered), read: (max) => this.#read(key, filtered, max), countChecked }
  }

  #countChecked(key: string, candidates: number): number {
    const checked = (this.#checked.get(key) ?? 0) + candidates
    this.#checked.set(key, checked)
    return checked
  }

  async #known(key: string, filtered: Filtered): Promise<Float64Array | undefined> {
    const kept = this.#keptFor(key, filtered)
    if (kept !== undefined && kept.position > filtered.position) return undefined
    if (kept === undefined && !(await this.#isWorthwhile(key, filtered))) return undefined
    const { ids, isAll } = await this.#read(key, filtered, maxDocumentsChecked)
    return isAll ? ids : undefined
  }

  /** After very many changes a set is not kept any more: what is worthwhile is counted anew. */
  #keptFor(key: string, { position }: Filtered): KeptSet | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined || position - kept.position <= maxChanges) return kept
    for (const known of [this.#kept, this.#searches, this.#checked]) known.delete(key)
    return undefined
  }

  async #isWorthwhile(key: string, { collectionIds }: Filtered): Promise<boolean> {
    const searches = this.#searches.get(key) ?? 0
    this.#searches.set(key, searches + 1)
    if (searches !== searchesBefore) return false
    const isSmall = (await countDocuments(this.#session, collectionIds)) <= maxDocumentsChecked
    if (!isSmall) this.#searches.set(key, Number.POSITIVE_INFINITY)
    return isSmall
  }

  async #read(key: string, filtered: Filtered, max: number): Promise<PassingIds> {
    const kept = this.#keptFor(key, filtered)
    if (kept?.position === filtered.position) return { ids: kept.ids, isAll: true }
    const reading = `${filtered.position} ${key}`
    const begun = this.#reading.get(reading)
    if (begun !== undefined) {
      const others = await begun.passing
      if (others.isAll || begun.max >= max) return others
    }
    const passing = this.#readNow(filtered, kept, max).then((read) => {
      if (read.isAll) this.#keep(key, { position: filtered.position, ids: read.ids })
      return read
    })
    const now = { max, passing }
    this.#reading.set(reading, now)
    try {
      return await passing
    } finally {
      if (this.#reading.get(reading) === now) this.#reading.delete(reading)
    }
  }

  async #readNow(filtered: Filtered, kept: KeptSet | undefined, max: number): Promise<PassingIds> {
    if (kept !== undefined && filtered.position > kept.position)
      return { ids: await idsAfter(this.#session, filtered, kept), isAll: true }
    const { ids, isAll } = await passingIds(this.#session, filtered, max)
    return { ids: isAll ? sharedIds(ids) : ids, isAll }
  }

  #keep(key: string, read: KeptSet): void {
    if (read.position >= (this.#kept.get(key)?.position ?? 0)) this.#kept.set(key, read)
  }
}

interface Reading {
  /** It reads at most so many. */
  readonly max: number
  readonly passing: Promise<PassingIds>
}

interface KeptSet {
  readonly position: number
  readonly ids: Float64Array
}

async function countDocuments(session: Pick<Session, 'rows'>, collectionIds: readonly number[]): Promise<number> {
  const [row] = await session.rows(sql<{ count: string }>`
    select count(*) from (
      select from docket_documents.document d
      where d.collection_id = any (${collectionIds}::integer[]) and d.removed_position is null
      limit ${maxDocumentsChecked + 1}) as counted`)
  return Number(row?.count ?? 0)
}

/**
 * Documents that pass the filter and existed at the sequence number. Documents removed since are read separately: they
 * are few, and the filter indexes contain only current documents.
 *
 * @param max null: all
 */
export async function passingIds(
  session: Pick<Session, 'rows'>,
  { collectionIds, filter, position }: Filtered,
  max: number | null,
): Promise<PassingIds> {
  const passing = sql<boolean>`
    (d.collection_id = any (${collectionIds}::integer[]) and d.added_position <= ${position} and ${filter})`
  const ids = await readIds(
    session,
    sql`
      (select d.id from docket_documents.document d where d.removed_position is null and ${passing})
      union all
      (select d.id from docket_documents.document d where d.removed_position > ${position} and ${passing})
      limit ${max === null ? null : max + 1}`,
  )
  return { ids, isAll: max === null || ids.length <= max }
}

/** A removed document that the database has cleared away stays in the set; no search finds it. */
async function idsAfter(
  session: Pick<Session, 'rows'>,
  { collectionIds, filter, position }: Filtered,
  kept: KeptSet,
): Promise<Float64Array> {
  const between = (column: Sql): Sql => sql`${column} > ${kept.position} and ${column} <= ${position}`
  const rows = await session.rows(sql<{ id: string; is_added: boolean }>`
    select d.id, true as is_added from docket_documents.document d
    where ${between(sql`d.added_position`)} and (d.removed_position is null or d.removed_position > ${position})
      and d.collection_id = any (${collectionIds}::integer[]) and ${filter}
    union all
    select d.id, false from docket_documents.document d
    where ${between(sql`d.removed_position`)} and d.collection_id = any (${collectionIds}::integer[])`)
  if (rows.length === 0) return kept.ids
  const idsOf = (isAdded: boolean): ReadonlySet<number> =>
    new Set(rows.filter(({ is_added }) => is_added === isAdded).map(({ id }) => Number(id)))
  return changedIds(kept.ids, idsOf(false), idsOf(true))
}
