import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DocumentNumbers } from './document-numbers.ts'

test('flags are set for exactly the listed documents, in any order of adding and after any removals (issue 14, vectors)', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 200 })
  fc.assert(
    fc.property(ids, ids, ids, ids, fc.boolean(), (first, gone, later, listed, isSorted) => {
      const numbers = new DocumentNumbers()
      const known = new Set<number>()
      const add = (documentIds: readonly number[]): void => {
        for (const id of isSorted ? documentIds.toSorted((one, other) => one - other) : documentIds) {
          numbers.numberOf(id, `d${id}`)
          known.add(id)
        }
      }
      add(first)
      const former = gone.filter((id) => known.has(id)).map((id) => numbers.numberOf(id, `d${id}`))
      expect([...numbers.forget(gone)]).toEqual(former)
      for (const id of gone) known.delete(id)
      add(later)
      const flags = numbers.flags(Float64Array.from(listed).sort())
      const flagged = [...known].filter((id) => flags[numbers.numberOf(id, `d${id}`)] === 1)
      expect(new Set(flagged)).toEqual(new Set(listed.filter((id) => known.has(id))))
      expect(flags.reduce((sum, flag) => sum + flag, 0)).toBe(flagged.length)
      for (const id of known) {
        const number = numbers.numberOf(id, `d${id}`)
        expect([numbers.documentIdOf(number), numbers.docIdOf(number)]).toEqual([id, `d${id}`])
      }
    }),
    { numRuns: 300 },
  )
})
