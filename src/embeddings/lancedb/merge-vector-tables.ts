import { LOCKS } from '../../database/advisory-locks.ts'
import { onCancellableConnection } from '../../database/on-own-connection.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { StoredVectors } from '../in-memory/collection-vectors.ts'
import type { WholeDocument } from '../store/read-vectors.ts'
import { storedVectors } from '../store/stored-vectors.ts'
import {
  type LanceModel,
  type ListedTable,
  listTable,
  lockList,
  readListedNames,
  readListedState,
  unlistTables,
} from './listed-tables.ts'

/** From this number of chunks on, an open collection has a table of its own, with an approximate index. */
export const defaultMinOwnChunks = 20_000
/** As many shared tables stay: each is one more comparison. */
const maxSharedTables = 8
/** A table is written again if so much of it is removed or, of a collection with its own table, if as much is in others. */
const changedShare = 0.25
const documentsOfPage = 500
/** Searches that began before a removal have ended by then. */
const removedStaysMs = 10 * 60_000
/** Longer than any search, and longer than a table takes to be written. */
const unlistedStaysMs = 6 * 60 * 60_000

/** What is written again as one table. */
interface Rewrite {
  readonly sources: readonly ListedTable[]
  readonly ownCollectionId: number | null
  readonly collectionIds: readonly number[]
  readonly numbers: number
  readonly afterPosition: number
  readonly lastPosition: number
}

interface CountedCollection {
  readonly collectionId: number
  readonly numbers: number
  /** Chunks that exist, of all and of those in its own table. */
  readonly chunks: number
  readonly inOwn: number
}

/** Maintenance of the tables, by one process at a time: tables that never change are replaced by larger ones, without what was removed. */
export class TableMerger {
  readonly #model: LanceModel
  readonly #clock: Clock
  readonly #minOwnChunks: number
  /** Tables that no list has, and since when. */
  #unlisted: ReadonlyMap<string, number> = new Map()

  constructor(model: LanceModel & { readonly clock: Clock }, minOwnChunks = defaultMinOwnChunks) {
    this.#model = model
    this.#clock = model.clock
    this.#minOwnChunks = minOwnChunks
  }

  async run(stopping: AbortSignal): Promise<void> {
    const { database } = this.#model
    await onCancellableConnection(database, stopping, async (run) => {
      const [lock] = await run(sql<{ is_mine: boolean }>`
        select pg_try_advisory_lock(${LOCKS.vectorGraphs}) as is_mine`)
      if (lock?.is_mine !== true) return
      while (!stopping.aborted) {
        const rewrite = await this.#next()
        if (rewrite === undefined || !(await this.#rewrite(rewrite, stopping))) break
      }
      if (!stopping.aborted) await this.#clear()
      await run(sql`select pg_advisory_unlock(${LOCKS.vectorGraphs})`)
    })
  }

  async #next(): Promise<Rewrite | undefined> {
    const { database, modelId } = this.#model
    const { tables, position } = await readListedState(database, modelId)
    const collections = await this.#count(tables, position)
    return this.#nextOwn(tables, collections, position) ?? (await this.#nextShared(tables))
  }

  #nextOwn(
    tables: readonly ListedTable[],
    collections: readonly CountedCollection[],
    position: number,
  ): Rewrite | undefined {
    for (const { collectionId, numbers, chunks, inOwn } of collections) {
      const own = tables.find((each) => each.ownCollectionId === collectionId && each.numbers === numbers)
      const isChanged =
        own === undefined
          ? chunks >= this.#minOwnChunks
          : chunks - inOwn > chunks * changedShare || inOwn < own.rowCount * (1 - changedShare)
      if (!isChanged) continue
      const sources = own === undefined ? [] : [own]
      const range = { afterPosition: 0, lastPosition: position }
      return { sources, ownCollectionId: collectionId, collectionIds: [collectionId], numbers, ...range }
    }
    const counted = new Set(collections.map(({ collectionId }) => collectionId))
    // Deleted, or bound now: then it must not be searched approximately, and gets an exact index.
    const gone = tables.find(({ ownCollectionId: id }) => id !== null && !counted.has(id))
    return gone && { ...gone, sources: [gone], ownCollectionId: null }
  }

  /** Neighbours in the order of sequence numbers, from the newest on, until the next older one is much larger. */
  async #nextShared(tables: readonly ListedTable[]): Promise<Rewrite | undefined> {
    const shared = tables.filter(({ ownCollectionId }) => ownCollectionId === null)
    for (const own of Map.groupBy(shared, ({ numbers }) => numbers).values()) {
      const ordered = own.toSorted((one, other) => other.lastPosition - one.lastPosition)
      const sources: ListedTable[] = []
      let rows = 0
      for (const table of ordered) {
        if (sources.length > 1 && table.rowCount > 2 * rows) break
        sources.push(table)
        rows += table.rowCount
      }
      if (ordered.length > maxSharedTables) return rewriteOf(sources)
      for (const table of ordered) {
        const left = await this.#countIn(table)
        if (left < table.rowCount * (1 - changedShare) && table.rowCount > 0) return rewriteOf([table])
      }
    }
    return undefined
  }

  /** @returns chunks of open collections with vectors of a length: others are never searched approximately */
  async #count(tables: readonly ListedTable[], position: number): Promise<readonly CountedCollection[]> {
    const { database, modelId } = this.#model
    const own = tables.filter(({ ownCollectionId }) => ownCollectionId !== null)
    const rows = await database.rows(sql<{ id: number; numbers: number; chunks: string; in_own: string }>`
      select d.collection_id as id, coalesce(nullif(m.vector_length, 0), c.vector_length) as numbers,
        sum(d.chunk_count) as chunks, coalesce(sum(d.chunk_count) filter (where e.position <= o.last_position), 0) as in_own
      from docket_documents.document_embedding e
      join docket_documents.embedding_model m on m.id = e.model_id
      join docket_documents.document d on d.id = e.document_id
      join docket_documents.collection c on c.id = d.collection_id
      left join unnest(${own.map((each) => each.ownCollectionId)}::integer[], ${own.map((each) => each.lastPosition)}::bigint[])
        as o (collection_id, last_position) on o.collection_id = d.collection_id
      where e.model_id = ${modelId} and e.position <= ${position} and ${this.#isSearched()}
        and c.acl_table is null
      group by 1, 2 having coalesce(nullif(m.vector_length, 0), c.vector_length) is not null order by chunks desc`)
    return rows.map(({ id, numbers, chunks, in_own }) => ({
      ...{ collectionId: id, numbers, chunks: Number(chunks), inOwn: Number(in_own) },
    }))
  }

  /** Whether a search may still need a row `d` of docket_documents.document of a collection `c`. */
  #isSearched(): Sql<boolean> {
    const since = utcTimestamp(new Date(this.#clock.nowMs() - removedStaysMs))
    return sql<boolean>`((d.removed_at is null or d.removed_at > ${since}) and (c.removed_at is null or c.removed_at > ${since}))`
  }

  async #countIn(table: ListedTable): Promise<number> {
    const { database, modelId } = this.#model
    const [row] = await database.rows(sql<{ chunks: string }>`
      select coalesce(sum(d.chunk_count), 0) as chunks from docket_documents.document_embedding e
      join docket_documents.document d on d.id = e.document_id
      join docket_documents.collection c on c.id = d.collection_id
      where e.model_id = ${modelId} and e.position > ${table.afterPosition} and e.position <= ${table.lastPosition}
        and ${this.#isSearched()} and d.collection_id = any (${table.collectionIds}::integer[])`)
    return Number(row?.chunks ?? 0)
  }

  /** @returns whether something was done; otherwise the list has changed meanwhile, or there are no vectors to write */
  async #rewrite(rewrite: Rewrite, stopping: AbortSignal): Promise<boolean> {
    const { database, modelId, tables } = this.#model
    const { sources, numbers, ownCollectionId, collectionIds, afterPosition, lastPosition } = rewrite
    const kind = ownCollectionId === null ? 'exact' : 'approximate'
    const written = await tables.write(this.#vectorsOf(rewrite, stopping), numbers, kind)
    const isListed =
      !stopping.aborted &&
      (await database.inTransaction(async (session) => {
        await lockList(session, modelId)
        const { tables: listed } = await readListedState(session, modelId)
        if (!sources.every(({ id }) => listed.some((each) => each.id === id))) return false
        await unlistTables(
          session,
          sources.map(({ id }) => id),
        )
        if (ownCollectionId !== null)
          await session.rows(sql`
            update docket_vectors.lance_table set collection_ids = array_remove(collection_ids, ${ownCollectionId})
            where model_id = ${modelId} and numbers = ${numbers} and last_position <= ${lastPosition}`)
        if (written !== undefined) {
          const range = { afterPosition, lastPosition }
          await listTable(session, modelId, { ...written, numbers, ownCollectionId, collectionIds, ...range })
        }
        return true
      }))
    if (!isListed && written !== undefined) await tables.drop(written.name)
    return isListed && (written !== undefined || sources.length > 0)
  }

  async *#vectorsOf(
    { collectionIds, afterPosition, lastPosition, numbers }: Rewrite,
    stopping: AbortSignal,
  ): AsyncGenerator<readonly StoredVectors[]> {
    const { database, modelId } = this.#model
    const { vectorLength } = await readListedState(database, modelId)
    for (let after = afterPosition; !stopping.aborted; ) {
      const rows = await database.rows(sql<{ id: string; doc_id: string; collection_id: number; position: string }>`
        select d.id, d.doc_id, d.collection_id, e.position from docket_documents.document_embedding e
        join docket_documents.document d on d.id = e.document_id
        join docket_documents.collection c on c.id = d.collection_id
        where e.model_id = ${modelId} and e.position > ${after} and e.position <= ${lastPosition}
          and d.collection_id = any (${collectionIds}::integer[])
          and ${this.#isSearched()}
        order by e.position limit ${documentsOfPage}`)
      const last = rows.at(-1)
      if (last === undefined) return
      after = Number(last.position)
      const documents: WholeDocument[] = rows.map(({ id, doc_id, collection_id, position }) => ({
        ...{ id: Number(id), docId: doc_id, collectionId: collection_id, position: Number(position) },
      }))
      for await (const vectors of storedVectors(database, modelId, documents, vectorLength ?? 0))
        yield vectors.filter((each) => vectorLength !== 0 || each.numbers.length === numbers)
    }
  }

  /** Drops tables that were replaced, and those of processes that died while they wrote. */
  async #clear(): Promise<void> {
    const { database, tables } = this.#model
    const now = this.#clock.nowMs()
    const names = await tables.names()
    const listed = await readListedNames(database)
    const unlisted = names.filter((name) => !listed.has(name))
    const since = new Map(unlisted.map((name) => [name, this.#unlisted.get(name) ?? now]))
    for (const [name, fromMs] of since)
      if (now - fromMs >= unlistedStaysMs) {
        await tables.drop(name)
        since.delete(name)
      }
    this.#unlisted = since
  }
}

function rewriteOf(sources: readonly ListedTable[]): Rewrite {
  return {
    sources,
    ownCollectionId: null,
    collectionIds: [...new Set(sources.flatMap(({ collectionIds }) => collectionIds))],
    numbers: sources[0]?.numbers ?? 0,
    afterPosition: Math.min(...sources.map(({ afterPosition }) => afterPosition)),
    lastPosition: Math.max(...sources.map(({ lastPosition }) => lastPosition)),
  }
}
