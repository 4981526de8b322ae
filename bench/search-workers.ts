/**
 * npm run bench:search-workers: memory of one process, of several with a search process, and of several with an index each; and the
 * processor time of a search in each of them.
 *
 *   --chunks 100000
 *   --workers 8
 */
import { parseArgs } from 'node:util'
import { spawnDocket, temporaryFolder } from '../test/harness/spawn-docket.ts'
import { rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf, usageOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { startPostgres } from './records/servers.ts'
import { makeCorpus } from './search/corpus.ts'
import { fillCollection } from './search/fill-collection.ts'

const { values: given } = parseArgs({
  options: { chunks: { type: 'string', default: '100000' }, workers: { type: 'string', default: '8' } },
})
const chunks = Number(given.chunks)
const queries = makeCorpus(1).queries(300)
/** Each is a connection, and those are distributed among the workers. */
const clients = 24
const searchesOfClient = 15

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const newDatabase = await startPostgres(started, 200)
const database = await newDatabase('search_workers')
await fillCollection(database.database, chunks)
// The first server builds the index, and saves it for the others.
const dataDir = temporaryFolder()
const single = await measure('one process', { DOCKET_WORKERS: '1' })
const shared = await measure(`${given.workers} workers and a search process`, {
  DOCKET_WORKERS: given.workers,
  DOCKET_SEARCH_PROCESS: 'on',
})
const separate = await measure(`${given.workers} workers with an index each`, {
  DOCKET_WORKERS: given.workers,
  DOCKET_SEARCH_PROCESS: 'off',
})
const figures = [single, shared, separate]
writeResults('search-workers', { machine, chunks, figures }, [
  `${chunks} chunks. Memory (Pss) of all processes of a server without PostgreSQL, after ${clients * searchesOfClient} searches by ${clients} connections.`,
  '',
  ...table(
    ['', 'memory MB', 'ratio to one process', 'CPU ms of a search'],
    figures.map(({ name, bytes, cpuMs }) => [
      name,
      String(rounded(bytes / 1e6)),
      (bytes / single.bytes).toFixed(2),
      String(rounded(cpuMs)),
    ]),
  ),
])

async function measure(name: string, environment: Readonly<Record<string, string>>) {
  const docket = await spawnDocket(
    {
      DOCKET_DATABASE_URL: database.connectionString,
      DOCKET_DATA_DIR: dataDir,
      ...environment,
    },
    { isIndexPending: true },
  )
  await search(docket.address, 1, queries.length)
  await Promise.all(Array.from({ length: clients }, (_, client) => search(docket.address, client, searchesOfClient)))
  const before = cpuSecondsOf(docket.processId)
  await Promise.all(Array.from({ length: clients }, (_, client) => search(docket.address, client, searchesOfClient)))
  const cpuMs = ((cpuSecondsOf(docket.processId) - before) * 1_000) / (clients * searchesOfClient)
  const bytes = usageOf(docket.processId).memoryBytes
  await docket.stop()
  console.log(`${name}: ${rounded(bytes / 1e6)} MB, ${rounded(cpuMs)} ms`)
  return { name, bytes, cpuMs }
}

/** One after the other. Waits while the index is built. */
async function search(address: string, first: number, count: number): Promise<void> {
  const headers = {
    authorization: `Basic ${Buffer.from('admin:a password for the load test').toString('base64')}`,
    'content-type': 'application/json',
  }
  for (let sent = 0; sent < count; ) {
    const body = JSON.stringify({ query: queries[(first * 7 + sent) % queries.length], collection_names: ['open'] })
    const response = await fetch(`${address}/get_relevant_documents?k=10`, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.ok || response.status === 404) sent++
    else if ([429, 503].includes(response.status)) await new Promise((resolve) => setTimeout(resolve, 500))
    else throw new Error(text)
  }
}
