import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { addCopies } from '../../harness/document-copies.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { requestData } from '../../harness/request-data.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

// Servers with one data directory and tables of LanceDB. One is killed while it writes a table, another while it is asked; two run at once.

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

const load = (docket: SpawnedDocket, docId: string, text: string, collection = 'kb') =>
  requestData(docket, 'POST', `/load_text_to_collection?collection_name=${collection}`, {
    metadata: { doc_id: docId },
    text,
  })
const remove = (docket: SpawnedDocket, docId: string, collection: string) =>
  requestData(docket, 'DELETE', `/delete_document_from_collection?collection_name=${collection}&id_value=${docId}`)
const find = async (docket: SpawnedDocket, query: string, collection = 'kb') =>
  (await requestData(
    docket,
    'GET',
    `/get_relevant_documents?collection_names=${collection}&k=1000&query=${query}`,
  )) as readonly { readonly doc_id: string }[]

function tablesIn(dataDir: string): readonly string[] {
  try {
    return readdirSync(join(dataDir, 'lancedb')).filter((name) => name.startsWith('chunks_'))
  } catch {
    return []
  }
}

async function untilNamed(collection = 'kb'): Promise<void> {
  const named = () =>
    fresh.database.rows(sql`
      select from docket_documents.segment s join docket_documents.collection c on c.id = s.collection_id
      where c.name = ${collection} and s.table_name is not null`)
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

test('of two servers that run at once on one folder of tables, each finds with its next search what the other one changed (issue 14, 5)', async () => {
  const dataDir = temporaryFolder()
  const lancedb = { DOCKET_SEARCH: 'lancedb' }
  const collection = 'shared'
  const loading = await start(dataDir)
  await load(loading, 'doc-1', 'toner of the first document', collection)
  await addCopies(fresh.database, collection, manyDocuments)
  await loading.stop()
  const first = await start(dataDir, lancedb)
  await untilNamed(collection)
  const second = await start(dataDir, lancedb)
  const servers = [first, second]
  const idsOf = async (docket: SpawnedDocket, query: string) =>
    (await find(docket, query, collection)).map(({ doc_id }) => doc_id).sort()
  try {
    const copies = [...(await numberedCopies(collection, 20))]
    for (let times = 0; copies.length > 0; times++) {
      const [writer, reader] = times % 2 === 0 ? [first, second] : [second, first]
      const [replaced, removed] = copies.splice(0, 2) as [NumberedCopy, NumberedCopy]
      const [word, added] = [String(90_000_000 + times), `new-${times}`]
      // Both are in the table, each with a number that no other one has.
      for (const { id, docId } of [replaced, removed]) expect(await idsOf(reader, id)).toEqual([docId])
      await load(writer, replaced.docId, `${word} instead`, collection)
      expect([await idsOf(reader, replaced.id), await idsOf(reader, word)]).toEqual([[], [replaced.docId]])
      await load(writer, added, `${word} that is new`, collection)
      expect(await idsOf(reader, word)).toEqual([replaced.docId, added])
      for (const docId of [removed.docId, added]) await remove(writer, docId, collection)
      expect([await idsOf(reader, removed.id), await idsOf(reader, word)]).toEqual([[], [replaced.docId]])
    }
    const found = await find(first, 'toner', collection)
    expect(found).toHaveLength(1_000)
    expect(await find(second, 'toner', collection)).toEqual(found)
    for (const docket of servers) expect(docket.log()).not.toContain('built again')
  } finally {
    for (const docket of servers) await docket.stop()
  }
}, 300_000)

interface NumberedCopy {
  readonly docId: string
  /** Of its row: a word of its text. */
  readonly id: string
}

const numberedCopies = (collection: string, count: number) =>
  fresh.database.rows(sql<NumberedCopy>`
    select d.id::text, d.doc_id as "docId"
    from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
    where c.name = ${collection} and d.doc_id like 'copy-%' order by d.id limit ${count}`)

test('without the package, or with another version of it, the server does not start, and names the command (issue 14, 5)', async () => {
  const settings = { DOCKET_SEARCH: 'lancedb', DOCKET_LANCEDB_PACKAGES: temporaryFolder() }
  await expect(start(temporaryFolder(), settings)).rejects.toThrow('npm install --no-save @lancedb/lancedb@')
}, 120_000)
