import type { Session } from '../../src/database/database.ts'
import { sql } from '../../src/kernel/sql.ts'

/**
 * Documents like the first one of the collection, written past the server and in one step of the change log. Each says `toner`.
 *
 * @param name their doc_ids are this and a number
 */
export async function addCopies(session: Session, collection: string, count: number, name = 'copy'): Promise<void> {
  const source = await firstDocumentOf(session, collection)
  await session.rows(sql`
    with next as (select docket_documents.next_position() as position),
    copies as (
      insert into docket_documents.document
      select (jsonb_populate_record(d, jsonb_build_object('id', nextval('docket_documents.document_id'),
        'doc_id', ${name}::text || '-' || n, 'added_position', next.position,
        'filter_values', d.filter_values || jsonb_build_object('doc_id', jsonb_build_array(lower(${name}::text || '-' || n)))))).*
      from docket_documents.document d, next, generate_series(1, ${count}::integer) as n where d.id = ${source}
      returning id
    ), chunks as (
      insert into docket_documents.chunk
      select (jsonb_populate_record(c, jsonb_build_object('document_id', copies.id, 'text', 'toner copy ' || copies.id))).*
      from copies, docket_documents.chunk c where c.document_id = ${source}
    )
    select docket_documents.reach_position(next.position) from next`)
}

export async function firstDocumentOf(session: Session, collection: string): Promise<number> {
  const [row] = await session.rows(sql<{ id: string }>`
    select min(d.id) as id from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
    where c.name = ${collection} and c.removed_position is null and d.removed_position is null`)
  return Number(row?.id)
}
