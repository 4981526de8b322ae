/** The same chunks and queries in engines without a server, rights or durability: the cost of ranking alone. */
import { DatabaseSync } from 'node:sqlite'
import MiniSearch from 'minisearch'
import { chunkText } from '../../src/documents/chunk/chunk-text.ts'
import { analyze } from '../../src/search-engine/analysis/analyze.ts'
import { type Ranking, type RankOptions, rankChunks } from '../../src/search-engine/ranking/rank-chunks.ts'
import type { SearchedPart } from '../../src/search-engine/ranking/score-part.ts'
import type { TermPair } from '../../src/search-engine/ranking/term-pairs.ts'
import { buildSegment, type DocumentTerms } from '../../src/search-engine/segments/build-segment.ts'
import { termsOfDocument } from '../../src/search-engine/segments/document-terms.ts'
import { mergeSegments } from '../../src/search-engine/segments/merge-segments.ts'
import type { Segment } from '../../src/search-engine/segments/segment.ts'
import { quantile } from '../measure/figures.ts'
import type { BenchDocument } from './corpus.ts'

export interface EngineFigures {
  readonly name: string
  readonly chunksPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface BenchChunk {
  readonly id: number
  readonly title: string
  readonly text: string
  /** Analysed once for all engines: their own analysers do less, or do not support Russian. */
  readonly terms: readonly string[]
  readonly titleTerms: readonly string[]
}

/** Cut and analysed as the server does it, one after the other: the words of half a million chunks do not fit into memory. */
export function* eachChunkOf(documents: Iterable<BenchDocument>): Generator<BenchChunk> {
  let id = 0
  for (const { title, text } of documents) {
    const titleTerms = analyze(title)
    for (const { from, to } of chunkText(text, [])) {
      const part = text.slice(from, to)
      yield { id: id++, title, text: part, terms: analyze(part), titleTerms }
    }
  }
}

const k = 10

interface Engine {
  readonly name: string
  search(terms: readonly string[]): unknown
  close(): void
}

export function measureEngine(
  make: (chunks: Iterable<BenchChunk>) => Engine,
  documents: Iterable<BenchDocument>,
  queries: readonly string[],
): EngineFigures {
  let chunks = 0
  let makingMs = 0
  /** Splitting and analysing do not count as the engine's time. */
  function* made(): Generator<BenchChunk> {
    const each = eachChunkOf(documents)
    for (;;) {
      const from = performance.now()
      const { done, value } = each.next()
      makingMs += performance.now() - from
      if (done === true) return
      chunks++
      yield value
    }
  }
  const began = performance.now()
  const engine = make(made())
  const seconds = (performance.now() - began - makingMs) / 1_000
  const requested = queries.map((query) => analyze(query))
  for (const terms of requested.slice(0, 50)) engine.search(terms)
  const times = requested.map((terms) => {
    const from = performance.now()
    engine.search(terms)
    return performance.now() - from
  })
  engine.close()
  return {
    name: engine.name,
    chunksPerSecond: chunks / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  }
}

interface OwnEngine extends Engine {
  readonly chunks: number
  search(terms: readonly string[], options?: Pick<RankOptions, 'allowed' | 'skipFrom' | 'work'>): Ranking
}

/** Docket's own ranking, called in this thread. */
export function ownEngine(chunks: Iterable<BenchChunk>, max = k): OwnEngine {
  const segments: Segment[] = []
  let batch: DocumentTerms[] = []
  for (const chunk of chunks) {
    batch.push(termsOfChunk(chunk))
    if (batch.length < 20_000) continue
    segments.push(buildSegment(batch))
    batch = []
  }
  segments.push(buildSegment(batch))
  return engineOf([mergeSegments(segments, new Set())], max)
}

export function engineOf(segments: readonly Segment[], max = k): OwnEngine {
  const parts = segments.map((segment): SearchedPart => {
    const length = segment.chunkLength.reduce((sum, units) => sum + units, 0)
    return { segment, hidden: null, chunks: segment.chunkCount, length }
  })
  return {
    name: 'the same engine, bare',
    chunks: parts.reduce((sum, { chunks }) => sum + chunks, 0),
    search: (terms, options) => rankChunks(parts, countsOf(terms), { ...options, k: max, pairs: pairsOf(terms) }),
    close: () => undefined,
  }
}

export function termsOfChunk({ id, title, text }: BenchChunk): DocumentTerms {
  return termsOfDocument({ id, docId: String(id), title, language: null, chunks: [{ text, headingPath: [] }] })
}

export function countsOf(terms: readonly string[]) {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return [...counts].map(([term, count]) => ({ term, count }))
}

export function pairsOf(terms: readonly string[]): readonly TermPair[] {
  return terms.slice(1).map((term, at) => [terms[at] ?? '', term])
}

/** SQLite's full-text search, in memory, over the same stems; any term may match. */
export function sqliteEngine(chunks: Iterable<BenchChunk>): Engine {
  const database = new DatabaseSync(':memory:')
  database.exec("create virtual table chunk using fts5 (title, terms, tokenize = 'unicode61', detail = none)")
  const insert = database.prepare('insert into chunk (rowid, title, terms) values (?, ?, ?)')
  database.exec('begin')
  for (const { id, terms, titleTerms } of chunks) insert.run(id, titleTerms.join(' '), terms.join(' '))
  database.exec('commit')
  database.exec("insert into chunk (chunk) values ('optimize')")
  const select = database.prepare('select rowid from chunk where chunk match ? order by bm25(chunk, 3, 1) limit ?')
  return {
    name: 'SQLite FTS5',
    search: (terms) => (terms.length === 0 ? [] : select.all(terms.map((term) => `"${term}"`).join(' OR '), k)),
    close: () => database.close(),
  }
}

export function miniSearchEngine(chunks: Iterable<BenchChunk>): Engine {
  const split = (text: string): string[] => text.split(' ')
  const engine = new MiniSearch<{ id: number; title: string; terms: string }>({
    fields: ['title', 'terms'],
    tokenize: split,
    processTerm: (term) => term,
  })
  for (const { id, terms, titleTerms } of chunks)
    engine.add({ id, title: titleTerms.join(' '), terms: terms.join(' ') })
  return {
    name: 'MiniSearch',
    search: (terms) => engine.search(terms.join(' '), { boost: { title: 3 } }).slice(0, k),
    close: () => undefined,
  }
}
