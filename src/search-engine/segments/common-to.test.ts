import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commonTo } from './segment.ts'

const ascending = (max: number) =>
  fc.uniqueArray(fc.nat({ max }), { maxLength: 200 }).map((ids) => Float64Array.from(ids).sort())

test('the documents that two lists have in common are found, however dense the lists are (issue 14)', () => {
  const lists = fc.oneof(ascending(100), ascending(1_000), ascending(1_000_000))
  fc.assert(
    fc.property(lists, lists, (ids, others) => {
      const expected = [...ids.keys()].filter((at) => others.includes(ids[at] ?? -1))
      expect([...commonTo(ids, others)]).toEqual(expected)
    }),
  )
})

test('a few documents of a large segment are found without reading the others, whichever list is the short one (issue 14)', () => {
  const all = Float64Array.from({ length: 1_000_000 }, (_, at) => 3 * at)
  const few = Float64Array.of(0, 3, 4, 1_500_000, 2_999_996, 2_999_997)
  for (const [one, other] of [
    [all, few],
    [few, all],
  ] as const) {
    const reads = { count: 0 }
    const found = [...commonTo(counted(one, reads), counted(other, reads))]
    expect(found).toEqual(one === all ? [0, 1, 500_000, 999_999] : [0, 1, 3, 5])
    expect(reads.count).toBeLessThan(400)
  }
})

/** Counts how often an element is read. */
function counted(ids: Float64Array, reads: { count: number }): Float64Array {
  return new Proxy(ids, {
    get(target, name) {
      if (name === 'length') return target.length
      reads.count++
      return target[Number(name)]
    },
  })
}
