import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clearLoads, deletePending } from '../../../src/documents/store/clear-away.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type ConverterStandIn, oldWord, respondWithPage, startConverter } from '../../harness/converter-stand-in.ts'
import { type DocumentStage, ok, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
let converter: ConverterStandIn
beforeAll(async () => {
  converter = await startConverter()
  stage = await setDocumentStage({ environment: { DOCKET_CONVERTER_URL: converter.url } })
  await stage.send('writer', 'POST /load_text_to_collection?collection_name=there', { text: 'It is there.' })
})
afterAll(async () => {
  await stage.close()
  await converter.stop()
})

const brokenPdf = '%PDF-1.7\nnot really'
const loadFile = (collection: string, docId: string, bytes: string | Uint8Array, more = '') =>
  stage.sendFile('writer', `collection_name=${collection}${more}`, { name: 'a', bytes }, { doc_id: docId })
const statusOf = (collection: string, docId: string, more = '') =>
  stage.send('reader', `GET /get_document_status?collection_name=${collection}&id_value=${docId}${more}`)
/** Resolves when the queued load has ended. */
const untilItEnds = (collection: string, docId: string) => statusOf(collection, docId, '&stream=1')

/** No endpoint may reveal the collection. */
async function expectAbsent(collection: string): Promise<void> {
  expect((await stage.send('reader', 'GET /get_list_of_collection')).body).toEqual(
    ok(expect.not.arrayContaining([collection])),
  )
  const details = await stage.send('admin', 'GET /get_list_of_collection?details=1')
  expect(details.text).not.toContain(`"${collection}"`)
  const absent = { status: 404, body: rejected('NOT_FOUND', `There is no collection ${collection}.`) }
  for (const line of [
    `GET /get_list_of_documents_names?collection_name=${collection}`,
    `GET /get_relevant_documents?query=x&collection_names=${collection}`,
    `GET /get_content_by_tag?collection_name=${collection}`,
    `GET /get_document_file?collection_name=${collection}&id_value=a`,
    `GET /get_document_status?collection_name=${collection}&id_value=nobody`,
    `DELETE /delete_document_from_collection?collection_name=${collection}&id_value=a`,
    `GET /collections/${collection}`,
  ]) {
    const { status, body } = await stage.send('admin', line)
    expect([line, { status, body }]).toEqual([line, absent])
  }
}

describe('a first load that fails leaves no collection behind', () => {
  test.each([
    ['a file that cannot be read', () => loadFile('first', 'a', brokenPdf), 422],
    ['a format that nobody reads', () => loadFile('first', 'a', Buffer.from('89504e470d0a1a0a00000000', 'hex')), 422],
    [
      'metadata that does not fit',
      () => stage.send('writer', 'POST /load_text_to_collection?collection_name=first', { text: 'x', metadata: [1] }),
      422,
    ],
    [
      'a text that is none',
      () => stage.send('writer', 'POST /load_text_to_collection?collection_name=first', { text: 5 }),
      422,
    ],
    [
      'a caller who may not',
      () => stage.send('reader', 'POST /load_text_to_collection?collection_name=first', { text: 'x' }),
      403,
    ],
  ])('%s', async (_what, load, status) => {
    converter.respond = (response) => void response.writeHead(415).end()
    expect((await load()).status).toBe(status)
    await expectAbsent('first')
  })

  test('the one after it makes the collection, as if there had been none', async () => {
    await loadFile('second', 'a', brokenPdf)
    expect((await loadFile('second', 'a', 'It can be read.')).body).toMatchObject({
      data: { result: 'created', version: 1 },
    })
    const made = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=second')
    expect(made.body).toEqual(ok(['a']))
  })

  test('queued: its status says why, its collection is nowhere', async () => {
    expect((await loadFile('queued', 'a', brokenPdf, '&async=1')).status).toBe(202)
    await untilItEnds('queued', 'a')
    expect((await statusOf('queued', 'a')).body).toMatchObject({
      data: { state: 'failed', version: null, error: { code: 'UNREADABLE_DOCUMENT' } },
    })
    await expectAbsent('queued')
    const deleted = await stage.send('writer', 'DELETE /delete_collection?collection_name=queued')
    expect(deleted.body).toEqual(rejected('NOT_FOUND', 'There is no collection queued.'))
  })
})

/** Holds the conversions of the next loads until `letGo`. */
function holdUp(): {
  letGo: (respond: (response: ServerResponse) => void) => void
  until: (requested: number) => Promise<void>
} {
  const held: ServerResponse[] = []
  const from = converter.requested
  converter.respond = (response) => void held.push(response)
  return {
    letGo(respond) {
      converter.respond = respond
      for (const response of held) respond(response)
    },
    async until(requested) {
      while (converter.requested < from + requested) await pause(10)
    },
  }
}

describe('loads at once into a collection that is not there', () => {
  test.each(['', '&async=1'])('one fails, one succeeds, in either order%s', async (more) => {
    for (const name of ['failsfirst', 'failslast']) {
      const collection = `${name}${more === '' ? '' : 'later'}`
      const hold = holdUp()
      const loading = loadFile(collection, 'held', oldWord(collection), more)
      await hold.until(1)
      // Meanwhile, another load begins and ends.
      const other = await loadFile(collection, 'other', name === 'failsfirst' ? brokenPdf : 'A plain text.', more)
      expect(other.status).toBe(more === '' ? (name === 'failsfirst' ? 422 : 200) : 202)
      if (more !== '') await untilItEnds(collection, 'other')
      if (name === 'failsfirst') await expectAbsent(collection)
      hold.letGo(
        name === 'failsfirst' ? respondWithPage('A converted text.') : (response) => void response.writeHead(422).end(),
      )
      await loading
      if (more !== '') await untilItEnds(collection, 'held')
      const documents = await stage.send('reader', `GET /get_list_of_documents_names?collection_name=${collection}`)
      expect(documents.body).toEqual(ok([name === 'failsfirst' ? 'held' : 'other']))
    }
  })

  test('all fail: nothing is left; all succeed: all are there', async () => {
    const all = (collection: string, bytes: string) =>
      Promise.all(Array.from({ length: 6 }, (_, n) => loadFile(collection, `d${n}`, `${bytes} ${n}`)))
    for (const { status } of await all('allfail', brokenPdf)) expect(status).toBe(422)
    await expectAbsent('allfail')
    for (const { status } of await all('allsucceed', 'A text with the number')) expect(status).toBe(200)
    const documents = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=allsucceed')
    expect(documents.body).toEqual(ok(['d0', 'd1', 'd2', 'd3', 'd4', 'd5']))
  })

  test('while the first is under way nobody sees its collection, but how the load goes', async () => {
    const hold = holdUp()
    expect((await loadFile('underway', 'a', oldWord('underway'), '&async=1')).status).toBe(202)
    await hold.until(1)
    expect((await statusOf('underway', 'a')).body).toMatchObject({ data: { state: 'extracting', version: null } })
    expect((await statusOf('underway', 'b')).body).toEqual(rejected('NOT_FOUND', 'There is no collection underway.'))
    await expectAbsent('underway')
    hold.letGo(respondWithPage('A pelican has come.'))
    await untilItEnds('underway', 'a')
    const found = await stage.send('reader', 'GET /get_relevant_documents?query=pelican&collection_names=underway')
    expect(found.body).toMatchObject({ data: [{ doc_id: 'a' }] })
  })

  test('a deletion before the first has come is a deletion: the load fails', async () => {
    const hold = holdUp()
    await loadFile('deleted', 'a', oldWord('deleted'), '&async=1')
    await hold.until(1)
    const deleted = await stage.send('writer', 'DELETE /delete_collection?collection_name=deleted')
    expect(deleted.body).toEqual(ok({ description: 'Documents successfully deleted.', count: 0 }))
    hold.letGo(respondWithPage('It comes too late.'))
    const state = async () => {
      const [row] = await stage.docket.database.rows(sql<{ state: string; problem: unknown }>`
        select state, problem from docket_documents.load where doc_id = 'a' order by id desc limit 1`)
      return row?.state
    }
    await expect.poll(state, { timeout: 60_000 }).toBe('failed')
    await expectAbsent('deleted')
  })
})

describe('a collection that was set up stays', () => {
  test('before the load that fails', async () => {
    await stage.send('admin', 'PUT /collections/setup', { chunk_units: 400 })
    expect((await loadFile('setup', 'a', brokenPdf)).status).toBe(422)
    expect((await stage.send('reader', 'GET /collections/setup')).body).toMatchObject({
      data: [{ collection_name: 'setup', documents: 0, chunk_units: 400 }],
    })
  })

  test('while it is under way', async () => {
    const hold = holdUp()
    await loadFile('setuplate', 'a', oldWord('setuplate'), '&async=1')
    await hold.until(1)
    await stage.send('admin', 'PUT /collections/setuplate', { reader_role: 'hr_documents' })
    hold.letGo((response) => void response.writeHead(422).end())
    await stage.send('hr', 'GET /get_document_status?collection_name=setuplate&id_value=a&stream=1')
    expect((await stage.send('hr', 'GET /collections/setuplate')).body).toMatchObject({
      data: [{ collection_name: 'setuplate', documents: 0, reader_role: 'hr_documents' }],
    })
  })

  test('and so does one whose documents were deleted', async () => {
    await loadFile('emptied', 'a', 'A text.')
    await stage.send('writer', 'DELETE /delete_document_from_collection?collection_name=emptied&id_value=a')
    expect((await loadFile('emptied', 'b', brokenPdf)).status).toBe(422)
    const documents = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=emptied')
    expect(documents.body).toEqual(ok([]))
  })
})

test('what was awaited in vain is cleared away, with what is known of its loads', async () => {
  const { database } = stage.docket
  const pending = () =>
    database.rows(sql`select from docket_documents.collection where is_awaited and removed_at is null`)
  await loadFile('vain', 'a', brokenPdf)
  await loadFile('vainlater', 'a', brokenPdf, '&async=1')
  await untilItEnds('vainlater', 'a')
  const count = (await pending()).length
  expect(count).toBeGreaterThanOrEqual(2)
  const later = new Date(Date.UTC(2100, 0, 1))
  await deletePending(database, new Date(0))
  expect(await pending()).toHaveLength(count)
  // The status of a failed load is available as long as its row exists.
  await deletePending(database, later)
  expect((await statusOf('vainlater', 'a')).status).toBe(200)
  await clearLoads(database, later)
  await deletePending(database, later)
  expect(await pending()).toHaveLength(0)
  expect((await statusOf('vainlater', 'a')).status).toBe(404)
})
