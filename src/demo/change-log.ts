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

/** As the property events.keep_days says: what is older stays in the log for history alone, and so of audited tables only. */
const keptDays = 30

/** What the log would still hold of these, in order. */
export function inLog(changes: readonly LoggedChange[], { nowMs }: Ground): readonly LoggedChange[] {
  const keptSince = timestamp(nowMs - keptDays * dayMs)
  return changes
    .filter(({ audited, changed_at }) => audited || changed_at > keptSince)
    .toSorted((a, b) => (a.changed_at < b.changed_at ? -1 : Number(a.changed_at > b.changed_at)))
}
