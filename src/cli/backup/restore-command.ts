import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { checkBackup } from '../../backup/check-backup.ts'
import { checkOfSecretKey, type Manifest } from '../../backup/manifest.ts'
import { type Restored, restoreBackup } from '../../backup/restore-backup.ts'
import { cancelRestore } from '../../backup/restore-target.ts'
import { readSettings, type Settings } from '../../config/settings.ts'
import { onCopyConnection } from '../../database/copy-connection.ts'
import { migrate } from '../../database/migrations.ts'
import { reachDatabase } from '../../database/reach-database.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { observeNothing } from '../../telemetry/observation.ts'
import { inUnits } from '../documents/print-differences.ts'
import { showProgress } from '../documents/show-progress.ts'
import { countMegabytes } from './backup-command.ts'
import { openFileStores } from './open-file-stores.ts'

interface RestoreFlags {
  readonly replace?: true
  readonly check?: true
  readonly cancel?: true
}

/** `docket restore` */
export function registerRestore(program: Command): void {
  program
    .command('restore')
    .description('put a backup into an empty database or data directory; every server of it must stand still')
    .argument('[file]', '- is standard input')
    .option('--replace', 'replace a Docket that is there already; it stays as it is until the backup is in its place')
    .option('--check', 'read the whole file, check it, and write nothing')
    .option('--cancel', 'forget an interrupted restore, so that the server starts with what was there before')
    .action(async (file: string | undefined, flags: RestoreFlags) => {
      if (flags.cancel) return cancel()
      if (file === undefined)
        throw new StartFailure('Name the file of the backup: docket restore FILE.', { exitCode: 2 })
      const lines = flags.check ? await check(file) : await restore(file, flags.replace === true)
      for (const line of lines) console.log(line)
    })
}

const nameOf = (file: string): string => (file === '-' ? 'The standard input' : file)

function piecesOf(file: string): AsyncIterable<Buffer> {
  return file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1_048_576 })
}

async function check(file: string): Promise<readonly string[]> {
  const { manifest, totals } = await readable(file, () => checkBackup(piecesOf(file), nameOf(file)))
  return [
    `${nameOf(file)} is whole: Docket ${manifest.docketVersion}, ${manifest.takenAt}, migration ${manifest.migrations.at(-1)?.name}.`,
    `${totals.rows} rows of ${totals.tables} tables, ${totals.files} files of ${inUnits(totals.fileBytes)}.`,
    ...(totals.missingFiles > 0 ? [`${totals.missingFiles} files were missing or damaged when it was made.`] : []),
  ]
}

async function cancel(): Promise<void> {
  const reached = await reachDatabase(readSettings(), observeNothing)
  try {
    const wasThere = await onCopyConnection(reached.connectionString, 'docket restore', cancelRestore)
    console.log(
      wasThere ? 'The restore is cancelled; the database is what it was before.' : 'No restore was interrupted.',
    )
  } finally {
    await reached.stop()
  }
}

async function restore(file: string, replaces: boolean): Promise<readonly string[]> {
  const settings = readSettings()
  const reached = await reachDatabase(settings, observeNothing)
  const progress = showProgress({ unit: 'MB', total: null, out: process.stderr })
  try {
    const { connectionString } = reached
    const stores = await openFileStores(settings)
    const restored = await readable(file, () =>
      restoreBackup({
        ...{ connectionString, stores, replaces, name: nameOf(file), pieces: piecesOf(file), as: 'copy' },
        onProgress: countMegabytes(progress.step),
      }),
    )
    // A backup of an older Docket has its migration level; from here it is an ordinary upgrade.
    await migrate({ connectionString, observe: observeNothing })
    return linesOf(file, restored, settings)
  } finally {
    progress.end()
    await reached.stop()
  }
}

/** @throws StartFailure if the file itself cannot be read */
async function readable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // The error about a folder has no path.
    const isOurs = code === 'EISDIR' || (error instanceof Error && 'path' in error && error.path === file)
    if (code === undefined || !isOurs) throw error
    throw new StartFailure(`${file} cannot be read (${code}): name the file that docket backup wrote.`, {
      cause: error,
    })
  }
}

function linesOf(file: string, { manifest, totals, ...restored }: Restored, settings: Settings): readonly string[] {
  const { rows, tables, files, fileBytes } = totals
  return [
    `Restored ${nameOf(file)} of ${manifest.takenAt}: ${rows} rows of ${tables} tables, ${files} files of ${inUnits(fileBytes)}.`,
    ...(totals.missingFiles > 0
      ? [`${totals.missingFiles} files were missing or damaged when it was made, and are not in it.`]
      : []),
    ...(manifest.adopted.length > 0
      ? [
          `Adopted tables are served when they are in this database; their rows are not in the backup: ${manifest.adopted.join(', ')}.`,
        ]
      : []),
    ...restored.leftOut.map((text) => `Left out, because the table it refers to is not here: ${text}`),
    ...restored.differences.map((text) => `The schema differs from that of the backup: ${text}`),
    ...secretKeyLines(manifest, settings),
  ]
}

function secretKeyLines({ secretKeyCheck }: Manifest, { secretKey }: Settings): readonly string[] {
  if (secretKeyCheck === null || secretKeyCheck === checkOfSecretKey(secretKey)) return []
  return [
    'DOCKET_SECRET_KEY is not the one that encrypted columns were sealed with: set that one before you start the server.',
  ]
}
