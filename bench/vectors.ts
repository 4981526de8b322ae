/**
 * npm run bench:vectors: what a comparison of all vectors costs in the thread that has them in memory, without HTTP, rights or a database.
 * Vectors are drawn around 1,000 centres, as texts are about subjects; queries are near one of them.
 *
 *   --chunks 100000
 *   --length 768     dimensions
 *   --rounds 20      queries
 *
 * "Exact reads" are the vectors whose exact similarity has to be read from the database for the best 10 (docs/decisions/0036).
 */
import { parseArgs } from 'node:util'
import { HeldVectors } from '../src/embeddings/held/held-vectors.ts'
import type { StoredVectors } from '../src/embeddings/held/shelf.ts'
import { similarityOf, unitLength } from '../src/embeddings/similarity.ts'
import { quantile } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { makeVectors } from './search/draw-vectors.ts'

const { values: given } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    length: { type: 'string', default: '768' },
    rounds: { type: 'string', default: '20' },
  },
})
const machine = describeMachine()
const [chunks, length, rounds] = [Number(given.chunks), Number(given.length), Number(given.rounds)]
const chunksOfDocument = 10
const drawNearCentre = makeVectors(length)

const memoryBefore = process.memoryUsage.rss()
const held = new HeldVectors()
const sample = new Map<string, Float32Array>()
for (let document = 0; document * chunksOfDocument < chunks; document++) {
  const buffer = new SharedArrayBuffer(chunksOfDocument * length * 4)
  for (let at = 0; at < chunksOfDocument; at++) {
    const vector = drawNearCentre()
    new Float32Array(buffer).set(vector, at * length)
    if (document % 100 === 0) sample.set(`${document + 1} ${at}`, vector)
  }
  const stored: StoredVectors = {
    collectionId: 1,
    documentId: document + 1,
    docId: `d${document}`,
    firstChunk: 0,
    buffer,
  }
  held.add([stored], length)
}
const bytes = process.memoryUsage.rss() - memoryBefore

interface Measured {
  readonly name: string
  readonly allowed: Float64Array | null
  readonly cpuMs: number[]
  readonly ms: number[]
}

const ids = Array.from({ length: Math.ceil(chunks / chunksOfDocument) }, (_, at) => at + 1)
const cases: readonly Measured[] = [
  { name: 'all documents', allowed: null, cpuMs: [], ms: [] },
  { name: 'every tenth document', allowed: Float64Array.from(ids.filter((id) => id % 10 === 0)), cpuMs: [], ms: [] },
]
const exactReads: number[] = []
for (let round = -1; round < rounds; round++) {
  const vector = drawNearCentre()
  for (const { allowed, cpuMs, ms } of cases) {
    const cpu = process.threadCpuUsage()
    const from = performance.now()
    const found = held.search({ vector, k: 200, collectionIds: [1], allowed })
    const took = performance.now() - from
    const { user, system } = process.threadCpuUsage(cpu)
    if (round < 0) continue
    ms.push(took)
    cpuMs.push((user + system) / 1_000)
    if (allowed !== null) continue
    const minLower = found.map(({ lower }) => lower).sort((one, other) => other - one)[9] ?? 0
    exactReads.push(found.filter(({ upper }) => upper >= minLower).length)
    for (const { documentId, chunkIndex, upper, lower } of found) {
      const exact = sample.get(`${documentId} ${chunkIndex}`)
      if (exact === undefined) continue
      const similarity = similarityOf(unitLength(exact), unitLength(vector))
      if (similarity > upper || similarity < lower) throw new Error('A similarity is beyond its bounds.')
    }
  }
}

const figures = cases.map(({ name, cpuMs, ms }) => ({ name, cpuMs: quantile(cpuMs, 0.5), ms: quantile(ms, 0.5) }))
writeResults(`vectors-${chunks}`, { machine, chunks, length, bytes, exactReads: quantile(exactReads, 0.5), figures }, [
  `${chunks} vectors of ${length} dimensions, ${rounds} queries, 200 candidates; ${Math.round(bytes / chunks)} bytes of memory a vector. Exact reads: median ${quantile(exactReads, 0.5)}.`,
  '',
  ...table(
    ['search among', 'CPU ms (median)', 'ms (median)'],
    figures.map(({ name, cpuMs, ms }) => [name, cpuMs.toFixed(1), ms.toFixed(1)]),
  ),
])
