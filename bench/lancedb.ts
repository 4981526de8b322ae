/**
 * npm run bench:lancedb -- --lancedb FOLDER: what an engine of words on LanceDB would be made of (docs/decisions/0042): searches for
 * candidates, chunks with a term, ids of visible documents, changes, and scores that depend on others. One process, no server.
 *
 *   --lancedb FOLDER   where LanceDB is installed (`npm i @lancedb/lancedb`); it is no dependency of the project
 *   --chunks 100000    approximate number of chunks
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { analyze } from '../src/search-engine/analysis/analyze.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { makeCorpus } from './search/corpus.ts'
import { eachChunkOf, ownEngine } from './search/engines.ts'
import { bytesIn, findChunks, importLance, type LanceRow, type LanceTable, ownTerms, wordsOf } from './search/lance.ts'

const { values: given } = parseArgs({
  options: { lancedb: { type: 'string' }, chunks: { type: 'string', default: '100000' } },
})
if (given.lancedb === undefined) {
  console.error('Say where LanceDB is installed: --lancedb FOLDER.')
  process.exit(2)
}

interface Figure {
  readonly what: string
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of all threads of this process, for each. */
  readonly cpuMs: number
}
const figures: Figure[] = []
const notes: string[] = []

async function measureEach<Item>(what: string, items: readonly Item[], work: (item: Item) => unknown): Promise<void> {
  const times: number[] = []
  const before = process.cpuUsage()
  for (const item of items) {
    const from = performance.now()
    await work(item)
    times.push(performance.now() - from)
  }
  const { user, system } = process.cpuUsage(before)
  const cpuMs = (user + system) / 1_000 / Math.max(items.length, 1)
  const figure = { what, count: items.length, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), cpuMs }
  figures.push(figure)
  console.log(what, items.length, rounded(figure.p50Ms), rounded(figure.p99Ms), rounded(cpuMs))
}

const measureOnce = (what: string, work: () => Promise<unknown>): Promise<void> => measureEach(what, [0], work)

function record(note: string): void {
  notes.push(note)
  console.log(note)
}

const machine = describeMachine()
const documents = [...makeCorpus(1).documents(Number(given.chunks))]
const queries = makeCorpus(1)
  .queries(300)
  .map((query) => analyze(query))
const rowsOfDocument = documents.map((document, at) =>
  [...eachChunkOf([document])].map((chunk) => ({ documentId: at + 1, words: wordsOf(chunk) })),
)
const rows: readonly LanceRow[] = rowsOfDocument.flat().map((row, id) => ({ id, ...row }))
const rowsById = Map.groupBy(rows, ({ documentId }) => documentId)

/** Documents that stay when others are deleted. */
const kept = Math.floor(documents.length * 0.7)

const lance = await importLance(given.lancedb)
const folder = mkdtempSync(join(tmpdir(), 'docket-lance-'))
try {
  const chunks = await fill()
  await measureSearches(chunks)
  await measureTerms(chunks)
  await measureIds(chunks)
  await measureScores(chunks)
  await measureChanges(chunks)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
writeResults('lancedb', { machine, chunks: rows.length, documents: documents.length, figures, notes }, [
  `${rows.length} chunks of ${documents.length} documents, terms of our own analyzer, ${queries.length} queries of 3 to 8 words. CPU is that of all threads of the process.`,
  '',
  ...table(
    ['what', 'times', 'p50 ms', 'p99 ms', 'CPU ms (mean)'],
    figures.map(({ what, count, p50Ms, p99Ms, cpuMs }) => [
      what,
      String(count),
      ...[p50Ms, p99Ms, cpuMs].map((ms) => String(rounded(ms))),
    ]),
  ),
  '',
  ...notes.map((note) => `- ${note}`),
])

async function fill(): Promise<LanceTable> {
  const database = await lance.connect(folder)
  const first = rows.slice(0, 10_000)
  const chunks = await database.createTable('chunk', lance.rows(first))
  await measureOnce('write the other chunks, 10,000 at once', async () => {
    for (let from = 10_000; from < rows.length; from += 10_000)
      await chunks.add(lance.rows(rows.slice(from, from + 10_000)))
  })
  await measureOnce('full text index', () => chunks.createIndex('words', { config: lance.Index.fts(ownTerms) }))
  await measureOnce('index of document ids', () => chunks.createIndex('document', { config: lance.Index.btree() }))
  await measureOnce('optimize', () => chunks.optimize())
  record(`Bytes of a chunk on the disk: ${Math.round(bytesIn(folder) / rows.length)}.`)
  return chunks
}

async function measureSearches(chunks: LanceTable): Promise<void> {
  const own = ownEngine(eachChunkOf(makeCorpus(1).documents(Number(given.chunks))))
  for (const terms of queries.slice(0, 50)) await findChunks(chunks, terms, { limit: 10 })
  for (const terms of queries) own.search(terms)
  await measureEach('built-in ranking alone, k 10', queries, (terms) => own.search(terms))
  for (const limit of [10, 100, 500])
    await measureEach(`LanceDB, ${limit} candidates`, queries, (terms) => findChunks(chunks, terms, { limit }))
  const shares = new Map([20, 100, 500].map((limit) => [limit, 0]))
  let wanted = 0
  for (const terms of queries) {
    const first = own.search(terms).ranked.map(({ documentId }) => documentId)
    wanted += first.length
    const found = (await findChunks(chunks, terms, { limit: 500 })).map(({ id }) => id)
    for (const limit of shares.keys()) {
      const some = new Set(found.slice(0, limit))
      shares.set(limit, (shares.get(limit) ?? 0) + first.filter((id) => some.has(id)).length)
    }
  }
  for (const [limit, hits] of shares)
    record(
      `Of the first ten of the built-in ranking, ${((100 * hits) / wanted).toFixed(2)} % are among ${limit} candidates.`,
    )
}

/** The number of visible chunks with a term, which scores need, can only be counted by reading all of them. */
async function measureTerms(chunks: LanceTable): Promise<void> {
  const counts = new Map<string, number>()
  for (const { words } of rows)
    for (const term of new Set(words.split(' '))) counts.set(term, (counts.get(term) ?? 0) + 1)
  const byCount = [...counts].sort((one, other) => one[1] - other[1])
  for (const min of [100, 1_000, 10_000, 30_000]) {
    const terms = byCount.filter(([, count]) => count >= min).slice(0, 10)
    if (terms.length === 0) return
    await measureEach(`all chunks with a term that at least ${min} contain`, terms, ([term]) =>
      findChunks(chunks, [term], { limit: rows.length }),
    )
  }
}

async function measureIds(chunks: LanceTable): Promise<void> {
  const condition = (count: number, apart: number): string =>
    `document in (${Array.from({ length: count }, (_, at) => 1 + Math.floor(at * apart)).join(',')})`
  for (const count of [10, 100, 1_000, 5_000]) {
    const where = condition(count, documents.length / count)
    await measureEach(`10 candidates among ${count} ids`, queries.slice(0, 20), (terms) =>
      findChunks(chunks, terms, { limit: 10, where }),
    )
  }
  const where = condition(100_000, 1)
  record(`A condition of 100,000 ids has ${where.length} characters.`)
  await measureEach('10 candidates among 100,000 ids', queries.slice(0, 3), (terms) =>
    findChunks(chunks, terms, { limit: 10, where }),
  )
}

/** Documents that may be hidden from the caller change the score of another one. */
async function measureScores(chunks: LanceTable): Promise<void> {
  const [terms = []] = queries
  const limit = rows.length
  const [probe] = (await findChunks(chunks, terms, { limit })).filter(({ documentId }) => documentId <= kept)
  if (probe === undefined) throw new Error('the first query finds nothing')
  const where = `document = ${probe.documentId}`
  const scoreNow = async (): Promise<number> =>
    (await findChunks(chunks, terms, { limit, where })).find(({ id }) => id === probe.id)?.score ?? 0
  const scores = [await scoreNow()]
  await measureOnce('delete 30 % of the documents', () => chunks.delete(`document > ${kept}`))
  scores.push(await scoreNow())
  await measureOnce('optimize', () => chunks.optimize())
  scores.push(await scoreNow())
  record(`Score of a chunk: ${scores[0]}; others deleted: ${scores[1]}; after optimize: ${scores[2]}.`)
}

async function measureChanges(chunks: LanceTable): Promise<void> {
  const search = (terms: readonly string[]) => findChunks(chunks, terms, { limit: 10 })
  const some = queries.slice(0, 100)
  const missing = documents.map((_, at) => at + 1).filter((id) => id > kept)
  const add = (id: number) => chunks.add(lance.rows(rowsById.get(id) ?? []))
  await measureEach('search, 10 candidates', some, search)
  for (const [from, to] of [
    [0, 200],
    [200, 1_000],
  ] as const) {
    await measureEach('add one document', missing.slice(from, to), add)
    await measureEach(`search after ${Math.min(to, missing.length)} adds`, some, search)
  }
  await measureOnce('optimize', () => chunks.optimize())
  await measureEach('search after optimize', some, search)
  await measureEach('delete one document', missing.slice(0, 200), (id) => chunks.delete(`document = ${id}`))
  await measureEach('search after the deletes', some, search)
  record(`Bytes on the disk: ${bytesIn(folder)}, versions: ${await chunks.version()}.`)
  await measureOnce('optimize, without earlier versions', () => chunks.optimize({ cleanupOlderThan: new Date() }))
  record(`Bytes on the disk then: ${bytesIn(folder)}.`)
}
