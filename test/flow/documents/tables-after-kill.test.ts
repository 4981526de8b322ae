import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { addCopies } from '../../harness/document-copies.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { requestData } from '../../harness/request-data.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

// Servers with one data directory and tables of LanceDB. One is killed while it writes a table, another while it is asked.

/** More than the smallest part that is moved into a table. */
const manyDocuments = 1_200

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const start = (
  dataDir: string,
  settings: Record<string, string> = {},
  isIndexPending = false,
): Promise<SpawnedDocket> =>
  spawnDocket(
    {
      DOCKET_DATABASE_URL: fresh.connectionString,
      DOCKET_DATA_DIR: dataDir,
      DOCKET_LANCEDB_MIN_CHUNKS: '1000',
      DOCKET_LANCEDB_PACKAGES: resolve('test/lancedb'),
      ...settings,
    },
    { isIndexPending },
  )

const load = (docket: SpawnedDocket, docId: string, text: string) =>
  requestData(docket, 'POST', '/load_text_to_collection?collection_name=kb', { metadata: { doc_id: docId }, text })
const find = (docket: SpawnedDocket, query: string) =>
  requestData(docket, 'GET', `/get_relevant_documents?collection_names=kb&k=1000&query=${query}`)

function tablesIn(dataDir: string): readonly string[] {
  try {
    return readdirSync(join(dataDir, 'lancedb')).filter((name) => name.startsWith('chunks_'))
  } catch {
    return []
  }
}

async function untilNamed(): Promise<void> {
  const named = () => fresh.database.rows(sql`select from docket_documents.segment where table_name is not null`)
  while ((await named()).length === 0) await pause(20)
}

test('a server that is killed while it writes a table, or after it, leaves the next one right (issue 14, 5)', async () => {
  const dataDir = temporaryFolder()
  const builtIn = await start(dataDir)
  await load(builtIn, 'doc-1', 'toner of the first document')
  await addCopies(fresh.database, 'kb', manyDocuments)
  const expected = await find(builtIn, 'toner')
  await builtIn.stop()

  const lancedb = { DOCKET_SEARCH: 'lancedb' }
  const writing = await start(dataDir, lancedb, true)
  while (tablesIn(dataDir).length === 0) await pause(5)
  writing.signal('SIGKILL')
  await writing.exit
  const second = await start(dataDir, lancedb)
  await untilNamed()
  expect(await find(second, 'toner')).toEqual(expected)
  await load(second, 'copy-7', 'plotter instead of toner')
  const searching = find(second, 'toner').catch(() => undefined)
  second.signal('SIGKILL')
  await Promise.all([second.exit, searching])

  const third = await start(dataDir, lancedb)
  expect(await find(third, 'plotter')).toMatchObject([{ doc_id: 'copy-7' }])
  expect(third.log()).not.toContain('built again')
  const found = await find(third, 'toner')
  await third.stop()
  // Without LanceDB the index is built from the database.
  const without = await start(dataDir)
  expect(await find(without, 'toner')).toEqual(found)
  await without.stop()
}, 300_000)

test('without the package, or with another version of it, the server does not start, and names the command (issue 14, 5)', async () => {
  const settings = { DOCKET_SEARCH: 'lancedb', DOCKET_LANCEDB_PACKAGES: temporaryFolder() }
  await expect(start(temporaryFolder(), settings)).rejects.toThrow('npm install --no-save @lancedb/lancedb@')
}, 120_000)
