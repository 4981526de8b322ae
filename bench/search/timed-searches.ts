import { readFileSync } from 'node:fs'
import type { Ranking } from '../../src/search-engine/ranking/rank-chunks.ts'
import type { LexicalSearch } from '../../src/search-engine/segments/index-change.ts'
import { openSegment, type Segment } from '../../src/search-engine/segments/segment.ts'
import { SegmentSet } from '../../src/search-engine/segments/segment-set.ts'
import { makeRandom } from './corpus.ts'
import { countsOf, pairsOf } from './engines.ts'
import { syntheticQueries } from './synthetic-segment.ts'

const change = { position: 1, keepFrom: 1, added: [], removed: [], dropped: [] }

/** @param file the bytes of a segment */
export function readSegment(file: string): Segment {
  const bytes = readFileSync(file)
  const buffer = new SharedArrayBuffer(bytes.length)
  new Uint8Array(buffer).set(bytes)
  return openSegment(buffer)
}

/** The segments of one collection. */
export function setOf(segments: readonly Segment[]): SegmentSet {
  const set = new SegmentSet()
  const named = segments.map(({ buffer }, at) => ({ collectionId: 1, segmentId: `s${at}`, buffer }))
  set.apply({ ...change, segments: named })
  return set
}

export const searchFor = (terms: readonly string[], k: number): LexicalSearch => ({
  position: 1,
  collectionIds: [1],
  terms: countsOf(terms),
  options: { k, pairs: pairsOf(terms) },
})

/** 300 searches for words of `syntheticSegment`, the same ones each time. */
export const syntheticSearches = (): readonly LexicalSearch[] =>
  syntheticQueries(300, makeRandom(2)).map((terms) => searchFor(terms, 10))

export interface TimedSearches {
  readonly rankings: readonly Ranking[]
  /** In milliseconds, of each search. */
  readonly times: readonly number[]
  /** Of a search, in all threads of this process. */
  readonly cpuMs: number
}

/** One after the other, after the first 50 of them, which are not counted. */
export async function timed(
  searches: readonly LexicalSearch[],
  search: (search: LexicalSearch) => unknown,
): Promise<TimedSearches> {
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
  return { rankings, times, cpuMs: (user + system) / 1_000 / searches.length }
}
