import { sql } from 'kysely'
import type { Session } from '../database/database.ts'

/** A table that only administrators can use, because nobody wrote a rule for it. */
export interface TableWithoutRules {
  readonly table: string
  /** Operations that no active rule of the table or of its ancestors decides. */
  readonly operations: readonly string[]
}

/** By name. Rules for `*` do not count: they hold for every table, also for one that nobody thought of. Tables of Docket itself (`sys_…`) are left out. */
export function findTablesWithoutRules(session: Session): Promise<readonly TableWithoutRules[]> {
  return session.rows<TableWithoutRules>(sql`
    with recursive lineage as (
      select t.name, t.name as level, t.parent_id from docket.sys_db_table t
      union all
      select l.name, p.name, p.parent_id from lineage l join docket.sys_db_table p on p.sys_id = l.parent_id
    )
    select l.name as "table", array_agg(distinct o.operation order by o.operation) as operations
    from docket.sys_db_table l cross join unnest(array['create', 'delete', 'read', 'write']) as o (operation)
    where l.name not like 'sys\_%' and not exists (
      select from lineage g join docket.sys_security_acl r on r.table_name = g.level
      where g.name = l.name and r.active and r.column_name is null and r.operation = o.operation)
    group by l.name order by l.name collate "C"`)
}
