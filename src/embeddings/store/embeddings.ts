import { type RawBuilder, sql } from 'kysely'
import type { Database, Session } from '../../database/database.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { endLease, isFree, renewLease, takeLease } from '../../jobs/lease.ts'

/** What tells the vectors of one model from those of others. */
export interface EmbeddingModel {
  readonly name: string
  /** Numbers of a vector that are asked for; null: as many as the model gives. */
  readonly askedLength: number | null
  readonly textPrefix: string
}

/** How the configuration names a model. */
export interface ModelUse {
  readonly configName: string
  /** Makes the vectors of collections that choose none. */
  readonly isDefault: boolean
}

/** @returns id of the model; from now on every document that is loaded, by whichever process, is due for it */
export async function useModel(
  session: Session,
  model: EmbeddingModel,
  { configName, isDefault }: ModelUse,
  now: Date,
): Promise<number> {
  const { name, askedLength, textPrefix } = model
  const [row] = await session.rows(sql<{ id: number }>`
    select docket_documents.use_embedding_model(${name}, ${askedLength ?? 0}, ${textPrefix}, ${configName}, ${isDefault},
      ${utcTimestamp(now)}) as id`)
  if (row === undefined) throw new Error('the embedding model has no row')
  return row.id
}

const documentsOfStep = 10_000

/** Makes documents due that were loaded before the model was used. */
export async function makeEarlierDue(session: Session, modelId: number): Promise<void> {
  for (let isMore = true; isMore; ) {
    const [row] = await session.rows(
      sql<{ more: boolean }>`select docket_documents.make_earlier_due(${modelId}, ${documentsOfStep}) as more`,
    )
    isMore = row?.more === true
  }
}

/** Keeps the model from being cleared away. */
export async function touchModel(session: Session, modelId: number, now: Date): Promise<void> {
  await session.rows(sql`
    update docket_documents.embedding_model set used_at = ${utcTimestamp(now)} where id = ${modelId}`)
}

/** Which documents are asked about. */
export interface DueScope {
  readonly collectionIds: readonly number[]
  /** On a row `d` of docket_documents.document; null: all of them. */
  readonly condition: RawBuilder<boolean> | null
}

/** Whether vectors of some documents are still to be made, of collections whose vectors the model makes. */
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

// ── making vectors ──

/** A document whose vectors this process makes now. */
export interface DueDocument {
  readonly documentId: number
  readonly title: string | null
  readonly chunkCount: number
  /** Of the title and of each chunk's headings and text: documents with equal ones have equal vectors. */
  readonly inputsHash: string
}

/** A process that makes vectors renews its hold on their documents several times as often. */
export const vectorLeaseSeconds = 30
const documentsAtOnce = 64

/** SHA-256 of all of a document that a model reads, but for the prefix; `d` is its row. */
export const inputsHash = sql<Buffer>`sha256(convert_to(json_build_array(d.title, (
        select json_agg(json_build_array(c.heading_path, c.text) order by c.chunk_index)
        from docket_documents.chunk c where c.document_id = d.id))::text, 'UTF8'))`

/**
 * The newest documents that nobody works on: who loads today does not wait for a new model to have read everything else.
 *
 * @param worker number of this process; null: it has none at the moment
 */
export async function takeDueDocuments(
  session: Session,
  modelId: number,
  worker: number | null,
): Promise<readonly DueDocument[]> {
  const rows = await session.rows(sql<{
    id: string
    title: string | null
    chunk_count: number
    inputs_hash: string
  }>`
    with taken as (
      update docket_documents.document_embedding e set ${takeLease(vectorLeaseSeconds, worker)}
      where e.model_id = ${modelId} and e.document_id in (
        select w.document_id from docket_documents.document_embedding w
        where w.model_id = ${modelId} and w.position is null and w.trouble is null
          and ${isFree('w')}
          and (w.not_before is null or w.not_before < clock_timestamp() at time zone 'UTC')
        order by w.document_id desc limit ${documentsAtOnce} for update skip locked)
      returning e.document_id
    )
    select d.id, d.title, d.chunk_count, encode(${inputsHash}, 'hex') as inputs_hash
    from taken join docket_documents.document d on d.id = taken.document_id
    order by d.id`)
  return rows.map(({ id, title, chunk_count, inputs_hash }) => ({
    documentId: Number(id),
    title,
    chunkCount: chunk_count,
    inputsHash: inputs_hash,
  }))
}

export async function renewLeases(session: Session, modelId: number, documentIds: readonly number[]): Promise<void> {
  await session.rows(sql`
    update docket_documents.document_embedding set ${renewLease(vectorLeaseSeconds)}
    where model_id = ${modelId} and document_id = any (${documentIds}::bigint[]) and position is null`)
}

/** Puts documents back, for whoever comes next. */
export async function returnDue(session: Session, modelId: number, documentIds: readonly number[]): Promise<void> {
  if (documentIds.length === 0) return
  await session.rows(sql`
    update docket_documents.document_embedding set ${endLease}
    where model_id = ${modelId} and document_id = any (${documentIds}::bigint[]) and position is null`)
}

/** The model refuses a document's text this often before it is given up. */
const mostAttempts = 3

/** The model blamed the document: it is tried again after a pause, and not for ever. */
export async function noteRefusal(
  session: Session,
  modelId: number,
  documentId: number,
  trouble: string,
): Promise<void> {
  await session.rows(sql`
    update docket_documents.document_embedding
    set attempts = attempts + 1, ${endLease},
        not_before = clock_timestamp() at time zone 'UTC' + make_interval(secs => power(4, attempts + 1)),
        trouble = case when attempts + 1 >= ${mostAttempts} then ${trouble}::text end
    where model_id = ${modelId} and document_id = ${documentId} and position is null`)
}

/** Takes over the vectors of documents that are equal, where there are such. @returns the others */
export async function copyEqual(
  database: Database,
  modelId: number,
  due: readonly DueDocument[],
): Promise<readonly DueDocument[]> {
  if (due.length === 0) return due
  return database.inTransaction(async (session) => {
    const rows = await session.rows(sql<{ document_id: string; inputs_hash: string }>`
      select e.document_id, encode(e.inputs_hash, 'hex') as inputs_hash from docket_documents.document_embedding e
      where e.model_id = ${modelId} and e.position is not null
        and e.inputs_hash = any (${due.map(({ inputsHash }) => Buffer.from(inputsHash, 'hex'))}::bytea[])
      for share`)
    const equals = new Map(rows.map(({ document_id, inputs_hash }) => [inputs_hash, Number(document_id)]))
    const copied = due.filter(({ inputsHash }) => equals.has(inputsHash))
    for (const { documentId, inputsHash } of copied)
      await session.rows(sql`
        insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
        select e.model_id, own.document_id, e.first_chunk, e.vectors from docket_documents.chunk_embedding e
        join docket_documents.document_embedding own on own.model_id = ${modelId} and own.document_id = ${documentId}
        where e.model_id = ${modelId} and e.document_id = ${equals.get(inputsHash) ?? null}
        for key share of own
        on conflict (model_id, document_id, first_chunk) do update set vectors = excluded.vectors`)
    await finishDocuments(session, modelId, copied)
    return due.filter(({ inputsHash }) => !equals.has(inputsHash))
  })
}

/** Neighbouring chunks whose vectors are kept in one row. Rows always begin at a multiple of it, whoever writes them. */
export const chunksOfRow = 32

export interface InputChunk {
  readonly headingPath: readonly string[]
  readonly text: string
}

/** Chunks of a row, in order; none when the document is gone. */
export async function readInputs(
  session: Session,
  documentId: number,
  firstChunk: number,
): Promise<readonly InputChunk[]> {
  return session.rows(sql<InputChunk>`
    select c.heading_path as "headingPath", c.text from docket_documents.chunk c
    where c.document_id = ${documentId} and c.chunk_index >= ${firstChunk} and c.chunk_index < ${firstChunk + chunksOfRow}
    order by c.chunk_index`)
}

/** First chunks of the rows that are written: a document that was interrupted goes on from there. */
export async function readWrittenRows(
  session: Session,
  modelId: number,
  documentId: number,
): Promise<ReadonlySet<number>> {
  const rows = await session.rows(sql<{ first_chunk: number }>`
    select e.first_chunk from docket_documents.chunk_embedding e
    where e.model_id = ${modelId} and e.document_id = ${documentId}`)
  return new Set(rows.map(({ first_chunk }) => first_chunk))
}

export interface VectorRow {
  readonly documentId: number
  readonly firstChunk: number
  readonly vectors: readonly Float32Array[]
}

/** @returns numbers of a vector of the model, as the first one decided; null: the model has none yet */
export async function readVectorLength(session: Session, modelId: number): Promise<number | null> {
  const [row] = await session.rows(sql<{ vector_length: number | null }>`
    select vector_length from docket_documents.embedding_model where id = ${modelId}`)
  return row?.vector_length ?? null
}

/**
 * Writes vectors and declares the documents whole that they complete. What was cleared away meanwhile stays away: a document's
 * row is held until its vectors are there.
 *
 * @returns false, and nothing is written, when the model's vectors have another length
 */
export async function writeVectors(
  database: Database,
  modelId: number,
  rows: readonly VectorRow[],
  whole: readonly DueDocument[],
): Promise<boolean> {
  const length = rows[0]?.vectors[0]?.length
  return database.inTransaction(async (session) => {
    if (length !== undefined) {
      const fitting = await session.rows(sql`
        update docket_documents.embedding_model set vector_length = ${length}
        where id = ${modelId} and vector_length is null returning id`)
      if (fitting.length === 0 && (await readVectorLength(session, modelId)) !== length) return false
      await session.rows(sql`
        insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
        select ${modelId}, r.document_id, r.first_chunk, r.vectors
        from unnest(
          ${rows.map(({ documentId }) => documentId)}::bigint[],
          ${rows.map(({ firstChunk }) => firstChunk)}::integer[],
          ${rows.map(({ vectors }) => bytesOf(vectors))}::bytea[]
        ) as r (document_id, first_chunk, vectors)
        join docket_documents.document_embedding own on own.model_id = ${modelId} and own.document_id = r.document_id
        for key share of own
        on conflict (model_id, document_id, first_chunk) do update set vectors = excluded.vectors`)
    }
    await finishDocuments(session, modelId, whole)
    return true
  })
}

/** Node runs on little-endian machines only. */
function bytesOf(vectors: readonly Float32Array[]): Buffer {
  return Buffer.concat(vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)))
}

async function finishDocuments(session: Session, modelId: number, whole: readonly DueDocument[]): Promise<void> {
  if (whole.length === 0) return
  await session.rows(sql`
    select docket_documents.finish_embeddings(${modelId}, ${whole.map(({ documentId }) => documentId)}::bigint[],
      ${whole.map(({ inputsHash }) => Buffer.from(inputsHash, 'hex'))}::bytea[])`)
}

// ── following ──

/** How far the vectors of a model have come. */
export interface ModelState {
  readonly position: number
  readonly vectorLength: number | null
}

export async function readModelState(session: Session, modelId: number): Promise<ModelState> {
  const [row] = await session.run(READ_MODEL_STATE, [modelId])
  const [position, vectorLength] = (row ?? ['0', null]) as unknown as readonly [string, number | null]
  return { position: Number(position), vectorLength }
}

const READ_MODEL_STATE = {
  name: 'read-embedding-model-state',
  text: 'select position, vector_length from docket_documents.embedding_model where id = $1',
}

export interface WholeDocument {
  readonly id: number
  readonly docId: string
  readonly collectionId: number
  readonly position: number
}

const documentsOfLook = 500

/** Documents that became whole after a position, in their order; those that are gone since are left out. */
export async function readWholeDocuments(
  session: Session,
  modelId: number,
  after: number,
): Promise<{ readonly reached: number; readonly isMore: boolean; readonly documents: readonly WholeDocument[] }> {
  const rows = await session.rows(sql<{
    document_id: string
    position: string
    doc_id: string | null
    collection_id: number
  }>`
    select e.document_id, e.position, d.doc_id, d.collection_id
    from docket_documents.document_embedding e
    left join docket_documents.document d on d.id = e.document_id and d.removed_position is null
    where e.model_id = ${modelId} and e.position > ${after}
    order by e.position limit ${documentsOfLook}`)
  return {
    reached: Number(rows.at(-1)?.position ?? after),
    isMore: rows.length === documentsOfLook,
    documents: rows.flatMap(({ document_id, position, doc_id, collection_id }) =>
      doc_id === null
        ? []
        : [{ id: Number(document_id), docId: doc_id, collectionId: collection_id, position: Number(position) }],
    ),
  }
}

/** Those of some documents that are there and whole, up to a position. */
export async function readWholeAmong(
  session: Session,
  modelId: number,
  upTo: number,
  documentIds: readonly number[],
): Promise<readonly WholeDocument[]> {
  const rows = await session.rows(sql<{ id: string; position: string; doc_id: string; collection_id: number }>`
    select d.id, e.position, d.doc_id, d.collection_id
    from docket_documents.document_embedding e
    join docket_documents.document d on d.id = e.document_id and d.removed_position is null
    join docket_documents.collection c on c.id = d.collection_id and c.removed_position is null
    where e.model_id = ${modelId} and e.position <= ${upTo} and e.document_id = any (${documentIds}::bigint[])`)
  return rows.map(({ id, position, doc_id, collection_id }) => ({
    id: Number(id),
    docId: doc_id,
    collectionId: collection_id,
    position: Number(position),
  }))
}

/** Those of some documents whose vectors may be in memory: they are there, or were removed after a position of the change log. */
export async function readHoldable(
  session: Session,
  removedAfter: number,
  documentIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await session.rows(sql<{ id: string }>`
    select d.id from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
    where d.id = any (${documentIds}::bigint[])
      and (d.removed_position is null or d.removed_position > ${removedAfter})
      and (c.removed_position is null or c.removed_position > ${removedAfter})`)
  return new Set(rows.map(({ id }) => Number(id)))
}

export interface WrittenVectors {
  readonly documentId: number
  readonly firstChunk: number
  readonly buffer: SharedArrayBuffer
}

/** Bytes of vectors that one statement reads; over the wire they are twice as long. */
const bytesOfLook = 8 * 1024 * 1024

/** Rows of one vector that one statement reads: at most 16,384 numbers each. */
const rowsOfGiven = 256

/** Rows that do not have a vector of this length for each of their chunks are left out: `verify` tells of them. */
export async function* readVectors(
  session: Session,
  modelId: number,
  documentIds: readonly number[],
  vectorLength: number,
): AsyncGenerator<readonly WrittenVectors[]> {
  const most =
    vectorLength === 0 ? rowsOfGiven : Math.max(16, Math.floor(bytesOfLook / (chunksOfRow * vectorLength * 4)))
  let after: readonly [documentId: number, firstChunk: number] = [0, -1]
  for (;;) {
    const rows = await session.rows(sql<{ document_id: string; first_chunk: number; vectors: string }>`
      select e.document_id, e.first_chunk, encode(e.vectors, 'hex') as vectors from docket_documents.chunk_embedding e
      join docket_documents.document d on d.id = e.document_id
      where e.model_id = ${modelId} and e.document_id = any (${documentIds}::bigint[])
        and (${vectorLength} = 0 or octet_length(e.vectors) = least(${chunksOfRow}, d.chunk_count - e.first_chunk) * ${vectorLength * 4})
        and (e.document_id, e.first_chunk) > (${after[0]}::bigint, ${after[1]}::integer)
      order by e.document_id, e.first_chunk limit ${most}`)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(({ document_id, first_chunk, vectors }) => {
      const buffer = new SharedArrayBuffer(vectors.length / 2)
      Buffer.from(buffer).write(vectors, 'hex')
      return { documentId: Number(document_id), firstChunk: first_chunk, buffer }
    })
    if (rows.length < most) return
    after = [Number(last.document_id), last.first_chunk]
  }
}

/** What was removed so long ago that no search asks for it, after a position of the change log. */
export interface ForgottenSince {
  readonly position: number
  readonly documentIds: readonly number[]
  readonly collectionIds: readonly number[]
}

export async function readForgotten(session: Session, after: number, removedBefore: Date): Promise<ForgottenSince> {
  const before = utcTimestamp(removedBefore)
  const [row] = await session.rows(sql<{
    position: string
    documents: readonly number[] | null
    collections: readonly number[] | null
  }>`
    with gone as (
      select d.id, null::integer as collection_id, d.removed_position as position from docket_documents.document d
      where d.removed_position > ${after} and d.removed_at < ${before}
      union all
      select null, c.id, c.removed_position from docket_documents.collection c
      where c.removed_position > ${after} and c.removed_at < ${before}
    )
    select coalesce(max(position), ${after}) as position,
      json_agg(id) filter (where id is not null) as documents,
      json_agg(collection_id) filter (where collection_id is not null) as collections
    from gone`)
  return {
    position: Number(row?.position ?? after),
    documentIds: row?.documents ?? [],
    collectionIds: row?.collections ?? [],
  }
}

// ── clearing away ──

const documentsOfTurn = 2_000

/** Removes the vectors of models that no process used since. */
export async function clearModels(database: Database, unusedSince: Date): Promise<void> {
  const models = await database.rows(sql<{ id: number }>`
    select id from docket_documents.embedding_model where used_at < ${utcTimestamp(unusedSince)} and not is_caller`)
  for (const { id } of models)
    while ((await clearSomeOf(database, id, unusedSince)) > 0) {
      // There may be more.
    }
}

async function clearSomeOf(database: Database, modelId: number, unusedSince: Date): Promise<number> {
  return database.inTransaction(async (session) => {
    const stillUnused = await session.rows(sql`
      select from docket_documents.embedding_model
      where id = ${modelId} and used_at < ${utcTimestamp(unusedSince)} for update skip locked`)
    if (stillUnused.length === 0) return 0
    const cleared = await session.rows(sql<{ document_id: string }>`
      delete from docket_documents.document_embedding where model_id = ${modelId} and document_id in (
        select document_id from docket_documents.document_embedding where model_id = ${modelId} limit ${documentsOfTurn})
      returning document_id`)
    const ids = cleared.map(({ document_id }) => document_id)
    await session.rows(sql`
      delete from docket_documents.chunk_embedding where model_id = ${modelId} and document_id = any (${ids}::bigint[])`)
    if (cleared.length === 0)
      await session.rows(sql`delete from docket_documents.embedding_model where id = ${modelId}`)
    return cleared.length
  })
}

// ── vectors that callers give ──

/** @returns id of the model that stands for them */
export async function readCallerModelId(session: Session): Promise<number> {
  const [row] = await session.rows(sql<{ id: number }>`
    select id from docket_documents.embedding_model where is_caller`)
  if (row === undefined) throw new Error('docket_documents.embedding_model has no row for vectors of callers')
  return row.id
}

/** Last in the transaction that publishes the document. @returns false when its collection takes no vectors of this length */
export async function keepGivenVector(
  session: Session,
  document: { readonly id: number; readonly collectionId: number; readonly vector: Float32Array },
): Promise<boolean> {
  const { id, collectionId, vector } = document
  const [row] = await session.rows(sql<{ kept: boolean }>`
    select docket_documents.keep_given_vector(${id}::bigint, ${collectionId}::integer, ${bytesOf([vector])}::bytea) as kept`)
  return row?.kept === true
}
