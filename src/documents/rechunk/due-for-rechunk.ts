import type { Session } from '../../database/database.ts'
import type { Flag } from '../../extraction/extracted-text.ts'
import { endLease, isFree, renewLease, takeLease } from '../../jobs/lease.ts'
import { sql } from '../../kernel/sql.ts'
import type { Metadata } from '../filter/filter-values.ts'

/** A collection with documents that may be split differently than its settings say. */
export interface DueCollection {
  readonly id: number
  readonly name: string
  readonly chunkUnits: number | null
  readonly overlapUnits: number | null
}

export async function readDueCollections(session: Session, version: number): Promise<readonly DueCollection[]> {
  const rows = await session.rows(sql<{
    id: number
    name: string
    chunk_units: number | null
    overlap_units: number | null
  }>`
    select id, name, chunk_units, overlap_units from docket_documents.collection
    where removed_position is null and (rechunk_due or cut_version <> ${version}) order by id`)
  return rows.map(({ id, name, chunk_units, overlap_units }) => ({
    id,
    name,
    chunkUnits: chunk_units,
    overlapUnits: overlap_units,
  }))
}

/** A document that this process splits again. */
export interface TakenDocument {
  readonly id: number
  readonly docId: string
  readonly metadata: Metadata
  readonly title: string | null
  readonly fileName: string | null
  readonly size: number
  readonly chunks: number
  readonly contentHash: Buffer
  readonly fileHash: Buffer | null
  readonly charset: string | null
  readonly flags: readonly Flag[]
  readonly loadedAt: Date
  readonly loadedBy: string
  /** Includes the current one. */
  readonly attempts: number
}

/** A document is given up after this many attempts: its chunks are unchanged. */
export const maxAttempts = 3
/** Renewed several times within this period. */
export const leaseSeconds = 30

/**
 * Condition on a document `d`: it is not split as `signature` says. A text with a given vector is one chunk, whatever
 * the sizes are.
 */
function isDue(collectionId: number, signature: string) {
  return sql<boolean>`(d.collection_id = ${collectionId} and d.removed_position is null and d.vector_hash is null
    and d.cut_as is distinct from ${signature})`
}

/** The oldest due document of the collection that no process holds. Documents of a killed process are free at once. */
export async function takeDocument(
  session: Session,
  collectionId: number,
  signature: string,
  worker: number | null,
): Promise<TakenDocument | undefined> {
  for (;;) {
    const id = await nextDue(session, collectionId, signature)
    if (id === undefined) return undefined
    if (await takeRow(session, id, worker)) return readTaken(session, id)
  }
}

async function nextDue(session: Session, collectionId: number, signature: string): Promise<string | undefined> {
  const [row] = await session.rows(sql<{ id: string }>`
    select d.id from docket_documents.document d left join docket_documents.rechunk r on r.document_id = d.id
    where ${isDue(collectionId, signature)} and coalesce(r.attempts, 0) < ${maxAttempts}
      and (r.not_before is null or r.not_before < clock_timestamp() at time zone 'UTC')
      and (r.document_id is null or ${isFree('r')})
    order by d.id limit 1`)
  return row?.id
}

/** @returns false when another process took it first */
async function takeRow(session: Session, id: string, worker: number | null): Promise<boolean> {
  await session.rows(sql`
    insert into docket_documents.rechunk (document_id, attempts) values (${id}::bigint, 0) on conflict do nothing`)
  const rows = await session.rows(sql`
    update docket_documents.rechunk set attempts = attempts + 1, ${takeLease(leaseSeconds, worker)}
    where document_id = ${id}::bigint and ${isFree()} returning document_id`)
  return rows.length > 0
}

async function readTaken(session: Session, id: string): Promise<TakenDocument | undefined> {
  const [row] = await session.rows(sql<{
    id: string
    doc_id: string
    metadata: Metadata
    title: string | null
    file_name: string | null
    size: string
    chunk_count: number
    content_hash: string
    blob_hash: string | null
    charset: string | null
    flags: readonly Flag[]
    loaded_at_ms: string
    loaded_by: string
    attempts: number
  }>`
    select d.id, d.doc_id, d.metadata, d.title, d.file_name, d.size, d.chunk_count, encode(d.content_hash, 'hex') as content_hash,
      encode(d.blob_hash, 'hex') as blob_hash, d.charset, d.flags, (extract(epoch from d.loaded_at) * 1000)::bigint as loaded_at_ms,
      d.loaded_by, r.attempts
    from docket_documents.document d join docket_documents.rechunk r on r.document_id = d.id where d.id = ${id}`)
  if (row === undefined) return undefined
  return {
    id: Number(row.id),
    docId: row.doc_id,
    metadata: row.metadata,
    title: row.title,
    fileName: row.file_name,
    size: Number(row.size),
    chunks: row.chunk_count,
    contentHash: Buffer.from(row.content_hash, 'hex'),
    fileHash: row.blob_hash === null ? null : Buffer.from(row.blob_hash, 'hex'),
    charset: row.charset,
    flags: row.flags,
    loadedAt: new Date(Number(row.loaded_at_ms)),
    loadedBy: row.loaded_by,
    attempts: row.attempts,
  }
}

export async function renewDocument(session: Session, { id, attempts }: TakenDocument): Promise<void> {
  await session.rows(sql`
    update docket_documents.rechunk set ${renewLease(leaseSeconds)} where document_id = ${id} and attempts = ${attempts}`)
}

export async function forgetDocument(session: Session, { id }: TakenDocument): Promise<void> {
  await session.rows(sql`delete from docket_documents.rechunk where document_id = ${id}`)
}

/** Puts it back, to be retried after a pause; the last attempt is final. */
export async function postponeDocument(session: Session, document: TakenDocument, error: string): Promise<void> {
  const { id, attempts } = document
  await session.rows(sql`
    update docket_documents.rechunk
    set ${endLease}, not_before = clock_timestamp() at time zone 'UTC' + make_interval(secs => power(4, ${attempts}::integer)),
        trouble = case when ${attempts} >= ${maxAttempts} then ${error.slice(0, 2_000)}::text end
    where document_id = ${id} and attempts = ${attempts}`)
}

/** Puts it back unchanged: this process stops. */
export async function returnDocument(session: Session, { id, attempts }: TakenDocument): Promise<void> {
  await session.rows(sql`
    update docket_documents.rechunk set ${endLease}, attempts = attempts - 1
    where document_id = ${id} and attempts = ${attempts}`)
}

/**
 * Marks a collection as done if all its documents are split as its sizes say, or given up. Sizes that changed meanwhile
 * keep it due: changing sizes and publishing documents both hold the log's lock.
 */
export async function finishCollection(
  session: Session,
  { id, chunkUnits, overlapUnits }: DueCollection,
  signature: string,
  version: number,
): Promise<void> {
  await session.rows(sql`select docket_documents.next_position()`)
  await session.rows(sql`
    update docket_documents.collection c set rechunk_due = false, cut_version = ${version}
    where c.id = ${id} and c.chunk_units is not distinct from ${chunkUnits} and c.overlap_units is not distinct from ${overlapUnits}
      and not exists (
        select from docket_documents.document d left join docket_documents.rechunk r on r.document_id = d.id
        where ${isDue(id, signature)} and r.trouble is null)`)
}
