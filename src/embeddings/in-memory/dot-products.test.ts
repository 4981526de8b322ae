import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  firstSignBytes,
  firstVector,
  maxDimensions,
  maxQueryNumber,
  openVectorMemory,
  strideUnit,
} from './dot-products.ts'

const lists = fc.record({
  units: fc.integer({ min: 1, max: 40 }),
  count: fc.integer({ min: 1, max: 64 }),
  seed: fc.integer(),
})

test('products of whole numbers are exact, of adjacent and of listed vectors (issue 14, vectors)', () => {
  fc.assert(
    fc.property(lists, fc.array(fc.nat(), { maxLength: 300 }), ({ units, count, seed }, picked) => {
      const stride = units * strideUnit
      const region = openVectorMemory(64)
      region.memory.grow(4)
      const query = Int16Array.from({ length: stride }, (_, at) => hash(seed, at) % (maxQueryNumber + 1))
      const codes = new Int8Array(region.memory.buffer, firstVector, stride * count)
      for (let at = 0; at < codes.length; at++) codes[at] = hash(seed + 1, at) % 128
      region.setQuery(query)
      const products = Array.from({ length: count }, (_, row) =>
        query.reduce((sum, number, at) => sum + number * (codes[row * stride + at] as number), 0),
      )
      expect([...region.products(firstVector, count, stride).subarray(0, count)]).toEqual(products)
      const rows = picked.map((number) => number % count)
      const addresses = Uint32Array.from(rows, (row) => firstVector + row * stride)
      const listed = region.listedProducts(addresses, rows.length, stride).subarray(0, rows.length)
      expect([...listed]).toEqual(rows.map((row) => products[row]))
    }),
  )
})

test('the products of the longest vectors of the largest numbers are exact (issue 14, vectors)', () => {
  const region = openVectorMemory(64)
  region.memory.grow(1)
  region.setQuery(new Int16Array(maxDimensions).fill(-maxQueryNumber))
  new Int8Array(region.memory.buffer, firstVector, maxDimensions).fill(127)
  expect(region.products(firstVector, 1, maxDimensions)[0]).toBe(-maxQueryNumber * 127 * maxDimensions)
})

test('differing signs are counted exactly, also all of the longest vectors (issue 14, vectors)', () => {
  const longest = maxDimensions / 8 / strideUnit
  fc.assert(
    fc.property(lists, fc.constantFrom(null, longest), ({ units, count, seed }, other) => {
      const bytes = (other ?? units + 2) * strideUnit
      const region = openVectorMemory(64)
      region.memory.grow(4)
      const query = Uint8Array.from({ length: bytes }, (_, at) => hash(seed, at))
      const signs = new Uint8Array(region.memory.buffer, firstVector, bytes * count)
      // The last one differs in every sign.
      for (let at = 0; at < signs.length; at++)
        signs[at] = at < signs.length - bytes ? hash(seed + 1, at) : ~(query[at % bytes] as number)
      region.setQuerySigns(query)
      const differences = Array.from({ length: count }, (_, row) =>
        query
          .subarray(firstSignBytes)
          .reduce((sum, byte, at) => sum + bitsIn(byte ^ (signs[row * bytes + firstSignBytes + at] as number)), 0),
      )
      const addresses = Uint32Array.from({ length: count }, (_, row) => firstVector + row * bytes + firstSignBytes)
      const later = region.laterDifferences(addresses, count, bytes - firstSignBytes)
      expect([...later.subarray(0, count)]).toEqual(differences)
      expect(differences.at(-1)).toBe((bytes - firstSignBytes) * 8)
    }),
    { numRuns: 40 },
  )
})

test('the vectors that differ in few of the first signs are found, in their order (issue 14, vectors)', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 200 }), fc.nat({ max: 256 }), (seed, count, max) => {
      const region = openVectorMemory(64)
      region.memory.grow(4)
      const query = Uint8Array.from({ length: firstSignBytes }, (_, at) => hash(seed, at))
      const signs = new Uint8Array(region.memory.buffer, firstVector, firstSignBytes * count)
      // The first one differs in every sign, the last one in none.
      for (let at = 0; at < signs.length; at++)
        signs[at] = at < firstSignBytes ? ~(query[at] as number) : hash(seed + 1, at)
      if (count > 1) signs.set(query, signs.length - firstSignBytes)
      region.setQuerySigns(query)
      const expected = Array.from({ length: count }, (_, row) => ({
        row,
        difference: query.reduce(
          (sum, byte, at) => sum + bitsIn(byte ^ (signs[row * firstSignBytes + at] as number)),
          0,
        ),
      })).filter(({ difference }) => difference <= max)
      const entries = [...region.nearFirstSigns(firstVector, count, max)]
      expect(entries.map((entry) => ({ row: entry & 0xffff, difference: entry >>> 16 }))).toEqual(expected)
    }),
  )
})

function bitsIn(byte: number): number {
  let count = 0
  for (let left = byte & 255; left > 0; left >>= 1) count += left & 1
  return count
}

/** Not negative. */
function hash(seed: number, at: number): number {
  let mixed = Math.imul(seed ^ Math.imul(at + 1, 0x9e37_79b1), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return (mixed ^ (mixed >>> 16)) >>> 1
}
