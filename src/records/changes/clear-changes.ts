import type { Database } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { RecordDeps } from '../record-deps.ts'

/** Whether the sequence number belongs to a history of the database that ended before it, after a failover or a restore. */
export async function isOfLostHistory(database: Database, position: string): Promise<boolean> {
  const [row] = await database.rows<{ is_lost: boolean }>(sql`
    select exists (
      select from docket_system.database_history b where b.fork_position < ${position}::bigint and b.first_position > ${position}::bigint
    ) as is_lost`)
  return row?.is_lost === true
}

const dayMs = 86_400_000
/** A longer time may begin before all dates. */
const maxDays = 36_500
/** Changes that one transaction looks at. */
const atOnce = 10_000

/** Deletes changes older than the property `events.keep_days` that neither history nor the deletion log needs. */
export async function clearChanges({ database, catalog, clock }: RecordDeps): Promise<void> {
  const { properties } = await catalog.upToDate()
  const days = Math.min(Math.trunc(Number(properties.get('events.keep_days') || '30')), maxDays)
  if (!(days > 0)) return
  const olderThan = new Date(clock.nowMs() - days * dayMs).toISOString().slice(0, 19)
  for (;;) {
    const [row] = await database.rows<{ passed: number }>(
      sql`select docket_system.sweep_changes(${olderThan}::timestamp, ${atOnce}) as passed`,
    )
    if ((row?.passed ?? 0) < atOnce) return
  }
}
