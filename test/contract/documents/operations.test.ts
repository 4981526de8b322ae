import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentStage, ok, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

const loadText = (collection: string, metadata: unknown, text: unknown, as: 'writer' | 'reader' = 'writer') =>
  stage.send(as, `POST /load_text_to_collection?collection_name=${encodeURIComponent(collection)}`, { metadata, text })

describe('loading texts and files', () => {
  const loaded = (data: object): unknown =>
    ok({
      doc_id: 'INC0012345',
      collection_name: 'loading',
      state: 'ready',
      result: 'created',
      chunks: 1,
      characters: 39,
      pages: null,
      media_type: 'text/plain',
      language: 'en',
      version: 1,
      sequence: 0,
      took_ms: 0,
      ...data,
    })
  const text = 'The printer on floor 2 is out of toner.'

  test('a text makes its collection and is found by the id of its record; again it is unchanged, changed it is replaced', async () => {
    const metadata = {
      sys_id: 'INC0012345',
      status: 'open',
      priority: 2,
      flag: true,
      type: 'incident',
      created: '2024-01-31T10:00:00Z',
    }
    expect(await loadText('loading', metadata, text)).toMatchObject({ status: 200, body: loaded({}) })
    expect(await loadText('loading', metadata, text)).toMatchObject({
      status: 200,
      body: loaded({ result: 'unchanged' }),
    })
    expect(await loadText('loading', { ...metadata, priority: 3 }, text)).toMatchObject({
      status: 200,
      body: loaded({ result: 'replaced', version: 2 }),
    })
  })

  test('metadata.doc_id names the document before its sys_id; without both the content does', async () => {
    expect(await loadText('loading', { sys_id: '1', doc_id: 'named' }, text)).toMatchObject({
      body: { data: { doc_id: 'named' } },
    })
    expect(await loadText('loading', {}, text)).toMatchObject({
      body: { data: { doc_id: '9c32133ed50ba715d9f841bd8f57ef7b' } },
    })
  })
})

describe('refusals', () => {
  test.each([
    { name: 'nobody asks', as: null, line: 'GET /get_list_of_collection', status: 401, code: 'UNAUTHENTICATED' },
    { name: 'no role', as: 'nobody', line: 'GET /get_list_of_collection', status: 403, code: 'ACCESS_DENIED' },
    {
      name: 'no role, and a collection that is not there',
      as: 'nobody',
      line: 'GET /get_list_of_documents_names?collection_name=absent',
      status: 403,
      code: 'ACCESS_DENIED',
    },
    {
      name: 'a reader loads',
      as: 'reader',
      line: 'POST /load_text_to_collection?collection_name=new',
      body: { text: 'x' },
      status: 403,
      code: 'ACCESS_DENIED',
    },
    {
      name: 'a reader deletes a collection',
      as: 'reader',
      line: 'DELETE /delete_collection?collection_name=refusals',
      status: 403,
      code: 'ACCESS_DENIED',
    },
    {
      name: 'an unknown collection',
      as: 'reader',
      line: 'GET /get_list_of_documents_names?collection_name=absent',
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      name: 'an unknown collection in a search',
      as: 'reader',
      line: 'POST /get_relevant_documents?query=x',
      body: { collection_names: ['absent'] },
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      name: 'no query',
      as: 'reader',
      line: 'POST /get_relevant_documents?k=1',
      body: {},
      status: 400,
      code: 'BAD_PARAMETER',
    },
    {
      name: 'k below 1',
      as: 'reader',
      line: 'GET /get_relevant_documents?query=x&k=0',
      status: 400,
      code: 'BAD_PARAMETER',
    },
    {
      name: 'k of another kind',
      as: 'reader',
      line: 'GET /get_relevant_documents?query=x&k=many',
      status: 400,
      code: 'BAD_PARAMETER',
    },
    {
      name: 'k above 1,000',
      as: 'reader',
      line: 'GET /get_relevant_documents?query=x&k=1001',
      status: 422,
      code: 'INVALID_VALUE',
    },
    {
      name: 'a query of 8,001 characters',
      as: 'reader',
      line: 'POST /get_relevant_documents',
      body: { query: 'x'.repeat(8_001) },
      status: 422,
      code: 'INVALID_VALUE',
    },
    {
      name: '129 collections',
      as: 'reader',
      line: 'POST /get_relevant_documents?query=x',
      body: { collection_names: Array.from({ length: 129 }, (_, n) => `c${n}`) },
      status: 422,
      code: 'INVALID_VALUE',
    },
    {
      name: 'a filter that cannot be read',
      as: 'reader',
      line: 'POST /get_relevant_documents?query=x',
      body: { metadata: '(status=open' },
      status: 400,
      code: 'BAD_QUERY',
    },
    {
      name: 'a name with a slash',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=..%2Fetc',
      body: { text: 'x' },
      status: 400,
      code: 'BAD_PARAMETER',
    },
    {
      name: 'no name',
      as: 'writer',
      line: 'POST /load_text_to_collection',
      body: { text: 'x' },
      status: 400,
      code: 'BAD_PARAMETER',
    },
    {
      name: 'no text',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: {},
      status: 422,
      code: 'INVALID_VALUE',
    },
    {
      name: 'a text that is none',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: { text: 5 },
      status: 422,
      code: 'INVALID_VALUE',
    },
    {
      name: 'metadata that is a list',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: { text: 'x', metadata: [1] },
      status: 422,
      code: 'INVALID_VALUE',
    },
    {
      name: 'a priority in words',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: { text: 'x', metadata: { priority: 'high' } },
      status: 422,
      code: 'INVALID_VALUE',
      field: 'metadata.priority',
    },
    {
      name: 'a time without its zone',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: { text: 'x', metadata: { created: '2024-01-31 10:00' } },
      status: 422,
      code: 'INVALID_VALUE',
      field: 'metadata.created',
    },
    {
      name: 'a list of objects in metadata',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: { text: 'x', metadata: { a: [{ b: 1 }] } },
      status: 422,
      code: 'INVALID_VALUE',
      field: 'metadata.a',
    },
    {
      name: '65 keys',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: { text: 'x', metadata: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, n])) },
      status: 422,
      code: 'INVALID_VALUE',
      field: 'metadata',
    },
    {
      name: 'metadata of more than 16 KB',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: { text: 'x', metadata: { a: 'x'.repeat(17_000) } },
      status: 422,
      code: 'INVALID_VALUE',
      field: 'metadata',
    },
    {
      name: 'a text of more than 10 MB',
      as: 'writer',
      line: 'POST /load_text_to_collection?collection_name=refusals',
      body: { text: 'x'.repeat(10 * 1024 * 1024 + 1) },
      status: 413,
      code: 'BODY_TOO_LARGE',
    },
    {
      name: 'an absent document is deleted',
      as: 'writer',
      line: 'DELETE /delete_document_from_collection?collection_name=loading&id_value=absent',
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      name: 'an absent collection is deleted',
      as: 'writer',
      line: 'DELETE /delete_collection?collection_name=absent',
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      name: 'the status of an absent document',
      as: 'reader',
      line: 'GET /get_document_status?collection_name=loading&id_value=absent',
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      name: 'a writer configures a collection',
      as: 'writer',
      line: 'PUT /collections/loading',
      body: { reader_role: null },
      status: 403,
      code: 'ACCESS_DENIED',
    },
    {
      name: 'another method',
      as: 'reader',
      line: 'GET /load_text_to_collection',
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
    },
  ] as const)('$name: $status $code', async ({ as, line, status, code, ...more }) => {
    const response = await stage.send(as, line, 'body' in more ? more.body : undefined)
    const field = 'field' in more ? { field: more.field } : {}
    expect(response).toMatchObject({
      status,
      body: { status: 'ERROR', error_type: 'SERVER', errors: [{ code, ...field }] },
    })
  })

  test('an error says where the filter breaks off', async () => {
    const response = await stage.send('reader', 'POST /get_content_by_tag?collection_name=loading', {
      tag_info: 'status=open^priority',
    })
    expect(response.body).toMatchObject({ errors: [{ code: 'BAD_QUERY', position: 20, field: 'priority' }] })
  })

  test('an unknown collection is named', async () => {
    const response = await stage.send('reader', 'DELETE /delete_collection?collection_name=loading')
    expect(response.body).toEqual(
      rejected('ACCESS_DENIED', 'You need the role document_writer to change the documents of this collection.'),
    )
    const absent = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=absent')
    expect(absent.body).toEqual(rejected('NOT_FOUND', 'There is no collection absent.'))
  })
})

describe('searching', () => {
  beforeAll(async () => {
    await loadText(
      'kb',
      { doc_id: 'a', title: 'Printers', status: 'open', level: 1 },
      'Принтер HP LaserJet печатает бледно.\n\nReplace the toner cartridge.',
    )
    await loadText(
      'kb',
      { doc_id: 'b', status: 'closed', level: '1', tags: ['net', 'vpn'] },
      'The VPN client shows ERR-42. Restart the router.',
    )
    await loadText('другая база', { doc_id: 'c', priority: 2 }, 'Роутер перезагружается сам; ошибка ERR-42.')
  })
  const chunk = {
    doc_id: 'b',
    collection_name: 'kb',
    chunk_index: 0,
    text: 'The VPN client shows ERR-42. Restart the router.',
    score: expect.any(Number),
    relevance: expect.any(Number),
    metadata: { doc_id: 'b', status: 'closed', level: '1', tags: ['net', 'vpn'] },
    file_name: null,
    media_type: 'text/plain',
    page: null,
    page_to: null,
    heading_path: [],
    from: 0,
    to: 48,
    highlights: [[21, 27]],
  }

  test('a part of a table is found by the names of its columns, which stand beside its text (issue 11, tables)', async () => {
    const rows = Array.from({ length: 120 }, () => `| article | some pieces |`)
    await loadText('tables', { doc_id: 't' }, `| Zebrafish | Quantity |\n|---|---|\n${rows.join('\n')}\n\n## End\n`)
    const response = await stage.send('reader', 'POST /get_relevant_documents', {
      collection_names: ['tables'],
      query: 'zebrafish',
      k: 10,
    })
    const { data } = response.body as { data: readonly { text: string; repeated?: string; page_to: number | null }[] }
    expect(data.length).toBeGreaterThan(2)
    expect(data.filter(({ text }) => text.includes('Zebrafish'))).toHaveLength(1)
    for (const { repeated, page_to } of data)
      expect([repeated, page_to]).toEqual(['| Zebrafish | Quantity |\n|---|---|', null])
  })

  test('POST and GET, with parameters in the body or in the query string, give the same response', async () => {
    const expected = { status: 'OK', data: [chunk], mode: 'lexical', took_ms: 0 }
    const requested = { collection_names: ['kb'], metadata: '' }
    const responses = [
      await stage.send('reader', 'POST /get_relevant_documents?query=err-42&k=4', requested),
      await stage.send('reader', 'GET /get_relevant_documents?query=err-42&k=4', requested),
      await stage.send('reader', 'GET /get_relevant_documents?query=err-42&collection_names=kb'),
      await stage.send('reader', 'POST /get_relevant_documents', { ...requested, query: 'err-42', k: 4 }),
    ]
    for (const response of responses) expect(response).toMatchObject({ status: 200, body: expected })
  })

  test('without names every collection that the caller may read is searched, on one scale', async () => {
    const response = await stage.send('reader', 'GET /get_relevant_documents?query=ERR-42&k=10')
    expect((response.body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id).sort()).toEqual([
      'b',
      'c',
    ])
  })

  test.each([
    { metadata: 'status=open', found: ['a'] },
    { metadata: 'level=1', found: ['a', 'b'] },
    { metadata: 'level=1^status!=open', found: ['b'] },
    { metadata: 'tags=vpn', found: ['b'] },
    { metadata: 'status=open^ORstatus=closed', found: ['a', 'b'] },
    { metadata: 'statusIN closed,none', found: [] },
    { metadata: 'statusINclosed,none', found: ['b'] },
    { metadata: 'absent=1', found: [] },
    { metadata: 'absentISEMPTY', found: ['a', 'b'] },
  ])('the filter $metadata leaves $found', async ({ metadata, found }) => {
    const response = await stage.send('reader', 'POST /get_relevant_documents?query=router+toner&k=10', {
      collection_names: ['kb'],
      metadata,
    })
    expect((response.body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id).sort()).toEqual(found)
  })

  test('highlights can be left out, and a score explains itself', async () => {
    const response = await stage.send('reader', 'POST /get_relevant_documents?query=router', {
      collection_names: ['kb'],
      highlight: false,
      explain: true,
    })
    const { highlights: _, ...rest } = chunk
    const data = (response.body as { data: { score: number; explain: { score: number }[] }[] }).data
    expect(data).toEqual([{ ...rest, explain: [{ term: 'router', weight: 1, chunks: 1, score: expect.any(Number) }] }])
    expect(data[0]?.explain[0]?.score).toBeCloseTo(data[0]?.score ?? 0, 9)
  })
})

describe('content, lists and deletion', () => {
  beforeAll(async () => {
    for (const [doc_id, status] of [
      ['x', 'open'],
      ['y', 'open'],
      ['я', 'closed'],
    ] as const)
      await loadText('lists', { doc_id, status, title: `T ${doc_id}` }, `Text of ${doc_id}: "quoted"\nnext line`)
  })

  test('content gives the whole texts that the filter selects, page by page', async () => {
    const document = (doc_id: string, status: string) => ({
      doc_id,
      collection_name: 'lists',
      text: `Text of ${doc_id}: "quoted"\nnext line`,
      metadata: { doc_id, status, title: `T ${doc_id}` },
      file_name: null,
      media_type: 'text/plain',
      version: 1,
    })
    const first = await stage.send('reader', 'POST /get_content_by_tag?collection_name=lists', {
      tag_info: 'status=open',
      limit: 1,
    })
    expect(first).toMatchObject({ status: 200, body: { status: 'OK', data: [document('x', 'open')] } })
    const { next_cursor } = first.body as { next_cursor: string }
    const second = await stage.send(
      'reader',
      `GET /get_content_by_tag?collection_name=lists&tag_info=status=open&limit=1&cursor=${next_cursor}`,
    )
    expect(second.body).toEqual({ status: 'OK', data: [document('y', 'open')], next_cursor: null })
    const none = await stage.send('reader', 'POST /get_content_by_tag?collection_name=lists', {
      tag_info: 'status=lost',
    })
    expect(none.body).toEqual({ status: 'OK', data: [], next_cursor: null })
  })

  test('names are sorted; details tell of each document', async () => {
    expect((await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=lists')).body).toEqual(
      ok(['x', 'y', 'я']),
    )
    const details = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=lists&details=1')
    expect((details.body as { data: unknown[] }).data[0]).toEqual({
      doc_id: 'x',
      state: 'ready',
      metadata: { doc_id: 'x', status: 'open', title: 'T x' },
      title: 'T x',
      file_name: null,
      media_type: 'text/plain',
      language: 'en',
      size: 29,
      sha256: createHash('sha256').update('Text of x: "quoted"\nnext line').digest('hex'),
      characters: 29,
      pages: null,
      chunks: 1,
      version: 1,
      flags: [],
      loaded_at: 'NOW',
    })
  })

  test('a list has only the documents that a filter selects, in pages, too; a wrong filter is rejected (issue 13)', async () => {
    const list = 'GET /get_list_of_documents_names?collection_name=lists'
    const select = (filter: string): string => `${list}&tag_info=${encodeURIComponent(filter)}`
    expect((await stage.send('reader', select('doc_id=x^ORdoc_id=я'))).body).toEqual(ok(['x', 'я']))
    expect((await stage.send('reader', `${select('doc_idINx,я')}&limit=1`)).body).toEqual({
      ...(ok(['x']) as object),
      next_cursor: expect.any(String),
    })
    const { body } = await stage.send('reader', `${select('doc_id!=x')}&details=1`)
    expect((body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id)).toEqual(['y', 'я'])
    expect(await stage.send('reader', select('doc_id=x^('))).toMatchObject({ status: 400 })
  })

  test('a long list comes in pages', async () => {
    const list = 'GET /get_list_of_documents_names?collection_name=lists&limit=2'
    const first = await stage.send('reader', list)
    expect(first.body).toEqual({ ...(ok(['x', 'y']) as object), next_cursor: expect.any(String) })
    const { next_cursor } = first.body as { next_cursor: string }
    const second = await stage.send('reader', `${list}&cursor=${next_cursor}`)
    expect(second.body).toEqual({ ...(ok(['я']) as object), next_cursor: null })
    const details = await stage.send('reader', `${list}&details=1&cursor=${next_cursor}`)
    expect(details.body).toMatchObject({ data: [{ doc_id: 'я', chunks: 1 }], next_cursor: null })
  })

  test('collections are listed by name, with counts on request', async () => {
    const names = await stage.send('reader', 'GET /get_list_of_collection')
    expect(names.body).toMatchObject({ status: 'OK', data: expect.arrayContaining(['lists', 'kb', 'другая база']) })
    const details = await stage.send('reader', 'GET /get_list_of_collection?details=1')
    expect((details.body as { data: unknown[] }).data).toContainEqual({
      collection_name: 'lists',
      documents: 3,
      chunks: 3,
      size: 88,
      languages: ['en'],
      reader_role: null,
      writer_role: null,
      acl_table: null,
      chunk_units: null,
      overlap_units: null,
      rechunk: { due: 0, failed: 0 },
      embeddings_model: null,
      vector_length: null,
      created_at: 'NOW',
      updated_at: 'NOW',
    })
  })

  test('a deleted document is gone from everything; the response is in the language of the caller', async () => {
    const gone = await stage.send('writer', 'DELETE /delete_document_from_collection?collection_name=lists&id_value=x')
    expect(gone).toMatchObject({ status: 200, body: ok({ description: 'Documents successfully deleted.', count: 1 }) })
    const inBody = await stage.send('pisatel', 'DELETE /delete_document_from_collection', {
      collection_name: 'lists',
      id_value: 'y',
    })
    expect(inBody.body).toEqual(ok({ description: 'Документы успешно удалены.', count: 1 }))
    expect((await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=lists')).body).toEqual(
      ok(['я']),
    )
    const found = await stage.send('reader', 'POST /get_relevant_documents?query=quoted&k=9', {
      collection_names: ['lists'],
    })
    expect((found.body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id)).toEqual(['я'])
    const all = await stage.send('writer', 'DELETE /delete_collection?collection_name=lists')
    expect(all.body).toEqual(ok({ description: 'Documents successfully deleted.', count: 1 }))
    expect((await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=lists')).status).toBe(404)
  })
})

describe('collections with roles of their own', () => {
  test('who has the role reads; everybody else is told that there is no such collection', async () => {
    await loadText('secret', { doc_id: 's' }, 'salaries of everybody')
    const put = await stage.send('admin', 'PUT /collections/secret', {
      reader_role: 'hr_documents',
      writer_role: 'hr_documents',
    })
    expect(put).toMatchObject({
      status: 200,
      body: {
        data: [{ collection_name: 'secret', reader_role: 'hr_documents', writer_role: 'hr_documents', documents: 1 }],
      },
    })
    const search = 'POST /get_relevant_documents?query=salaries'
    expect((await stage.send('hr', search, { collection_names: ['secret'] })).body).toMatchObject({
      data: [{ doc_id: 's' }],
    })
    expect((await stage.send('hr', 'GET /get_list_of_collection')).body).toEqual(ok(['secret']))
    for (const as of ['reader', 'writer'] as const) {
      expect((await stage.send(as, search, { collection_names: ['secret'] })).body).toEqual(
        rejected('NOT_FOUND', 'There is no collection secret.'),
      )
      expect((await stage.send(as, search)).body).toMatchObject({ data: [] })
      expect((await stage.send(as, 'GET /collections/secret')).status).toBe(404)
    }
    expect((await loadText('secret', { doc_id: 't' }, 'x')).status).toBe(403)
    expect(
      await stage.send('hr', 'POST /load_text_to_collection?collection_name=secret', { text: 'bonus' }),
    ).toMatchObject({ status: 200 })
  })

  test.each([
    { body: { reader_role: 'no_such_role' }, field: 'reader_role' },
    { body: { acl_table: 'no_such_table' }, field: 'acl_table' },
    { body: { chunk_units: 5 }, field: 'chunk_units' },
    { body: { chunk_units: 400, overlap_units: 300 }, field: 'overlap_units' },
  ])('a setting that does not fit is rejected: $body', async ({ body, field }) => {
    expect(await stage.send('admin', 'PUT /collections/configured', body)).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'INVALID_VALUE', field }] },
    })
  })

  test('chunks are cut to the sizes of the collection', async () => {
    await stage.send('admin', 'PUT /collections/short', { chunk_units: 120, overlap_units: 0 })
    const response = await loadText(
      'short',
      { doc_id: 'long' },
      'One sentence of forty characters is here. '.repeat(20),
    )
    expect((response.body as { data: { chunks: number } }).data.chunks).toBeGreaterThan(6)
  })
})

describe('files', () => {
  test('a file is extracted, found and given back byte by byte', async () => {
    const html =
      '<html><head><title>Guide</title></head><body><h1>Guide</h1><h2>Reset</h2><p>Hold the button for ten seconds.</p></body></html>'
    const response = await stage.sendFile(
      'writer',
      'collection_name=files',
      { name: "../../etc/gu'ide.html", bytes: html },
      { sys_id: '900', status: 'new' },
    )
    expect(response).toMatchObject({
      status: 200,
      body: { data: { doc_id: '900', result: 'created', media_type: 'text/html', language: 'en', version: 1 } },
    })
    const found = await stage.send('reader', 'POST /get_relevant_documents?query=button+seconds&k=1', {
      collection_names: ['files'],
    })
    expect(found.body).toMatchObject({
      data: [
        {
          doc_id: '900',
          file_name: "gu'ide.html",
          media_type: 'text/html',
          metadata: { sys_id: '900', status: 'new' },
          heading_path: ['Guide', 'Reset'],
        },
      ],
    })
    const original = await stage.send('reader', 'GET /get_document_file?collection_name=files&id_value=900')
    expect(original.text).toBe(html)
    expect(original.headers).toMatchObject({
      'content-type': 'text/html',
      'content-length': String(html.length),
      'content-disposition': `attachment; filename="gu'ide.html"; filename*=UTF-8''gu%27ide.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    })
    const again = (headers: Readonly<Record<string, string>>, method = 'GET') =>
      stage.docket.request(method, '/get_document_file?collection_name=files&id_value=900', {
        as: { bearer: stage.keys.reader },
        headers,
      })
    const part = await again({ range: 'bytes=1-4', 'if-range': String(original.headers.etag) })
    expect([part.status, part.text, part.headers['content-range']]).toEqual([
      206,
      html.slice(1, 5),
      `bytes 1-4/${html.length}`,
    ])
    const behind = await again({ range: `bytes=${html.length}-` })
    expect([behind.status, behind.headers['content-range']]).toEqual([416, `bytes */${html.length}`])
    expect((await again({ 'if-none-match': String(original.headers.etag) })).status).toBe(304)
    const head = await again({}, 'HEAD')
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(html.length), ''])
  })

  test('a file loaded later is queued, then ready; its status can be followed as events', async () => {
    const response = await stage.sendFile(
      'writer',
      'collection_name=files&async=1',
      { name: 'notes.md', bytes: '# Notes\n\nThe gateway needs a new certificate.' },
      { doc_id: 'later' },
    )
    expect(response).toMatchObject({
      status: 202,
      body: ok({ doc_id: 'later', collection_name: 'files', state: 'queued' }),
    })
    const events = await stage.send('reader', 'GET /get_document_status?collection_name=files&id_value=later&stream=1')
    expect(events.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    const last = events.text.trim().split('\n\n').at(-1)?.split('data: ')[1] ?? ''
    expect(JSON.parse(last)).toEqual({
      doc_id: 'later',
      collection_name: 'files',
      state: 'ready',
      percent: 100,
      pages_done: null,
      attempts: 1,
      version: 1,
      error: null,
    })
    const found = await stage.send('reader', 'POST /get_relevant_documents?query=certificate', {
      collection_names: ['files'],
    })
    expect(found.body).toMatchObject({ data: [{ doc_id: 'later' }] })
  })

  test('a queued load that fails says why, and leaves what was there', async () => {
    await stage.sendFile(
      'writer',
      'collection_name=files',
      { name: 'a.txt', bytes: 'the good old version' },
      { doc_id: 'fails' },
    )
    const response = await stage.sendFile(
      'writer',
      'collection_name=files&async=1',
      { name: 'a.pdf', bytes: '%PDF-1.7\nnot really' },
      { doc_id: 'fails' },
    )
    expect(response.status).toBe(202)
    await stage.send('reader', 'GET /get_document_status?collection_name=files&id_value=fails&stream=1')
    const status = await stage.send('reader', 'GET /get_document_status?collection_name=files&id_value=fails')
    expect(status.body).toMatchObject({ data: { state: 'failed', version: 1, error: { code: 'UNREADABLE_DOCUMENT' } } })
    const found = await stage.send('reader', 'POST /get_relevant_documents?query=good+old', {
      collection_names: ['files'],
    })
    expect(found.body).toMatchObject({ data: [{ doc_id: 'fails', text: 'the good old version' }] })
  })

  test.each([
    { name: 'no file', file: null, metadata: {}, status: 422, code: 'INVALID_VALUE' },
    {
      name: 'metadata that is not JSON',
      file: { name: 'a.txt', bytes: 'x' },
      metadata: '{"a":',
      status: 400,
      code: 'BAD_JSON',
    },
    {
      name: 'an unknown format',
      file: { name: 'a.png', bytes: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 0]) },
      metadata: {},
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    },
    {
      name: 'a damaged file',
      file: { name: 'a.pdf', bytes: '%PDF-1.7\n' },
      metadata: {},
      status: 422,
      code: 'UNREADABLE_DOCUMENT',
    },
  ])('$name: $status $code', async ({ file, metadata, status, code }) => {
    const response = await stage.sendFile('writer', 'collection_name=files', file, metadata)
    expect(response).toMatchObject({ status, body: { errors: [{ code }] } })
  })

  test('what is no form is told what to send', async () => {
    const response = await stage.send('writer', 'POST /load_document_to_collection?collection_name=files', {
      file: 'x',
    })
    expect(response.body).toEqual(
      rejected('UNSUPPORTED_MEDIA_TYPE', 'Send Content-Type: multipart/form-data; found application/json.'),
    )
  })
})
