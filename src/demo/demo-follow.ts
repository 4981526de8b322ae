import { sql } from 'kysely'
import type { Session } from '../database/database.ts'
import type { FollowedCollection, RecordToFollow } from '../follow/fill-followed-collection.ts'

/** Incidents that are not closed: whoever may read one finds it by its words, with its solution once it has one. */
export const openIncidents: FollowedCollection = {
  name: 'open-incidents',
  table: 'itsm_incident',
  query: 'active=true',
  template: '{number} {subject}\n\n{description}\n\n{workaround}\n\n{closure_notes}',
  metadata: ['state', 'priority', 'category'],
}

/** Those of the records that the collection is to hold. Its texts are shown as they are stored. */
export async function readOpenIncidents(session: Session): Promise<readonly RecordToFollow[]> {
  const rows = await session.rows<Readonly<Record<string, string | null>>>(sql`
    select sys_id::text, number, subject, description, workaround, closure_notes, state, priority, category from docket.task
    where active and sys_db_table_id = (select sys_id from docket.sys_db_table where name = ${openIncidents.table})
    order by sys_id`)
  return rows.map((row) => ({ stored: row, displayed: row }))
}
