/**
 * npm run bench:load-lock: what the locked row of the change log of documents costs when several writers publish at once. Beside it, as a
 * bound of what could be gained: sequence numbers from a sequence, without any order of commits, which no reader could follow.
 *
 *   --writers 1,8
 *   --seconds 5      of a round; the states take turns
 *   --rounds 3
 */
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { openDatabase, type Session } from '../src/database/database.ts'
import { type NewDocument, publishDocument } from '../src/documents/store/publish-document.ts'
import { sql } from '../src/kernel/sql.ts'
import { rounded, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { startPostgres } from './records/servers.ts'
import { chunksOfDocument, makeCorpus } from './search/corpus.ts'

const { values: given } = parseArgs({
  options: {
    writers: { type: 'string', default: '1,8' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
  },
})
const states = ['the locked row', 'a sequence without order'] as const
type State = (typeof states)[number]
const sampleEveryMs = 20

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const newDatabase = await startPostgres(started)
const { database, connectionString, processId } = await newDatabase('load_lock')
const [collection] = await database.rows(sql<{ id: number }>`
  insert into docket_documents.collection (name, created_at, updated_at, is_awaited)
  values ('kb', localtimestamp, localtimestamp, false) returning id`)
await database.rows(sql`create sequence load_order start 1000000`)
const texts = [...makeCorpus(1).documents(1_000)].map(({ text }) => text)
let nextId = 1_000_000

interface Round {
  readonly writers: number
  readonly state: State
  readonly perSecond: number
  readonly cpuMs: number
  readonly flushes: number
  /** Of the time of a writer, the share in which it waits for a lock. */
  readonly waiting: number
}

const rounds: Round[] = []
for (let round = 0; round < Number(given.rounds); round++)
  for (const writers of given.writers.split(',').map(Number))
    for (const state of states) rounds.push(await measure(writers, state))
const rows = given.writers.split(',').flatMap((writers) =>
  states.map((state) => {
    const some = rounds.filter((each) => each.writers === Number(writers) && each.state === state)
    const median = (of: (round: Round) => number): string => String(rounded(spreadOf(some.map(of)).median))
    return [
      writers,
      state,
      median(({ perSecond }) => perSecond),
      median(({ cpuMs }) => cpuMs),
      median(({ flushes }) => flushes),
      median(({ waiting }) => waiting),
    ]
  }),
)
writeResults('load-lock', { machine, rounds }, [
  `Documents of ${chunksOfDocument} chunks, published past the server by connections of their own; medians of ${given.rounds} rounds of ${given.seconds} s.`,
  '',
  ...table(
    [
      'writers',
      'sequence numbers',
      'loads/s',
      'CPU ms of PostgreSQL',
      'flushes of a load',
      'share of time waiting for a lock',
    ],
    rows,
  ),
])

async function measure(writers: number, state: State): Promise<Round> {
  await use(state)
  const connections = Array.from({ length: writers }, () =>
    openDatabase({ connectionString, maxConnections: 1, statementTimeoutMs: 0 }),
  )
  const untilMs = performance.now() + Number(given.seconds) * 1_000
  const before = { cpu: cpuSecondsOf(processId), flushes: await readFlushes(), ms: performance.now() }
  let loads = 0
  const samples: number[] = []
  const sampling = setInterval(() => void sample().then((waiting) => samples.push(waiting)), sampleEveryMs)
  await Promise.all(
    connections.map(async (session) => {
      for (; performance.now() < untilMs; loads++) await publishDocument(session, nextDocument())
    }),
  )
  clearInterval(sampling)
  const perSecond = (loads * 1_000) / (performance.now() - before.ms)
  const cpuMs = ((cpuSecondsOf(processId) - before.cpu) * 1_000) / loads
  // Statistics of a connection are written when it ends.
  for (const each of connections) await each.close()
  const flushes = ((await readFlushes()) - before.flushes) / loads
  const waiting = samples.reduce((sum, count) => sum + count, 0) / Math.max(samples.length, 1) / writers
  console.log(writers, state, { perSecond, cpuMs, flushes, waiting })
  return { writers, state, perSecond, cpuMs, flushes, waiting }
}

async function use(state: State): Promise<void> {
  const [next, reach] =
    state === 'the locked row'
      ? [
          'select position + 1 from docket_documents.change_log for update',
          'update docket_documents.change_log set position = reached',
        ]
      : [`select nextval('load_order')`, 'select']
  const made: readonly (readonly [head: string, body: string])[] = [
    ['next_position() returns bigint', next],
    ['reach_position(reached bigint) returns void', reach],
  ]
  for (const [head, body] of made)
    await database.rows(sql.raw(`create or replace function docket_documents.${head} language sql as $$ ${body} $$`))
}

async function sample(): Promise<number> {
  const [row] = await database.rows(sql<{ waiting: number }>`
    select count(*)::integer as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return row?.waiting ?? 0
}

async function readFlushes(session: Session = database): Promise<number> {
  const [row] = await session.rows(sql<{ flushes: string }>`
    select coalesce(sum(fsyncs), 0) as flushes from pg_stat_io where object = 'wal'`)
  return Number(row?.flushes)
}

function nextDocument(): NewDocument {
  const id = nextId++
  const text = texts[id % texts.length] ?? ''
  const length = Math.ceil(text.length / chunksOfDocument)
  return {
    id,
    collectionId: collection?.id ?? 0,
    docId: `doc-${id}`,
    metadata: {},
    filterValues: {},
    recordId: null,
    title: null,
    fileName: null,
    mediaType: 'text/plain',
    language: null,
    size: text.length,
    characters: text.length,
    pages: null,
    flags: [],
    contentHash: createHash('sha256').update(String(id)).digest(),
    blobHash: null,
    vector: null,
    charset: null,
    splitAs: 'bench',
    readSizes: { chunkUnits: null, overlapUnits: null },
    loadedAt: new Date(),
    loadedBy: '1',
    text,
    chunks: Array.from({ length: chunksOfDocument }, (_, index) => ({
      index,
      from: index * length,
      to: Math.min(text.length, (index + 1) * length),
      headingPath: [],
    })),
    terms: null,
    replaces: [],
  }
}
