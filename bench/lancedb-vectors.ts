/**
 * npm run bench:lancedb-vectors -- --lancedb FOLDER: what an engine of vectors on LanceDB would be made of (docs/decisions/0059): a
 * comparison of all, of the vectors of some documents, approximate indexes with their recall, and changes. One process, no server and no
 * database.
 *
 *   --lancedb FOLDER   where LanceDB is installed (`npm i @lancedb/lancedb`); it is no dependency of the project
 *   --chunks 100000    vectors, one of each document
 *   --length 768       dimensions
 *   --rounds 20        queries
 *   --texts FOLDER     folder of test collections (corpus.jsonl): vectors are made of their texts; absent: drawn around 1,000 centres
 *   --indexes NAMES    those that are measured; absent: all
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { similarityOf, unitLength } from '../src/embeddings/similarity.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { makeVectors } from './search/draw-vectors.ts'
import { collectionFolders, readJudgedCollection } from './search/judged-collections.ts'
import { bytesIn } from './search/lance.ts'
import { idsIn, importLanceVectors, type VectorTable } from './search/lance-vectors.ts'
import { makeTextVectors } from './search/text-vectors.ts'

const { values: given } = parseArgs({
  options: {
    lancedb: { type: 'string' },
    chunks: { type: 'string', default: '100000' },
    length: { type: 'string', default: '768' },
    rounds: { type: 'string', default: '20' },
    texts: { type: 'string' },
    indexes: { type: 'string', default: 'ivfFlat-1,ivfRq-1,ivfRq-256,ivfPq-256,ivfFlat-256' },
  },
})
if (given.lancedb === undefined) {
  console.error('Say where LanceDB is installed: --lancedb FOLDER.')
  process.exit(2)
}
const machine = describeMachine()
const [chunks, length, rounds] = [Number(given.chunks), Number(given.length), Number(given.rounds)]
/** As an engine proposes them to the database (`minCandidates`). */
const [k, candidates] = [10, 200]
/** Documents that pass a filter: each of so many. */
const parts = [1, 4, 10, 100]
const rowsAtOnce = 10_000

const figures: { readonly what: string; readonly count: number; readonly p50Ms: number; readonly cpuMs: number }[] = []
const recalls: (readonly string[])[] = []
const notes: string[] = []

/** @returns the figure of all threads of this process */
async function measureEach(what: string, count: number, work: (at: number) => Promise<unknown>) {
  const times: number[] = []
  const before = process.cpuUsage()
  for (let at = 0; at < count; at++) {
    const from = performance.now()
    await work(at)
    times.push(performance.now() - from)
  }
  const { user, system } = process.cpuUsage(before)
  const figure = { what, count, p50Ms: quantile(times, 0.5), cpuMs: (user + system) / 1_000 / count }
  figures.push(figure)
  console.log(what, count, rounded(figure.p50Ms), rounded(figure.cpuMs))
  return figure
}

function record(note: string): void {
  notes.push(note)
  console.log(note)
}

const draw = given.texts === undefined ? makeVectors(length) : makeTextVectors(textsIn(given.texts), length)
const vectors = new Float32Array(chunks * length)
for (let id = 0; id < chunks; id++) vectors.set(unitLength(draw()), id * length)
const vectorOf = (id: number): Float32Array => vectors.subarray(id * length, (id + 1) * length)
const queries = Array.from({ length: rounds }, () => unitLength(draw()))
/** Neighbours in the table pass independently of each other. */
const passes = (id: number, part: number): boolean => (id * 7_919) % part === 0
const nearest = queries.map((query) => {
  const similarities = Float64Array.from({ length: chunks }, (_, id) => similarityOf(vectorOf(id), query))
  const order = Array.from(similarities.keys()).sort(
    (one, other) => (similarities[other] ?? 0) - (similarities[one] ?? 0),
  )
  return parts.map((part) => order.filter((id) => passes(id, part)).slice(0, k))
})

const lance = await importLanceVectors(given.lancedb)
const folder = mkdtempSync(join(tmpdir(), 'docket-lance-'))
try {
  const filled = await fill()
  await measureScans(filled, 'no index')
  await filled.createIndex('document', { config: lance.Index.btree() })
  await measureScans(filled, 'index of document ids')
  await measureReads(filled)
  for (const name of given.indexes.split(',')) await measureIndex(filled, name)
  await measureChanges(filled)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const kind = given.texts === undefined ? '' : '-texts'
writeResults(
  `lancedb-vectors-${chunks}${kind}`,
  { machine, chunks, length, rounds, candidates, figures, recalls, notes },
  [
    `${chunks} vectors ${given.texts === undefined ? 'around centres' : 'of texts'} of ${length} dimensions, ${rounds} queries, ${candidates} candidates. CPU is that of all threads of the process, on average.`,
    '',
    ...table(
      ['what', 'times', 'p50 ms', 'CPU ms'],
      figures.map(({ what, count, p50Ms, cpuMs }) => [
        what,
        ...[count, rounded(p50Ms), rounded(cpuMs)].map((number) => String(number)),
      ]),
    ),
    '',
    `Recall@${k} among those of the candidates that pass a filter:`,
    '',
    ...table(
      [
        'index and partitions',
        'probed',
        'refined',
        'CPU ms',
        ...parts.map((part) => (part === 1 ? 'all pass' : `1 of ${part}`)),
      ],
      recalls,
    ),
    '',
    ...notes.map((note) => `- ${note}`),
  ],
)

async function fill(): Promise<VectorTable> {
  const database = await lance.connect(folder)
  let filled: VectorTable | undefined
  await measureEach(`write ${chunks} vectors, ${rowsAtOnce} at once`, 1, async () => {
    for (let from = 0; from < chunks; from += rowsAtOnce) {
      const ids = Array.from({ length: Math.min(rowsAtOnce, chunks - from) }, (_, at) => from + at)
      const rows = lance.rows(ids, vectors.subarray(from * length, (from + ids.length) * length))
      if (filled === undefined) filled = await database.createTable('vectors', rows)
      else await filled.add(rows)
    }
  })
  record(`Bytes of a vector on the disk: ${Math.round(bytesIn(folder) / chunks)}.`)
  return filled as VectorTable
}

function nearestTo(filled: VectorTable, at: number) {
  const query = queries[at % rounds] as Float32Array
  return filled.vectorSearch(query).column('vector').distanceType('dot').limit(candidates)
}

/** What a caller needs who sees some documents: no index that hidden vectors shape. */
async function measureScans(filled: VectorTable, name: string): Promise<void> {
  const few = Math.min(5, rounds)
  const exact = (at: number) => nearestTo(filled, at).bypassVectorIndex()
  await measureEach(`${name}: all compared`, few, async (at) => idsIn(await exact(at).select(['document']).toArrow()))
  for (const count of [100, 1_000, 5_000, 20_000]) {
    if (count > chunks / 2) continue
    const ids = Array.from({ length: count }, (_, at) => Math.floor((at * chunks) / count))
    const condition = `document in (${ids.join(',')})`
    await measureEach(`${name}: compared with those of ${count} ids`, few, async (at) =>
      idsIn(await exact(at).where(condition).select(['document']).toArrow()),
    )
  }
}

/** The other way: our code compares the vectors of visible documents. */
async function measureReads(filled: VectorTable): Promise<void> {
  for (const count of [100, 2_000]) {
    const offsets = (at: number) => Array.from({ length: count }, (_, place) => (place * 31 + at * 977) % chunks)
    await measureEach(`read ${count} vectors by their places`, 10, (at) =>
      filled
        .takeOffsets(offsets(at).sort((one, other) => one - other))
        .select(['vector'])
        .toArrow(),
    )
  }
}

async function measureIndex(filled: VectorTable, name: string): Promise<void> {
  const [kind = '', count] = name.split('-')
  const numPartitions = Number(count)
  const make = lance.Index[kind as 'ivfRq']
  await measureEach(`build ${name}`, 1, () =>
    filled.createIndex('vector', { config: make({ distanceType: 'dot', numPartitions }), replace: true }),
  )
  const shares = numPartitions === 1 ? [1] : [0.1, 0.3, 1]
  for (const probes of shares.map((share) => Math.ceil(numPartitions * share)))
    for (const refine of kind === 'ivfFlat' ? [1] : [1, 4]) {
      const hits = parts.map(() => 0)
      const { cpuMs } = await measureEach(`${name}: ${probes} probed, refined ${refine} times`, rounds, async (at) => {
        const found = idsIn(
          await nearestTo(filled, at).nprobes(probes).refineFactor(refine).select(['document']).toArrow(),
        )
        const proposed = new Set(found)
        for (const [part, wanted] of (nearest[at] ?? []).entries())
          hits[part] = (hits[part] ?? 0) + wanted.filter((id) => proposed.has(id)).length
      })
      recalls.push([
        name,
        String(probes),
        String(refine),
        String(rounded(cpuMs)),
        ...hits.map((found, part) =>
          (found / nearest.reduce((sum, each) => sum + (each[part]?.length ?? 0), 0)).toFixed(4),
        ),
      ])
      console.log(recalls.at(-1)?.join(' | '))
    }
  if (kind === 'ivfFlat') await measureIdsByIndex(filled, numPartitions)
}

/** All partitions of an index that has the vectors themselves: a comparison of all that pass. */
async function measureIdsByIndex(filled: VectorTable, numPartitions: number): Promise<void> {
  for (const count of [100, 5_000, 20_000, 50_000]) {
    if (count > chunks / 2) continue
    const ids = Array.from({ length: count }, (_, at) => Math.floor((at * chunks) / count))
    const condition = `document in (${ids.join(',')})`
    await measureEach(
      `ivfFlat-${numPartitions}: all probed for those of ${count} ids`,
      Math.min(5, rounds),
      async (at) =>
        idsIn(await nearestTo(filled, at).nprobes(numPartitions).where(condition).select(['document']).toArrow()),
    )
  }
}

/** With the last index. */
async function measureChanges(filled: VectorTable): Promise<void> {
  const search = async (at: number) =>
    idsIn(await nearestTo(filled, at).nprobes(20).refineFactor(4).select(['document']).toArrow())
  await measureEach('search, 20 probed', rounds, search)
  await measureEach('add one vector', 200, (at) => filled.add(lance.rows([chunks + at], vectorOf(at))))
  await measureEach('search after 200 adds', rounds, search)
  await measureEach('delete one vector', 200, (at) => filled.delete(`document = ${at * 3}`))
  await measureEach('search after 200 deletes', rounds, search)
  await measureEach('optimize', 1, () => filled.optimize())
  await measureEach('search after optimize', rounds, search)
  record(`Bytes on the disk: ${bytesIn(folder)}.`)
}

function textsIn(from: string): readonly string[] {
  const collections = collectionFolders([from]).map(readJudgedCollection)
  return collections.flatMap(({ documents }) => documents.map(({ title, text }) => `${title ?? ''} ${text}`))
}
