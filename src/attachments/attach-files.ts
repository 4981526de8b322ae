import { open } from 'node:fs/promises'
import { sql } from 'kysely'
import type { ReceivedFile } from '../documents/store/blob-store.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import { mayChange, type RecordRights } from '../records/rights/changeable-records.ts'
import { storageOf } from '../records/sql/adopted-storage.ts'
import { Row } from '../records/sql/from-clause.ts'
import { type Attachment, type AttachmentRoom, utc } from './attachment-room.ts'
import { mediaTypeOf } from './media-type-of.ts'

export interface FileToAttach {
  readonly file: ReceivedFile
  readonly fileName: string
}

/** The record that files are of, as a caller names it. */
export interface Owner {
  readonly principal: Principal
  readonly table: string
  readonly sysId: string
}

/**
 * Whether a caller may give files to a record: whoever may read and write it, and create rows of sys_attachment. Asked before
 * the files are received, and again in the statement that attaches them.
 */
export async function mayAttach({ records }: AttachmentRoom, owner: Owner): Promise<Result<RecordRights, Problem>> {
  const rights = await mayChange(records, owner.principal, owner.table, owner.sysId)
  if (!rights.ok) return rights
  const catalog = await records.catalog.upToDate()
  const attachments = catalog.tables.get('sys_attachment')
  const access = records.accessFor(catalog, owner.principal)
  if (attachments === undefined || access.decideTable(attachments, 'create').grant.kind === 'never')
    return refuse({ kind: 'table-denied', action: 'create', table: 'sys_attachment' })
  return rights
}

/** All of them or none. A file is in the store, durable, before a row names it. */
export async function attachFiles(
  room: AttachmentRoom,
  owner: Owner,
  files: readonly FileToAttach[],
): Promise<Result<readonly Attachment[], Problem>> {
  const { records, blobs } = room
  const rights = await mayAttach(room, owner)
  if (!rights.ok) return rights
  for (const { file } of files) {
    await records.database.rows(sql`
      insert into docket_system.attachment_blob (hash, size, touched_at) values (${file.hash}, ${file.size}, ${utc(records.clock.nowMs())}::timestamp)
      on conflict (hash) do update set touched_at = excluded.touched_at`)
    await blobs.keep(file)
  }
  const named = await Promise.all(files.map(async (each) => ({ ...each, mediaType: await readMediaType(each) })))
  const catalog = await records.catalog.upToDate()
  const table = catalog.tables.get(owner.table)
  if (table === undefined) return refuse({ kind: 'table-not-found', table: owner.table, similar: [] })
  const attached = await records.database.inTransaction(async (session) => {
    const rows: Attachment[] = []
    for (const { file, fileName, mediaType } of named) {
      const hash = file.hash.toString('hex')
      const record = new Row('r', table)
      const [row] = await session.rows<{ id: string; class: string; record: string }>(sql`
        with made as (insert into docket.sys_attachment as a
            (file_name, table_id, record_id, content_type, size_bytes, hash, sys_created_by, sys_updated_by)
          select ${fileName}, r.sys_db_table_id, ${record.name()}, ${mediaType}, ${file.size}::bigint, ${hash},
                 ${owner.principal.userId}::bigint, ${owner.principal.userId}::bigint
          from ${storageOf(table)} as r
          where ${record.isNamed(sql`${owner.sysId}`)} and ${rights.value} returning a.*)
        select made.sys_id::text as id, made.table_id::text as class, made.record_id as record,
               docket_system.note_change(null, to_jsonb(made), ${owner.principal.userId}::bigint) from made`)
      if (row === undefined) return null
      const { size } = file
      const name = catalog.tablesById.get(row.class)?.name ?? owner.table
      rows.push({ sysId: row.id, fileName, table: name, recordId: row.record, mediaType, size, hash })
    }
    return rows
  })
  // Deleted, or closed to the caller, while the files were on their way.
  return attached === null
    ? refuse({ kind: 'record-not-found', table: owner.table, sysId: owner.sysId })
    : succeed(attached)
}

const headBytes = 4_096

async function readMediaType({ file, fileName }: FileToAttach): Promise<string> {
  const handle = await open(file.path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return mediaTypeOf(buffer.subarray(0, bytesRead), fileName)
  } finally {
    await handle.close()
  }
}
