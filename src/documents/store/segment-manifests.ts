import type { Session } from '../../database/database.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { isFree, takeLease } from '../../jobs/lease.ts'
import { sql } from '../../kernel/sql.ts'
import { segmentsMadeAs } from '../../search-engine/segments/segment-file.ts'

/** Segments of a collection in the store of files. */
export interface SegmentManifest {
  readonly collectionId: number
  /** They contain the documents as of this sequence number of the change log. */
  readonly position: number
  readonly segments: readonly StoredSegment[]
}

export interface StoredSegment {
  /** SHA-256, hexadecimal. */
  readonly hash: string
  /** Bytes. */
  readonly size: number
  /** A process could not read it. */
  readonly isDamaged: boolean
  /** The table of LanceDB with its postings; null: the file has them. */
  readonly table: string | null
}

/** A smaller collection is built from kept terms as quickly as its segments are fetched. */
export const minChunksOfManifest = 1_000

/** Tables that are not named are cleared away after a while, and no other process can use them. */
export function haveTables(manifest: SegmentManifest | undefined, tables: readonly string[]): boolean {
  const named = manifest?.segments.flatMap(({ table }) => table ?? []) ?? []
  return named.length === tables.length && tables.every((table) => named.includes(table))
}

/** The database and the file store of a process: manifests of others are not used. */
export interface ManifestPlace {
  /** Newest history of the database: in an earlier one the sequence number may mean another state. */
  readonly historyId: string
  readonly fileStore: string
}

/**
 * @returns those that this process can use, by collection; none from before the last reindex of its collection, and none with tables of a
 * collection that became bound
 */
export async function readManifests(
  session: Session,
  { historyId, fileStore }: ManifestPlace,
): Promise<ReadonlyMap<number, SegmentManifest>> {
  const rows = await session.rows(sql<{
    collection_id: number
    position: string
    segments: readonly (readonly [hash: string, size: number, isDamaged: boolean, table: string | null])[] | null
  }>`
    select m.collection_id, m.position,
      (select json_agg(json_build_array(encode(s.hash, 'hex'), s.size, s.is_damaged, s.table_name) order by s.hash)
       from docket_documents.segment s where s.collection_id = m.collection_id) as segments
    from docket_documents.segment_manifest m join docket_documents.collection c on c.id = m.collection_id
    where m.history_id = ${historyId} and m.file_store = ${fileStore} and m.made_as = ${segmentsMadeAs}
      and c.removed_position is null and m.position >= coalesce(c.reindexed_position, 0)
      and (c.acl_table is null or not exists (
        select from docket_documents.segment s where s.collection_id = m.collection_id and s.table_name is not null))`)
  const manifests = rows.map(({ collection_id, position, segments }) => ({
    collectionId: collection_id,
    position: Number(position),
    segments: (segments ?? []).map(([hash, size, isDamaged, table]) => ({ hash, size, isDamaged, table })),
  }))
  return new Map(manifests.map((manifest) => [manifest.collectionId, manifest]))
}

/** @returns false: no manifest names this segment any more */
export async function recordDamagedSegment(session: Session, collectionId: number, hash: string): Promise<boolean> {
  const rows = await session.rows(sql`
    update docket_documents.segment set is_damaged = true
    where collection_id = ${collectionId} and hash = decode(${hash}, 'hex') returning true`)
  return rows.length > 0
}

/** The tables are gone: the segments that need them are not used any more, and written again. */
export async function recordLostTables(session: Session, tables: readonly string[]): Promise<void> {
  await session.rows(sql`
    update docket_documents.segment set is_damaged = true where table_name = any (${tables}::text[])`)
}

/** Tables that a manifest names. */
export async function readTableNames(session: Session): Promise<ReadonlySet<string>> {
  const rows = await session.rows(sql<{ table_name: string }>`
    select table_name from docket_documents.segment where table_name is not null`)
  return new Set(rows.map(({ table_name }) => table_name))
}

/** Collections that every caller who may read them sees whole. */
export async function readOpenCollectionIds(session: Session): Promise<readonly number[]> {
  const rows = await session.rows(sql<{ id: number }>`
    select id from docket_documents.collection where acl_table is null and removed_position is null order by id`)
  return rows.map(({ id }) => id)
}

/** The chunks of each collection that are in the database and not in its manifest. */
export async function countChunksAfter(
  session: Session,
  manifests: Iterable<SegmentManifest>,
): Promise<ReadonlyMap<number, number>> {
  const all = [...manifests]
  const rows = await session.rows(sql<{ collection_id: number; chunks: string }>`
    select m.collection_id, (
      select coalesce(sum(d.chunk_count), 0) from docket_documents.document d
      where d.collection_id = m.collection_id and d.added_position > m.position and d.removed_position is null) as chunks
    from unnest(${all.map(({ collectionId }) => collectionId)}::integer[], ${all.map(({ position }) => position)}::bigint[])
      as m (collection_id, position)`)
  return new Map(rows.map(({ collection_id, chunks }) => [collection_id, Number(chunks)]))
}

/** Longer than the pause between two turns of the writer. A process that ends loses its lease at once. */
const leaseSeconds = 180

/** Takes or renews the lease of the only writer. @param worker null: the process has no number at the moment */
export async function takeWriterLease(session: Session, worker: number | null): Promise<boolean> {
  if (worker === null) return false
  const rows = await session.rows(sql`
    update docket_documents.segment_writer w set ${takeLease(leaseSeconds, worker)}
    where w.worker = ${worker} or ${isFree('w')} returning true`)
  return rows.length > 0
}

/** @returns the worker that has the lease of the only writer; null: nobody */
export async function readSegmentWriter(session: Session): Promise<number | null> {
  const [row] = await session.rows(sql<{ worker: string | null }>`
    select worker from docket_documents.segment_writer w where not ${isFree('w')}`)
  return row?.worker == null ? null : Number(row.worker)
}

export interface WrittenManifest extends ManifestPlace, SegmentManifest {
  readonly now: Date
}

/**
 * Replaces the manifest of a collection. Files that it no longer names stay for a while, for processes that have read the
 * earlier one.
 *
 * @param session a transaction that holds the lease
 * @returns false: a file was cleared away meanwhile, or the collection is removed; nothing is written
 */
export async function writeManifest(session: Session, manifest: WrittenManifest): Promise<boolean> {
  const { collectionId, position, segments, historyId, fileStore, now } = manifest
  const hashes = [...new Set(segments.map(({ hash }) => hash))]
  const [row] = await session.rows(sql<{ touched: number }>`
    with named as (
      select decode(h, 'hex') as hash from unnest(${hashes}::text[]) as h
    ), touched as (
      update docket_documents.blob b set touched_at = ${utcTimestamp(now)}
      where b.hash in (select hash from named)
        or b.hash in (select s.hash from docket_documents.segment s where s.collection_id = ${collectionId})
      returning b.hash
    )
    select count(*)::integer as touched from touched join named on named.hash = touched.hash`)
  if (row?.touched !== hashes.length) return false
  const written = await session.rows(sql`
    insert into docket_documents.segment_manifest (collection_id, made_as, history_id, file_store, position, written_at)
    select c.id, ${segmentsMadeAs}, ${historyId}, ${fileStore}, ${position}, ${utcTimestamp(now)}
    from docket_documents.collection c where c.id = ${collectionId} and c.removed_position is null
    on conflict (collection_id) do update set made_as = excluded.made_as, history_id = excluded.history_id,
      file_store = excluded.file_store, position = excluded.position, written_at = excluded.written_at
    returning true`)
  if (written.length === 0) return false
  await session.rows(sql`delete from docket_documents.segment where collection_id = ${collectionId}`)
  await session.rows(sql`
    insert into docket_documents.segment (collection_id, hash, size, table_name)
    select ${collectionId}, decode(n.hash, 'hex'), n.size, n.table_name
    from unnest(${segments.map(({ hash }) => hash)}::text[], ${segments.map(({ size }) => size)}::bigint[],
      ${segments.map(({ table }) => table)}::text[]) as n (hash, size, table_name)
    on conflict do nothing`)
  return true
}

/** Removes manifests of other collections than these, and of removed ones. */
export async function clearManifests(session: Session, keptCollectionIds: readonly number[]): Promise<void> {
  await session.rows(sql`
    delete from docket_documents.segment_manifest m using docket_documents.collection c
    where c.id = m.collection_id
      and (c.removed_position is not null or not m.collection_id = any (${keptCollectionIds}::integer[]))`)
}
