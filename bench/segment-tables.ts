/**
 * npm run bench:segment-tables -- --chunks 100000 --tables 1 COLLECTION…: segments in memory and the same ones in tables of LanceDB
 * (docs/decisions/0056): searches, writing, bytes, and the quality of rankings of judged collections, as for bench:search-quality. The
 * engine alone, in this thread. One segment at a time is in memory.
 *
 *   --packages test/lancedb   where LanceDB is installed
 *   --chunks 100000           synthetic chunks of all segments
 *   --tables 1                segments, each with a table
 *   --seconds 3600            after so many no further table is begun: the result has fewer of them, and fewer chunks
 *   --processes 0             so many processes search the same tables, too: by turns, all at once, and while this one writes 2,000 chunks
 *                             per second
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { measureRankings } from '../src/documents/evaluate/measure-ranking.ts'
import { readJudgements, readQueries } from '../src/documents/evaluate/read-judgements.ts'
import { analyze } from '../src/search-engine/analysis/analyze.ts'
import { movedSegment } from '../src/search-engine/lancedb/chunk-rows.ts'
import { ChunkTables } from '../src/search-engine/lancedb/chunk-tables.ts'
import { searchTables } from '../src/search-engine/lancedb/search-tables.ts'
import type { RankedChunk } from '../src/search-engine/ranking/best-chunks.ts'
import { rankChunks } from '../src/search-engine/ranking/rank-chunks.ts'
import type { SearchedPart } from '../src/search-engine/ranking/score-part.ts'
import { buildSegment } from '../src/search-engine/segments/build-segment.ts'
import type { Segment } from '../src/search-engine/segments/segment.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { makeRandom } from './search/corpus.ts'
import { eachChunkOf, termsOfChunk } from './search/engines.ts'
import { bytesIn } from './search/lance.ts'
import { syntheticSegment } from './search/synthetic-segment.ts'
import type { SearcherOutcome } from './search/table-searcher.ts'
import { TableSearchers } from './search/table-searchers.ts'
import { readSegment, searchFor, setOf, syntheticSearches, type TimedSearches, timed } from './search/timed-searches.ts'

const { values: given, positionals: collections } = parseArgs({
  options: {
    packages: { type: 'string', default: 'test/lancedb' },
    chunks: { type: 'string', default: '100000' },
    tables: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3600' },
    processes: { type: 'string', default: '0' },
  },
  allowPositionals: true,
})
const machine = describeMachine()
const folder = mkdtempSync(join(tmpdir(), 'docket-tables-'))
const places = { tables: join(folder, 'tables'), segments: join(folder, 'segments'), moved: join(folder, 'moved') }
for (const place of Object.values(places)) mkdirSync(place)
const tables = new ChunkTables({ uri: places.tables, storageOptions: {}, packageFolder: resolve(given.packages) })
/** What is written while other processes search. */
const loaded = { tables: 3, chunksOfTable: 100_000, chunksPerSecond: 2_000 }

interface Written {
  readonly moved: Segment
  readonly seconds: number
  readonly cpuSeconds: number
}

async function write(segment: Segment): Promise<Written> {
  const before = process.cpuUsage()
  const began = performance.now()
  const name = await tables.write(segment)
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(before)
  return { moved: movedSegment(segment, name), seconds, cpuSeconds: (user + system) / 1_000_000 }
}

const megabytes = (): number => Math.round(process.memoryUsage().rss / 1e6)
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

const requested = { chunks: Number(given.chunks), tables: Number(given.tables) }
const perTable = Math.ceil(requested.chunks / requested.tables)
const written: Written[] = []
let bytesInMemory = 0
for (let at = 0; at < requested.tables && performance.now() < Number(given.seconds) * 1_000; at++) {
  const segment = syntheticSegment(perTable, makeRandom(at === 0 ? 1 : 1_000 + at), 1 + at * perTable)
  written.push(await write(segment))
  writeFileSync(join(places.segments, String(at)), new Uint8Array(segment.buffer))
  bytesInMemory += segment.buffer.byteLength
  console.log(`table ${at + 1} of ${requested.tables}: ${perTable} chunks in ${rounded(written[at]?.seconds ?? 0)} s`)
}
const count = written.length
const chunks = perTable * count
const onDisk = bytesIn(places.tables)
const seconds = sum(written.map((each) => each.seconds))
const cpuSeconds = sum(written.map((each) => each.cpuSeconds))

const queries = syntheticSearches()
const moved = written.map((each) => each.moved)
const outside = setOf(moved)
const beforeSearches = megabytes()
const inTables = await timed(queries, (search) => searchTables(() => outside, tables, search))
const afterSearches = megabytes()
const processes = await measureProcesses(Number(given.processes))

/** As a segment of many, of which one is in memory: all are counted. */
const counted = moved.map((segment): SearchedPart => {
  const { postingStart, chunkLength, chunkCount } = segment
  const chunksWith = (ordinal: number): number => (postingStart[ordinal + 1] ?? 0) - (postingStart[ordinal] ?? 0)
  const length = chunkLength.reduce((all, each) => all + each, 0)
  return { segment, hidden: null, chunks: chunkCount, length, chunksWith, isOnlyCounted: true }
})
const pieces: TimedSearches[] = []
for (const at of moved.keys()) {
  const segment = readSegment(join(places.segments, String(at)))
  const parts = counted.map((part, other) =>
    other === at ? { segment, hidden: null, chunks: part.chunks, length: part.length } : part,
  )
  pieces.push(await timed(queries, ({ terms, options }) => rankChunks(parts, terms, options)))
}
const inMemory = {
  times: queries.map((_, query) => sum(pieces.map(({ times }) => times[query] ?? 0))),
  cpuMs: sum(pieces.map(({ cpuMs }) => cpuMs)),
}

const docIdOf = ({ documentId }: RankedChunk): string => `doc-${(documentId - 1) % perTable}`
const inOrder = (one: RankedChunk, other: RankedChunk): number =>
  other.score - one.score ||
  (docIdOf(one) < docIdOf(other) ? -1 : docIdOf(one) > docIdOf(other) ? 1 : 0) ||
  one.documentId - other.documentId ||
  one.chunkIndex - other.chunkIndex
const wanted = queries.map((_, query) =>
  pieces
    .flatMap(({ rankings }) => rankings[query]?.ranked ?? [])
    .sort(inOrder)
    .slice(0, 10),
)
const found = inTables.rankings.map(({ ranked }) => ranked)
const same = found.filter((one, at) => JSON.stringify(one) === JSON.stringify(wanted[at])).length
const nameOf = ({ documentId, chunkIndex }: RankedChunk): string => `${documentId} ${chunkIndex}`
const shares = found.map((ranked, at) => {
  const ids = new Set(ranked.map(nameOf))
  const all = wanted[at] ?? []
  return all.length === 0 ? 1 : all.filter((each) => ids.has(nameOf(each))).length / all.length
})
const recall = sum(shares) / shares.length
const lines = [
  `${chunks} synthetic chunks in ${count} segments, ${queries.length} queries of 3 to 8 words, k = 10. CPU is that of all threads. Memory: one segment after the other, times added.`,
  '',
  ...table(
    ['', 'p50 ms', 'p90 ms', 'p99 ms', 'CPU ms', 'bytes a chunk in memory', 'on disk'],
    [
      ['memory', ...figuresOf(inMemory), String(Math.round(bytesInMemory / chunks)), '–'],
      [
        'tables',
        ...figuresOf(inTables),
        String(Math.round(sum(moved.map(({ buffer }) => buffer.byteLength)) / chunks)),
        String(Math.round(onDisk / chunks)),
      ],
    ],
  ),
  '',
  `Writing and indexing the tables: ${rounded(seconds)} s, ${rounded(cpuSeconds)} s of CPU, ${Math.round(chunks / seconds)} chunks/s.`,
  `Memory of the process (RSS): ${beforeSearches} MB before the searches in tables, ${afterSearches} MB after them.`,
  `Of ${queries.length} responses ${same} are equal; the tables find ${rounded(recall * 100)} percent of the ten best of memory.`,
  '',
  ...processes.lines,
]
console.log(lines.join('\n'))

function figuresOf({ times, cpuMs }: Pick<TimedSearches, 'times' | 'cpuMs'>): readonly string[] {
  return [quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.99), cpuMs].map((ms) => String(rounded(ms)))
}

/** The searches of several processes over the same tables, each of them after one round that is not counted. */
async function measureProcesses(count: number) {
  if (count === 0) return { lines: [] }
  for (const [at, { buffer }] of moved.entries())
    writeFileSync(join(places.moved, String(at).padStart(3, '0')), new Uint8Array(buffer))
  const { tables: uri, moved: segments } = places
  const searchers = new TableSearchers(count, { tables: uri, packages: resolve(given.packages), moved: segments })
  try {
    await searchers.byTurns()
    const byTurns = await searchers.byTurns()
    const atOnce = await searchers.atOnce()
    const segment = syntheticSegment(loaded.chunksOfTable, makeRandom(3))
    const beganMs = performance.now()
    let writtenMs = beganMs
    const beside = await searchers.beside(async () => {
      for (let at = 1; at <= loaded.tables; at++) {
        await write(segment)
        const untilMs = beganMs + (at * loaded.chunksOfTable * 1_000) / loaded.chunksPerSecond
        await delay(Math.max(0, untilMs - performance.now()))
      }
      writtenMs = performance.now()
    })
    const rate = Math.round((loaded.tables * loaded.chunksOfTable * 1_000) / (writtenMs - beganMs))
    const expected = inTables.rankings.map(({ ranked }) => JSON.stringify(ranked))
    const all = [...byTurns, ...atOnce, ...beside]
    const same = all.every(({ found }) => found.every((each, at) => each === expected[at]))
    const line = (name: string, outcomes: readonly SearcherOutcome[]) => [
      name,
      ...figuresOf({
        times: outcomes.flatMap(({ times }) => times),
        cpuMs: sum(outcomes.map(({ cpuMs }) => cpuMs)) / outcomes.length,
      }),
    ]
    const largest = Math.round(Math.max(...all.map(({ bytes }) => bytes)) / 1e6)
    return {
      byTurns,
      atOnce,
      beside,
      rate,
      same,
      lines: [
        `${count} other processes over the same tables, each with one client; all responses are ${same ? '' : 'not '}those of this process. Memory of each (RSS): up to ${largest} MB.`,
        '',
        ...table(
          ['', 'p50 ms', 'p90 ms', 'p99 ms', 'CPU ms'],
          [
            line('one after the other', byTurns),
            line('at the same time', atOnce),
            line(`at the same time, while ${rate} chunks/s are written`, beside),
          ],
        ),
        '',
      ],
    }
  } finally {
    searchers.close()
  }
}

const rows: string[][] = []
for (const collection of collections) {
  const read = (name: string): string => readFileSync(join(collection, name), 'utf8')
  const owners: string[] = []
  const documents = read('corpus.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly id: string; readonly title?: string; readonly text: string })
  const all = documents.flatMap(({ id, title = '', text }) =>
    [...eachChunkOf([{ title, text } as never])].map((chunk) => ({ ...chunk, id: owners.push(id) - 1 })),
  )
  const searched = readQueries(read('queries.jsonl'))
  const judgements = readJudgements(read('qrels.tsv'))
  if (!searched.ok || !judgements.ok) throw new Error(`${collection} cannot be read`)
  const questions = searched.value.filter(({ id }) => judgements.value.has(id))
  const searches = questions.map(({ text }) => searchFor(analyze(text), 100))
  const perSegment = Math.ceil(all.length / requested.tables)
  const segments = Array.from({ length: requested.tables }, (_, at) =>
    buildSegment(all.slice(at * perSegment, (at + 1) * perSegment).map(termsOfChunk)),
  )
  const stored = setOf(await Promise.all(segments.map(async (each) => (await write(each)).moved)))
  const held = setOf(segments)
  const memory = await timed(searches, (search) => held.search(search))
  const outside = await timed(searches, (search) => searchTables(() => stored, tables, search))
  for (const [name, { rankings }] of Object.entries({ memory, table: outside })) {
    const ids = rankings.map(({ ranked }) => [...new Set(ranked.map(({ documentId }) => owners[documentId] ?? ''))])
    const measures = measureRankings(new Map(questions.map(({ id }, at) => [id, ids[at] ?? []])), judgements.value)
    rows.push([basename(collection), name, measures.ndcg10.toFixed(4), measures.recall100.toFixed(4)])
  }
}
const heads = ['collection', 'postings in', 'nDCG@10', 'recall@100 (of 100 chunks)']
const quality = rows.length === 0 ? [] : table(heads, rows)
console.log(quality.join('\n'))
const measured = { times: inTables.times, cpuMs: inTables.cpuMs, seconds, cpuSeconds, beforeSearches, afterSearches }
writeResults(
  `segment-tables-${chunks}${count === 1 ? '' : `-in-${count}`}`,
  { machine, chunks, tables: count, recall, same, ...measured, processes, rows },
  [...lines, ...quality],
)
rmSync(folder, { recursive: true, force: true })
