import { join } from 'node:path'
import type { AttachmentStore } from '../attachments/keep-files.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'
import { readStored, writeDurably } from './export-changes.ts'

/** A file of removed changes. */
export interface HistoryExport {
  readonly number: string
  /** Times in UTC. */
  readonly made_at: string
  readonly first_changed_at: string
  readonly last_changed_at: string
  readonly changes: number
  readonly bytes: number
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string
  /** null: the store of attached files has it. */
  readonly path: string | null
}

/** Oldest first. */
export function listHistoryExports(database: Database): Promise<readonly HistoryExport[]> {
  return database.rows(sql<HistoryExport>`
    select number::text, made_at::text, first_changed_at::text, last_changed_at::text, changes, bytes::double precision as bytes,
      encode(hash, 'hex') as sha256, path from docket_system.history_export order by history_export.number`)
}

/** Writes a file of the store into a folder. @returns its path */
export async function writeHistoryExport(
  { number, first_changed_at: first, sha256 }: HistoryExport,
  store: Pick<AttachmentStore, 'blobs'>,
  folder: string,
): Promise<string> {
  const path = join(folder, `changes-${first.slice(0, 10)}-${number}.ndjson.gz`)
  await writeDurably(path, await readStored(store, Buffer.from(sha256, 'hex')))
  return path
}
