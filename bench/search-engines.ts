/**
 * npm run bench:search-engines -- --lancedb FOLDER COLLECTION…: Docket's own index compared with LanceDB's full-text search, over the same
 * chunks and the same stems, in this process, without a server (docs/decisions/0009).
 *
 * LanceDB is not a dependency of the project: FOLDER is one where it is installed (`npm i @lancedb/lancedb`). A collection is a folder as
 * for bench:search-quality.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureRankings } from '../src/documents/evaluate/measure-ranking.ts'
import { readJudgements, readQueries } from '../src/documents/evaluate/read-judgements.ts'
import { analyze } from '../src/search-engine/analysis/analyze.ts'
import { quantile } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { type BenchChunk, eachChunkOf, ownEngine } from './search/engines.ts'
import { bytesIn, findChunks, importLance, type LanceRow, ownTerms, wordsOf } from './search/lance.ts'

const { values: given, positionals: folders } = parseArgs({
  options: { lancedb: { type: 'string' }, adds: { type: 'string', default: '200' } },
  allowPositionals: true,
})
if (given.lancedb === undefined || folders.length === 0) {
  console.error('Say where LanceDB is installed (--lancedb FOLDER), and name folders of collections.')
  process.exit(2)
}

const lance = await importLance(given.lancedb)

interface Question {
  readonly id: string
  readonly terms: readonly string[]
}

interface Figures {
  readonly ndcg10: number
  readonly recall100: number
  readonly indexSeconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly bytesOnDisk: number | null
  readonly p50AfterAddsMs: number | null
}

const k = 500
/** Chunks that LanceDB proposes for a ranking by our own scores. */
const candidates = 200
const lines: string[][] = []
const results: Record<string, { readonly chunks: number; readonly own: Figures } & LanceFigures> = {}
for (const folder of folders) {
  const { chunks, owners, questions, judgements } = readCollection(folder)
  const own = await measureOwn(chunks, { owners, questions, judgements })
  const other = await measureLance(chunks, { owners, questions, judgements })
  results[basename(folder)] = { chunks: chunks.length, own, ...other }
  lines.push(
    lineOf(basename(folder), chunks.length, 'own', own),
    lineOf('', chunks.length, 'LanceDB', other.lance),
    lineOf('', chunks.length, `own scores of ${candidates} candidates of LanceDB`, other.candidates),
  )
  console.log(
    lines
      .slice(-3)
      .map((line) => line.join('  '))
      .join('\n'),
  )
}
writeResults('search-engines', { machine: describeMachine(), k, adds: Number(given.adds), results }, [
  'The same chunks and stems; in this process, k = 500. After adds: median search when as many single chunks were added one by one, before `optimize()`.',
  '',
  ...table(
    [
      'collection',
      'chunks',
      'engine',
      'nDCG@10',
      'recall@100',
      'index s',
      'p50 ms',
      'p99 ms',
      'disk MB',
      'p50 after adds ms',
    ],
    lines,
  ),
])

interface RankRequest {
  /** Document of each chunk, by the chunk's id. */
  readonly owners: readonly string[]
  readonly questions: readonly Question[]
  readonly judgements: Parameters<typeof measureRankings>[1]
}

function readCollection(folder: string): RankRequest & { readonly chunks: readonly BenchChunk[] } {
  const documents = readFileSync(join(folder, 'corpus.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly id: string; readonly title?: string; readonly text: string })
  const owners: string[] = []
  const chunks = documents.flatMap(({ id, title = '', text }) =>
    [...eachChunkOf([{ title, text } as never])].map((chunk) => ({ ...chunk, id: owners.push(id) - 1 })),
  )
  const queries = readQueries(readFileSync(join(folder, 'queries.jsonl'), 'utf8'))
  const judgements = readJudgements(readFileSync(join(folder, 'qrels.tsv'), 'utf8'))
  if (!queries.ok) throw new Error(queries.error)
  if (!judgements.ok) throw new Error(judgements.error)
  const questions = queries.value
    .filter(({ id }) => judgements.value.has(id))
    .map(({ id, text }) => ({ id, terms: analyze(text) }))
  return { chunks, owners, questions, judgements: judgements.value }
}

async function measureOwn(chunks: readonly BenchChunk[], requested: RankRequest): Promise<Figures> {
  const began = performance.now()
  const engine = ownEngine(chunks, k)
  const indexSeconds = (performance.now() - began) / 1_000
  const searched = await searchAll(requested, async (terms) =>
    engine.search(terms).ranked.map(({ documentId }) => documentId),
  )
  return { ...searched, indexSeconds, bytesOnDisk: null, p50AfterAddsMs: null }
}

interface LanceFigures {
  readonly lance: Figures
  readonly candidates: Figures
}

async function measureLance(chunks: readonly BenchChunk[], requested: RankRequest): Promise<LanceFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'docket-lance-'))
  try {
    const began = performance.now()
    const database = await lance.connect(folder)
    const stored = await database.createTable('chunk', lance.rows(chunks.map(rowOf)))
    await stored.createIndex('words', { config: lance.Index.fts(ownTerms) })
    const indexSeconds = (performance.now() - began) / 1_000
    const search = async (terms: readonly string[]): Promise<readonly number[]> => {
      const found = await findChunks(stored, terms, { limit: k })
      return found
        .toSorted((one, other) => other.score - one.score || one.id - other.id)
        .map(({ documentId }) => documentId)
    }
    const searched = await searchAll(requested, search)
    const bytesOnDisk = bytesIn(folder)
    const own = ownEngine(chunks, k)
    const scored = await searchAll(requested, async (terms) => {
      const proposed = await findChunks(stored, terms, { limit: candidates })
      const allowed = Float64Array.from(proposed, ({ documentId }) => documentId).sort()
      return own.search(terms, { allowed }).ranked.map(({ documentId }) => documentId)
    })
    for (const chunk of chunks.slice(0, Number(given.adds)))
      await stored.add(lance.rows([{ ...rowOf(chunk), id: 1_000_000 + chunk.id }]))
    const after = await searchAll(requested, search)
    return {
      lance: { ...searched, indexSeconds, bytesOnDisk, p50AfterAddsMs: after.p50Ms },
      candidates: { ...scored, indexSeconds, bytesOnDisk, p50AfterAddsMs: null },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function rowOf(chunk: BenchChunk): LanceRow {
  return { id: chunk.id, documentId: chunk.id, words: wordsOf(chunk) }
}

async function searchAll(
  { owners, questions, judgements }: RankRequest,
  search: (terms: readonly string[]) => Promise<readonly number[]>,
) {
  for (const { terms } of questions.slice(0, 20)) await search(terms)
  const rankings = new Map<string, readonly string[]>()
  const times: number[] = []
  for (const { id, terms } of questions) {
    const from = performance.now()
    const found = await search(terms)
    times.push(performance.now() - from)
    rankings.set(id, [...new Set(found.map((chunk) => owners[chunk] ?? ''))])
  }
  const { ndcg10, recall100 } = measureRankings(rankings, judgements)
  return { ndcg10, recall100, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

function lineOf(name: string, chunks: number, engine: string, figures: Figures): string[] {
  const { ndcg10, recall100, indexSeconds, p50Ms, p99Ms, bytesOnDisk, p50AfterAddsMs } = figures
  return [
    name,
    String(chunks),
    engine,
    ndcg10.toFixed(4),
    recall100.toFixed(4),
    indexSeconds.toFixed(2),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    bytesOnDisk === null ? '' : (bytesOnDisk / 1e6).toFixed(1),
    p50AfterAddsMs === null ? '' : p50AfterAddsMs.toFixed(2),
  ]
}
