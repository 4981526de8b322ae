import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type DocumentStage, setDocumentStage } from './stage.ts'

/** More than two pages of a list. */
const documents = 20_500

let stage: DocumentStage
let names: readonly string[]
beforeAll(async () => {
  stage = await setDocumentStage()
  const sent = { metadata: { doc_id: 'copy' }, text: 'The printer has no toner.' }
  const loaded = await stage.send('admin', 'POST /load_text_to_collection?collection_name=many', sent)
  expect(loaded.status, loaded.text).toBe(200)
  await stage.docket.database.rows(sql`
    insert into docket_documents.document
    select copied.* from docket_documents.document d, generate_series(1, ${documents - 1}) n,
      jsonb_populate_record(d, jsonb_build_object('id', d.id + n, 'doc_id', 'copy ' || n)) copied
    where d.doc_id = 'copy'`)
  names = ['copy', ...Array.from({ length: documents - 1 }, (_, at) => `copy ${at + 1}`)].sort()
})
afterAll(() => stage.close())

test('a list of documents without limit is whole, and streamed in pages (issue 14, 6)', async () => {
  const list = '/get_list_of_documents_names?collection_name=many'
  const whole = await stage.send('reader', `GET ${list}`)
  expect(whole.body).toEqual({ status: 'OK', data: names })
  expect(whole.headers['content-length']).toBeUndefined()
  const detailed = (await stage.send('reader', `GET ${list}&details=1`)).body as { data: readonly { doc_id: string }[] }
  expect(detailed.data.map(({ doc_id }) => doc_id)).toEqual(names)
  // One page is sent as before.
  const page = await stage.send('reader', `GET ${list}&limit=2`)
  expect(page.body).toMatchObject({ status: 'OK', data: names.slice(0, 2), next_cursor: expect.any(String) })
  const { next_cursor: cursor } = page.body as { next_cursor: string }
  const others = await stage.send('reader', `GET ${list}&cursor=${cursor}`)
  expect(others.body).toEqual({ status: 'OK', data: names.slice(2) })
})
