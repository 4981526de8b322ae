/**
 * npm run bench:vectors: what a search among all vectors costs in the thread that has them in memory, without HTTP, rights or a database.
 * Vectors are drawn around 1,000 centres, as texts are about subjects, or made of the texts of test collections; queries are drawn alike.
 *
 *   --chunks 100000
 *   --length 768     dimensions
 *   --rounds 20      queries
 *   --texts FOLDER   folder of test collections (corpus.jsonl)
 *   --compared 2000  vectors that a search by signs compares at least
 *
 * "Exact reads" are the vectors whose exact similarity has to be read from the database for the best 10 (docs/decisions/0036).
 * "By signs" is the search of a caller who sees the whole collection (docs/decisions/0049). Its recall is the share of the exact search's
 * nearest ten that it finds, under filters that leave this share of the documents.
 */
import { parseArgs } from 'node:util'
import type { StoredVectors } from '../src/embeddings/in-memory/collection-vectors.ts'
import type { Candidate } from '../src/embeddings/in-memory/nearest-candidates.ts'
import { VectorsInMemory } from '../src/embeddings/in-memory/vectors-in-memory.ts'
import { similarityOf, unitLength } from '../src/embeddings/similarity.ts'
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
  },
})
const machine = describeMachine()
const [chunks, length, rounds] = [Number(given.chunks), Number(given.length), Number(given.rounds)]
const minCompared = Number(given.compared)
const chunksOfDocument = 10
const [k, count] = [10, 200]
const draw = given.texts === undefined ? makeVectors(length) : makeTextVectors(textsIn(given.texts), length)

const memoryBefore = process.memoryUsage.rss()
const held = new VectorsInMemory({ minApproximate: 0, minCompared })
const sample = new Map<string, Float32Array>()
const buffer = new SharedArrayBuffer(chunksOfDocument * length * 4)
let addMs = 0
for (let document = 0; document * chunksOfDocument < chunks; document++) {
  for (let at = 0; at < chunksOfDocument; at++) {
    const vector = draw()
    new Float32Array(buffer).set(vector, at * length)
    if (document % 100 === 0) sample.set(`${document + 1} ${at}`, vector)
  }
  const stored: StoredVectors = {
    collectionId: 1,
    documentId: document + 1,
    docId: `document ${document}`,
    firstChunk: 0,
    buffer,
  }
  addMs += cpuMsOf(() => held.add([stored], length)).cpuMs
}
const bytes = process.memoryUsage.rss() - memoryBefore

interface Measured {
  readonly name: string
  readonly allowed: Float64Array | null
  readonly exact: number[]
  readonly bySigns: number[]
  readonly searches: number[]
  readonly recall: number[]
}

const ids = Array.from({ length: Math.ceil(chunks / chunksOfDocument) }, (_, at) => at + 1)
const every = (nth: number): Measured => {
  const allowed = nth === 1 ? null : Float64Array.from(ids.filter((id) => id % nth === 0))
  return { name: `${rounded(100 / nth, 2)} %`, allowed, exact: [], bySigns: [], searches: [], recall: [] }
}
const cases = [1, 2, 4, 7, 10, 30, 100, 1_000].map(every)
const exactReads: number[] = []
for (let round = -1; round < rounds; round++) {
  const vector = draw()
  for (const each of cases) {
    const { allowed } = each
    const all = cpuMsOf(() => held.search({ vector, k: count, collectionIds: [1], allowed, mayApproximate: false }))
    const some = cpuMsOf(() => searchBySigns(vector, allowed))
    if (round < 0) continue
    each.exact.push(all.cpuMs)
    each.bySigns.push(some.cpuMs)
    each.searches.push(some.result.searches)
    const nearest = all.result.candidates.slice(0, k).map(nameOf)
    const names = new Set(some.result.candidates.map(nameOf))
    each.recall.push(nearest.filter((name) => names.has(name)).length / nearest.length)
    if (allowed === null) checkBounds(all.result.candidates, vector)
  }
}

const figures = cases.map(({ name, exact, bySigns, searches, recall }) => ({
  name,
  exactMs: quantile(exact, 0.5),
  signsMs: quantile(bySigns, 0.5),
  searches: meanOf(searches),
  recall: meanOf(recall),
}))
const kind = given.texts === undefined ? 'around 1,000 centres' : 'of texts'
const microseconds = rounded((addMs * 1_000) / chunks, 1)
writeResults(
  `vectors-${chunks}${given.texts === undefined ? '' : '-texts'}`,
  { machine, chunks, length, kind, minCompared, bytes, microseconds, exactReads: quantile(exactReads, 0.5), figures },
  [
    `${chunks} vectors ${kind} of ${length} dimensions, ${rounds} queries, ${count} candidates, of ${minCompared} compared; ${Math.round(bytes / chunks)} bytes of memory and ${microseconds} µs of CPU to add a vector. Exact reads: median ${quantile(exactReads, 0.5)}.`,
    '',
    ...table(
      ['documents that pass', 'exact, CPU ms (median)', 'by signs, CPU ms (median)', 'searches', 'recall@10'],
      figures.map(({ name, exactMs, signsMs, searches, recall }) => [
        name,
        exactMs.toFixed(1),
        signsMs.toFixed(1),
        searches.toFixed(1),
        recall.toFixed(4),
      ]),
    ),
  ],
)

/** As `nearest-in-memory.ts` does, without the database. */
function searchBySigns(vector: Float32Array, allowed: Float64Array | null) {
  const passes = ({ documentId }: Candidate): boolean => allowed === null || documentId % (allowed[0] as number) === 0
  const search = { vector, k: count, collectionIds: [1], mayApproximate: true }
  const { candidates } = held.search({ ...search, allowed: null })
  if (candidates.slice(0, count / 2).filter(passes).length >= k)
    return { candidates: candidates.filter(passes), searches: 1 }
  return { candidates: held.search({ ...search, allowed }).candidates, searches: 2 }
}

function cpuMsOf<T>(work: () => T): { readonly result: T; readonly cpuMs: number } {
  const cpu = process.threadCpuUsage()
  const result = work()
  const { user, system } = process.threadCpuUsage(cpu)
  return { result, cpuMs: (user + system) / 1_000 }
}

function checkBounds(found: readonly Candidate[], vector: Float32Array): void {
  const minLower = found.map(({ lower }) => lower).sort((one, other) => other - one)[k - 1] ?? 0
  exactReads.push(found.filter(({ upper }) => upper >= minLower).length)
  for (const { documentId, chunkIndex, upper, lower } of found) {
    const exact = sample.get(`${documentId} ${chunkIndex}`)
    if (exact === undefined) continue
    const similarity = similarityOf(unitLength(exact), unitLength(vector))
    if (similarity > upper || similarity < lower) throw new Error('A similarity is beyond its bounds.')
  }
}

function nameOf({ documentId, chunkIndex }: Candidate): string {
  return `${documentId} ${chunkIndex}`
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
