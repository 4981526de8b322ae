import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database, Session } from '../../src/database/database.ts'
import { readIds } from '../../src/database/read-ids.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { verifyGivenVectors } from '../../src/documents/maintenance/verify-given-vectors.ts'
import { verifySource } from '../../src/documents/maintenance/verify-source.ts'
import { VisibleStates } from '../../src/documents/rights/visible-state.ts'
import { callerModel, readCollections } from '../../src/documents/store/collections.ts'
import { readChanges, readLogState } from '../../src/documents/sync/read-document-changes.ts'
import { readForgotten } from '../../src/embeddings/store/read-vectors.ts'
import { repairStoredVectors, verifyStoredVectors } from '../../src/embeddings/verify-stored-vectors.ts'
import { removeAll } from '../../src/follow/remove-all.ts'
import { compileSql, type Sql, sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

/** Ten ids are in the range of a page. */
const idsApart = 6_553
const documents = 3_000

let fresh: FreshDatabase
let deps: TestDocumentDeps
let expected: readonly number[]
beforeAll(async () => {
  fresh = await freshDatabase()
  deps = await openDocumentDeps(fresh)
  await configureCollection(deps, documentAdmin, 'many', { aclTable: 'task' })
  const sent = { collectionName: 'many', metadata: { doc_id: 'first' }, text: 'The printer has no toner.' }
  await loadText(deps, documentAdmin, sent)
  await fresh.database.rows(sql`
    insert into docket_documents.document
    select copied.* from docket_documents.document d, generate_series(1, ${documents - 1}) n,
      jsonb_populate_record(d, jsonb_build_object('id', d.id + n * ${idsApart}::bigint, 'doc_id', 'copy ' || n,
        'language', case when n % 3 = 0 then 'ru' else d.language end)) copied`)
  const rows = await fresh.database.rows(sql<{ id: string }>`select id from docket_documents.document order by id desc`)
  expected = rows.map(({ id }) => Number(id)).toSorted((one, other) => one - other)
})
afterAll(async () => {
  await deps.close()
  await fresh.drop()
})

/** Records the length of the longest text of a result, also of one that is JSON. */
function recordLongest(): { readonly session: Pick<Session, 'rows'>; longest(): number } {
  let longest = 0
  const rows: Session['rows'] = async <Row>(query: Sql<Row>) => {
    const found = await fresh.database.rows(query)
    for (const row of found as readonly Record<string, unknown>[])
      for (const value of Object.values(row)) longest = Math.max(longest, String(JSON.stringify(value)).length)
    return found
  }
  return { session: { rows }, longest: () => longest }
}

/** Records the number of values of the longest array that a statement of a transaction sends. */
function recordSent(): { readonly database: Database; longest(): number } {
  let longest = 0
  const { inTransaction } = fresh.database
  const database: Database = {
    ...fresh.database,
    inTransaction: (work, isolation) =>
      inTransaction((session) => {
        const rows: Session['rows'] = (query) => {
          for (const value of compileSql(query).parameters)
            if (Array.isArray(value)) longest = Math.max(longest, value.length)
          return session.rows(query)
        }
        return work({ ...session, rows })
      }, isolation),
  }
  return { database, longest: () => longest }
}

test('the ids that a filter leaves come in strings whose length does not grow with their number (issue 14, 6)', async () => {
  const { session, longest } = recordLongest()
  const ids = await readIds(session, sql`select d.id from docket_documents.document d order by md5(d.doc_id)`)
  expect([...ids]).toEqual(expected)
  expect(longest()).toBeLessThan(200)
  expect([...(await readIds(session, sql`select d.id from docket_documents.document d where false`))]).toEqual([])
})

test('so do the ids of visible documents, with each language once (issue 14, 6)', async () => {
  const { session, longest } = recordLongest()
  const { collections, snapshot } = await readCollections(fresh.database, ['many'])
  const state = await new VisibleStates(session).read({ collections, rights: sql<boolean>`true`, snapshot })
  expect([...state.documentIds]).toEqual(expected)
  expect(state.languages.toSorted()).toEqual(['en', 'ru'])
  expect(longest()).toBeLessThan(200)
  const none = await new VisibleStates(session).read({ collections, rights: sql<boolean>`false`, snapshot })
  expect(none).toMatchObject({ position: state.position, languages: [] })
  expect([...none.documentIds]).toEqual([])
})

test('documents that are not whole are listed one by one (issue 14, 6)', async () => {
  const { session, longest } = recordLongest()
  // Only the first one has chunks.
  expect((await verifySource(session)).differences).toHaveLength(documents - 1)
  expect(longest()).toBeLessThan(200)
})

test('so are documents whose vectors are missing; they become due in pages, and so do those that the model rejected', async () => {
  const { session, longest } = recordLongest()
  await fresh.database.rows(sql`
    select docket_documents.use_embedding_model('stand-in', 0, '', 'stand-in', true, localtimestamp)`)
  await fresh.database.rows(
    sql`update docket_documents.embedding_model set made_due_up_to = due_up_to where not is_caller`,
  )
  const { models } = await verifyStoredVectors(session)
  expect(models[0]?.differences.map(({ documentId }) => documentId)).toEqual(expected)
  expect(longest()).toBeLessThan(200)
  const { database, longest: longestSent } = recordSent()
  expect(await repairStoredVectors(database, null)).toBe(documents)
  expect((await verifyStoredVectors(session)).models).toMatchObject([{ due: documents, differences: [] }])
  await fresh.database.rows(sql`update docket_documents.document_embedding set trouble = 'too long', attempts = 3`)
  expect(await repairStoredVectors(database, ['other'])).toBe(0)
  expect(await repairStoredVectors(database, ['many'])).toBe(documents)
  expect((await verifyStoredVectors(session)).models).toMatchObject([{ due: documents, givenUp: 0 }])
  expect(longestSent()).toBeLessThanOrEqual(2_000)
})

test('so are documents that lack the vectors that were given (issue 14, 6)', async () => {
  const { session, longest } = recordLongest()
  await fresh.database.rows(
    sql`update docket_documents.collection set embeddings_model = ${callerModel}, vector_length = 2`,
  )
  await fresh.database.rows(sql`update docket_documents.document set vector_hash = sha256('one')`)
  const given = await verifyGivenVectors(session)
  expect(given).toMatchObject({ documents, vectors: 0 })
  expect(given.differences).toHaveLength(documents)
  expect(longest()).toBeLessThan(200)
})

test('when a collection is emptied at once, its removals are read in steps, and their ids one by one (issue 14, 6)', async () => {
  const { collections } = await readCollections(fresh.database, ['many'])
  const { position: before } = await readLogState(fresh.database)
  await removeAll(deps, collections[0]?.id ?? 0)
  for (const alsoGone of [true, false]) {
    const found: number[] = []
    for (let after = before, isMore = true; isMore; ) {
      const changes = await readChanges(fresh.database, after, alsoGone)
      expect(changes.removed.length).toBeLessThanOrEqual(2_000)
      expect(changes.removed.every(({ position }) => position > after && position <= changes.position)).toBe(true)
      found.push(...changes.removed.map(({ documentId }) => documentId))
      ;({ position: after, isMore } = changes)
    }
    expect(found.toSorted((one, other) => one - other)).toEqual(expected)
  }
  const { session, longest } = recordLongest()
  const { documentIds } = await readForgotten(session, before, new Date(Date.UTC(2100, 0, 1)))
  expect(documentIds.toSorted((one, other) => one - other)).toEqual(expected)
  expect(longest()).toBeLessThan(200)
})
