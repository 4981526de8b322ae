import type { Ground, Row } from './model.ts'
import { dayMs, timestamp } from './working-time.ts'

/** A row of the log of changes (docs/decisions/0006), by the names of docket_system.change. */
export interface LoggedChange extends Row {
  readonly operation: 'c' | 'u'
  readonly table_id: string
  readonly record_id: string
  /** `YYYY-MM-DD HH:MM:SS` in UTC. */
  readonly changed_at: string
  readonly changed_by: string
  /** Of a created record its values, of a changed one [old, new] by column; as the Table API shows stored values. */
  readonly changes: Row
  readonly audited: boolean
}

export function logged({
  atMs,
  by,
  ...rest
}: Omit<LoggedChange, 'changed_at' | 'changed_by'> & { readonly atMs: number; readonly by: string }): LoggedChange {
  return { ...rest, changed_at: timestamp(atMs), changed_by: by } as LoggedChange
}

/**
 * What the log still has: the last 30 days, as the property events.keep_days says. Tickets that something happened to since
 * then have their history from their opening on; that of all others would only make the first start slower.
 */
export const isKept = (atMs: number, { nowMs }: Ground): boolean => atMs > nowMs - keptDays * dayMs
const keptDays = 30

export function byTime(one: LoggedChange, other: LoggedChange): number {
  return one.changed_at < other.changed_at ? -1 : Number(one.changed_at > other.changed_at)
}
