import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

const page = `<!doctype html><html><body><p hidden>no</p>Loading<script>${'var a = 1;'.repeat(3_000)}</script></body></html>`
const warnings = ['hidden-text', 'little-text']

test('warnings are in the load, in a load of the same again, in the status and in the list (issue 11, 1.2)', async () => {
  const load = () =>
    stage.sendFile('writer', 'collection_name=warned', { name: 'a.html', bytes: page }, { doc_id: 'a' })
  expect((await load()).body).toMatchObject({ data: { result: 'created', warnings } })
  expect((await load()).body).toMatchObject({ data: { result: 'unchanged', warnings } })
  const status = await stage.send('reader', 'GET /get_document_status?collection_name=warned&id_value=a')
  expect(status.body).toMatchObject({ data: { state: 'ready', warnings } })
  const list = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=warned&details=1')
  expect(list.body).toMatchObject({ data: [{ doc_id: 'a', flags: [{ kind: 'hidden-text', count: 1 }], warnings }] })
})

test('a text without a letter or digit is 422, and leaves no collection behind (issue 11, 1.2)', async () => {
  for (const text of ['', ' \n\u00a0', '... !']) {
    const response = await stage.send('writer', 'POST /load_text_to_collection?collection_name=wordless', { text })
    expect(response).toMatchObject({ status: 422, body: { errors: [{ code: 'UNREADABLE_DOCUMENT' }] } })
  }
  const { status } = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=wordless')
  expect(status).toBe(404)
})
