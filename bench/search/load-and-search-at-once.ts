import { quantile } from '../measure/figures.ts'
import type { VectorClient } from './vector-client.ts'

export interface AtOnce {
  readonly loads: number
  readonly deletions: number
  readonly searches: number
  /** Loaded through one server, and not found by the next search of the other one. */
  readonly missed: number
  /** Deleted through one server, and found by the next search of the other one. */
  readonly leftOver: number
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const writersOfServer = 3
const readersOfServer = 3
/** Every so many loads of a writer one of its documents is deleted. */
const loadsOfDeletion = 3

/** Two servers on one database. Each document that one loads or deletes is looked for by its own vector through the other one. */
export async function loadAndSearchAtOnce(
  servers: readonly [VectorClient, VectorClient],
  { draw, seconds }: { readonly draw: () => Float32Array; readonly seconds: number },
): Promise<AtOnce> {
  const counts = { loads: 0, deletions: 0, missed: 0, leftOver: 0, failures: 0 }
  const ms: number[] = []
  const untilMs = performance.now() + seconds * 1_000
  const isOver = (): boolean => performance.now() >= untilMs

  async function search(client: VectorClient, vector: Float32Array): Promise<ReadonlySet<string>> {
    const from = performance.now()
    const found = await client.search(vector, 10)
    ms.push(performance.now() - from)
    return new Set(found.map(({ docId }) => docId))
  }
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (counts.failures++ === 0) console.error(error)
    }
  }
  async function write(own: VectorClient, other: VectorClient, name: string): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      const docId = `${name}-${n}`
      const vector = draw()
      await attempt(async () => {
        await own.load(docId, vector)
        counts.loads++
        if (!(await search(other, vector)).has(docId)) counts.missed++
        if (n % loadsOfDeletion !== 0) return
        await own.delete(docId)
        counts.deletions++
        if ((await search(other, vector)).has(docId)) counts.leftOver++
      })
    }
  }
  async function read(client: VectorClient): Promise<void> {
    while (!isOver()) await attempt(async () => void (await search(client, draw())))
  }
  const [first, second] = servers
  const pairs = [
    [first, second],
    [second, first],
  ] as const
  await Promise.all(
    pairs.flatMap(([own, other], server) => [
      ...Array.from({ length: writersOfServer }, (_, at) => write(own, other, `at-once-${server}-${at}`)),
      ...Array.from({ length: readersOfServer }, () => read(own)),
    ]),
  )
  return { ...counts, searches: ms.length, p50Ms: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99) }
}
