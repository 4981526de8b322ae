import { expect, test, beforeAll, afterAll } from 'vitest'
import { openLexicalIndex, type LexicalIndex } from '../../src/documents/index/lexical-index.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import type { DocumentRoom } from '../../src/documents/document-room.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Principal } from '../../src/identity/principal.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let room: DocumentRoom
let index: LexicalIndex
beforeAll(async () => {
  fresh = await freshDatabase()
  index = await openLexicalIndex({ database: fresh.database, folder: null, clock: systemClock, onTrouble: (error) => { throw error } })
  room = { database: fresh.database, index, clock: systemClock }
})
afterAll(async () => {
  await index.close()
  await fresh.drop()
})
const admin: Principal = { userId: '155931135900000001', userName: 'admin', displayName: 'A', roles: new Set(['admin', 'document_reader', 'document_writer']), roleKey: '', groupIds: [], language: 'en', timeZone: 'UTC' }

test('a text that was loaded is found, replaced and found as it is now', async () => {
  const load = (text: string, doc_id: string) => loadText(room, admin, { collectionName: 'kb', metadata: { doc_id, priority: 1 }, text })
  expect(await load('The printer on the second floor is out of toner.', 'a')).toEqual({ ok: true, value: { docId: 'a', collectionName: 'kb', result: 'created', version: 1, chunks: 1, characters: 48, pages: null, mediaType: 'text/plain', language: 'en' } })
  console.log(index.counts())
  expect(await load('Принтер на втором этаже печатает бледно.', 'b')).toMatchObject({ value: { result: 'created', language: 'ru' } })
  const t = performance.now()
  const found = await searchDocuments(room, admin, { query: 'принтеры printers', k: 3, collectionNames: null })
  console.log(JSON.stringify(found), performance.now() - t)
  expect(await load('The printer on the second floor is out of toner.', 'a')).toMatchObject({ value: { result: 'unchanged', version: 1 } })
  expect(await load('The scanner works.', 'a')).toMatchObject({ value: { result: 'replaced', version: 2 } })
  expect(await searchDocuments(room, admin, { query: 'printers', k: 3, collectionNames: ['kb'] })).toEqual({ ok: true, value: [] })
})
