import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOCKS } from '../../../src/database/advisory-locks.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type DocumentStage, ok, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  for (const [collection, doc_id, text] of [
    ['one', 'a', 'The walrus is here.'],
    ['one', 'b', 'The walrus is there.'],
    ['two, three', 'c', 'The walrus is elsewhere.'],
    ['two', 'd', 'The walrus is in the second.'],
    ['один', 'e', 'Морж, walrus.'],
  ] as const)
    await stage.send(
      'writer',
      `POST /load_text_to_collection?collection_name=${encodeURIComponent(collection.replace(',', ''))}`,
      {
        metadata: { doc_id, n: doc_id.charCodeAt(0) - 96 },
        text,
      },
    )
  for (let n = 0; n < 7; n++)
    await stage.send('writer', 'POST /load_text_to_collection?collection_name=seven', {
      metadata: { doc_id: `s${n}` },
      text: `The narwhal ${n}.`,
    })
})
afterAll(() => stage.close())

const bad = (name: string, expected: string, found: string) =>
  rejected('BAD_PARAMETER', `The parameter ${name} must be ${expected}; found ${found}.`, { field: name })

async function found(line: string, body?: unknown): Promise<unknown> {
  const response = await stage.send('reader', line, body)
  if (response.status !== 200) return { status: response.status, body: response.body }
  return (response.body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id).sort()
}

describe('get_relevant_documents', () => {
  test.each([
    ['nothing named: all collections', '', ['a', 'b', 'c', 'd', 'e']],
    ['an empty list: all collections', '&collection_names=', ['a', 'b', 'c', 'd', 'e']],
    ['one', '&collection_names=one', ['a', 'b']],
    ['several, parted by commas', '&collection_names=one,two', ['a', 'b', 'd']],
    ['several, repeated', '&collection_names=one&collection_names=two', ['a', 'b', 'd']],
    ['one twice', '&collection_names=one,one', ['a', 'b']],
    ['a name with a space', '&collection_names=two+three', ['c']],
    ['a name in Cyrillic', '&collection_names=%D0%BE%D0%B4%D0%B8%D0%BD', ['e']],
    ['a filter', '&metadata=n%3C=2', ['a', 'b']],
    ['an empty filter', '&metadata=', ['a', 'b', 'c', 'd', 'e']],
  ])('in the query string: %s', async (_what, more, expected) => {
    expect(await found(`GET /get_relevant_documents?query=walrus&k=9${more}`)).toEqual(expected)
    expect(await found(`POST /get_relevant_documents?query=walrus&k=9${more}`, {})).toEqual(expected)
  })

  test.each([
    ['nothing named', {}, ['a', 'b', 'c', 'd', 'e']],
    ['null', { collection_names: null, metadata: null }, ['a', 'b', 'c', 'd', 'e']],
    ['an empty list', { collection_names: [] }, ['a', 'b', 'c', 'd', 'e']],
    ['several', { collection_names: ['one', 'two'] }, ['a', 'b', 'd']],
    ['k in the body', { k: 9 }, ['a', 'b', 'c', 'd', 'e']],
    ['k as a text', { k: '9' }, ['a', 'b', 'c', 'd', 'e']],
    ['what begins with _ is ignored', { _unknown: { deep: true } }, ['a', 'b', 'c', 'd', 'e']],
    [
      'a list that is none',
      { collection_names: 'one' },
      { status: 400, body: bad('collection_names', 'an array of strings', 'a string') },
    ],
    [
      'a list of numbers',
      { collection_names: [1] },
      { status: 400, body: bad('collection_names', 'an array of strings', 'a list') },
    ],
    [
      'a filter that is an object',
      { metadata: { n: 1 } },
      { status: 400, body: bad('metadata', 'a string', 'an object') },
    ],
    [
      'a mode that is none',
      { mode: 'words' },
      { status: 400, body: bad('mode', 'lexical or hybrid or vector', 'words') },
    ],
    [
      'a flag that is none',
      { highlight: 'maybe' },
      { status: 400, body: bad('highlight', '0, 1, true or false', 'maybe') },
    ],
    ['another flag that is none', { explain: [] }, { status: 400, body: bad('explain', 'a string', 'a list') }],
    ['a number that is a list', { k: [4] }, { status: 400, body: bad('k', 'a number', 'a list') }],
    ['the query string wins', { query: 'narwhal' }, ['a', 'b', 'c', 'd', 'e']],
  ])('in the body: %s', async (_what, body, expected) => {
    for (const method of ['GET', 'POST'])
      expect(await found(`${method} /get_relevant_documents?query=walrus${'k' in body ? '' : '&k=9'}`, body)).toEqual(
        expected,
      )
  })

  test.each([
    ['without k, 4 chunks', '', 4],
    ['k=1', '&k=1', 1],
    ['k=7', '&k=7', 7],
    ['more than there are', '&k=1000', 7],
    ['empty', '&k=', 4],
    ['with a sign', '&k=%2B2', 2],
  ])('%s', async (_what, more, count) => {
    expect(await found(`GET /get_relevant_documents?query=narwhal&collection_names=seven${more}`)).toHaveLength(count)
  })

  test.each(['0', '-1', '1.5', '1e1', 'all', '0x2', '١'])('k=%s is rejected', async (k) => {
    const response = await stage.send('reader', `GET /get_relevant_documents?query=walrus&k=${encodeURIComponent(k)}`)
    expect({ status: response.status, body: response.body }).toEqual({
      status: 400,
      body: bad('k', 'a whole number from 1 to 1000', k),
    })
  })

  test('the largest number that an error names as allowed is allowed (issue 14)', async () => {
    const search = (sequence: string) =>
      stage.send('reader', `GET /get_relevant_documents?query=walrus&min_sequence=${sequence}`)
    expect((await search('9007199254740991')).status).toBe(503)
    expect(await search('99999999999999999')).toMatchObject({
      status: 400,
      body: bad('min_sequence', 'a whole number from 0 to 9007199254740991', '99999999999999999'),
    })
  })

  test('a parameter that comes twice with two values is rejected', async () => {
    const response = await stage.send('reader', 'GET /get_relevant_documents?query=a&query=b')
    expect(response).toMatchObject({ status: 400, body: { errors: [{ code: 'BAD_PARAMETER', field: 'query' }] } })
  })

  test('a query without a word finds nothing, which is no error', async () => {
    for (const query of ['%20', '...', '%F0%9F%A6%AD'])
      expect([query, await found(`GET /get_relevant_documents?query=${query}`)]).toEqual([
        query,
        query === '%20' ? expect.anything() : [],
      ])
  })

  test('the same call gives the same response; equal scores are in the order of doc_id', async () => {
    const line = 'GET /get_relevant_documents?query=narwhal&collection_names=seven&k=7'
    const first = await stage.send('reader', line)
    expect((first.body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id)).toEqual([
      's0',
      's1',
      's2',
      's3',
      's4',
      's5',
      's6',
    ])
    for (let n = 0; n < 3; n++) expect((await stage.send('reader', line)).body).toEqual(first.body)
  })
})

describe('get_content_by_tag', () => {
  test.each([
    ['no limit', '', 7, null],
    ['limit=7', '&limit=7', 7, null],
    ['limit=3', '&limit=3', 3, 's2'],
    ['limit=1000', '&limit=1000', 7, null],
  ])('%s', async (_what, more, count, cursor) => {
    const { body } = await stage.send('reader', `GET /get_content_by_tag?collection_name=seven${more}`)
    const { data, next_cursor } = body as { data: unknown[]; next_cursor: string | null }
    expect(data).toHaveLength(count)
    expect(next_cursor).toBe(cursor === null ? null : Buffer.from(cursor).toString('base64url'))
  })

  test('pages by cursor hold each document once, also while others come and go', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await stage.send(
        'reader',
        `GET /get_content_by_tag?collection_name=seven&limit=2&cursor=${cursor}`,
      )
      const page = body as { data: { doc_id: string }[]; next_cursor: string | null }
      seen.push(...page.data.map(({ doc_id }) => doc_id))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6'])
  })

  test.each([
    ['0', 400],
    ['-1', 400],
    ['x', 400],
    ['1001', 422],
  ])('limit=%s', async (limit, status) => {
    expect((await stage.send('reader', `GET /get_content_by_tag?collection_name=seven&limit=${limit}`)).status).toBe(
      status,
    )
  })
})

describe('every operation that names a collection', () => {
  const named = [
    'POST /load_text_to_collection',
    'GET /get_content_by_tag',
    'POST /get_content_by_tag',
    'GET /get_list_of_documents_names',
    'DELETE /delete_document_from_collection',
    'DELETE /delete_collection',
    'GET /get_document_status',
    'GET /get_document_file',
    'GET /get_document_chunks',
  ]
  test.each(named)('%s without it is rejected by name', async (line) => {
    const response = await stage.send('writer', line, line.includes('load_text') ? { text: 'x' } : {})
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ errors: [{ code: 'BAD_PARAMETER', field: 'collection_name' }] })
  })

  test.each(named.filter((line) => !line.includes('load_text')))('%s of an unknown one is told so', async (line) => {
    const isOfDocument = /document_(from|status|file|chunks)/.test(line)
    const response = await stage.send('writer', `${line}?collection_name=absent${isOfDocument ? '&id_value=x' : ''}`)
    expect({ status: response.status, body: response.body }).toEqual({
      status: 404,
      body: rejected('NOT_FOUND', 'There is no collection absent.'),
    })
  })

  test.each([
    ['in the query string', 'DELETE /delete_document_from_collection?collection_name=gone&id_value=a', undefined],
    ['in the body', 'DELETE /delete_document_from_collection', { collection_name: 'gone', id_value: 'a' }],
    [
      'in both: the query string wins',
      'DELETE /delete_document_from_collection?collection_name=gone&id_value=a',
      { collection_name: 'one', id_value: 'b' },
    ],
    ['one in each', 'DELETE /delete_document_from_collection?collection_name=gone', { id_value: 'a' }],
    ['a collection, in the body', 'DELETE /delete_collection', { collection_name: 'gone' }],
    ['a collection, in the query string', 'DELETE /delete_collection?collection_name=gone', undefined],
  ])('deletion takes its parameters %s', async (_what, line, body) => {
    await stage.send('writer', 'POST /load_text_to_collection?collection_name=gone', {
      metadata: { doc_id: 'a' },
      text: 'x',
    })
    const response = await stage.send('writer', line, body)
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: ok({ description: 'Documents successfully deleted.', count: 1 }),
    })
    expect(await found('GET /get_relevant_documents?query=walrus&collection_names=one&k=9')).toEqual(['a', 'b'])
    await stage.send('writer', 'DELETE /delete_collection?collection_name=gone')
  })
})

test.each([
  'GET /get_relevant_documents?query=walrus&k=1',
  'GET /get_content_by_tag?collection_name=one',
  'GET /get_list_of_documents_names?collection_name=one',
  'GET /get_list_of_collection',
  'GET /get_list_of_metadata_keys',
  'GET /get_document_chunks?collection_name=one&id_value=a',
  'GET /get_document_status?collection_name=one&id_value=a',
  'GET /get_document_status?collection_name=one&id_value=a&stream=1',
  'GET /collections/one',
  'GET /get_list_of_documents_names?collection_name=absent',
])('HEAD responds as %s without its body', async (line) => {
  const as = { bearer: stage.keys.reader }
  const head = await stage.docket.request('HEAD', line.replace('GET ', ''), { as })
  const get = await stage.docket.request('GET', line.replace('GET ', ''), { as })
  expect({ status: head.status, text: head.text }).toEqual({ status: get.status, text: '' })
})

test.each(['', '?collection_name='])('a form that names no collection is rejected by name: %s', async (parameters) => {
  const sent = await fetch(`${stage.docket.baseUrl}/load_document_to_collection${parameters}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.keys.writer}`, 'content-type': 'multipart/form-data; boundary=B' },
    body: '--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n--B--\r\n',
  })
  expect({ status: sent.status, body: await sent.json() }).toEqual({
    status: 400,
    body: { ...(bad('collection_name', 'given', 'nothing') as object), request_id: expect.any(String) },
  })
})

test('every parameter of a search is described', async () => {
  const { body } = await stage.send('reader', 'GET /openapi.json')
  type Described = { readonly parameters: readonly { readonly name: string }[] }
  const { get, post } = (body as { paths: Record<string, Record<'get' | 'post', Described>> }).paths[
    '/get_relevant_documents'
  ] ?? { get: { parameters: [] }, post: { parameters: [] } }
  for (const { parameters } of [get, post])
    expect(parameters.map(({ name }) => name)).toEqual([
      'query',
      'k',
      'collection_names',
      'metadata',
      'mode',
      'vector',
      'weights',
      'min_sequence',
      'highlight',
      'explain',
      'details',
      'min_relevance',
      'group_by',
      'group_size',
      'collapse',
      'diversity',
      'context',
    ])
})

describe('bodies', () => {
  test.each([
    ['no JSON', '{"text":', 400, 'BAD_JSON'],
    ['a list', '[]', 400, 'BAD_JSON'],
    ['a text', '"x"', 400, 'BAD_JSON'],
    ['null', 'null', 400, 'BAD_JSON'],
    ['nothing', '', 422, 'INVALID_VALUE'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, 'BAD_JSON'],
  ])('%s', async (_what, body, status, code) => {
    const response = await stage.docket.request('POST', '/load_text_to_collection?collection_name=one', {
      as: { bearer: stage.keys.writer },
      body,
    })
    expect(response).toMatchObject({ status, body: { status: 'ERROR', error_type: 'SERVER', errors: [{ code }] } })
  })

  test.each([
    ['text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['application/x-www-form-urlencoded', 400, 'BAD_JSON'],
    ['multipart/form-data; boundary=x', 400, 'BAD_JSON'],
    ['application/json; charset=windows-1251', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('a body of type %s', async (type, status, code) => {
    const response = await stage.docket.request('POST', '/load_text_to_collection?collection_name=one', {
      as: { bearer: stage.keys.writer },
      body: '{"text":"x"}',
      headers: { 'content-type': type },
    })
    expect(response).toMatchObject({ status, body: { errors: [{ code }] } })
  })
})

describe('metadata', () => {
  const load = (metadata: unknown) =>
    stage.send('writer', 'POST /load_text_to_collection?collection_name=metadata', { metadata, text: 'The manatee.' })

  const wrong: readonly [key: string, values: readonly unknown[], detail: string][] = [
    ['sys_id', [1, true, ['1'], { a: 1 }], 'it must be a string'],
    ['status', [1, false, ['open']], 'it must be a string'],
    ['type', [0, ['x']], 'it must be a string'],
    ['title', [7, ['x']], 'it must be a string'],
    ['doc_id', [7, ['x'], false], 'it must be a string'],
    ['priority', ['1', 1.5, true, [1], 2 ** 53], 'it must be an integer'],
    ['flag', ['true', 1, 0, [true]], 'it must be true or false'],
    [
      'created',
      [0, '2024-01-31', '2024-01-31T10:00:00', '2024-01-31T10:00:00+03:00', '2024-02-30T10:00:00Z', 'now', ''],
      'it must be a time such as 2024-01-31T10:00:00Z',
    ],
    [
      'free',
      [[[1]], [{ a: 1 }]],
      'it must be a string, a number, a boolean, null, a list of these, or an object of such values',
    ],
  ]
  test.each(wrong)('%s of a wrong kind is rejected by its name', async (key, values, detail) => {
    for (const value of values) {
      const response = await load({ [key]: value })
      expect({ value, status: response.status, body: response.body }).toEqual({
        value,
        status: 422,
        body: rejected('INVALID_VALUE', `The value of metadata.${key} is rejected: ${detail}.`, {
          field: `metadata.${key}`,
        }),
      })
    }
  })

  test('what is right comes back as it was sent', async () => {
    const metadata = {
      doc_id: 'right',
      sys_id: '155931135900000001',
      status: 'open',
      priority: -3,
      flag: false,
      type: 'article',
      created: '2024-01-31T10:00:00.123Z',
      title: 'Ламантин',
      empty: '',
      nothing: null,
      number: 1.5e10,
      list: ['a', 1, true, null],
      none: [],
      'any key, even this': '"quoted" \\ and \n',
    }
    expect((await load(metadata)).status).toBe(200)
    const { body } = await stage.send(
      'reader',
      'GET /get_content_by_tag?collection_name=metadata&tag_info=doc_id=right',
    )
    expect((body as { data: { metadata: unknown }[] }).data[0]?.metadata).toEqual(metadata)
    const search = await stage.send('reader', 'GET /get_relevant_documents?query=manatee&collection_names=metadata&k=1')
    expect((search.body as { data: { metadata: unknown }[] }).data[0]?.metadata).toEqual(metadata)
  })

  test('none is required: null, nothing and an empty object name the document by its content', async () => {
    const responses = [await load(null), await load(undefined), await load({})]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    const ids = responses.map(({ body }) => (body as { data: { doc_id: string } }).data.doc_id)
    expect(new Set(ids).size).toBe(1)
  })

  test.each([
    ['{"a":', undefined],
    ["{'a':1}", 1],
    ['{"a":1,}', 7],
    ['{"a":NaN}', 5],
  ])('of a form that is not JSON is 400 with its place: %s', async (metadata, position) => {
    const response = await stage.sendFile('writer', 'collection_name=metadata', { name: 'a.txt', bytes: 'x' }, metadata)
    expect(response).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'BAD_JSON', ...(position === undefined ? {} : { position }) }] },
    })
  })
})

describe('unknown members and parameters are 400 with the nearest known name (spec documents.md, section 1)', () => {
  const unknown = (name: string, rest: string) =>
    rejected('BAD_PARAMETER', `There is no parameter ${name} here. ${rest}`, { field: name })
  const search =
    'Known: query, k, collection_names, metadata, mode, vector, weights, min_sequence, highlight, explain, details, min_relevance, group_by, group_size, collapse, diversity, context.'
  const load = { metadata: { doc_id: 'u' }, text: 'unknown' }
  test.each([
    [
      'POST /get_relevant_documents?query=walrus&collection_name=one',
      {},
      'collection_name',
      'Did you mean collection_names?',
    ],
    [
      'POST /get_relevant_documents?query=walrus',
      { collection_name: 'one' },
      'collection_name',
      'Did you mean collection_names?',
    ],
    [
      'GET /get_relevant_documents?query=walrus&collectionNames=one',
      {},
      'collectionNames',
      'Did you mean collection_names?',
    ],
    ['GET /get_relevant_documents?query=walrus&top=5', {}, 'top', search],
    ['POST /get_relevant_documents?query=walrus', { filter: 'n=1' }, 'filter', search],
    ['POST /get_content_by_tag?collection_name=one', { tag: 'n=1' }, 'tag', 'Did you mean tag_info?'],
    ['GET /get_list_of_documents_names?collection_names=one', {}, 'collection_names', 'Did you mean collection_name?'],
    ['GET /get_list_of_collection?detail=1', {}, 'detail', 'Did you mean details?'],
    [
      'GET /get_document_status?collection_name=one&doc_id=a',
      {},
      'doc_id',
      'Known: collection_name, id_value, stream.',
    ],
    [
      'GET /get_document_file?collection_name=one&id_value=a&stream=1',
      {},
      'stream',
      'Known: collection_name, id_value, inline.',
    ],
    ['DELETE /delete_document_from_collection?collection_name=one', { id: 'a' }, 'id', 'Did you mean id_value?'],
    ['DELETE /delete_collection?collection=one', {}, 'collection', 'Did you mean collection_name?'],
    [
      'POST /load_text_to_collection?collection_name=one&async=1',
      load,
      'async',
      'Known: collection_name, metadata, text, vector.',
    ],
    [
      'POST /load_text_to_collection?collection_name=one',
      { ...load, doc_id: 'a' },
      'doc_id',
      'Known: collection_name, metadata, text, vector.',
    ],
    ['PUT /collections/one', { acl_tabel: 'task' }, 'acl_tabel', 'Did you mean acl_table?'],
  ])('%s %j', async (line, body, name, rest) => {
    const response = await stage.send('admin', line, body)
    expect([response.status, response.body]).toEqual([400, unknown(name, rest)])
  })

  test('in a form, too', async () => {
    const response = await stage.sendFile('admin', 'collection_name=one&sync=1', { name: 'a.txt', bytes: 'x' }, {})
    expect([response.status, response.body]).toEqual([400, unknown('sync', 'Did you mean async?')])
  })

  test.each([
    'GET /get_relevant_documents?query=walrus&_=1700000000000',
    'GET /get_list_of_collection?_cache=off',
    'GET /collections/one?_',
  ])('%s: names that begin with _ are ignored', async (line) => {
    expect((await stage.send('admin', line)).status).toBe(200)
  })
})

describe('the name of a collection is the same in every form of Unicode (issue 14)', () => {
  const [nfc, nfd] = ['Caf\u00e9', 'Cafe\u0301'].map(encodeURIComponent)
  beforeAll(async () => {
    await stage.send('writer', `POST /load_text_to_collection?collection_name=${nfd}`, {
      metadata: { doc_id: 'menu' },
      text: 'The menu of the puffin.',
    })
  })
  test.each([
    ['GET', `/get_list_of_documents_names?collection_name=${nfd}`],
    ['GET', `/get_content_by_tag?collection_name=${nfd}`],
    ['GET', `/get_document_status?collection_name=${nfd}&id_value=menu`],
    ['GET', `/get_document_chunks?collection_name=${nfd}&id_value=menu`],
    ['GET', `/get_document_file?collection_name=${nfd}&id_value=menu`],
    ['GET', `/get_relevant_documents?query=puffin&collection_names=${nfd}`],
  ])('%s %s', async (method, line) => {
    const [other, same] = [
      await stage.send('reader', `${method} ${line}`),
      await stage.send('reader', `${method} ${line.replace(String(nfd), String(nfc))}`),
    ]
    const withoutTimes = (text: string): string => text.replaceAll(/"took_ms":[\d.]+/g, '')
    expect([other.status, withoutTimes(other.text)]).toEqual([200, withoutTimes(same.text)])
  })

  test('also to delete, and to follow: documents of another table do not stay', async () => {
    const { database } = stage.docket
    await stage.send('admin', `PUT /collections/${nfc}`, { acl_table: 'company' })
    const body = { table: 'task', query: 'sys_id=0', template: '{subject}' }
    // No turn of the work behind the log comes in between.
    const [made] = await database.rows<{ id: number }>(sql`
      select id from docket_documents.collection where name = ${'Caf\u00e9'}`)
    await database.inTransaction(async (session) => {
      await session.rows(sql`
        select pg_advisory_xact_lock(${LOCKS.firstFollowedCollection}::bigint + ${made?.id}::integer)`)
      expect((await stage.send('admin', `PUT /collections/${nfd}/follow`, body)).status).toBe(200)
      const names = await stage.send('admin', `GET /get_list_of_documents_names?collection_name=${nfc}`)
      expect(names.body).toEqual({ status: 'OK', data: [] })
    })
    expect((await stage.send('admin', `GET /collections/${nfd}/follow`)).status).toBe(200)
    expect((await stage.send('admin', `DELETE /delete_collection?collection_name=${nfd}`)).status).toBe(200)
  })
})
