import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { indexCollection, type JudgedCollection } from '../../bench/search/judged-collections.ts'
import { setOf } from '../../bench/search/timed-searches.ts'
import { measureRankings } from '../../src/documents/evaluate/measure-ranking.ts'
import { movedSegment } from '../../src/search-engine/lancedb/chunk-rows.ts'
import { ChunkTables } from '../../src/search-engine/lancedb/chunk-tables.ts'
import { searchTables } from '../../src/search-engine/lancedb/search-tables.ts'
import { queryTerms } from '../../src/search-engine/ranking/query-terms.ts'
import type { Ranking } from '../../src/search-engine/ranking/rank-chunks.ts'
import { buildSegment } from '../../src/search-engine/segments/build-segment.ts'
import { termsOfDocument } from '../../src/search-engine/segments/document-terms.ts'
import type { LexicalSearch } from '../../src/search-engine/segments/index-change.ts'
import type { Segment } from '../../src/search-engine/segments/segment.ts'
import { articleCollections } from './article-collections.ts'

/** What nDCG@10 through tables of LanceDB may differ by from that of the built-in engine (docs/decisions/0058). */
const maxDifference = 0.005
/** Small chunks, and the titles of so many articles as one query: more chunks match than are chosen of LanceDB's proposals. */
const sizes = { maxUnits: 100, overlapUnits: 0 }
const titlesOfQuery = 5
const chosen = 200
/** The most chunks of a response for which no more are chosen. */
const k = 50

let folder: string
let tables: ChunkTables
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-tables-'))
  tables = new ChunkTables({ uri: folder, storageOptions: {}, packageFolder: resolve('test/lancedb') })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const scenarios = articleCollections().flatMap((collection) =>
  [1, 4].map((count) => ({ name: collection.name, count, collection: withLongQueries(collection) })),
)

test.each(scenarios)(
  '$name: nDCG@10 in tables of LanceDB ($count) is within .005 of that of the built-in engine (issue 14, 5)',
  async ({ collection, count }) => {
    const { texts, languages } = indexCollection(collection, sizes)
    const perTable = Math.ceil(texts.length / count)
    const segments = Array.from({ length: count }, (_, at) =>
      buildSegment(texts.slice(at * perTable, (at + 1) * perTable).map(termsOfDocument)),
    )
    const moved: Segment[] = []
    for (const segment of segments) moved.push(movedSegment(segment, await tables.write(segment)))
    const [builtIn, inTables] = [setOf(segments), setOf(moved)]
    const searches = collection.queries.map(({ text }) => searchFor(text, languages))
    const matching = searches.map(
      (search) => builtIn.search({ ...search, options: { ...search.options, k: chosen + 1 } }).ranked.length,
    )
    expect(matching.filter((chunks) => chunks > chosen).length).toBeGreaterThan(searches.length * 0.9)

    const names = new Map(texts.map(({ id, docId }) => [id, docId]))
    const ndcg10 = (rankings: readonly Ranking[]): number => {
      const ids = rankings.map(({ ranked }) => [
        ...new Set(ranked.map(({ documentId }) => names.get(documentId) ?? '')),
      ])
      const byQuery = new Map(collection.queries.map(({ id }, at) => [id, ids[at] ?? []]))
      return measureRankings(byQuery, collection.judgements).ndcg10
    }
    const expected = ndcg10(searches.map((search) => builtIn.search(search)))
    const found: Ranking[] = []
    for (const search of searches) found.push(await searchTables(() => inTables, tables, search))
    expect(expected).toBeGreaterThan(0.6)
    expect(Math.abs(ndcg10(found) - expected)).toBeLessThanOrEqual(maxDifference)
  },
  60_000,
)

function searchFor(text: string, languages: readonly string[]): LexicalSearch {
  const { terms, pairs } = queryTerms(text, languages)
  return { position: 1, collectionIds: [1], terms, options: { k, pairs } }
}

/** Each query has the titles of an article and of the next ones, and all of these articles are right. */
function withLongQueries({ queries, ...others }: JudgedCollection): JudgedCollection {
  const groups = queries.map((_, at) => [...queries.slice(at), ...queries.slice(0, at)].slice(0, titlesOfQuery))
  return {
    ...others,
    queries: groups.map((group, at) => ({ id: String(at), text: group.map(({ text }) => text).join(' ') })),
    judgements: new Map(groups.map((group, at) => [String(at), new Map(group.map(({ id }) => [id, 1]))])),
  }
}
