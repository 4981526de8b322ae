import { type CopyConnection, onCopyConnection } from '../database/copy-connection.ts'
import { rejectUnknownMigrations } from '../database/migrations.ts'
import { sql } from '../kernel/sql.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import type { BackupProgress, FileStores } from './backup-options.ts'
import { continueAsCopy, setSequences } from './continue-as-copy.ts'
import { readPostgresVersion } from './describe-backup.ts'
import { FrameStream } from './frame-stream.ts'
import type { Totals } from './frames.ts'
import type { Manifest } from './manifest.ts'
import { readFrames } from './read-frames.ts'
import { restoreFiles } from './restore-files.ts'
import { claimTarget, clearMarker, clearTarget, isEmptyTarget, markRestore } from './restore-target.ts'
import { describeSchema } from './schema/describe-schema.ts'
import type { SchemaStatement } from './schema/schema-statement.ts'

export interface RestoreOptions {
  readonly connectionString: string
  readonly stores: FileStores
  readonly pieces: AsyncIterable<Buffer>
  /** Name of the file, for error messages. */
  readonly name: string
  /** Whether the content of the target may be replaced. */
  readonly replaces: boolean
  /**
   * `copy`: the original may have continued after the backup, so numbers that clients know must not be used again. `move`: the original has
   * stopped, and the target continues exactly where it stopped.
   */
  readonly as: 'copy' | 'move'
  readonly onProgress: (doing: BackupProgress) => void
}

export interface Restored {
  readonly manifest: Manifest
  readonly totals: Totals
  /** Foreign keys to tables that the target does not have, as statements. */
  readonly leftOut: readonly string[]
  /** Differences of the target's schema; always empty if both have the same version of PostgreSQL. */
  readonly differences: readonly string[]
}

/**
 * Restores a backup into a database and a store of files. Read this function first.
 *
 * The database is written in one transaction: until it commits, the target keeps its content, whatever happens. Files are written before
 * that, under the hashes of their bytes, where they affect nothing.
 *
 * @throws StartFailure if the target is in use or not empty, or the backup is damaged or of a newer Docket
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  return onCopyConnection(options.connectionString, 'docket restore', async (connection) => {
    await claimTarget(connection)
    if (!options.replaces && !(await isEmptyTarget(connection)))
      throw new StartFailure(
        'This database already holds a Docket, and a restore would replace all of it: name an empty database or data directory, or add --replace.',
      )
    const frames = new FrameStream(readFrames(options.pieces, options.name))
    const manifest = await frames.takeManifest(options.name)
    rejectUnknownMigrations(manifest.migrations)
    await markRestore(connection, options.name)
    try {
      return await restoreInto(connection, manifest, frames, options)
    } catch (error) {
      await connection.execute('rollback').then(
        () => clearMarker(connection),
        () => undefined,
      )
      throw error
    }
  })
}

async function restoreInto(
  connection: CopyConnection,
  manifest: Manifest,
  frames: FrameStream,
  { stores, as, onProgress }: RestoreOptions,
): Promise<Restored> {
  await connection.execute('begin')
  // A function is created before the tables that its body uses.
  await connection.execute(`set local check_function_bodies = off; set local maintenance_work_mem = '256MB'`)
  await clearTarget(connection)
  const leftOut = await runStatements(connection, manifest.beforeRows)
  for (const table of manifest.tables) await restoreTable(connection, table, frames, onProgress)
  leftOut.push(...(await runStatements(connection, manifest.afterRows)))
  await setSequences(connection, manifest.sequences)
  const differences = await compareSchemas(connection, manifest, leftOut)
  await restoreFiles(frames, stores, onProgress)
  const totals = await frames.takeEnd()
  if (as === 'copy') await continueAsCopy(connection)
  await connection.execute(`analyze ${manifest.tables.map(({ name }) => name).join(', ')}`)
  await clearMarker(connection)
  await connection.execute('commit')
  return { manifest, totals, leftOut, differences }
}

async function restoreTable(
  connection: CopyConnection,
  { name, columns }: Manifest['tables'][number],
  frames: FrameStream,
  onProgress: RestoreOptions['onProgress'],
): Promise<void> {
  // Frozen: only this transaction sees the table, and PostgreSQL does not have to rewrite its rows later to freeze them.
  const target = sql`copy ${sql.raw(name)} (${sql.raw(columns)}) from stdin with (freeze)`
  const stored = await connection.copyIn(target, frames.rowsOf(name))
  const { rows, bytes } = await frames.takeTable(name)
  if (stored !== rows) throw new Error(`${name} got ${stored} rows of ${rows}`)
  onProgress({ kind: 'table', name, rows, bytes })
}

/** @returns the files that were left out */
async function runStatements(connection: CopyConnection, statements: readonly SchemaStatement[]): Promise<string[]> {
  const leftOut: string[] = []
  for (const statement of statements) {
    if (statement.needs !== undefined && !(await isThere(connection, statement.needs))) leftOut.push(statement.text)
    else await runStatement(connection, statement)
  }
  return leftOut
}

async function runStatement(connection: CopyConnection, { text, fallback }: SchemaStatement): Promise<void> {
  if (fallback === undefined) return connection.execute(text)
  await connection.execute('savepoint with_fallback')
  const isMade = await connection.execute(text).then(
    () => true,
    () => false,
  )
  if (!isMade) await connection.execute(`rollback to savepoint with_fallback; ${fallback}`)
  await connection.execute('release savepoint with_fallback')
}

async function isThere(connection: CopyConnection, relation: string): Promise<boolean> {
  const [row] = await connection.rows(sql<{ there: boolean }>`select to_regclass(${relation}) is not null as there`)
  return row?.there === true
}

/** PostgreSQL writes definitions differently in each version, so only those of one version are compared. */
async function compareSchemas(
  connection: CopyConnection,
  manifest: Manifest,
  leftOut: readonly string[],
): Promise<readonly string[]> {
  const version = await readPostgresVersion(connection)
  if (Math.floor(version / 10_000) !== Math.floor(manifest.postgresVersion / 10_000)) return []
  const made = await describeSchema(connection)
  const texts = (statements: readonly SchemaStatement[]) => new Set(statements.map(({ text }) => text))
  const wanted = texts([...manifest.beforeRows, ...manifest.afterRows].filter(({ text }) => !leftOut.includes(text)))
  const found = texts([...made.beforeRows, ...made.afterRows])
  return [
    ...[...wanted].filter((text) => !found.has(text)).map((text) => `missing: ${text}`),
    ...[...found].filter((text) => !wanted.has(text)).map((text) => `unexpected: ${text}`),
  ]
}
