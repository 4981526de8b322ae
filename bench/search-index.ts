/**
 * npm run bench:search-index -- [FOLDER…]: what a search costs inside the engine, without HTTP, rights or a database, and how large the
 * index is. Folders are checkouts of other states of Docket, which take turns with this one, query by query: so the load of the
 * machine is the same for all.
 *
 *   --chunks 12800
 *   --rounds 20
 */
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { analyze } from '../src/search-engine/analysis/analyze.ts'
import { quantile } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { makeCorpus } from './search/corpus.ts'
import { chunksOf, type ownEngine } from './search/engines.ts'

const { values: given, positionals: folders } = parseArgs({
  options: { chunks: { type: 'string', default: '12800' }, rounds: { type: 'string', default: '20' } },
  allowPositionals: true,
})
const here = resolve(import.meta.dirname, '..')

const machine = describeMachine()
const chunks = chunksOf(makeCorpus(1).documents(Number(given.chunks)))
const queries = makeCorpus(2)
  .queries(300)
  .map((query) => analyze(query))
const measured = await Promise.all(
  [...folders.map((folder) => resolve(folder)), here].map(async (folder) => {
    const address = pathToFileURL(join(folder, 'bench/search/engines.ts')).href
    const module = (await import(address)) as { ownEngine: typeof ownEngine }
    return { name: folder === here ? 'now' : basename(folder), engine: module.ownEngine(chunks), times: [] as number[] }
  }),
)
for (let round = -1; round < Number(given.rounds); round++)
  for (const terms of queries)
    for (const { engine, times } of measured) {
      const from = performance.now()
      engine.search(terms)
      if (round >= 0) times.push(performance.now() - from)
    }

const figures = measured.map(({ name, times }) => ({
  name,
  p50Ms: quantile(times, 0.5),
  p90Ms: quantile(times, 0.9),
  p99Ms: quantile(times, 0.99),
}))
const page = [
  `${chunks.length} chunks, ${queries.length} queries of 3 to 8 words, ${given.rounds} rounds, k = 10; states take turns with each query.`,
  '',
  ...table(
    ['state', 'p50 ms', 'p90 ms', 'p99 ms'],
    figures.map(({ name, p50Ms, p90Ms, p99Ms }) => [name, p50Ms.toFixed(4), p90Ms.toFixed(4), p99Ms.toFixed(4)]),
  ),
]
writeResults('search-index', { machine, chunks: chunks.length, figures }, page)
