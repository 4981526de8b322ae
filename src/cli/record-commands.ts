import { type Command, Option } from 'commander'
import { registerRecordExport } from './records/export-command.ts'
import { registerImport } from './records/import-command.ts'
import { registerRemovedHistory } from './records/removed-history-command.ts'
import { registerSlow } from './records/slow-command.ts'

/**
 * `docket records …`: import and export files of records with any running Docket, with a key, as other programs do it; slow requests and
 * removed history, which are read from the database.
 */
export function registerRecordCommands(program: Command): void {
  const records = program
    .command('records')
    .description('import and export files of records, list slow requests and removed history')
  registerImport(records, serverOption)
  registerRecordExport(records, serverOption)
  registerSlow(records)
  registerRemovedHistory(records)
}

const serverOption = (): Option =>
  new Option('--server <address>', 'a running Docket (default: DOCKET_URL, or this machine); its key is DOCKET_TOKEN')
