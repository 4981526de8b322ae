import { LOCKS } from '../database/advisory-locks.ts'
import type { Database, Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { type ExportPlaces, exportLines } from './export-changes.ts'
import { type KeptClasses, readKeptClasses } from './keep-days.ts'
import {
  type BatchSize,
  keepPreviousStates,
  lockRemovable,
  type RemovableChange,
  type RemovableRange,
  removeChanges,
} from './removable-changes.ts'

export interface RetentionDeps {
  readonly records: Pick<RecordDeps, 'database' | 'catalog' | 'clock'>
  readonly places: ExportPlaces
  readonly batch?: BatchSize
  readonly onRemoved: (removed: RemovedHistory) => void
}

/** What a turn removed of classes with the same days. */
export interface RemovedHistory {
  /** UTC: all their changes before it are removed. */
  readonly before: string
  readonly changes: number
  readonly files: number
  readonly bytes: number
}

/** Some megabytes of memory, and some tenths of a second for which rows of the log are locked. */
const usualBatch: BatchSize = { maxChanges: 10_000, maxBytes: 16_777_216 }

/** A first turn may have to look at the changes of years. */
const statementTimeoutMs = 600_000

const dayMs = 86_400_000

/**
 * Removes history that is older than its table keeps it: exports a batch, reads the file back, and deletes exactly these changes in the
 * same transaction. What a killed process had exported but not deleted is exported again. One process at a time works.
 *
 * Whole days end at midnight UTC, so each day is removed once.
 */
export async function removeOldHistory(deps: RetentionDeps, stopping?: AbortSignal): Promise<void> {
  const { database, catalog, clock } = deps.records
  const { properties } = await catalog.upToDate()
  for (const kept of await readKeptClasses(database, properties)) {
    const midnight = Math.floor(clock.nowMs() / dayMs) * dayMs
    const to = new Date(midnight - kept.days * dayMs).toISOString().slice(0, 19).replace('T', ' ')
    const from = await announce(database, kept, to)
    if (from !== null) await removeRange(deps, { kept, from, to }, stopping)
  }
}

/**
 * Before anything is removed, readers of history learn that it is.
 *
 * @returns the time from which on changes may be left; null: none is, or another process is at work
 */
function announce(database: Database, { tableIds }: KeptClasses, to: string): Promise<string | null> {
  return database.inTransaction(async (session) => {
    if ((await lockRemoval(session)) === null) return null
    const ids = [...tableIds]
    await session.rows(sql`
      insert into docket_system.history_retention as r (table_id, removed_before) select unnest(${ids}::bigint[]), ${to}::timestamp
      on conflict (table_id) do update set removed_before = excluded.removed_before where r.removed_before < excluded.removed_before`)
    // A day earlier: a transaction may have lasted until after the last turn.
    const [row] = await session.rows(sql<{ begin: string }>`
      select (min(s.swept) - interval '1 day')::text as begin
      from docket_system.history_retention r
      cross join lateral (select case when r.is_brought then '-infinity' else r.swept_before end as swept) as s
      where r.table_id = any(${ids}::bigint[]) having min(s.swept) < ${to}::timestamp`)
    if (row === undefined) return null
    await session.rows(sql`
      update docket_system.history_retention set is_brought = false where table_id = any(${ids}::bigint[]) and is_brought`)
    return row.begin
  })
}

/**
 * One process at a time removes, and none while a transaction brings history along.
 *
 * @returns the committed watermark of the log; null: not now
 */
async function lockRemoval(session: Session): Promise<string | null> {
  await session.rows(sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true)`)
  const [lock] = await session.rows(sql<{ is_held: boolean; up_to: string }>`
    select pg_try_advisory_xact_lock(${LOCKS.historyRemoval}) as is_held, docket_system.committed_watermark()::text as up_to`)
  return lock?.is_held === true ? lock.up_to : null
}

async function removeRange(
  deps: RetentionDeps,
  range: Omit<RemovableRange, 'upTo'>,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const removed = { changes: 0, files: 0, bytes: 0 }
  try {
    for (let { from } = range; stopping?.aborted !== true; ) {
      const turn = await removeBatch(deps, { ...range, from })
      if (turn === null || turn.changes === 0) return
      removed.changes += turn.changes
      removed.files += 1
      removed.bytes += turn.bytes
      from = turn.reached
    }
  } finally {
    if (removed.changes > 0) deps.onRemoved({ before: range.to, ...removed })
  }
}

interface RemovedBatch {
  readonly changes: number
  readonly bytes: number
  /** Time of the last change of the batch. */
  readonly reached: string
}

/** @returns null if another process is at work */
function removeBatch(deps: RetentionDeps, range: Omit<RemovableRange, 'upTo'>): Promise<RemovedBatch | null> {
  const { database } = deps.records
  return database.inTransaction(async (session) => {
    const upTo = await lockRemoval(session)
    if (upTo === null) return null
    const found = await lockRemovable(session, { ...range, upTo }, deps.batch ?? usualBatch)
    const last = found.at(-1)
    if (last === undefined) {
      await recordSwept(session, range)
      return { changes: 0, bytes: 0, reached: range.to }
    }
    const bytes = await exportAndRemove(session, found, deps)
    return { changes: found.length, bytes, reached: last.changedAt }
  })
}

/** @returns the size of the file */
async function exportAndRemove(
  session: Session,
  found: readonly RemovableChange[],
  { places, records }: RetentionDeps,
): Promise<number> {
  const positions = found.map(({ position }) => position)
  const [first, last] = [found[0]?.changedAt ?? '', found.at(-1)?.changedAt ?? '']
  const name = `changes-${first.slice(0, 10)}-${positions[0]}-${positions.at(-1)}`
  const lines = found.map(({ line }) => line)
  const file = await exportLines(lines, places, { name, now: new Date(records.clock.nowMs()) })
  await session.rows(sql`
    insert into docket_system.history_export (first_changed_at, last_changed_at, changes, bytes, hash, path)
    values (${first}::timestamp, ${last}::timestamp, ${found.length}, ${file.bytes}, ${file.hash}, ${file.path}::text)`)
  await keepPreviousStates(session, positions)
  const removed = await removeChanges(session, positions)
  if (removed !== found.length)
    throw new Error(`${found.length} changes were exported, ${removed} of them could be removed`)
  return file.bytes
}

/** The next turn begins here, unless history was imported meanwhile: its changes may have any time. */
function recordSwept(session: Session, { kept, to }: Omit<RemovableRange, 'upTo'>): Promise<unknown> {
  return session.rows(sql`
    update docket_system.history_retention set swept_before = ${to}::timestamp
    where table_id = any(${[...kept.tableIds]}::bigint[]) and swept_before < ${to}::timestamp and not is_brought`)
}
