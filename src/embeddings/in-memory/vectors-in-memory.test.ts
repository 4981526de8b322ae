import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { similarityOf, unitLength } from '../similarity.ts'
import type { StoredVectors } from './collection-vectors.ts'
import { RoundedVectors } from './rounded-vectors.ts'
import { VectorBlocks } from './vector-blocks.ts'
import { type FoundCandidates, type VectorSearch, VectorsInMemory } from './vectors-in-memory.ts'

const exactly = { mayApproximate: false }
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
      const held = new VectorsInMemory({ minApproximate: 25_000 })
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
      const { candidates: found } = held.search({
        ...exactly,
        vector: query,
        k,
        collectionIds: [1, 2],
        allowed: isLimited ? Float64Array.from(allowed.map(({ documentId }) => documentId)).sort() : null,
      })
      const exact = new Map(allowed.flatMap((each) => similaritiesOf(each, query, length)))
      expect(held.count()).toBe(kept.reduce((sum, { numbers }) => sum + numbers.length / length, 0))
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
  const held = new VectorsInMemory({ minApproximate: 25_000 })
  held.add([storedOf(1, 9, 16), storedOf(1, 4, 16)], 16)
  const { candidates: found } = held.search({
    ...exactly,
    vector: new Float32Array(16),
    k: 3,
    collectionIds: [1, 2],
    allowed: null,
  })
  expect(found.map(({ upper, lower }) => [upper, lower])).toEqual(found.map(() => [0, 0]))
  expect(found.map(({ docId }) => docId)).toEqual(found.map(({ docId }) => docId).toSorted())
})

test('vectors without numbers, and of other lengths, are compared with none of another length (issue 14, vectors)', () => {
  const held = new VectorsInMemory({ minApproximate: 25_000 })
  const zero = { collectionId: 1, documentId: 1, docId: 'zero', firstChunk: 0, numbers: new Float32Array(16) }
  held.add([zero], 16)
  held.add([{ ...storedOf(1, 2, 32), collectionId: 2 }], 32)
  const { candidates: found } = held.search({
    ...exactly,
    vector: vectorOf(3, 3, 16),
    k: 10,
    collectionIds: [1, 2],
    allowed: null,
  })
  expect(found.map(({ docId }) => docId)).toEqual(['zero'])
})

test('memory of a removed collection leaves nothing to another one with vectors of another length (issue 14, vectors)', () => {
  const documentsOf = (collectionId: number, length: number, count: number): readonly StoredVectors[] =>
    Array.from({ length: count }, (_, at) => {
      const documentId = collectionId * 100_000 + at
      const numbers = noiseOf(documentId, length)
      return { collectionId, documentId, docId: `d${documentId}`, firstChunk: 0, numbers }
    })
  const options = { minApproximate: 1_000, minCompared: 100 }
  const [used, fresh] = [new VectorsInMemory(options), new VectorsInMemory(options)]
  // Both take as many bytes for their signs.
  used.add(documentsOf(1, 384, 1_500), 384)
  used.forget([], [1])
  for (const held of [used, fresh]) held.add(documentsOf(2, 300, 1_500), 300)
  for (let at = 0; at < 20; at++) {
    const search = { vector: noiseOf(at, 300), k: 10, collectionIds: [2], allowed: null, mayApproximate: true }
    expect(used.search(search)).toEqual(fresh.search(search))
  }
})

test('vectors for which there was no memory can be added again (issue 14, vectors)', () => {
  const vectors = [storedOf(1, 2, 16), storedOf(1, 4, 16)]
  const held = new VectorsInMemory({ minApproximate: 25_000 })
  const allocate = vi.spyOn(VectorBlocks.prototype, 'allocate').mockImplementationOnce(() => {
    throw new RangeError('no memory')
  })
  try {
    expect(() => held.add(vectors, 16)).toThrow('no memory')
  } finally {
    allocate.mockRestore()
  }
  held.forget([2, 4], [])
  held.add(vectors, 16)
  const all = new VectorsInMemory({ minApproximate: 25_000 })
  all.add(vectors, 16)
  const search = { vector: noiseOf(1, 16), k: 100, collectionIds: [1], allowed: null, mayApproximate: false }
  expect(held.count()).toBe(all.count())
  expect(held.search(search)).toEqual(all.search(search))
})

describe('a search by signs of 12,000 vectors around 100 centres', () => {
  const length = 128
  const centres = Array.from({ length: 100 }, (_, at) => noiseOf(at, length))
  const around = (seed: number): Float32Array =>
    noiseOf(seed, length).map((number, at) => number + (centres[seed % 100]?.[at] as number))
  const stored = Array.from({ length: 12_000 }, (_, at): StoredVectors => {
    return { collectionId: 1, documentId: at + 1, docId: `d${at}`, firstChunk: 0, numbers: around(1_000 + at) }
  })
  const queries = Array.from({ length: 50 }, (_, at) => around(100_000 + at))
  const heldOf = (vectors: readonly StoredVectors[], minCompared = 1_000): VectorsInMemory => {
    const held = new VectorsInMemory({ minApproximate: 10_000, minCompared })
    held.add(vectors, length)
    return held
  }
  const held = heldOf(stored)
  const searchOf = (vector: Float32Array, other: Partial<VectorSearch> = {}): VectorSearch => {
    return { vector, k: 20, collectionIds: [1], allowed: null, mayApproximate: true, ...other }
  }
  const everyNth = (nth: number) =>
    nth === 1 ? null : Float64Array.from(stored, ({ documentId }) => documentId).filter((id) => id % nth === 0)

  test.each([
    { nth: 1, isApproximate: true },
    { nth: 10, isApproximate: true },
    { nth: 100, isApproximate: false },
    { nth: 1_000, isApproximate: false },
  ])('finds 98 of 100 of the nearest of one in $nth documents (issue 14, vectors)', ({ nth, isApproximate }) => {
    const some = heldOf(stored, 500)
    const allowed = everyNth(nth)
    let [hits, wanted] = [0, 0]
    for (const vector of queries) {
      const exact = idsOf(some.search(searchOf(vector, { allowed, ...exactly }))).slice(0, 10)
      const found = some.search(searchOf(vector, { allowed }))
      expect(found.isApproximate).toBe(isApproximate)
      const ids = new Set(idsOf(found))
      hits += exact.filter((id) => ids.has(id)).length
      wanted += exact.length
    }
    expect(hits).toBeGreaterThanOrEqual(wanted * 0.98)
  })

  test('is exact if the caller does not see all collections whole, or if as many are compared as there are (issue 14, vectors)', () => {
    const all = heldOf(stored, 12_000)
    for (const vector of queries.slice(0, 10)) {
      const exact = held.search(searchOf(vector, { k: 200, ...exactly }))
      expect(exact.isApproximate).toBe(false)
      expect(all.search(searchOf(vector, { k: 200 }))).toEqual(exact)
    }
  })

  test('leaves out some, and does not depend on the order of the vectors or on removed ones (issue 14, vectors)', () => {
    const gone = stored.slice(3_000, 3_500)
    const kept = stored.filter((each) => !gone.includes(each))
    const removed = heldOf([...stored].reverse())
    removed.forget(
      gone.map(({ documentId }) => documentId),
      [],
    )
    const fresh = heldOf(kept)
    const searches = queries.flatMap((vector) => [
      searchOf(vector, { k: 100 }),
      searchOf(vector, { k: 100, allowed: everyNth(5) }),
    ])
    for (const search of searches) expect(removed.search(search)).toEqual(fresh.search(search))
    const differs = searches.some((search) => {
      const exact = fresh.search({ ...search, ...exactly })
      return JSON.stringify(exact.candidates) !== JSON.stringify(fresh.search(search).candidates)
    })
    expect(differs).toBe(true)
    removed.add(gone, length)
    for (const search of searches) expect(removed.search(search)).toEqual(held.search(search))
  })

  test('says which candidates a search that compares half as many would not find (issue 14)', () => {
    const half = heldOf(stored, 500)
    let marginal = 0
    for (const vector of [...queries, ...queries.map((_, at) => noiseOf(200_000 + at, length))]) {
      const { candidates } = held.search(searchOf(vector))
      const found = new Set(idsOf(half.search(searchOf(vector))))
      expect(candidates.map(({ isMarginal }) => isMarginal)).toEqual(
        candidates.map(({ documentId }) => !found.has(documentId)),
      )
      marginal += candidates.filter(({ isMarginal }) => isMarginal).length
    }
    expect(marginal).toBeGreaterThan(0)
    const { candidates } = held.search(searchOf(queries[0] as Float32Array, exactly))
    expect(candidates.every(({ isMarginal }) => isMarginal === false)).toBe(true)
  })

  test('reads only vectors that are likely among the nearest, and misses none of ten (issue 14)', () => {
    const some = heldOf(stored, 4_000)
    for (const vector of queries) {
      const exact = idsOf(some.search(searchOf(vector, exactly))).slice(0, 10)
      const { found, places } = comparedBy(some, searchOf(vector))
      expect(idsOf(found)).toEqual(expect.arrayContaining(exact))
      expect(places.length).toBeLessThan(2_000)
    }
  })

  test('removed documents do not change which of the others are compared (issue 14)', () => {
    const vector = queries[0] as Float32Array
    const [some, all] = [heldOf(stored, 4_000), heldOf(stored, 4_000)]
    const near = Array.from({ length: 900 }, (_, at): StoredVectors => {
      // As near as the query itself, and as near as others.
      const numbers = at % 3 === 0 ? vector : around(300_000 + at)
      return { collectionId: 1, documentId: 50_000 + at, docId: `r${at}`, firstChunk: 0, numbers }
    })
    some.add(near, length)
    some.markRemoved(near.map(({ documentId }) => documentId))
    for (const each of queries) {
      const { places } = comparedBy(some, searchOf(each))
      expect(places.filter((place) => place < stored.length)).toEqual(comparedBy(all, searchOf(each)).places)
    }
  })

  test('finds a vector that was just added, and many equal ones in the order of their names (issue 14, vectors)', () => {
    const added = noiseOf(7_777, length)
    const some = heldOf(stored)
    const of = (documentId: number) => ({
      collectionId: 1,
      documentId,
      docId: `e${documentId}`,
      firstChunk: 0,
      numbers: added,
    })
    some.add([of(20_000)], length)
    expect(idsOf(some.search(searchOf(added)))[0]).toBe(20_000)
    some.add(
      Array.from({ length: 1_999 }, (_, at) => of(21_999 - at)),
      length,
    )
    const ids = idsOf(some.search(searchOf(added)))
    expect(ids).toEqual(Array.from({ length: 20 }, (_, at) => 20_000 + at))
  })
})

/** @returns also the places of the vectors that were compared, ascending */
function comparedBy(held: VectorsInMemory, search: VectorSearch) {
  const listed = vi.spyOn(RoundedVectors.prototype, 'listedProducts')
  try {
    const found = held.search(search)
    const places = listed.mock.calls.flatMap(([some, from], call) => {
      const result = listed.mock.results[call]
      return [...some.slice(from, from + (result?.type === 'return' ? result.value.count : 0))]
    })
    return { found, places: places.sort((one, other) => one - other) }
  } finally {
    listed.mockRestore()
  }
}

/** A document of one to five chunks, in one of two collections. */
function storedOf(seed: number, documentId: number, length: number): StoredVectors {
  const chunks = 1 + (hash(seed, documentId) % 5)
  const numbers = new Float32Array(chunks * length)
  for (let chunk = 0; chunk < chunks; chunk++)
    numbers.set(vectorOf(seed, documentId * 10 + chunk, length), chunk * length)
  return { collectionId: 1 + (documentId % 2), documentId, docId: `d${documentId}`, firstChunk: 0, numbers }
}

function similaritiesOf({ documentId, numbers }: StoredVectors, query: Float32Array, length: number) {
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

function noiseOf(seed: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, at) => (hash(seed * 7_919, at * 31) % 2_001) - 1_000)
}

function idsOf({ candidates }: FoundCandidates): readonly number[] {
  return candidates.map(({ documentId }) => documentId)
}

/** Not negative. */
function hash(seed: number, at: number): number {
  let mixed = Math.imul(seed ^ Math.imul(at + 1, 0x9e37_79b1), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return (mixed ^ (mixed >>> 16)) >>> 1
}
