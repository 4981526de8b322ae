import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../../src/database/database.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { VisibleStates } from '../../src/documents/rights/visible-state.ts'
import { readCollections } from '../../src/documents/store/collections.ts'
import { type Sql, sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let deps: TestDocumentDeps
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh)
  await configureCollection(deps, documentAdmin, 'bound', { aclTable: 'task' })
  for (const [docId, text] of [
    ['a', 'The printer on the second floor has no toner.'],
    ['b', 'Принтер на втором этаже не печатает.'],
    ['c', 'The router in the hall has no power.'],
  ])
    await loadText(deps, documentAdmin, { collectionName: 'bound', metadata: { doc_id: docId }, text })
  await loadText(deps, documentAdmin, { collectionName: 'open', metadata: { doc_id: 'a' }, text: 'open' })
  await fresh.database.rows(sql`create table noted_by_others (doc_id text primary key)`)
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

async function readFrom(states: VisibleStates, rights: Sql<boolean>, session: Session = fresh.database) {
  const { collections, snapshot, position } = await readCollections(session, ['bound', 'open'])
  const state = await states.read({ collections, rights, snapshot })
  const rows = await session.rows(sql<{ doc_id: string }>`
    select doc_id from docket_documents.document where id = any (${[...state.documentIds]}::bigint[]) order by 1`)
  expect(state.position).toBe(position)
  return { names: rows.map(({ doc_id }) => doc_id).join(''), languages: state.languages.toSorted().join() }
}

/** As a rule on a table that Docket does not write. */
const unlessRecorded = sql<boolean>`not exists (select from noted_by_others n where n.doc_id = d.doc_id)`
const named = (...names: readonly string[]) => sql<boolean>`d.doc_id = any (${names}::text[])`

test('the visible documents of bound collections are read once in one state of the database (issue 8, A1)', async () => {
  // One snapshot for all statements: other tests write to the same PostgreSQL server, which counts transactions of all databases.
  await fresh.database.inTransaction(async (session) => {
    let statements = 0
    const states = new VisibleStates({
      rows: (query) => {
        statements++
        return session.rows(query)
      },
    })
    for (let times = 0; times < 3; times++)
      expect(await readFrom(states, unlessRecorded, session)).toEqual({ names: 'abc', languages: 'en,ru' })
    expect(statements).toBe(1)
  }, 'repeatable read')
})

test('they are read again when a document, or a table that a rule asks, was written (issue 8, A1)', async () => {
  const states = new VisibleStates(fresh.database)
  expect(await readFrom(states, unlessRecorded)).toEqual({ names: 'abc', languages: 'en,ru' })
  await fresh.database.rows(sql`insert into noted_by_others values ('b')`)
  expect(await readFrom(states, unlessRecorded)).toEqual({ names: 'ac', languages: 'en' })
  await fresh.database.rows(sql`
    select docket_documents.remove_document(c.id, 'c', now()::timestamp) from docket_documents.collection c where c.name = 'bound'`)
  expect(await readFrom(states, unlessRecorded)).toEqual({ names: 'a', languages: 'en' })
})

test('callers whose rights differ in a value only do not share what they see (issue 8, A1)', async () => {
  const states = new VisibleStates(fresh.database)
  await fresh.database.rows(sql`delete from noted_by_others`)
  expect(await readFrom(states, named('a'))).toEqual({ names: 'a', languages: 'en' })
  expect(await readFrom(states, named('b'))).toEqual({ names: 'b', languages: 'ru' })
  expect(await readFrom(states, named('b', 'a'))).toEqual({ names: 'ab', languages: 'en,ru' })
  expect(await readFrom(states, named())).toEqual({ names: '', languages: '' })
})

test('a running transaction does not keep a result valid beyond its end (issue 8, A1)', async () => {
  const states = new VisibleStates(fresh.database)
  await fresh.database.rows(sql`delete from noted_by_others`)
  await fresh.database.inTransaction(async (session) => {
    await session.rows(sql`insert into noted_by_others values ('a')`)
    expect((await readFrom(states, unlessRecorded)).names).toBe('ab')
    expect((await readFrom(states, unlessRecorded)).names).toBe('ab')
  })
  expect((await readFrom(states, unlessRecorded)).names).toBe('b')
})
