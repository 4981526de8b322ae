import type { Session } from '../database/database.ts'
import { fillCollections } from '../documents/fill-collections.ts'
import { sql } from '../kernel/sql.ts'
import type { FollowSettings } from './follow-definition.ts'
import { type DisplayedRecord, pathsOfTemplate, writeMetadata, writeText } from './write-text.ts'

/** A built-in collection and the table that it follows. */
export interface FollowedCollection extends Omit<FollowSettings, 'exposed'> {
  readonly name: string
}

/** A record as the Table API returns it to the user who set up following. */
export interface RecordToFollow {
  /** Stored values, with sys_id. */
  readonly stored: DisplayedRecord
  /** Display values. */
  readonly displayed: DisplayedRecord
}

/**
 * Creates a collection that follows a table, with a document for each of these records, in the caller's transaction: before any
 * process serves, when nobody else writes. It follows the log from its current end.
 *
 * @param by sys_id of the user who counts as having set it up
 */
export async function fillFollowedCollection(
  session: Session,
  followed: FollowedCollection,
  records: readonly RecordToFollow[],
  { by, now }: { readonly by: string; readonly now: Date },
): Promise<void> {
  const { name, table, query, template, metadata } = followed
  const texts = records.map(({ stored, displayed }) => ({
    metadata: writeMetadata(table, metadata, stored) as Readonly<Record<string, string | number | boolean>>,
    text: writeText(template, displayed),
  }))
  await fillCollections(session, [{ name, texts }], { by, now })
  const at = now.toISOString().slice(0, 23)
  // The first process starts a full resync, which knows the dictionary and finds what else guards the documents.
  const guards = [...new Set([...pathsOfTemplate(template), ...metadata])]
  await session.rows(sql`
    update docket_documents.collection set acl_table = ${table}, acl_columns = ${guards}::text[] where name = ${name} and removed_position is null`)
  await session.rows(sql`
    insert into docket_documents.follow (collection_id, table_name, query, template, metadata_columns, followed_by, position, updated_at)
    select c.id, ${table}, ${query}, ${template}, ${[...metadata]}::text[], ${by}::bigint,
           (select coalesce(max(l.position), 0) from docket_system.change l), ${at}::timestamp
    from docket_documents.collection c where c.name = ${name} and c.removed_position is null`)
}
