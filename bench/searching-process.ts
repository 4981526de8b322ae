/**
 * A process that searches while another one loads: `search-while-loading.ts` starts it. It is the document service of a server without
 * HTTP, so that it can count what each search waits for.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase } from '../src/database/database.ts'
import { openDocuments } from '../src/documents/open-documents.ts'
import { searchDocuments } from '../src/documents/search-documents.ts'
import type { LexicalIndex } from '../src/documents/sync/lexical-index.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { callerWith } from '../test/harness/document-deps.ts'
import { temporaryFolder } from '../test/harness/spawn-docket.ts'
import { makeCorpus } from './search/corpus.ts'

export interface SearchOrder {
  readonly seconds: number
  /** Between a result and the next search. */
  readonly pauseMs: number
  /** The property `search.wait_ms`. */
  readonly waitMs: number | null
}

export interface SearchOutcome {
  /** Of each search. */
  readonly ms: readonly number[]
  /** Of each: until the state that it needs can be searched. */
  readonly reachMs: readonly number[]
  /** Of each: sequence numbers of the change log that the index lacked when it began. */
  readonly lag: readonly number[]
  /** Of each: statements for the index while it waited. */
  readonly statements: readonly number[]
  /** Searches that responded with an earlier state. */
  readonly behind: number
  /** All threads of the process, in the time of all searches and the pauses. */
  readonly cpuSeconds: number
  /** Work of the main thread that let nothing else run for 20 ms of processor time. */
  readonly blocks: number
  readonly longestBlockMs: number
}

const [connectionString = ''] = process.argv.slice(2)
const admin = callerWith(['admin', 'document_reader'])
const queries = makeCorpus(1).queries(300)
const longBlockMs = 20
let statements = 0
let waitMs: number | null = null

const database = counted(openDatabase({ connectionString, maxConnections: 10, statementTimeoutMs: 0 }))
const documents = await openDocuments({
  database,
  dataDir: temporaryFolder(),
  clock: systemClock,
  embeddings: null,
  reranker: null,
  readableRecords: async () => () => {
    throw new Error('no collection is bound')
  },
  searchWaitMs: async () => waitMs,
  onError: (error) => console.error(error),
})
await documents.whenSearchable()
process.on('message', (order: SearchOrder) => void search(order).then((outcome) => process.send?.(outcome)))
process.once('disconnect', () => void documents.close().then(() => database.close()))
process.send?.('ready')

/** Statements that read what the index lacks. */
function counted(opened: Database): Database {
  const rows: Database['rows'] = (query) => {
    statements++
    return opened.rows(query)
  }
  const run: Database['run'] = (statement, values) => {
    if (statement.name === 'read-changes' || statement.name === 'read-terms') statements++
    return opened.run(statement, values)
  }
  return { ...opened, rows, run }
}

async function search(order: SearchOrder): Promise<SearchOutcome> {
  waitMs = order.waitMs
  const [ms, reachMs, lag, counts] = [[] as number[], [] as number[], [] as number[], [] as number[]]
  let behind = 0
  const blocks = watchBlocks()
  const cpuBefore = process.cpuUsage()
  const untilMs = performance.now() + order.seconds * 1_000
  for (let n = 0; performance.now() < untilMs; n++) {
    const fromMs = performance.now()
    const statementsBefore = statements
    let reachedMs = fromMs
    const { index: searched } = documents.deps
    const withSnapshot: LexicalIndex['withSnapshot'] = (work) =>
      searched.withSnapshot((view) =>
        work({
          ...view,
          async reach(sequence, ...others) {
            lag.push(Math.max(0, sequence - searched.position()))
            const before = performance.now()
            const reached = await view.reach(sequence, ...others)
            reachMs.push(performance.now() - before)
            return reached
          },
        }),
      )
    // Members of the index are private to it, so its other methods run on itself.
    const index = new Proxy(searched, {
      get(target, name) {
        if (name === 'withSnapshot') return withSnapshot
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    const query = queries[n % queries.length] ?? ''
    const found = await searchDocuments({ ...documents.deps, index }, admin, {
      query,
      k: 10,
      collectionNames: ['open'],
      filter: '',
    })
    if (!found.ok) throw new Error(JSON.stringify(found.error))
    reachedMs = performance.now()
    ms.push(reachedMs - fromMs)
    counts.push(statements - statementsBefore)
    if (found.value.warnings.some(({ kind }) => kind === 'index-behind')) behind++
    await pause(order.pauseMs)
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  return { ms, reachMs, lag, statements: counts, behind, cpuSeconds: (user + system) / 1e6, ...blocks() }
}

/** Between two ticks the main thread may have waited for a processor; only what it used counts. */
function watchBlocks() {
  let before = process.threadCpuUsage()
  let blocks = 0
  let longestBlockMs = 0
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    const ms = (user + system) / 1_000
    longestBlockMs = Math.max(longestBlockMs, ms)
    if (ms > longBlockMs) blocks++
  }, 1)
  return () => {
    clearInterval(timer)
    return { blocks, longestBlockMs }
  }
}
