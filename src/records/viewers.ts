import type { Catalog } from '../catalog/catalog.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { RecordDeps } from './record-deps.ts'
import { onReadableRecord, type ReadableRecord, type RecordId } from './rights/on-readable-record.ts'
import { readableRecords } from './rights/readable-records.ts'

export const VIEWERS_PROPERTY = 'viewers.enabled'

/** Who else has a record open is displayed only if an administrator has turned it on. */
export const hasViewers = ({ properties }: Pick<Catalog, 'properties'>): boolean =>
  properties.get(VIEWERS_PROPERTY)?.trim() === 'true'

/** A page reports itself this often. */
export const REFRESH_SECONDS = 5
/** A page that does not report itself for so long is gone. Longer than two lost requests and one that is slow. */
export const EXPIRE_SECONDS = 30
/** The row of a page is written again only when it is this old, so most reports only read. */
const WRITE_AFTER_SECONDS = 12
/** Pages of one user; the one with the oldest report is removed first. */
export const MAX_PAGES = 100
/** Viewers in a response, those who came first. */
const MAX_VIEWERS = 100

export interface Viewer {
  readonly userId: string
  /** null: the caller may not read it. */
  readonly displayName: string | null
  /** UTC. */
  readonly since: string
}

export interface Viewers {
  readonly isEnabled: boolean
  readonly viewers: readonly Viewer[]
}

/**
 * The other users who have a record open, and whom the caller may read.
 *
 * @param page the caller has the record open there from now on; null: the caller only looks
 */
export const readViewers = (
  deps: RecordDeps,
  request: RecordId,
  page: string | null,
): Promise<Result<Viewers, Problem>> =>
  onReadableRecord<Viewers>(deps, request, async (found) => {
    if (!hasViewers(found.catalog)) return succeed({ isEnabled: false, viewers: [] })
    const record = toOpenRecord(found)
    if (page !== null) await keepPage(deps, request.principal.userId, record, page)
    return succeed({ isEnabled: true, viewers: await othersThan(deps, request.principal, record) })
  })

/** The page no longer displays the record. Needs no right: it can only remove what its user has reported. */
export async function leaveRecord(deps: RecordDeps, userId: string, page: string): Promise<void> {
  await deps.database.rows(sql`delete from docket_system.viewer where user_id = ${userId}::bigint and page = ${page}`)
}

/** Pages that were closed without a report. A new page removes those of its own user. */
export async function clearViewers(database: RecordDeps['database']): Promise<void> {
  await database.rows(sql`delete from docket_system.viewer where seen_at < ${EXPIRED}`)
}

const EXPIRED = sql`docket_system.now_utc() - ${EXPIRE_SECONDS}::integer * interval '1 second'`

interface OpenRecord {
  readonly root: string
  readonly id: string
}

const toOpenRecord = ({ table: { ancestors, name }, id }: ReadableRecord): OpenRecord => ({
  root: ancestors.at(-1) ?? name,
  id,
})

const WRITTEN_LATELY = sql`docket_system.now_utc() - ${WRITE_AFTER_SECONDS}::integer * interval '1 second'`

/**
 * `not exists`: an update on conflict whose condition is false would still lock the row. That makes the report a transaction with an id,
 * after which states that searches have kept for a snapshot are read again.
 */
async function keepPage({ database }: RecordDeps, userId: string, record: OpenRecord, page: string): Promise<void> {
  const [row] = await database.rows<{ readonly isNew: boolean }>(sql`
    insert into docket_system.viewer as v (root_table, record_id, user_id, page, opened_at, seen_at)
    select ${record.root}::text, ${record.id}::text, ${userId}::bigint, ${page}::text, docket_system.now_utc(), docket_system.now_utc()
    where not exists (select from docket_system.viewer w
      where w.root_table = ${record.root}::text and w.record_id = ${record.id}::text and w.user_id = ${userId}::bigint and w.page = ${page}::text
        and w.seen_at >= ${WRITTEN_LATELY})
    on conflict (root_table, record_id, user_id, page) do update
      set seen_at = excluded.seen_at, opened_at = case when v.seen_at < ${EXPIRED} then excluded.opened_at else v.opened_at end
      where v.seen_at < ${WRITTEN_LATELY}
    returning xmax = 0 as "isNew"`)
  if (row?.isNew === true) await dropOldPages(database, userId)
}

/** `skip locked`: pages of the user that are opened at the same time do not wait for each other. */
async function dropOldPages(database: RecordDeps['database'], userId: string): Promise<void> {
  await database.rows(sql`
    delete from docket_system.viewer where ctid = any (array(
      select v.ctid from docket_system.viewer v
      where v.user_id = ${userId}::bigint and (v.seen_at < ${EXPIRED} or v.page in (
        select o.page from docket_system.viewer o where o.user_id = ${userId}::bigint
        order by o.seen_at desc, o.page offset ${MAX_PAGES}))
      for update skip locked))`)
}

async function othersThan(
  deps: RecordDeps,
  principal: Principal,
  { root, id }: OpenRecord,
): Promise<readonly Viewer[]> {
  const readable = readableRecords(deps)
  const [isReadable, isNamed] = await Promise.all([
    readable(principal, 'user'),
    readable(principal, 'user', ['display_name']),
  ])
  const userId = sql`u.sys_id::text`
  return deps.database.rows(sql<Viewer>`
    select u.sys_id::text as "userId", case when ${isNamed(userId)} then u.display_name end as "displayName",
      min(v.opened_at)::text as since
    from docket_system.viewer v join docket."user" u on u.sys_id = v.user_id
    where v.root_table = ${root} and v.record_id = ${id} and v.user_id <> ${principal.userId}::bigint
      and v.seen_at >= ${EXPIRED} and ${isReadable(userId)}
    group by u.sys_id, u.display_name order by min(v.opened_at), u.sys_id limit ${MAX_VIEWERS}::integer`)
}
