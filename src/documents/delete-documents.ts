import { utcTimestamp } from '../database/utc-timestamp.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import { collectionNotFound, writableCollection } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'
import { isGuarded, removeCollection } from './store/collections.ts'
import { endEarlierLoads, isLoadedInto } from './store/loads.ts'

/** @returns the number of deleted documents: 1. Earlier loads of it that are not done end. No search that begins after this finds a chunk of it, in any process */
export async function deleteDocument(
  deps: DocumentDeps,
  principal: Principal,
  collectionName: string,
  docId: string,
): Promise<Result<number, Problem>> {
  const collection = await writableCollection(deps.database, principal, collectionName)
  if (!collection.ok) return collection
  const visible = await visibleDocuments(deps.readableRecords, principal, [collection.value])
  const collectionId = collection.value.id
  const isSeen = sql<boolean>`d.collection_id = ${collectionId} and d.doc_id = ${docId} and d.removed_position is null
    and ${visible ?? sql`true`}`
  const isRemoved = await deps.database.inTransaction(async (session) => {
    const seen = await session.rows(sql`select from docket_documents.document d where ${isSeen}`)
    if (seen.length === 0) return false
    await endEarlierLoads(session, { collectionId, docId, upTo: null })
    const [removed] = await session.rows(sql<{ position: string | null }>`
      select docket_documents.remove_document(d.collection_id, d.doc_id, ${utcTimestamp(new Date(deps.clock.nowMs()))}) as position
      from docket_documents.document d where ${isSeen}`)
    return removed?.position != null
  })
  if (!isRemoved) return fail({ kind: 'thing-not-found', thing: 'document', name: docId })
  await deps.index.refresh()
  return succeed(1)
}

/**
 * Also deletes a collection that pending loads would create: the deletion precedes them, and they fail.
 *
 * The next load under the name creates a new collection without a binding. Therefore only an administrator may delete a
 * collection that is bound to records or follows a table.
 *
 * @returns the number of deleted documents that are visible to the caller
 */
export async function deleteCollection(
  deps: DocumentDeps,
  principal: Principal,
  collectionName: string,
): Promise<Result<number, Problem>> {
  const collection = await writableCollection(deps.database, principal, collectionName, 'also-awaited')
  if (!collection.ok) return collection
  const { id, isPending } = collection.value
  if (isPending && !(await isLoadedInto(deps.database, id))) return fail(collectionNotFound(collectionName))
  const which = principal.roles.has('admin') ? 'any' : 'unguarded'
  if (which === 'unguarded' && (await isGuarded(deps.database, id))) return fail(onlyAdministratorsDelete)
  const visible = await visibleDocuments(deps.readableRecords, principal, [collection.value])
  const [seen] = await deps.database.rows(sql<{ documents: string }>`
    select count(*) as documents from docket_documents.document d
    where d.collection_id = ${id} and d.removed_position is null and ${visible ?? sql`true`}`)
  const now = new Date(deps.clock.nowMs())
  const isRemoved = await deps.database.inTransaction((session) => removeCollection(session, id, { now, which }))
  if (!isRemoved)
    return fail(
      which === 'unguarded' && (await isGuarded(deps.database, id))
        ? onlyAdministratorsDelete
        : collectionNotFound(collectionName),
    )
  await deps.index.refresh()
  return succeed(Number(seen?.documents ?? 0))
}

const onlyAdministratorsDelete: Problem = {
  kind: 'role-needed',
  roles: ['admin'],
  to: 'delete a collection that is bound to a table',
}
