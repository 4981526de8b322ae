import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoCollections } from '../../src/demo/demo-collections.ts'
import { fillCollections } from '../../src/documents/fill-collections.ts'
import { listCollectionNames } from '../../src/documents/list-collections.ts'
import { listDocumentNames } from '../../src/documents/list-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { administratorId } from '../../src/identity/administrator.ts'
import { callerWith, documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

const collections = demoCollections()
const by = { by: administratorId, now: new Date(Date.UTC(2026, 0, 2)) }

let fresh: FreshDatabase
let deps: TestDocumentDeps
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.inTransaction((session) => fillCollections(session, collections, by))
  deps = await openDocumentDeps(fresh)
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

const reader = callerWith(['document_reader'])
const find = async (query: string, collectionNames: readonly string[]) => {
  const found = await searchDocuments(deps, reader, { query, k: 10, collectionNames, filter: '' })
  return found.ok ? found.value.hits.map(({ docId }) => docId) : found.error
}

describe('the collections of the first start', () => {
  test('hold every article and every page about Docket', async () => {
    expect(await listCollectionNames(deps, reader)).toEqual({ ok: true, value: ['docket-docs', 'knowledge'] })
    for (const { name, texts } of collections) {
      const docIds = texts.map(({ metadata }) => String(metadata['doc_id'])).sort()
      const listed = await listDocumentNames(deps, reader, {
        collectionName: name,
        filter: '',
        limit: 10_000,
        after: null,
      })
      expect(listed).toEqual({ ok: true, value: { documents: docIds, next: null } })
    }
    const pages = collections.find(({ name }) => name === 'docket-docs')?.texts ?? []
    expect(pages.map(({ metadata }) => metadata['doc_id'])).toEqual(
      expect.arrayContaining(['README.md', 'docs/ARCHITECTURE.md', 'docs/operators.md', 'docs/decisions/http.md']),
    )
  })

  test.each([
    ['VPN-809', 'knowledge', 'en-vpn-809-gateway-does-not-answer'],
    ['роутер дома не пропускает VPN-809', 'knowledge', 'ru-vpn-809-doma'],
    ['how do I release a print job with my badge', 'knowledge', 'en-badge-release-prn-017'],
    ['DOCKET_STATEMENT_TIMEOUT_MS', 'docket-docs', 'docs/settings.md'],
  ])('answer "%s" from %s', async (query, collection, docId) => {
    expect(await find(query, [collection])).toContain(docId)
  })

  test('are what loading their texts makes: loading them again changes nothing', async () => {
    for (const { name, texts } of collections)
      for (const { metadata, text } of texts)
        expect(await loadText(deps, documentAdmin, { collectionName: name, metadata, text })).toMatchObject({
          ok: true,
          value: { result: 'unchanged', version: 1 },
        })
  })

  test('are left as they are when they are filled again', async () => {
    const changed = {
      collectionName: 'knowledge',
      metadata: { doc_id: 'en-mfa-105-codes-always-wrong' },
      text: 'Ours.',
    }
    expect(await loadText(deps, documentAdmin, changed)).toMatchObject({ ok: true, value: { result: 'replaced' } })
    await fresh.database.inTransaction((session) => fillCollections(session, collections, by))
    expect(await loadText(deps, documentAdmin, changed)).toMatchObject({ ok: true, value: { result: 'unchanged' } })
  })
})
