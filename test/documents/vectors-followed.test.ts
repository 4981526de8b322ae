import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loadText } from '../../src/documents/load-document.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
/** One process loads, the other one follows; nobody searches. */
let loading: TestDocumentDeps
let following: TestDocumentDeps
/** Statements of the process that follows. */
const statements: { readonly name: string; readonly rows: number }[] = []
const rowsOf = (name: string) => statements.filter((each) => each.name === name).map(({ rows }) => rows)
beforeAll(async () => {
  fresh = await freshDatabase()
  loading = await openDocumentDeps(fresh)
  // Loops of the process begin their turns when the test says so.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { database } = fresh
  following = await openDocumentDeps({
    ...fresh,
    database: {
      ...database,
      async run(statement, values) {
        const rows = await database.run(statement, values)
        statements.push({ name: statement.name, rows: rows.length })
        return rows
      },
    },
  })
})
afterAll(async () => {
  await following.close()
  vi.useRealTimers()
  await loading.close()
  await fresh.drop()
})

test('vectors of other processes are read within a second, with one statement for all of them (issue 14, 4)', async () => {
  await (await following.givenVectors.index()).whenReady()
  const documents = 10
  for (let at = 0; at < documents; at++) {
    const metadata = { doc_id: `d${at}` }
    const sent = { collectionName: 'given', metadata, text: `document ${at}`, vector: [1, at] }
    expect(await loadText(loading, documentAdmin, sent)).toMatchObject({ ok: true })
  }
  statements.length = 0
  vi.advanceTimersByTime(1_000)
  await expect.poll(() => rowsOf('read-vectors')).toEqual([documents])
  // The next turns find nothing.
  vi.advanceTimersByTime(1_000)
  await expect.poll(() => rowsOf('read-embedding-model-positions').length).toBeGreaterThan(1)
  expect(rowsOf('read-vectors')).toEqual([documents])
})
