/**
 * npm run bench:search-workers: memory of one process, of several with a search process, and of several with an index each; the
 * processor time of a search in each of them, and how long a search takes one client.
 *
 *   --chunks 100000
 *   --workers 4,8
 *   --searches 4000     of a round, after twice as many: each process has to compile its code first
 *   --rounds 3
 *   --bound on          half of the documents are visible to the caller; off: all
 *   --before FOLDER     also measures the search process of another checkout
 *   --without each      does not measure an index in each worker
 *   --turns on          all servers run, and take turns: fairer on a busy machine, if their memory fits
 *   --profile FOLDER    also writes CPU profiles there
 *
 * More than 20,000 chunks are copies of 20,000 (`search/copy-documents.ts`).
 */
import { parseArgs } from 'node:util'
import { spawnDocket, temporaryFolder } from '../test/harness/spawn-docket.ts'
import { quantile, rounded } from './measure/figures.ts'
import { httpText, type LoadOutcome, startLoadGenerator } from './measure/load.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf, usageOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { startPostgres } from './records/servers.ts'
import { bindToRecords } from './search/bind-to-records.ts'
import { makeCallers } from './search/callers.ts'
import { copyDocuments } from './search/copy-documents.ts'
import { chunksOfDocument, makeCorpus } from './search/corpus.ts'
import { fillCollection } from './search/fill-collection.ts'

const { values: given } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    workers: { type: 'string', default: '4,8' },
    searches: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '3' },
    bound: { type: 'string', default: 'off' },
    before: { type: 'string' },
    without: { type: 'string', default: '' },
    turns: { type: 'string', default: 'off' },
    profile: { type: 'string' },
  },
})
const chunks = Number(given.chunks)
const searches = Number(given.searches)
const rounds = Number(given.rounds)
const isBound = given.bound === 'on'
const maxMadeChunks = 20_000
const queries = makeCorpus(1).queries(300)
/** Each is a connection, and those are distributed among the workers. */
const clients = 8

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const generator = startLoadGenerator()
started.defer(generator.stop)
const newDatabase = await startPostgres(started, 300)
const database = await newDatabase('search_workers')
const keys = await makeCallers(database.database)
const searchPath = '/get_relevant_documents?k=10'
const headers = { authorization: `Bearer ${isBound ? keys.reader : keys.admin}` }
const bodyOf = (query: string): string => JSON.stringify({ query, collection_names: ['open'] })
// The first server builds the index, and saves it for the others.
const dataDir = temporaryFolder()
await fill()

interface Candidate {
  readonly name: string
  readonly environment: Readonly<Record<string, string>>
  readonly checkout?: string
}

function candidates(): readonly Candidate[] {
  const single: Candidate = { name: 'one process', environment: { DOCKET_WORKERS: '1' } }
  const several = given.workers.split(',').flatMap((workers): readonly Candidate[] => {
    const environment = { DOCKET_WORKERS: workers, DOCKET_SEARCH_PROCESS: 'on' }
    const together = { name: `${workers} workers and a search process`, environment }
    const before =
      given.before === undefined ? [] : [{ ...together, name: `${together.name}, before`, checkout: given.before }]
    const each = {
      name: `${workers} workers with an index each`,
      environment: { ...environment, DOCKET_SEARCH_PROCESS: 'off' },
    }
    return [...before, together, ...(given.without === 'each' ? [] : [each])]
  })
  return [single, ...several]
}

const figures = given.turns === 'on' ? await measureInTurns() : await measureOneByOne()
const [single] = figures
const name = `search-workers-${chunks}${isBound ? '-bound' : ''}`
writeResults(name, { machine, chunks, searches, rounds, isBound, figures }, [
  `${chunks} chunks, ${isBound ? 'half of the documents visible to the caller' : 'all visible'}. ${rounds} rounds of ${searches} searches by ${clients} connections after ${2 * searches}; memory (Pss) of all processes of a server without PostgreSQL, then.`,
  '',
  ...table(
    ['', 'memory MB', 'ratio to one process', 'CPU ms of a search (median)', 'lowest', 'highest', 'one client: p50 ms'],
    figures.map(({ name: of, bytes, cpuMs, oneClientMs }) => [
      of,
      String(rounded(bytes / 1e6)),
      (bytes / (single?.bytes ?? bytes)).toFixed(2),
      quantile(cpuMs, 0.5).toFixed(2),
      Math.min(...cpuMs).toFixed(2),
      Math.max(...cpuMs).toFixed(2),
      oneClientMs.toFixed(2),
    ]),
  ),
])

async function fill(): Promise<void> {
  const session = database.database
  const made = Math.min(chunks, maxMadeChunks)
  await fillCollection(session, made)
  if (chunks > made) {
    await keepTerms()
    await copyDocuments(session, Math.round(chunks / made) - 1)
  }
  if (isBound) await bindToRecords(session, 'open', Math.ceil(chunks / chunksOfDocument))
}

/** A server that indexes texts keeps their terms. */
async function keepTerms(): Promise<void> {
  const docket = await start({ DOCKET_WORKERS: '1' }, temporaryFolder())
  await untilSearchable(docket.address)
  await docket.stop()
}

function start(environment: Readonly<Record<string, string>>, folder: string, checkout?: string) {
  const profile = given.profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${given.profile}` }
  return spawnDocket(
    { DOCKET_DATABASE_URL: database.connectionString, DOCKET_DATA_DIR: folder, ...environment, ...profile },
    { isIndexPending: true, ...(checkout === undefined ? {} : { folder: checkout }) },
  )
}

async function open({ name, environment, checkout }: Candidate) {
  const docket = await start(environment, dataDir, checkout)
  await untilSearchable(docket.address)
  console.log(`${name}: searchable after ${rounded(cpuSecondsOf(docket.processId))} s of CPU`)
  await search(docket.address, 2 * searches)
  const cpuMs: number[] = []
  const oneClientMs: number[] = []
  return {
    async round() {
      const before = cpuSecondsOf(docket.processId)
      await search(docket.address, searches)
      cpuMs.push(((cpuSecondsOf(docket.processId) - before) * 1_000) / searches)
      const { p50Ms } = await search(docket.address, Math.min(searches, queries.length), 1)
      oneClientMs.push(p50Ms)
    },
    async close() {
      const bytes = usageOf(docket.processId).memoryBytes
      await docket.stop()
      console.log(`${name}: ${rounded(bytes / 1e6)} MB, ${cpuMs.map(rounded).join(' ')} ms`)
      return { name, bytes, cpuMs, oneClientMs: quantile(oneClientMs, 0.5) }
    },
  }
}

type Figures = Awaited<ReturnType<Awaited<ReturnType<typeof open>>['close']>>

async function measureOneByOne(): Promise<readonly Figures[]> {
  const measured: Figures[] = []
  for (const candidate of candidates()) {
    const server = await open(candidate)
    for (let round = 0; round < rounds; round++) await server.round()
    measured.push(await server.close())
  }
  return measured
}

async function measureInTurns(): Promise<readonly Figures[]> {
  const servers = []
  for (const candidate of candidates()) servers.push(await open(candidate))
  for (let round = 0; round < rounds; round++) for (const server of servers) await server.round()
  const measured: Figures[] = []
  for (const server of servers) measured.push(await server.close())
  return measured
}

async function search(address: string, count: number, connections = Math.min(clients, count)): Promise<LoadOutcome> {
  const { hostname, port, host } = new URL(address)
  const requests = queries.map((query) =>
    httpText({ method: 'POST', path: searchPath, headers, body: bodyOf(query) }, host),
  )
  return generator.run({ host: hostname, port: Number(port), connections, requests, durationMs: null, count })
}

/** Each worker, on connections of its own: it has the index when it responds. */
async function untilSearchable(address: string): Promise<void> {
  const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json', connection: 'close' } }
  for (let found = 0; found < clients; ) {
    const response = await fetch(address + searchPath, { ...options, body: bodyOf(queries[0] ?? '') })
    const text = await response.text()
    if (response.ok || response.status === 404) found++
    else if (response.status === 503) {
      found = 0
      await new Promise((resolve) => setTimeout(resolve, 500))
    } else throw new Error(text)
  }
}
