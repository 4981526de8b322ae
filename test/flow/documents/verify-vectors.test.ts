import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteDocument } from '../../../src/documents/delete-documents.ts'
import { loadText } from '../../../src/documents/load-document.ts'
import { searchDocuments } from '../../../src/documents/search-documents.ts'
import { inputsHash } from '../../../src/embeddings/store/due-for-embedding.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { documentAdmin, openDocumentDeps, type TestDocumentDeps } from '../../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import {
  embedByMeaning,
  type ModelResponder,
  type ModelStandIn,
  startModelStandIn,
} from '../../harness/model-stand-in.ts'
import { runCommand } from '../../harness/run-command.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'

// Two server processes over one database, which share the vectors of a model and hold them in memory each.
const dataDir = temporaryFolder()
let fresh: FreshDatabase
let model: ModelStandIn
let rooms: readonly [TestDocumentDeps, TestDocumentDeps]
beforeAll(async () => {
  fresh = await freshDatabase()
  model = await startModelStandIn()
  const address = { url: model.embeddingsUrl, key: null, model: 'stand-in', dimensions: null, textsOfRequest: 32 }
  const embeddings = { ...address, timeoutMs: 60_000, queryTimeoutMs: 60_000, textPrefix: '', queryPrefix: '' }
  rooms = [
    await openDocumentDeps(fresh, { dataDir, embeddings }),
    await openDocumentDeps(fresh, { dataDir, embeddings }),
  ]
  for (let n = 0; n < 10; n++) await load(`doc-${n}`, `The printer number ${n}.`)
  // More chunks than one row of vectors has.
  for (const name of ['long', 'longer'])
    await load(
      name,
      Array.from({ length: 40 }, (_, n) => `Vacation ${n} ${name}. ${'Sun and sea. '.repeat(75)}`).join('\n\n'),
    )
  await untilAllAreMade()
})
afterAll(async () => {
  for (const deps of rooms) await deps.close()
  await model.stop()
  await fresh.drop()
})

const load = (docId: string, text: string) =>
  loadText(rooms[0], documentAdmin, { collectionName: 'kb', metadata: { doc_id: docId }, text })

/** Delays the model. @returns a function that lets it continue */
function holdUp(): () => void {
  const held: Parameters<ModelResponder>[] = []
  model.embeddings = (...requested) => void held.push(requested)
  return () => {
    model.embeddings = embedByMeaning()
    for (const requested of held) model.embeddings(...requested)
  }
}

async function untilAllAreMade(): Promise<void> {
  const due = () =>
    fresh.database.rows(sql`
      select from docket_documents.document_embedding where position is null and trouble is null`)
  while ((await due()).length > 0) await pause(10)
  // Both processes have the vectors.
  for (const deps of rooms) await deps.embeddings?.follow()
}

const run = (...args: readonly string[]) =>
  runCommand({ DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir }, ['documents', ...args])

const idOf = async (docId: string): Promise<string> => {
  const [row] = await fresh.database.rows(sql<{ id: string }>`
    select id from docket_documents.document where doc_id = ${docId} and removed_position is null`)
  return row?.id ?? ''
}

const near = async (deps: TestDocumentDeps, query: string): Promise<readonly string[]> => {
  const requested = { query, k: 3, collectionNames: ['kb'], filter: '', mode: 'hybrid' as const }
  const found = await searchDocuments(deps, documentAdmin, requested)
  if (!found.ok) throw new Error(found.error.kind)
  expect(found.value).toMatchObject({ mode: 'hybrid', warnings: [] })
  return found.value.hits.map(({ docId }) => docId)
}

const stored = (rest: string) => new RegExp(`^vectors of stand-in: ${rest}`, 'm')
const held = /^(vectors of process \d+ on \S+: 12 documents, \d+ vectors: sound\n)/gm
/** The lines of both processes alternate: index, vectors, index, vectors. */
const heldLines = (output: string): number => output.match(held)?.length ?? 0

async function expectSound(): Promise<void> {
  const { code, output } = await run('verify')
  expect(output).toMatch(stored('12 documents, \\d+ vectors: sound\n'))
  expect(heldLines(output)).toBe(2)
  expect(code).toBe(0)
}

test('verify counts the vectors of a model, and of every process', async () => {
  await expectSound()
})

describe('verify tells what is wrong of the vectors that are stored, and reindex has them rebuilt', () => {
  test('by document, of whatever kind it is', async () => {
    // Directly in the database, like a bug of ours or a careless change by hand.
    const harms = [
      [
        'missing',
        'long',
        (id: string) => sql`
        delete from docket_documents.chunk_embedding where document_id = ${id} and first_chunk = 32`,
      ],
      ['missing', 'doc-1', (id: string) => sql`delete from docket_documents.chunk_embedding where document_id = ${id}`],
      [
        'missing',
        'doc-2',
        (id: string) => sql`
        with gone as (delete from docket_documents.chunk_embedding where document_id = ${id})
        delete from docket_documents.document_embedding where document_id = ${id}`,
      ],
      [
        'wrong-length',
        'doc-3',
        (id: string) => sql`
        update docket_documents.chunk_embedding set vectors = vectors || vectors where document_id = ${id}`,
      ],
      [
        'wrong-length',
        'longer',
        (id: string) => sql`
        update docket_documents.chunk_embedding set vectors = substr(vectors, 1, octet_length(vectors) - 8)
        where document_id = ${id} and first_chunk = 0`,
      ],
      [
        'wrong-length',
        'doc-4',
        (id: string) => sql`
        update docket_documents.chunk_embedding set vectors = substr(vectors, 1, 7) where document_id = ${id}`,
      ],
      [
        'stale',
        'doc-5',
        (id: string) => sql`
        update docket_documents.chunk set text = 'Отпуск.' where document_id = ${id}`,
      ],
      [
        'stale',
        'doc-6',
        (id: string) => sql`
        update docket_documents.document set title = 'Vacation' where id = ${id}`,
      ],
    ] as const
    for (const [, docId, harm] of harms) await fresh.database.rows(harm(await idOf(docId)))
    const { code, output } = await run('verify')
    expect(code).toBe(1)
    expect(output).toMatch(stored('11 documents, \\d+ vectors: 8 differences\n'))
    for (const [kind, docId] of harms) expect(output).toContain(`  ${kind}  kb: ${docId}\n`)
    expect(output).toContain('  Rebuild them: docket documents reindex\n')
    const repaired = await run('reindex')
    expect(repaired.output).toMatch(/^vectors: 8 documents due, servers with the model make them\n/)
    expect(repaired.code).toBe(0)
    await untilAllAreMade()
    await expectSound()
  })

  test('what is rebuilt is what is searched from then on, by every process', async () => {
    for (const deps of rooms) expect(await near(deps, 'отпуск')).toContain('doc-5')
  })

  test('vectors of a document or of a model that is not there', async () => {
    await fresh.database.rows(sql`
      insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
      select model_id, -7, 0, vectors from docket_documents.chunk_embedding where first_chunk = 0 limit 1`)
    await fresh.database.rows(sql`
      insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
      select 4711, document_id, 0, vectors from docket_documents.chunk_embedding
      where document_id = ${await idOf('doc-1')}`)
    const { code, output } = await run('verify')
    expect(code).toBe(1)
    expect(output).toMatch(/^vectors of nothing: 2 differences\n {2}without document or model {2}\(/m)
    expect((await run('reindex', 'kb')).code).toBe(0)
    await expectSound()
  })

  test('what a model rejected is told, and tried once more by reindex', async () => {
    await fresh.database.rows(sql`
      update docket_documents.document_embedding set position = null, trouble = 'status 400', attempts = 3
      where document_id = ${await idOf('doc-7')}`)
    const { code, output } = await run('verify')
    expect(output).toMatch(stored('11 documents, \\d+ vectors, 1 given up: sound\n'))
    expect(code).toBe(0)
    expect((await run('reindex', 'kb')).output).toMatch(/^vectors: 1 document due/)
    await untilAllAreMade()
    await expectSound()
  })

  test('what is due is no fault', async () => {
    const letGo = holdUp()
    await load('doc-9', 'The printer number nine speaks.')
    const { code, output } = await run('verify')
    expect(output).toMatch(stored('11 documents, \\d+ vectors, 1 due: sound\n'))
    expect(code).toBe(0)
    letGo()
    await untilAllAreMade()
    await expectSound()
  })
})

describe('verify tells what a process holds wrongly in its memory, and reindex mends it', () => {
  async function expectReported(kind: string, docId: string): Promise<void> {
    const { code, output } = await run('verify')
    expect(code).toBe(1)
    const described = new RegExp(
      `^vectors of process \\d+ on \\S+: 1\\d documents, \\d+ vectors: 1 difference\\n {2}${kind} {2}${docId}`,
      'gm',
    )
    expect(output.match(described)).toHaveLength(2)
    expect((await run('reindex')).code).toBe(0)
  }

  test('other vectors than are stored', async () => {
    await fresh.database.rows(sql`
      update docket_documents.chunk_embedding set vectors = overlay(vectors placing '\\x0000a040'::bytea from 1)
      where document_id = ${await idOf('doc-1')}`)
    await expectReported('different', 'kb: doc-1')
    await expectSound()
  })

  test('none of a document that has them', async () => {
    const letGo = holdUp()
    await load('unseen', 'The printer that nobody sees.')
    const id = await idOf('unseen')
    // At a sequence number that every process has passed.
    await fresh.database.rows(sql`
      insert into docket_documents.chunk_embedding (model_id, document_id, first_chunk, vectors)
      select model_id, ${id}, 0, vectors from docket_documents.chunk_embedding where document_id = ${await idOf('doc-1')}`)
    await fresh.database.rows(sql`
      update docket_documents.document_embedding e set position = 0, inputs_hash = ${inputsHash}
      from docket_documents.document d where d.id = e.document_id and d.id = ${id}`)
    await expectReported('missing', 'kb: unseen')
    letGo()
    await deleteDocument(rooms[0], documentAdmin, 'kb', 'unseen')
    await expectSound()
  })

  test('those of a document that is not there', async () => {
    await load('lost', 'The printer that was lost.')
    await untilAllAreMade()
    const id = await idOf('lost')
    for (const table of [sql`chunk_embedding`, sql`document_embedding`, sql`chunk`])
      await fresh.database.rows(sql`delete from docket_documents.${table} where document_id = ${id}`)
    await fresh.database.rows(sql`delete from docket_documents.document where id = ${id}`)
    await expectReported('left-over', `\\(number ${id}, cleared away\\)`)
    await expectSound()
  })
})

test('a document that is deleted takes its vectors out of what is compared', async () => {
  await load('passing', 'The printer that passes.')
  await untilAllAreMade()
  await deleteDocument(rooms[1], documentAdmin, 'kb', 'passing')
  await expectSound()
})
