import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { RecordDeps } from '../record-deps.ts'

/** What a reader of the log cannot be told any more. */
export interface MissingChanges {
  /** Changes after the position may be cleared away, as far as neither history nor the deletion log shows them. */
  readonly areCleared: boolean
  /** The position belongs to a history of the database that ended before it: after a failover, or a restore. */
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
 * Clears away changes that are older than the property `events.keep_days` says, a part at a time.
 *
 * @returns how many
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
