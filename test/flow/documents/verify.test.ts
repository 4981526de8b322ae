import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteDocument } from '../../../src/documents/delete-documents.ts'
import { loadFile, loadText } from '../../../src/documents/load-document.ts'
import { searchDocuments } from '../../../src/documents/search-documents.ts'
import { blobPath, receiveFile } from '../../../src/documents/store/blob-store.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { runCommand, startCommand } from '../../harness/run-command.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'

// Two server processes over one database and one data directory, as DOCKET_WORKERS=2 makes them.
const dataDir = temporaryFolder()
let fresh: FreshDatabase
let rooms: readonly [TestDocumentDeps, TestDocumentDeps]
beforeAll(async () => {
  fresh = await freshDatabase()
  rooms = [await openDocumentDeps(fresh, { dataDir }), await openDocumentDeps(fresh, { dataDir })]
  for (let n = 0; n < 20; n++) await load('kb', `doc-${n}`, `toner number ${n}`)
  await loadBytes('first', 'The first file.')
  await loadBytes('second', 'The second file.')
})
afterAll(async () => {
  for (const deps of rooms) await deps.close()
  await fresh.drop()
})

const load = (collectionName: string, docId: string, text: string) =>
  loadText(rooms[0], documentAdmin, { collectionName, metadata: { doc_id: docId }, text })

async function loadBytes(docId: string, bytes: string): Promise<void> {
  const file = await receiveFile(Readable.from([Buffer.from(bytes)]), join(dataDir, 'uploads'), 1e6)
  const sent = { collectionName: 'files', metadata: { doc_id: docId }, fileName: `${docId}.txt` }
  expect((await loadFile(rooms[0], documentAdmin, sent, file)).ok).toBe(true)
  rmSync(file.path)
}

const environment = () => ({ DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir })
const run = (...args: readonly string[]) => runCommand(environment(), ['documents', ...args])

const pathOf = async (docId: string): Promise<string> => {
  const [row] = await fresh.database.rows(sql<{ hash: string }>`
    select encode(blob_hash, 'hex') as hash from docket_documents.document where doc_id = ${docId} and removed_position is null`)
  return join(dataDir, 'files', blobPath(Buffer.from(row?.hash ?? '', 'hex')))
}

const idOf = async (docId: string): Promise<string> => {
  const [row] = await fresh.database.rows(sql<{ id: string }>`
    select id from docket_documents.document where doc_id = ${docId} order by id desc limit 1`)
  return row?.id ?? ''
}

const soundIndexes = (verb = '') =>
  new RegExp(`^(index of process ${process.pid} on \\S+: ${verb}22 documents, 22 chunks: sound\\n){2}`, 'm')

describe('docket documents verify', () => {
  test('finds nothing where nothing is wrong, in the index of every process', async () => {
    const { code, output } = await run('verify')
    expect(output).toMatch(/^database: 22 documents, 22 chunks: sound\nfiles: 2 files, 31 bytes: sound\n/)
    expect(output).toMatch(soundIndexes())
    expect(code).toBe(0)
  })

  test('tells files that are missing, damaged or nobody’s, and removes the latter when it is told to', async () => {
    const [first, second] = [await pathOf('first'), await pathOf('second')]
    rmSync(first)
    writeFileSync(second, 'The seconD file.')
    const orphans = ['aa', 'bb'].map((start) => Buffer.from(start.repeat(32), 'hex'))
    for (const hash of orphans) {
      mkdirSync(join(dataDir, 'files', blobPath(hash), '..'), { recursive: true })
      writeFileSync(join(dataDir, 'files', blobPath(hash)), 'whose?')
    }
    // The other file is new: it may belong to a load in progress.
    utimesSync(join(dataDir, 'files', blobPath(orphans[0] ?? Buffer.alloc(0))), 1_000, 1_000)

    const { code, output } = await run('verify')
    expect(code).toBe(1)
    expect(output).toContain('files: 2 files, 31 bytes: 3 differences\n')
    expect(output).toMatch(/^ {2}missing {2}files: first \([0-9a-f]{64}\)$/m)
    expect(output).toMatch(/^ {2}damaged {2}files: second \([0-9a-f]{64}\)$/m)
    expect(output).toContain(`  orphaned  ${'aa'.repeat(32)}, 6 bytes\n`)
    expect(output).toContain('  Load these documents again, or put their files back from a backup;')
    // A file of the right size is not read.
    expect((await run('verify', '--quick')).output).toContain('files: 2 files, 31 bytes: 2 differences\n')

    const removing = await run('verify', '--remove-orphans')
    expect(removing.output).toContain('files: 1 orphaned removed\nfiles: 2 files, 31 bytes: 2 differences\n')
    expect(readdirSync(join(dataDir, 'files', 'aa'))).toEqual([])
    expect(readdirSync(join(dataDir, 'files', 'bb')).length).toBe(1)

    writeFileSync(first, 'The first file.')
    writeFileSync(second, 'The second file.')
    expect((await run('verify')).code).toBe(0)
  })

  test('tells what the index does not agree on, and reindex mends it in every process', async () => {
    // Without an entry in the change log, like a bug of ours.
    await fresh.database.rows(sql`
      update docket_documents.chunk set text = 'modem' where document_id = ${await idOf('doc-1')}`)
    const { code, output } = await run('verify')
    expect(code).toBe(1)
    expect(output.match(/^index of process \d+ on \S+: 22 documents, 22 chunks: 1 difference$/gm)?.length).toBe(2)
    expect(output.match(/^ {2}different {2}kb: doc-1$/gm)?.length).toBe(2)
    expect(output).toContain('  Rebuild it: docket documents reindex\n')

    const repaired = await run('reindex', 'kb')
    expect(repaired.output).toMatch(soundIndexes('rebuilt, '))
    expect(repaired.code).toBe(0)
    for (const deps of rooms) {
      const found = await searchDocuments(deps, documentAdmin, {
        query: 'modem',
        k: 3,
        collectionNames: ['kb'],
        filter: '',
      })
      expect(found).toMatchObject({ ok: true, value: { hits: [{ docId: 'doc-1' }] } })
    }
  })

  test('tells documents that are not whole', async () => {
    const id = await idOf('doc-2')
    await fresh.database.rows(sql`update docket_documents.chunk set document_id = -7 where document_id = ${id}`)
    const { code, output } = await run('verify')
    expect(code).toBe(1)
    expect(output).toMatch(
      /^database: 22 documents, 21 chunks: 2 differences\n {2}incomplete {2}kb: doc-2\n {2}chunks without their document {2}\(number -7\)\n/,
    )
    await fresh.database.rows(sql`update docket_documents.chunk set document_id = ${id} where document_id = -7`)
    expect((await run('verify')).code).toBe(0)
  })
})

describe('docket documents reindex', () => {
  test('goes on beside searches, loads and deletions, none of which notices', async () => {
    let isOver = false
    const searching = async (): Promise<number> => {
      let searches = 0
      for (; !isOver; searches++) {
        const deps = rooms[searches % 2 === 0 ? 0 : 1]
        const requested = { query: 'toner', k: 100, collectionNames: ['kb'], filter: '' }
        const found = await searchDocuments(deps, documentAdmin, requested)
        if (!found.ok) throw new Error(found.error.kind)
        const ids = found.value.hits.map(({ docId }) => docId)
        // doc-1 now contains the word modem; another document is added and removed.
        expect(ids.filter((docId) => docId !== 'passing').length).toBe(19)
      }
      return searches
    }
    const loading = async (): Promise<void> => {
      while (!isOver) {
        await load('kb', 'passing', 'passing toner')
        await deleteDocument(rooms[1], documentAdmin, 'kb', 'passing')
      }
    }
    const busy = Promise.all([searching(), loading()])
    const outcome = await run('reindex')
    isOver = true
    const [searches] = await busy
    expect(outcome.errors).not.toMatch(/Error/)
    expect(outcome).toMatchObject({ code: 0, output: expect.stringMatching(/^(index of process .*: sound\n){2}$/) })
    expect(searches).toBeGreaterThan(0)
    expect((await run('verify')).code).toBe(0)
  })

  test('an unknown collection is told', async () => {
    expect(await run('reindex', 'absent')).toEqual({ code: 1, output: '', errors: 'There is no collection absent.\n' })
  })

  test('a process that ends while it is waited for is told', async () => {
    await fresh.database.rows(sql`
      insert into docket_documents.process (id, host, process_id, seen_at)
      values (gen_random_uuid(), 'elsewhere', 7, clock_timestamp() at time zone 'UTC')`)
    const newest = async () => (await fresh.database.rows(sql`select max(id) from docket_documents.index_check`))[0]
    const before = await newest()
    const waiting = startCommand(environment(), ['documents', 'reindex', 'kb'])
    // Its report never comes; after a while the process no longer counts as running.
    await expect.poll(newest, { timeout: 60_000 }).not.toEqual(before)
    await fresh.database.rows(sql`delete from docket_documents.process where host = 'elsewhere'`)
    const { code, output } = await waiting.outcome
    expect(code).toBe(1)
    expect(output).toContain(
      'index of process 7 on elsewhere: 1 difference\n  the process ended before it had finished\n',
    )
    expect(output).toMatch(soundIndexes('rebuilt, '))
  })
})

test('where nobody serves, the index that the next start begins with is compared, and rebuilt', async () => {
  for (const deps of rooms) await deps.close()
  const verified = await run('verify')
  expect(verified.output).toContain(`index in ${join(dataDir, 'index')}: 22 documents, 22 chunks: sound\n`)
  expect(verified.code).toBe(0)
  const repaired = await run('reindex')
  expect(repaired).toMatchObject({
    code: 0,
    output: `index in ${join(dataDir, 'index')}: rebuilt, 22 documents, 22 chunks: sound\n`,
  })
  rooms = [await openDocumentDeps(fresh, { dataDir }), await openDocumentDeps(fresh, { dataDir })]
  expect((await run('verify')).code).toBe(0)
})
