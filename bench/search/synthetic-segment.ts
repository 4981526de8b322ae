/**
 * A segment of a million chunks in seconds: its postings are drawn directly, without texts. Words are independent of each other and have
 * no order, so close words add nothing, but the bounds count them. Frequencies follow Zipf's law, as in `corpus.ts`.
 */
import { placeBlocks } from '../../src/search-engine/segments/posting-blocks.ts'
import { createSegment, type Segment } from '../../src/search-engine/segments/segment.ts'

const vocabularySize = 60_000
const wordsOfChunk = 80
const chunksOfDocument = 10

export type Random = () => number

/** @param firstId id of its first document */
export function syntheticSegment(chunks: number, random: Random, firstId = 1): Segment {
  const shares = wordShares().map((share) => 1 - Math.exp(-wordsOfChunk * share))
  const lists = shares.map((share) => postingsOf(share, chunks, random))
  const terms = lists.map((_, rank) => Buffer.from(termOf(rank)))
  const documents = Math.ceil(chunks / chunksOfDocument)
  const docIds = Array.from({ length: documents }, (_, at) => Buffer.from(`doc-${at}`))
  const segment = createSegment({
    documents,
    chunks,
    terms: terms.length,
    postings: sumOf(lists),
    docIdBytes: sumOf(docIds),
    termBytes: sumOf(terms),
    tokens: 0,
  })
  place(terms, segment.termStart, segment.termBytes)
  place(docIds, segment.docIdStart, segment.docIdBytes)
  place(lists, segment.postingStart, segment.postings)
  for (let at = 0; at < documents; at++) {
    segment.documentIds[at] = firstId + at
    segment.firstChunk[at + 1] = Math.min((at + 1) * chunksOfDocument, chunks)
  }
  for (let at = 0; at < chunks; at++)
    segment.chunkLength[at] = at % chunksOfDocument === 9 ? 10 + random() * 60 : 80 + random() * 40
  placeBlocks(segment)
  return segment
}

/** Queries of 3 to 8 words by their frequency. */
export function syntheticQueries(count: number, random: Random): readonly (readonly string[])[] {
  const sums: number[] = []
  for (const share of wordShares()) sums.push((sums.at(-1) ?? 0) + share)
  const rank = (): number => {
    const wanted = random()
    return sums.findIndex((sum) => sum >= wanted)
  }
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 + Math.floor(random() * 6) }, () => termOf(Math.max(rank(), 0))),
  )
}

/** In the order of their bytes. */
function termOf(rank: number): string {
  return `w${String(rank).padStart(5, '0')}`
}

function wordShares(): readonly number[] {
  const weights = Array.from({ length: vocabularySize }, (_, rank) => 1 / (rank + 8) ** 1.05)
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** One in ten chunks has the word in its title, which counts four times. */
function postingsOf(share: number, chunks: number, random: Random): Uint32Array {
  const postings: number[] = []
  const perStep = 1 / Math.log(1 - share)
  for (let chunk = step(random, perStep) - 1; chunk < chunks; chunk += step(random, perStep)) {
    const weight = 1 + Math.floor(random() ** 6 * 4) + (random() < 0.1 ? 4 : 0)
    postings.push(((chunk << 8) | weight) >>> 0)
  }
  return Uint32Array.from(postings)
}

/** Chunks to the next one with the word. */
function step(random: Random, perStep: number): number {
  return 1 + Math.floor(Math.log(1 - random()) * perStep)
}

function sumOf(lists: readonly { readonly length: number }[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0)
}

function place<List extends Uint8Array | Uint32Array>(lists: readonly List[], start: Uint32Array, target: List): void {
  let at = 0
  for (const [index, list] of lists.entries()) {
    start[index] = at
    target.set(list, at)
    at += list.length
  }
  start[lists.length] = at
}
