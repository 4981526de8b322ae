import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openAttachmentStore } from '../../attachments/open-attachments.ts'
import { objectStoreOf } from '../../config/object-store-of.ts'
import { readSettings } from '../../config/settings.ts'
import type { Database } from '../../database/database.ts'
import { systemClock } from '../../kernel/clock.ts'
import { type HistoryExport, listHistoryExports, writeHistoryExport } from '../../retention/list-exports.ts'
import { withDatabase } from '../with-database.ts'

interface RemovedHistoryOptions {
  readonly writeTo?: string
  readonly json?: true
}

/** `docket records removed-history` */
export function registerRemovedHistory(records: Command): void {
  records
    .command('removed-history')
    .description('list the files of changes that were removed from history and deletion log')
    .option('--write-to <folder>', 'write the files that are in the store of attached files to this folder')
    .option('--json', 'print the list as JSON')
    .action((options: RemovedHistoryOptions) => withDatabase((database) => run(database, options)))
}

async function run(database: Database, { writeTo, json }: RemovedHistoryOptions): Promise<void> {
  const exports = await listHistoryExports(database)
  if (writeTo !== undefined) await writeAll(exports, resolve(writeTo))
  if (json) return console.log(JSON.stringify(exports, null, 2))
  if (exports.length === 0) return console.log('No history was removed.')
  for (const each of exports) console.log(describe(each))
}

async function writeAll(exports: readonly HistoryExport[], folder: string): Promise<void> {
  const settings = readSettings()
  const places = { dataDir: resolve(settings.dataDir), objectStore: objectStoreOf(settings), clock: systemClock }
  const store = await openAttachmentStore(places)
  for (const each of exports) {
    if (each.path === null) console.error(`wrote ${await writeHistoryExport(each, store, folder)}`)
  }
}

function describe({
  number,
  first_changed_at: first,
  last_changed_at: last,
  changes,
  bytes,
  sha256,
  path,
}: HistoryExport) {
  return `${number}: ${changes} changes from ${first} to ${last} (UTC), ${bytes} bytes, ${path ?? 'in the store of attached files'}, SHA-256 ${sha256}`
}
