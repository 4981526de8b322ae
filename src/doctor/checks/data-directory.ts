import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { openFolders } from '../../database/data-directory.ts'
import { type Check, type Finding, listNames, type SettingsGround } from '../check.ts'

/** Whether this account can write the data directory, and no other account can enter it. */
export const checkDataDirectory: Check<SettingsGround> = {
  name: 'data directory',
  async run({ settings }) {
    const directory = resolve(settings.dataDir)
    const obstacle = obstacleAt(nearestExisting(directory))
    if (obstacle !== null) return { summary: directory, findings: [unwritable(directory, obstacle)] }
    if (!existsSync(directory)) return { summary: `${directory}, which the first start creates`, findings: [] }
    const open = openFolders(directory)
    return { summary: `${directory}, closed to other accounts`, findings: open.length === 0 ? [] : [opened(open)] }
  },
}

/** The path, or the nearest folder above it that exists. */
export function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path))
}

/** @returns a system error such as EACCES; null: the folder can be written */
function obstacleAt(path: string): string | null {
  try {
    if (!statSync(path).isDirectory()) return 'ENOTDIR'
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

const unwritable = (directory: string, obstacle: string): Finding => ({
  fault: 'data-directory-unwritable',
  what: `This account cannot write the data directory (${obstacle})`,
  where: directory,
  cure: 'give the account that runs Docket the right to, or set DOCKET_DATA_DIR to another folder',
})

const opened = (folders: readonly string[]): Finding => ({
  fault: 'data-directory-open',
  what: 'Other accounts of this machine can enter the data directory',
  where: listNames(folders),
  cure: `chmod 700 ${listNames(folders.map((folder) => folder.replace(/ \(mode \d+\)$/, ''))).replaceAll(', ', ' ')}`,
})
