import type { Flag } from '../extraction/extracted-text.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import { collectionNotFound, readableCollections } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'
import type { Collection } from './store/collections.ts'
import type { LoadState, LoadStatus } from './store/loads.ts'
import { warningsOf } from './warnings.ts'

/** The status of a document: its newest load, and the version that is current meanwhile. */
export interface DocumentStatus extends LoadStatus {
  readonly docId: string
  readonly collectionName: string
  /** Of the current version; null if there is none. */
  readonly version: number | null
  /** State of the vectors of that version; null without an embeddings address or without a version. */
  readonly vectors: 'due' | 'ready' | 'failed' | null
  /** What may be lost or misread in that version. */
  readonly warnings: readonly string[]
}

interface StatusRow {
  readonly vectors: 'due' | 'ready' | 'failed' | null
  readonly version: number | null
  readonly pages: number | null
  readonly flags: readonly Flag[] | null
  readonly state: LoadState | null
  readonly percent: number | null
  readonly pages_done: number | null
  readonly attempts: number | null
  readonly problem: Problem | null
}

export async function documentStatus(
  deps: DocumentDeps,
  principal: Principal,
  collectionName: string,
  docId: string,
): Promise<Result<DocumentStatus, Problem>> {
  const readable = await readableCollections(deps.database, principal, [collectionName], 'also-awaited')
  if (!readable.ok) return readable
  const { collections } = readable.value
  const visible = await visibleDocuments(deps.readableRecords, principal, collections)
  const ids = collections.map(({ id }) => id)
  const [row] = await deps.database.rows(statusOf(ids, docId, visible ?? sql`true`, modelOf(deps, collections)))
  if (row === undefined || (row.version === null && row.state === null))
    return fail(
      collections.some(({ isPending }) => isPending)
        ? collectionNotFound(collectionName)
        : { kind: 'thing-not-found', thing: 'document', name: docId },
    )
  return succeed({
    docId,
    collectionName,
    version: row.version,
    vectors: row.vectors,
    warnings: warningsOf(row.flags ?? []),
    state: row.state ?? 'ready',
    percent: row.percent ?? 100,
    pagesDone: row.pages_done ?? row.pages,
    attempts: row.attempts ?? 1,
    problem: row.problem,
  })
}

/** The model that makes the vectors of the collection; null: none. */
function modelOf({ embeddings, models }: DocumentDeps, [collection]: readonly Collection[]): number | null {
  const chosen = collection?.embeddingsModel ?? null
  return (chosen === null ? embeddings : models.get(chosen))?.modelId ?? null
}

/**
 * The load counts if it is newer than the current version or did not become it. `d` is the row that the rights
 * condition refers to.
 */
function statusOf(collectionIds: readonly number[], docId: string, visible: Sql<unknown>, modelId: number | null) {
  return sql<StatusRow>`
    with there as (
      select d.version, d.pages, d.flags, d.loaded_at, d.blob_hash, case when ${modelId}::integer is null then null else coalesce((
          select case when e.position is not null then 'ready' when e.trouble is not null then 'failed' else 'due' end
          from docket_documents.document_embedding e where e.model_id = ${modelId} and e.document_id = d.id), 'due')
        end as vectors
      from docket_documents.document d
      where d.collection_id = any (${collectionIds}::integer[]) and d.doc_id = ${docId} and d.removed_position is null
        and ${visible}
    ), newest as (
      select d.* from docket_documents.load d
      where d.collection_id = any (${collectionIds}::integer[]) and d.doc_id = ${docId} and ${visible}
      order by d.id desc limit 1
    )
    select there.version, there.pages, there.flags, there.vectors, asked.state, asked.percent, asked.pages_done,
      coalesce(asked.attempts, done.attempts) as attempts, asked.problem
    from (select) as one
    left join there on true
    left join newest as asked on asked.state in ('queued', 'extracting', 'indexing')
      or (asked.state = 'failed' and (there.loaded_at is null or asked.asked_at >= there.loaded_at))
    left join newest as done on done.state = 'ready' and done.blob_hash = there.blob_hash and done.asked_at <= there.loaded_at`
}
