import type { RankedChunk } from './best-chunks.ts'
import type { Ranking } from './rank-chunks.ts'

/**
 * A ranking as bytes. Threads and processes pass it on unread; it is decoded where it is used.
 *
 *  header    number of chunks, 0
 *  chunks    document id, number of the chunk, score, relevance: four float64 each
 *  the rest  statistics, explanations and corrections as JSON, which keeps every digit
 */
export type PackedRanking = Uint8Array

const headerBytes = 8
const numbersOfChunk = 4
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function packRanking({ ranked, ...others }: Ranking): PackedRanking {
  const rest = encoder.encode(JSON.stringify(others))
  const chunksEnd = headerBytes + ranked.length * numbersOfChunk * Float64Array.BYTES_PER_ELEMENT
  const bytes = new Uint8Array(chunksEnd + rest.length)
  new Uint32Array(bytes.buffer, 0, 1)[0] = ranked.length
  const numbers = new Float64Array(bytes.buffer, headerBytes, ranked.length * numbersOfChunk)
  let at = 0
  for (const { documentId, chunkIndex, score, relevance } of ranked) {
    numbers[at++] = documentId
    numbers[at++] = chunkIndex
    numbers[at++] = score
    numbers[at++] = relevance
  }
  bytes.set(rest, chunksEnd)
  return bytes
}

export function unpackRanking(packed: PackedRanking): Ranking {
  // Numbers of eight bytes are read from multiples of eight only; a frame may place them anywhere.
  const bytes = packed.byteOffset % headerBytes === 0 ? packed : packed.slice()
  const [count = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 1)
  const numbers = new Float64Array(bytes.buffer, bytes.byteOffset + headerBytes, count * numbersOfChunk)
  const number = (at: number): number => numbers[at] as number
  const ranked = Array.from({ length: count }, (_, place): RankedChunk => {
    const at = place * numbersOfChunk
    return {
      documentId: number(at),
      chunkIndex: number(at + 1),
      score: number(at + 2),
      relevance: number(at + 3),
    }
  })
  const rest = decoder.decode(bytes.subarray(headerBytes + numbers.byteLength))
  return { ranked, ...(JSON.parse(rest) as Omit<Ranking, 'ranked'>) }
}
