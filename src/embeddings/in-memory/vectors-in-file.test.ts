import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeRandom } from '../../../bench/search/corpus.ts'
import { openedUnnamed } from '../../../test/harness/unnamed-files.ts'
import type { StoredVectors } from './collection-vectors.ts'
import { LostVectors } from './vector-file.ts'
import { VectorsInMemory } from './vectors-in-memory.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-vectors-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const worlds = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  length: fc.constantFrom(1, 16, 100, 300),
  documents: fc.integer({ min: 1, max: 400 }),
  memoryBytes: fc.constantFrom(0, 64 * 112, 64 * 320 * 3),
  minApproximate: fc.constantFrom(50, 25_000),
  passing: fc.constantFrom(1, 2, 9, 40),
})

test('searches and fingerprints do not depend on where vectors are, after any removals (issue 14, vectors)', () => {
  fc.assert(
    fc.property(worlds, ({ seed, length, documents, memoryBytes, minApproximate, passing }) => {
      const options = { minApproximate, minCompared: 20 }
      const inFile = new VectorsInMemory({ ...options, inFile: { folder, memoryBytes } })
      const inMemory = new VectorsInMemory(options)
      const random = makeRandom(seed)
      const stored = Array.from({ length: documents }, (_, at) => storedOf(random, at + 1, length))
      const again = stored.filter(() => random() < 0.2)
      const goneIds = stored.filter(() => random() < 0.3).map(({ documentId }) => documentId)
      for (const held of [inFile, inMemory]) {
        held.add(stored, length)
        held.forget(goneIds, [])
        held.markRemoved(again.slice(0, 3).map(({ documentId }) => documentId))
        held.forget(
          again.map(({ documentId }) => documentId),
          seed % 5 === 0 ? [1] : [],
        )
        held.add(again, length)
      }
      expect(inFile.count()).toBe(inMemory.count())
      expect(sorted(inFile.fingerprints(null))).toEqual(sorted(inMemory.fingerprints(null)))
      const allowed = Float64Array.from(stored, ({ documentId }) => documentId).filter((id) => id % passing === 0)
      for (const mayApproximate of [false, true])
        for (const each of [null, allowed]) {
          const vector = vectorOf(random, length)
          const search = { vector, k: 30, collectionIds: [1, 2], allowed: each, mayApproximate }
          expect(inFile.search(search)).toEqual(inMemory.search(search))
        }
      inFile.close()
    }),
    { numRuns: 150 },
  )
})

test('more vectors than one call compares are read from the file, adjacent ones and those far apart (issue 14, vectors)', () => {
  const random = makeRandom(3)
  const stored = Array.from({ length: 9_000 }, (_, at): StoredVectors => {
    return { collectionId: 1, documentId: at + 1, docId: `d${at}`, firstChunk: 0, numbers: vectorOf(random, 1_000) }
  })
  const options = { minApproximate: 25_000 }
  const [inFile, inMemory] = [
    new VectorsInMemory({ ...options, inFile: { folder, memoryBytes: 2_000_000 } }),
    new VectorsInMemory(options),
  ]
  for (const held of [inFile, inMemory]) held.add(stored, 1_000)
  for (const nth of [1, 2, 8, 9, 64, 100]) {
    const allowed = Float64Array.from(stored, ({ documentId }) => documentId).filter((id) => id % nth === 0)
    const vector = vectorOf(random, 1_000)
    const search = { vector, k: 100, collectionIds: [1], allowed, mayApproximate: false }
    expect(inFile.search(search)).toEqual(inMemory.search(search))
  }
  inFile.close()
})

test('the file has no name from the beginning, and takes no more place when vectors are replaced (issue 14, vectors)', () => {
  const held = new VectorsInMemory({ minApproximate: 25_000, inFile: { folder: join(folder, 'new'), memoryBytes: 0 } })
  const random = makeRandom(1)
  const stored = Array.from({ length: 500 }, (_, at) => storedOf(random, at + 1, 16))
  held.add(stored, 16)
  expect(readdirSync(join(folder, 'new'))).toEqual([])
  const [file] = openedUnnamed(folder)
  const bytes = file?.bytes()
  expect(bytes).toBeGreaterThan(0)
  for (let round = 0; round < 3; round++) {
    held.forget([], [1, 2])
    held.add(stored, 16)
  }
  expect(file?.bytes()).toBe(bytes)
  held.close()
  expect(openedUnnamed(folder)).toEqual([])
})

test('vectors that cannot be read any more are an error of their own, never another result (issue 14, vectors)', () => {
  const held = new VectorsInMemory({ minApproximate: 25_000, inFile: { folder, memoryBytes: 0 } })
  const random = makeRandom(1)
  held.add([storedOf(random, 1, 16), storedOf(random, 2, 16)], 16)
  truncateSync(openedUnnamed(folder)[0]?.path ?? '', 20)
  const vector = vectorOf(random, 16)
  const search = { vector, k: 9, collectionIds: [1, 2], allowed: null, mayApproximate: false }
  expect(() => held.search(search)).toThrow(LostVectors)
  expect(() => held.fingerprints(null)).toThrow(LostVectors)
  held.close()
})

test('where no file can be made, vectors stay in memory, and this is said once (issue 14, vectors)', () => {
  writeFileSync(join(folder, 'a file'), '')
  const errors: unknown[] = []
  const inFile = { folder: join(folder, 'a file', 'below'), memoryBytes: 0 }
  const held = new VectorsInMemory({ minApproximate: 25_000, inFile }, (error) => errors.push(error))
  const inMemory = new VectorsInMemory({ minApproximate: 25_000 })
  const random = makeRandom(1)
  const stored = Array.from({ length: 300 }, (_, at) => storedOf(random, at + 1, 16))
  held.add(stored, 16)
  inMemory.add(stored, 16)
  expect(errors).toHaveLength(1)
  const vector = vectorOf(random, 16)
  const search = { vector, k: 9, collectionIds: [1, 2], allowed: null, mayApproximate: false }
  expect(held.search(search)).toEqual(inMemory.search(search))
  // As soon as there is place, the next ones are in a file.
  rmSync(join(folder, 'a file'))
  mkdirSync(join(folder, 'a file'))
  held.add(
    stored.map((each) => ({ ...each, documentId: each.documentId + 1_000 })),
    16,
  )
  expect(openedUnnamed(folder)).toHaveLength(1)
  held.close()
})

/** A document of one to three chunks, in one of two collections. */
function storedOf(random: () => number, documentId: number, length: number): StoredVectors {
  const numbers = vectorOf(random, length * (1 + Math.floor(random() * 3)))
  return { collectionId: 1 + (documentId % 2), documentId, docId: `d${documentId}`, firstChunk: 0, numbers }
}

function vectorOf(random: () => number, length: number): Float32Array {
  return Float32Array.from({ length }, () => random() - 0.4)
}

function sorted<T extends { readonly documentId: number }>(fingerprints: readonly T[]): readonly T[] {
  return fingerprints.toSorted((one, other) => one.documentId - other.documentId)
}
