import { LOCKS } from '../database/advisory-locks.ts'
import type { Session } from '../database/database.ts'
import { loadPrincipal } from '../identity/load-principal.ts'
import { sql } from '../kernel/sql.ts'
import { defineFollow, type FollowDefinition, followedCondition } from './follow-definition.ts'
import type { FollowSyncDeps } from './follow-settings.ts'
import { continueResync } from './full-resync.ts'
import { conditionsOn, type NamedRecords } from './name-records.ts'
import {
  CollectionDeleted,
  type Follow,
  loadRecords,
  recordError,
  removeDocuments,
  type SyncTurn,
} from './reconcile-documents.ts'
import { removeAll } from './remove-all.ts'
import { recordsAtOnce, selectRecords } from './select-records.ts'

/** Changes per turn. */
const changesAtOnce = 500
/** If more records than this depend on the changed records, a full resync compares all: in pages, while changes are followed. */
const maxTouched = 2_000

/** Prefix of the error of a whole turn. The error is cleared when a turn succeeds. */
export const TURN_FAILED = 'the last turn failed: '

export async function followedCollections({ documents }: FollowSyncDeps): Promise<readonly number[]> {
  const rows = await documents.database.rows<{
    id: number
  }>(sql`select f.collection_id as id from docket_documents.follow f
    join docket_documents.collection c on c.id = f.collection_id where c.removed_position is null order by 1`)
  return rows.map(({ id }) => id)
}

/**
 * Applies new changes of the log to a collection, then continues a full resync in progress. If the process dies before it records
 * what it did, the work is repeated and changes nothing.
 *
 * @returns whether there is more to do now
 */
export async function syncCollection(deps: FollowSyncDeps, collectionId: number): Promise<boolean> {
  try {
    return await takeTurn(deps, collectionId)
  } catch (error) {
    if (error instanceof CollectionDeleted) return false
    throw error
  }
}

function takeTurn(deps: FollowSyncDeps, collectionId: number): Promise<boolean> {
  return deps.documents.database.inTransaction(async (session) => {
    const [row] = await session.rows<{ free: boolean }>(
      sql`select pg_try_advisory_xact_lock(${LOCKS.firstFollowedCollection}::bigint + ${collectionId}) as free`,
    )
    if (row?.free !== true) return false
    const follow = await readFollow(session, collectionId)
    if (follow === undefined) return false
    const runAs = await loadPrincipal(session, follow.followed_by)
    if (!runAs?.isActive) {
      await recordError(session, collectionId, 'the user who set up following is no longer active')
      return false
    }
    const catalog = await deps.records.catalog.upToDate()
    const definition = defineFollow(follow, catalog)
    if (definition === null) {
      await endFollow(deps, session, follow)
      return false
    }
    const turn = { deps, session, follow, runAs, definition }
    if (definition.signature !== follow.signature || follow.misses_changes) {
      await beginResync(session, follow, definition)
      return true
    }
    const hasMore = (await applyChanges(turn)) || (await continueResync(turn))
    if (follow.error?.startsWith(TURN_FAILED)) {
      await session.rows(sql`update docket_documents.follow set error = null
        where collection_id = ${collectionId} and error = ${follow.error}`)
    }
    return hasMore
  })
}

/**
 * The row stays locked until the turn ends: a request to follow otherwise, to compare again or to stop waits for it, so the turn overwrites none
 * of them, and no document is loaded afterwards.
 */
async function readFollow(session: Session, collectionId: number): Promise<Follow | undefined> {
  const [row] = await session.rows<Follow>(sql`
    select f.collection_id, c.name, f.table_name as "table", f.query, f.template, f.metadata_columns as metadata, f.exposed_columns as exposed,
           f.signature, f.followed_by::text, f.position::text, f.rebuild, f.rebuild_cursor, f.compared_at::text as compared_at, f.error,
           f.position < (select h.cleared_position from docket_system.change_horizon h) as misses_changes
    from docket_documents.follow f join docket_documents.collection c on c.id = f.collection_id
    where f.collection_id = ${collectionId} and c.removed_position is null for no key update of f`)
  return row
}

/** The table was deleted together with its records. */
async function endFollow(deps: FollowSyncDeps, session: Session, follow: Follow): Promise<void> {
  await removeAll(deps.documents, follow.collection_id)
  await session.rows(sql`delete from docket_documents.follow where collection_id = ${follow.collection_id}`)
}

/**
 * The dictionary changed in the names that the settings use: values were converted, columns or classes were deleted, or choices
 * were renamed. No record was written, so a full resync compares all. The old guards stay until it ends. Also if the log no longer has all
 * changes since the last turn.
 */
async function beginResync(session: Session, follow: Follow, definition: FollowDefinition): Promise<void> {
  const { missing, signature, guards } = definition
  const error = missing.length === 0 ? null : `${follow.table} no longer has ${missing.join(', ')}, which is left out`
  await session.rows(sql`update docket_documents.follow set signature = ${signature}, rebuild = 'records', rebuild_cursor = null,
    rebuild_mended = 0, error = ${error}::text, position = greatest(position, (select h.cleared_position from docket_system.change_horizon h))
    where collection_id = ${follow.collection_id}`)
  await session.rows(sql`update docket_documents.collection
    set acl_columns = array(select distinct unnest(acl_columns || ${[...guards]}::text[]) order by 1) where id = ${follow.collection_id}`)
}

async function applyChanges(turn: SyncTurn): Promise<boolean> {
  const { session, follow, definition } = turn
  const { catalog } = turn.deps.records
  const classes = definition.table.descendants
  const tables = (await catalog.current()).tables
  const own = new Set(classes.flatMap((name) => tables.get(name)?.id ?? []))
  const changes = await session.rows<{ position: string; record: string; class: string }>(sql`
    select position::text, record_id as record, table_id::text as class
    from docket_system.changes_after(${follow.position}::bigint, ${changesAtOnce})`)
  const reached = changes.at(-1)?.position
  if (reached === undefined) return false
  const touched = new Set(changes.filter((change) => own.has(change.class)).map(({ record }) => record))
  const isAll = await addDependents(touched, changes, turn)
  if (isAll) {
    for (const named of conditionsOn([...touched], recordsAtOnce)) await reconcileRecords(turn, named)
  }
  const begun = isAll ? sql`` : sql`, rebuild = 'records', rebuild_cursor = null, rebuild_mended = 0`
  // If changes were deleted while these were read, the sequence number stays, and the next turn begins a full resync.
  const moved = await session.rows(sql<{ id: number }>`
    update docket_documents.follow set position = ${reached}::bigint ${begun} where collection_id = ${follow.collection_id}
      and ${follow.position}::bigint >= (select h.cleared_position from docket_system.change_horizon h)
    returning collection_id as id`)
  return changes.length === changesAtOnce || !isAll || moved.length === 0
}

/**
 * Adds the records whose field paths currently lead to a changed record. A record whose path led there before has changed since,
 * or a record on the path has; the log contains that change too.
 *
 * @returns false: there are too many
 */
async function addDependents(
  touched: Set<string>,
  changes: readonly { readonly record: string; readonly class: string }[],
  { deps, follow, runAs, definition }: SyncTurn,
): Promise<boolean> {
  for (const { path, classIds } of definition.dependencies) {
    const ids = [...new Set(changes.filter((change) => classIds.includes(change.class)).map(({ record }) => record))]
    for (const { condition } of conditionsOn(ids, recordsAtOnce, path)) {
      for (let cursor: string | null = '*'; cursor !== null; ) {
        const conditions = [condition]
        const requested = { records: deps.records, runAs, table: follow.table, conditions, fields: [], cursor }
        const page = await selectRecords(requested)
        for (const { sys_id } of page.rows) touched.add(String(sys_id))
        if (touched.size > maxTouched) return false
        cursor = page.next
      }
    }
  }
  return true
}

/** Loads or removes the documents of these records so that they match the current records. */
async function reconcileRecords(turn: SyncTurn, { sysIds, condition }: NamedRecords): Promise<void> {
  const { deps, follow, runAs, definition } = turn
  const conditions = [condition, followedCondition(follow.query)]
  const page = { table: follow.table, conditions, fields: definition.displayed, cursor: null }
  const { rows } = await selectRecords({ records: deps.records, runAs, ...page })
  await loadRecords(turn, rows)
  const there = new Set(rows.map(({ sys_id }) => String(sys_id)))
  await removeDocuments(
    deps,
    follow.collection_id,
    sysIds.filter((id) => !there.has(id)),
  )
}
