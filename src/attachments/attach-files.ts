import { open } from 'node:fs/promises'
import type { Catalog, Table } from '../catalog/catalog.ts'
import { tableNamed } from '../catalog/table-named.ts'
import { commitOrRollback } from '../database/commit-or-rollback.ts'
import type { Session } from '../database/database.ts'
import type { ReceivedFile } from '../documents/store/blob-store.ts'
import type { Principal } from '../identity/principal.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import type { RunGated } from '../kernel/run-gated.ts'
import { sql } from '../kernel/sql.ts'
import { idempotencyStore, type StoredForm } from '../records/idempotency.ts'
import { mayChange, type RecordRights } from '../records/rights/changeable-records.ts'
import { onCurrentTables } from '../records/rights/on-current-tables.ts'
import { authorizedRecords } from '../records/rights/readable-records.ts'
import { storageOf } from '../records/sql/adopted-storage.ts'
import { Row } from '../records/sql/from-clause.ts'
import { mediaTypeOf } from '../text-formats/detect-media-type.ts'
import { type Attachment, type AttachmentServiceDeps, utc } from './attachment-deps.ts'

export interface FileToAttach {
  readonly file: ReceivedFile
  readonly fileName: string
  /** As declared by the sender; absent: detected from the bytes and the name. */
  readonly mediaType?: string
  /** Values of the row in another system; null: the row is new. */
  readonly migrated: MigratedFile | null
}

/** What an import with migrate=1 keeps of a row of sys_attachment; null: the server fills it. */
export interface MigratedFile {
  readonly sysId: string | null
  /** UTC. */
  readonly createdAt: string | null
  readonly createdBy: string | null
}

/** The record to which files belong, as the caller names it. */
export interface Owner {
  readonly principal: Principal
  readonly table: string
  readonly sysId: string
}

/**
 * Whether a caller may attach files to a record: they must be allowed to read and write it, and to create rows of sys_attachment.
 * Checked before the files are received, and again in the statement that attaches them.
 */
export async function mayAttach(
  { records }: AttachmentServiceDeps,
  owner: Owner,
): Promise<Result<RecordRights, Problem>> {
  const rights = await mayChange(records, owner.principal, owner.table, owner.sysId)
  if (!rights.ok) return rights
  const catalog = await records.catalog.upToDate()
  const attachments = catalog.tables.get('sys_attachment')
  const access = records.accessFor(catalog, owner.principal)
  if (attachments === undefined || access.decideTable(attachments, 'create').grant.kind === 'never')
    return fail({ kind: 'table-denied', action: 'create', table: 'sys_attachment' })
  return rights
}

interface FilesToAttach {
  readonly files: readonly FileToAttach[]
  /** Files that are sent again with the same key are attached once; null: the caller sent no key. */
  readonly idempotencyKey: string | null
  /** The gate of the caller's statements. The transfer of bytes to the store does not pass it. */
  readonly run: RunGated
}

/** Attaches all files or none. A file is durably stored before a row names it. */
export async function attachFiles(
  deps: AttachmentServiceDeps,
  owner: Owner,
  { files, idempotencyKey, run }: FilesToAttach,
): Promise<Result<readonly Attachment[], Problem>> {
  const rights = await run(() => mayAttach(deps, owner))
  if (!rights.ok) return rights
  for (const { file } of files) {
    await run(() => nameFile(deps, file))
    await deps.blobs.keep(file)
  }
  const named = await Promise.all(
    files.map(async (each) => ({ ...each, mediaType: each.mediaType ?? (await readMediaType(each)) })),
  )
  const toWrite = { rights: rights.value, files: named, idempotencyKey }
  return run(() => onCurrentTables(() => writeRows(deps, owner, toWrite)))
}

function nameFile({ records }: AttachmentServiceDeps, { hash, size }: ReceivedFile): Promise<unknown> {
  return records.database.rows(sql`
    insert into docket_system.attachment_blob (hash, size, touched_at) values (${hash}, ${size}, ${utc(records.clock.nowMs())}::timestamp)
    on conflict (hash) do update set touched_at = excluded.touched_at`)
}

interface NamedFile extends FileToAttach {
  readonly mediaType: string
}

interface RowsToWrite {
  readonly rights: RecordRights
  readonly files: readonly NamedFile[]
  readonly idempotencyKey: string | null
}

async function writeRows(
  { records }: AttachmentServiceDeps,
  owner: Owner,
  { rights, files, idempotencyKey }: RowsToWrite,
): Promise<Result<readonly Attachment[], Problem>> {
  const catalog = await records.catalog.upToDate()
  const table = tableNamed(owner.table, catalog)
  if (table === undefined) return fail({ kind: 'table-not-found', table: owner.table, similar: [] })
  const store = storeOf(owner, { files, idempotencyKey }, records.clock)
  if (!store.ok) return store
  const isCreatable = await authorizedRecords(records, 'create')(owner.principal, 'sys_attachment')
  // A rule may ask for values of the new rows.
  const mayCreate = async (session: Session, rows: readonly Attachment[]): Promise<boolean> => {
    const ids = rows.map(({ sysId }) => sysId)
    const [seen] = await session.rows<{ allowed: boolean }>(
      sql`select coalesce(bool_and(${isCreatable(sql`n.id`)}), true) as allowed from unnest(${ids}::text[]) as n (id)`,
    )
    return seen?.allowed === true
  }
  return commitOrRollback<Attached>(records.database, async (session, rollback) => {
    const earlier = await store.value?.claim(session)
    if (earlier != null) return rollback(earlier)
    const rows: Attachment[] = []
    for (const file of files) {
      const row = await writeRow(session, file, { owner, table, catalog, rights })
      if (row === 'taken') return rollback(fail({ kind: 'not-unique', table: 'sys_attachment', field: 'sys_id' }))
      // The record was deleted, or denied to the caller, during the transfer.
      if (row === null) return rollback(fail({ kind: 'record-not-found', table: owner.table, sysId: owner.sysId }))
      rows.push(row)
    }
    if (!(await mayCreate(session, rows)))
      return rollback(fail({ kind: 'record-denied', action: 'create', table: 'sys_attachment' }))
    await store.value?.keep(session, rows)
    return succeed(rows)
  })
}

type Attached = Result<readonly Attachment[], Problem>

/** Attaches the same files to the same record once, however often a browser or a proxy sends them. */
function storeOf(
  { principal, table, sysId }: Owner,
  { files, idempotencyKey }: Omit<RowsToWrite, 'rights'>,
  clock: Clock,
) {
  const parts = ['attach', sysId, ...files.map(({ fileName, file }) => [fileName, file.hash])]
  const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, parts }
  return idempotencyStore({ principal, request: { table, idempotency } }, STORED_ATTACHMENTS, clock)
}

const STORED_ATTACHMENTS: StoredForm<readonly Attachment[]> = {
  write: (attachments) => ({ headers: {}, body: JSON.stringify(attachments) }),
  read: ({ body }) => JSON.parse(body) as readonly Attachment[],
}

interface Target {
  readonly owner: Owner
  readonly table: Table
  readonly catalog: Catalog
  readonly rights: RecordRights
}

/** @returns null: the caller may not attach to the record; 'taken': another file has the sys_id */
async function writeRow(
  session: Session,
  { file, fileName, mediaType, migrated }: NamedFile,
  { owner, table, catalog, rights }: Target,
): Promise<Attachment | 'taken' | null> {
  const hash = file.hash.toString('hex')
  const before = await findMigrated(session, migrated, { table: table.name, hash, sysId: owner.sysId })
  if (before !== null) return before
  const record = new Row('r', table)
  const author = migrated?.createdBy ?? owner.principal.userId
  const createdAt = sql`coalesce(${migrated?.createdAt ?? null}::timestamp, docket_system.now_utc())`
  const [row] = await session.rows<{ id: string; class: string; record: string }>(sql`
    with made as (insert into docket.sys_attachment as a
        (sys_id, file_name, table_id, record_id, content_type, size_bytes, hash, sys_created_by, sys_updated_by, sys_created_at, sys_updated_at)
      select coalesce(${migrated?.sysId ?? null}::bigint, docket_system.new_sys_id()), ${fileName}, r.sys_db_table_id, ${record.name()},
             ${mediaType}, ${file.size}::bigint, ${hash}, ${author}::bigint, ${author}::bigint, ${createdAt}, ${createdAt}
      from ${storageOf(table)} as r
      where ${record.isNamed(sql`${owner.sysId}`)} and ${rights} returning a.*)
    select made.sys_id::text as id, made.table_id::text as class, made.record_id as record,
           docket_system.log_change(null, to_jsonb(made), ${owner.principal.userId}::bigint) from made`)
  if (row === undefined) return null
  if (migrated !== null) await markMigrated(session, row.id)
  const name = catalog.tablesById.get(row.class)?.name ?? owner.table
  return { sysId: row.id, fileName, table: name, recordId: row.record, mediaType, size: file.size, hash }
}

/** A repeated migration finds the file that it attached before. */
async function findMigrated(
  session: Session,
  migrated: MigratedFile | null,
  { table, hash, sysId }: { readonly table: string; readonly hash: string; readonly sysId: string },
): Promise<Attachment | 'taken' | null> {
  if (migrated?.sysId == null) return null
  const [row] = await session.rows<{
    id: string
    name: string
    record: string
    type: string
    size: string
    hash: string
  }>(sql`
    select a.sys_id::text as id, a.file_name as name, a.record_id as record, a.content_type as type, a.size_bytes::text as size, a.hash
    from docket.sys_attachment as a where a.sys_id = ${migrated.sysId}::bigint`)
  if (row === undefined) return null
  const { id, name, record, type, size } = row
  if (row.hash !== hash || record !== sysId) return 'taken'
  return { sysId: id, fileName: name, table, recordId: record, mediaType: type, size: Number(size), hash }
}

function markMigrated(session: Session, sysId: string): Promise<unknown> {
  return session.rows(
    sql`update docket_system.change set migrated = true where record_id = ${sysId} and operation = 'c'
      and table_id = (select t.sys_id from docket.sys_db_table t where t.name = 'sys_attachment')`,
  )
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
