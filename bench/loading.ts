/**
 * npm run bench:loading: CPU, WAL and disk of loaded texts, of this checkout and of others beside it. Each has its own PostgreSQL. They take
 * turns within each round, so that what else the machine does meets all of them alike.
 *
 *   --beside 1f325a6=../docket-1f325a6,main=../docket-main   names and folders of other checkouts
 *   --documents 150   of ten chunks, in a round
 *   --rounds 8
 *   --profile FOLDER   CPU profiles of the servers
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '../src/database/database.ts'
import { administratorId } from '../src/identity/administrator.ts'
import { sql } from '../src/kernel/sql.ts'
import { rounded, spreadOf } from './measure/figures.ts'
import { httpText, startLoadGenerator } from './measure/load.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf, threadSecondsOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import type * as Seed from './records/seed.ts'
import type * as Servers from './records/servers.ts'
import type { BenchDatabase, Target } from './records/servers.ts'
import { type BenchDocument, chunksOfDocument, makeCorpus } from './search/corpus.ts'

const { values: given } = parseArgs({
  options: {
    beside: { type: 'string', default: '' },
    documents: { type: 'string', default: '150' },
    rounds: { type: 'string', default: '8' },
    profile: { type: 'string', default: '' },
  },
})
const [documents, rounds] = [Number(given.documents), Number(given.rounds)]
const loadConnections = 4

/** A checkout with its server, and its data in a PostgreSQL of its own. */
interface Checkout {
  readonly name: string
  readonly bench: BenchDatabase
  /** By the code of this checkout: the statements of another have another form. */
  readonly database: Database
  readonly docket: Target
  readonly key: string
  readonly rounds: Round[]
}

/** Microseconds and bytes of a chunk. */
interface Round {
  readonly serverUs: number
  readonly databaseUs: number
  readonly walBytes: number
  readonly chunksPerSecond: number
  /** By name. */
  readonly threadUs: Readonly<Record<string, number>>
}

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const generator = startLoadGenerator()
started.defer(generator.stop)
const checkouts: Checkout[] = []
for (const [name = '', folder = ''] of pairsOf(given.beside)) checkouts.push(await startCheckout(name, resolve(folder)))
checkouts.push(await startCheckout('this', resolve(import.meta.dirname, '..')))

const texts = [...makeCorpus(1).documents((rounds + 2) * documents * chunksOfDocument)]
// The first two rounds warm up plans, prepared statements and compiled code.
for (let round = -2; round < rounds; round += 1) {
  const batch = texts.slice((round + 2) * documents, (round + 3) * documents)
  for (const checkout of checkouts) {
    const measured = await load(checkout, batch)
    console.log(round, checkout.name, measured)
    if (round >= 0) checkout.rounds.push(measured)
  }
}
const sizes = new Map<string, readonly RelationSize[]>()
for (const { name, database } of checkouts) sizes.set(name, await readSizes(database))
writeResults(
  'loading',
  {
    machine,
    checkouts: checkouts.map(({ name, rounds: all }) => ({ name, rounds: all, sizes: sizes.get(name) })),
  },
  pageOf(),
)

function pairsOf(text: string): readonly (readonly string[])[] {
  return text === '' ? [] : text.split(',').map((pair) => pair.split('='))
}

/** Each checkout starts by its own code: their schemas differ. */
async function startCheckout(name: string, folder: string): Promise<Checkout> {
  const { startPostgres, startDocket } = (await import(`${folder}/bench/records/servers.ts`)) as typeof Servers
  const { keyFor } = (await import(`${folder}/bench/records/seed.ts`)) as typeof Seed
  const bench = await (await startPostgres(started))('bench')
  const profiling = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(given.profile)}/${name}` }
  const docket = await startDocket(bench, started, given.profile === '' ? {} : profiling)
  const database = openDatabase({
    connectionString: bench.connectionString,
    maxConnections: 1,
    statementTimeoutMs: 60_000,
  })
  started.defer(() => database.close())
  return { name, bench, database, docket, key: await keyFor(bench.database, administratorId), rounds: [] }
}

async function load(checkout: Checkout, batch: readonly BenchDocument[]): Promise<Round> {
  const { docket, key } = checkout
  const { host, port } = docket
  const requests = batch.map((document) => loadText(`${host}:${port}`, key, document))
  const chunksBefore = await countChunks(checkout.database)
  const before = await readUsage(checkout)
  const order = { host, port, connections: loadConnections, requests, durationMs: null, count: requests.length }
  const { tookMs } = await generator.run(order)
  const after = await readUsage(checkout)
  const chunks = (await countChunks(checkout.database)) - chunksBefore
  return {
    serverUs: ((after.server - before.server) / chunks) * 1e6,
    databaseUs: ((after.database - before.database) / chunks) * 1e6,
    walBytes: (after.wal - before.wal) / chunks,
    chunksPerSecond: (chunks / tookMs) * 1_000,
    threadUs: Object.fromEntries(
      [...after.threads].map(([name, to]) => [name, ((to - (before.threads.get(name) ?? 0)) / chunks) * 1e6]),
    ),
  }
}

function loadText(host: string, key: string, { id, title, text, metadata }: BenchDocument): string {
  const body = JSON.stringify({ metadata: { ...metadata, doc_id: id, title }, text })
  const headers = { authorization: `Bearer ${key}` }
  return httpText({ method: 'POST', path: '/load_text_to_collection?collection_name=open', headers, body }, host)
}

async function readUsage({ bench, database, docket }: Checkout) {
  const [row] = await database.rows<{ wal: string }>(sql`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal`)
  return {
    server: cpuSecondsOf(docket.processId),
    threads: threadSecondsOf(docket.processId),
    database: cpuSecondsOf(bench.processId),
    wal: Number(row?.wal),
  }
}

async function countChunks(database: Database): Promise<number> {
  const [row] = await database.rows<{ chunks: string }>(
    sql`select coalesce(sum(chunk_count), 0) as chunks from docket_documents.document`,
  )
  return Number(row?.chunks)
}

interface RelationSize {
  readonly relation: string
  readonly bytesOfChunk: number
}

/** Bytes of a chunk, of tables with their TOAST tables and indexes. */
async function readSizes(database: Database): Promise<readonly RelationSize[]> {
  await database.rows(sql`vacuum analyze`)
  const chunks = await countChunks(database)
  const rows = await database.rows<{ relation: string; bytes: string }>(sql`
    select c.relname as relation, pg_total_relation_size(c.oid) as bytes
    from pg_class c where c.relnamespace = 'docket_documents'::regnamespace and c.relkind = 'r' order by 2 desc`)
  return rows.map(({ relation, bytes }) => ({ relation, bytesOfChunk: Number(bytes) / chunks }))
}

function pageOf(): readonly string[] {
  const medianOf = ({ rounds: all }: Checkout, of: (round: Round) => number) =>
    String(rounded(spreadOf(all.map(of)).median))
  const relations = [...sizes.values()].flat().filter(({ bytesOfChunk }) => bytesOfChunk > 10)
  return [
    `Texts of ${chunksOfDocument} chunks, loaded over HTTP by ${loadConnections} clients, ${documents} in a round; medians of ${rounds} rounds by turns, for each chunk.`,
    '',
    ...table(
      ['', 'Docket, CPU µs', 'PostgreSQL, CPU µs', 'both', 'WAL, bytes', 'chunks/s'],
      checkouts.map((each) => [
        each.name,
        medianOf(each, ({ serverUs }) => serverUs),
        medianOf(each, ({ databaseUs }) => databaseUs),
        medianOf(each, ({ serverUs, databaseUs }) => serverUs + databaseUs),
        medianOf(each, ({ walBytes }) => walBytes),
        medianOf(each, ({ chunksPerSecond }) => chunksPerSecond),
      ]),
    ),
    '',
    'CPU of threads of Docket, µs:',
    '',
    ...table(
      ['', ...checkouts.map(({ name }) => name)],
      threadNames().map((thread) => [
        thread,
        ...checkouts.map((each) => medianOf(each, ({ threadUs }) => threadUs[thread] ?? 0)),
      ]),
    ),
    '',
    'Bytes of a chunk in the database, with TOAST tables and indexes:',
    '',
    ...table(
      ['', ...checkouts.map(({ name }) => name)],
      [...new Set(relations.map(({ relation }) => relation))].map((relation) => [
        relation,
        ...checkouts.map(({ name }) =>
          String(Math.round(sizes.get(name)?.find((each) => each.relation === relation)?.bytesOfChunk ?? 0)),
        ),
      ]),
    ),
  ]
}

function threadNames(): readonly string[] {
  return [...new Set(checkouts.flatMap((each) => each.rounds.flatMap(({ threadUs }) => Object.keys(threadUs))))]
}
