import { readSysId } from '../column-types/record-key.ts'
import { sql } from '../kernel/sql.ts'
import { followedCondition } from './follow-definition.ts'
import { conditionsOn } from './name-records.ts'
import { loadRecords, removeDocuments, type SyncTurn } from './reconcile-documents.ts'
import { recordsAtOnce, selectRecords } from './select-records.ts'

/**
 * Compares a collection with the whole table, one page per turn: first that each record has its document, then that each document
 * has its record. Also starts when the last full resync is long ago.
 *
 * @returns whether there is more to do now
 */
export async function continueResync(turn: SyncTurn): Promise<boolean> {
  switch (turn.follow.rebuild) {
    case 'records':
      return compareRecords(turn)
    case 'documents':
      return compareDocuments(turn)
    default:
      return beginResyncWhenDue(turn)
  }
}

async function beginResyncWhenDue({ deps, session, follow }: SyncTurn): Promise<boolean> {
  const { properties } = await deps.records.catalog.current()
  const hours = Number(properties.get('follow.compare_hours') || '24')
  if (!(hours > 0) || follow.compared_at === null) return false
  const sinceMs = deps.records.clock.nowMs() - Date.parse(`${follow.compared_at.replace(' ', 'T')}Z`)
  if (sinceMs < hours * 3_600_000) return false
  await session.rows(sql`update docket_documents.follow set rebuild = 'records', rebuild_cursor = null, rebuild_mended = 0, error = null
    where collection_id = ${follow.collection_id}`)
  return true
}

async function compareRecords(turn: SyncTurn): Promise<boolean> {
  const { deps, session, follow, runAs, definition } = turn
  const page = await selectRecords({
    records: deps.records,
    runAs,
    table: follow.table,
    conditions: [followedCondition(follow.query)],
    fields: definition.displayed,
    cursor: follow.rebuild_cursor ?? '*',
  })
  const repaired = await loadRecords(turn, page.rows)
  const stage = page.next === null ? 'documents' : 'records'
  await session.rows(sql`update docket_documents.follow set rebuild = ${stage}, rebuild_cursor = ${page.next}::text,
    rebuild_mended = rebuild_mended + ${repaired} where collection_id = ${follow.collection_id}`)
  return true
}

async function compareDocuments(turn: SyncTurn): Promise<boolean> {
  const { deps, session, follow, runAs, definition } = turn
  const documents = await session.rows<{ id: string }>(sql`
    select doc_id as id from docket_documents.document
    where collection_id = ${follow.collection_id} and removed_position is null and doc_id > ${follow.rebuild_cursor ?? ''}
    order by doc_id limit ${recordsAtOnce}`)
  const ids = documents.map(({ id }) => id)
  const records = ids.filter((id) => readSysId(id, definition.table.key) !== null)
  const known = new Set<string>()
  for (const { condition } of conditionsOn(records, recordsAtOnce)) {
    const conditions = [condition, followedCondition(follow.query)]
    const requested = { records: deps.records, runAs, table: follow.table, conditions, fields: [], cursor: null }
    for (const { sys_id } of (await selectRecords(requested)).rows) known.add(String(sys_id))
  }
  // Documents that were loaded otherwise into a followed collection do not belong to the table.
  const strangers = ids.filter((id) => !known.has(id))
  const repaired = await removeDocuments(deps, follow.collection_id, strangers)
  const last = ids.at(-1)
  if (last === undefined) {
    await endResync(turn)
    return false
  }
  await session.rows(sql`update docket_documents.follow set rebuild_cursor = ${last}, rebuild_mended = rebuild_mended + ${repaired}
    where collection_id = ${follow.collection_id}`)
  return true
}

/** Every document now matches the settings, so only the columns that they name guard it. */
async function endResync({ deps, session, follow, definition }: SyncTurn): Promise<void> {
  const now = new Date(deps.records.clock.nowMs()).toISOString().slice(0, 23)
  const [ended] = await session.rows<{ repaired: number }>(sql`
    update docket_documents.follow f set rebuild = null, rebuild_cursor = null, mended = f.rebuild_mended, compared_at = ${now}::timestamp
    where collection_id = ${follow.collection_id} returning f.mended as repaired`)
  await session.rows(sql`update docket_documents.collection set acl_columns = ${[...definition.guards]}::text[]
    where id = ${follow.collection_id} and acl_columns is distinct from ${[...definition.guards]}::text[]`)
  const isFirst = follow.compared_at === null
  if (ended !== undefined && ended.repaired > 0 && !isFirst) deps.onRepaired(follow.name, ended.repaired)
}
