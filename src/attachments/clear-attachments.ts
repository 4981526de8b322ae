import { mayRemoveBlobs } from '../database/keep-blobs.ts'
import { sql } from '../kernel/sql.ts'
import { fits } from '../records/run/adopted-table-drift.ts'
import { storageOf } from '../records/sql/adopted-storage.ts'
import type { Expression } from '../records/sql/expression.ts'
import { Row } from '../records/sql/from-clause.ts'
import { type AttachmentServiceDeps, utc } from './attachment-deps.ts'

const rowsOfTurn = 1_000
const blobsOfTurn = 100
/** An upload takes at most ten minutes, and a row names its file soon after. */
const untouchedMs = 3_600_000

/**
 * Removes files whose record is gone (deleted by another program, or while the file was uploaded), bytes that neither a row nor an
 * export of removed history names, and journal entries whose record is gone: a DELETE that waits for a writer of the record does not see
 * the entry that this writer adds.
 */
export async function clearAttachments(deps: AttachmentServiceDeps): Promise<void> {
  while ((await clearRows(deps, FILES)) > 0);
  while ((await clearRows(deps, ENTRIES)) > 0);
  while ((await clearBlobs(deps)) > 0);
}

interface RowsOfRecords {
  readonly table: string
  /** What happens with the deleted rows, `gone`. */
  readonly log: Expression
}

const FILES: RowsOfRecords = {
  table: 'sys_attachment',
  log: sql`select docket_system.log_change(to_jsonb(gone), null, null) from gone`,
}

/** The log has the entries themselves, as changes of their record. */
const ENTRIES: RowsOfRecords = { table: 'sys_journal_entry', log: sql`select from gone` }

async function clearRows({ records }: AttachmentServiceDeps, { table, log }: RowsOfRecords): Promise<number> {
  const catalog = await records.catalog.upToDate()
  let gone = 0
  for (const root of [...catalog.tables.values()].filter(({ parent }) => parent === null)) {
    // If a table cannot be read, it is unknown which records it has.
    if (root.adopted !== null && !(await fits(records, root))) continue
    const classes = root.descendants.flatMap((name) => catalog.tables.get(name)?.id ?? [])
    const rows = await records.database.rows(sql`
      with gone as (delete from ${sql.id('docket', table)} where sys_id in (
          select a.sys_id from ${sql.id('docket', table)} a where a.table_id = any(${classes}::bigint[])
            and not exists (select from ${storageOf(root)} as r where ${new Row('r', root).isNamed(sql`a.record_id`)})
          limit ${rowsOfTurn} for update skip locked) returning *)
      ${log}`)
    gone += rows.length
  }
  return gone
}

/** Locks and deletes the row before the bytes. An upload of the same bytes waits for the lock and then writes them again. */
function clearBlobs({ records, blobs }: AttachmentServiceDeps): Promise<number> {
  return records.database.inTransaction(async (session) => {
    if (!(await mayRemoveBlobs(session))) return 0
    const rows = await session.rows<{ hash: string }>(sql`
      delete from docket_system.attachment_blob b where b.hash in (
        select o.hash from docket_system.attachment_blob o
        where o.touched_at < ${utc(records.clock.nowMs() - untouchedMs)}::timestamp
          and not exists (select from docket.sys_attachment a where a.hash = encode(o.hash, 'hex'))
          and not exists (select from docket_system.history_export e where e.hash = o.hash and e.path is null)
        limit ${blobsOfTurn} for update skip locked)
      returning encode(b.hash, 'hex') as hash`)
    for (const { hash } of rows) await blobs.remove(Buffer.from(hash, 'hex'))
    return rows.length
  })
}
