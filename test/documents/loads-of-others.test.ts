import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { configureCollection } from '../../src/documents/configure-collection.ts'
import type { DocumentDeps } from '../../src/documents/document-deps.ts'
import { startLoadWorker } from '../../src/documents/queue-loads.ts'
import { MissingFile } from '../../src/documents/store/blob-store.ts'
import { addLoad } from '../../src/documents/store/loads.ts'
import { compileSql, sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  const deps = await openDocumentDeps(fresh)
  await configureCollection(deps, documentAdmin, 'kb', {})
  await deps.close()
})
afterAll(() => fresh.drop())

const count = 5

async function queueSome(): Promise<void> {
  const [collection] = await fresh.database.rows(sql<{ id: number }>`select id from docket_documents.collection`)
  for (let at = 0; at < count; at++)
    await addLoad(fresh.database, {
      collectionId: collection?.id ?? 0,
      docId: `d${at}`,
      recordId: null,
      blobHash: Buffer.alloc(32, at),
      size: 1,
      fileName: `d${at}.txt`,
      charset: null,
      metadata: {},
      replaces: [],
      requestedBy: documentAdmin.userId,
      requestedAt: new Date(),
    })
}

test('a server takes no loads whose files other servers have, and forgets them once they are done', async () => {
  let excluded: readonly unknown[] = []
  const database: Database = {
    ...fresh.database,
    rows: (query) => {
      const { sql: text, parameters } = compileSql(query)
      if (text.includes('for update skip locked'))
        excluded = parameters.find((each) => Array.isArray(each)) as unknown[]
      return fresh.database.rows(query)
    },
  }
  await queueSome()
  const deps = {
    database,
    blobs: {
      fetch: async (hash: Buffer) => {
        throw new MissingFile(hash, new Error('not here'))
      },
    },
    fileStores: { areSeveral: async () => true },
  } as unknown as DocumentDeps
  const errors: unknown[] = []
  const worker = startLoadWorker(deps, { number: () => null }, (error) => void errors.push(error))
  try {
    const polling = { timeout: 20_000 }
    await expect.poll(() => excluded.length, polling).toBe(count)
    await fresh.database.rows(sql`update docket_documents.load set state = 'ready'`)
    await expect.poll(() => excluded.length, polling).toBe(0)
  } finally {
    await worker.close()
  }
  expect(errors).toEqual([])
})
