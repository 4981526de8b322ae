import type { Table } from '../catalog/catalog.ts'
import { classIdsOf } from '../catalog/class-ids.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { type VisibleChange, visibleChangesAt } from '../records/changes/visible-changes.ts'
import { onReadableRecord, type ReadableRecord, type RecordId } from '../records/rights/on-readable-record.ts'
import { readableRecords } from '../records/rights/readable-records.ts'
import { idLiteral } from '../records/sql/id-literal.ts'
import type { AttachmentServiceDeps } from './attachment-deps.ts'

export interface RemovedFilesRequest extends RecordId {
  readonly limit: number
}

/** A file that was removed from its record. null: the caller may not read the value, or it is not recorded. */
export interface RemovedFile {
  /** Of the row of sys_attachment, which is gone. */
  readonly sysId: string
  readonly fileName: string | null
  readonly mediaType: string | null
  /** Bytes. */
  readonly size: number | null
  /** UTC. */
  readonly attachedAt: string | null
  readonly attachedBy: User | null
  readonly removedAt: string | null
  readonly removedBy: User | null
}

interface User {
  readonly id: string
  /** null: the caller may not read it. */
  readonly displayName: string | null
}

/**
 * The files that were removed from a record, the last removed first. The log of changes has them. The caller must be allowed to read the
 * record, and sees the files that the rules of sys_attachment would let them read if the files were still there.
 */
export const listRemovedFiles = (
  { records }: AttachmentServiceDeps,
  request: RemovedFilesRequest,
): Promise<Result<readonly RemovedFile[], Problem>> =>
  onReadableRecord(records, request, (record) => list(records, request, record), 'sys_attachment')

type Records = AttachmentServiceDeps['records']

async function list(
  records: Records,
  { principal, limit, table: name }: RemovedFilesRequest,
  record: ReadableRecord,
): Promise<Result<readonly RemovedFile[], Problem>> {
  const { catalog } = record
  const files = catalog.tables.get('sys_attachment')
  if (files === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
  const changes: VisibleChange[] = []
  let before: string | null = null
  // The limit counts visible files: otherwise a short page would reveal hidden ones.
  while (changes.length < limit) {
    const numbers: readonly string[] = await readSequenceNumbers(records, { files, record, before })
    const visible = await visibleChangesAt(records, { principal, catalog, root: files }, numbers)
    changes.push(...visible.toReversed())
    before = numbers.at(-1) ?? null
    if (numbers.length < AT_ONCE) break
  }
  const page = changes.slice(0, limit)
  const names = await readUserNames(records, principal, page)
  return succeed(page.map((change) => toFile(change, names)))
}

/** Deletions that one statement reads. */
const AT_ONCE = 1_000

interface RecordOfFiles {
  readonly files: Table
  readonly record: ReadableRecord
  /** Only earlier deletions; null: from the latest. */
  readonly before: string | null
}

/** Sequence numbers of the deletions, from the index that contains only these (migration 000073). */
async function readSequenceNumbers(
  { database }: Records,
  { files, record, before }: RecordOfFiles,
): Promise<readonly string[]> {
  const rows = await database.rows(sql<{ position: string }>`
    select c.position::text from docket_system.change as c
    where c.table_id = ${idLiteral(files.id)} and c.operation = 'd' and c.changes ->> 'record_id' = ${record.id}
      and c.changes ->> 'table_id' = any (${classIdsOf(record.table, record.catalog)}::text[])
      and (${before}::bigint is null or c.position < ${before}::bigint)
    order by c.position desc limit ${AT_ONCE}`)
  return rows.map(({ position }) => position)
}

/** Display names of the users in the changes, as far as the caller may read them. */
async function readUserNames(
  records: Records,
  principal: Principal,
  changes: readonly VisibleChange[],
): Promise<ReadonlyMap<string, string>> {
  const ids = changes.flatMap(({ changedBy, changes: values }) => [changedBy, textOf(values['sys_created_by'])])
  const known = [...new Set(ids.filter((id) => id !== null))]
  if (known.length === 0) return new Map()
  const isReadable = await readableRecords(records)(principal, 'user', ['display_name'])
  const rows = await records.database.rows(sql<{ id: string; name: string }>`
    select u.sys_id::text as id, u.display_name as name from docket."user" as u
    where u.sys_id = any (${known}::bigint[]) and u.display_name is not null and ${isReadable(sql`u.sys_id::text`)}`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function toFile(
  { recordId, changedAt, changedBy, changes: values }: VisibleChange,
  names: ReadonlyMap<string, string>,
): RemovedFile {
  const userOf = (id: string | null): User | null => (id === null ? null : { id, displayName: names.get(id) ?? null })
  const size = textOf(values['size_bytes'])
  return {
    sysId: recordId,
    fileName: textOf(values['file_name']),
    mediaType: textOf(values['content_type']),
    size: size === null ? null : Number(size),
    attachedAt: textOf(values['sys_created_at'])?.replace('T', ' ') ?? null,
    attachedBy: userOf(textOf(values['sys_created_by'])),
    removedAt: changedAt,
    removedBy: userOf(changedBy),
  }
}

const textOf = (value: unknown): string | null => (value == null ? null : String(value))
