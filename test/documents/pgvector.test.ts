import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeSchema } from '../../src/backup/schema/describe-schema.ts'
import { deleteCollection } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { clearCollections, clearDocuments } from '../../src/documents/store/clear-away.ts'
import { PgvectorEngine } from '../../src/embeddings/pgvector/pgvector-engine.ts'
import { preparePgvector } from '../../src/embeddings/pgvector/prepare-pgvector.ts'
import { sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { pgvectorDatabase } from '../harness/pgvector-database.ts'

// PostgreSQL in WebAssembly takes its time.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 })

describe('tables of pgvector', () => {
  let fresh: FreshDatabase
  let deps: TestDocumentDeps
  const collectionName = 'given'
  /** Enough for a graph, and for more than a search returns. */
  const count = 16

  beforeAll(async () => {
    fresh = await pgvectorDatabase()
    deps = await openDocumentDeps(fresh, { vectors: { kind: 'pgvector', minGraphChunks: 12 } })
    for (let at = 0; at < count; at++) {
      const sent = {
        collectionName,
        metadata: { doc_id: `d${at}` },
        text: `document ${at}`,
        vector: [1, at, at % 7, 0],
      }
      expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
    }
    await engineOf(deps)
  })
  afterAll(async () => {
    await deps.close()
    await fresh.drop()
  })

  async function engineOf({ givenVectors }: TestDocumentDeps): Promise<PgvectorEngine> {
    const engine = await givenVectors.index()
    await engine.whenReady()
    if (!(engine instanceof PgvectorEngine)) throw new Error('another engine is open')
    return engine
  }
  const countOf = async (from: ReturnType<typeof sql>) =>
    Number((await fresh.database.rows(sql<{ count: string }>`select count(*) from ${from}`))[0]?.count)
  const vector = Float32Array.of(1, 0, 0, 0)
  const search = { query: '', k: 10, filter: '', mode: 'vector', vector, collectionNames: [collectionName] } as const

  test('a comparison with the stored vectors finds what differs and what is missing, and repairs it', async () => {
    const engine = await engineOf(deps)
    const [different, missing] = await fresh.database.rows(sql<{ id: string }>`
      select document_id as id from docket_vectors.chunk order by document_id limit 2`)
    await fresh.database.rows(sql`
      update docket_vectors.chunk set embedding = '[0,0,0,1]' where document_id = ${different?.id}::bigint`)
    await fresh.database.rows(sql`delete from docket_vectors.chunk where document_id = ${missing?.id}::bigint`)
    expect(await engine.verify(false)).toEqual({
      documents: count,
      vectors: count,
      differences: 2,
      examples: [
        { kind: 'different', documentId: Number(different?.id) },
        { kind: 'missing', documentId: Number(missing?.id) },
      ],
    })
    expect(await engine.verify(true)).toMatchObject({ differences: 0 })
    expect(await engine.verify(false)).toMatchObject({ differences: 0 })
  })

  test('a large collection is searched by its graph; the graph goes after its collection', async () => {
    const engine = await engineOf(deps)
    await engine.buildGraphs()
    const graphs = sql`pg_class where relname like 'graph%'`
    expect(await countOf(graphs)).toBe(1)
    await fresh.database.rows(sql`set enable_sort = off`)
    expect(await searchDocuments(deps, documentAdmin, search)).toMatchObject({ ok: true })
    await fresh.database.rows(sql`select pg_stat_force_next_flush()`)
    expect(await countOf(sql`pg_stat_user_indexes where indexrelname like 'graph%' and idx_scan > 0`)).toBe(1)
    await deleteCollection(deps, documentAdmin, collectionName)
    await fresh.database.rows(
      sql`update docket_documents.document set removed_at = '2020-01-01' where removed_at is not null`,
    )
    await fresh.database.rows(
      sql`update docket_documents.collection set removed_at = '2020-01-01' where removed_at is not null`,
    )
    while ((await clearDocuments(fresh.database, new Date())) > 0) {
      // There may be more work.
    }
    await clearCollections(fresh.database, new Date())
    expect(await countOf(sql`docket_vectors.chunk`)).toBe(0)
    await engine.buildGraphs()
    expect(await countOf(graphs)).toBe(0)
  })

  test('a backup describes nothing of it', async () => {
    const { uncovered, tables } = await describeSchema(fresh.database)
    expect(uncovered).toEqual([])
    expect(tables.filter(({ name }) => name.includes('docket_vectors'))).toEqual([])
  })

  test('a version without vectors of 16 bits ends the start', async () => {
    const [row] = await fresh.database.rows(
      sql<{ version: string }>`select extversion as version from pg_extension where extname = 'vector'`,
    )
    await fresh.database.rows(sql`update pg_extension set extversion = '0.6.2' where extname = 'vector'`)
    try {
      await expect(preparePgvector(fresh.database)).rejects.toThrow(
        'DOCKET_VECTORS is pgvector, and the database has its version 0.6.2: install 0.7 or newer, and let an administrator of the database run "alter extension vector update". Or leave DOCKET_VECTORS at built-in.',
      )
    } finally {
      await fresh.database.rows(sql`update pg_extension set extversion = ${row?.version} where extname = 'vector'`)
    }
  })
})

test('a database without pgvector ends the start', async ({ skip }) => {
  const fresh = await freshDatabase()
  try {
    const available = await fresh.database.rows(sql`select from pg_available_extensions where name = 'vector'`)
    if (available.length > 0) skip('the server of the tests has pgvector')
    await expect(openDocumentDeps(fresh, { vectors: { kind: 'pgvector' } })).rejects.toThrow(
      'DOCKET_VECTORS is pgvector, and the database does not have this extension (extension "vector" is not available): install pgvector 0.7 or newer on the server of the database, and let an administrator of the database run "create extension vector". Or leave DOCKET_VECTORS at built-in.',
    )
  } finally {
    await fresh.drop()
  }
})
