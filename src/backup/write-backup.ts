import { type CopyConnection, onCopyConnection } from '../database/copy-connection.ts'
import { holdBlobs } from '../database/keep-blobs.ts'
import { sql } from '../kernel/sql.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import type { BackupOptions, Counted } from './backup-options.ts'
import { describeBackup } from './describe-backup.ts'
import { fileFrames, listFiles } from './file-frames.ts'
import { type Frame, PIECE_BYTES, type Totals } from './frames.ts'
import { inPieces } from './in-pieces.ts'
import type { Manifest } from './manifest.ts'
import { ownSchemas } from './schema/schema-statement.ts'
import { writeFrames } from './write-frames.ts'

export interface WrittenBackup {
  readonly manifest: Manifest
  readonly totals: Totals
  /** Size of the backup. */
  readonly bytes: number
}

/**
 * Writes all data of Docket, as of one moment, while servers continue. Read this function first.
 *
 * All tables are read in one snapshot; no file is deleted until the files are copied. Changes of table definitions are locked until the
 * rows are read, and no longer: copying files, which may take hours, comes after that.
 *
 * @throws StartFailure if there is nothing to back up
 */
export async function writeBackup(options: BackupOptions): Promise<WrittenBackup> {
  return onCopyConnection(options.connectionString, 'docket backup', async (connection) => {
    await holdBlobs(connection)
    await beginSnapshot(connection)
    const manifest = await describeBackup(connection, options)
    const counted: Counted = { tables: 0, rows: 0, files: 0, fileBytes: 0, missingFiles: 0 }
    const bytes = await writeFrames(framesOf(connection, manifest, counted, options), options.sink)
    return { manifest, totals: { ...counted }, bytes }
  })
}

async function* framesOf(
  connection: CopyConnection,
  manifest: Manifest,
  counted: Counted,
  options: BackupOptions,
): AsyncGenerator<Frame> {
  yield { header: { kind: 'manifest' }, payload: Buffer.from(JSON.stringify(manifest)) }
  for (const table of manifest.tables) yield* tableFrames(connection, table, counted, options)
  await listFiles(connection)
  await connection.execute('commit')
  yield* fileFrames(connection, counted, options)
  yield { header: { kind: 'end', totals: { ...counted } }, payload: Buffer.alloc(0) }
}

async function* tableFrames(
  connection: CopyConnection,
  { name, columns }: Manifest['tables'][number],
  counted: Counted,
  { onProgress }: BackupOptions,
): AsyncGenerator<Frame> {
  const pieces = inPieces(connection.copyOut(sql`copy ${sql.raw(name)} (${sql.raw(columns)}) to stdout`), PIECE_BYTES)
  let bytes = 0
  for (;;) {
    const { value, done } = await pieces.next()
    if (done) {
      counted.tables += 1
      counted.rows += value
      onProgress({ kind: 'table', name, rows: value, bytes })
      yield { header: { kind: 'table', table: name, rows: value, bytes }, payload: Buffer.alloc(0) }
      return
    }
    bytes += value.length
    yield { header: { kind: 'rows', table: name }, payload: value }
  }
}

const attempts = 10

/**
 * Begins a transaction whose snapshot and table definitions agree: tables are locked before the first statement that needs a snapshot. If a
 * table is created or dropped in between, it begins again.
 */
async function beginSnapshot(connection: CopyConnection): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const tables = await readTableNames(connection)
    if (tables.length === 0) throw new StartFailure('There is nothing to back up: this database holds no Docket.')
    await connection.execute('begin isolation level repeatable read, read only')
    const isLocked = await connection.execute(`lock table ${tables.join(', ')} in access share mode`).then(
      () => true,
      (error: unknown) => {
        if (isUndefinedTable(error)) return false
        throw error
      },
    )
    if (isLocked && (await readTableNames(connection)).join() === tables.join()) return
    await connection.execute('rollback')
  }
  throw new StartFailure('Tables are made and dropped all the time: try again when that has ended.')
}

async function readTableNames(connection: CopyConnection): Promise<readonly string[]> {
  const rows = await connection.rows(sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'r' order by 1`)
  return rows.map(({ name }) => name)
}

const isUndefinedTable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '42P01'
