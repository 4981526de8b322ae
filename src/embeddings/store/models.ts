import type { Database, Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { sql } from '../../kernel/sql.ts'

/** What distinguishes the vectors of one model from those of others. */
export interface EmbeddingModel {
  readonly name: string
  /** Requested dimensions of a vector; null: the default of the model. */
  readonly requestedLength: number | null
  readonly textPrefix: string
}

/** How the configuration refers to a model. */
export interface ModelUse {
  readonly configName: string
  /** Makes the vectors of collections without a chosen model. */
  readonly isDefault: boolean
}

/** @returns id of the model; every document that any process loads from now on is due for it */
export async function useModel(
  session: Session,
  model: EmbeddingModel,
  { configName, isDefault }: ModelUse,
  now: Date,
): Promise<number> {
  const { name, requestedLength, textPrefix } = model
  const [row] = await session.rows(sql<{ id: number }>`
    select docket_documents.use_embedding_model(${name}, ${requestedLength ?? 0}, ${textPrefix}, ${configName}, ${isDefault},
      ${utcTimestamp(now)}) as id`)
  if (row === undefined) throw new Error('the embedding model has no row')
  return row.id
}

/** Protects the model from cleanup. */
export async function touchModel(session: Session, modelId: number, now: Date): Promise<void> {
  await session.rows(sql`
    update docket_documents.embedding_model set used_at = ${utcTimestamp(now)} where id = ${modelId}`)
}

/** @returns dimensions of the model's vectors, as the first one had them; null: the model has no vectors yet */
export async function readVectorLength(session: Session, modelId: number): Promise<number | null> {
  const [row] = await session.rows(sql<{ vector_length: number | null }>`
    select vector_length from docket_documents.embedding_model where id = ${modelId}`)
  return row?.vector_length ?? null
}

/** Progress of the vectors of a model. */
export interface ModelState {
  readonly position: number
  readonly vectorLength: number | null
}

export async function readModelState(session: Session, modelId: number): Promise<ModelState> {
  const [row] = await selectRows(session, READ_MODEL_STATE, [modelId])
  return { position: Number(row?.position ?? 0), vectorLength: row?.vectorLength ?? null }
}

const READ_MODEL_STATE = selectStatement<{ readonly position: string; readonly vectorLength: number | null }>({
  name: 'read-embedding-model-state',
  columns: { position: 'position', vectorLength: 'vector_length' },
  from: 'from docket_documents.embedding_model where id = $1',
})

const documentsOfTurn = 2_000

/** Deletes the vectors of models that no process has used since then. */
export async function clearModels(database: Database, unusedSince: Date): Promise<void> {
  const models = await database.rows(sql<{ id: number }>`
    select id from docket_documents.embedding_model where used_at < ${utcTimestamp(unusedSince)} and not is_caller`)
  for (const { id } of models)
    while ((await clearSomeOf(database, id, unusedSince)) > 0) {
      // There may be more work.
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

/** @returns id of the model row for vectors given by callers */
export async function readCallerModelId(session: Session): Promise<number> {
  const [row] = await session.rows(sql<{ id: number }>`
    select id from docket_documents.embedding_model where is_caller`)
  if (row === undefined) throw new Error('docket_documents.embedding_model has no row for vectors of callers')
  return row.id
}
