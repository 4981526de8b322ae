import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstVector, maxQueryNumber, openVectorMemory } from './dot-products.ts'
import { signBytesOf, signsOf } from './round-to-bytes.ts'
import { weighSigns } from './weighted-signs.ts'

const numbers = (length: number) =>
  fc.array(fc.integer({ min: -maxQueryNumber, max: maxQueryNumber }), { minLength: length, maxLength: length })

test('the difference is the sum of those numbers of the query whose signs the vector does not have (issue 14, vectors)', () => {
  const vectors = fc.integer({ min: 1, max: 40 }).chain((units) => {
    const length = units * 16
    return fc.record({ query: numbers(length), before: numbers(length), vector: numbers(length), split: fc.nat() })
  })
  fc.assert(
    fc.property(vectors, ({ query, before, vector, split }) => {
      const bytes = signBytesOf(query.length)
      const region = openVectorMemory(64)
      region.memory.grow(1)
      const signs = new Uint8Array(region.memory.buffer, firstVector + 3, bytes * 2)
      signsOf(Int16Array.from(vector), signs.subarray(bytes))
      const weights = new Uint16Array(bytes * 256)
      // Nothing is left of another query.
      for (const numbers of [before, query]) weighSigns(Int16Array.from(numbers), weights)
      region.setWeights(weights)
      const first = (split % (bytes / 16 + 1)) * 16
      const sumOf = (from: number, count: number) => {
        const addresses = Uint32Array.of(firstVector + 3 + from, firstVector + 3 + bytes + from)
        return count === 0 ? 0 : (region.weights(addresses, 2, from, count)[1] as number)
      }
      const found = sumOf(0, first) + sumOf(first, bytes - first)
      const expected = query.reduce((sum, each, at) => {
        const isOther = each < 0 !== (vector[at] as number) < 0
        return sum + (isOther ? Math.abs(each) : 0)
      }, 0)
      expect(found).toBe(expected)
    }),
  )
})
