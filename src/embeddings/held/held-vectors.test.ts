import fc from 'fast-check'
import { expect, test } from 'vitest'
import { similarityOf, unitLength } from '../similarity.ts'
import { firstCode, maxDimensions, maxProducts, maxQueryNumber, openDotMemory, strideUnit } from './dot-products.ts'
import { HeldVectors } from './held-vectors.ts'
import type { StoredVectors } from './shelf.ts'

test('products of whole numbers are exact, also the largest ones (issue 14, vectors)', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }).map((units) => units * strideUnit),
      fc.integer({ min: 1, max: maxProducts }),
      fc.integer(),
      (stride, count, seed) => {
        const region = openDotMemory(64)
        region.memory.grow(4)
        const query = Int16Array.from({ length: stride }, (_, at) => hash(seed, at) % (maxQueryNumber + 1))
        const codes = new Int8Array(region.memory.buffer, firstCode, stride * count)
        for (let at = 0; at < codes.length; at++) codes[at] = hash(seed + 1, at) % 128
        region.setQuery(query)
        const products = Array.from({ length: count }, (_, row) =>
          query.reduce((sum, number, at) => sum + number * (codes[row * stride + at] as number), 0),
        )
        expect([...region.products(firstCode, count, stride)]).toEqual(products)
      },
    ),
  )
  const region = openDotMemory(64)
  region.memory.grow(1)
  region.setQuery(new Int16Array(maxDimensions).fill(-maxQueryNumber))
  new Int8Array(region.memory.buffer, firstCode, maxDimensions).fill(127)
  expect([...region.products(firstCode, 1, maxDimensions)]).toEqual([-maxQueryNumber * 127 * maxDimensions])
})

const worlds = fc.record({
  seed: fc.integer(),
  length: fc.constantFrom(1, 3, 16, 100, 384),
  documents: fc.integer({ min: 1, max: 60 }),
  k: fc.constantFrom(1, 5, 200, 10_000),
})

test('the similarity of each chunk is between its bounds, and no chunk that is left out has a higher bound, after any removals (issue 14, vectors)', () => {
  fc.assert(
    fc.property(worlds, fc.boolean(), ({ seed, length, documents, k }, isLimited) => {
      const stored = Array.from({ length: documents }, (_, at) => storedOf(seed, at + 1, length))
      const held = new HeldVectors()
      held.add(stored, length)
      const gone = stored.filter(({ documentId }) => hash(seed, documentId) % 3 === 0)
      held.forget(
        gone.map(({ documentId }) => documentId),
        [],
      )
      held.add(gone.slice(0, 2), length)
      const kept = [...stored.filter((each) => !gone.includes(each)), ...gone.slice(0, 2)]
      const allowed = kept.filter(({ documentId }) => !isLimited || documentId % 2 === 0)
      const query = vectorOf(seed + 7, 0, length)
      const found = held.search({
        vector: query,
        k,
        collectionIds: [1, 2],
        allowed: isLimited ? Float64Array.from(allowed.map(({ documentId }) => documentId)).sort() : null,
      })
      const exact = new Map(allowed.flatMap((each) => similaritiesOf(each, query, length)))
      expect(held.count()).toBe(kept.reduce((sum, { buffer }) => sum + buffer.byteLength / 4 / length, 0))
      expect(found).toHaveLength(Math.min(k, exact.size))
      for (const { documentId, chunkIndex, upper, lower } of found) {
        const similarity = exact.get(`${documentId} ${chunkIndex}`) ?? Number.NaN
        expect(similarity).toBeLessThanOrEqual(upper)
        expect(similarity).toBeGreaterThanOrEqual(lower)
        exact.delete(`${documentId} ${chunkIndex}`)
      }
      const others = Math.max(...exact.values())
      if (exact.size > 0) expect(others).toBeLessThanOrEqual(found.at(-1)?.upper ?? Number.NaN)
    }),
    { numRuns: 200 },
  )
})

test('a query without direction is equally near to all, in the order of their names (issue 14, vectors)', () => {
  const held = new HeldVectors()
  held.add([storedOf(1, 9, 16), storedOf(1, 4, 16)], 16)
  const found = held.search({ vector: new Float32Array(16), k: 3, collectionIds: [1, 2], allowed: null })
  expect(found.map(({ upper, lower }) => [upper, lower])).toEqual(found.map(() => [0, 0]))
  expect(found.map(({ docId }) => docId)).toEqual(found.map(({ docId }) => docId).toSorted())
})

test('vectors without numbers, and of other lengths, are compared with none of another length (issue 14, vectors)', () => {
  const held = new HeldVectors()
  const zero = { collectionId: 1, documentId: 1, docId: 'zero', firstChunk: 0, buffer: new SharedArrayBuffer(64) }
  held.add([zero], 16)
  held.add([{ ...storedOf(1, 2, 32), collectionId: 2 }], 32)
  const found = held.search({ vector: vectorOf(3, 3, 16), k: 10, collectionIds: [1, 2], allowed: null })
  expect(found.map(({ docId }) => docId)).toEqual(['zero'])
})

/** A document of one to five chunks, in one of two collections. */
function storedOf(seed: number, documentId: number, length: number): StoredVectors {
  const chunks = 1 + (hash(seed, documentId) % 5)
  const buffer = new SharedArrayBuffer(chunks * length * 4)
  const numbers = new Float32Array(buffer)
  for (let chunk = 0; chunk < chunks; chunk++)
    numbers.set(vectorOf(seed, documentId * 10 + chunk, length), chunk * length)
  return { collectionId: 1 + (documentId % 2), documentId, docId: `d${documentId}`, firstChunk: 0, buffer }
}

function similaritiesOf({ documentId, buffer }: StoredVectors, query: Float32Array, length: number) {
  const numbers = new Float32Array(buffer)
  return Array.from({ length: numbers.length / length }, (_, chunk): [string, number] => [
    `${documentId} ${chunk}`,
    similarityOf(unitLength(numbers.slice(chunk * length, (chunk + 1) * length)), unitLength(query)),
  ])
}

/** Some vectors are much like others, some have one large number. */
function vectorOf(seed: number, at: number, length: number): Float32Array {
  const vector = Float32Array.from({ length }, (_, place) => (hash(seed + (at % 3), place) % 1_000) - 500)
  if (at % 4 === 0) vector[hash(seed, at) % length] = 5_000
  return vector.map((number, place) => number + (hash(at, place) % 100))
}

/** Not negative. */
function hash(seed: number, at: number): number {
  let mixed = Math.imul(seed ^ Math.imul(at + 1, 0x9e37_79b1), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return (mixed ^ (mixed >>> 16)) >>> 1
}
