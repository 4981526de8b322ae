import { grantOnRows, isNever } from '../acl/descendants-grant.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { mayChange } from '../records/rights/changeable-records.ts'
import { authorizedRecords, readableRecords } from '../records/rights/readable-records.ts'
import { withoutDrifted } from '../records/run/adopted-table-drift.ts'
import type { Attachment, AttachmentServiceDeps } from './attachment-deps.ts'

/** An attachment that the caller may read under the rules of sys_attachment and of its record. */
export async function findAttachment(
  { records }: AttachmentServiceDeps,
  principal: Principal,
  sysId: string,
): Promise<Result<Attachment, Problem>> {
  const absent = fail({ kind: 'record-not-found', table: 'sys_attachment', sysId } as const)
  if (!/^\d{1,18}$/.test(sysId)) return absent
  const [row] = await withoutDrifted(records, async () => {
    const isReadable = await readableRecords(records)(principal, 'sys_attachment')
    return records.database.rows<Attachment>(sql`
    select a.sys_id::text as "sysId", a.file_name as "fileName", t.name as "table", a.record_id as "recordId",
           a.content_type as "mediaType", a.size_bytes::double precision as size, a.hash
    from docket.sys_attachment a join docket.sys_db_table t on t.sys_id = a.table_id
    where a.sys_id = ${sysId}::bigint and a.hash is not null and ${isReadable(sql`a.sys_id::text`)}`)
  })
  return row === undefined ? absent : succeed({ ...row, size: Number(row.size) })
}

/**
 * Removes a file from its record. Its bytes are deleted when no row names them any more. The caller must be allowed to read and delete the
 * file and to write the record.
 */
export async function deleteAttachment(
  deps: AttachmentServiceDeps,
  principal: Principal,
  sysId: string,
): Promise<Result<{ readonly description: string; readonly count: number }, Problem>> {
  const { records } = deps
  const found = await findAttachment(deps, principal, sysId)
  if (!found.ok) return found
  const catalog = await records.catalog.upToDate()
  const attachments = catalog.tables.get('sys_attachment')
  const access = records.accessFor(catalog, principal)
  if (attachments === undefined || isNever(grantOnRows(access, catalog, attachments, 'delete')))
    return fail({ kind: 'table-denied', action: 'delete', table: 'sys_attachment' })
  const rights = await mayChange(records, principal, found.value.table, found.value.recordId)
  if (!rights.ok) return rights
  const isDeletable = (await authorizedRecords(records, 'delete')(principal, 'sys_attachment'))(sql`${sysId}`)
  const [seen] = await records.database.rows<{ allowed: boolean }>(sql`select ${isDeletable} as allowed`)
  if (seen?.allowed !== true) return fail({ kind: 'record-denied', action: 'delete', table: 'sys_attachment' })
  const gone = await records.database.rows(sql`
    with gone as (delete from docket.sys_attachment a where a.sys_id = ${sysId}::bigint and ${rights.value} and ${isDeletable} returning a.*)
    select docket_system.log_change(to_jsonb(gone), null, ${principal.userId}::bigint) from gone`)
  return gone.length === 0
    ? fail({ kind: 'record-not-found', table: 'sys_attachment', sysId })
    : succeed({ description: 'Records successfully deleted.', count: 1 })
}
