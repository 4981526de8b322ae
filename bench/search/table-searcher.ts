/** A process that searches tables of LanceDB that another one wrote: `table-searchers.ts` starts it. Each message is an order to search. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ChunkTables } from '../../src/search-engine/lancedb/chunk-tables.ts'
import { searchTables } from '../../src/search-engine/lancedb/search-tables.ts'
import { readSegment, setOf, syntheticSearches, timed } from './timed-searches.ts'

export interface SearcherOutcome {
  /** In milliseconds, of each search. */
  readonly times: readonly number[]
  /** Of a search. */
  readonly cpuMs: number
  /** Chunks of each response, as text. */
  readonly found: readonly string[]
  /** Memory of the process (RSS). */
  readonly bytes: number
}

const [uri = '', packageFolder = '', segments = ''] = process.argv.slice(2)
const tables = new ChunkTables({ uri, storageOptions: {}, packageFolder })
const set = setOf(
  readdirSync(segments)
    .sort()
    .map((name) => readSegment(join(segments, name))),
)
const searches = syntheticSearches()

process.on('message', async () => {
  const { times, cpuMs, rankings } = await timed(searches, (search) => searchTables(() => set, tables, search))
  const found = rankings.map(({ ranked }) => JSON.stringify(ranked))
  process.send?.({ times, cpuMs, found, bytes: process.memoryUsage().rss } satisfies SearcherOutcome)
})
