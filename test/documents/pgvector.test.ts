import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeSchema } from '../../src/backup/schema/describe-schema.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { errorKindOf } from '../../src/database/database-error-kind.ts'
import { beginHistory } from '../../src/database/database-history.ts'
import { deleteCollection, deleteDocument } from '../../src/documents/delete-documents.ts'
import { loadText } from '../../src/documents/load-document.ts'
import { searchDocuments } from '../../src/documents/search-documents.ts'
import { clearCollections, clearDocuments } from '../../src/documents/store/clear-away.ts'
import { fillSome, readFillState } from '../../src/embeddings/pgvector/fill-pgvector.ts'
import { PgvectorEngine } from '../../src/embeddings/pgvector/pgvector-engine.ts'
import { preparePgvector } from '../../src/embeddings/pgvector/prepare-pgvector.ts'
import { compileSql, sql } from '../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../harness/document-deps.ts'
import { freshDatabase } from '../harness/fresh-database.ts'
import { type PgvectorDatabase, pgvectorDatabase } from '../harness/pgvector-database.ts'

// PostgreSQL in WebAssembly takes its time.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 })

describe('tables of pgvector', () => {
  let fresh: PgvectorDatabase
  let deps: TestDocumentDeps
  const collectionName = 'given'
  /** Enough for a graph, and for more than a search returns. */
  const count = 16

  beforeAll(async () => {
    fresh = await pgvectorDatabase()
    deps = await openDeps()
    for (let at = 0; at < count; at++) await load(`d${at}`, [1, at, at % 7, 0])
    await engineOf(deps)
  })
  afterAll(async () => {
    try {
      await deps.close()
    } catch (error) {
      // The failover below cuts all connections.
      const isOfCut = (each: unknown): boolean =>
        errorKindOf(each) === 'unreachable' || /the connection broke/.test(String(each))
      expect((error as AggregateError).errors.filter((each) => !isOfCut(each))).toEqual([])
    } finally {
      await fresh.drop()
    }
  })

  const openDeps = () => openDocumentDeps(fresh, { vectors: { kind: 'pgvector', minGraphChunks: 12 } })
  async function engineOf({ givenVectors }: TestDocumentDeps): Promise<PgvectorEngine> {
    const engine = await givenVectors.index()
    await engine.whenReady()
    if (!(engine instanceof PgvectorEngine)) throw new Error('another engine is open')
    return engine
  }
  async function load(docId: string, given: readonly number[]): Promise<void> {
    const sent = { collectionName, metadata: { doc_id: docId }, text: `document ${docId}`, vector: given }
    expect(await loadText(deps, documentAdmin, sent)).toMatchObject({ ok: true })
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

  async function find(by: Float32Array = vector): Promise<readonly string[]> {
    const response = await searchDocuments(deps, documentAdmin, { ...search, vector: by })
    if (!response.ok) throw new Error(JSON.stringify(response.error))
    return response.value.hits.map(({ docId }) => docId)
  }

  test('a process that dies while it copies leaves nothing of it: the next search copies all, and is right', async () => {
    const { modelId } = await engineOf(deps)
    const before = await find()
    // An open engine copies every second what is missing.
    await deps.close()
    await fresh.database.rows(sql`
      with emptied as (delete from docket_vectors.chunk)
      update docket_vectors.model set position = 0 where model_id = ${modelId}`)
    const applicationName = 'dies while it copies'
    const own = openDatabase({
      connectionString: fresh.connectionString,
      maxConnections: 1,
      statementTimeoutMs: 30_000,
      applicationName,
    })
    let copied = 0
    const dying: Database = {
      ...own,
      inTransaction: (work) =>
        own.inTransaction((session) =>
          work({
            ...session,
            run: session.run,
            async rows(query) {
              // All vectors are written, and the sequence number is not.
              if (compileSql(query).sql.includes('update docket_vectors.model')) {
                copied = (await session.rows(sql`select from docket_vectors.chunk`)).length
                fresh.cut(applicationName)
              }
              return session.rows(query)
            },
          }),
        ),
    }
    try {
      await expect(
        fillSome({ database: dying, modelId, types: await preparePgvector(fresh.database) }),
      ).rejects.toThrow()
    } finally {
      await own.close()
    }
    expect(copied).toBe(count)
    expect(await countOf(sql`docket_vectors.chunk`)).toBe(0)
    expect(await readFillState(fresh.database, modelId)).toMatchObject({ position: 0 })
    deps = await openDeps()
    expect(await find()).toEqual(before)
    expect(await (await engineOf(deps)).verify(false)).toMatchObject({ vectors: count, differences: 0 })
  })

  test('after a failover to a standby that lacked the last commits, searches are right, and nothing differs', async () => {
    const engine = await engineOf(deps)
    const byLast = Float32Array.of(0, 0, 0, 1)
    const before = [await find(), await find(byLast)]
    const [nearest = ''] = before[0] ?? []
    const copy = await fresh.copyData()
    for (let at = 0; at < 12; at++) await load(`lost${at}`, [0, 0, 0, 1])
    await deleteDocument(deps, documentAdmin, collectionName, nearest)
    while ((await clearDocuments(fresh.database, new Date(Date.now() + 3_600_000))) > 0) {
      // There may be more work.
    }
    expect((await find(byLast)).every((docId) => docId.startsWith('lost'))).toBe(true)
    expect(await find()).not.toContain(nearest)
    await fresh.replaceData(copy)
    await beginHistory(fresh.database)
    expect([await find(), await find(byLast)]).toEqual(before)
    expect(await countOf(sql`docket_vectors.chunk`)).toBe(count)
    expect(await engine.verify(false)).toMatchObject({ documents: count, vectors: count, differences: 0 })
    await load('new', [0, 0, 0, 1])
    expect((await find(byLast))[0]).toBe('new')
    expect(await engine.verify(false)).toMatchObject({ documents: count + 1, vectors: count + 1, differences: 0 })
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
