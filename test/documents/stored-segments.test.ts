import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { beginHistory } from '../../src/database/database-history.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { type BlobStore, blobPath, diskBlobStore } from '../../src/documents/store/blob-store.ts'
import { clearBlobs } from '../../src/documents/store/blobs.ts'
import { s3BlobStore } from '../../src/documents/store/s3-blob-store.ts'
import type { LexicalIndex } from '../../src/documents/sync/lexical-index.ts'
import { writeSegments } from '../../src/documents/sync/publish-segments.ts'
import { requestReindex } from '../../src/documents/sync/read-collection.ts'
import { openWorker, type Worker } from '../../src/jobs/worker-number.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import { addCopies } from '../harness/document-copies.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { openOtherIndex } from '../harness/open-other-index.ts'
import { startS3 } from '../harness/s3-stand-in.ts'

/** More than a manifest needs. */
const manyDocuments = 1_200

let fresh: FreshDatabase
let deps: TestDocumentDeps
let folder: string
let files: string
let opened: Process[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh, { writesSegments: false })
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docket-segments-'))
  files = join(folder, 'files')
  await load('kb', 'doc-1', 'toner of the first document')
  await addCopies(fresh.database, 'kb', manyDocuments)
})
afterEach(async () => {
  for (const { close } of opened) await close()
  opened = []
  await deleteCollection(deps, documentAdmin, 'kb')
  rmSync(folder, { recursive: true, force: true })
})

test('a process fetches the segments that another one wrote, and builds nothing (issue 14, 2)', async () => {
  const first = await open()
  await first.write()
  expect(first.stored).toBeGreaterThan(0)
  const second = await open()
  expect([second.builtDocuments, second.errors]).toEqual([0, []])
  expect(await found(second)).toEqual(await found(first))
  expect((await second.index.verify()).differences).toBe(0)
})

test('what was loaded, replaced and deleted after the segments were written is right in a process that fetches them (issue 14, 2)', async () => {
  const first = await open()
  await first.write()
  await load('kb', 'copy-8', 'plotter instead of toner')
  await load('kb', 'new', 'plotter that is new')
  await deleteDocument(deps, documentAdmin, 'kb', 'copy-7')
  const second = await open()
  expect(second.builtDocuments).toBe(2)
  expect(await found(second, 'plotter')).toHaveLength(2)
  expect((await second.index.verify()).differences).toBe(0)
  await load('kb', 'newer', 'plotter that is newer')
  await deleteDocument(deps, documentAdmin, 'kb', 'copy-9')
  await load('kb', 'copy-10', 'plotter instead of toner')
  expect(await found(second, 'plotter')).toHaveLength(4)
  expect((await second.index.verify()).differences).toBe(0)
})

test('a saved index with fetched segments is right when it is opened again (issue 14, 2)', async () => {
  await (await open()).write()
  await load('kb', 'copy-8', 'plotter instead of toner')
  const second = await open({ folder: join(folder, 'index') })
  await second.close()
  const again = await open({ folder: join(folder, 'index') })
  expect(again.builtDocuments).toBe(0)
  expect((await again.index.verify()).differences).toBe(0)
})

const damages: readonly [name: string, damage: (path: string) => void][] = [
  ['missing', (path) => rmSync(path)],
  ['changed in one byte', changeByte],
  ['cut short', (path) => truncateSync(path, 1_000)],
  ['longer than it was', (path) => appendFileSync(path, 'more')],
]
test.each(damages)(
  'a segment that is %s is built from the database, and written again (issue 14, 2)',
  async (_name, damage) => {
    const first = await open({ folder: join(folder, 'index') })
    await first.write()
    for (const path of storedFiles()) damage(path)
    const second = await open()
    expect(second.builtDocuments).toBe(manyDocuments + 1)
    expect(second.errors.map(String)).toEqual(
      second.errors.map(() =>
        expect.stringMatching(/a segment of collection \d+ in the file store is lost or damaged/),
      ),
    )
    expect(second.errors.length).toBeGreaterThan(0)
    expect((await second.index.verify()).differences).toBe(0)
    await first.write()
    const third = await open()
    expect([third.builtDocuments, third.errors]).toEqual([0, []])
    expect(await found(third)).toEqual(await found(first))
  },
)

test('the store is lost as a whole: every process builds from the database, and one writes the segments again (issue 14, 2)', async () => {
  const first = await open()
  await first.write()
  rmSync(files, { recursive: true })
  const second = await open()
  expect((await second.index.verify()).differences).toBe(0)
  await second.write({ worker: first.worker })
  const third = await open()
  expect([third.builtDocuments, third.errors]).toEqual([0, []])
})

test('an object store holds segments too, and one that fails delays nobody for every segment (issue 14, 2)', async () => {
  const s3 = await startS3()
  try {
    const options = { ...s3, isPathStyle: true, prefix: '', clock: systemClock, scratchFolder: folder }
    const blobs = s3BlobStore(options)
    await (await open({ blobs })).write()
    const second = await open({ blobs })
    expect([second.builtDocuments, second.errors]).toEqual([0, []])
    s3.failNext.push(403)
    const third = await open({ blobs })
    expect(third.builtDocuments).toBe(manyDocuments + 1)
    expect(third.errors.map(String)).toEqual([expect.stringContaining('the object store rejected GET')])
    expect((await third.index.verify()).differences).toBe(0)
    // Nothing is wrong with the segments.
    expect(await damagedSegments()).toBe(0)
  } finally {
    await s3.close()
  }
})

test('segments of an earlier history of the database are not fetched, and named again without being written again (issue 14, 2)', async () => {
  const first = await open()
  await first.write()
  await beginHistory(fresh.database)
  const second = await open()
  expect(second.builtDocuments).toBe(manyDocuments + 1)
  await first.index.refresh()
  const before = first.written
  await first.write()
  expect(first.written).toBe(before)
  const third = await open()
  expect(third.builtDocuments).toBe(0)
  expect((await third.index.verify()).differences).toBe(0)
})

test('segments from before a reindex are not fetched (issue 14, 2)', async () => {
  const first = await open()
  await first.write()
  await requestReindex(fresh.database, [await collectionId()])
  const second = await open()
  expect(second.builtDocuments).toBe(manyDocuments + 1)
  await first.index.refresh()
  await untilWritten(first)
  expect((await open()).builtDocuments).toBe(0)
})

test('processes without a common file store do not fetch from each other (issue 14, 2)', async () => {
  const first = await open()
  await first.write()
  const other = await open({ fileStore: 'another', blobs: diskBlobStore(join(folder, 'others')) })
  expect([other.builtDocuments, other.errors]).toEqual([manyDocuments + 1, []])
})

test('one process writes; when it ends, another does (issue 14, 2)', async () => {
  const first = await open()
  const second = await open()
  await first.write()
  await addCopies(fresh.database, 'kb', manyDocuments, 'more')
  await second.index.refresh()
  await second.write()
  expect(second.stored).toBe(0)
  await first.close()
  await second.write()
  expect(second.stored).toBeGreaterThan(0)
  expect((await open()).builtDocuments).toBe(0)
})

test('little that is new is not written; much is (issue 14, 2)', async () => {
  const first = await open()
  await first.write()
  const position = await manifestPosition()
  await load('kb', 'new', 'plotter')
  await first.write()
  expect(await manifestPosition()).toBe(position)
  await addCopies(fresh.database, 'kb', manyDocuments, 'more')
  await first.write()
  expect(await manifestPosition()).toBe(first.index.position())
})

test('segments that nothing names any more, and those of a deleted collection, are removed after a while (issue 14, 2)', async () => {
  const first = await open()
  await first.write()
  const earlier = new Set(readStored())
  await deleteAll()
  await addCopies(fresh.database, 'kb', manyDocuments, 'more')
  await requestReindex(fresh.database, [await collectionId()])
  await first.index.refresh()
  await untilWritten(first)
  const clear = (atMs: number) => clearBlobs(fresh.database, diskBlobStore(files), new Date(atMs))
  // For processes that have read the earlier manifest.
  await clear(Date.now() - 60_000)
  expect(readStored().filter((name) => earlier.has(name))).toHaveLength(earlier.size)
  await clear(Date.now() + 60_000)
  const { builtDocuments, errors } = await open()
  expect([builtDocuments, errors]).toEqual([0, []])
  expect(readStored().some((name) => !earlier.has(name))).toBe(true)
  await deleteCollection(deps, documentAdmin, 'kb')
  await first.write()
  await clear(Date.now() + 60_000)
  expect(readStored()).toEqual([])
})

// ── what the tests say ──

interface Process {
  readonly index: LexicalIndex
  readonly worker: Worker
  readonly errors: unknown[]
  /** Documents that were indexed from their texts or terms. */
  readonly builtDocuments: number
  /** Files that were given to the store. */
  readonly stored: number
  /** Of these, those that it did not have. */
  readonly written: number
  write(options?: { readonly worker: Worker }): Promise<void>
  close(): Promise<void>
}

interface ProcessOptions {
  readonly folder?: string
  readonly blobs?: BlobStore
  readonly fileStore?: string
}

/** The index of a process that begins without a saved one, and has built it. */
async function open(options: ProcessOptions = {}): Promise<Process> {
  const count = { built: 0, stored: 0, written: 0 }
  const { blobs = diskBlobStore(files), fileStore = 'store' } = options
  const { index, errors } = openOtherIndex(fresh.database, {
    folder: options.folder ?? null,
    segments: { blobs, fileStore },
    beforeBuild: (kind, documents) => {
      if (['build', 'merge'].includes(kind)) count.built += documents
    },
  })
  const worker = await openWorker(fresh.database, (error) => errors.push(error))
  const counting: BlobStore = {
    ...blobs,
    async keep(file) {
      count.stored++
      const isThere = await blobs.read(file.hash).then(
        (stream) => stream.destroy() !== undefined,
        () => false,
      )
      if (!isThere) count.written++
      await blobs.keep(file)
    },
  }
  let closed: Promise<void> | undefined
  const opening: Process = {
    index,
    worker,
    errors,
    get builtDocuments() {
      return count.built
    },
    get stored() {
      return count.stored
    },
    get written() {
      return count.written
    },
    write: (by) =>
      writeSegments({
        database: fresh.database,
        index,
        blobs: counting,
        fileStore,
        worker: by?.worker ?? worker,
        clock: systemClock,
        uploadFolder: folder,
      }),
    close() {
      closed ??= Promise.all([index.close(), worker.close()]).then(() => undefined)
      return closed
    },
  }
  opened.push(opening)
  await index.whenReady()
  return opening
}

async function load(collectionName: string, docId: string, text: string): Promise<void> {
  const loaded = await loadText(deps, documentAdmin, { collectionName, metadata: { doc_id: docId }, text })
  if (!loaded.ok) throw new Error(loaded.error.kind)
}

async function found({ index }: Process, query = 'toner') {
  const wanted = { query, k: 1_000, collectionNames: ['kb'], filter: '' }
  const result = await searchDocuments({ ...deps, index }, documentAdmin, wanted)
  if (!result.ok) throw new Error(result.error.kind)
  return result.value.hits
}

async function collectionId(): Promise<number> {
  const [row] = await fresh.database.rows(sql<{ id: number }>`
    select id from docket_documents.collection where name = 'kb' and removed_position is null`)
  return row?.id ?? 0
}

async function manifestPosition(): Promise<number | undefined> {
  const [row] = await fresh.database.rows(sql<{ position: string }>`
    select position from docket_documents.segment_manifest where collection_id = ${await collectionId()}`)
  return row === undefined ? undefined : Number(row.position)
}

async function damagedSegments(): Promise<number> {
  const rows = await fresh.database.rows(sql`select from docket_documents.segment where is_damaged`)
  return rows.length
}

async function deleteAll(): Promise<void> {
  await fresh.database.rows(sql`
    with next as (select docket_documents.next_position() as position), gone as (
      update docket_documents.document d set removed_position = next.position, removed_at = localtimestamp from next
      where d.collection_id = ${await collectionId()} and d.removed_position is null and d.doc_id <> 'doc-1'
    )
    select docket_documents.reach_position(position) from next`)
}

/** The collection is rebuilt in the background; until then nothing is written. */
async function untilWritten(process: Process): Promise<void> {
  const position = process.index.position()
  while ((await manifestPosition()) !== position) await process.write()
}

function readStored(): readonly string[] {
  return readdirSync(files, { recursive: true, withFileTypes: true }).flatMap((each) =>
    each.isFile() ? [each.name] : [],
  )
}

function storedFiles(): readonly string[] {
  return readStored().map((name) => join(files, blobPath(Buffer.from(name, 'hex'))))
}

function changeByte(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  writeFileSync(path, bytes)
}
