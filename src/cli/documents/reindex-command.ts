import type { Command } from 'commander'
import type { Database } from '../../database/database.ts'
import { readCollectionIds, requestReindex } from '../../documents/sync/read-collection.ts'
import { repairStoredVectors } from '../../embeddings/verify-stored-vectors.ts'
import { sql } from '../../kernel/sql.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { withDatabase } from '../with-database.ts'
import { checkIndexes } from './check-indexes.ts'
import { printCompared } from './print-differences.ts'
import { compareIndexes } from './verify-command.ts'

/** `docket documents reindex [collection]` */
export function registerReindex(documents: Command): void {
  documents
    .command('reindex')
    .description(
      'rebuild the index of every process from PostgreSQL while the old one serves searches, and repair vectors',
    )
    .argument('[collection]', 'only this one (default: all)')
    .action(async (collection: string | undefined) => {
      const isSound = await withDatabase((database) => reindex(database, collection), { statementTimeoutMs: 0 })
      if (!isSound) process.exitCode = 1
    })
}

/**
 * The request is in the change log, which every process follows: a process that is not running now rebuilds its index when it starts. The
 * next requested check waits for the rebuild in each process. Vectors are expensive: the servers compute only wrong ones again, and each
 * process reads again those that it holds wrongly.
 */
async function reindex(database: Database, collection: string | undefined): Promise<boolean> {
  const ids = collection === undefined ? await readCollectionIds(database) : [await collectionId(database, collection)]
  await requestReindex(database, ids)
  const due = await repairStoredVectors(database, collection === undefined ? null : [collection.normalize('NFC')])
  if (due > 0)
    console.log(`vectors: ${due} ${due === 1 ? 'document' : 'documents'} due, servers with the model make them`)
  const checked = await checkIndexes(database, { repairs: true })
  return printCompared(await compareIndexes(database, checked, 'rebuilt, '), (line) => console.log(line))
}

async function collectionId(database: Database, name: string): Promise<number> {
  const [row] = await database.rows(sql<{ id: number }>`
    select id from docket_documents.collection where name = ${name.normalize('NFC')} and removed_position is null
      and not is_awaited`)
  if (row === undefined) throw new StartFailure(`There is no collection ${name}.`)
  return row.id
}
