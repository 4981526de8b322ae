/**
 * npm run bench:segment-tables -- --chunks 100000 COLLECTION…: a segment in memory and the same one in a table of LanceDB
 * (docs/decisions/0056): searches, writing, bytes, and the quality of rankings of judged collections, as for bench:search-quality. The
 * engine alone, in this thread.
 *
 *   --packages test/lancedb   where LanceDB is installed
 *   --chunks 100000           synthetic chunks of one segment
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureRankings } from '../src/documents/evaluate/measure-ranking.ts'
import { readJudgements, readQueries } from '../src/documents/evaluate/read-judgements.ts'
import { analyze } from '../src/search-engine/analysis/analyze.ts'
import { movedSegment } from '../src/search-engine/lancedb/chunk-rows.ts'
import { ChunkTables } from '../src/search-engine/lancedb/chunk-tables.ts'
import { searchTables } from '../src/search-engine/lancedb/search-tables.ts'
import type { Ranking } from '../src/search-engine/ranking/rank-chunks.ts'
import { buildSegment } from '../src/search-engine/segments/build-segment.ts'
import type { Segment } from '../src/search-engine/segments/segment.ts'
import { type LexicalSearch, SegmentSet } from '../src/search-engine/segments/segment-set.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { makeRandom } from './search/corpus.ts'
import { countsOf, eachChunkOf, pairsOf, termsOfChunk } from './search/engines.ts'
import { bytesIn } from './search/lance.ts'
import { syntheticQueries, syntheticSegment } from './search/synthetic-segment.ts'

const { values: given, positionals: collections } = parseArgs({
  options: {
    packages: { type: 'string', default: 'test/lancedb' },
    chunks: { type: 'string', default: '100000' },
  },
  allowPositionals: true,
})
const machine = describeMachine()
const folder = mkdtempSync(join(tmpdir(), 'docket-tables-'))
const tables = new ChunkTables({ uri: folder, storageOptions: {}, packageFolder: resolve(given.packages) })
const change = { position: 1, keepFrom: 1, added: [], removed: [], dropped: [] }

function setOf({ buffer }: Segment): SegmentSet {
  const set = new SegmentSet()
  set.apply({ ...change, segments: [{ collectionId: 1, segmentId: 's', buffer }] })
  return set
}

const searchFor = (terms: readonly string[], k: number): LexicalSearch => ({
  position: 1,
  collectionIds: [1],
  terms: countsOf(terms),
  options: { k, pairs: pairsOf(terms) },
})

interface Timed {
  readonly rankings: readonly Ranking[]
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMs: number
}

async function timed(searches: readonly LexicalSearch[], search: (search: LexicalSearch) => unknown): Promise<Timed> {
  for (const each of searches.slice(0, 50)) await search(each)
  const times: number[] = []
  const rankings: Ranking[] = []
  const before = process.cpuUsage()
  for (const each of searches) {
    const from = performance.now()
    rankings.push((await search(each)) as Ranking)
    times.push(performance.now() - from)
  }
  const { user, system } = process.cpuUsage(before)
  const cpuMs = (user + system) / 1_000 / searches.length
  return { rankings, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), cpuMs }
}

async function inBoth(segment: Segment, searches: readonly LexicalSearch[]) {
  const before = process.cpuUsage()
  const began = performance.now()
  const name = await tables.write(segment)
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(before)
  const moved = movedSegment(segment, name)
  const memory = setOf(segment)
  const outside = setOf(moved)
  return {
    memory: await timed(searches, (search) => memory.search(search)),
    table: await timed(searches, (search) => searchTables(() => outside, tables, search)),
    seconds,
    cpuSeconds: (user + system) / 1_000_000,
    moved: moved.buffer.byteLength,
  }
}

const best = ({ ranked }: Ranking): string => JSON.stringify(ranked)

const chunks = Number(given.chunks)
const segment = syntheticSegment(chunks, makeRandom(1))
const queries = syntheticQueries(300, makeRandom(2)).map((terms) => searchFor(terms, 10))
const synthetic = await inBoth(segment, queries)
const onDisk = bytesIn(folder)
const same = synthetic.table.rankings.filter((one, at) => best(one) === best(synthetic.memory.rankings[at] as Ranking))
const shares = synthetic.table.rankings.map(({ ranked }, at) => {
  const wanted = synthetic.memory.rankings[at]?.ranked ?? []
  const ids = new Set(ranked.map(({ documentId, chunkIndex }) => `${documentId} ${chunkIndex}`))
  return wanted.filter(({ documentId, chunkIndex }) => ids.has(`${documentId} ${chunkIndex}`)).length / wanted.length
})
const recall = shares.reduce((sum, share) => sum + share, 0) / shares.length
const lines = [
  `${chunks} synthetic chunks in one segment, ${queries.length} queries of 3 to 8 words, k = 10. CPU is that of all threads.`,
  '',
  ...table(
    ['', 'p50 ms', 'p99 ms', 'CPU ms', 'bytes a chunk in memory', 'on disk'],
    [
      ['memory', ...figuresOf(synthetic.memory), String(Math.round(segment.buffer.byteLength / chunks)), '–'],
      [
        'table',
        ...figuresOf(synthetic.table),
        String(Math.round(synthetic.moved / chunks)),
        String(Math.round(onDisk / chunks)),
      ],
    ],
  ),
  '',
  `Writing and indexing the table: ${rounded(synthetic.seconds)} s, ${rounded(synthetic.cpuSeconds)} s of CPU, ${Math.round(chunks / synthetic.seconds)} chunks/s.`,
  `Of ${queries.length} responses ${same.length} are equal; the table finds ${rounded(recall * 100)} percent of the ten best of memory.`,
  '',
]
console.log(lines.join('\n'))

function figuresOf({ p50Ms, p99Ms, cpuMs }: Timed): readonly string[] {
  return [p50Ms, p99Ms, cpuMs].map((ms) => String(rounded(ms)))
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
  const requested = readQueries(read('queries.jsonl'))
  const judgements = readJudgements(read('qrels.tsv'))
  if (!requested.ok || !judgements.ok) throw new Error(`${collection} cannot be read`)
  const questions = requested.value.filter(({ id }) => judgements.value.has(id))
  const searches = questions.map(({ text }) => searchFor(analyze(text), 100))
  const { memory, table: outside } = await inBoth(buildSegment(all.map(termsOfChunk)), searches)
  for (const [name, { rankings }] of Object.entries({ memory, table: outside })) {
    const ids = rankings.map(({ ranked }) => [...new Set(ranked.map(({ documentId }) => owners[documentId] ?? ''))])
    const measures = measureRankings(new Map(questions.map(({ id }, at) => [id, ids[at] ?? []])), judgements.value)
    rows.push([basename(collection), name, measures.ndcg10.toFixed(4), measures.recall100.toFixed(4)])
  }
}
const quality = table(['collection', 'postings in', 'nDCG@10', 'recall@100 (of 100 chunks)'], rows)
console.log(quality.join('\n'))
writeResults(`segment-tables-${chunks}`, { machine, chunks, recall, same: same.length, rows }, [...lines, ...quality])
rmSync(folder, { recursive: true, force: true })
