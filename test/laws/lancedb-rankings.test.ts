import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { segmentTablesOf } from '../../src/config/segment-tables-of.ts'
import { readSettings } from '../../src/config/settings.ts'
import { movedSegment, wholeSegment } from '../../src/search-engine/lancedb/chunk-rows.ts'
import { ChunkTables, LostTableError, TablesUnavailableError } from '../../src/search-engine/lancedb/chunk-tables.ts'
import { importLance } from '../../src/search-engine/lancedb/import-lancedb.ts'
import { searchTables } from '../../src/search-engine/lancedb/search-tables.ts'
import { buildSegment, type ChunkTerms, type DocumentTerms } from '../../src/search-engine/segments/build-segment.ts'
import { openSegment, type Segment } from '../../src/search-engine/segments/segment.ts'
import { type LexicalSearch, SegmentSet } from '../../src/search-engine/segments/segment-set.ts'

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

test('a table has every byte of its segment (issue 14, 5)', async () => {
  const segment = buildSegment(corpusOf(generator(5), 1))
  const table = await tables.write(segment)
  const whole = await wholeSegment(movedSegment(segment, table), tables.all(table, segment.chunkCount))
  expect(Buffer.from(new Uint8Array(whole.buffer)).equals(new Uint8Array(segment.buffer))).toBe(true)
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
