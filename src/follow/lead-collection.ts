import { sql } from 'kysely'
import { readSysId } from '../catalog/record-key.ts'
import type { Session } from '../database/database.ts'
import { loadText } from '../documents/load-document.ts'
import type { LoadedPrincipal } from '../identity/load-principal.ts'
import { loadPrincipal } from '../identity/load-principal.ts'
import { answerRecordRequest } from '../records/answer-record-request.ts'
import type { FollowRoom } from './follow-settings.ts'
import { conditionsOn, type NamedRecords } from './name-records.ts'
import { columnsOfTemplate, type ShownRecord, writeMetadata, writeText } from './write-text.ts'

interface Follow {
  readonly collection_id: number
  readonly name: string
  readonly table: string
  readonly query: string
  readonly template: string
  readonly metadata: readonly string[]
  readonly followed_by: string
  readonly position: string
  readonly rebuild: 'records' | 'documents' | null
  readonly rebuild_cursor: string | null
}

/** Changes looked at in one turn, and records asked for at once. */
const changesAtOnce = 500
const recordsAtOnce = 100

/** One follower at a time for each collection; any process may be it. A number of ours, with the collection's added. */
const followLock = 7_236_500_000_000

export async function followedCollections({ documents }: FollowRoom): Promise<readonly number[]> {
  const rows = await documents.database.rows<{
    id: number
  }>(sql`select f.collection_id as id from docket_documents.follow f
    join docket_documents.collection c on c.id = f.collection_id where c.removed_position is null order by 1`)
  return rows.map(({ id }) => id)
}

/**
 * Brings a collection up to the log, then goes on with a comparison that is under way. What was done and not noted, because
 * the process died, is done again, and changes nothing then.
 *
 * @returns whether there is more to do at once
 */
export function leadCollection(room: FollowRoom, collectionId: number): Promise<boolean> {
  return room.documents.database.inTransaction(async (session) => {
    const [row] = await session.rows<{ free: boolean }>(
      sql`select pg_try_advisory_xact_lock(${followLock}::bigint + ${collectionId}) as free`,
    )
    if (row?.free !== true) return false
    const follow = await readFollow(session, collectionId)
    if (follow === undefined) return false
    const holder = await loadPrincipal(session, follow.followed_by)
    if (!holder?.isActive) {
      await note(session, collectionId, 'whoever had the collection follow the table is no longer active')
      return false
    }
    const leading = { room, session, follow, holder }
    const hasMore = await applyChanges(leading)
    return hasMore || (await compareOn(leading))
  })
}

interface Leading {
  readonly room: FollowRoom
  readonly session: Session
  readonly follow: Follow
  readonly holder: LoadedPrincipal
}

async function readFollow(session: Session, collectionId: number): Promise<Follow | undefined> {
  const [row] = await session.rows<Follow>(sql`
    select f.collection_id, c.name, f.table_name as "table", f.query, f.template, f.metadata_columns as metadata, f.followed_by::text,
           f.position::text, f.rebuild, f.rebuild_cursor
    from docket_documents.follow f join docket_documents.collection c on c.id = f.collection_id
    where f.collection_id = ${collectionId} and c.removed_position is null`)
  return row
}

async function applyChanges(leading: Leading): Promise<boolean> {
  const { room, session, follow } = leading
  const catalog = await room.records.catalog.upToDate()
  const family = catalog.tables.get(follow.table)?.family ?? []
  const classes = family.flatMap((name) => catalog.tables.get(name)?.id ?? [])
  const changes = await session.rows<{ position: string; record: string; ours: boolean }>(sql`
    select position::text, record_id as record, table_id = any(${classes}::bigint[]) as ours
    from docket_system.changes_after(${follow.position}::bigint, ${changesAtOnce})`)
  const reached = changes.at(-1)?.position
  if (reached === undefined) return false
  const touched = [...new Set(changes.filter(({ ours }) => ours).map(({ record }) => record))]
  for (const named of conditionsOn(touched, recordsAtOnce)) await settle(leading, named)
  await session.rows(
    sql`update docket_documents.follow set position = ${reached}::bigint where collection_id = ${follow.collection_id}`,
  )
  return changes.length === changesAtOnce
}

/** Makes the documents of these records what the records are now: there with this text, or not there. */
async function settle(leading: Leading, { sysIds, condition }: NamedRecords): Promise<void> {
  const records = await askRecords(leading, condition, null)
  for (const record of records.rows) await loadRecord(leading, record)
  const there = new Set(records.rows.map(({ sys_id }) => String(sys_id)))
  await removeDocuments(
    leading,
    sysIds.filter((id) => !there.has(id)),
  )
}

async function loadRecord({ room, session, follow, holder }: Leading, record: LoadedRecord): Promise<void> {
  const loaded = await loadText(room.documents, holder.principal, {
    collectionName: follow.name,
    metadata: writeMetadata(follow.table, follow.metadata, record),
    text: writeText(follow.template, record.shown),
  })
  if (loaded.ok) return
  // What passes is tried again with all of this turn; what does not must not hold up the others.
  if (loaded.error.kind === 'unavailable') throw new Error(`record ${record.sys_id}: ${loaded.error.detail}`)
  await note(session, follow.collection_id, `record ${record.sys_id}: ${JSON.stringify(loaded.error)}`)
}

/** Past the rights of documents: the record may be gone already, and its document with it from everybody's view. */
async function removeDocuments({ room, follow }: Leading, docIds: readonly string[]): Promise<void> {
  if (docIds.length === 0) return
  const { database, clock, index } = room.documents
  const now = new Date(clock.nowMs()).toISOString().slice(0, 23)
  const removed = await database.rows(sql`
    select docket_documents.remove_document(d.collection_id, d.doc_id, ${now}::timestamp) as position
    from docket_documents.document d
    where d.collection_id = ${follow.collection_id} and d.doc_id = any(${docIds}::text[]) and d.removed_position is null`)
  if (removed.length > 0) await index.catchUp()
}

// ── comparing with the whole table ──

async function compareOn(leading: Leading): Promise<boolean> {
  const { follow } = leading
  if (follow.rebuild === null) return false
  return follow.rebuild === 'records' ? compareRecords(leading) : compareDocuments(leading)
}

/** A page of the table's records: each has its document. */
async function compareRecords(leading: Leading): Promise<boolean> {
  const { follow, session } = leading
  const page = await askRecords(leading, '', follow.rebuild_cursor ?? '*')
  for (const record of page.rows) await loadRecord(leading, record)
  const stage = page.next === null ? 'documents' : 'records'
  await session.rows(sql`update docket_documents.follow set rebuild = ${stage}, rebuild_cursor = ${page.next}::text
    where collection_id = ${follow.collection_id}`)
  return true
}

/** A page of the documents: each has its record. */
async function compareDocuments(leading: Leading): Promise<boolean> {
  const { follow, session } = leading
  const documents = await session.rows<{ id: string }>(sql`
    select doc_id as id from docket_documents.document
    where collection_id = ${follow.collection_id} and removed_position is null and doc_id > ${follow.rebuild_cursor ?? ''}
    order by doc_id limit ${recordsAtOnce}`)
  const ids = documents.map(({ id }) => id)
  const key = (await leading.room.records.catalog.upToDate()).tables.get(follow.table)?.key
  const records = key === undefined ? [] : ids.filter((id) => readSysId(id, key) !== null)
  const known = new Set<string>()
  for (const { condition } of conditionsOn(records, recordsAtOnce)) {
    const there = await askRecords(leading, condition, null)
    for (const { sys_id } of there.rows) known.add(String(sys_id))
  }
  // Whatever else was loaded into a collection that follows a table is not of the table.
  await removeDocuments(
    leading,
    ids.filter((id) => !known.has(id)),
  )
  const last = ids.at(-1)
  await session.rows(sql`update docket_documents.follow set rebuild = ${last === undefined ? null : 'documents'}::text,
    rebuild_cursor = ${last ?? null}::text where collection_id = ${follow.collection_id}`)
  return last !== undefined
}

// ── asking for records ──

interface LoadedRecord extends ShownRecord {
  readonly sys_id: unknown
  /** As people read it. */
  readonly shown: ShownRecord
}

interface RecordPage {
  readonly rows: readonly LoadedRecord[]
  readonly next: string | null
}

/** Records by the Table API's own way, with the rights of whoever had the collection follow the table. */
async function askRecords(
  { room, follow, holder }: Leading,
  narrowed: string,
  cursor: string | null,
): Promise<RecordPage> {
  const query = [narrowed, follow.query === '' ? '' : `(${follow.query})`].filter((part) => part !== '').join('^')
  const fields = [...new Set(['sys_id', ...columnsOfTemplate(follow.template), ...follow.metadata])]
  const answer = await answerRecordRequest(room.records, {
    operation: 'list',
    table: follow.table,
    sysId: null,
    parameters: new Map([
      ['sysparm_query', query],
      ['sysparm_fields', fields.join(',')],
      ['sysparm_display_value', 'all'],
      ['sysparm_exclude_reference_link', '1'],
      ['sysparm_no_count', '1'],
      ['sysparm_limit', String(recordsAtOnce)],
      ...(cursor === null ? [] : [['sysparm_cursor', cursor] as const]),
    ]),
    body: undefined,
    principal: holder.principal,
    identityEpoch: holder.identityEpoch,
    baseUrl: '',
    ifMatch: null,
  })
  // Also when roles changed a moment ago: the turn is made again.
  if (!answer.ok) throw new Error(`the records cannot be read: ${JSON.stringify(answer.error)}`)
  const { data } = JSON.parse(answer.value.body) as {
    readonly data: readonly Readonly<Record<string, { readonly value: unknown; readonly display_value: unknown }>>[]
  }
  const part = (record: (typeof data)[number], which: 'value' | 'display_value'): ShownRecord =>
    Object.fromEntries(Object.entries(record).map(([name, both]) => [name, both[which]]))
  return {
    rows: data.map((record) => ({
      ...part(record, 'value'),
      sys_id: record['sys_id']?.value,
      shown: part(record, 'display_value'),
    })),
    next: answer.value.headers['x-next-cursor'] ?? null,
  }
}

async function note(session: Session, collectionId: number, error: string): Promise<void> {
  await session.rows(
    sql`update docket_documents.follow set error = ${error.slice(0, 2_000)} where collection_id = ${collectionId}`,
  )
}
