import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadText } from '../../../src/documents/load-document.ts'
import { searchDocuments } from '../../../src/documents/search-documents.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { runCommand } from '../../harness/run-command.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'

const dataDir = temporaryFolder()
let fresh: FreshDatabase
let deps: TestDocumentDeps
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh, { dataDir })
  for (let n = 0; n < 5; n++) await load(`doc-${n}`, [n + 1, 1, 0])
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

async function load(docId: string, vector: readonly number[]): Promise<void> {
  const metadata = { doc_id: docId }
  const text = { collectionName: 'given', metadata, text: `Text ${docId}.`, vector }
  const loaded = await loadText(deps, documentAdmin, text)
  expect(loaded.ok).toBe(true)
}

async function nearest(): Promise<readonly string[]> {
  const search = { query: '', k: 5, collectionNames: ['given'], filter: '', mode: 'vector' as const }
  const found = await searchDocuments(deps, documentAdmin, { ...search, vector: Float32Array.from([1, 1, 0]) })
  if (!found.ok) throw new Error(found.error.kind)
  return found.value.hits.map(({ docId }) => docId)
}

const verify = () =>
  runCommand({ DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir }, ['documents', 'verify'])
const change = (docId: string, set: ReturnType<typeof sql>) =>
  fresh.database.rows(sql`
    update docket_documents.chunk_embedding v set vectors = ${set} from docket_documents.document d
    where d.id = v.document_id and d.doc_id = ${docId} and d.removed_position is null`)

test('verify compares vectors that callers gave, in the database and in the memory of a process that searched them (issue 11, 2.5)', async () => {
  const before = await verify()
  expect(before.output).toMatch(/^vectors of callers: 5 documents, 5 vectors: sound$/m)
  expect(before.output).not.toMatch(/^vectors of process/m)
  expect(before.code).toBe(0)
  expect((await nearest())[0]).toBe('doc-0')
  const searched = await verify()
  expect(searched.output).toMatch(/^vectors of process \d+ on \S+: 5 documents, 5 vectors: sound$/m)
  expect(searched.code).toBe(0)

  // Directly in the database, like a bug of ours or a careless change by hand.
  await change('doc-1', sql`overlay(vectors placing '\\x00000000'::bytea from 1)`)
  await change('doc-2', sql`substr(vectors, 1, 8)`)
  await fresh.database.rows(sql`
    delete from docket_documents.chunk_embedding v using docket_documents.document d
    where d.id = v.document_id and d.doc_id = 'doc-3'`)
  const { code, output } = await verify()
  expect(code).toBe(1)
  expect(output).toMatch(/^vectors of callers: 5 documents, 4 vectors: 3 differ/m)
  for (const line of ['different  given: doc-1', 'wrong-length  given: doc-2', 'missing  given: doc-3'])
    expect(output).toContain(line)
  expect(output).toContain('Load these documents again with their vectors')

  for (const [docId, n] of [
    ['doc-1', 2],
    ['doc-2', 3],
    ['doc-3', 4],
  ] as const)
    await load(docId, [n, 2, 0])
  await nearest()
  const after = await verify()
  expect(after.output).toMatch(/^vectors of callers: 5 documents, 5 vectors: sound$/m)
  expect(after.code).toBe(0)
})
