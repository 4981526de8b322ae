/**
 * npm run bench:search: how fast documents are loaded and found over HTTP, as collections grow.
 *
 *   --sizes 1000,10000,100000    chunks; 500000 takes some minutes more
 *   --seconds 4                  how long each kind of search is sent
 *   --engines off                without the engines beside it
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from '../src/kernel/sql.ts'
import { temporaryFolder } from '../test/harness/spawn-docket.ts'
import { rounded } from './measure/figures.ts'
import { httpText, type LoadOutcome, startLoadGenerator } from './measure/load.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf, usageOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { startDocket, startPostgres } from './records/servers.ts'
import { type Keys, makeCallers, seedRecords } from './search/callers.ts'
import { type BenchDocument, chunksOfDocument, makeCorpus } from './search/corpus.ts'
import { type EngineFigures, measureEngine, miniSearchEngine, ownEngine, sqliteEngine } from './search/engines.ts'

const { values: given } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    seconds: { type: 'string', default: '4' },
    engines: { type: 'string', default: 'on' },
  },
})
const sizes = given.sizes.split(',').map(Number)
const durationMs = Number(given.seconds) * 1_000
const loadConnections = 4
const queryCount = 300
/** MiniSearch stores everything in objects: a hundred thousand chunks take gigabytes. */
const maxForMiniSearch = 100_000

interface SearchFigures {
  readonly name: string
  readonly clients: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly perSecond: number
  /** Processor time of the server for each: less noisy than the latency for clients. */
  readonly cpuMs: number
}
interface SizeFigures {
  readonly chunks: number
  readonly documents: number
  readonly loadedChunksPerSecond: number
  readonly loadedMegabytesPerSecond: number
  /** Processor time of the server for a chunk. */
  readonly loadedCpuMs: number
  readonly searches: readonly SearchFigures[]
  readonly serverMemoryMB: number
  readonly postgresMemoryMB: number
  readonly indexOnDiskMB: number
  readonly databaseOnDiskMB: number
  readonly engines: readonly EngineFigures[]
}

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const newDatabase = await startPostgres(started)
const generator = startLoadGenerator()
started.defer(generator.stop)

const measured: SizeFigures[] = []
for (const size of sizes) {
  console.log(`${size} chunks …`)
  measured.push(await measureSize(size))
  // After each size, so that an interrupted run keeps its results.
  writeResults('search', { machine, sizes: measured }, pageOf(measured))
}

async function measureSize(size: number): Promise<SizeFigures> {
  await using here = new AsyncDisposableStack()
  const database = await newDatabase(`search_${size}`)
  const dataDir = temporaryFolder()
  here.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const docket = await startDocket(database, here, { DOCKET_DATA_DIR: dataDir, DOCKET_DEMO: 'off' })
  const keys = await makeCallers(database.database)
  const host = `${docket.host}:${docket.port}`

  const documents = [...makeCorpus(1).documents(size)]
  const megabytes = documents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1e6
  const loadBefore = cpuSecondsOf(docket.processId)
  const loadSeconds = await loadAll(host, keys.admin, 'open', documents)
  const loadCpuSeconds = cpuSecondsOf(docket.processId) - loadBefore
  await seedRecords(database.database, documents.length)
  const bound = documents.slice(0, Math.min(documents.length, 2_000))
  await send(host, keys.admin, 'PUT', '/collections/bound', { acl_table: 'task' })
  await loadAll(host, keys.admin, 'bound', bound)
  await send(host, keys.admin, 'PUT', '/collections/bound-all', { acl_table: 'task' })
  await loadAll(host, keys.admin, 'bound-all', documents)
  const [held] = await database.database.rows<{ chunks: string }>(sql`
    select sum(chunk_count) as chunks from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
    where c.name = 'open' and d.removed_position is null`)
  await database.database.rows(sql`vacuum analyze`)

  // Another seed has other words: all but the stop words are in no text.
  const unknown = makeCorpus(2).queries(queryCount)
  const queries = makeCorpus(1).queries(queryCount)
  const searches: SearchFigures[] = []
  for (const clients of [1, 16])
    for (const { name, key, body, isUnknown } of kindsOfSearch(keys)) {
      const requests = (isUnknown ? unknown : queries).map((query) => searchText(host, key, { query, ...body }))
      await run(requests, clients, 500)
      const before = cpuSecondsOf(docket.processId)
      const outcome = await run(requests, clients, durationMs)
      const cpuMs = ((cpuSecondsOf(docket.processId) - before) * 1_000) / outcome.requests
      const perSecond = (outcome.requests / outcome.tookMs) * 1_000
      searches.push({ name, clients, p50Ms: outcome.p50Ms, p99Ms: outcome.p99Ms, perSecond, cpuMs })
    }

  const [disk] = await database.database.rows<{ bytes: string }>(
    sql`select pg_database_size(current_database()) as bytes`,
  )
  return {
    chunks: Number(held?.chunks ?? 0),
    documents: documents.length,
    loadedChunksPerSecond: Number(held?.chunks ?? 0) / loadSeconds,
    loadedMegabytesPerSecond: megabytes / loadSeconds,
    loadedCpuMs: (loadCpuSeconds * 1_000) / Number(held?.chunks ?? 1),
    searches,
    serverMemoryMB: usageOf(docket.processId).memoryBytes / 1e6,
    postgresMemoryMB: usageOf(database.processId).memoryBytes / 1e6,
    indexOnDiskMB: folderMB(join(dataDir, 'index')),
    databaseOnDiskMB: Number(disk?.bytes ?? 0) / 1e6,
    engines: given.engines === 'off' ? [] : measureEngines(documents, Number(held?.chunks ?? 0), queries),
  }

  async function run(requests: readonly string[], connections: number, ms: number): Promise<LoadOutcome> {
    return generator.run({ host: docket.host, port: docket.port, connections, requests, durationMs: ms, count: null })
  }
}

interface KindOfSearch {
  readonly name: string
  readonly key: string
  readonly body: object
  /** With words of which nearly none is in a text: the nearest ones are searched. */
  readonly isUnknown?: true
}

function kindsOfSearch(keys: Keys): readonly KindOfSearch[] {
  const open = { collection_names: ['open'] }
  return [
    { name: 'all', key: keys.admin, body: open },
    { name: 'words of no text', key: keys.admin, body: open, isUnknown: true },
    { name: 'filter: half of all', key: keys.admin, body: { ...open, metadata: 'flag=true' } },
    { name: 'filter: one in a thousand', key: keys.admin, body: { ...open, metadata: 'status=rare' } },
    { name: 'bound to records', key: keys.reader, body: { collection_names: ['bound'] } },
    { name: 'bound to records, all documents', key: keys.reader, body: { collection_names: ['bound-all'] } },
  ]
}

function searchText(host: string, key: string, body: object): string {
  const headers = { authorization: `Bearer ${key}` }
  return httpText({ method: 'POST', path: '/get_relevant_documents?k=10', headers, body: JSON.stringify(body) }, host)
}

function measureEngines(
  documents: readonly BenchDocument[],
  chunks: number,
  queries: readonly string[],
): readonly EngineFigures[] {
  const engines = [ownEngine, sqliteEngine, ...(chunks <= maxForMiniSearch * 1.5 ? [miniSearchEngine] : [])]
  return engines.map((engine) => measureEngine(engine, documents, queries))
}

async function loadAll(
  host: string,
  key: string,
  collection: string,
  documents: readonly BenchDocument[],
): Promise<number> {
  const began = performance.now()
  const left = documents.values()
  const take = async (): Promise<void> => {
    for (const { id, title, text, metadata } of left)
      await send(host, key, 'POST', `/load_text_to_collection?collection_name=${collection}`, {
        metadata: { ...metadata, doc_id: id, title },
        text,
      })
  }
  await Promise.all(Array.from({ length: loadConnections }, take))
  return (performance.now() - began) / 1_000
}

async function send(host: string, key: string, method: string, path: string, body: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`http://${host}${path}`, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

function folderMB(folder: string): number {
  try {
    return Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1_000
  } catch {
    return 0
  }
}

// ── the page ──

function pageOf(all: readonly SizeFigures[]): readonly string[] {
  const number = (value: number): string => String(rounded(value))
  const kinds = [...new Set(all.flatMap(({ searches }) => searches.map(({ name }) => name)))]
  return [
    `Texts of ${chunksOfDocument} chunks each, loaded over HTTP by ${loadConnections} clients; ${queryCount} queries of 3 to 8 words of the same language, k = 10, also over HTTP.`,
    '',
    ...table(
      [
        'chunks',
        'loaded chunks/s',
        'MB/s',
        'CPU ms/chunk',
        'server MB',
        'PostgreSQL MB',
        'index on disk MB',
        'database MB',
      ],
      all.map((size) => [
        String(size.chunks),
        number(size.loadedChunksPerSecond),
        number(size.loadedMegabytesPerSecond),
        number(size.loadedCpuMs),
        number(size.serverMemoryMB),
        number(size.postgresMemoryMB),
        number(size.indexOnDiskMB),
        number(size.databaseOnDiskMB),
      ]),
    ),
    '',
    'Search, milliseconds: p50 / p99 (responses a second, processor time of the server for each)',
    '',
    ...table(
      ['search', 'clients', ...all.map(({ chunks }) => `${chunks} chunks`)],
      [1, 16].flatMap((clients) =>
        kinds.map((kind) => [
          kind,
          String(clients),
          ...all.map(({ searches }) => {
            const found = searches.find((each) => each.name === kind && each.clients === clients)
            return found === undefined
              ? ''
              : `${number(found.p50Ms)} / ${number(found.p99Ms)} (${number(found.perSecond)}, ${number(found.cpuMs)} ms)`
          }),
        ]),
      ),
    ),
    '',
    'Engines beside it, in one thread, without HTTP, rights or a database: chunks indexed a second, p50 / p99',
    '',
    ...table(
      ['engine', ...all.map(({ chunks }) => `${chunks} chunks`)],
      [...new Set(all.flatMap(({ engines }) => engines.map(({ name }) => name)))].map((name) => [
        name,
        ...all.map(({ engines }) => {
          const found = engines.find((engine) => engine.name === name)
          return found === undefined
            ? ''
            : `${number(found.chunksPerSecond)}, ${number(found.p50Ms)} / ${number(found.p99Ms)}`
        }),
      ]),
    ),
  ]
}
