import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { type Content, readContent } from '../../src/documents/read-content.ts'
import { clearDocuments } from '../../src/documents/store/clear-away.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

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

/** More chunks than are read at once. */
const long = Array.from({ length: 400 }, (_, at) => `Paragraph ${at}. ${'word '.repeat(180)}`).join('\n\n')

async function contentOf(docId: string, text: string): Promise<Content> {
  const sent = { collectionName: 'kb', metadata: { doc_id: docId }, text }
  expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
  const wanted = { collectionName: 'kb', filter: `doc_id=${docId}`, limit: 1, after: null }
  const page = await readContent(deps, documentAdmin, wanted)
  if (!page.ok) throw new Error(page.error.kind)
  return page.value.documents[0] as Content
}

async function clearAway(docId: string): Promise<void> {
  expect(await deleteDocument(deps, documentAdmin, 'kb', docId)).toMatchObject({ ok: true })
  expect(await clearDocuments(fresh.database, new Date(Date.now() + 60_000))).toBe(1)
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

test('a text whose document is cleared away before it is read is an error, and not empty (issue 14)', async () => {
  const content = await contentOf('short', 'A short text.')
  expect(await joined(content.text())).toBe('A short text.')
  await clearAway('short')
  await expect(joined(content.text())).rejects.toThrow('was cleared away while its text was read')
})

test('nor does a text end in the middle when its document is cleared away (issue 14)', async () => {
  const content = await contentOf('long', long)
  expect(await joined(content.text())).toBe(long)
  const pieces = content.text()[Symbol.asyncIterator]()
  expect((await pieces.next()).done).toBe(false)
  await clearAway('long')
  await expect(pieces.next()).rejects.toThrow('was cleared away while its text was read')
})
