import { classIdsOf } from '../catalog/class-ids.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { mayChange } from '../records/rights/changeable-records.ts'
import { onReadableRecord, type RecordId } from '../records/rights/on-readable-record.ts'
import { authorizedRecords, readableRecords } from '../records/rights/readable-records.ts'
import type { AttachmentServiceDeps } from './attachment-deps.ts'

/**
 * The files of a record that `deleteAttachment` would delete for this caller, as sys_ids of sys_attachment, the newest first. The caller
 * must be allowed to read the record.
 */
export const listRemovableFiles = (
  { records }: AttachmentServiceDeps,
  request: RecordId,
): Promise<Result<readonly string[], Problem>> =>
  onReadableRecord(records, request, async (record) => {
    const { principal } = request
    const change = await mayChange(records, principal, record.table.name, record.id)
    if (!change.ok) return change.error.kind === 'record-not-found' ? change : succeed([])
    const [isReadable, isDeletable] = await Promise.all([
      readableRecords(records)(principal, 'sys_attachment'),
      authorizedRecords(records, 'delete')(principal, 'sys_attachment'),
    ])
    const files = await records.database.rows(sql<{ id: string }>`
      select a.sys_id::text as id from docket.sys_attachment as a
      where a.record_id = ${record.id} and a.table_id = any (${classIdsOf(record.table, record.catalog)}::bigint[]) and a.hash is not null
        and ${isReadable(sql`a.sys_id::text`)} and ${isDeletable(sql`a.sys_id::text`)}
      order by a.sys_created_at desc, a.sys_id desc`)
    return succeed(files.map(({ id }) => id))
  })
