import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packCandidates, unpackCandidates } from './pack-candidates.ts'

test('candidates that another thread receives are those that were found', () => {
  const candidate = fc.record({
    documentId: fc.maxSafeNat(),
    docId: fc.string(),
    chunkIndex: fc.nat(),
    upper: fc.double({ noNaN: true }),
    lower: fc.double({ noNaN: true }),
    isMarginal: fc.boolean(),
  })
  const found = fc.record({ candidates: fc.array(candidate), isApproximate: fc.boolean(), vectors: fc.nat() })
  fc.assert(
    fc.property(found, (each) => {
      expect(unpackCandidates(structuredClone(packCandidates(each)))).toEqual(each)
    }),
  )
})
