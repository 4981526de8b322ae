/**
 * npm run bench:search-while-loading: two processes on one database. One loads; what do searches in the other one wait for? A search waits
 * until its process has indexed what was committed before it.
 *
 *   --chunks 20000     in the collection before
 *   --rate 2500        chunks per second that are loaded; rows with kept terms, a transaction for each ten documents, as a server commits them
 *   --seconds 10       of each case
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sql } from '../src/kernel/sql.ts'
import { spawnDocket, temporaryFolder } from '../test/harness/spawn-docket.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { startPostgres } from './records/servers.ts'
import { copyingOf } from './search/copy-documents.ts'
import { chunksOfDocument } from './search/corpus.ts'
import { fillCollection } from './search/fill-collection.ts'
import type { SearchOrder, SearchOutcome } from './searching-process.ts'

const { values: given } = parseArgs({
  options: {
    chunks: { type: 'string', default: '20000' },
    rate: { type: 'string', default: '2500' },
    seconds: { type: 'string', default: '10' },
  },
})
const chunks = Number(given.chunks)
const rate = Number(given.rate)
const seconds = Number(given.seconds)
const documentsOfTransaction = 10

interface Case {
  readonly name: string
  readonly isLoading: boolean
  readonly order: SearchOrder
}
const order = { seconds, pauseMs: 20, waitMs: null }
const cases: readonly Case[] = [
  { name: 'nothing is loaded', isLoading: false, order },
  { name: 'a search every 20 ms', isLoading: true, order },
  { name: 'a search every 2 s', isLoading: true, order: { ...order, seconds: seconds * 4, pauseMs: 2_000 } },
  { name: 'a search every 20 ms, search.wait_ms 50', isLoading: true, order: { ...order, waitMs: 50 } },
]

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const newDatabase = await startPostgres(started)
const { database, connectionString } = await newDatabase('while_loading')
await fillCollection(database, chunks)
// A server that indexes texts keeps their terms.
const docket = await spawnDocket({
  DOCKET_DATABASE_URL: connectionString,
  DOCKET_DATA_DIR: temporaryFolder(),
  DOCKET_WORKERS: '1',
})
while (
  (
    await database.rows(sql`select from docket_documents.document d
  where not exists (select from docket_documents.document_terms t where t.document_id = d.id) limit 1`)
  ).length > 0
)
  await pause(500)
await docket.stop()
const copying = await copyingOf(database)

const child = fork(fileURLToPath(new URL('./searching-process.ts', import.meta.url)), [connectionString])
// Before the database, whose end it would report.
started.defer(async () => {
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
})
await nextMessage()
await searchWith({ ...order, seconds: 3 })

interface Figures {
  readonly name: string
  readonly loadedPerSecond: number
  readonly outcome: SearchOutcome
}
const figures: Figures[] = []
for (const each of cases) {
  const loading = each.isLoading ? startLoading() : null
  if (loading !== null) await pause(1_000)
  const outcome = await searchWith(each.order)
  const loadedPerSecond = loading === null ? 0 : await loading.stop()
  figures.push({ name: each.name, loadedPerSecond, outcome })
  console.log(each.name, rounded(loadedPerSecond), 'chunks/s')
}
const { outcome: quiet } = figures[0] ?? { outcome: null }
const idleShare = quiet === null ? 0 : quiet.cpuSeconds / quiet.ms.length
writeResults('search-while-loading', { machine, chunks, rate, figures }, [
  `A collection of ${chunks} chunks at first; ${rate} chunks/s wanted, ${documentsOfTransaction} documents in a transaction. Lag: sequence numbers that the index lacked when a search began. A block: more than 20 ms of processor time of the main thread without a break.`,
  '',
  ...table(
    [
      '',
      'chunks/s',
      'searches',
      'p50 ms',
      'p99 ms',
      'longest',
      'waiting p50',
      'p99',
      'lag p50',
      'most',
      'statements of a search, most',
      'behind',
      'blocks',
      'longest, ms',
      'CPU ms of a search',
      'CPU µs of a loaded chunk',
    ],
    figures.map(({ name, loadedPerSecond, outcome }) => rowOf(name, loadedPerSecond, outcome)),
  ),
])

function rowOf(name: string, loadedPerSecond: number, outcome: SearchOutcome): string[] {
  const { ms, reachMs, lag, statements, behind, blocks, longestBlockMs, cpuSeconds } = outcome
  const ofSearches = cpuSeconds / ms.length
  const perChunk = (cpuSeconds - ms.length * idleShare) / Math.max(1, loadedPerSecond * lengthOf(name))
  return [
    name,
    String(Math.round(loadedPerSecond)),
    String(ms.length),
    ...[quantile(ms, 0.5), quantile(ms, 0.99), Math.max(...ms)].map((value) => String(rounded(value))),
    ...[quantile(reachMs, 0.5), quantile(reachMs, 0.99)].map((value) => String(rounded(value))),
    String(quantile(lag, 0.5)),
    String(Math.max(...lag)),
    String(Math.max(...statements)),
    String(behind),
    String(blocks),
    String(rounded(longestBlockMs)),
    loadedPerSecond === 0 ? String(rounded(ofSearches * 1_000)) : '',
    loadedPerSecond === 0 ? '' : String(rounded(perChunk * 1e6)),
  ]
}

function lengthOf(name: string): number {
  return cases.find((each) => each.name === name)?.order.seconds ?? 0
}

async function searchWith(ordered: SearchOrder): Promise<SearchOutcome> {
  child.send(ordered)
  return (await nextMessage()) as SearchOutcome
}

function nextMessage(): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('the searching process ended'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}

/** Loads as fast as wanted, or as the machine allows. */
function startLoading() {
  let isOver = false
  let loaded = 0
  const beganMs = performance.now()
  const running = (async () => {
    while (!isOver) {
      await copying.copyNext(documentsOfTransaction)
      loaded += documentsOfTransaction * chunksOfDocument
      const aheadMs = (loaded / rate) * 1_000 - (performance.now() - beganMs)
      if (aheadMs > 0) await pause(aheadMs)
    }
  })()
  return {
    async stop(): Promise<number> {
      isOver = true
      await running
      return loaded / ((performance.now() - beganMs) / 1_000)
    },
  }
}
