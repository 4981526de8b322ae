import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { RecordRoom } from '../record-room.ts'

/** Up to here, changes that neither history nor the deletion log shows may be gone. */
export async function clearedPosition(database: Database): Promise<string> {
  const [row] = await database.rows<{ position: string }>(
    sql`select cleared_position as position from docket_system.change_horizon`,
  )
  return row?.position ?? '0'
}

const dayMs = 86_400_000
const atOnce = 5_000

/**
 * Clears away changes that are older than the property `events.keep_days` says, a part at a time.
 *
 * @returns how many
 */
export async function clearChanges({ database, catalog, clock }: RecordRoom): Promise<number> {
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
