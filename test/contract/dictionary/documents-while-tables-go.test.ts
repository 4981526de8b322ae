import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { admin } from '../../harness/fresh-database.ts'
import { type DictionaryDesk, openDesk } from './dictionary-desk.ts'

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

test('requests for documents are served while a table is dropped to which a collection is bound', async () => {
  const { database } = desk.docket
  const shelf = await desk.table('shelf')
  await desk.column('shelf', 'name', 'string')
  const record = await desk.record('shelf', { name: 'Top' })
  expect((await desk.send('PUT /collections/shelves', { acl_table: 'shelf' })).status).toBe(200)
  const load = (collection_name: string, metadata: Readonly<Record<string, string>>) =>
    desk.send('POST /load_text_to_collection', { collection_name, text: 'Hammer', metadata })
  expect((await load('shelves', { sys_id: record })).status).toBe(200)
  expect((await load('open', { doc_id: 'one' })).status).toBe(200)
  const waiting = async () =>
    (await database.rows(sql`select from pg_locks where relation = 'docket.shelf'::regclass and not granted`)).length
  const patience = { timeout: 20_000, interval: 10 }
  const lines = [
    'GET /get_relevant_documents?query=hammer',
    'GET /get_list_of_collection?details=1',
    'GET /collections/shelves',
    'GET /get_content_by_tag?collection_name=shelves',
    'GET /get_list_of_documents_names?collection_name=shelves',
  ]
  // As a DELETE of the row of sys_db_table does it, but waiting until all requests wait for the table.
  const { sent, attached } = await database.inTransaction(async (session) => {
    await session.rows(sql`lock table docket.shelf in access exclusive mode`)
    const sent = lines.map((line) => desk.send(line))
    const attached = desk.docket.request('POST', `/v1/attachments/upload/shelf/${record}`, {
      as: admin,
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
      body: '--B\r\nContent-Disposition: form-data; name="files[]"; filename="a.txt"\r\n\r\nx\r\n--B--\r\n',
    })
    await expect.poll(waiting, patience).toBe(lines.length + 1)
    await session.rows(sql`delete from docket.sys_db_column where table_id = ${shelf}::bigint`)
    await session.rows(sql`delete from docket.sys_db_table where sys_id = ${shelf}::bigint`)
    await session.rows(sql`drop table docket.shelf`)
    await session.rows(sql`update docket_system.epoch set catalog = catalog + 1`)
    return { sent, attached }
  })
  const responses = await Promise.all(sent)
  expect(responses.map(({ status }, index) => `${status} ${lines[index]}`)).toEqual(lines.map((line) => `200 ${line}`))
  const documents = responses.map(({ body }) => (body as { data: { doc_id?: string }[] }).data)
  expect(documents[0]?.map(({ doc_id }) => doc_id)).toEqual(['one'])
  expect((await attached).status).toBe(404)
  expect([documents[3], documents[4]]).toEqual([[], []])
})
