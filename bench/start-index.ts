/**
 * npm run bench:start-index: a start without a saved index, over existing documents. When do record requests succeed, when do searches, and
 * what does the build cost? Three times, each on a new machine: the first start finds no stored terms and stores those that it computes from
 * the texts, and its index is then rebuilt beside it, as by `docket documents reindex`; the second one finds the terms, and writes its segments
 * to an object store; the third one fetches these.
 *
 *   --chunks 100000
 *   --before FOLDER   instead: starts of another checkout and of this one over kept terms, by turns
 *   --rounds 7        of them, after one that is not counted
 */
import { parseArgs } from 'node:util'
import { readCollectionIds, requestReindex } from '../src/documents/sync/read-collection.ts'
import { sql } from '../src/kernel/sql.ts'
import { objectStoreSettings, startS3 } from '../test/harness/s3-stand-in.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../test/harness/spawn-docket.ts'
import { printSpread, rounded, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf, threadSecondsOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { type BenchDatabase, startPostgres } from './records/servers.ts'
import { chunksOfDocument } from './search/corpus.ts'
import { fillCollection } from './search/fill-collection.ts'

const { values: given } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    before: { type: 'string' },
    rounds: { type: 'string', default: '7' },
  },
})
const chunks = Number(given.chunks)
const rounds = Number(given.rounds)
const searchPath = '/get_relevant_documents?query=printer&collection_names=open'

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const newDatabase = await startPostgres(started)
const database = await newDatabase('start_index')
await fillCollection(database.database, chunks)
let reindexCpuSeconds = 0
const texts = await measure(database, {}, async ({ processId }) => {
  if (given.before === undefined) reindexCpuSeconds = await measureReindex(database, processId)
})
await (given.before === undefined ? measureStores() : measureTurns(given.before))

async function measureStores(): Promise<void> {
  const s3 = await startS3('docket-files', temporaryFolder())
  started.defer(() => s3.close())
  const objectStore = {
    ...objectStoreSettings(s3),
    DOCKET_S3_PATH_STYLE: 'on',
  }
  const terms = await measure(database, objectStore, untilWritten)
  const segments = await measure(database, objectStore, async () => undefined)
  const sizes = await readSizes(database)
  const row = (name: string, of: (figures: Figures) => number) => [
    name,
    String(rounded(of(texts))),
    String(rounded(of(terms))),
    String(rounded(of(segments))),
  ]
  writeResults(`start-index-${chunks}`, { machine, chunks, texts, terms, segments, reindexCpuSeconds, sizes }, [
    `A start without a saved index over ${chunks} chunks in documents of ${chunksOfDocument}.`,
    '',
    ...table(
      ['seconds', 'of texts', 'of kept terms', 'of segments in an object store'],
      [
        row('Docket listens', ({ listeningSeconds }) => listeningSeconds),
        row('the first record is read', ({ recordsSeconds }) => recordsSeconds),
        row('the first search has a response', ({ searchSeconds }) => searchSeconds),
        row('CPU of Docket until it listens', ({ listeningCpuSeconds }) => listeningCpuSeconds),
        row('CPU of Docket until the first search', ({ cpuSeconds }) => cpuSeconds),
      ],
    ),
    '',
    `Chunks per second of CPU of the build: ${buildRate(texts)} of texts, ${buildRate(terms)} of kept terms, ${buildRate(segments)} of segments; ${Math.round(chunks / reindexCpuSeconds)} of a rebuild in a running process, with its merges, without the comparison that the command makes afterwards.`,
    '',
    `Bytes per chunk in the database: ${Math.round(sizes.chunk / chunks)} of chunks, ${Math.round(sizes.terms / chunks)} of terms.`,
  ])
}

/** Starts of two checkouts over the same kept terms. */
async function measureTurns(before: string): Promise<void> {
  const contenders = [
    { name: 'before', folder: before, found: [] as Figures[] },
    { name: 'now', folder: undefined, found: [] as Figures[] },
  ]
  for (let round = 0; round <= rounds; round++)
    for (const { folder, found } of contenders) {
      const figures = await measure(database, {}, async () => undefined, folder)
      if (round > 0) found.push(figures)
    }
  const threads = new Set(contenders.flatMap(({ found }) => found.flatMap((each) => Object.keys(each.threads))))
  const perChunk = (found: readonly Figures[], of: (figures: Figures) => number) =>
    printSpread(spreadOf(found.map((each) => (of(each) * 1e6) / chunks)))
  const line = (name: string, of: (figures: Figures) => number) => [
    name,
    ...contenders.map(({ found }) => perChunk(found, of)),
  ]
  writeResults('start-index-turns', { machine, chunks, rounds, contenders }, [
    `A start without a saved index over ${chunks} chunks with kept terms, ${rounds} of each checkout by turns after one that is not counted: median (lowest–highest).`,
    '',
    ...table(
      ['', ...contenders.map(({ name }) => name)],
      [
        [
          'chunks per second of CPU of the build',
          ...contenders.map(({ found }) => printSpread(spreadOf(found.map(buildRate)))),
        ],
        line('CPU of a chunk, µs', ({ cpuSeconds, listeningCpuSeconds }) => cpuSeconds - listeningCpuSeconds),
        ...[...threads].map((thread) => line(`of it ${thread}`, (each) => each.threads[thread] ?? 0)),
      ],
    ),
  ])
}

type Figures = Awaited<ReturnType<typeof measure>>

function buildRate({ cpuSeconds, listeningCpuSeconds }: Figures): number {
  return Math.round(chunks / (cpuSeconds - listeningCpuSeconds))
}

async function readSizes({ database: session }: BenchDatabase) {
  const [sizes] = await session.rows(sql<{ chunk: string; terms: string }>`
    select pg_total_relation_size('docket_documents.chunk') as chunk,
      pg_total_relation_size('docket_documents.document_terms') as terms`)
  return { chunk: Number(sizes?.chunk), terms: Number(sizes?.terms) }
}

/** The second start has written its segments to the object store; the first one had another store. */
async function untilWritten(): Promise<void> {
  const read = () =>
    database.database.rows(sql`
      select from docket_documents.segment_manifest m where m.file_store = (
        select u.file_store from docket_documents.file_store_use u order by u.worker desc limit 1)`)
  while ((await read()).length === 0) await new Promise((resolve) => setTimeout(resolve, 250))
}

/** CPU of a rebuild that a running process does when it is requested. */
async function measureReindex({ database: session }: BenchDatabase, processId: number): Promise<number> {
  const before = await untilIdle(processId)
  await requestReindex(session, await readCollectionIds(session))
  return (await untilIdle(processId)) - before
}

/** @returns the CPU of the process when it has done next to nothing for three seconds */
async function untilIdle(processId: number): Promise<number> {
  for (let before = cpuSecondsOf(processId); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const now = cpuSecondsOf(processId)
    if (now - before < 0.3) return now
    before = now
  }
}

/** @param afterwards before the server is stopped */
async function measure(
  { connectionString }: BenchDatabase,
  store: Readonly<Record<string, string>>,
  afterwards: (docket: SpawnedDocket) => Promise<void>,
  folder?: string,
) {
  const beganMs = performance.now()
  const seconds = (): number => (performance.now() - beganMs) / 1_000
  const docket = await spawnDocket(
    {
      DOCKET_DATABASE_URL: connectionString,
      DOCKET_DATA_DIR: temporaryFolder(),
      DOCKET_WORKERS: '1',
      // It would be built meanwhile.
      DOCKET_CONSOLE: 'off',
      ...store,
    },
    { isIndexPending: true, ...(folder === undefined ? {} : { folder }) },
  )
  const listeningSeconds = seconds()
  const listeningCpuSeconds = cpuSecondsOf(docket.processId)
  const listeningThreads = threadSecondsOf(docket.processId)
  const headers = { authorization: `Basic ${Buffer.from('admin:a password for the load test').toString('base64')}` }
  const get = (path: string): Promise<Response> => fetch(`${docket.address}${path}`, { headers })
  const records = await get('/rest/v1/table/user?sysparm_limit=1')
  if (!records.ok) throw new Error(await records.text())
  const recordsSeconds = seconds()
  for (let response = await get(searchPath); !response.ok; response = await get(searchPath)) {
    if (response.status !== 503) throw new Error(await response.text())
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const searchSeconds = seconds()
  const cpuSeconds = cpuSecondsOf(docket.processId)
  const threads: Readonly<Record<string, number>> = Object.fromEntries(
    [...threadSecondsOf(docket.processId)].map(([name, seconds]) => [
      name,
      seconds - (listeningThreads.get(name) ?? 0),
    ]),
  )
  await afterwards(docket)
  await docket.stop()
  return { threads, listeningSeconds, listeningCpuSeconds, recordsSeconds, searchSeconds, cpuSeconds }
}
