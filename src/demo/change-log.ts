import type { Ground, Row } from './model.ts'
import { dayMs, timestamp } from './working-time.ts'

/** A row of the change log (docs/decisions/0006), with the names of docket_system.change. */
export interface LoggedChange extends Row {
  readonly operation: 'c' | 'u'
  readonly table_id: string
  readonly record_id: string
  /** `YYYY-MM-DD HH:MM:SS` in UTC. */
  readonly changed_at: string
  readonly changed_by: string
  /** For a created record its values, for a changed one [old, new] by column; stored values in the format of the Table API. */
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
 * Whether the log still contains the time: the last 30 days, as in the property events.keep_days. Tickets with changes in this
 * period have their history from their opening on; the history of the others would only slow down the first start.
 */
export const isKept = (atMs: number, { nowMs }: Ground): boolean => atMs > nowMs - keptDays * dayMs
const keptDays = 30

export function byTime(one: LoggedChange, other: LoggedChange): number {
  return one.changed_at < other.changed_at ? -1 : Number(one.changed_at > other.changed_at)
}
