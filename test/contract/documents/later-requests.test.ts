import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConverterStandIn, oldWord, respondWithPage, startConverter } from '../../harness/converter-stand-in.ts'
import { type DocumentStage, ok, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
let converter: ConverterStandIn
beforeAll(async () => {
  converter = await startConverter()
  stage = await setDocumentStage({ environment: { DOCKET_CONVERTER_URL: converter.url } })
})
afterAll(async () => {
  await stage.close()
  await converter.stop()
})

/** Queues loads that are under way until somebody responds for the converter. */
async function queueHeld(collection: string, docIds: readonly string[]): Promise<readonly ServerResponse[]> {
  const held: ServerResponse[] = []
  const areHeld = new Promise<void>((resolve) => {
    converter.respond = (response) => {
      held.push(response)
      if (held.length === docIds.length) resolve()
    }
  })
  for (const docId of docIds) {
    const file = { name: `${docId}.doc`, bytes: oldWord(`${collection} ${docId}`) }
    const queued = await stage.sendFile('writer', `collection_name=${collection}&async=1`, file, { doc_id: docId })
    expect(queued.status).toBe(202)
  }
  await areHeld
  return held
}

/** Resolves when the queued load that is held has ended: a process does two loads at once, and both are others then. */
async function finish(collection: string, held: readonly ServerResponse[]): Promise<void> {
  for (const response of held) respondWithPage('The earlier pelican.')(response)
  for (const response of await queueHeld(collection, ['b', 'c'])) response.writeHead(422).end()
}

const loadText = (collection: string, text: string) =>
  stage.send('writer', `POST /load_text_to_collection?collection_name=${collection}`, {
    text,
    metadata: { doc_id: 'a' },
  })
const find = (collection: string) =>
  stage.send('reader', `GET /get_relevant_documents?query=pelican&collection_names=${collection}`)
const statusOf = (collection: string) =>
  stage.send('reader', `GET /get_document_status?collection_name=${collection}&id_value=a`)

test('a load that was requested before another of the same document does not replace it', async () => {
  const held = await queueHeld('replaced', ['a'])
  expect((await loadText('replaced', 'The later pelican.')).body).toMatchObject({ data: { result: 'created' } })
  await finish('replaced', held)
  expect((await find('replaced')).body).toMatchObject({ data: [{ doc_id: 'a', text: 'The later pelican.' }] })
  expect((await statusOf('replaced')).body).toMatchObject({ data: { state: 'ready', version: 1, error: null } })
})

test('nor when the later load changes nothing', async () => {
  await loadText('unchanged', 'The same pelican.')
  const held = await queueHeld('unchanged', ['a'])
  expect((await loadText('unchanged', 'The same pelican.')).body).toMatchObject({ data: { result: 'unchanged' } })
  await finish('unchanged', held)
  expect((await find('unchanged')).body).toMatchObject({ data: [{ doc_id: 'a', text: 'The same pelican.' }] })
})

test('a later load that fails leaves the earlier one', async () => {
  const held = await queueHeld('failed', ['a'])
  const broken = { name: 'a.pdf', bytes: '%PDF-1.7\nbroken' }
  expect((await stage.sendFile('writer', 'collection_name=failed', broken, { doc_id: 'a' })).status).toBe(422)
  await finish('failed', held)
  expect((await find('failed')).body).toMatchObject({ data: [{ doc_id: 'a', text: 'The earlier pelican.' }] })
})

test('a document that was deleted after a load of it was requested does not come back', async () => {
  await loadText('deleted', 'The deleted pelican.')
  const held = await queueHeld('deleted', ['a'])
  const deletion = 'DELETE /delete_document_from_collection?collection_name=deleted&id_value=a'
  expect((await stage.send('writer', deletion)).body).toEqual(
    ok({ description: 'Documents successfully deleted.', count: 1 }),
  )
  await finish('deleted', held)
  expect((await find('deleted')).body).toMatchObject({ data: [] })
  const { status, body } = await statusOf('deleted')
  expect({ status, body }).toEqual({ status: 404, body: rejected('NOT_FOUND', 'There is no document a.') })
})
