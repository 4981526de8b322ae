import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { requestReindex } from '../../src/documents/sync/read-collection.ts'
import { sql } from '../../src/kernel/sql.ts'
import { unpackRanking } from '../../src/search-engine/ranking/pack-ranking.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { openOtherIndex } from '../harness/open-other-index.ts'

let fresh: FreshDatabase
let deps: TestDocumentDeps
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh)
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})
beforeEach(async () => {
  for (const name of ['kb', 'other']) await deleteCollection(deps, documentAdmin, name)
})

const nothingAmiss = { differences: 0, examples: [] }

test('an index that followed loads, replacements and deletions is what the database says', async () => {
  await loadSome(deps, 30)
  await load(deps, 'doc-3', 'toner again, another text')
  await deleteDocument(deps, documentAdmin, 'kb', 'doc-5')
  await load(deps, 'elsewhere', 'toner of another collection', 'other')
  const described: unknown[] = []
  expect(await deps.index.verify((progress) => described.push(progress))).toEqual({
    documents: 30,
    chunks: 30,
    ...nothingAmiss,
  })
  expect(described.at(-1)).toEqual({ documents: 30, of: 30 })
})

test('what the index and the database do not agree on is named, and gone when the index is rebuilt', async () => {
  await loadSome(deps, 12)
  const ids = await idsOf(['doc-1', 'doc-2', 'doc-3', 'doc-4'])
  const [changed, lost, cut, hidden] = [ids.get('doc-1'), ids.get('doc-2'), ids.get('doc-3'), ids.get('doc-4')]
  // Behind the back of the change log, as a fault of ours would do it.
  await fresh.database.rows(sql`update docket_documents.chunk set text = 'modem' where document_id = ${changed}`)
  await fresh.database.rows(sql`delete from docket_documents.document where id = ${lost}`)
  await fresh.database.rows(sql`update docket_documents.document set chunk_count = 2 where id = ${cut}`)
  await deleteDocument(deps, documentAdmin, 'kb', 'doc-4')
  await fresh.database.rows(sql`
    update docket_documents.document set removed_position = null, removed_at = null where id = ${hidden}`)

  const check = await deps.index.verify()
  const collectionId = await collectionIdOf('kb')
  expect({ ...check, examples: new Set(check.examples) }).toEqual({
    documents: 11,
    chunks: 11,
    differences: 4,
    examples: new Set([
      { kind: 'different', collectionId, documentId: changed },
      { kind: 'left-over', collectionId, documentId: lost },
      { kind: 'incomplete', collectionId, documentId: cut },
      { kind: 'missing', collectionId, documentId: hidden },
    ]),
  })

  await fresh.database.rows(sql`update docket_documents.document set chunk_count = 1 where id = ${cut}`)
  const described: unknown[] = []
  await deps.index.rebuild(collectionId, (progress) => described.push(progress))
  expect(described).toEqual([{ documents: 11, of: 11 }])
  expect(await deps.index.verify()).toEqual({ documents: 11, chunks: 11, ...nothingAmiss })
  expect(await found(deps, 'modem', 'kb')).toEqual(['doc-1'])
})

test('a rebuilt index gives the same results, and what was loaded and deleted meanwhile counts', async () => {
  await loadSome(deps, 40)
  const collectionId = await collectionIdOf('kb')
  const before = await hits(deps, 'toner printer')
  const rebuilding = deps.index.rebuild(collectionId)
  await load(deps, 'doc-x', 'toner loaded meanwhile')
  await deleteDocument(deps, documentAdmin, 'kb', 'doc-7')
  await load(deps, 'doc-8', 'toner replaced meanwhile')
  const during = await hits(deps, 'toner printer')
  await rebuilding
  expect(await hits(deps, 'toner printer')).toEqual(during)
  await deleteDocument(deps, documentAdmin, 'kb', 'doc-x')
  await load(deps, 'doc-7', textOf(7))
  await load(deps, 'doc-8', textOf(8))
  await deps.index.rebuild(null)
  expect((await hits(deps, 'toner printer')).map(withoutLoad)).toEqual(before.map(withoutLoad))
  expect(await deps.index.verify()).toEqual({ documents: 40, chunks: 40, ...nothingAmiss })
})

test('every process makes its index again when it is asked through the change log', async () => {
  await loadSome(deps, 5)
  const other = await openDocumentDeps(fresh)
  const ids = await idsOf(['doc-2'])
  await fresh.database.rows(sql`
    update docket_documents.chunk set text = 'modem' where document_id = ${ids.get('doc-2')}`)
  for (const process of [deps, other]) expect((await process.index.verify()).differences).toBe(1)
  await requestReindex(fresh.database, [await collectionIdOf('kb')])
  for (const process of [deps, other]) {
    await process.index.refresh()
    // A comparison waits for what was asked before it.
    expect(await process.index.verify()).toEqual({ documents: 5, chunks: 5, ...nothingAmiss })
    expect(await found(process, 'modem', 'kb')).toEqual(['doc-2'])
  }
  await other.close()
})

test('merges in the background change no result: equal scores stay in the order of doc_id', async () => {
  const other = await openDocumentDeps(fresh)
  const docIds = Array.from({ length: 40 }, (_, at) => `same-${(at * 17) % 40}`)
  const inOrder: string[] = []
  for (const [at, docId] of docIds.entries()) {
    await load(at % 2 === 0 ? deps : other, docId, 'the very same words about a plotter')
    inOrder.push(docId)
    inOrder.sort()
    for (const process of [deps, other]) expect(await found(process, 'plotter', 'kb')).toEqual(inOrder)
  }
  for (const process of [deps, other]) {
    // What waits in turn is done when this is.
    await process.index.verify()
    const { segments } = await process.index.counts()
    expect(segments).toBeLessThan(docIds.length)
    expect(await found(process, 'plotter', 'kb')).toEqual(inOrder)
  }
  await other.close()
})

const damages: readonly [name: string, damage: (file: string) => void][] = [
  ['cut short', (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
  ['empty', (file) => truncateSync(file, 0)],
  ['changed in one byte', changeOneByte],
  ['gone', (file) => rmSync(file)],
]
test.each(damages)(
  'a saved index with a file that is %s is noticed at the start, and rebuilt',
  async (_name, damage) => {
    await loadSome(deps, 10)
    await deleteDocument(deps, documentAdmin, 'kb', 'doc-6')
    const expected = await hits(deps, 'toner printer')
    const dataDir = mkdtempSync(join(tmpdir(), 'docket-index-'))
    const folder = join(dataDir, 'index')
    try {
      await (await openDocumentDeps(fresh, { dataDir })).close()
      const files = readdirSync(folder)
      expect(files.some((name) => name.endsWith('.segment'))).toBe(true)
      for (const name of files) {
        const kept = new Map(readdirSync(folder).map((each) => [each, readFileSync(join(folder, each))]))
        damage(join(folder, name))
        const reopened = await openDocumentDeps(fresh, { dataDir })
        expect(await hits(reopened, 'toner printer'), name).toEqual(expected)
        expect((await reopened.index.verify()).differences).toBe(0)
        await reopened.close()
        for (const [each, bytes] of kept) writeFileSync(join(folder, each), bytes)
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

test('a saved index of another version is rebuilt, though it is whole', async () => {
  await loadSome(deps, 10)
  const expected = await hits(deps, 'toner printer')
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-index-'))
  try {
    await (await openDocumentDeps(fresh, { dataDir })).close()
    const file = join(dataDir, 'index', 'manifest.json')
    const { manifest } = JSON.parse(readFileSync(file, 'utf8')) as { manifest: object }
    for (const other of [{ formatVersion: 0 }, { termsVersion: 0 }]) {
      // What it says of the database is wrong: whoever took it over would find nothing.
      const changed = { ...manifest, ...other, segments: [] }
      writeFileSync(file, JSON.stringify({ checksum: crc32(JSON.stringify(changed)), manifest: changed }))
      const reopened = await openDocumentDeps(fresh, { dataDir })
      expect(await hits(reopened, 'toner printer')).toEqual(expected)
      await reopened.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('a saved index is taken over and only what is new is read', async () => {
  await loadSome(deps, 10)
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-index-'))
  try {
    await (await openDocumentDeps(fresh, { dataDir })).close()
    // Whoever reads the old texts again finds this.
    const ids = await idsOf(['doc-2'])
    await fresh.database.rows(sql`
      update docket_documents.chunk set text = 'modem' where document_id = ${ids.get('doc-2')}`)
    await load(deps, 'new', 'modem that came later')
    const reopened = await openDocumentDeps(fresh, { dataDir })
    expect(await found(reopened, 'modem', 'kb')).toEqual(['new'])
    await reopened.close()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('a saved index of version 4, whose segments have a CRC-32, is taken over (issue 14, 2)', async () => {
  await loadSome(deps, 10)
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-index-'))
  try {
    await (await openDocumentDeps(fresh, { dataDir })).close()
    const folder = join(dataDir, 'index')
    const file = join(folder, 'manifest.json')
    const { manifest } = JSON.parse(readFileSync(file, 'utf8')) as {
      manifest: { readonly segments: readonly { readonly segmentId: string }[] }
    }
    const segments = manifest.segments.map((each) => ({
      ...each,
      checksum: crc32(readFileSync(join(folder, `${each.segmentId}.segment`))),
    }))
    const earlier = { ...manifest, formatVersion: 4, segments }
    writeFileSync(file, JSON.stringify({ checksum: crc32(JSON.stringify(earlier)), manifest: earlier }))
    const ids = await idsOf(['doc-2'])
    await fresh.database.rows(sql`
      update docket_documents.chunk set text = 'modem' where document_id = ${ids.get('doc-2')}`)
    await fresh.database.rows(sql`
      delete from docket_documents.document_terms where document_id = ${ids.get('doc-2')}`)
    const reopened = await openDocumentDeps(fresh, { dataDir })
    expect(await found(reopened, 'modem', 'kb')).toEqual([])
    await reopened.close()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('when a thread dies, the next results are the same', async () => {
  await loadSome(deps, 10)
  const collectionId = await collectionIdOf('kb')
  const { index, errors, crash } = openOtherIndex(fresh.database)
  const search = async () =>
    unpackRanking(
      await index.withSnapshot((view) =>
        view.search(index.position(), {
          collectionIds: [collectionId],
          terms: [{ term: 'toner', count: 1 }],
          options: { k: 20 },
        }),
      ),
    )
  await index.whenReady()
  const before = await search()
  expect(before.ranked.length).toBeGreaterThan(3)
  for (const threads of [['search'], ['writer'], ['search', 'writer'], ['build'], ['search', 'writer', 'build']]) {
    await crash(...threads)
    await index.whenReady()
    expect(await search(), threads.join()).toEqual(before)
    expect((await index.verify()).differences).toBe(0)
  }
  await index.close()
  expect(errors).toEqual([])
})

// ── what the tests say ──

async function load(process: TestDocumentDeps, docId: string, text: string, collectionName = 'kb'): Promise<void> {
  const loaded = await loadText(process, documentAdmin, { collectionName, metadata: { doc_id: docId }, text })
  if (!loaded.ok) throw new Error(loaded.error.kind)
}

const words = ['toner', 'printer', 'queue', 'router', 'вирус']
function textOf(at: number): string {
  return Array.from({ length: 4 + (at % 5) }, (_, n) => words[(at * 3 + n * n) % words.length]).join(' ')
}

async function loadSome(process: TestDocumentDeps, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await load(process, `doc-${at}`, textOf(at))
}

async function hits(process: TestDocumentDeps, query: string, collection = 'kb') {
  const response = await searchDocuments(process, documentAdmin, {
    query,
    k: 1_000,
    collectionNames: [collection],
    filter: '',
  })
  if (!response.ok) throw new Error(response.error.kind)
  return response.value.hits
}

async function found(process: TestDocumentDeps, query: string, collection: string): Promise<readonly string[]> {
  return (await hits(process, query, collection)).map(({ docId }) => docId)
}

/** Another load has another id, and another time. */
function withoutLoad({ documentId: _, loadedAt: _at, ...hit }: Awaited<ReturnType<typeof hits>>[number]) {
  return hit
}

async function collectionIdOf(name: string): Promise<number> {
  const [row] = await fresh.database.rows(sql<{ id: number }>`
    select id from docket_documents.collection where name = ${name} and removed_position is null`)
  return row?.id ?? 0
}

async function idsOf(docIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await fresh.database.rows(sql<{ id: string; doc_id: string }>`
    select id, doc_id from docket_documents.document
    where doc_id = any (${docIds}::text[]) and removed_position is null and collection_id = ${await collectionIdOf('kb')}`)
  return new Map(rows.map(({ id, doc_id }) => [doc_id, Number(id)]))
}

function changeOneByte(file: string): void {
  const bytes = readFileSync(file)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(file, bytes)
}
