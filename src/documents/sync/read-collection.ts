import type { Database, Session } from '../../database/database.ts'
import { concatNumbers } from '../../kernel/ascending-ids.ts'
import { sql } from '../../kernel/sql.ts'
import { documentsOfPage, type UnbuiltCollection } from './initial-build.ts'
import { newestHistoryId } from './read-document-changes.ts'

/** Documents of one collection as numbers, because there may be millions. */
export interface CollectionDocuments {
  /** Ascending. */
  readonly ids: Float64Array
  /** The number of chunks that each should have. */
  readonly chunkCounts: Float64Array
}

/** Documents that one result string of the driver holds easily, however large their numbers are. */
const idsOfPage = 4_000

/**
 * The current documents, without those of a removed collection. Each page is a separate string: one string of all
 * documents could exceed the maximum length.
 *
 * @param at as they were at this sequence number of the change log, not longer ago than searches take; null: now. A
 * document that is added or removed meanwhile may be included or not.
 */
export async function readCollectionDocuments(
  session: Session,
  collectionId: number,
  at: number | null,
): Promise<CollectionDocuments> {
  const ids: Float64Array[] = []
  const chunkCounts: Float64Array[] = []
  for await (const page of documentPages(session, collectionId, at)) {
    ids.push(page.ids)
    chunkCounts.push(page.chunkCounts)
  }
  return { ids: concatNumbers(ids), chunkCounts: concatNumbers(chunkCounts) }
}

export interface DocumentPage extends CollectionDocuments {
  /** Sequence numbers of the change log at which they were added. */
  readonly addedAt: Float64Array
}

/** The same, in pages. */
export async function* documentPages(
  session: Session,
  collectionId: number,
  at: number | null,
): AsyncGenerator<DocumentPage> {
  for (let afterId = 0; ; ) {
    const [row] = await session.rows(sql<{ ids: string | null; added_at: string | null; chunk_counts: string | null }>`
      select string_agg(page.id::text, ',' order by page.id) as ids,
             string_agg(page.added_position::text, ',' order by page.id) as added_at,
             string_agg(page.chunk_count::text, ',' order by page.id) as chunk_counts
      from (
        select d.id, d.added_position, d.chunk_count
        from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
        where d.collection_id = ${collectionId} and d.id > ${afterId} and c.removed_position is null
          and (${at}::bigint is null or d.added_position <= ${at}::bigint)
          and (d.removed_position is null or d.removed_position > ${at}::bigint)
        order by d.id limit ${idsOfPage}
      ) as page`)
    const ids = numbersOf(row?.ids ?? null)
    const last = ids.at(-1)
    if (last === undefined) return
    yield { ids, addedAt: numbersOf(row?.added_at ?? null), chunkCounts: numbersOf(row?.chunk_counts ?? null) }
    if (ids.length < idsOfPage) return
    afterId = last
  }
}

function numbersOf(text: string | null): Float64Array {
  return Float64Array.from(text === null ? [] : text.split(','), Number)
}

export async function readCollectionIds(session: Session): Promise<readonly number[]> {
  const rows = await session.rows(sql<{ id: number }>`
    select c.id from docket_documents.collection c where c.removed_position is null order by c.id`)
  return rows.map(({ id }) => id)
}

/** The start of an empty index. */
export interface BuildStart {
  readonly historyId: string
  /** Sequence number of the change log: later changes are read from there. */
  readonly position: number
  readonly collections: readonly { readonly id: number; readonly documents: number }[]
}

export async function readBuildStart(session: Session): Promise<BuildStart> {
  const [row] = await session.rows(sql<{
    history_id: string
    position: string
    collections: readonly (readonly [id: number, documents: number])[] | null
  }>`
    select ${newestHistoryId} as history_id, log.position,
      (select json_agg(json_build_array(c.id, (
         select count(*) from docket_documents.document d where d.collection_id = c.id and d.removed_position is null)))
       from docket_documents.collection c where c.removed_position is null) as collections
    from docket_documents.change_log log`)
  if (row === undefined) throw new Error('docket_documents.change_log has no row')
  return {
    historyId: row.history_id,
    position: Number(row.position),
    collections: (row.collections ?? []).map(([id, documents]) => ({ id, documents })),
  }
}

/** The next documents of a collection in the order of their ids, as of a sequence number of the change log. */
export async function readNextDocuments(
  session: Session,
  { collectionId, upTo, afterId }: UnbuiltCollection,
  at: number,
): Promise<readonly CountedDocument[]> {
  const rows = await session.rows(sql<{ id: string; chunk_count: number }>`
    select d.id, d.chunk_count from docket_documents.document d
    where d.collection_id = ${collectionId} and d.id > ${afterId} and d.added_position <= ${upTo}
      and (d.removed_position is null or d.removed_position > ${at})
    order by d.id limit ${documentsOfPage}`)
  return rows.map(({ id, chunk_count }) => ({ id: Number(id), chunkCount: chunk_count }))
}

export interface CountedDocument {
  readonly id: number
  readonly chunkCount: number
}

/** Consecutive documents with about this many chunks together, at least one document. */
export function* batchesOf<D extends CountedDocument>(documents: Iterable<D>, chunks: number): Generator<readonly D[]> {
  let batch: D[] = []
  let held = 0
  for (const document of documents) {
    if (batch.length > 0 && held + document.chunkCount > chunks) {
      yield batch
      batch = []
      held = 0
    }
    batch.push(document)
    held += document.chunkCount
  }
  if (batch.length > 0) yield batch
}

export function* eachOf({ ids, chunkCounts }: CollectionDocuments): Generator<CountedDocument> {
  for (const [at, id] of ids.entries()) yield { id, chunkCount: chunkCounts[at] ?? 0 }
}

/** Makes every process rebuild its index of these collections: all processes follow the change log. */
export async function requestReindex(database: Database, collectionIds: readonly number[]): Promise<void> {
  await database.inTransaction(async (session) => {
    await session.rows(sql`
      with next as (select docket_documents.next_position() as position)
      , marked as (
        update docket_documents.collection set reindexed_position = next.position from next
        where id = any (${collectionIds}::integer[]) and removed_position is null returning next.position
      )
      select docket_documents.reach_position(position) from next where exists (select from marked)`)
  })
}
