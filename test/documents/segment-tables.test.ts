import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { segmentTablesOf } from '../../src/config/segment-tables-of.ts'
import { readSettings } from '../../src/config/settings.ts'
import type { Database } from '../../src/database/database.ts'
import { beginHistory } from '../../src/database/database-history.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type Search, searchDocuments } from '../../src/documents/search-documents.ts'
import { diskBlobStore } from '../../src/documents/store/blob-store.ts'
import { TableKeeper, type TableWriter } from '../../src/documents/sync/keep-tables.ts'
import type { LexicalIndex } from '../../src/documents/sync/lexical-index.ts'
import { openWorker } from '../../src/jobs/worker-number.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { compileSql, type Sql, sql } from '../../src/kernel/sql.ts'
import { ChunkTables } from '../../src/search-engine/lancedb/chunk-tables.ts'
import type { TablePlace } from '../../src/search-engine/lancedb/connect-lance.ts'
import { addCopies } from '../harness/document-copies.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { openOtherIndex } from '../harness/open-other-index.ts'
import { objectStoreSettings, type S3StandIn, startS3 } from '../harness/s3-stand-in.ts'

/** More than a manifest needs, and fewer than LanceDB proposes: every response is that of the built-in engine. */
const manyDocuments = 1_200
const k = 1_000

let fresh: FreshDatabase
/** The built-in engine, which the others are compared with. */
let deps: TestDocumentDeps
let folder: string
let opened: Process[] = []
let closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh, { writesSegments: false })
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docket-tables-'))
  await load('kb', 'doc-1', 'toner of the first document')
  await addCopies(fresh.database, 'kb', manyDocuments)
})
afterEach(async () => {
  const closed = [...opened.map(({ close }) => close()), ...closing.map((close) => close())]
  opened = []
  closing = []
  await Promise.allSettled(closed)
  await deleteCollection(deps, documentAdmin, 'kb')
  rmSync(folder, { recursive: true, force: true })
  await Promise.all(closed)
})

const queries = ['toner', 'copy toner of the first document', 'tonr', '"toner copy"', 'plotter', 'the']

test('with tables a search returns what the built-in engine returns: after loads, replacements and deletions, at once (issue 14, 5)', async () => {
  const first = await open()
  expect(await first.tables()).toHaveLength(1)
  await expectSame(first)
  await load('kb', 'copy-8', 'plotter instead of toner')
  await load('kb', 'new', 'plotter that is new')
  await deleteDocument(deps, documentAdmin, 'kb', 'copy-7')
  await expectSame(first)
  const filter = 'doc_id=copy-9^ORdoc_id=copy-8^ORdoc_id=copy-7'
  for (let times = 0; times < 4; times++) await expectSame(first, { filter })
  await expectSame(first, { explain: true, k: 5 })
  expect((await first.index.verify()).differences).toBe(0)
})

test('another process takes over the tables that one wrote, and builds nothing; a new one too (issue 14, 5)', async () => {
  const second = await open({ isMoved: false })
  const first = await open()
  await first.keeper.run()
  const { built } = second
  await second.keeper.run()
  expect(await second.tables()).toEqual(await first.tables())
  expect(second.built()).toBe(built())
  await load('kb', 'new', 'plotter that is new')
  await expectSame(second)
  const third = await open({ isMoved: false })
  expect([await third.tables(), third.built()]).toEqual([await first.tables(), 1])
  await expectSame(third)
  expect((await second.index.verify()).differences).toBe(0)
})

test('threads that die get their state again, and a saved index finds its tables (issue 14, 5)', async () => {
  const first = await open({ indexFolder: join(folder, 'index') })
  await deleteDocument(deps, documentAdmin, 'kb', 'copy-7')
  await expectSame(first)
  await first.crash('search')
  await expectSame(first)
  await first.crash('writer')
  await load('kb', 'new', 'plotter that is new')
  await expectSame(first)
  await first.index.rebuild(await collectionId())
  await first.close()
  const again = await open({ indexFolder: join(folder, 'index') })
  await expectSame(again)
})

test('a table that is lost: searches are rejected, the collection is built again, and nothing is answered in part (issue 14, 5)', async () => {
  const first = await open()
  for (const table of await first.tables()) await first.drop(table)
  await first.crash('search')
  expect(await rejection(first)).toMatchObject({ kind: 'index-building' })
  await untilBuilt(first)
  await expectSame(first)
  await first.keeper.run()
  expect(await first.tables()).toHaveLength(1)
  await expectSame(first)
  const errors = first.errors.splice(0).map(String)
  expect(errors).toEqual(errors.map(() => expect.stringMatching(/is built again/)))
})

test('what is committed while a collection with a lost table is about to be built again is in the index once (issue 14, 5)', async () => {
  let onManifests = async (): Promise<void> => undefined
  const first = await open({ database: beforeManifests(() => onManifests()) })
  for (const table of await first.tables()) await first.drop(table)
  await first.crash('search')
  const committed = new Promise<void>((done) => {
    onManifests = async () => {
      onManifests = async () => undefined
      await load('kb', 'new', 'plotter that is new')
      await first.index.refresh()
      done()
    }
  })
  expect(await rejection(first)).toMatchObject({ kind: 'index-building' })
  await committed
  await untilBuilt(first)
  expect((await first.index.counts()).documents).toBe(manyDocuments + 2)
  await expectSame(first)
  first.errors.splice(0)
})

test('a collection that is restarted while a process takes over its tables is in the index once (issue 14, 5)', async () => {
  await open()
  let onManifests = async (): Promise<void> => undefined
  const second = await open({ isMoved: false, database: beforeManifests(() => onManifests()) })
  expect(await second.tables()).toHaveLength(1)
  onManifests = async () => {
    onManifests = async () => undefined
    await expect(searchBound(second, [await collectionId()])).rejects.toThrow('is being built')
    await vi.waitFor(async () => expect(await second.tables()).toEqual([]), { timeout: 60_000, interval: 50 })
  }
  await second.keeper.run()
  await untilBuilt(second)
  expect((await second.index.counts()).documents).toBe(manyDocuments + 1)
  await expectSame(second)
  expect(second.errors.splice(0).map(String)).toEqual([expect.stringMatching(/is built again/)])
})

test('an object store that does not respond: searches are rejected, nothing is built, and tables are used again when it does (issue 14, 5)', async () => {
  const s3 = await startS3()
  s3.pageSize = 1_000
  try {
    const first = await open({ place: placeIn(s3) })
    expect(await first.tables()).toHaveLength(1)
    await expectSame(first)
    const built = first.built()
    s3.failNext.push(...Array.from({ length: 1_000 }, () => 403))
    await first.crash('search')
    expect(await rejection(first)).toMatchObject({ kind: 'index-building', retryAfterSeconds: 5 })
    s3.failNext.length = 0
    await expectSame(first)
    expect([await first.tables(), first.built()]).toEqual([[expect.anything()], built])
    const errors = first.errors.splice(0).map(String)
    expect(errors.length).toBeGreaterThan(0)
    expect(errors).toEqual(errors.map(() => expect.stringMatching(/tables of LanceDB cannot be read/)))
  } finally {
    for (const { close } of opened.splice(0)) await close()
    await s3.close()
  }
})

test('a collection that became bound is built in memory again, and tables stay right when the database begins a new history (issue 14, 5)', async () => {
  const first = await open()
  await beginHistory(fresh.database)
  await deleteDocument(deps, documentAdmin, 'kb', 'copy-3')
  await expectSame(first)
  await load('open', 'doc-1', 'toner of another collection')
  await addCopies(fresh.database, 'open', manyDocuments)
  await first.index.refresh()
  await first.keeper.run()
  expect(await first.tables()).toHaveLength(2)
  // Of a bound collection, manifests with tables are not used.
  await fresh.database.rows(sql`delete from docket_documents.segment_manifest`)
  const searched = searchBound(first, [await collectionId(), await collectionId('open')])
  await expect(searched).rejects.toThrow('is being built')
  await vi.waitFor(async () => expect(await first.tables()).toHaveLength(1), { timeout: 60_000, interval: 50 })
  await untilBuilt(first)
  await expectSame(first)
  expect(await first.tables()).toHaveLength(1)
  await deleteCollection(deps, documentAdmin, 'open')
  expect(first.errors.splice(0).map(String)).toEqual([expect.stringMatching(/is built again/)])
})

test('segments are moved one at a time, and those before a failure are named for other processes (issue 14, 5)', async () => {
  await load('open', 'doc-1', 'toner of another collection')
  await addCopies(fresh.database, 'open', manyDocuments)
  let isFull = true
  const beforeMove = async (): Promise<void> => {
    if (!isFull || (await first.tables()).length === 0) return
    isFull = false
    throw new Error('no space left')
  }
  const first = await open({ isMoved: false, beforeMove })
  await expect(first.keeper.run()).rejects.toThrow('no space left')
  expect(await first.tables()).toHaveLength(1)
  expect(await namedTables()).toEqual(await first.tables())
  await first.keeper.run()
  expect(await first.tables()).toHaveLength(2)
  expect(await namedTables()).toEqual((await first.tables()).toSorted())
  await deleteCollection(deps, documentAdmin, 'open')
})

test('a collection whose table is damaged holds up no other one: these are moved in the same turn, and it is tried again (issue 14, 5)', async () => {
  await addMore()
  const first = await open()
  const [damaged] = await first.tables()
  await removeThird()
  await load('open', 'doc-1', 'toner of another collection')
  await addCopies(fresh.database, 'open', manyDocuments)
  await first.index.refresh()
  damageRows(damaged ?? '')
  await first.crash('writer')
  await first.index.refresh()
  for (let turn = 1; turn <= 2; turn++) {
    await first.keeper.run()
    const [, moved] = await first.tables()
    expect(await namedTables()).toContain(moved)
    expect(first.errors.map(String).filter((error) => /LanceDB is not written/.test(error))).toHaveLength(turn)
  }
  first.errors.splice(0)
  await deleteCollection(deps, documentAdmin, 'open')
})

test('the lease is renewed while one step of writing lasts (issue 14, 5)', async () => {
  let renewals = 0
  const beforeMove = async (): Promise<void> => {
    const before = await leaseEnd()
    await vi.waitFor(async () => expect(await leaseEnd()).toBeGreaterThan(before), { timeout: 60_000, interval: 5 })
    renewals++
  }
  const first = await open({ beforeMove, renewEveryMs: 20 })
  expect(renewals).toBeGreaterThan(3)
  expect(await first.tables()).toHaveLength(1)
})

test.each([
  { when: 'before its index is made', step: 3 },
  { when: 'when it is complete and not in use', step: 4 },
])(
  'a process that loses the lease of a table $when drops it, and takes over the one of another process (issue 14, 5)',
  async ({ step }) => {
    const second = await open({ isMoved: false })
    let steps = 0
    const beforeMove = async (): Promise<void> => {
      steps++
      if (steps === step) await giveLeaseTo(second.worker())
    }
    const first = await open({ isMoved: false, beforeMove })
    await first.keeper.run()
    expect(steps).toBe(step)
    expect([await first.tables(), (await first.names()).length]).toEqual([[], 1])
    await first.keeper.run()
    expect(await first.names()).toEqual([])
    await second.keeper.run()
    await first.keeper.run()
    expect(await first.tables()).toHaveLength(1)
    expect(await first.tables()).toEqual(await second.tables())
    expect(await first.names()).toEqual(await second.tables())
    await expectSame(first)
  },
)

test('many removed documents: the table is written anew, and the former one is dropped after a while (issue 14, 5)', async () => {
  const first = await open()
  const [before] = await first.tables()
  await removeThird()
  await expectSame(first)
  await first.keeper.run()
  const [after] = await first.tables()
  expect(after).not.toBe(before)
  await expectSame(first)
  expect(await first.names()).toContain(before)
  first.passHour()
  await first.keeper.run()
  expect(await first.names()).toEqual([after])
})

test('workers that share an index leave the tables of each other alone: one that is written, and one in no manifest yet (issue 14, 5)', async () => {
  await addMore()
  let steps = 0
  const first = await open({
    isMoved: false,
    // One segment is as large, whether another process has stored the terms of the first documents by now, or not.
    minChunks: 700,
    async beforeMove() {
      steps++
      if (steps < 20) await other.run()
    },
  })
  const worker = await openWorker(fresh.database, (error) => first.errors.push(error))
  closing.push(() => worker.close())
  const other = new TableKeeper({ ...first.writer, index: first.index, worker })
  await first.keeper.run()
  // Begun, written, indexed, in use, and nothing more.
  expect([steps, (await first.tables()).length]).toEqual([5, 1])
  await removeThird()
  await first.index.refresh()
  const { writer } = first
  const index: TableWriter['index'] = {
    ...writer.index,
    async exportSegments(exported) {
      await other.run()
      return writer.index.exportSegments(exported)
    },
  }
  const [before] = await first.tables()
  await new TableKeeper({ ...writer, index }).run()
  expect(await first.tables()).not.toContain(before)
  expect(await namedTables()).toEqual(await first.tables())
  await expectSame(first)
  // When the worker that writes is gone, the other one goes on.
  await first.leave()
  await other.run()
  await load('kb', 'new', 'plotter that is new')
  await expectSame(first)
})

test('a process that starts again names no table that was dropped: its saved index has the present ones, or is not used (issue 14, 5)', async () => {
  await addMore()
  const indexFolder = join(folder, 'index')
  const early = await open({ indexFolder })
  const [before] = await early.tables()
  await deleteDocument(deps, documentAdmin, 'kb', 'copy-7')
  await early.index.refresh()
  await early.close()
  cpSync(indexFolder, join(folder, 'early'), { recursive: true })
  await removeThird()
  const first = await open({ indexFolder })
  const [after] = await first.tables()
  expect(after).not.toBe(before)
  first.passHour()
  await first.keeper.run()
  first.passHour()
  await first.keeper.run()
  expect(await first.names()).toEqual([after])
  // As after kill -9: what is saved now.
  cpSync(indexFolder, join(folder, 'late'), { recursive: true })
  await first.close()
  for (const name of ['late', 'early']) {
    const again = await open({ indexFolder: join(folder, name) })
    expect([await again.tables(), again.built()]).toEqual([[after], 0])
    expect(await namedTables()).toEqual([after])
    await expectSame(again)
    await again.close()
  }
})

test('a table that is lost while it is written anew: its collection is built again, and others are moved (issue 14, 5)', async () => {
  await addMore()
  const first = await open()
  await removeThird()
  await first.index.refresh()
  for (const table of await first.tables()) await first.drop(table)
  await first.crash('writer')
  await first.index.refresh()
  await first.keeper.run()
  await vi.waitFor(() => expect(first.errors.map(String)).toEqual([expect.stringMatching(/is built again/)]), 60_000)
  await vi.waitFor(async () => expect(await first.tables()).toEqual([]), { timeout: 60_000, interval: 50 })
  await untilBuilt(first)
  await expectSame(first)
  await first.keeper.run()
  expect(await first.tables()).toHaveLength(1)
  expect(await namedTables()).toEqual(await first.tables())
  await expectSame(first)
  first.errors.splice(0)
})

test('a process leaves the table of a collection that is too small for a manifest now (issue 14, 5)', async () => {
  const first = await open()
  const second = await open({ isMoved: false })
  expect(await second.tables()).toEqual(await first.tables())
  await removeAllButFew()
  await first.index.refresh()
  await first.keeper.run()
  expect([await first.tables(), await namedTables()]).toEqual([[], []])
  await second.index.refresh()
  await second.keeper.run()
  expect(await second.tables()).toEqual([])
  await expectSame(second)
})

/** @param isRemoved condition on documents `d` */
async function removeCopies(isRemoved: Sql<unknown>): Promise<void> {
  await fresh.database.rows(sql`
    with next as (select docket_documents.next_position() as position), gone as (
      update docket_documents.document d set removed_position = next.position, removed_at = now() from next
      where d.removed_position is null and d.doc_id <> 'doc-1' and ${isRemoved} returning true
    ) select docket_documents.reach_position(next.position) from next where (select count(*) from gone) > 0`)
}

/** A manifest has no smaller collection. */
const addMore = (): Promise<void> => addCopies(fresh.database, 'kb', manyDocuments / 2, 'more')
const removeThird = (): Promise<void> => removeCopies(sql`d.id % 3 = 0`)
const removeAllButFew = (): Promise<void> => removeCopies(sql`d.id % 12 > 0`)

// ── what the tests say ──

interface Process {
  readonly index: LexicalIndex
  readonly keeper: TableKeeper
  readonly errors: unknown[]
  readonly writer: TableWriter
  crash(name: string): Promise<void>
  built(): number
  tables(): Promise<readonly string[]>
  names(): Promise<readonly string[]>
  worker(): number | null
  drop(table: string): Promise<void>
  passHour(): void
  /** Its worker is gone, and its index stays. */
  leave(): Promise<void>
  close(): Promise<void>
}

const placeInFolder = (): TablePlace => ({
  uri: join(folder, 'lance'),
  storageOptions: {},
  packageFolder: resolve('test/lancedb'),
})

interface ProcessOptions {
  readonly isMoved?: boolean
  readonly indexFolder?: string | null
  readonly place?: TablePlace
  readonly database?: Database
  readonly beforeMove?: () => void | Promise<void>
  readonly renewEveryMs?: number
  readonly minChunks?: number
}

function placeIn(s3: S3StandIn): TablePlace {
  const settings = readSettings({
    ...objectStoreSettings(s3),
    DOCKET_SEARCH: 'lancedb',
    DOCKET_LANCEDB_PACKAGES: 'test/lancedb',
  })
  const place = segmentTablesOf(settings)
  if (place === null) throw new Error('no place of tables')
  return { ...place, storageOptions: { ...place.storageOptions, client_max_retries: '0' } }
}

async function open({
  isMoved = true,
  indexFolder = null,
  place = placeInFolder(),
  database = fresh.database,
  beforeMove = () => undefined,
  renewEveryMs = 60_000,
  minChunks = 500,
}: ProcessOptions = {}): Promise<Process> {
  let built = 0
  let ahead = 0
  const blobs = diskBlobStore(join(folder, 'files'))
  const { index, errors, crash } = openOtherIndex(database, {
    folder: indexFolder,
    segments: { blobs, fileStore: 'store', hasTables: true },
    tables: place,
    beforeBuild: (kind, documents) => {
      if (['build', 'merge'].includes(kind)) built += documents
    },
  })
  const worker = await openWorker(fresh.database, (error) => errors.push(error))
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + ahead }
  const moving: TableWriter['index'] = {
    refresh: () => index.refresh(),
    buildProgress: () => index.buildProgress(),
    sizes: () => index.sizes(),
    tables: () => index.tables(),
    exportSegments: (exported) => index.exportSegments(exported),
    async moveSegments(work) {
      await beforeMove()
      return index.moveSegments(work)
    },
  }
  const writer = {
    database: fresh.database,
    index: moving,
    blobs,
    fileStore: 'store',
    worker,
    clock,
    uploadFolder: folder,
    place,
    minChunks,
    renewEveryMs,
  }
  const keeper = new TableKeeper(writer)
  const tables = new ChunkTables(place)
  let closed: Promise<void> | undefined
  const opening: Process = {
    index,
    keeper,
    errors,
    writer,
    crash,
    built: () => built,
    tables: async () => (await index.tables()).flatMap((each) => each.tables),
    names: () => tables.names(),
    worker: () => worker.number(),
    drop: (table) => tables.drop(table),
    passHour() {
      ahead += 61 * 60_000
    },
    leave: () => worker.close(),
    close() {
      closed ??= Promise.all([index.close(), worker.close()]).then(() => expect(errors).toEqual([]))
      return closed
    },
  }
  opened.push(opening)
  await index.whenReady()
  if (isMoved) await keeper.run()
  return opening
}

async function load(collectionName: string, docId: string, text: string): Promise<void> {
  const loaded = await loadText(deps, documentAdmin, { collectionName, metadata: { doc_id: docId }, text })
  if (!loaded.ok) throw new Error(loaded.error.kind)
}

async function expectSame(process: Process, options: Partial<Search> = {}): Promise<void> {
  for (const query of queries) {
    const search = { query, k, collectionNames: ['kb'], filter: '', ...options }
    const same = await searchDocuments({ ...deps, index: process.index }, documentAdmin, search)
    expect(same).toEqual(await searchDocuments(deps, documentAdmin, search))
    expect(same.ok).toBe(true)
  }
}

async function rejection(process: Process): Promise<unknown> {
  const search = { query: 'toner', k, collectionNames: ['kb'], filter: '' }
  const found = await searchDocuments({ ...deps, index: process.index }, documentAdmin, search)
  return found.ok ? undefined : found.error
}

const untilBuilt = (process: Process): Promise<void> =>
  vi.waitFor(async () => expect(await rejection(process)).toBeUndefined(), { timeout: 60_000, interval: 50 })

async function namedTables(): Promise<readonly string[]> {
  const rows = await fresh.database.rows(sql<{ table_name: string }>`
    select table_name from docket_documents.segment where table_name is not null order by table_name collate "C"`)
  return rows.map(({ table_name }) => table_name)
}

/** Rows of a table cannot be read any more, though all of its files are there. */
function damageRows(table: string): void {
  const data = join(folder, 'lance', `chunks_${table}.lance`, 'data')
  for (const name of readdirSync(data)) writeFileSync(join(data, name), new Uint8Array(statSync(join(data, name)).size))
}

/** When the lease of the writer ends, in seconds. */
async function leaseEnd(): Promise<number> {
  const [row] = await fresh.database.rows(sql<{ ends: number }>`
    select extract(epoch from leased_until)::float8 as ends from docket_documents.segment_writer`)
  return Number(row?.ends)
}

/** As if the process that had it had not renewed it for long. */
async function giveLeaseTo(worker: number | null): Promise<void> {
  await fresh.database.rows(sql`
    update docket_documents.segment_writer
    set worker = ${worker}, leased_until = clock_timestamp() at time zone 'UTC' + interval '1 hour'`)
}

/** Searches as a caller who sees no document of the first collection. */
async function searchBound({ index }: Process, collectionIds: readonly number[]): Promise<unknown> {
  const visible = { collectionIds: collectionIds.slice(0, 1), documentIds: new Float64Array(0) }
  const search = { collectionIds, terms: [{ term: 'toner', count: 1 }], options: { k: 1 }, visible }
  return index.withSnapshot((view) => view.search(index.position(), search))
}

/** The database, with work before each time that manifests are read. */
function beforeManifests(work: () => Promise<void>): Database {
  return {
    ...fresh.database,
    async rows(query) {
      if (compileSql(query).sql.includes('docket_documents.segment_manifest m join')) await work()
      return fresh.database.rows(query)
    },
  }
}

async function collectionId(name = 'kb'): Promise<number> {
  const [row] = await fresh.database.rows(sql<{ id: number }>`
    select id from docket_documents.collection where name = ${name} and removed_position is null`)
  return row?.id ?? 0
}
