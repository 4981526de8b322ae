import { PREVIOUS_STATE } from '../catalog/build-state-models.ts'
import type { Session } from '../database/database.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { isOfClasses, type KeptClasses } from './keep-days.ts'

/** A change as it is exported. */
export interface RemovableChange {
  readonly position: string
  readonly changedAt: string
  /** The change as a line of JSON. */
  readonly line: string
}

export interface RemovableRange {
  readonly kept: KeptClasses
  /** Times of changes in UTC; `to` is exclusive. `from` may be `-infinity`. */
  readonly from: string
  readonly to: string
  /** Committed watermark of the log: changes beyond it may be followed by earlier ones. */
  readonly upTo: string
}

/** A batch is held in memory. */
export interface BatchSize {
  readonly maxChanges: number
  /** As the database stores them; the first change may have more. */
  readonly maxBytes: number
}

/** The oldest changes of history and deletion log in the range, locked until the transaction ends. */
export function lockRemovable(
  session: Session,
  range: RemovableRange,
  { maxChanges, maxBytes }: BatchSize,
): Promise<readonly RemovableChange[]> {
  // Each half reads one index in order.
  const oldest = (flags: Sql<unknown>): Sql<unknown> => sql`
    (select c.position, c.changed_at, pg_column_size(c.changes) as bytes from docket_system.change c
      where ${flags} and c.changed_at >= ${range.from}::timestamp and c.changed_at < ${range.to}::timestamp
        and c.position <= ${range.upTo}::bigint and ${isOfClasses('c', range.kept)}
      order by c.changed_at limit ${maxChanges})`
  return session.rows(sql<RemovableChange>`
    with found as (
      ${oldest(sql`c.audited`)} union all ${oldest(sql`c.deletion_logged and not c.audited`)}),
    numbered as (
      select f.position, row_number() over w as number, sum(f.bytes) over w as bytes from found f
      window w as (order by f.changed_at, f.position))
    select c.position::text, c.changed_at::text as "changedAt", json_build_object('position', c.position::text,
        'operation', case c.operation when 'c' then 'create' when 'u' then 'update' else 'delete' end,
        'table', (select t.name from docket.sys_db_table t where t.sys_id = c.table_id), 'table_id', c.table_id::text,
        'record_id', c.record_id, 'changed_at', c.changed_at::text, 'changed_by', c.changed_by::text, 'changes', c.changes,
        'audited', c.audited, 'deletion_logged', c.deletion_logged, 'migrated', c.migrated)::text as line
    from docket_system.change c
    where c.position = any(array(
      select n.position from numbered n where n.number = 1 or (n.number <= ${maxChanges} and n.bytes <= ${maxBytes})))
    order by c.changed_at, c.position for update of c`)
}

/**
 * Of records that wait in a state from which they return to the one before: stores the state before, which the log no longer has.
 * Those of deleted records go.
 */
export async function keepPreviousStates(session: Session, positions: readonly string[]): Promise<void> {
  const removed = sql`docket_system.change c where c.position = any(${[...positions]}::bigint[])`
  await session.rows(sql`
    insert into docket_system.previous_state (table_id, record_id, state, previous)
    select distinct on (c.record_id, c.table_id, w.state) c.table_id, c.record_id, w.state, c.changes -> 'state' ->> 0
    from docket_system.change c
    join (select distinct from_state as state from docket.sys_state_transition where to_state = ${PREVIOUS_STATE}) w
      on w.state = c.changes -> 'state' ->> 1
    where c.position = any(${[...positions]}::bigint[]) and c.operation = 'u'
      and not exists (select from docket_system.change l where l.record_id = c.record_id and l.table_id = c.table_id
        and l.position > c.position and (l.operation = 'd' or l.changes ? 'state'))
    order by c.record_id, c.table_id, w.state, c.position desc
    on conflict (record_id, table_id, state) do update set previous = excluded.previous`)
  await session.rows(sql`
    delete from docket_system.previous_state p using ${removed} and c.operation = 'd'
      and p.record_id = c.record_id and p.table_id = c.table_id`)
}

/** @returns how many were removed */
export async function removeChanges(session: Session, positions: readonly string[]): Promise<number> {
  const [row] = await session.rows(sql<{ removed: number }>`
    with removed as (
      delete from docket_system.change c where c.position = any(${[...positions]}::bigint[]) returning c.position),
    horizon as (
      -- Readers of events that have not come this far begin anew.
      update docket_system.change_horizon set cleared_position = greatest(cleared_position, (select max(r.position) from removed r)))
    select count(*)::integer as removed from removed`)
  return row?.removed ?? 0
}
