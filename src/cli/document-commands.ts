import { type Command, Option } from 'commander'
import { registerEvaluate } from './documents/evaluate-command.ts'
import { registerExport } from './documents/export-command.ts'
import { registerLoad } from './documents/load-command.ts'
import { registerReindex } from './documents/reindex-command.ts'
import { registerVerify } from './documents/verify-command.ts'

/**
 * `docket documents …`: load, export and evaluate are clients like others, with a key, of any running Docket; verify and reindex are for
 * operators, and use the database and the data directory of the settings.
 */
export function registerDocumentCommands(program: Command): void {
  const documents = program.command('documents').description('load, export and check collections of documents')
  registerLoad(documents, serverOption)
  registerExport(documents, serverOption)
  registerEvaluate(documents, serverOption)
  registerVerify(documents)
  registerReindex(documents)
}

const serverOption = (): Option =>
  new Option('--server <address>', 'a running Docket (default: DOCKET_URL, or this machine); its key is DOCKET_TOKEN')
