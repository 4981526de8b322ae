/**
 * npm run bench:vectors: what a search among all vectors costs in the thread that has them in memory, without HTTP, rights or a database.
 * Vectors are drawn around 1,000 centres, as texts are about subjects, or made of the texts of test collections; queries are drawn alike.
 *
 *   --chunks 100000
 *   --length 768     dimensions
 *   --rounds 20      queries
 *   --texts FOLDER   folder of test collections (corpus.jsonl)
 *   --compared 2000  vectors that a search by signs compares at least
 *   --memory 64      megabytes that rounded vectors may take, as DOCKET_VECTORS_MEMORY_MB; absent: all are in memory
 *
 * "Exact reads" are the vectors whose exact similarity has to be read from the database for the best 10 (docs/decisions/0036).
 * "By signs" is the search of a caller who sees the whole collection (docs/decisions/0049), with the rule for its candidates as a server
 * applies it, and the vectors of this process instead of a database: of a filter whose documents are not known yet, and of a known one. Its
 * recall is the share of the nearest ten that it finds, under filters that leave this share of the documents.
 */
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Session } from '../src/database/database.ts'
import type { StoredVectors } from '../src/embeddings/in-memory/collection-vectors.ts'
import type { Candidate } from '../src/embeddings/in-memory/nearest-candidates.ts'
import { nearestInMemory } from '../src/embeddings/in-memory/nearest-in-memory.ts'
import { VectorsInMemory } from '../src/embeddings/in-memory/vectors-in-memory.ts'
import { similarityOf, unitLength } from '../src/embeddings/similarity.ts'
import { type Sql, sql } from '../src/kernel/sql.ts'
import { temporaryFolder } from '../test/harness/spawn-docket.ts'
import { quantile } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { makeVectors } from './search/draw-vectors.ts'
import { collectionFolders, readJudgedCollection } from './search/judged-collections.ts'
import { makeTextVectors } from './search/text-vectors.ts'

const { values: given } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    length: { type: 'string', default: '768' },
    rounds: { type: 'string', default: '20' },
    texts: { type: 'string' },
    compared: { type: 'string', default: '2000' },
    memory: { type: 'string' },
  },
})
const machine = describeMachine()
const [chunks, length, rounds] = [Number(given.chunks), Number(given.length), Number(given.rounds)]
const minCompared = Number(given.compared)
const [k, count] = [10, 200]
const draw = given.texts === undefined ? makeVectors(length) : makeTextVectors(textsIn(given.texts), length)

const memoryBefore = process.memoryUsage.rss()
const folder = temporaryFolder()
const memoryBytes = Number(given.memory) * 1_048_576
const held = new VectorsInMemory({
  ...{ minApproximate: 0, minCompared },
  ...(given.memory === undefined ? {} : { inFile: { folder, memoryBytes } }),
})
/** As the database has them. */
const vectors = new Float32Array(new SharedArrayBuffer(chunks * length * 4))
const numbers = new Float32Array(new SharedArrayBuffer(length * 4))
let addMs = 0
for (let at = 0; at < chunks; at++) {
  const vector = draw()
  numbers.set(vector)
  vectors.set(vector, at * length)
  const [documentId, docId] = [at + 1, `document ${at}`]
  const stored: StoredVectors = { collectionId: 1, documentId, docId, firstChunk: 0, numbers }
  addMs += cpuMsOf(() => held.add([stored], length)).cpuMs
}
// The file is open, and has no name any more.
rmSync(folder, { recursive: true })
const bytes = process.memoryUsage.rss() - memoryBefore - vectors.byteLength

const ids = Array.from({ length: chunks }, (_, at) => at + 1)
/** Neighbours in memory pass independently of each other. */
const partOf = (id: number): number => (id * 7_919) % 1_000
const cases = [1_000, 500, 250, 140, 100, 50, 30, 10, 1].map((below) => ({
  name: `${rounded(below / 10, 2)} %`,
  allowed: below === 1_000 ? null : Float64Array.from(ids.filter((id) => partOf(id) < below)),
  exact: [] as number[],
  unknown: [] as Found[],
  known: [] as Found[],
}))
const exactReads: number[] = []
for (let round = -1; round < rounds; round++) {
  const vector = draw()
  const unit = unitLength(vector)
  const similarities = ids.map((id) => similarityOf(unitLength(vectorOf(id)), unit))
  for (const { allowed, exact, unknown, known } of cases) {
    const all = cpuMsOf(() => held.search({ vector, k: count, collectionIds: [1], allowed, mayApproximate: false }))
    const wanted = nearestOf(allowed ?? ids, similarities)
    const found = [
      await searchBySigns(vector, allowed, wanted, false),
      await searchBySigns(vector, allowed, wanted, true),
    ]
    if (round < 0) continue
    exact.push(all.cpuMs)
    unknown.push(found[0] as Found)
    known.push(found[1] as Found)
    if (allowed === null) checkBounds(all.result.candidates, similarities)
  }
}

const figures = cases.map(({ name, exact, unknown, known }) => ({
  name,
  exactMs: quantile(exact, 0.5),
  unknown: figuresOf(unknown),
  known: figuresOf(known),
}))
const kind = given.texts === undefined ? 'around 1,000 centres' : 'of texts'
const microseconds = rounded((addMs * 1_000) / chunks, 1)
const inFile = given.memory === undefined ? '' : `, all but ${given.memory} MB of them in a file`
writeResults(
  `vectors-${chunks}${given.texts === undefined ? '' : '-texts'}${given.memory === undefined ? '' : '-in-file'}`,
  {
    machine,
    chunks,
    memoryMB: given.memory ?? null,
    length,
    kind,
    minCompared,
    bytes,
    microseconds,
    exactReads: quantile(exactReads, 0.5),
    figures,
  },
  [
    `${chunks} vectors ${kind} of ${length} dimensions${inFile}, ${rounds} queries, ${count} candidates, of ${minCompared} compared; ${Math.round(bytes / chunks)} bytes of memory and ${microseconds} µs of CPU to add a vector. Exact reads: median ${quantile(exactReads, 0.5)}.`,
    '',
    ...table(
      [
        ...[
          'documents that pass',
          'exact, CPU ms (median)',
          'by signs, CPU ms (median)',
          'mean',
          'searches',
          'recall@10',
        ],
        ...['known: by signs, CPU ms (median)', 'mean', 'searches', 'recall@10'],
      ],
      figures.map(({ name, exactMs, unknown, known }) => [
        ...[name, exactMs.toFixed(1)],
        ...[unknown, known].flatMap((each) => [
          ...[each.medianMs.toFixed(1), each.meanMs.toFixed(1), each.searches.toFixed(1), each.recall.toFixed(4)],
        ]),
      ]),
    ),
  ],
)

interface Found {
  readonly cpuMs: number
  readonly searches: number
  readonly recall: number
}

/** The CPU of the searches in memory; what the database does is not measured. */
async function searchBySigns(
  vector: Float32Array,
  allowed: Float64Array | null,
  wanted: readonly number[],
  isKnown: boolean,
): Promise<Found> {
  let [cpuMs, searches] = [0, 0]
  const passing =
    allowed === null
      ? {}
      : {
          passing: {
            known: async () => (isKnown ? allowed : undefined),
            read: async () => allowed,
            countChecked: () => 0,
          },
        }
  const near = await nearestInMemory(
    {
      database: databaseOf(new Set(allowed)),
      modelId: 1,
      async search(search) {
        const measured = cpuMsOf(() => held.search(search))
        cpuMs += measured.cpuMs
        searches++
        return measured.result
      },
    },
    {
      ...{ vector, k, topK: k, collectionIds: [1], wholeCollectionIds: [1], position: 0, ...passing },
      condition: allowed === null ? null : sql<boolean>`true`,
    },
  )
  const names = new Set(near?.map(({ documentId }) => documentId))
  return { cpuMs, searches, recall: wanted.filter((id) => names.has(id)).length / wanted.length }
}

/** Answers what a search asks: which candidates pass, and their vectors. */
function databaseOf(passing: ReadonlySet<number>): Session {
  return {
    async rows<Row>({ values: [givenIds] }: Sql<Row>) {
      return (givenIds as readonly number[]).filter((id) => passing.has(id)).map((id) => ({ id: String(id) })) as Row[]
    },
    run: async (_, [, givenIds]) =>
      (givenIds as readonly number[]).map((id, at) => [String(at + 1), Buffer.from(vectorOf(id).slice().buffer)]),
  }
}

function vectorOf(id: number): Float32Array {
  return vectors.subarray((id - 1) * length, id * length)
}

function nearestOf(among: Iterable<number>, similarities: readonly number[]): readonly number[] {
  const similarityTo = (id: number): number => similarities[id - 1] as number
  return [...among].sort((one, other) => similarityTo(other) - similarityTo(one)).slice(0, k)
}

function figuresOf(found: readonly Found[]) {
  const ms = found.map(({ cpuMs }) => cpuMs)
  return {
    ...{ medianMs: quantile(ms, 0.5), meanMs: meanOf(ms) },
    ...{ searches: meanOf(found.map((each) => each.searches)), recall: meanOf(found.map((each) => each.recall)) },
  }
}

function cpuMsOf<T>(work: () => T): { readonly result: T; readonly cpuMs: number } {
  const cpu = process.threadCpuUsage()
  const result = work()
  const { user, system } = process.threadCpuUsage(cpu)
  return { result, cpuMs: (user + system) / 1_000 }
}

function checkBounds(found: readonly Candidate[], similarities: readonly number[]): void {
  const minLower = found.map(({ lower }) => lower).sort((one, other) => other - one)[k - 1] ?? 0
  exactReads.push(found.filter(({ upper }) => upper >= minLower).length)
  for (const { documentId, upper, lower } of found) {
    const similarity = similarities[documentId - 1] as number
    if (similarity > upper || similarity < lower) throw new Error('A similarity is beyond its bounds.')
  }
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}

function rounded(number: number, digits: number): number {
  return Number(number.toFixed(digits))
}

function textsIn(folder: string): readonly string[] {
  const collections = collectionFolders([folder]).map(readJudgedCollection)
  return collections.flatMap(({ documents }) => documents.map(({ title, text }) => `${title ?? ''} ${text}`))
}
