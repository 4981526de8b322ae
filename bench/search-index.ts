/**
 * npm run bench:search-index -- [FOLDER…]: what a search costs inside the engine, without HTTP, rights or a database. Folders are
 * checkouts of other states of Docket, which take turns with this one, query by query: so the load of the machine is the same for all.
 * This state also searches without skipping chunks (docs/decisions/0034).
 *
 *   --chunks 12800
 *   --rounds 20
 *   --synthetic    postings without texts, for a million chunks in a minute; of this state only
 *   --segments 1   synthetic ones of equal size, searched as one collection
 *   --skipping     does not search without skipping chunks, which takes most of the time of ten million
 */
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { analyze } from '../src/search-engine/analysis/analyze.ts'
import type { SearchWork } from '../src/search-engine/ranking/score-part.ts'
import type { Segment } from '../src/search-engine/segments/segment.ts'
import { quantile } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { makeCorpus, makeRandom } from './search/corpus.ts'
import { eachChunkOf, engineOf, type ownEngine } from './search/engines.ts'
import { syntheticQueries, syntheticSegment } from './search/synthetic-segment.ts'

const { values: given, positionals: folders } = parseArgs({
  options: {
    chunks: { type: 'string', default: '12800' },
    rounds: { type: 'string', default: '20' },
    synthetic: { type: 'boolean', default: false },
    segments: { type: 'string', default: '1' },
    skipping: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const here = resolve(import.meta.dirname, '..')
const rounds = Number(given.rounds)

const machine = describeMachine()
// Of the corpus that is searched: words of another one hardly occur in it.
const queries = given.synthetic
  ? syntheticQueries(300, makeRandom(2))
  : makeCorpus(1)
      .queries(300)
      .map((query) => analyze(query))

interface State {
  readonly name: string
  search(terms: readonly string[], work: SearchWork): unknown
}

let chunkCount = 0
const states: State[] = []
for (const folder of [...folders.map((each) => resolve(each)), here]) {
  const address = pathToFileURL(join(folder, 'bench/search/engines.ts')).href
  const module = (await import(address)) as { ownEngine: typeof ownEngine }
  const engine =
    folder === here && given.synthetic
      ? engineOf(syntheticSegments())
      : module.ownEngine(eachChunkOf(makeCorpus(1).documents(Number(given.chunks))))
  if (folder !== here) {
    states.push({ name: basename(folder), search: (terms) => engine.search(terms) })
    continue
  }
  chunkCount = engine.chunks
  const skipFrom = Number.POSITIVE_INFINITY
  if (!given.skipping)
    states.push({ name: 'now, nothing skipped', search: (terms, work) => engine.search(terms, { skipFrom, work }) })
  states.push({ name: 'now', search: (terms, work) => engine.search(terms, { work }) })
}

function syntheticSegments(): readonly Segment[] {
  const count = Number(given.segments)
  const chunks = Math.ceil(Number(given.chunks) / count)
  const random = makeRandom(1)
  // Ids of a segment follow those of the one before, as if its documents had been loaded later.
  return Array.from({ length: count }, (_, at) => syntheticSegment(chunks, random, at * chunks + 1))
}

const measured = states.map((state) => ({ ...state, times: [] as number[], cpuMicros: 0, work: newWork() }))
for (let round = -1; round < rounds; round++)
  for (const terms of queries)
    for (const state of measured) {
      const work = newWork()
      const cpu = process.threadCpuUsage()
      const from = performance.now()
      state.search(terms, work)
      const took = performance.now() - from
      const { user, system } = process.threadCpuUsage(cpu)
      if (round < 0) {
        state.work.postings += work.postings
        state.work.ranges += work.ranges
        state.work.skippedRanges += work.skippedRanges
      } else {
        state.times.push(took)
        state.cpuMicros += user + system
      }
    }

function newWork(): SearchWork {
  return { postings: 0, ranges: 0, skippedRanges: 0 }
}

const figures = measured.map(({ name, times, cpuMicros, work }) => ({
  name,
  p50Ms: quantile(times, 0.5),
  p90Ms: quantile(times, 0.9),
  p99Ms: quantile(times, 0.99),
  cpuMs: cpuMicros / 1_000 / times.length,
  /** Of a query; 0: not counted. */
  postings: Math.round(work.postings / queries.length),
  skippedShare: work.skippedRanges / Math.max(work.ranges + work.skippedRanges, 1),
}))
const memory = Math.round(process.memoryUsage.rss() / 1e6)
const page = [
  `${chunkCount} chunks in ${given.segments} segment${given.segments === '1' ? '' : 's'}${given.synthetic ? ' of words that are independent of each other' : ''}, ${queries.length} queries of 3 to 8 words by their frequency in the texts, ${rounds} rounds, k = 10; states take turns with each query. Memory of the process (RSS): ${memory} MB.`,
  '',
  ...table(
    ['state', 'p50 ms', 'p90 ms', 'p99 ms', 'CPU ms (mean)', 'postings read (mean)', 'ranges skipped'],
    figures.map(({ name, p50Ms, p90Ms, p99Ms, cpuMs, postings, skippedShare }) => [
      name,
      ...[p50Ms, p90Ms, p99Ms, cpuMs].map((ms) => ms.toFixed(4)),
      postings === 0 ? '' : String(postings),
      skippedShare === 0 ? '' : skippedShare.toFixed(3),
    ]),
  ),
]
writeResults(
  `search-index${chunkCount > 20_000 ? `-${chunkCount}` : ''}${given.segments === '1' ? '' : `-${given.segments}-segments`}`,
  { machine, chunks: chunkCount, segments: Number(given.segments), memory, figures },
  page,
)
