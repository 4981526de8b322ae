/**
 * npm run bench:hybrid-search: what hybrid searches by words and vectors cost over HTTP, where the caller sees the whole collection: by signs
 * (DOCKET_VECTORS=built-in) and with a comparison of all vectors (built-in-exact), and how many of the ten nearest the signs find.
 *
 *   --vectors 100000
 *   --length 768     dimensions
 *   --searches 60    of each kind
 *   --warm-up 60     searches of each kind that are not counted, before them
 *   --engine lancedb instead of built-in: as DOCKET_VECTORS; the result has its name
 *   --lancedb FOLDER where LanceDB is installed
 *   --before FOLDER  instead: hybrid searches without a filter of another checkout and of this one, by turns, and whether they find the same
 *   --rounds 6       of it
 *
 * A filter leaves a known share of the documents. Each document has one chunk of 30 words, a query 3 to 8 words.
 */
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from '../src/kernel/sql.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../test/harness/spawn-docket.ts'
import { printSpread, quantile, rounded, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf, threadSecondsOf, usageOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { startPostgres } from './records/servers.ts'
import { makeCallers } from './search/callers.ts'
import { makeCorpus } from './search/corpus.ts'
import { makeVectors } from './search/draw-vectors.ts'
import { fillVectors } from './search/fill-vectors.ts'
import { vectorClient } from './search/vector-client.ts'

const { values: given } = parseArgs({
  options: {
    vectors: { type: 'string', default: '100000' },
    length: { type: 'string', default: '768' },
    searches: { type: 'string', default: '60' },
    'warm-up': { type: 'string', default: '60' },
    engine: { type: 'string', default: 'built-in' },
    lancedb: { type: 'string', default: 'test/lancedb' },
    before: { type: 'string' },
    rounds: { type: 'string', default: '6' },
  },
})
const [vectors, length, searches] = [Number(given.vectors), Number(given.length), Number(given.searches)]
const warmUp = Number(given['warm-up'])
const k = 10

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const newDatabase = await startPostgres(started)
const database = await newDatabase('hybrid_search')
const keys = await makeCallers(database.database)
const draw = makeVectors(length)
const corpus = makeCorpus(1)
const texts = shortTexts()
await fillVectors(database.database, {
  count: vectors,
  length,
  draw,
  text: () => texts.next().value,
  areReturned: false,
})
console.log(`${vectors} vectors are stored`)

const kinds = [
  { name: 'hybrid, no filter', mode: 'hybrid', filter: '' },
  { name: 'by vector, no filter', mode: 'vector', filter: '' },
  { name: 'by vector, every second document', mode: 'vector', filter: 'part<500' },
  { name: 'by vector, every tenth', mode: 'vector', filter: 'part<100' },
  { name: 'by vector, every hundredth', mode: 'vector', filter: 'part<10' },
  { name: 'by vector, every thousandth', mode: 'vector', filter: 'part=0' },
] as const
const rounds = Number(given.rounds)
const queries = corpus.queries(warmUp + searches).map((query) => ({ query, vector: [...draw()] }))

await (given.before === undefined ? measureEngines() : measureTurns(given.before))

async function measureEngines(): Promise<void> {
  const bySigns = await measureEngine(given.engine)
  writePage(bySigns, [])
  writePage(bySigns, (await measureEngine('built-in-exact')).figures)
}

/** Two servers of one database: searches of one, of the other, and so on. */
async function measureTurns(before: string): Promise<void> {
  const kind = { name: 'hybrid', mode: 'hybrid', filter: '' }
  await using running = new AsyncDisposableStack()
  const contenders = []
  for (const [name, folder] of [['before', before] as const, ['now', undefined] as const]) {
    const docket = await startDocket('built-in', running, folder)
    for (const query of queries.slice(0, warmUp)) await search(docket.address, kind, query)
    contenders.push({ name, docket, ms: [] as number[], found: [] as (readonly string[])[], threads: [] as Threads[] })
  }
  for (let round = 0; round < rounds; round++)
    for (const { docket, ms, found, threads } of contenders) {
      const from = threadSecondsOf(docket.processId)
      for (const query of queries.slice(warmUp)) {
        const fromMs = performance.now()
        const ids = await search(docket.address, kind, query)
        ms.push(performance.now() - fromMs)
        if (round === 0) found.push(ids)
      }
      const to = threadSecondsOf(docket.processId)
      threads.push(new Map([...to].map(([name, each]) => [name, ((each - (from.get(name) ?? 0)) * 1_000) / searches])))
    }
  const [first, second] = contenders.map(({ found }) => found)
  const names = [...new Set(contenders.flatMap(({ threads }) => threads.flatMap((each) => [...each.keys()])))]
  const spreadOfRounds = (threads: readonly Threads[], of: (each: Threads) => number): string =>
    printSpread(spreadOf(threads.map((each) => rounded(of(each)))))
  const figures = contenders.map(({ name, docket, ms, threads }) => ({
    ...{
      name,
      p50Ms: quantile(ms, 0.5),
      p90Ms: quantile(ms, 0.9),
      memoryMB: usageOf(docket.processId).memoryBytes / 1e6,
    },
    cpuMs: spreadOfRounds(threads, (each) => [...each.values()].reduce((sum, ms) => sum + ms, 0)),
    threads: Object.fromEntries(
      names.map((thread) => [thread, spreadOfRounds(threads, (each) => each.get(thread) ?? 0)]),
    ),
  }))
  const equal = (first ?? []).filter((ids, at) => ids.join() === second?.[at]?.join()).length
  writeResults(
    `hybrid-search-turns-${vectors}`,
    { machine, vectors, length, searches, warmUp, rounds, figures, equal },
    [
      `${vectors} vectors of ${length} dimensions, hybrid searches without a filter, ${rounds} rounds of ${searches} of each checkout by turns, after ${warmUp} that are not counted; CPU of a round: median (lowest–highest). ${equal} of ${searches} responses are equal.`,
      '',
      ...table(
        ['', ...figures.map(({ name }) => name)],
        [
          ['p50 ms', ...figures.map(({ p50Ms }) => String(rounded(p50Ms)))],
          ['p90 ms', ...figures.map(({ p90Ms }) => String(rounded(p90Ms)))],
          ['memory, MB', ...figures.map(({ memoryMB }) => String(rounded(memoryMB)))],
          ['CPU of a search, ms', ...figures.map(({ cpuMs }) => cpuMs)],
          ...names.map((thread) => [`of it ${thread}`, ...figures.map((each) => each.threads[thread] ?? '')]),
        ],
      ),
    ],
  )
}

type Threads = ReadonlyMap<string, number>

async function measureEngine(engine: string) {
  await using running = new AsyncDisposableStack()
  const docket = await startDocket(engine, running)
  const readySeconds = cpuSecondsOf(docket.processId)
  console.log(engine, 'is ready')
  const figures = []
  for (const kind of kinds) figures.push(await measureKind(docket, kind))
  return { readySeconds, memoryMB: usageOf(docket.processId).memoryBytes / 1e6, figures }
}

/** With its index and all vectors. */
async function startDocket(engine: string, running: AsyncDisposableStack, folder?: string): Promise<SpawnedDocket> {
  const dataDir = temporaryFolder()
  running.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const docket = await spawnDocket(
    {
      DOCKET_DATABASE_URL: database.connectionString,
      DOCKET_DATA_DIR: dataDir,
      DOCKET_WORKERS: '1',
      DOCKET_VECTORS: engine,
      DOCKET_LANCEDB_PACKAGES: resolve(given.lancedb),
    },
    { isIndexPending: true, ...(folder === undefined ? {} : { folder }) },
  )
  running.defer(async () => void (await docket.stop()))
  await vectorClient(docket.address, keys.admin, 'vectors').whenReady(draw())
  if (engine === 'lancedb') await untilIndexed()
  return docket
}

/** The collection has a table of its own, with an index. */
async function untilIndexed(): Promise<void> {
  for (;;) {
    const own = await database.database.rows(sql`
      select from docket_vectors.lance_table where index_kind = 'approximate'`)
    if (own.length > 0) return
    await new Promise((done) => setTimeout(done, 500))
  }
}

/** Texts of 30 words. */
function* shortTexts(): Generator<string, never> {
  for (;;)
    for (const { text } of corpus.documents(1_000)) {
      const words = text.split(/\s+/)
      for (let from = 0; from + 30 <= words.length; from += 30) yield words.slice(from, from + 30).join(' ')
    }
}

interface Kind {
  readonly name: string
  readonly mode: string
  readonly filter: string
}

async function measureKind(docket: { readonly address: string; readonly processId: number }, kind: Kind) {
  const { name } = kind
  const ms: number[] = []
  const found: (readonly string[])[] = []
  let [docketFrom, postgresFrom] = [0, 0]
  for (const [at, { query, vector }] of queries.entries()) {
    if (at === warmUp) [docketFrom, postgresFrom] = [cpuSecondsOf(docket.processId), cpuSecondsOf(database.processId)]
    const from = performance.now()
    const ids = await search(docket.address, kind, { query, vector })
    if (at < warmUp) continue
    ms.push(performance.now() - from)
    found.push(ids)
  }
  const docketMs = ((cpuSecondsOf(docket.processId) - docketFrom) * 1_000) / searches
  const postgresMs = ((cpuSecondsOf(database.processId) - postgresFrom) * 1_000) / searches
  console.log(name, quantile(ms, 0.5), docketMs, postgresMs)
  return { name, p50Ms: quantile(ms, 0.5), docketMs, postgresMs, found }
}

/** @returns the found documents */
async function search(
  address: string,
  { mode, filter }: Kind,
  { query, vector }: (typeof queries)[number],
): Promise<readonly string[]> {
  const response = await fetch(`${address}/get_relevant_documents?k=${k}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, vector, mode, metadata: filter, collection_names: ['vectors'] }),
  })
  const body = (await response.json()) as { readonly data: readonly { readonly doc_id: string }[] }
  if (!response.ok) throw new Error(JSON.stringify(body))
  return body.data.map(({ doc_id: docId }) => docId)
}

function recallOf(found: readonly (readonly string[])[], expected: readonly (readonly string[])[]): number {
  const wanted = expected.flatMap((ids, at) => ids.map((id) => found[at]?.includes(id) === true))
  return wanted.filter(Boolean).length / wanted.length
}

type Measured = Awaited<ReturnType<typeof measureEngine>>

function writePage(bySigns: Measured, compared: Measured['figures']): void {
  const figures = bySigns.figures.map(({ found, ...signs }, at) => {
    const all = compared[at]
    if (all === undefined) return { ...signs, exact: null, recall: null }
    const { found: expected, ...others } = all
    return { ...signs, exact: others, recall: recallOf(found, expected) }
  })
  const { memoryMB, readySeconds } = bySigns
  const figureOf = (number: number | undefined): string => (number === undefined ? '' : String(rounded(number)))
  writeResults(
    given.engine === 'built-in' ? `hybrid-search-${vectors}` : `hybrid-search-${given.engine}-${vectors}`,
    { machine, vectors, length, searches, warmUp, memoryMB, readySeconds, figures },
    [
      `${vectors} vectors of ${length} dimensions, one of each document; k = ${k}; ${searches} searches of each kind, one after the other, after ${warmUp} that are not counted. The server with its index and all vectors takes ${rounded(memoryMB)} MB, and ${rounded(readySeconds)} s of CPU until it is ready.`,
      '',
      ...table(
        ['', 'p50 ms', 'CPU ms of Docket', 'CPU ms of PostgreSQL', 'exact: p50 ms', 'CPU ms of Docket', 'recall@10'],
        figures.map(({ name, p50Ms, docketMs, postgresMs, exact: all, recall }) => [
          ...[name, figureOf(p50Ms), figureOf(docketMs), figureOf(postgresMs)],
          ...[figureOf(all?.p50Ms), figureOf(all?.docketMs), recall === null ? '' : recall.toFixed(4)],
        ]),
      ),
    ],
  )
}
