import type { Catalog } from '../catalog/catalog.ts'
import { LOCKS } from '../database/advisory-locks.ts'
import { configureCollection } from '../documents/configure-collection.ts'
import type { DocumentDeps } from '../documents/document-deps.ts'
import { type Collection, readCollections } from '../documents/store/collections.ts'
import type { Principal } from '../identity/principal.ts'
import type { Mutex } from '../kernel/mutex.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { ChangeWatch } from '../records/changes/watch-changes.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { defineFollow, type FollowSettings, problemWithFollow } from './follow-definition.ts'
import { removeAll } from './remove-all.ts'

export interface FollowSyncDeps {
  readonly documents: DocumentDeps
  readonly records: RecordDeps
  readonly watch: ChangeWatch
  /** Requests to follow wait here without a connection; other processes wait in the database. */
  readonly settingsMutex: Mutex
  /** Called with the number of documents that a full resync had to load or remove although every change was followed. */
  readonly onRepaired: (collection: string, documents: number) => void
}

export interface FollowState extends FollowSettings {
  readonly collection: string
  /** `comparing`: a full resync with the whole table is in progress; changes are followed meanwhile. */
  readonly state: 'following' | 'comparing'
  readonly documents: number
  /** Why a record or the last turn failed; null: no error. */
  readonly error: string | null
  /** When the last full resync ended, UTC; null: none has ended. */
  readonly comparedAt: string | null
  /** Documents that the last full resync loaded or removed. */
  readonly repaired: number
}

/**
 * Makes a collection follow a table from now on, and compares it once with the whole table. Creates the collection if it does not
 * exist. The collection is bound to the table: a document is visible to those who may read its record.
 */
export async function follow(
  deps: FollowSyncDeps,
  principal: Principal,
  collection: string,
  requested: FollowSettings,
): Promise<Result<FollowState, Problem>> {
  const needed = adminOnly(principal)
  if (!needed.ok) return needed
  // Of two requests at once, one could bind the collection to its table and the other make it follow another.
  return deps.settingsMutex.run(() =>
    deps.documents.database.inTransaction(async (session) => {
      await session.rows(sql`select pg_advisory_xact_lock(${LOCKS.followSettings}::bigint)`)
      return beginFollow(deps, principal, collection, requested)
    }),
  )
}

async function beginFollow(
  deps: FollowSyncDeps,
  principal: Principal,
  collection: string,
  requested: FollowSettings,
): Promise<Result<FollowState, Problem>> {
  const catalog = await deps.records.catalog.upToDate()
  const unfit = problemWithFollow(requested, catalog)
  if (unfit !== null) return fail(unfit)
  const definition = defineFollow(requested, catalog)
  const [before] = (await readCollections(deps.documents.database, [collection])).collections
  if (before !== undefined && isOfOtherRecords(before, requested, catalog)) await leaveTable(deps, before.id)
  // Existing documents may contain more than the new settings allow, so the old guards remain until all documents are compared.
  const stillGuarding = before?.aclTable === requested.table ? before.aclColumns : []
  const configured = await configureCollection(deps.documents, principal, collection, {
    aclTable: requested.table,
    aclColumns: [...new Set([...stillGuarding, ...(definition?.guards ?? [])])],
  })
  if (!configured.ok) return configured
  const position = await deps.watch.now()
  const { name } = configured.value
  // The guards are added again: a turn that ended meanwhile may have removed those that the former settings did not need.
  await deps.documents.database.rows(sql`
    with made as (insert into docket_documents.follow (collection_id, table_name, query, template, metadata_columns, exposed_columns, signature, followed_by,
      position, rebuild, updated_at)
    select c.id, ${requested.table}, ${requested.query}, ${requested.template}, ${[...requested.metadata]}::text[], ${[...requested.exposed]}::text[],
           ${definition?.signature ?? ''}, ${principal.userId}::bigint, ${position}::bigint, 'records',
           ${new Date(deps.records.clock.nowMs()).toISOString().slice(0, 23)}::timestamp
    from docket_documents.collection c where c.name = ${name} and c.removed_position is null
    on conflict (collection_id) do update set table_name = excluded.table_name, query = excluded.query, template = excluded.template,
      metadata_columns = excluded.metadata_columns, exposed_columns = excluded.exposed_columns, signature = excluded.signature,
      followed_by = excluded.followed_by, position = excluded.position, rebuild = excluded.rebuild, rebuild_cursor = null,
      rebuild_mended = 0, error = null, updated_at = excluded.updated_at returning collection_id)
    update docket_documents.collection c
    set acl_columns = array(select distinct unnest(c.acl_columns || ${[...(definition?.guards ?? [])]}::text[]) order by 1)
    from made where c.id = made.collection_id`)
  return followState(deps, principal, name)
}

/** Whether sys_ids of the bound table name other records than those of the requested one: keys of adopted tables, or given sys_ids, may be equal. */
function isOfOtherRecords({ aclTable }: Collection, { table }: FollowSettings, { tables }: Catalog): boolean {
  if (aclTable === null) return false
  const [bound, requested] = [tables.get(aclTable)?.storage, tables.get(table)?.storage]
  return bound?.schema !== requested?.schema || bound?.table !== requested?.table
}

/** While the collection is still bound to its former table: the documents of those records must not be read with the rights on others. */
async function leaveTable({ documents }: FollowSyncDeps, collectionId: number): Promise<void> {
  // Waits for a turn in progress. No document is loaded after it.
  await documents.database.rows(sql`delete from docket_documents.follow where collection_id = ${collectionId}`)
  await removeAll(documents, collectionId)
}

/** Ends following; the documents stay as they are. */
export async function unfollow(
  deps: FollowSyncDeps,
  principal: Principal,
  collection: string,
): Promise<Result<FollowState, Problem>> {
  const state = await followState(deps, principal, collection)
  if (!state.ok) return state
  await deps.documents.database.rows(sql`delete from docket_documents.follow f using docket_documents.collection c
    where c.id = f.collection_id and c.name = ${state.value.collection} and c.removed_position is null`)
  return state
}

/** Starts a full resync: compares the collection with the whole table and repairs differences, while changes are followed. */
export async function compareAgain(
  deps: FollowSyncDeps,
  principal: Principal,
  collection: string,
): Promise<Result<FollowState, Problem>> {
  const state = await followState(deps, principal, collection)
  if (!state.ok) return state
  await deps.documents.database.rows(sql`
    update docket_documents.follow f set rebuild = 'records', rebuild_cursor = null, rebuild_mended = 0, error = null from docket_documents.collection c
    where c.id = f.collection_id and c.name = ${state.value.collection} and c.removed_position is null`)
  return followState(deps, principal, collection)
}

export async function followState(
  deps: FollowSyncDeps,
  principal: Principal,
  collection: string,
): Promise<Result<FollowState, Problem>> {
  const needed = adminOnly(principal)
  if (!needed.ok) return needed
  const { database } = deps.documents
  const [known] = (await readCollections(database, [collection])).collections
  if (known === undefined) return fail({ kind: 'thing-not-found', thing: 'collection', name: collection })
  const [row] = await database.rows<FollowState & { rebuild: string | null }>(sql`
    select f.table_name as "table", f.query, f.template, f.metadata_columns as metadata, f.exposed_columns as exposed, f.rebuild, f.error,
      to_char(f.compared_at, 'YYYY-MM-DD HH24:MI:SS') as "comparedAt", f.mended as repaired,
      (select count(*)::integer from docket_documents.document d where d.collection_id = f.collection_id and d.removed_position is null) as documents
    from docket_documents.follow f where f.collection_id = ${known.id}`)
  if (row === undefined) return fail({ kind: 'thing-not-found', thing: 'followed collection', name: collection })
  const { rebuild, ...rest } = row
  return succeed({ ...rest, collection: known.name, state: rebuild === null ? 'following' : 'comparing' })
}

function adminOnly(principal: Principal): Result<null, Problem> {
  return principal.roles.has('admin')
    ? succeed(null)
    : fail({ kind: 'role-needed', roles: ['admin'], to: 'have a collection follow a table' })
}
