import type { Database, Session } from '../database/database.ts'
import { endLease, isFree } from '../jobs/lease.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { inputsHash } from './store/due-for-embedding.ts'
import { chunksOfRow } from './store/write-vectors.ts'

/** A document with vectors that differ from those a model would make. */
export interface StoredVectorDifference {
  /**
   * `missing`: the document counts as complete but lacks some vectors; or it has no entry. `wrong-length`: they differ in
   * length from the model's. `stale`: its text, title or headings changed since they were made.
   */
  readonly kind: 'missing' | 'wrong-length' | 'stale'
  readonly collectionName: string
  readonly docId: string
  /** As in docket_documents.document. */
  readonly documentId: number
}

/** The result for one model's stored vectors. */
export interface StoredVectorCheck {
  readonly modelId: number
  readonly modelName: string
  /** Documents with all their vectors. */
  readonly documents: number
  readonly vectors: number
  /** Documents whose vectors are due. */
  readonly due: number
  /** Documents that the model rejected. */
  readonly givenUp: number
  readonly differences: readonly StoredVectorDifference[]
}

export interface VectorSource {
  readonly models: readonly StoredVectorCheck[]
  /** Vectors whose document or model does not exist. */
  readonly orphans: readonly { readonly modelId: number; readonly documentId: number }[]
}

/** Compares the stored vectors with their chunks, for every model in use. */
export async function verifyStoredVectors(session: Pick<Session, 'rows'>): Promise<VectorSource> {
  const models = await session.rows(sql<{ id: number; name: string }>`
    select id, name from docket_documents.embedding_model where not is_caller order by id`)
  const checked: StoredVectorCheck[] = []
  for (const { id, name } of models) checked.push(await verifyModel(session, id, name))
  return { models: checked, orphans: await readOrphans(session) }
}

interface ModelRow {
  readonly documents: string
  readonly vectors: string
  readonly due: string
  readonly given_up: string
  /** null: nothing is wrong. */
  readonly kind: StoredVectorDifference['kind'] | null
  readonly id: string
  readonly name: string
  readonly doc_id: string
}

/** One statement: the result belongs to one state, however long it takes. */
async function verifyModel(
  session: Pick<Session, 'rows'>,
  modelId: number,
  modelName: string,
): Promise<StoredVectorCheck> {
  const rows = await session.rows(sql<ModelRow>`
    with model as (select * from docket_documents.embedding_model where id = ${modelId}),
    stored as materialized (
      select v.document_id, sum(octet_length(v.vectors)) as bytes,
             bool_or(octet_length(v.vectors) > fitting.bytes or octet_length(v.vectors) % (m.vector_length * 4) <> 0) as misfits,
             bool_or(v.first_chunk % ${chunksOfRow} <> 0 or v.first_chunk >= d.chunk_count) as is_misplaced
      from docket_documents.chunk_embedding v
      join model m on m.id = v.model_id
      join docket_documents.document d on d.id = v.document_id,
      lateral (select greatest(0, least(${chunksOfRow}, d.chunk_count - v.first_chunk)) * m.vector_length * 4 as bytes) fitting
      group by v.document_id
    ), compared as (
      select d.id, d.doc_id, c.name, d.chunk_count, e.position, s.bytes / (m.vector_length * 4) as vectors,
        e.document_id is not null and e.position is null and e.trouble is null
          or e.document_id is null and d.id > m.made_due_up_to and d.id <= m.due_up_to as is_due,
        e.trouble is not null as is_given_up,
        case
          when e.document_id is null then case when d.id > m.made_due_up_to and d.id <= m.due_up_to then null else 'missing' end
          when s.misfits then 'wrong-length'
          when e.position is null then null
          when s.is_misplaced or coalesce(s.bytes, 0) <> d.chunk_count * coalesce(m.vector_length, -1) * 4
            and d.chunk_count > 0 then 'missing'
          when e.inputs_hash is distinct from ${inputsHash} then 'stale'
        end as kind
      from model m cross join docket_documents.document d
      join docket_documents.collection c on c.id = d.collection_id and c.removed_position is null
      left join docket_documents.document_embedding e on e.model_id = m.id and e.document_id = d.id
      left join stored s on s.document_id = d.id
      where d.removed_position is null and docket_documents.makes_vectors_of(m, c.embeddings_model)
    )
    select counted.*, wrong.kind, wrong.id, wrong.name, wrong.doc_id
    from (
      select count(*) filter (where position is not null) as documents,
        coalesce(sum(vectors) filter (where position is not null), 0) as vectors,
        count(*) filter (where is_due) as due, count(*) filter (where is_given_up) as given_up
      from compared) as counted
    left join compared as wrong on wrong.kind is not null order by wrong.id`)
  const [first] = rows
  return {
    modelId,
    modelName,
    documents: Number(first?.documents ?? 0),
    vectors: Number(first?.vectors ?? 0),
    due: Number(first?.due ?? 0),
    givenUp: Number(first?.given_up ?? 0),
    differences: rows.flatMap(({ kind, id, name, doc_id }) =>
      kind === null ? [] : { kind, documentId: Number(id), collectionName: name, docId: doc_id },
    ),
  }
}

async function readOrphans(session: Pick<Session, 'rows'>): Promise<VectorSource['orphans']> {
  const rows = await session.rows(sql<{ model_id: number; document_id: string }>`
    select distinct v.model_id, v.document_id from docket_documents.chunk_embedding v
    where not exists (
      select from docket_documents.document_embedding e where e.model_id = v.model_id and e.document_id = v.document_id)
    order by 1, 2`)
  return rows.map(({ model_id, document_id }) => ({ modelId: model_id, documentId: Number(document_id) }))
}

/**
 * Marks wrong vectors as due, retries documents that a model rejected, and deletes orphans. Processes with the model make them
 * in the background; until then searches find a document by its vectors in memory, or by its words.
 *
 * @param collectionNames null: all collections
 * @returns the number of documents that became due
 */
export async function repairStoredVectors(
  database: Database,
  collectionNames: readonly string[] | null,
): Promise<number> {
  return database.inTransaction(async (session) => {
    const { models, orphans } = await verifyStoredVectors(session)
    let due = 0
    for (const { modelId, differences } of models) {
      const wrong = differences
        .filter(({ collectionName }) => collectionNames?.includes(collectionName) ?? true)
        .map(({ documentId }) => documentId)
      due += await makeDue(session, modelId, wrong, collectionNames)
    }
    for (const { modelId, documentId } of orphans)
      await session.rows(sql`
        delete from docket_documents.chunk_embedding v where v.model_id = ${modelId} and v.document_id = ${documentId}
          and not exists (select from docket_documents.document_embedding e
                          where e.model_id = v.model_id and e.document_id = v.document_id)`)
    return due
  })
}

/** Documents per statement: after a loss of all vectors every document is wrong. */
const documentsOfPage = 2_000

async function makeDue(
  session: Session,
  modelId: number,
  wrong: readonly number[],
  collectionNames: readonly string[] | null,
): Promise<number> {
  let due = 0
  for (let from = 0; from < wrong.length; from += documentsOfPage) {
    const page = wrong.slice(from, from + documentsOfPage)
    await session.rows(sql`
      insert into docket_documents.document_embedding (model_id, document_id)
      select ${modelId}, unnest(${page}::bigint[]) on conflict do nothing`)
    due += await makeSomeDue(session, modelId, sql`any (${page}::bigint[])`)
  }
  const rejected = sql`any (array(
    select e.document_id from docket_documents.document_embedding e
    join docket_documents.document d on d.id = e.document_id join docket_documents.collection c on c.id = d.collection_id
    where e.model_id = ${modelId} and e.trouble is not null and ${isFree('e')}
      and (${collectionNames}::text[] is null or c.name = any (${collectionNames}::text[]))
    order by e.document_id limit ${documentsOfPage}))`
  for (;;) {
    const retried = await makeSomeDue(session, modelId, rejected)
    if (retried === 0) return due
    due += retried
  }
}

/** @param documentIds follows `=` */
async function makeSomeDue(session: Session, modelId: number, documentIds: Sql<unknown>): Promise<number> {
  const made = await session.rows(sql<{ document_id: string }>`
    update docket_documents.document_embedding e
    set position = null, inputs_hash = null, attempts = 0, trouble = null, not_before = null, ${endLease}
    where e.model_id = ${modelId} and e.document_id = ${documentIds} and ${isFree('e')}
    returning e.document_id`)
  const ids = made.map(({ document_id }) => document_id)
  await session.rows(sql`
    delete from docket_documents.chunk_embedding v
    where v.model_id = ${modelId} and v.document_id = any (${ids}::bigint[])`)
  return ids.length
}
