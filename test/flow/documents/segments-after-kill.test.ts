import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { addCopies } from '../../harness/document-copies.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { requestData } from '../../harness/request-data.ts'
import { objectStoreSettings, type S3StandIn, startS3 } from '../../harness/s3-stand-in.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

// Servers with a data directory each and one object store. One is killed while it writes segments, another while it fetches them.

/** More than a manifest needs. */
const manyDocuments = 1_200

let fresh: FreshDatabase
let s3: S3StandIn
beforeAll(async () => {
  fresh = await freshDatabase()
  s3 = await startS3()
})
afterAll(async () => {
  await s3.close()
  await fresh.drop()
})

const start = (dataDir: string, isIndexPending = false): Promise<SpawnedDocket> =>
  spawnDocket(
    {
      DOCKET_DATABASE_URL: fresh.connectionString,
      DOCKET_DATA_DIR: dataDir,
      ...objectStoreSettings(s3),
    },
    { isIndexPending },
  )

const load = (docket: SpawnedDocket, docId: string, text: string) =>
  requestData(docket, 'POST', '/load_text_to_collection?collection_name=kb', { metadata: { doc_id: docId }, text })
const find = (docket: SpawnedDocket, query: string) =>
  requestData(docket, 'GET', `/get_relevant_documents?collection_names=kb&k=1000&query=${query}`)

/** Requests that the store does not fulfil; the server repeats them for seconds. */
async function killDuring(method: string, dataDir: string): Promise<void> {
  s3.requested.length = 0
  s3.failNext.push(...Array.from({ length: 1_000 }, () => 503))
  const docket = await start(dataDir, true)
  while (!s3.requested.some((line) => line.startsWith(method))) await pause(10)
  docket.signal('SIGKILL')
  await docket.exit
  s3.failNext.length = 0
}

async function untilWritten(): Promise<void> {
  const manifests = () => fresh.database.rows(sql`select from docket_documents.segment_manifest`)
  while ((await manifests()).length === 0) await pause(50)
}

test('a server that is killed while it writes or fetches segments leaves the others and the next one right (issue 14, 2)', async () => {
  const folders = { first: temporaryFolder(), second: temporaryFolder(), third: temporaryFolder() }
  const loading = await start(folders.first)
  await load(loading, 'doc-1', 'toner of the first document')
  await loading.stop()
  await addCopies(fresh.database, 'kb', manyDocuments)

  // HEAD precedes each PUT.
  await killDuring('HEAD', folders.first)
  expect(s3.objects.size).toBe(0)
  const writer = await start(folders.second)
  await untilWritten()
  expect(s3.objects.size).toBeGreaterThan(0)

  await killDuring('GET', folders.third)
  s3.requested.length = 0
  const fetching = await start(folders.third)
  expect(s3.requested.filter((line) => line.startsWith('GET'))).toHaveLength(s3.objects.size)
  expect(fetching.log()).not.toContain('lost or damaged')
  expect(await find(fetching, 'toner')).toEqual(await find(writer, 'toner'))

  await load(fetching, 'copy-7', 'plotter instead of toner')
  await load(writer, 'new', 'plotter that is new')
  for (const docket of [writer, fetching])
    expect(await find(docket, 'plotter')).toMatchObject([{ doc_id: 'new' }, { doc_id: 'copy-7' }])
  for (const docket of [writer, fetching]) await docket.stop()
}, 300_000)
