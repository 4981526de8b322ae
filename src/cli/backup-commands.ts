import type { Command } from 'commander'
import { registerBackup } from './backup/backup-command.ts'
import { registerRestore } from './backup/restore-command.ts'

/** `docket backup`, `docket restore`: all data of Docket, in one file. */
export function registerBackupCommands(program: Command): void {
  registerBackup(program)
  registerRestore(program)
}
