import type { Database } from '../../database/database.ts'
import { utcTimestamp } from '../../database/utc-timestamp.ts'
import { sql } from '../../kernel/sql.ts'
import { deleteTexts } from './publish-document.ts'

const documentsOfTurn = 500

/**
 * Deletes versions, collections and loads that nobody can request any more.
 *
 * @param removedBefore every search that began before a removal must have ended by then
 * @returns the number of deleted versions; more may be left
 */
export async function clearDocuments(database: Database, removedBefore: Date): Promise<number> {
  return database.inTransaction(async (session) => {
    const gone = await session.rows(sql<{ id: string; position: string }>`
      select d.id, coalesce(d.removed_position, c.removed_position) as position
      from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
      where d.removed_at < ${utcTimestamp(removedBefore)} or c.removed_at < ${utcTimestamp(removedBefore)}
      limit ${documentsOfTurn} for update of d skip locked`)
    if (gone.length === 0) return 0
    const ids = gone.map(({ id }) => id)
    await deleteTexts(session, ids)
    // In this order: writing vectors locks the document's row, so none are added after it is deleted.
    for (const table of [sql`document_embedding`, sql`chunk_embedding`])
      await session.rows(sql`
        delete from docket_documents.${table} e using docket_documents.embedding_model m
        where e.model_id = m.id and e.document_id = any (${ids}::bigint[])`)
    await session.rows(sql`delete from docket_documents.rechunk where document_id = any (${ids}::bigint[])`)
    await session.rows(sql`delete from docket_documents.document where id = any (${ids}::bigint[])`)
    await session.rows(clearedUpTo(gone.map(({ position }) => Number(position))))
    return gone.length
  })
}

/** A process that is further behind than this has to compare everything. */
function clearedUpTo(positions: readonly number[]) {
  return sql`
    update docket_documents.change_log set cleared_position = greatest(cleared_position, ${Math.max(...positions)})`
}

export async function clearCollections(database: Database, removedBefore: Date): Promise<void> {
  await database.inTransaction(async (session) => {
    const empty = await session.rows(sql<{ id: number; position: string }>`
      select c.id, c.removed_position as position from docket_documents.collection c
      where c.removed_at < ${utcTimestamp(removedBefore)}
        and not exists (select from docket_documents.document d where d.collection_id = c.id)
      for update skip locked`)
    if (empty.length === 0) return
    const ids = empty.map(({ id }) => id)
    for (const table of [sql`load`, sql`follow`])
      await session.rows(sql`delete from docket_documents.${table} where collection_id = any (${ids}::integer[])`)
    await session.rows(sql`delete from docket_documents.collection where id = any (${ids}::integer[])`)
    await session.rows(clearedUpTo(empty.map(({ position }) => Number(position))))
  })
}

/** Deletes pending collections whose loads all failed and were cleaned up meanwhile. */
export async function deletePending(database: Database, pendingBefore: Date): Promise<void> {
  await database.rows(sql`
    delete from docket_documents.collection c
    where c.is_awaited and c.removed_at is null and c.updated_at < ${utcTimestamp(pendingBefore)}
      and not exists (select from docket_documents.load l where l.collection_id = c.id)`)
}

export async function clearLoads(database: Database, requestedBefore: Date): Promise<void> {
  await database.rows(sql`
    delete from docket_documents.load where state in ('ready', 'failed') and asked_at < ${utcTimestamp(requestedBefore)}`)
}
