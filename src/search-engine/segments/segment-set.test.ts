import fc from 'fast-check'
import { expect, test } from 'vitest'
import { b, k1For } from '../ranking/bm25.ts'
import type { QueryTerm } from '../ranking/query-term.ts'
import type { TermPair } from '../ranking/term-pairs.ts'
import { buildSegment, type ChunkTerms, type DocumentTerms } from './build-segment.ts'
import { fingerprintsOf } from './fingerprints.ts'
import { mergeSegments } from './merge-segments.ts'
import { openSegment, type Segment } from './segment.ts'
import { SegmentSet } from './segment-set.ts'

const words = ['net', 'сеть', 'error', 'err-42', 'printer', 'принтер', 'a', '漢字', 'zz']
const weights = fc.dictionary(fc.constantFrom(...words), fc.integer({ min: 1, max: 300 }), { maxKeys: 5 })
/** Weights of a chunk's terms, and an order of them in up to three fields. */
interface Content {
  readonly weights: Readonly<Record<string, number>>
  readonly order: readonly (readonly number[])[]
  readonly letters: Readonly<Record<string, number>>
  readonly stopWords: readonly string[]
}
const chunk: fc.Arbitrary<Content> = fc.record({
  weights,
  order: fc.array(fc.array(fc.nat(), { maxLength: 30 }), { maxLength: 3 }),
  letters: fc.dictionary(fc.constantFrom('漢', 'a'), fc.integer({ min: 1, max: 300 })),
  stopWords: fc.subarray(['~the', '~of']),
})
/** Few doc_ids of few shapes, so that equal scores are common and the tie has to be broken. */
const content = fc.record({
  docId: fc.constantFrom('a', 'b', 'б', 'B', 'aa'),
  chunks: fc.array(chunk, { maxLength: 4 }),
})

/** One step in the life of an index of one collection. `which` chooses among the documents that are there. */
type Step =
  | { readonly kind: 'add'; readonly documents: readonly { docId: string; chunks: readonly Content[] }[] }
  | { readonly kind: 'remove'; readonly which: number }
  | { readonly kind: 'merge' }
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      documents: fc.array(content, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const) }) },
)
const query = fc
  .uniqueArray(fc.constantFrom(...words, 'absent', '~the', '~of', '漢'), { minLength: 1, maxLength: 4 })
  .chain((terms) =>
    fc.tuple(...terms.map((term) => fc.record({ term: fc.constant(term), count: fc.integer({ min: 1, max: 3 }) }))),
  )

/** Each term and the one after it. */
function pairsOf(terms: readonly QueryTerm[]): readonly TermPair[] {
  return terms.slice(1).map(({ term }, at) => [terms[at]?.term ?? '', term])
}

test('the index ranks every state of its collection exactly as the formula read from the page does, however its segments lie (issue 11, 3.6)', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), query, fc.integer({ min: 1, max: 8 }), (steps, terms, k) => {
      const life = live(steps)
      for (const { position, documents } of life.states) {
        const options = { k, pairs: pairsOf(terms) }
        const { ranked } = life.index.search({ position, collectionIds: [1], terms, options })
        expect(ranked.map(identity)).toEqual(naiveRanking(documents, terms).slice(0, k).map(identity))
      }
    }),
  )
})

test('what may be found is what a ranking without limits would leave after the others are struck out', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 10 }), query, fc.nat({ max: 255 }), (steps, terms, bits) => {
      const life = live(steps)
      const last = life.states.at(-1)
      const allowed = (last?.documents ?? []).map(({ id }) => id).filter((id) => (bits >> (id % 8)) & 1)
      const search = { position: last?.position ?? 0, collectionIds: [1], terms }
      const pairs = pairsOf(terms)
      const all = life.index.search({ ...search, options: { k: 1_000, pairs } })
      const some = life.index.search({ ...search, options: { k: 3, pairs, allowed: Float64Array.from(allowed) } })
      expect(some.ranked).toEqual(all.ranked.filter(({ documentId }) => allowed.includes(documentId)).slice(0, 3))
      expect(some.statistics).toEqual(all.statistics)
    }),
  )
})

test('hidden documents change nothing: what is found, and every statistic, is that of an index of the visible documents alone (issue 8, A1)', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), query, fc.nat({ max: 255 }), (steps, terms, bits) => {
      const life = live(steps)
      for (const { position, documents } of life.states) {
        const visible = documents.filter(({ id }) => (bits >> (id % 8)) & 1)
        const documentIds = Float64Array.from(visible, ({ id }) => id).sort()
        const options = { k: 1_000, explain: true, pairs: pairsOf(terms) }
        const limited = life.index.search({
          position,
          collectionIds: [1],
          terms,
          options,
          visible: { collectionIds: [1], documentIds },
        })
        const alone = new SegmentSet()
        const { buffer } = buildSegment(visible)
        alone.apply({
          position: 1,
          keepFrom: 1,
          segments: [{ collectionId: 1, segmentId: 'alone', buffer }],
          added: [],
          removed: [],
          dropped: [],
        })
        expect(limited).toEqual(alone.search({ position: 1, collectionIds: [1], terms, options }))
      }
    }),
  )
})

test('what is kept for the next search of the same documents changes no result, whichever state was searched before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), query, fc.nat({ max: 255 }), (steps, terms, bits) => {
      const { states, index } = live(steps)
      for (const [key, { documents }] of states.entries()) {
        const visible = documents.filter(({ id }) => (bits >> (id % 8)) & 1)
        const documentIds = Float64Array.from(visible, ({ id }) => id).sort()
        // A search that does not wait reads an earlier state than that of the rights.
        for (const { position } of [...states, ...states.toReversed()]) {
          const search = { position, collectionIds: [1], terms, options: { k: 1_000 } }
          const again = { ...search, visible: { collectionIds: [1], documentIds, key } }
          expect(index.search(again)).toEqual(index.search({ ...search, visible: { collectionIds: [1], documentIds } }))
        }
      }
    }),
  )
})

test('what the terms add, near words among it, sums up to the score', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), query, (steps, terms) => {
      const life = live(steps)
      const position = life.states.at(-1)?.position ?? 0
      const options = { k: 100, explain: true, pairs: pairsOf(terms) }
      const { ranked, explained } = life.index.search({ position, collectionIds: [1], terms, options })
      const sums = (explained ?? []).map((scores) => scores.reduce((sum, score) => sum + score, 0).toPrecision(9))
      expect(sums).toEqual(ranked.map(({ score }) => score.toPrecision(9)))
    }),
  )
})

const netChunk: ChunkTerms = { weights: new Map([['net', 1]]), fields: [['net']] }

test('documents of a collection that is not limited are all visible, beside one that is (issue 8, A1)', () => {
  const index = new SegmentSet()
  const segmentOf = (id: number) => buildSegment([{ id, docId: `d${id}`, chunks: [netChunk] }]).buffer
  index.apply({
    position: 1,
    keepFrom: 1,
    segments: [
      { collectionId: 1, segmentId: 'open', buffer: segmentOf(1) },
      { collectionId: 2, segmentId: 'bound', buffer: segmentOf(2) },
    ],
    added: [],
    removed: [],
    dropped: [],
  })
  const search = { position: 1, collectionIds: [1, 2], terms: [{ term: 'net', count: 1 }], options: { k: 5 } }
  const visible = { collectionIds: [2], documentIds: new Float64Array() }
  const { ranked, statistics } = index.search({ ...search, visible })
  expect(ranked.map(({ documentId }) => documentId)).toEqual([1])
  expect(statistics).toMatchObject({ chunks: 1, terms: [{ term: 'net', chunks: 1 }] })
})

test('a state of the future is an error, not a result', () => {
  expect(() => new SegmentSet().search({ position: 1, collectionIds: [], terms: [], options: { k: 1 } })).toThrow(
    'the index is at 0, the search at 1',
  )
})

test('a collection that was dropped is still there for who asked before, and forgotten when nobody can ask any more', () => {
  const index = new SegmentSet()
  const segment = buildSegment([{ id: 1, docId: 'a', chunks: [netChunk] }])
  const nothing = { segments: [], added: [], removed: [], dropped: [] }
  index.apply({
    ...nothing,
    position: 1,
    keepFrom: 0,
    segments: [{ collectionId: 1, segmentId: 's', buffer: segment.buffer }],
  })
  index.apply({ ...nothing, position: 2, keepFrom: 1, dropped: [{ collectionId: 1, position: 2 }] })
  const found = (position: number) =>
    index.search({ position, collectionIds: [1], terms: [{ term: 'net', count: 1 }], options: { k: 1 } }).ranked.length
  expect(found(1)).toBe(1)
  index.apply({ ...nothing, position: 3, keepFrom: 2 })
  expect(found(3)).toBe(0)
})

test('bytes that are not a segment are rejected', () => {
  const { buffer } = buildSegment([])
  expect(openSegment(buffer).documentCount).toBe(0)
  expect(() => openSegment(buffer.slice(0, 10))).toThrow('too short')
  expect(() => openSegment(new SharedArrayBuffer(128))).toThrow('no index segment of this layout')
  const longer = new SharedArrayBuffer(buffer.byteLength + 8)
  new Uint8Array(longer).set(new Uint8Array(buffer))
  expect(() => openSegment(longer)).toThrow('another length')
})

/** Weights apart from the order: a term may be heavier than it is frequent (titles), and the index takes each as it is. */
function chunkOf({ weights, order, letters, stopWords }: Content): ChunkTerms {
  const terms = Object.keys(weights)
  const fields = order.map((field) => field.flatMap((number) => terms[number % Math.max(terms.length, 1)] ?? []))
  const loose = { letters: new Map(Object.entries(letters)), stopWords: new Set(stopWords) }
  return { weights: new Map(Object.entries(weights)), fields, ...loose }
}

test('stop words of many chunks are the same after every merge, whether they are few or many of them (issue 11, 3.5)', () => {
  const documentOf = (id: number): DocumentTerms => {
    const stopWords = ['~the', '~of', '~to'].filter((_, word) => id % ([1, 3, 97][word] ?? 1) === 0)
    return { id, docId: `d${id}`, chunks: [{ ...netChunk, stopWords: new Set(stopWords) }] }
  }
  const documents = Array.from({ length: 300 }, (_, at) => documentOf(at + 1))
  const parts = [documents.slice(0, 150), documents.slice(150, 160), documents.slice(160)].map(buildSegment)
  const merged = fingerprintsOf(mergeSegments(parts, new Set([5, 6])))
  const whole = fingerprintsOf(buildSegment(documents.filter(({ id }) => id !== 5 && id !== 6)))
  for (const id of whole.documentIds()) expect(merged.of(id)).toBe(whole.of(id))
  const fewLeft = mergeSegments([mergeSegments(parts, new Set())], new Set(documents.slice(10).map(({ id }) => id)))
  expect(fewLeft.buffer).toEqual(buildSegment(documents.slice(0, 10)).buffer)
})

interface State {
  readonly position: number
  readonly documents: readonly DocumentTerms[]
}

/** Lives through the steps; every state stays searchable, because `keepFrom` stays behind. */
function live(steps: readonly Step[]): { readonly index: SegmentSet; readonly states: readonly State[] } {
  const index = new SegmentSet()
  const states: State[] = []
  const segments = new Map<string, Segment>()
  let position = 0
  let nextId = 1
  for (const step of steps) {
    const before = states.at(-1)?.documents ?? []
    if (step.kind === 'merge') {
      const merged = mergeSegments([...segments.values()], new Set())
      const after = { collectionId: 1, segmentId: `merged ${states.length} ${segments.size}`, buffer: merged.buffer }
      index.swap({ collectionId: 1, before: [...segments.keys()], after: [after], at: null })
      segments.clear()
      segments.set(after.segmentId, merged)
      continue
    }
    position++
    const change = { position, keepFrom: 0, segments: [], added: [], removed: [], dropped: [] }
    const gone = step.kind === 'remove' ? before[step.which % Math.max(before.length, 1)] : undefined
    if (step.kind === 'add') {
      const documents = step.documents.map(({ docId, chunks }) => ({
        id: nextId++,
        docId,
        chunks: chunks.map(chunkOf),
      }))
      const segment = buildSegment(documents)
      const segmentId = `s${position}`
      segments.set(segmentId, segment)
      index.apply({
        ...change,
        segments: [{ collectionId: 1, segmentId, buffer: segment.buffer }],
        added: documents.map(({ id }) => ({ collectionId: 1, documentId: id, position })),
      })
      states.push({ position, documents: [...before, ...documents] })
    } else {
      index.apply({
        ...change,
        removed: gone === undefined ? [] : [{ collectionId: 1, documentId: gone.id, position }],
      })
      states.push({ position, documents: before.filter((document) => document !== gone) })
    }
  }
  return { index, states }
}

interface Ranked {
  readonly documentId: number
  readonly chunkIndex: number
  readonly score: number
}

/** Scores are compared to nine digits: the order of a sum may differ, the ranking may not. */
function identity({ documentId, chunkIndex, score }: Ranked) {
  return { documentId, chunkIndex, score: score.toPrecision(9) }
}

/** docs/decisions/0018: BM25 with k1 by the words of the query, and a share for words of the query that are near each other. */
function naiveRanking(documents: readonly DocumentTerms[], terms: readonly QueryTerm[]): readonly Ranked[] {
  const chunks = documents.flatMap(({ id, docId, chunks }) =>
    chunks.map(({ weights, letters, stopWords, fields }, chunkIndex) => {
      const kept = new Map<string, number>()
      for (const [term, weight] of [...weights, ...(letters ?? [])])
        kept.set(term, Math.min((kept.get(term) ?? 0) + weight, 255))
      for (const term of stopWords ?? []) kept.set(term, 1)
      return {
        id,
        docId,
        chunkIndex,
        weights: kept,
        fields,
        length: [...weights.values()].reduce((sum, weight) => sum + Math.min(weight, 255), 0),
      }
    }),
  )
  const average = chunks.reduce((sum, { length }) => sum + length, 0) / chunks.length || 1
  const rarityOf = (term: string): number => {
    const holding = chunks.filter(({ weights }) => weights.has(term)).length
    return holding === 0 ? 0 : Math.log(1 + (chunks.length - holding + 0.5) / (holding + 0.5))
  }
  const k1 = k1For(terms.filter(({ term }) => rarityOf(term) > 0).length)
  const scored = chunks.map((chunk) => {
    let score = 0
    for (const { term, count } of terms) {
      const times = chunk.weights.get(term) ?? 0
      const rarity = rarityOf(term)
      score += (count * rarity * times * (k1 + 1)) / (times + k1 * (1 - b + (b * chunk.length) / average))
    }
    for (const [one, other] of pairsOf(terms)) {
      const near = chunk.fields.reduce((sum, field) => sum + placesNear(field, one, other), 0)
      score += (0.24 * Math.min(rarityOf(one), rarityOf(other)) * near) / (near + 1)
    }
    return { ...chunk, documentId: chunk.id, score }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort(
      (x, y) =>
        tie(y.score - x.score, x.score) || compareText(x.docId, y.docId) || x.id - y.id || x.chunkIndex - y.chunkIndex,
    )
}

/** How often one of two terms follows the last place of the other within eight words. */
function placesNear(field: readonly string[], one: string, other: string): number {
  return field.filter((term, place) => {
    const partner = term === one ? other : term === other ? one : undefined
    const before = partner === undefined ? -1 : field.lastIndexOf(partner, place - 1)
    return place > 0 && before >= 0 && place - before < 8
  }).length
}

/** Sums in another order differ in the last digits: so near counts as equal. */
function tie(difference: number, score: number): number {
  return Math.abs(difference) < score * 1e-12 ? 0 : difference
}

function compareText(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
