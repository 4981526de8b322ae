import { grantOnRows, isNever } from '../acl/descendants-grant.ts'
import { tableNamed } from '../catalog/table-named.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { mayChange } from '../records/rights/changeable-records.ts'
import { nameOfReadable } from '../records/rights/name-of-readable.ts'
import { authorizedRecords, readableRecords } from '../records/rights/readable-records.ts'
import { unlessDrifted } from '../records/run/adopted-table-drift.ts'
import type { AttachmentServiceDeps } from './attachment-deps.ts'

export interface RemovableFilesRequest {
  readonly principal: Principal
  readonly table: string
  readonly sysId: string
}

/**
 * The files of a record that `deleteAttachment` would delete for this caller, as sys_ids of sys_attachment, the newest first. The caller
 * must be allowed to read the record.
 */
export function listRemovableFiles(
  { records }: AttachmentServiceDeps,
  request: RemovableFilesRequest,
): Promise<Result<readonly string[], Problem>> {
  return unlessDrifted(records, request.table, () => list(records, request))
}

async function list(
  records: AttachmentServiceDeps['records'],
  { principal, table: name, sysId }: RemovableFilesRequest,
): Promise<Result<readonly string[], Problem>> {
  const catalog = await records.catalog.upToDate()
  const table = tableNamed(name, catalog)
  if (table === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
  if (isNever(grantOnRows(records.accessFor(catalog, principal), catalog, table, 'read')))
    return fail({ kind: 'table-denied', action: 'read', table: table.name })
  const record = await nameOfReadable(records, { principal, table, sysId })
  if (record === null) return fail({ kind: 'record-not-found', table: table.name, sysId })
  const change = await mayChange(records, principal, table.name, record)
  if (!change.ok) return change.error.kind === 'record-not-found' ? change : succeed([])
  const [isReadable, isDeletable] = await Promise.all([
    readableRecords(records)(principal, 'sys_attachment'),
    authorizedRecords(records, 'delete')(principal, 'sys_attachment'),
  ])
  const classes = table.descendants.flatMap((member) => catalog.tables.get(member)?.id ?? [])
  const files = await records.database.rows(sql<{ id: string }>`
    select a.sys_id::text as id from docket.sys_attachment as a
    where a.record_id = ${record} and a.table_id = any (${classes}::bigint[]) and a.hash is not null
      and ${isReadable(sql`a.sys_id::text`)} and ${isDeletable(sql`a.sys_id::text`)}
    order by a.sys_created_at desc, a.sys_id desc`)
  return succeed(files.map(({ id }) => id))
}
