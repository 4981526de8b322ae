import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { segmentTablesOf } from '../../src/config/segment-tables-of.ts'
import { readSettings } from '../../src/config/settings.ts'
import { type ChunkRows, movedSegment, wholeSegment } from '../../src/search-engine/lancedb/chunk-rows.ts'
import { ChunkTables } from '../../src/search-engine/lancedb/chunk-tables.ts'
import { LostTableError, TablesUnavailableError } from '../../src/search-engine/lancedb/connect-lance.ts'
import { fingerprintsOfRows } from '../../src/search-engine/lancedb/fingerprint-rows.ts'
import { importLance } from '../../src/search-engine/lancedb/import-lancedb.ts'
import { mergeTables } from '../../src/search-engine/lancedb/merge-tables.ts'
import { TableMover } from '../../src/search-engine/lancedb/move-segment.ts'
import { OpenTables } from '../../src/search-engine/lancedb/open-tables.ts'
import { rowsOf } from '../../src/search-engine/lancedb/rows-of-segment.ts'
import { searchTables } from '../../src/search-engine/lancedb/search-tables.ts'
import type { MoveRequest } from '../../src/search-engine/search-engine.ts'
import { buildSegment, type ChunkTerms, type DocumentTerms } from '../../src/search-engine/segments/build-segment.ts'
import { fingerprintsOf } from '../../src/search-engine/segments/fingerprints.ts'
import type { LexicalSearch, SegmentSwap } from '../../src/search-engine/segments/index-change.ts'
import { mergeFrames, mergeSegments, planMerged } from '../../src/search-engine/segments/merge-segments.ts'
import { openSegment, type Segment } from '../../src/search-engine/segments/segment.ts'
import { SegmentSet } from '../../src/search-engine/segments/segment-set.ts'
import { WriterIndex } from '../../src/search-engine/segments/writer-index.ts'
import { objectStoreSettings, startS3 } from '../harness/s3-stand-in.ts'

/**
 * A segment whose postings are in a table of LanceDB gives the response of a segment in memory, as long as LanceDB proposes every chunk
 * that matches: here at most so many.
 */
const words = [
  'net',
  'сеть',
  'error',
  'err-42',
  'printer',
  'принтер',
  'tray',
  'toner',
  'a:b',
  "it's",
  '漢字',
  `x${'y'.repeat(90)}`,
]
const stopWords = ['~the', '~of']
const documentsOfSegment = 60

let folder: string
let tables: ChunkTables
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-tables-'))
  tables = new ChunkTables({ uri: folder, storageOptions: {}, packageFolder: resolve('test/lancedb') })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The same numbers for the same seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function chunkOf(random: () => number): ChunkTerms {
  const text = words.flatMap((word, at) =>
    Array.from({ length: random() < 1 / (at + 1) ** 0.7 ? 1 + Math.floor(random() ** 4 * 12) : 0 }, () => word),
  )
  const weights = new Map<string, number>()
  for (const word of text) weights.set(word, (weights.get(word) ?? 0) + 1)
  const field = text.map((word) => ({ word, at: random() })).sort((one, other) => one.at - other.at)
  return {
    weights,
    fields: [['title'], field.map(({ word }) => word)],
    stopWords: new Set(stopWords.filter((_, at) => random() < (at === 0 ? 0.9 : 0.02))),
  }
}

function corpusOf(random: () => number, firstId: number): readonly DocumentTerms[] {
  return Array.from({ length: documentsOfSegment }, (_, at) => ({
    id: firstId + at,
    docId: `d${at % 7}`,
    chunks: Array.from({ length: Math.floor(random() * 5) }, () => chunkOf(random)),
  }))
}

const collectionId = 1
const change = { keepFrom: 0, segments: [], added: [], removed: [], dropped: [] }

function setOf(segments: readonly Segment[]): SegmentSet {
  const set = new SegmentSet()
  const named = segments.map(({ buffer }, at) => ({ collectionId, segmentId: `s${at}`, buffer }))
  set.apply({ ...change, position: 1, segments: named })
  return set
}

function searchesOf(random: () => number, count: number): readonly LexicalSearch[] {
  return Array.from({ length: count }, () => {
    const query = [...words, ...stopWords, 'tonr', 'absent'].filter(() => random() < 0.3)
    const terms = query.map((term, word) => ({
      term,
      count: 1 + Math.floor(random() * 2),
      word,
      ...(term === 'tonr' && { spelling: 'tonr' }),
      ...(term.startsWith('~') && { isLoose: true as const }),
    }))
    const pairs = query.slice(1).map((term, at) => [query[at] ?? '', term] as const)
    const allowed = Float64Array.from({ length: 100 }, () => 1 + Math.floor(random() * 130)).sort()
    return {
      position: 1,
      collectionIds: [collectionId],
      terms,
      options: {
        k: 1 + Math.floor(random() * 30),
        explain: true,
        pairs,
        ...(random() < 0.3 && { allowed: Float64Array.from(new Set(allowed)) }),
        ...(random() < 0.2 && { phrases: [[['net', 'error']]] }),
      },
    }
  })
}

test('a segment in a table is ranked as in memory: scores, order, explanations, corrections, removals and earlier states (issue 14, 5)', async () => {
  const random = generator(14)
  const whole = [1, 101].map((firstId) => buildSegment(corpusOf(random, firstId)))
  const [first, second] = whole as [Segment, Segment]
  const moved = movedSegment(first, await tables.write(first))
  expect(moved.buffer.byteLength).toBeLessThan(first.buffer.byteLength)
  const inMemory = setOf([first, second])
  const inTable = setOf([openSegment(moved.buffer), second])
  const compare = async (searches: readonly LexicalSearch[]): Promise<void> => {
    for (const search of searches)
      expect(await searchTables(() => inTable, tables, search)).toEqual(inMemory.search(search))
  }
  await compare(searchesOf(random, 60))
  const removed = [3, 7, 8, 20, 110].map((documentId) => ({ collectionId, documentId, position: 2 }))
  for (const set of [inMemory, inTable]) set.apply({ ...change, position: 2, removed })
  const searches = searchesOf(random, 60)
  await compare(searches)
  await compare(searches.map((search) => ({ ...search, position: 2 })))
  const restored = [3, 7].map((documentId) => ({ collectionId, documentId }))
  for (const set of [inMemory, inTable]) set.apply({ ...change, position: 3, keepFrom: 3, newHistory: { restored } })
  await compare(searchesOf(random, 30).map((search) => ({ ...search, position: 3 })))
}, 120_000)

/** Chunks with equal texts, whose doc_ids descend. LanceDB proposes the first of equal ones. */
function equalDocuments(firstId: number, count: number, word = 'net', named = firstId): readonly DocumentTerms[] {
  return Array.from({ length: count }, (_, at) => ({
    id: firstId + at,
    docId: `d${String(1_000_000 - named - at).padStart(7, '0')}`,
    chunks: [{ weights: new Map([[word, 1]]), fields: [[word]], stopWords: new Set<string>() }],
  }))
}

test('equal scores have the order of doc_ids over all tables and segments in memory, whatever LanceDB proposes (issue 14, 5)', async () => {
  const others = equalDocuments(20_001, 400, 'error')
  const whole = [
    // Their doc_ids are before those that LanceDB proposes of the next segment, and after those that it does not.
    buildSegment(equalDocuments(1, 300, 'net', 6_000)),
    buildSegment([...equalDocuments(5_001, 1_500), ...others]),
    buildSegment(equalDocuments(9_001, 20, 'net', 5_900)),
  ]
  const moved = await Promise.all(whole.map(async (each) => movedSegment(each, await tables.write(each))))
  const search = { position: 1, collectionIds: [collectionId], terms: [{ term: 'net', count: 1 }], options: { k: 10 } }
  for (const inTables of [[0, 1, 2], [1], [1, 2], [0, 1]]) {
    const set = setOf(whole.map((each, at) => (inTables.includes(at) ? (moved[at] ?? each) : each)))
    expect(await searchTables(() => set, tables, search)).toEqual(setOf(whole).search(search))
  }
}, 60_000)

test('a search that LanceDB does not settle reads page by page, whatever its phrase or filter (issue 14, 5)', async () => {
  const many = 30_000
  const rows = Array.from({ length: many }, (_, at): DocumentTerms => {
    // The phrase is in three chunks that are long and far behind by their scores.
    const isFound = at % 9_999 === 9_998
    const text = isFound ? ['net', 'error', ...Array.from({ length: 60 }, () => 'tray')] : ['error', 'net', 'net']
    const weights = new Map([...new Set(text)].map((word) => [word, text.filter((each) => each === word).length]))
    return { id: at + 1, docId: `d${at}`, chunks: [{ weights, fields: [text], stopWords: new Set<string>() }] }
  })
  const segment = buildSegment(rows)
  const table = await tables.write(segment)
  const [inMemory, inTable] = [setOf([segment]), setOf([movedSegment(segment, table)])]
  const read = vi.spyOn(tables, 'rowsAt')
  const terms = ['net', 'error'].map((term) => ({ term, count: 1 }))
  const allowed = Float64Array.from({ length: 5_000 }, (_, at) => at * 6 + 5)
  const options = [
    { k: 10, phrases: [[['net', 'error']]] },
    { k: 2, phrases: [[['net', 'error']]], allowed },
    { k: 10, allowed: Float64Array.from({ length: 2_500 }, (_, at) => at + 1), phrases: [[['error', 'net', 'error']]] },
    { k: 700 },
  ]
  for (const each of options) {
    const search = { position: 1, collectionIds: [collectionId], terms, options: { ...each, explain: true } }
    expect(await searchTables(() => inTable, tables, search)).toEqual(inMemory.search(search))
  }
  const pages = read.mock.calls.map(([, chunks]) => chunks.length)
  read.mockRestore()
  expect(pages.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(many)
  expect(Math.max(...pages)).toBeLessThanOrEqual(2_000)
}, 120_000)

test('the terms of many removed documents are read page by page (issue 14, 5)', async () => {
  const segment = buildSegment([...equalDocuments(1, 6_000), ...equalDocuments(10_001, 500, 'error')])
  const moved = movedSegment(segment, await tables.write(segment))
  const [inMemory, inTable] = [setOf([segment]), setOf([moved])]
  const removed = Array.from({ length: 5_000 }, (_, at) => ({ collectionId, documentId: at + 1, position: 2 }))
  for (const set of [inMemory, inTable]) set.apply({ ...change, position: 2, removed })
  const read = vi.spyOn(tables, 'rowsAt')
  const terms = ['net', 'error'].map((term) => ({ term, count: 1 }))
  const search = { position: 2, collectionIds: [collectionId], terms, options: { k: 10 } }
  expect(await searchTables(() => inTable, tables, search)).toEqual(inMemory.search(search))
  const pages = read.mock.calls.map(([, chunks]) => chunks.length)
  read.mockRestore()
  expect(Math.max(...pages)).toBeLessThanOrEqual(2_000)
}, 60_000)

test('tables are merged without a segment in memory, into one that has every byte of the merged segment (issue 14, 5)', async () => {
  const random = generator(15)
  // Ids of documents alternate: a replaced document is in a later segment.
  const whole = [2, 3, 402, 403].map((first) =>
    buildSegment(corpusOf(random, 0).map((document) => ({ ...document, id: first + document.id * 2 }))),
  )
  const named = await Promise.all(
    whole.map(async (each, at) => ({
      collectionId,
      segmentId: `s${at}`,
      buffer: movedSegment(each, await tables.write(each)).buffer,
    })),
  )
  const set = new SegmentSet()
  const held = new WriterIndex()
  const gone = [...(whole[1]?.documentIds ?? [])].filter((_, at) => at % 3 === 0)
  const first = { ...change, keepFrom: 1, position: 1, segments: named }
  const removed = gone.map((documentId) => ({ collectionId, documentId, position: 1 }))
  for (const index of [set, held]) index.apply({ ...first, removed })
  const mover = new TableMover(tables)
  const request = { collectionIds: [collectionId], minChunks: 10, keepFrom: 1 }
  const swaps = await moveAll(mover, held, request)
  for (const swap of swaps) set.swap(swap)
  expect(swaps.at(-1)?.before).toHaveLength(4)
  expect(held.segmentsOf(collectionId)).toHaveLength(1)
  const [merged] = held.segmentsOf(collectionId)
  if (merged === undefined) throw new Error('no segment')
  expect(merged.table).not.toBe('')
  const all = mergeSegments(whole, new Set(gone))
  const back = await wholeSegment(merged, tables.all(merged.table, merged.chunkCount))
  expect(Buffer.from(new Uint8Array(back.buffer)).equals(new Uint8Array(all.buffer))).toBe(true)
  expect(
    Buffer.from(new Uint8Array(merged.buffer)).equals(new Uint8Array(movedSegment(all, merged.table).buffer)),
  ).toBe(true)
  for (const search of searchesOf(random, 40))
    expect(await searchTables(() => set, tables, search)).toEqual(setOf([all]).search(search))
}, 120_000)

test('few chunks of a table that stay after removals are in memory again (issue 14, 5)', async () => {
  const segment = buildSegment(corpusOf(generator(16), 1))
  const moved = movedSegment(segment, await tables.write(segment))
  const held = new WriterIndex()
  const gone = [...segment.documentIds].slice(2)
  const removed = gone.map((documentId) => ({ collectionId, documentId, position: 1 }))
  const segments = [{ collectionId, segmentId: 's', buffer: moved.buffer }]
  held.apply({ ...change, keepFrom: 1, position: 1, segments, removed })
  const mover = new TableMover(tables)
  await moveAll(mover, held, { collectionIds: [collectionId], minChunks: 100, keepFrom: 1 })
  const [back] = held.segmentsOf(collectionId)
  const expected = mergeSegments([segment], new Set(gone))
  expect(Buffer.from(new Uint8Array(back?.buffer ?? new ArrayBuffer(0))).equals(new Uint8Array(expected.buffer))).toBe(
    true,
  )
})

async function moveAll(mover: TableMover, held: WriterIndex, request: MoveRequest): Promise<readonly SegmentSwap[]> {
  const swaps: SegmentSwap[] = []
  for (;;) {
    const { progress, swap } = await mover.step(held, request)
    if (progress === 'none') return swaps
    if (swap === null) continue
    swaps.push(swap)
    held.swap(swap)
  }
}

/** A segment whose postings are in a table, with documents that are removed at sequence numbers. */
async function heldInTable(segment: Segment, removed: ReadonlyMap<number, number>): Promise<WriterIndex> {
  const held = new WriterIndex()
  const { buffer } = movedSegment(segment, await tables.write(segment))
  const gone = [...removed].map(([documentId, position]) => ({ collectionId, documentId, position }))
  held.apply({ ...change, position: 2, segments: [{ collectionId, segmentId: 's', buffer }], removed: gone })
  return held
}

test('a document that is restored while the table without it is written stays (issue 14, 5)', async () => {
  const segment = buildSegment(equalDocuments(1, 60))
  const gone = Array.from({ length: 30 }, (_, at) => at + 1)
  const held = await heldInTable(segment, new Map(gone.map((id) => [id, 1])))
  const mover = new TableMover(tables)
  const request = { collectionIds: [collectionId], minChunks: 10, keepFrom: 2 }
  // Begun, written, and indexed.
  for (let step = 0; step < 3; step++) expect((await mover.step(held, request)).progress).toBe('writing')
  const restored = [{ collectionId, documentId: 7 }]
  held.apply({ ...change, position: 3, keepFrom: 3, newHistory: { restored } })
  await moveAll(mover, held, { ...request, keepFrom: 3 })
  expect([...held.documentIds(collectionId)]).toEqual([7, ...Array.from({ length: 30 }, (_, at) => at + 31)])
  expect(held.removedIds(collectionId)).toEqual([])
}, 60_000)

test('a table with many removed documents that may still be searched is written without the others, and stays a table (issue 14, 5)', async () => {
  const segment = buildSegment(equalDocuments(1, 60))
  const held = await heldInTable(segment, new Map(Array.from({ length: 50 }, (_, at) => [at + 1, at < 5 ? 1 : 2])))
  const request = { collectionIds: [collectionId], minChunks: 20, keepFrom: 1 }
  // At once: it is not in memory in between.
  expect(await moveAll(new TableMover(tables), held, request)).toHaveLength(1)
  const [written] = held.segmentsOf(collectionId)
  expect([written?.chunkCount, written?.table]).toEqual([55, expect.stringMatching(/^[0-9a-f]{32}$/)])
}, 60_000)

test.each([
  { rows: 9, bytes: 100_000 },
  { rows: 100_000, bytes: 500 },
])('a part that is written has at most $rows rows and $bytes bytes, also of a merge (issue 14, 5)', async (limits) => {
  const segment = buildSegment(corpusOf(generator(17), 1))
  const parts = [...rowsOf(segment, limits)]
  const moved = movedSegment(segment, await tables.write(segment))
  const merge = await mergeTables(tables, [moved], { dropped: new Set(), table: 'another', limits })
  const merged: ChunkRows[] = []
  for await (const part of merge.rows) merged.push(part)
  expect(merged.map(plain)).toEqual(parts.map(plain))
  const counts = parts.map(({ packed }) => packed.starts.length - 1)
  expect(parts.length).toBeGreaterThan(5)
  expect(Math.max(...counts)).toBeLessThanOrEqual(limits.rows)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(segment.chunkCount)
  for (const { terms, packed } of parts.filter((_, at) => (counts[at] ?? 0) > 1))
    expect(terms.bytes.length + packed.bytes.length).toBeLessThanOrEqual(limits.bytes)
})

const plain = ({ from, terms, packed }: ChunkRows) => ({
  from,
  columns: [terms, packed].map(({ starts, bytes }) => [[...starts], Buffer.from(bytes).toString('hex')]),
})

test('a merge beyond 32 bits of postings is rejected instead of being wrong (issue 14, 5)', async () => {
  const parts = [1, 101].map((firstId) => movedSegment(buildSegment(corpusOf(generator(18), firstId)), 'one'))
  const plan = planMerged(parts, new Set())
  for (const { staying } of plan.mappings) staying.fill(2 ** 31 - 1)
  expect(() => mergeFrames(plan, 'another')).toThrow(/a segment cannot have \d+ postings/)
})

test('an earlier state has its own counts, and documents that are removed after it delay no search of it (issue 14, 5)', async () => {
  const segment = buildSegment(corpusOf(generator(9), 1))
  const moved = movedSegment(segment, await tables.write(segment))
  const [inMemory, inTable] = [setOf([segment]), setOf([openSegment(moved.buffer)])]
  const added = [4, 5, 6, 9, 30].map((documentId) => ({ collectionId, documentId, position: 2 }))
  for (const set of [inMemory, inTable]) set.apply({ ...change, position: 2, added })
  const searches = searchesOf(generator(10), 30)
  for (const search of [...searches, ...searches.map((each) => ({ ...each, position: 2 }))])
    expect(await searchTables(() => inTable, tables, search)).toEqual(inMemory.search(search))
  let position = 2
  let states = 0
  const changing = (): SegmentSet => {
    states++
    position++
    const removed = [{ collectionId, documentId: position + 10, position }]
    inTable.apply({ ...change, position, removed })
    return inTable
  }
  const [search] = searches.filter(({ terms, options }) => terms.length > 2 && options.allowed === undefined)
  if (search === undefined) throw new Error('no search')
  expect(await searchTables(changing, tables, search)).toEqual(inMemory.search(search))
  expect(states).toBe(3)
})

test('tables of segments that were replaced are closed, and the others stay open (issue 14, 5)', async () => {
  const [first, second] = [1, 101].map((firstId) => buildSegment(equalDocuments(firstId, 20))) as [Segment, Segment]
  const own = new ChunkTables({ uri: folder, storageOptions: {}, packageFolder: resolve('test/lancedb') })
  const moved = await Promise.all([first, second].map(async (each) => movedSegment(each, await own.write(each))))
  const set = setOf(moved)
  for (const { table } of moved) await own.rowsAt(table, [0])
  const after = [{ collectionId, segmentId: 'another', buffer: first.buffer }]
  set.swap({ collectionId, before: ['s0'], after, at: null })
  const forget = vi.spyOn(OpenTables.prototype, 'forget')
  own.forgetOthers(new Set(set.asChange().segments.map(({ buffer }) => openSegment(buffer).table)))
  expect(forget.mock.calls).toEqual([[moved[0]?.table]])
  forget.mockRestore()
  for (const { table } of moved) expect(await own.rowsAt(table, [1])).toHaveLength(1)
})

test('a table has every byte of its segment (issue 14, 5)', async () => {
  const segment = buildSegment(corpusOf(generator(5), 1))
  const table = await tables.write(segment)
  const whole = await wholeSegment(movedSegment(segment, table), tables.all(table, segment.chunkCount))
  expect(Buffer.from(new Uint8Array(whole.buffer)).equals(new Uint8Array(segment.buffer))).toBe(true)
})

test('a table is compared row by row, with the fingerprints of its whole segment (issue 14, 5)', async () => {
  const segment = buildSegment(corpusOf(generator(18), 1))
  const table = await tables.write(segment)
  const read = vi.spyOn(tables, 'rowsAt')
  const found = await fingerprintsOfRows(movedSegment(segment, table), tables.all(table, segment.chunkCount))
  const expected = fingerprintsOf(segment)
  expect(found.documentIds()).toEqual(expected.documentIds())
  for (const id of expected.documentIds()) expect([id, found.of(id)]).toEqual([id, expected.of(id)])
  expect(Math.max(...read.mock.calls.map(([, chunks]) => chunks.length))).toBeLessThanOrEqual(2_000)
  read.mockRestore()
  const fewer = movedSegment(buildSegment(corpusOf(generator(19), 1)), table)
  await expect(fingerprintsOfRows(fewer, tables.all(table, segment.chunkCount))).rejects.toThrow(/damaged|rows instead/)
})

test('LanceDB keeps no more of tables in memory than it may (issue 14, 5)', async () => {
  const segments = [1, 1_001, 2_001].map((firstId) => buildSegment(corpusOf(generator(firstId), firstId)))
  const place = { uri: folder, storageOptions: {}, packageFolder: resolve('test/lancedb') }
  const [much, little] = [2 ** 30, 60_000].map((cacheBytes) => new ChunkTables({ ...place, cacheBytes }))
  const kept: number[] = []
  for (const own of [much, little] as ChunkTables[]) {
    const set = setOf(await Promise.all(segments.map(async (each) => movedSegment(each, await own.write(each)))))
    for (const search of searchesOf(generator(23), 20))
      expect(await searchTables(() => set, own, search)).toEqual(setOf(segments).search(search))
    kept.push(own.cachedBytes())
  }
  expect(kept[0]).toBeGreaterThan(60_000)
  expect(kept[1]).toBeGreaterThan(0)
  expect(kept[1]).toBeLessThanOrEqual(60_000)
}, 60_000)

test('tables are merged with the header of each row read once (issue 14, 5)', async () => {
  const parts = [1, 101].map((firstId) => buildSegment(equalDocuments(firstId, 20)))
  const moved = await Promise.all(parts.map(async (each) => movedSegment(each, await tables.write(each))))
  const { rows } = await mergeTables(tables, moved, { dropped: new Set(), table: '0'.repeat(32) })
  const read = vi.spyOn(Buffer.prototype, 'readUInt32LE')
  let chunks = 0
  for await (const { packed } of rows) chunks += packed.starts.length - 1
  const headers = read.mock.calls.filter(([at]) => at === 0).length
  read.mockRestore()
  expect([chunks, headers]).toEqual([40, 40])
})

test('tables are on an object store with conditional writes, and one that fails is not taken for a lost table (issue 14, 5)', async () => {
  const s3 = await startS3()
  s3.pageSize = 1_000
  try {
    const settings = {
      ...readSettings({ ...objectStoreSettings(s3), DOCKET_S3_PREFIX: 'desk' }),
      search: 'lancedb' as const,
    }
    const place = segmentTablesOf({ ...settings, lancedbPackages: 'test/lancedb' })
    if (place === null) throw new Error('no place of tables')
    const segment = buildSegment(corpusOf(generator(7), 1))
    const table = await new ChunkTables(place).write(segment)
    expect([...s3.objects.keys()].every((key) => key.startsWith('desk/lancedb/chunks_'))).toBe(true)
    const reading = new ChunkTables({
      ...place,
      storageOptions: { ...place.storageOptions, client_max_retries: '0', client_retry_timeout: '1' },
    })
    const moved = setOf([movedSegment(segment, table)])
    for (const search of searchesOf(generator(8), 10))
      expect(await searchTables(() => moved, reading, search)).toEqual(setOf([segment]).search(search))
    expect(await reading.names()).toEqual([table])
    const third = new ChunkTables({
      ...place,
      storageOptions: { ...place.storageOptions, aws_secret_access_key: 'another' },
    })
    await expect(third.propose(table, [1], 10)).rejects.toThrow(TablesUnavailableError)
    await reading.drop(table)
    expect(s3.objects.size).toBe(0)
  } finally {
    await s3.close()
  }
}, 120_000)

test('nothing stays of a table that could not be written, and the error is that of writing (issue 14, 5)', async () => {
  const segment = buildSegment(corpusOf(generator(11), 1))
  const before = await tables.names()
  const written = await tables.write(segment)
  const database = await (await importLance(resolve('test/lancedb'))).connect(folder, { storageOptions: {} })
  const opened = await database.openTable(`chunks_${written}`)
  const failing = vi
    .spyOn(Object.getPrototypeOf(opened), 'createIndex')
    .mockRejectedValueOnce(new Error('no space left'))
  opened.close()
  await expect(tables.write(segment)).rejects.toThrow('no space left')
  expect(failing).toHaveBeenCalledOnce()
  failing.mockRestore()
  expect((await tables.names()).toSorted()).toEqual([...before, written].toSorted())
})

test('a table that is gone is named as lost (issue 14, 5)', async () => {
  const segment = buildSegment(corpusOf(generator(6), 1))
  const set = setOf([movedSegment(segment, '0'.repeat(32))])
  const [search] = searchesOf(generator(6), 1)
  if (search === undefined) throw new Error('no search')
  await expect(searchTables(() => set, tables, search)).rejects.toThrow(LostTableError)
  const table = await tables.write(segment)
  expect(await tables.names()).toContain(table)
  await tables.drop(table)
  await tables.drop(table)
  expect(await tables.names()).not.toContain(table)
})
