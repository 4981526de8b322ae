import type { Session } from '../database/database.ts'
import type { FollowedCollection, RecordToFollow } from '../follow/fill-followed-collection.ts'
import { sql } from '../kernel/sql.ts'

/** Incidents that are not closed: a reader of an incident finds it by its words, with its solution if it has one. */
export const openIncidents: FollowedCollection = {
  name: 'open-incidents',
  table: 'itsm_incident',
  query: 'active=true',
  template: '{number} {subject}\n\n{description}\n\n{workaround}\n\n{closure_notes}',
  metadata: ['state', 'priority', 'category'],
}

/** The records for the collection. Texts are used as stored. */
export async function readOpenIncidents(session: Session): Promise<readonly RecordToFollow[]> {
  const rows = await session.rows<Readonly<Record<string, string | null>>>(sql`
    select sys_id::text, number, subject, description, workaround, closure_notes, state, priority, category from docket.task
    where active and sys_db_table_id = (select sys_id from docket.sys_db_table where name = ${openIncidents.table})
    order by sys_id`)
  return rows.map((row) => ({ stored: row, displayed: row }))
}
