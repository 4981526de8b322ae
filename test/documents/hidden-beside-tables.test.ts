import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DocumentStage, setDocumentStage } from '../contract/documents/stage.ts'
import { addCopies } from '../harness/document-copies.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'

/**
 * Searches of an open collection in a table of LanceDB together with a bound one, which is in memory (docs/decisions/0056). Hidden
 * documents of the bound one change no byte of a response. The law is test/laws/documents-non-interference.test.ts.
 */

/** More than a table needs, and than are chosen of LanceDB's proposals. */
const manyDocuments = 1_200
const records = { readable: '700000000', hidden: '700000001' }
const words = ['printer', 'toner', 'copy', 'tray', 'принтер', 'ERR-42', 'vpn']

let fresh: FreshDatabase
let stage: DocumentStage
beforeAll(async () => {
  fresh = await freshDatabase()
  const environment = {
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_LANCEDB_MIN_CHUNKS: '1000',
    DOCKET_LANCEDB_PACKAGES: resolve('test/lancedb'),
  }
  stage = await setDocumentStage({ fresh, environment })
  await fresh.database.rows(sql`
    insert into docket.task (sys_id, sys_db_table_id, subject, active)
    select r.sys_id::bigint, (select sys_id from docket.sys_db_table where name = 'task'), 'subject', r.active
    from (values (${records.readable}, true), (${records.hidden}, false)) as r (sys_id, active)`)
  await fresh.database.rows(sql`delete from docket.sys_security_acl where table_name = 'task'`)
  await fresh.database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
    values ('read', 'task', '{}', 'active=true', true)`)
  for (let at = 0; at < 20; at++)
    await load('open', `open-${at}`, `toner ${words.filter((_, word) => (at >> (word % 5)) % 2 === 0).join(' ')}`)
  await addCopies(fresh.database, 'open', manyDocuments)
  expect((await stage.send('admin', 'PUT /collections/bound', { acl_table: 'task' })).status).toBe(200)
  await load('bound', 'hidden', 'toner that is hidden', records.hidden)
  for (let at = 0; at < 6; at++)
    await load('bound', `bound-${at}`, `${words[at]} toner ${words[at + 1]} of a record`, records.readable)
  await stage.close()
  // A start moves at once what is large.
  stage = await setDocumentStage({ fresh, environment: { ...environment, DOCKET_SEARCH: 'lancedb' } })
  while ((await namedTables()).length === 0) await pause(20)
})
afterAll(async () => {
  await stage.close()
  await fresh.drop()
})

const namedTables = () =>
  fresh.database.rows(sql<{ name: string }>`
    select c.name from docket_documents.segment s join docket_documents.collection c on c.id = s.collection_id
    where s.table_name is not null`)

async function load(collection: string, docId: string, text: string, record?: string): Promise<void> {
  const metadata = { doc_id: docId, ...(record !== undefined && { sys_id: record }) }
  const { status, text: response } = await stage.send(
    'admin',
    `POST /load_text_to_collection?collection_name=${collection}`,
    { metadata, text },
  )
  expect(status, response).toBe(200)
}

const searches = [
  'toner',
  'toner copy printer',
  'printer tray ERR-42',
  '"toner printer"',
  'prniter',
  'принтре vpn',
  'record',
].flatMap((query) =>
  [
    { k: 10, collection_names: ['open', 'bound'] },
    { k: 50, metadata: 'doc_idLIKEo' },
    { k: 5, group_by: 'document', collapse: 'duplicates', context: 1, min_relevance: 0.05 },
  ].map(({ k, ...body }) => ({
    line: `POST /get_relevant_documents?k=${k}&query=${encodeURIComponent(query)}`,
    body: { ...body, explain: true },
  })),
)

async function responses(as: 'reader' | 'admin'): Promise<readonly string[]> {
  const texts: string[] = []
  for (const { line, body } of searches) {
    const { status, text } = await stage.send(as, line, body)
    expect(status, text).toBe(200)
    texts.push(text)
  }
  return texts
}

test('hidden documents of a bound collection change no byte of searches that also go over a table of LanceDB (issue 14, 5)', async () => {
  const before = await responses('reader')
  const ofAdmin = await responses('admin')
  const isFrom = (name: string) => before.filter((text) => text.includes(`"collection_name":"${name}"`)).length
  expect(Math.min(isFrom('open'), isFrom('bound'))).toBeGreaterThan(searches.length / 2)
  const expectUnchanged = async (): Promise<void> => {
    for (const [at, response] of (await responses('reader')).entries())
      expect({ search: searches[at], response }).toEqual({ search: searches[at], response: before[at] })
  }
  const hidden = fc.record({
    docId: fc.constantFrom('h0', 'h1', 'h2'),
    text: fc.array(fc.constantFrom(...words, 'prniter', 'принтре', 'record', 'toner printer'), {
      minLength: 1,
      maxLength: 30,
    }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(hidden, { minLength: 1, maxLength: 5 }), async (documents) => {
      for (const { docId, text } of documents) await load('bound', docId, text.join(' '), records.hidden)
      await expectUnchanged()
    }),
    { numRuns: 8 },
  )
  // The states do differ.
  expect(await responses('admin')).not.toEqual(ofAdmin)
  // Of the first document, which is hidden: as many as a table needs.
  await addCopies(fresh.database, 'bound', manyDocuments)
  await expectUnchanged()
  for (const docId of ['h0', 'hidden'])
    await stage.send('admin', `DELETE /delete_document_from_collection?collection_name=bound&id_value=${docId}`)
  await expectUnchanged()
  expect((await namedTables()).map(({ name }) => name)).toEqual(['open'])
}, 120_000)
