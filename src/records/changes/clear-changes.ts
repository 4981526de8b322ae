import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { RecordDeps } from '../record-deps.ts'

/** Changes that a reader of the log can no longer get. */
export interface MissingChanges {
  /** Changes after the sequence number may be deleted, unless the history or the deletion log needs them. */
  readonly areCleared: boolean
  /** The sequence number belongs to a history of the database that ended before it, after a failover or a restore. */
  readonly areOfLostHistory: boolean
}

export async function missingAfter(database: Database, position: string): Promise<MissingChanges> {
  const [row] = await database.rows<{ are_cleared: boolean; are_lost: boolean }>(sql`
    select h.cleared_position > ${position}::bigint as are_cleared, exists (
      select from docket_system.database_history b where b.fork_position < ${position}::bigint and b.first_position > ${position}::bigint
    ) as are_lost
    from docket_system.change_horizon h`)
  return { areCleared: row?.are_cleared === true, areOfLostHistory: row?.are_lost === true }
}

const dayMs = 86_400_000
const atOnce = 5_000

/**
 * Deletes changes older than the property `events.keep_days`, in chunks.
 *
 * @returns how many were deleted
 */
export async function clearChanges({ database, catalog, clock }: RecordDeps): Promise<number> {
  const { properties } = await catalog.upToDate()
  const days = Number(properties.get('events.keep_days') || '30')
  if (!(days > 0)) return 0
  const olderThan = new Date(clock.nowMs() - days * dayMs).toISOString().slice(0, 19)
  for (let cleared = 0; ; ) {
    const [row] = await database.rows<{ gone: number }>(
      sql`select docket_system.clear_changes(${olderThan}::timestamp, ${atOnce}) as gone`,
    )
    cleared += row?.gone ?? 0
    if ((row?.gone ?? 0) < atOnce) return cleared
  }
}
