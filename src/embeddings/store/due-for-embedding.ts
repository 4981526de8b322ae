import type { Session } from '../../database/database.ts'
import { endLease, isFree, renewLease, takeLease } from '../../jobs/lease.ts'
import { type Sql, sql } from '../../kernel/sql.ts'

const documentsOfStep = 10_000

/** Marks documents as due that were loaded before the model was used. */
export async function makeEarlierDue(session: Session, modelId: number): Promise<void> {
  for (let isMore = true; isMore; ) {
    const [row] = await session.rows(
      sql<{ more: boolean }>`select docket_documents.make_earlier_due(${modelId}, ${documentsOfStep}) as more`,
    )
    isMore = row?.more === true
  }
}

/** The documents of a query. */
export interface DueScope {
  readonly collectionIds: readonly number[]
  /** On a row `d` of docket_documents.document; null: all. */
  readonly condition: Sql<boolean> | null
}

/** Whether vectors of some documents are due, in collections whose vectors the model makes. */
export async function isSomeDue(
  session: Session,
  modelId: number,
  { collectionIds, condition }: DueScope,
): Promise<boolean> {
  const scope = sql<boolean>`(d.collection_id = any (${collectionIds}::integer[]) and d.removed_position is null
    and ${condition ?? sql`true`})`
  const [row] = await session.rows(sql<{ due: boolean }>`
    select exists (
      select from docket_documents.document_embedding e join docket_documents.document d on d.id = e.document_id
      where e.model_id = ${modelId} and e.position is null and e.trouble is null and ${scope}
    ) or exists (
      select from docket_documents.embedding_model m
      join docket_documents.document d on d.id > m.made_due_up_to and d.id <= m.due_up_to
      where m.id = ${modelId} and ${scope}
    ) as due`)
  return row?.due === true
}

/** A document whose vectors this process makes now. */
export interface DueDocument {
  readonly documentId: number
  readonly title: string | null
  readonly chunkCount: number
  /** Hash of the title and of the headings and texts of all chunks: documents with equal hashes have equal vectors. */
  readonly inputsHash: string
}

/** A process that makes vectors renews its lease several times within this period. */
export const vectorLeaseSeconds = 30

const documentsAtOnce = 64

/** SHA-256 of everything in a document that a model reads, except the prefix; `d` is its row. */
export const inputsHash = sql<Buffer>`sha256(convert_to(json_build_array(d.title, (
        select json_agg(json_build_array(c.heading_path, c.text) order by c.chunk_index)
        from docket_documents.chunk c where c.document_id = d.id))::text, 'UTF8'))`

/**
 * The newest due documents that no process holds: a new document does not wait until a new model has read all others. Removed ones
 * are not due any more: a search of an earlier state finds them by words.
 *
 * @param worker number of this process; null: it has none at the moment
 * @param stopping aborted: not all removed ones are looked through
 */
export async function takeDueDocuments(
  session: Session,
  modelId: number,
  worker: number | null,
  stopping?: AbortSignal,
): Promise<readonly DueDocument[]> {
  for (;;) {
    const rows = await takeSome(session, modelId, worker)
    const due = rows.filter(({ is_removed }) => !is_removed)
    if (due.length === 0 && rows.length > 0 && stopping?.aborted !== true) continue
    return due.map(({ id, title, chunk_count, inputs_hash }) => ({
      documentId: Number(id),
      title,
      chunkCount: chunk_count,
      inputsHash: inputs_hash,
    }))
  }
}

interface DueRow {
  readonly is_removed: boolean
  readonly id: string
  readonly title: string | null
  readonly chunk_count: number
  /** '' of a removed document. */
  readonly inputs_hash: string
}

/** Takes existing documents. Removed ones are dropped with the vectors that were made before the removal. */
function takeSome(session: Session, modelId: number, worker: number | null): Promise<readonly DueRow[]> {
  const ofDue = sql<boolean>`(e.model_id = ${modelId} and e.document_id = due.document_id)`
  return session.rows(sql<DueRow>`
    with picked as (
      select w.document_id from docket_documents.document_embedding w
      where w.model_id = ${modelId} and w.position is null and w.trouble is null
        and ${isFree('w')}
        and (w.not_before is null or w.not_before < clock_timestamp() at time zone 'UTC')
      order by w.document_id desc limit ${documentsAtOnce} for update skip locked
    ),
    due as (
      select picked.document_id, d.removed_position is not null or c.removed_position is not null as is_removed
      from picked join docket_documents.document d on d.id = picked.document_id
      join docket_documents.collection c on c.id = d.collection_id
    ),
    taken as (
      update docket_documents.document_embedding e set ${takeLease(vectorLeaseSeconds, worker)}
      from due where ${ofDue} and not due.is_removed
    ),
    dropped as (
      delete from docket_documents.document_embedding e using due where ${ofDue} and due.is_removed
    ),
    dropped_vectors as (
      delete from docket_documents.chunk_embedding e using due where ${ofDue} and due.is_removed
    )
    select due.is_removed, d.id, d.title, d.chunk_count,
      case when due.is_removed then '' else encode(${inputsHash}, 'hex') end as inputs_hash
    from due join docket_documents.document d on d.id = due.document_id
    order by d.id`)
}

/** Documents that a process took. */
export interface TakenDocuments {
  /** Number of the process when it took them; null: it had none. Another process may have taken them since. */
  readonly worker: number | null
  readonly documentIds: readonly number[]
}

export async function renewLeases(session: Session, modelId: number, taken: TakenDocuments): Promise<void> {
  await session.rows(sql`
    update docket_documents.document_embedding set ${renewLease(vectorLeaseSeconds)}
    where model_id = ${modelId} and document_id = any (${taken.documentIds}::bigint[]) and ${isTakenBy(taken)}`)
}

/** Releases documents for the next process. */
export async function returnDue(session: Session, modelId: number, taken: TakenDocuments): Promise<void> {
  if (taken.documentIds.length === 0) return
  await session.rows(sql`
    update docket_documents.document_embedding set ${endLease}
    where model_id = ${modelId} and document_id = any (${taken.documentIds}::bigint[]) and ${isTakenBy(taken)}`)
}

function isTakenBy({ worker }: Pick<TakenDocuments, 'worker'>): Sql<boolean> {
  return sql<boolean>`(position is null and worker is not distinct from ${worker}::integer)`
}

/** Rejections of a document's text by the model before it is given up. */
const maxAttempts = 3

/** A document that a process took (`TakenDocuments`). */
export interface TakenDocument extends Pick<TakenDocuments, 'worker'> {
  readonly documentId: number
}

/** The model blamed the document: it is retried after a pause, a limited number of times. */
export async function recordRejection(
  session: Session,
  modelId: number,
  { documentId, worker }: TakenDocument,
  error: string,
): Promise<void> {
  await session.rows(sql`
    update docket_documents.document_embedding
    set attempts = attempts + 1, ${endLease},
        not_before = clock_timestamp() at time zone 'UTC' + make_interval(secs => power(4, attempts + 1)),
        trouble = case when attempts + 1 >= ${maxAttempts} then ${error}::text end
    where model_id = ${modelId} and document_id = ${documentId} and ${isTakenBy({ worker })}`)
}
