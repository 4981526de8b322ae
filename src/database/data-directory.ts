import { accessSync, chmodSync, constants, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartFailure } from '../kernel/start-failure.ts'
import type { Observe } from '../telemetry/observation.ts'

/** Folders that Docket creates in its data directory. */
const ownFolders = ['postgres', 'files', 'attachments', 'uploads', 'index'] as const

/** Other names in a data directory: a cluster that is being created, and entries of file systems and volumes. */
const otherOwnEntries = /^(postgres\.new-\d+|lost\+found|\.gitkeep|\.snapshot)$/

const forOthers = 0o077

/**
 * Creates the data directory if it does not exist, and removes the access of other accounts.
 *
 * @returns its real path, so that two names of one folder are equal
 * @throws StartFailure if it cannot be written, or its mode cannot be changed
 */
export function openDataDirectory(path: string, observe: Observe): string {
  const directory = makeWritable(path)
  if (isOpenToOthers(directory)) {
    rejectForeignEntries(directory)
    close(directory, observe)
  }
  for (const folder of ownFolders.map((name) => join(directory, name)).filter(isOpenToOthers)) close(folder, observe)
  return directory
}

/** The directory and its Docket folders that other accounts can access, with their modes. Changes nothing. */
export function openFolders(path: string): readonly string[] {
  return [path, ...ownFolders.map((name) => join(path, name))]
    .filter(isOpenToOthers)
    .map((folder) => `${folder} (mode ${modeOf(folder)})`)
}

function makeWritable(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return realpathSync(path)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new StartFailure(
      `The data directory ${path} cannot be ${reason === 'EACCES' || reason === 'EROFS' ? 'written' : 'used'} (${reason}): give this account the right to, or set DOCKET_DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

function isOpenToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & forOthers) !== 0
}

/** Docket must not change the mode of /tmp or of a home directory. */
function rejectForeignEntries(directory: string): void {
  const own: ReadonlySet<string> = new Set(ownFolders)
  const foreign = readdirSync(directory).filter((name) => !own.has(name) && !otherOwnEntries.test(name))
  if (foreign.length === 0) return
  throw new StartFailure(
    `Other accounts can enter the data directory ${directory} (mode ${modeOf(directory)}), and it holds other files than Docket's (${foreign[0]}): set DOCKET_DATA_DIR to a folder of its own, or close it with: chmod 700 ${directory}`,
  )
}

function close(path: string, observe: Observe): void {
  const mode = modeOf(path)
  try {
    chmodSync(path, 0o700)
  } catch (error) {
    throw new StartFailure(
      `Other accounts can enter ${path} (mode ${mode}), and this account may not change that: have its owner run chmod 700 ${path}, or set DOCKET_DATA_DIR to a folder in it that does not exist yet.`,
      { cause: error },
    )
  }
  observe({ kind: 'data-directory-closed', directory: path, mode })
}

/** Such as `755`. */
function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8)
}
