import type { Session } from '../../database/database.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { endLease, isFree, renewLease, takeLease } from '../../jobs/lease.ts'
import type { Problem } from '../../kernel/problem.ts'
import { sql } from '../../kernel/sql.ts'
import type { Metadata } from '../filter/filter-values.ts'

export type LoadState = 'queued' | 'extracting' | 'indexing' | 'ready' | 'failed'

/** A load to do later. */
export interface NewLoad {
  readonly collectionId: number
  readonly docId: string
  readonly recordId: string | null
  readonly blobHash: Buffer
  readonly size: number
  readonly fileName: string | null
  /** Label of the encoding that the caller named. */
  readonly charset: string | null
  readonly metadata: Metadata
  /** Ids of versions that the document replaces, besides the one of its doc_id. */
  readonly replaces: readonly number[]
  readonly requestedBy: string
  readonly requestedAt: Date
}

/** The job that notifies every process of waiting loads. */
export const LOAD_WAITING_DOCUMENTS = 'load_waiting_documents'

/** Adds the load and notifies the workers, in one step. */
export async function addLoad(session: Session, load: NewLoad): Promise<void> {
  await session.rows(sql`
    with added as (
      insert into docket_documents.load
        (collection_id, doc_id, record_id, state, blob_hash, size, file_name, charset, metadata, replaces, asked_by, asked_at)
      values (${load.collectionId}, ${load.docId}, ${load.recordId}, 'queued', ${load.blobHash}, ${load.size},
              ${load.fileName}, ${load.charset}, ${JSON.stringify(load.metadata)}::jsonb, ${load.replaces}::bigint[], ${load.requestedBy}, ${utcTimestamp(load.requestedAt)})
      returning id
    )
    select docket_system.add_job(${LOAD_WAITING_DOCUMENTS}) from added`)
}

/** A load that this process holds. */
export interface TakenLoad extends NewLoad {
  readonly id: number
  readonly collectionName: string
  /** Includes the current one. */
  readonly attempts: number
}

/** A load is given up after this many processes died or failed on it without a fault of the file. */
export const maxAttempts = 3
export const leaseSeconds = 30

interface LoadRow {
  readonly id: string
  readonly collection_id: number
  readonly collection_name: string
  readonly doc_id: string
  readonly record_id: string | null
  readonly blob_hash: string
  readonly size: string
  readonly file_name: string | null
  readonly charset: string | null
  readonly metadata: Metadata
  readonly replaces: readonly string[]
  readonly asked_by: string
  readonly asked_at_ms: string
  readonly attempts: number
}

/**
 * The oldest load that no process holds. Loads of one document are done in the order of their requests.
 *
 * @param worker number of this process; null: it has none at the moment
 * @param except loads that this process cannot do
 */
export async function takeLoad(
  session: Session,
  worker: number | null,
  except: readonly number[] = [],
): Promise<TakenLoad | undefined> {
  const [row] = await session.rows(sql<LoadRow>`
    update docket_documents.load l
    set state = 'extracting', percent = 0, pages_done = null, attempts = l.attempts + 1,
        ${takeLease(leaseSeconds, worker)}
    from docket_documents.collection c
    where c.id = l.collection_id and l.id = (
      select w.id from docket_documents.load w
      where w.state in ('queued', 'extracting', 'indexing') and w.attempts < ${maxAttempts}
        and not w.id = any (${except}::bigint[])
        and ${isFree('w')}
        and (w.not_before is null or w.not_before < clock_timestamp() at time zone 'UTC')
        and not exists (
          select from docket_documents.load e
          where e.collection_id = w.collection_id and e.doc_id = w.doc_id and e.id < w.id
            and e.state in ('queued', 'extracting', 'indexing'))
      order by w.id limit 1 for update skip locked)
    returning l.id, l.collection_id, c.name as collection_name, l.doc_id, l.record_id, encode(l.blob_hash, 'hex') as blob_hash,
              l.size, l.file_name, l.charset, l.metadata, l.replaces::text[] as replaces, l.asked_by, (extract(epoch from l.asked_at) * 1000)::bigint as asked_at_ms,
              l.attempts`)
  if (row === undefined) return undefined
  return {
    id: Number(row.id),
    collectionId: row.collection_id,
    collectionName: row.collection_name,
    docId: row.doc_id,
    recordId: row.record_id,
    blobHash: Buffer.from(row.blob_hash, 'hex'),
    size: Number(row.size),
    fileName: row.file_name,
    charset: row.charset,
    metadata: row.metadata,
    replaces: row.replaces.map(Number),
    requestedBy: row.asked_by,
    requestedAt: new Date(Number(row.asked_at_ms)),
    attempts: row.attempts,
  }
}

export interface LoadProgress {
  readonly state: 'extracting' | 'indexing'
  readonly percent: number
  readonly pagesDone: number | null
}

/** @returns whether this process still holds the load: a process that was suspended for long may have lost it */
export async function renewLoad(session: Session, load: TakenLoad, progress: LoadProgress): Promise<boolean> {
  const rows = await session.rows(sql`
    update docket_documents.load
    set state = ${progress.state}, percent = ${progress.percent}, pages_done = ${progress.pagesDone},
        ${renewLease(leaseSeconds)}
    where id = ${load.id} and attempts = ${load.attempts} and state in ('extracting', 'indexing')
    returning id`)
  return rows.length > 0
}

export async function finishLoad(session: Session, load: TakenLoad, problem: Problem | null): Promise<void> {
  await session.rows(sql`
    update docket_documents.load
    set state = ${problem === null ? 'ready' : 'failed'}, percent = case when ${problem === null} then 100 else percent end,
        problem = ${problem === null ? null : JSON.stringify(problem)}::jsonb, ${endLease}
    where id = ${load.id} and attempts = ${load.attempts} and state in ('extracting', 'indexing')`)
}

/** Locks the load, so that this process holds it until the transaction ends. */
export async function holdsLoad(session: Session, load: TakenLoad): Promise<boolean> {
  const rows = await session.rows(sql`
    select from docket_documents.load
    where id = ${load.id} and attempts = ${load.attempts} and state in ('extracting', 'indexing') for update`)
  return rows.length > 0
}

/** Puts it back, to be retried after a pause that grows with the attempts. */
export async function postponeLoad(session: Session, load: TakenLoad): Promise<void> {
  await session.rows(sql`
    update docket_documents.load
    set state = 'queued', ${endLease},
        not_before = clock_timestamp() at time zone 'UTC' + make_interval(secs => ${2 ** load.attempts})
    where id = ${load.id} and attempts = ${load.attempts} and state in ('extracting', 'indexing')`)
}

/** Puts it back unchanged: this process stops, or it does not have the file, which is not a fault of the load. */
export async function returnLoad(session: Session, load: TakenLoad): Promise<void> {
  await session.rows(sql`
    with returned as (
      update docket_documents.load set state = 'queued', ${endLease}, attempts = attempts - 1
      where id = ${load.id} and attempts = ${load.attempts} and state in ('extracting', 'indexing')
      returning id
    )
    select docket_system.add_job(${LOAD_WAITING_DOCUMENTS}) from returned`)
}

/** Fails loads with the maximum number of attempts that no process holds any more: the processes that tried died. */
export async function failLostLoads(session: Session, problem: Problem): Promise<void> {
  await session.rows(sql`
    update docket_documents.load set state = 'failed', problem = ${JSON.stringify(problem)}::jsonb, ${endLease}
    where state in ('queued', 'extracting', 'indexing') and attempts >= ${maxAttempts}
      and ${isFree()}`)
}

/**
 * Ends loads of a document that are not done, as if they had been done before: a later request loads or deletes it. Run it
 * in the transaction of that request, before anything else, as a load locks itself before it writes.
 *
 * @param upTo id of the last load that was requested earlier; null: all of them
 */
export async function endEarlierLoads(
  session: Session,
  {
    collectionId,
    docId,
    upTo,
  }: { readonly collectionId: number; readonly docId: string; readonly upTo: number | null },
): Promise<void> {
  await session.rows(sql`
    update docket_documents.load set state = 'ready', percent = 100, ${endLease}
    where collection_id = ${collectionId} and doc_id = ${docId} and state in ('queued', 'extracting', 'indexing')
      and ${upTo === null ? sql`true` : sql`id <= ${upTo}`}`)
}

/** Those of the given loads that are queued or running. */
export async function readUnfinished(session: Session, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await session.rows(sql<{ id: string }>`
    select id from docket_documents.load
    where id = any (${ids}::bigint[]) and state in ('queued', 'extracting', 'indexing')`)
  return new Set(rows.map(({ id }) => Number(id)))
}

/** Whether a queued or running load would put a document into the collection. */
export async function isLoadedInto(session: Session, collectionId: number): Promise<boolean> {
  const rows = await session.rows(sql`
    select from docket_documents.load
    where collection_id = ${collectionId} and state in ('queued', 'extracting', 'indexing') limit 1`)
  return rows.length > 0
}

/** The state of the newest load of a document. */
export interface LoadStatus {
  readonly state: LoadState
  readonly percent: number
  readonly pagesDone: number | null
  readonly attempts: number
  readonly problem: Problem | null
}
