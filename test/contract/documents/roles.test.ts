import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentStage, rejected, setDocumentStage, type Who } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

/** Each request is sent to a separate collection with a document `a`; `{c}` is the name of the collection. */
const reading = [
  'POST /get_relevant_documents?query=otter&collection_names={c}',
  'GET /get_relevant_documents?query=otter&collection_names={c}',
  'POST /get_content_by_tag?collection_name={c}',
  'GET /get_content_by_tag?collection_name={c}',
  'GET /get_list_of_documents_names?collection_name={c}',
  'GET /get_list_of_documents_names?collection_name={c}&details=1',
  'GET /get_list_of_metadata_keys?collection_names={c}',
  'GET /get_document_chunks?collection_name={c}&id_value=a',
  'GET /get_document_status?collection_name={c}&id_value=a',
  'GET /get_document_file?collection_name={c}&id_value=a',
  'GET /collections/{c}',
] as const
const listing = [
  'GET /get_list_of_collection',
  'GET /get_list_of_collection?details=1',
  'GET /get_list_of_metadata_keys',
] as const
const writing = [
  'POST /load_text_to_collection?collection_name={c}',
  'POST /load_document_to_collection?collection_name={c}',
  'POST /load_document_to_collection?collection_name={c}&async=1',
  'DELETE /delete_document_from_collection?collection_name={c}&id_value=a',
  'DELETE /delete_collection?collection_name={c}',
] as const
const configuring = ['PUT /collections/{c}'] as const

let made = 0
async function freshCollection(settings: object | null): Promise<string> {
  const name = `roles${made++}`
  await stage.send('admin', `POST /load_text_to_collection?collection_name=${name}`, {
    metadata: { doc_id: 'a' },
    text: 'The otter.',
  })
  if (settings !== null) await stage.send('admin', `PUT /collections/${name}`, settings)
  return name
}

async function call(as: Who | null, line: string, collection: string) {
  const named = line.replace('{c}', collection)
  if (named.startsWith('POST /load_document'))
    return stage.sendFile(as, named.split('?')[1] ?? '', { name: 'a.txt', bytes: 'text' }, { doc_id: 'b' })
  return stage.send(as, named, named.startsWith('POST /load_text') ? { metadata: { doc_id: 'b' }, text: 'x' } : {})
}

const readers = rejected('ACCESS_DENIED', 'You need the role document_reader to read documents.')
const writers = rejected(
  'ACCESS_DENIED',
  'You need the role document_writer to change the documents of this collection.',
)
const admins = rejected('ACCESS_DENIED', 'You need the role admin to configure a collection.')
const nobody = rejected('UNAUTHENTICATED', expect.any(String) as never)

describe('a collection without roles of its own', () => {
  const may: readonly [kind: string, lines: readonly string[], as: Who | null, expected: number, body?: unknown][] = [
    ['reading', [...reading, ...listing], 'admin', 200],
    ['reading', [...reading, ...listing], 'writer', 200],
    ['reading', [...reading, ...listing], 'reader', 200],
    ['reading', [...reading, ...listing], 'nobody', 403, readers],
    ['reading', [...reading, ...listing], 'hr', 403, readers],
    ['reading', [...reading, ...listing], null, 401, nobody],
    ['writing', writing, 'admin', 200],
    ['writing', writing, 'writer', 200],
    ['writing', writing, 'reader', 403, writers],
    ['writing', writing, 'nobody', 403, writers],
    ['writing', writing, null, 401, nobody],
    ['configuring', configuring, 'admin', 200],
    ['configuring', configuring, 'writer', 403, admins],
    ['configuring', configuring, 'reader', 403, admins],
    ['configuring', configuring, 'nobody', 403, admins],
    ['configuring', configuring, null, 401, nobody],
  ]
  test.each(may.map(([kind, lines, as, expected, body]) => ({ kind, lines, as, expected, body })))(
    '$kind as $as: $expected',
    async ({ lines, as, expected, body }) => {
      for (const line of lines) {
        const response = await call(as, line, await freshCollection(null))
        const status = expected === 200 && line.includes('async=1') ? 202 : expected
        expect([line, response.status, response.text.slice(0, 300)]).toEqual([line, status, expect.anything()])
        if (body !== undefined) expect(response.body).toEqual(body)
      }
    },
  )
})

describe('a collection with roles of its own', () => {
  const own = { reader_role: 'hr_documents', writer_role: null }
  const closed = { reader_role: 'hr_documents', writer_role: 'hr_documents' }
  const notFound = (name: string) => rejected('NOT_FOUND', `There is no collection ${name}.`)

  test('whoever has its reader role reads it, and whoever may write reads too', async () => {
    for (const line of reading) {
      const name = await freshCollection(own)
      expect([line, (await call('hr', line, name)).status]).toEqual([line, 200])
      expect([line, (await call('writer', line, name)).status]).toEqual([line, 200])
      expect([line, (await call('admin', line, name)).status]).toEqual([line, 200])
      expect((await call('reader', line, name)).body).toEqual(notFound(name))
    }
  })

  test('its writer role takes the place of document_writer', async () => {
    const denied = rejected(
      'ACCESS_DENIED',
      'You need the role hr_documents to change the documents of this collection.',
    )
    for (const line of writing) {
      const name = await freshCollection(closed)
      const responses = [
        await call('writer', line, name),
        await call('reader', line, name),
        await call('hr', line, name),
      ]
      expect([line, ...responses.map(({ status }) => status)]).toEqual([
        line,
        line.startsWith('DELETE') ? 404 : 403,
        403,
        line.includes('async=1') ? 202 : 200,
      ])
      expect(responses[0]?.body).toEqual(line.startsWith('DELETE') ? notFound(name) : denied)
    }
  })

  test.each(['nobody', 'reader'] as const)('%s may not load, and does not learn that it exists', async (who) => {
    const settings = { reader_role: 'hr_documents', writer_role: 'hr_documents' }
    const collection = await freshCollection(settings)
    for (const line of writing.slice(0, 3)) {
      const { status, body } = await call(who, line, collection)
      expect([line, status, body]).toEqual([line, 403, writers])
    }
  })

  test('lists hold what the caller may read', async () => {
    const name = await freshCollection(closed)
    for (const [as, holds] of [
      ['hr', true],
      ['admin', true],
      ['writer', false],
      ['reader', false],
    ] as const) {
      const { body } = await stage.send(as, 'GET /get_list_of_collection')
      expect([as, (body as { data: readonly string[] }).data.includes(name)]).toEqual([as, holds])
    }
  })
})

test.each([
  ['load_document_to_collection', 'POST'],
  ['load_text_to_collection', 'POST'],
  ['get_relevant_documents', 'GET, HEAD, POST'],
  ['get_content_by_tag', 'GET, HEAD, POST'],
  ['get_list_of_documents_names', 'GET, HEAD'],
  ['get_list_of_collection', 'GET, HEAD'],
  ['delete_document_from_collection', 'DELETE'],
  ['delete_collection', 'DELETE'],
  ['get_document_status', 'GET, HEAD'],
  ['get_document_file', 'GET, HEAD'],
  ['get_document_chunks', 'GET, HEAD'],
  ['get_list_of_metadata_keys', 'GET, HEAD'],
  ['collections/x', 'GET, HEAD, PUT'],
  ['collections/x/evaluate', 'POST'],
])('/%s responds to %s and nothing else', async (path, allowed) => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    if (allowed.split(', ').includes(method)) continue
    const response = await stage.send('admin', `${method} /${path}`)
    expect([method, response.status, response.headers['allow']]).toEqual([method, 405, expect.any(String)])
    expect(String(response.headers['allow']).split(', ').sort()).toEqual(
      expect.arrayContaining(allowed.split(', ').filter((each) => each !== 'HEAD')),
    )
    expect(response.body).toMatchObject({ errors: [{ code: 'METHOD_NOT_ALLOWED' }] })
  }
})
