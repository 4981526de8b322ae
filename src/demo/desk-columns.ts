import type { Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'
import { recordDemoIds } from './demo-record.ts'

/** How the demo desk sets columns of tasks: a ticket has a subject, and whoever opens it without naming a caller is the caller. */
const deskColumns = JSON.stringify([
  { name: 'subject', mandatory: true, default_value: null },
  { name: 'caller', mandatory: false, default_value: 'javascript:gs.getUserID()' },
])

const desk = sql`(select t.sys_id as table_id, d.* from docket.sys_db_table t,
  jsonb_to_recordset(${deskColumns}::jsonb) as d (name text, mandatory boolean, default_value text) where t.name = 'task')`

/** Recorded for the removal in place of a table. */
const recordedAs = 'columns of tasks'

/** Changes the built-in columns, in the transaction that fills the desk. */
export async function setDeskColumns(session: Session): Promise<void> {
  const changed = await session.rows<{ readonly id: string }>(sql`
    update docket.sys_db_column c set mandatory = d.mandatory, default_value = d.default_value from ${desk} as d
    where c.table_id = d.table_id and c.column_name = d.name returning c.sys_id::text as id`)
  await recordDemoIds(session, { [recordedAs]: changed.map(({ id }) => id) })
}

/** Changes them back, except where an administrator has changed them since. */
export async function resetDeskColumns(session: Session): Promise<void> {
  await session.rows(sql`
    update docket.sys_db_column c set mandatory = false, default_value = null from ${desk} as d, docket_system.demo_record r
    where c.table_id = d.table_id and c.column_name = d.name and r.storage_table = ${recordedAs} and c.sys_id = any (r.ids)
      and c.mandatory = d.mandatory and c.default_value is not distinct from d.default_value`)
}
