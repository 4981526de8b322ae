import type { Command } from 'commander'
import type { BackupProgress } from '../../backup/backup-options.ts'
import { type WrittenBackup, writeBackup } from '../../backup/write-backup.ts'
import type { Sink } from '../../backup/write-frames.ts'
import { readSettings } from '../../config/settings.ts'
import { readVersion } from '../../config/version.ts'
import { reachDatabase } from '../../database/reach-database.ts'
import { systemClock } from '../../kernel/clock.ts'
import { observeNothing } from '../../telemetry/observation.ts'
import { inUnits } from '../documents/print-differences.ts'
import { showProgress } from '../documents/show-progress.ts'
import { openFileStores } from './open-file-stores.ts'
import { writeToStandardOutput, writeWholeFile } from './whole-file.ts'

/** The backup can be restored, but some files were not in the store. */
const incompleteExitCode = 3

/** `docket backup` */
export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description('write records, documents, files and settings into one file, while the server runs or stands still')
    .argument('<file>', 'is made when it is whole; - is standard output')
    .action(async (file: string) => {
      const write = (sink: Sink): Promise<WrittenBackup> => backUp(sink)
      const written = file === '-' ? await writeToStandardOutput(write) : await writeWholeFile(file, write)
      for (const line of linesOf(file, written)) console.error(line)
      if (written.totals.missingFiles > 0) process.exitCode = incompleteExitCode
    })
}

async function backUp(sink: Sink): Promise<WrittenBackup> {
  const settings = readSettings()
  const reached = await reachDatabase(settings, observeNothing)
  const progress = showProgress({ unit: 'MB', total: null, out: process.stderr })
  try {
    return await writeBackup({
      connectionString: reached.connectionString,
      stores: await openFileStores(settings),
      sink,
      docketVersion: readVersion(),
      secretKey: settings.secretKey,
      now: new Date(systemClock.nowMs()),
      onProgress: countMegabytes(progress.step),
    })
  } finally {
    progress.end()
    await reached.stop()
  }
}

/** Steps once for each megabyte. */
export function countMegabytes(step: (about: string) => void): (doing: BackupProgress) => void {
  let bytes = 0
  let steps = 0
  return ({ name, bytes: more }) => {
    bytes += more
    for (; steps < Math.floor(bytes / 1_048_576); steps += 1) step(name)
  }
}

function linesOf(file: string, { manifest, totals, bytes }: WrittenBackup): readonly string[] {
  const { tables, rows, files, fileBytes, missingFiles } = totals
  return [
    `${file === '-' ? 'Backup' : file}: ${inUnits(bytes)}; ${rows} rows of ${tables} tables, ${files} files of ${inUnits(fileBytes)}.`,
    ...(missingFiles > 0
      ? [
          `${missingFiles} files are missing from the store or damaged in it, and so not in the backup: docket documents verify names those of documents.`,
        ]
      : []),
    ...(manifest.adopted.length > 0
      ? [`Rows of adopted tables are not in it; back them up with their own database: ${manifest.adopted.join(', ')}.`]
      : []),
    ...(manifest.uncovered.length > 0
      ? [`Objects that Docket did not make are not in it: ${manifest.uncovered.join(', ')}.`]
      : []),
    ...(manifest.secretKeyCheck === null
      ? []
      : ['DOCKET_SECRET_KEY is not in it: keep it apart; without it, encrypted columns stay sealed.']),
  ]
}
