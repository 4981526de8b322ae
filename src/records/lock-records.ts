import { isHierarchyColumn } from '../catalog/hierarchy-column.ts'
import type { Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'
import { sysIdOf } from './plan/read-condition-value.ts'
import { readSource } from './plan/value-source.ts'
import type { PreparedRequest } from './run/prepare-request.ts'
import { lockedRow, placeOf } from './sql/adopted-storage.ts'
import { regclassOf } from './sql/write-hierarchy.ts'

/**
 * Locks records in the order of their sys_ids, so that requests do not deadlock. Locks the hierarchy first if a single write
 * would do so before it locks its row.
 */
export async function lockRecords(
  session: Session,
  ids: readonly string[],
  { authorized, bound }: PreparedRequest,
): Promise<void> {
  const { table, writes, catalog } = authorized
  if (writes.some(({ column }) => isHierarchyColumn(column, table, catalog)))
    await session.rows(sql`select docket_system.lock_hierarchy(${regclassOf(table)})`)
  if (table.adopted === null) {
    await session.rows(
      sql`select from ${placeOf(table)} where sys_id = any(${ids}::bigint[]) order by sys_id for update`,
    )
    return
  }
  for (const id of ids.toSorted()) {
    const key = readSource(sysIdOf(table), bound.caller, { ...bound.values, sysId: id })
    if (key.ok) await session.rows(sql`select from ${lockedRow(table, sql`${key.value[0]}`)} as locked`)
  }
}
