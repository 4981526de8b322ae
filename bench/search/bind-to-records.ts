import type { Session } from '../../src/database/database.ts'
import { sql } from '../../src/kernel/sql.ts'
import { firstRecordId, seedRecords } from './callers.ts'

/** Binds a collection to tasks: each of its documents belongs to one, and the reader sees every other one. */
export async function bindToRecords(session: Session, collection: string, documents: number): Promise<void> {
  await session.rows(sql`
    update docket_documents.document d set record_id = (${firstRecordId}::bigint + n.place - 1)::text
    from (
      select o.id, row_number() over (order by o.id) as place
      from docket_documents.document o join docket_documents.collection c on c.id = o.collection_id where c.name = ${collection}
    ) n where n.id = d.id`)
  await session.rows(sql`update docket_documents.collection set acl_table = 'task' where name = ${collection}`)
  await seedRecords(session, documents)
  await session.rows(sql`vacuum analyze`)
}
