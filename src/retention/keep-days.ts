import type { Database } from '../database/database.ts'
import { type Sql, sql } from '../kernel/sql.ts'

/** Classes whose history is kept for the same time. */
export interface KeptClasses {
  /** At least 1. */
  readonly days: number
  /** Of sys_db_table; '0' stands for all tables that the dictionary no longer has. */
  readonly tableIds: readonly string[]
}

const GONE_TABLES = '0'

/**
 * Which history is not kept for ever. A table has the days of its own `history_keep_days`, of the next parent that has some, or of the
 * property `history.keep_days`. Readers of events need everything for `events.keep_days`, so no history ends earlier.
 */
export async function readKeptClasses(
  database: Database,
  properties: ReadonlyMap<string, string>,
): Promise<readonly KeptClasses[]> {
  const eventDays = daysIn(properties.get('events.keep_days') || '30')
  if (eventDays === 0) return []
  const byDefault = daysIn(properties.get('history.keep_days') || '0')
  const rows = await database.rows(sql<{ id: string; days: number | null }>`
    with recursive above as (
      select t.sys_id as class, t.parent_id, t.history_keep_days as days from docket.sys_db_table t
      union all
      select a.class, p.parent_id, p.history_keep_days from above a join docket.sys_db_table p on p.sys_id = a.parent_id where a.days is null)
    select class::text as id, max(days) as days from above group by class order by class`)
  const byDays = new Map<number, string[]>()
  for (const { id, days } of [...rows, { id: GONE_TABLES, days: null }]) {
    const kept = days ?? byDefault
    if (kept === 0) continue
    const longest = Math.max(kept, eventDays)
    byDays.set(longest, [...(byDays.get(longest) ?? []), id])
  }
  return [...byDays].map(([days, tableIds]) => ({ days, tableIds }))
}

const maxDays = 36_500

/** 0: for ever; also if the property is not a number. */
function daysIn(text: string): number {
  const days = Math.trunc(Number(text))
  return Number.isNaN(days) ? 0 : Math.min(Math.max(days, 0), maxDays)
}

/** Whether a change is one of these classes. @param change alias of docket_system.change */
export function isOfClasses(change: string, { tableIds }: KeptClasses): Sql<unknown> {
  const table = sql.ref(`${change}.table_id`)
  const known = sql`${table} = any(${tableIds.filter((id) => id !== GONE_TABLES)}::bigint[])`
  if (!tableIds.includes(GONE_TABLES)) return known
  return sql`(${known} or not exists (select from docket.sys_db_table t where t.sys_id = ${table}))`
}
