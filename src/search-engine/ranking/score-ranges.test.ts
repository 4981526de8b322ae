import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment, type ChunkTerms, type DocumentTerms } from '../segments/build-segment.ts'
import { mergeSegments } from '../segments/merge-segments.ts'
import { hashOfBytes, tokenOf } from '../segments/segment.ts'
import { SegmentSet } from '../segments/segment-set.ts'
import { type Ranking, type RankOptions, rankChunks } from './rank-chunks.ts'
import type { SearchedPart } from './score-part.ts'

const words = ['net', 'сеть', 'error', 'err-42', 'printer', 'принтер', 'tray', 'toner', 'cable', 'gate', 'zz', '漢字']
const tokenIn = (word: string): number => tokenOf(hashOfBytes(Buffer.from(word), 0, Buffer.byteLength(word)))
/** Another word with the token of `toner`: the order of words does not tell them apart. */
const twin = Array.from({ length: 1_000_000 }, (_, at) => `w${at}`).find((word) => tokenIn(word) === tokenIn('toner'))
if (twin !== undefined) words.splice(1, 0, twin)
const stopWords = ['~the', '~of']

/** The same numbers for the same seed: a corpus of a thousand chunks is one number, which fast-check can make smaller. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Word n is in about a chunk of n + 1, and weighs much in few of them. Some documents are about one word. */
function chunkOf(random: () => number, subject: number): ChunkTerms {
  const text = words.flatMap((word, at) => {
    const times = at === subject || random() < 1 / (at + 1) ** 1.5 ? 1 + Math.floor(random() ** 4 * 12) : 0
    return Array.from({ length: times }, () => word)
  })
  const shuffled = text.map((word) => ({ word, at: random() })).sort((one, other) => one.at - other.at)
  const weights = new Map<string, number>()
  for (const word of text) weights.set(word, Math.min((weights.get(word) ?? 0) + 1, 255))
  return {
    weights,
    fields: [shuffled.map(({ word }) => word)],
    stopWords: new Set(stopWords.filter((_, at) => random() < (at === 0 ? 0.9 : 0.02))),
  }
}

function corpusOf(seed: number, documents: number): readonly DocumentTerms[] {
  const random = generator(seed)
  return Array.from({ length: documents }, (_, at) => {
    const subject = random() < 0.2 ? Math.floor(random() * words.length) : -1
    const chunks = Array.from({ length: Math.floor(random() * 9) }, () => chunkOf(random, subject))
    // Equal names in different documents: the id decides the order.
    return { id: at + 1, docId: `d${at % 7}`, chunks }
  })
}

const corpus = fc.record({ seed: fc.integer(), documents: fc.integer({ min: 0, max: 300 }) })
const query = fc
  .uniqueArray(fc.constantFrom(...words, ...stopWords, 'absent'), { minLength: 1, maxLength: 6 })
  .chain((terms) =>
    fc.tuple(...terms.map((term) => fc.record({ term: fc.constant(term), count: fc.integer({ min: 1, max: 2 }) }))),
  )
const phrases = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.subarray(words, { minLength: 1, maxLength: 2 }).map((phrase) => [[phrase]]) },
)
const share = fc.constantFrom(0.01, 0.3, 0.9, 1)
const limits = fc.record({ visible: share, removed: fc.constantFrom(0, 0, 0.3), allowed: share })

/** A search that skips, and the same one that reads all. */
const searches = (corpora: typeof corpus) =>
  fc.property(
    corpora,
    query,
    phrases,
    limits,
    fc.constantFrom(1, 2, 10, 50, 1_000),
    fc.integer({ min: 1, max: 4 }),
    fc.boolean(),
    ({ seed, documents: count }, terms, phrases, { visible, removed, allowed }, k, segments, isMerged) => {
      const documents = corpusOf(seed, count)
      const random = generator(seed + 1)
      const idsOf = (part: number): Float64Array =>
        Float64Array.from(documents.filter(() => random() < part).map(({ id }) => id))
      const index = new SegmentSet()
      const parts = [...Map.groupBy(documents, ({ id }) => id % segments).values()].map(buildSegment)
      const held = isMerged ? [mergeSegments(parts, new Set())] : parts
      index.apply({
        position: 1,
        keepFrom: 1,
        segments: held.map(({ buffer }, at) => ({ collectionId: 1, segmentId: `s${at}`, buffer })),
        added: [],
        removed: [...idsOf(removed)].map((documentId) => ({ collectionId: 1, documentId, position: 1 })),
        dropped: [],
      })
      const options: RankOptions = {
        k,
        explain: true,
        pairs: terms.slice(1).map(({ term }, at) => [terms[at]?.term ?? '', term] as const),
        phrases,
        ...(allowed === 1 ? {} : { allowed: idsOf(allowed) }),
      }
      const limited = visible === 1 ? {} : { visible: { collectionIds: [1], documentIds: idsOf(visible) } }
      const search = (skipFrom: number): Ranking =>
        index.search({ position: 1, collectionIds: [1], terms, options: { ...options, skipFrom }, ...limited })
      expect(JSON.stringify(search(0))).toBe(JSON.stringify(search(Number.POSITIVE_INFINITY)))
    },
  )

test('a search that skips ranges of chunks gives the same response, byte for byte, as one that reads all (issue 14, pruning)', () => {
  fc.assert(searches(corpus), { numRuns: 300 })
})

test('so does a search of a segment of several windows (issue 14, pruning)', () => {
  const large = fc.record({ seed: fc.integer(), documents: fc.integer({ min: 2_000, max: 4_000 }) })
  fc.assert(searches(large), { numRuns: 12 })
})

test('a search of a rare word and a common one reads few postings of the common one (issue 14, pruning)', () => {
  const documents = Array.from({ length: 20_000 }, (_, at): DocumentTerms => {
    const weights = new Map([['net', 1 + (at % 2)], ...(at % 1_000 === 7 ? ([['toner', 2]] as const) : [])])
    return { id: at + 1, docId: `d${at}`, chunks: [{ weights, fields: [[...weights.keys()]] }] }
  })
  const segment = buildSegment(documents)
  const length = segment.chunkLength.reduce((sum, units) => sum + units, 0)
  const parts: readonly SearchedPart[] = [{ segment, hidden: null, chunks: segment.chunkCount, length }]
  const terms = ['net', 'toner'].map((term) => ({ term, count: 1 }))
  const search = (skipFrom: number) => {
    const work = { postings: 0, ranges: 0, skippedRanges: 0 }
    const { ranked } = rankChunks(parts, terms, { k: 10, skipFrom, work })
    return { ranked, work }
  }
  const all = search(Number.POSITIVE_INFINITY)
  const some = search(0)
  expect(some.ranked).toEqual(all.ranked)
  expect(all.work.postings).toBe(20_020)
  expect(some.work.ranges).toBeLessThanOrEqual(20)
  expect(some.work.skippedRanges).toBeGreaterThan(290)
  expect(some.work.postings).toBeLessThan(3_000)
})

test('a chunk that gets close words by an equal token, without a term of the pair, is not skipped (issue 14, pruning)', () => {
  const other = twin ?? ''
  const chunkAt = (at: number): ChunkTerms => {
    if (at === 500)
      return {
        weights: new Map([
          ['tray', 1],
          [other, 11],
        ]),
        fields: [['tray', other, other]],
      }
    const word = at < 16 ? 'tray' : at === 600 ? 'toner' : 'net'
    return {
      weights: new Map([
        ['pad', 9],
        [word, 1],
      ]),
      fields: [['pad', word]],
    }
  }
  const segment = buildSegment(
    Array.from({ length: 640 }, (_, at) => ({ id: at + 1, docId: `d${at}`, chunks: [chunkAt(at)] })),
  )
  const length = segment.chunkLength.reduce((sum, units) => sum + units, 0)
  const parts: readonly SearchedPart[] = [{ segment, hidden: null, chunks: segment.chunkCount, length }]
  const terms = ['tray', 'toner'].map((term) => ({ term, count: 1 }))
  const search = (skipFrom: number) => rankChunks(parts, terms, { k: 10, pairs: [['tray', 'toner']], skipFrom }).ranked
  expect(search(0)).toEqual(search(Number.POSITIVE_INFINITY))
  expect(search(0).map(({ documentId }) => documentId)).toContain(501)
})
