import type { Candidate } from './nearest-candidates.ts'
import type { FoundCandidates } from './vectors-in-memory.ts'

/** Candidates for another thread: columns are copied in a fraction of the time of hundreds of objects. */
export interface PackedCandidates extends Omit<FoundCandidates, 'candidates'> {
  /** `numbersOfCandidate` for each. */
  readonly numbers: Float64Array
  readonly docIds: readonly string[]
}

/** Id of the document, number of the chunk, upper and lower bound, and whether it is marginal. */
const numbersOfCandidate = 5

export function packCandidates({ candidates, ...others }: FoundCandidates): PackedCandidates {
  const numbers = new Float64Array(candidates.length * numbersOfCandidate)
  let at = 0
  for (const { documentId, chunkIndex, upper, lower, isMarginal } of candidates) {
    numbers[at++] = documentId
    numbers[at++] = chunkIndex
    numbers[at++] = upper
    numbers[at++] = lower
    numbers[at++] = Number(isMarginal === true)
  }
  return { ...others, numbers, docIds: candidates.map(({ docId }) => docId) }
}

export function unpackCandidates({ numbers, docIds, ...others }: PackedCandidates): FoundCandidates {
  const number = (at: number): number => numbers[at] as number
  const candidates = docIds.map((docId, place): Candidate => {
    const at = place * numbersOfCandidate
    const [documentId, chunkIndex, upper, lower] = [number(at), number(at + 1), number(at + 2), number(at + 3)]
    return { documentId, docId, chunkIndex, upper, lower, isMarginal: number(at + 4) === 1 }
  })
  return { ...others, candidates }
}
