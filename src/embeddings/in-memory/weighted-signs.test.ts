import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxQueryNumber } from './dot-products.ts'
import { signBytesOf, signsOf } from './round-to-bytes.ts'
import { WeightedSigns } from './weighted-signs.ts'

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
      const signs = new Uint8Array(bytes + 3)
      signsOf(Int16Array.from(vector), signs.subarray(3))
      const weighted = new WeightedSigns(bytes)
      // Nothing is left of another query.
      weighted.setQuery(Int16Array.from(before))
      weighted.setQuery(Int16Array.from(query))
      const first = split % (bytes + 1)
      const found = weighted.differing(signs, 3, 0, first) + weighted.differing(signs, 3 + first, first, bytes - first)
      const expected = query.reduce((sum, each, at) => {
        const isOther = each < 0 !== (vector[at] as number) < 0
        return sum + (isOther ? Math.abs(each) : 0)
      }, 0)
      expect(found).toBe(expected)
    }),
  )
})
