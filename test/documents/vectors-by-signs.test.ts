import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeRandom } from '../../bench/search/corpus.ts'
import { fillVectors } from '../../bench/search/fill-vectors.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type Search, type SearchFound, searchDocuments } from '../../src/documents/search-documents.ts'
import { similarityOf, unitLength } from '../../src/embeddings/similarity.ts'
import { sql } from '../../src/kernel/sql.ts'
import { callerWith, documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const length = 64
const count = 4_500
/** Most of them are in a file. */
const vectors = { kind: 'built-in', minApproximate: 3_000, memoryBytes: 1_000 * length } as const
const reader = callerWith(['document_reader'])
const readable = ['r1', 'r2', 'r3']
/** Most of its similarity is in one number: the sum of many small ones. */
const query = vectorOf(30, () => 1)
/** The nearest by far, and its signs are those of the query in one number only. */
const nearestOfOtherSigns = vectorOf(30, () => -1)

/** A server with 4,500 vectors that all readers see, and a bound collection with hidden documents. */
interface Server {
  readonly fresh: FreshDatabase
  readonly deps: TestDocumentDeps
  readonly exact: TestDocumentDeps
}
let one: Server
let other: Server
let stored: readonly Float32Array[]

beforeAll(async () => {
  one = await serverWith(40)
  other = await serverWith(0)
})
afterAll(async () => {
  for (const { fresh, deps, exact } of [one, other]) {
    await deps.close()
    await exact.close()
    await fresh.drop()
  }
})

test('who sees a large collection whole finds at least 98 of 100 of the nearest, under any filter (issue 14)', async () => {
  const random = makeRandom(5)
  const units = stored.map(unitLength)
  const found = async (deps: TestDocumentDeps, vector: Float32Array, below: number) =>
    idsOf(await search(deps, { vector, filter: `part<${below}`, collectionNames: ['vectors'] }))
  for (const below of [1_000, 500, 150, 20, 1]) {
    let [hits, wanted] = [0, 0]
    for (let round = 0; round < 10; round++) {
      const vector = drawAround(random)
      const expected = nearestOf(units, vector, (at) => partOf(at) < below).slice(0, 10)
      const ids = await found(one.deps, vector, below)
      hits += expected.filter((id) => ids.includes(id)).length
      wanted += expected.length
      expect(await found(one.exact, vector, below)).toEqual(expected)
    }
    expect(hits).toBeGreaterThanOrEqual(wanted * 0.98)
  }
})

test('hidden vectors decide nothing: with a bound collection among the searched ones, the search is exact (issue 14)', async () => {
  const both = { vector: query, collectionNames: ['bound', 'vectors'] }
  await load(one.deps, { collectionName: 'vectors', docId: 'far', vector: nearestOfOtherSigns })
  await load(other.deps, { collectionName: 'vectors', docId: 'far', vector: nearestOfOtherSigns })
  // By signs, it is not among those that are compared.
  expect(idsOf(await search(one.deps, { ...both, collectionNames: ['vectors'] }))).not.toContain('far')
  expect(idsOf(await search(one.exact, { ...both, collectionNames: ['vectors'] }))[0]).toBe('far')
  const found = await search(one.deps, both)
  expect(found).toEqual(await search(other.deps, both))
  expect(found).toEqual(await search(one.exact, both))
  expect(idsOf(found)).toContain('far')
  expect(idsOf(found)).toContain('r1')
})

test('a vector that was just loaded, replaced or deleted counts at once in a search by signs (issue 14)', async () => {
  const fresh = unitLength(drawAround(makeRandom(99)))
  const found = async () => (await search(one.deps, { vector: fresh, collectionNames: ['vectors'] })).hits[0]
  await load(one.deps, { collectionName: 'vectors', docId: 'new', vector: fresh })
  expect(await found()).toMatchObject({ docId: 'new', score: similarityOf(fresh, unitLength(fresh)) })
  await load(one.deps, { collectionName: 'vectors', docId: 'new', vector: fresh.map((number) => -number) })
  expect((await found())?.docId).not.toBe('new')
  await load(one.deps, { collectionName: 'vectors', docId: 'new', vector: fresh })
  expect(await found()).toMatchObject({ docId: 'new' })
  await deleteDocument(one.deps, documentAdmin, 'vectors', 'new')
  expect((await found())?.docId).not.toBe('new')
})

test('a hybrid search by signs returns what a comparison of all vectors returns, also with explanations and filters (issue 14)', async () => {
  const random = makeRandom(11)
  for (const filter of ['', 'part<500', 'part<20'])
    for (let round = 0; round < 5; round++) {
      // The words of documents that are among the nearest, of others, and of every document.
      const vector = drawAround(random)
      const near = idsOf(await search(one.exact, { vector, k: 80, collectionNames: ['vectors'] }))
      const query = `number ${near[3]} ${near[40]} ${near[75]} v${round}`
      const requested = { query, vector, filter, mode: 'hybrid', collectionNames: ['vectors'], explain: true } as const
      const [bySigns, exact] = [await explained(one.deps, requested), await explained(one.exact, requested)]
      expect(bySigns).toEqual(exact)
      const others = await explained(one.deps, { ...requested, explain: false })
      expect(others.map(({ docId, score }) => ({ docId, score }))).toEqual(
        exact.map(({ docId, score }) => ({ docId, score })),
      )
    }
})

test('a search by vectors returns the same whether or not it also explains the words (issue 14)', async () => {
  const random = makeRandom(12)
  for (const filter of ['', 'part<500', 'part=7']) {
    const requested = { query: 'number v17 nummer', vector: drawAround(random), filter, collectionNames: ['vectors'] }
    const plain = await whenBuilt(() => searchDocuments(one.deps, reader, { ...requested, k: 10, mode: 'vector' }))
    const all = await whenBuilt(() =>
      searchDocuments(one.deps, reader, { ...requested, k: 10, mode: 'vector', explain: true }),
    )
    const withoutRanks = all.hits.map((hit) => ({ ...hit, explanation: null, ranks: null }))
    expect(plain).toEqual({ ...all, hits: withoutRanks })
  }
})

test('deleted documents among the nearest take no rank of a hybrid search (issue 14)', async () => {
  const vector = drawAround(makeRandom(13))
  const requested = { query: 'number v4', vector, mode: 'hybrid', collectionNames: ['vectors'], explain: true } as const
  const ranked = idsOf(await search(one.exact, { vector, k: 60, collectionNames: ['vectors'] }))
  for (const docId of ranked.slice(2, 50)) await deleteDocument(one.deps, documentAdmin, 'vectors', docId)
  const left = await explained(one.deps, { ...requested, k: 100 })
  expect(left).toEqual(await explained(one.exact, { ...requested, k: 100 }))
  const ten = await explained(one.deps, requested)
  expect(ten).toEqual(await explained(one.exact, requested))
  expect(ten.map(({ ranks }) => ranks?.vector)).toEqual(expect.arrayContaining([1, 2, 3]))
  expect(ten.map(({ docId }) => docId)).toContain(ranked[50])
})

test('of a thousand vectors that are nearly equal, the nearest are found (issue 14)', async () => {
  const random = makeRandom(3)
  const boilerplate = drawAround(random)
  const similar = () => boilerplate.map((number) => number + 0.03 * (random() - 0.5))
  let drawn = 0
  const fresh = await freshDatabase()
  const units = await fillVectors(fresh.database, {
    count: 3_500,
    length,
    draw: () => (drawn++ % 3 === 0 ? similar() : drawAround(random)),
  })
  await using closing = new AsyncDisposableStack()
  closing.defer(() => fresh.drop())
  const deps = await openDocumentDeps(fresh, { vectors })
  closing.defer(() => deps.close())
  let found = 0
  for (let round = 0; round < 20; round++) {
    const vector = similar()
    const ids = idsOf(await search(deps, { vector, collectionNames: ['vectors'] }))
    const expected = nearestOf(units.map(unitLength), vector, () => true).slice(0, 10)
    found += expected.filter((id) => ids.includes(id)).length
  }
  expect(found).toBeGreaterThanOrEqual(196)
})

test('documents that were just deleted take no place from visible ones, however many and however near', async () => {
  const random = makeRandom(7)
  const wanted = vectorOf(1, () => 1)
  const drawn = [
    // Their signs are those of the query, their similarity is small.
    ...Array.from({ length: 3_000 }, () => vectorOf(1, () => (random() < 0.1 ? 5 : 0.1))),
    ...Array.from({ length: 250 }, () => vectorOf(1, () => 0.05 + 2 * random())),
    // The nearest differs from the query in five signs.
    vectorOf(1, (at) => (at <= 5 ? -0.01 : 1)),
    ...Array.from({ length: 2_500 }, () => drawAround(random)),
  ]
  const fresh = await freshDatabase()
  await using closing = new AsyncDisposableStack()
  closing.defer(() => fresh.drop())
  let at = 0
  await fillVectors(fresh.database, { count: drawn.length, length, draw: () => drawn[at++] ?? wanted })
  const deps = await openDocumentDeps(fresh, { vectors })
  closing.defer(() => deps.close())
  const found = async () => idsOf(await search(deps, { vector: wanted, collectionNames: ['vectors'] }))
  // By signs, it is not among those that are compared, as long as the many are there.
  expect(await found()).not.toContain('v3250')
  await fresh.database.rows(sql`
    select docket_documents.remove_document(d.collection_id, d.doc_id, localtimestamp) from docket_documents.document d
    where substring(d.doc_id from 2)::integer < 3000`)
  await deps.index.refresh()
  const units = drawn.map(unitLength)
  expect(await found()).toEqual(nearestOf(units, wanted, (each) => each >= 3_000).slice(0, 10))
})

test('of vectors without any structure, too, the nearest that pass a filter are found (issue 14)', async () => {
  const random = makeRandom(21)
  // Signs say little about which of these are near.
  const draw = () => vectorOf(random() - 0.5, () => random() - 0.5)
  const fresh = await freshDatabase()
  await using closing = new AsyncDisposableStack()
  closing.defer(() => fresh.drop())
  const units = (await fillVectors(fresh.database, { count: 12_000, length, draw })).map(unitLength)
  const deps = await openDocumentDeps(fresh, { vectors })
  closing.defer(() => deps.close())
  for (const share of [500, 250, 140, 100, 50, 10]) {
    let [hits, wanted] = [0, 0]
    for (let round = 0; round < 8; round++) {
      const vector = draw()
      // Another filter each time: which documents pass is not known.
      const filter = `part>=${round}^part<${round + share}`
      const passes = (at: number) => partOf(at) >= round && partOf(at) < round + share
      const expected = nearestOf(units, vector, passes).slice(0, 10)
      const ids = idsOf(await search(deps, { vector, filter, collectionNames: ['vectors'] }))
      hits += expected.filter((id) => ids.includes(id)).length
      wanted += expected.length
    }
    expect(hits, `${share} of a thousand pass`).toBeGreaterThanOrEqual(wanted * 0.98)
  }
})

/** @param hidden documents of the bound collection that no reader sees */
async function serverWith(hidden: number): Promise<Server> {
  const fresh = await freshDatabase()
  const random = makeRandom(1)
  stored = await fillVectors(fresh.database, { count, length, draw: () => drawAround(random) })
  const readableRecords = async () => (id: unknown) => sql<boolean>`${id} = any (${readable}::text[])`
  const deps = await openDocumentDeps(fresh, { vectors, readableRecords })
  const exact = await openDocumentDeps(fresh, { vectors: { kind: 'built-in-exact' }, readableRecords })
  const bound = { aclTable: 'task', embeddingsModel: 'caller', vectorLength: length }
  await configureCollection(deps, documentAdmin, 'bound', bound)
  for (const docId of [...readable, ...Array.from({ length: hidden }, (_, at) => `h${at}`)])
    await load(deps, { collectionName: 'bound', docId, vector: vectorOf(30, (at) => (at % 8 === 0 ? 0 : 1)) })
  return { fresh, deps, exact }
}

async function load(
  deps: TestDocumentDeps,
  { collectionName, docId, vector }: { collectionName: string; docId: string; vector: Float32Array },
): Promise<void> {
  const metadata = { doc_id: docId, sys_id: docId }
  const sent = { collectionName, metadata, text: `document ${docId}`, vector: [...vector] }
  expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
}

async function search(deps: TestDocumentDeps, requested: Partial<Search>) {
  const plain = { query: '', k: 10, filter: '', mode: 'vector', collectionNames: [] } as const
  const { hits, warnings } = await whenBuilt(() => searchDocuments(deps, reader, { ...plain, ...requested }))
  return {
    hits: hits.map(({ collectionName, docId, score, text }) => ({ collectionName, docId, score, text })),
    warnings,
  }
}

/** What a response says of the order. */
async function explained(deps: TestDocumentDeps, requested: Partial<Search>) {
  const plain = { query: '', k: 10, filter: '', collectionNames: [] } as const
  const { hits } = await whenBuilt(() => searchDocuments(deps, reader, { ...plain, ...requested }))
  return hits.map(({ docId, score, relevance, ranks }) => ({ docId, score, relevance, ranks }))
}

/** The first search begins to read the vectors, and is rejected until they are in memory. */
async function whenBuilt(send: () => ReturnType<typeof searchDocuments>): Promise<SearchFound> {
  for (;;) {
    const response = await send()
    if (response.ok) return response.value
    if (response.error.kind !== 'index-building') throw new Error(JSON.stringify(response.error))
    await pause(50)
  }
}

function idsOf({ hits }: { readonly hits: readonly { readonly docId: string }[] }): readonly string[] {
  return hits.map(({ docId }) => docId)
}

function vectorOf(first: number, numberAt: (at: number) => number): Float32Array {
  return Float32Array.from({ length }, (_, at) => (at === 0 ? first : numberAt(at)))
}

/** Around one of 30 centres, as texts are about subjects. */
function drawAround(random: () => number): Float32Array {
  const centre = makeRandom(Math.floor(random() * 30) + 1_000)
  return Float32Array.from({ length }, () => centre() - 0.5 + 0.7 * (random() - 0.5))
}

/** The ids of the nearest by a plain comparison of all that pass, the nearest first. */
function nearestOf(
  units: readonly Float32Array[],
  vector: Float32Array,
  passes: (at: number) => boolean,
): readonly string[] {
  const unit = unitLength(vector)
  return units
    .map((each, at) => ({ at, similarity: passes(at) ? similarityOf(each, unit) : Number.NEGATIVE_INFINITY }))
    .filter(({ at }) => passes(at))
    .sort((a, b) => b.similarity - a.similarity)
    .map(({ at }) => `v${at}`)
}

/** As `fillVectors` writes it. */
function partOf(at: number): number {
  return ((at + 1) * 7_919) % 1_000
}
