import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type ModelStandIn, sendJson, startModelStandIn, vectorOf } from '../../harness/model-stand-in.ts'
import { type DocumentStage, ok, rejected, setDocumentStage, type Who } from './stage.ts'

let model: ModelStandIn
let stage: DocumentStage
beforeAll(async () => {
  model = await startModelStandIn()
  // Two models at one address. The second one makes vectors of three numbers.
  model.embeddings = (response, { body }) => {
    const data = (body.input ?? []).map((text, index) => ({
      index,
      embedding: body.model === 'small' ? vectorOf(text).slice(2) : vectorOf(text),
    }))
    sendJson(response, { data })
  }
  stage = await setDocumentStage({
    environment: {
      DOCKET_EMBEDDINGS_URL: model.embeddingsUrl,
      DOCKET_EMBEDDINGS_MODEL: 'stand-in',
      DOCKET_EMBEDDINGS_QUERY_TIMEOUT_MS: '60000',
      DOCKET_EMBEDDINGS_MODELS: JSON.stringify({ little: { url: model.embeddingsUrl, model: 'small' } }),
    },
  })
})
afterAll(async () => {
  await stage.close()
  await model.stop()
})

const load = (collection: string, doc_id: string, body: object, as: Who = 'writer') =>
  stage.send(as, `POST /load_text_to_collection?collection_name=${collection}`, { metadata: { doc_id }, ...body })
const search = (body: object, as: Who = 'reader') => stage.send(as, 'POST /get_relevant_documents', body)
const scoresOf = ({ body }: { readonly body: unknown }) =>
  (body as { data: { doc_id: string; score: number }[] }).data.map(({ doc_id, score }) => [doc_id, score] as const)
const idsOf = (response: { readonly body: unknown }) => scoresOf(response).map(([id]) => id)
const bad = (field: string, detail: string) => ({
  status: 422,
  body: rejected('INVALID_VALUE', `The value of ${field} is rejected: ${detail}.`, { field }),
})
const close = (number: number): unknown => expect.closeTo(number, 4)

async function untilReady(collection: string, docId: string): Promise<void> {
  for (;;) {
    const line = `GET /get_document_status?collection_name=${collection}&id_value=${docId}`
    const { data } = (await stage.send('reader', line)).body as { readonly data: { readonly vectors?: string } }
    if (data.vectors === 'ready') return
    await pause(10)
  }
}

describe('vectors that callers give (issue 11, 2.5)', () => {
  beforeAll(async () => {
    for (const [id, text, vector] of [
      ['east', 'The tapir lives in the east.', [1, 0, 0]],
      ['north', 'The okapi lives in the north.', [0, 2, 0]],
      ['between', 'The okapi lives between both.', [1, 1, 0]],
    ] as const)
      expect((await load('given', id, { text, vector })).status).toBe(200)
    await load('given', 'words', { text: 'The tapir without a vector.' })
  })

  test('a search by a vector alone finds the nearest; the whole body', async () => {
    const { status, body } = await search({ collection_names: ['given'], vector: [3, 0, 0], k: 2, explain: true })
    const chunk = (doc_id: string, text: string, vector: number, score: unknown) => ({
      doc_id,
      collection_name: 'given',
      chunk_index: 0,
      text,
      score,
      relevance: score,
      metadata: { doc_id },
      file_name: null,
      media_type: 'text/plain',
      page: null,
      page_to: null,
      heading_path: [],
      from: 0,
      to: text.length,
      highlights: [],
      explain: [],
      ranks: { lexical: null, vector, similarity: score, rerank: null },
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: [
          chunk('east', 'The tapir lives in the east.', 1, close(1)),
          chunk('between', 'The okapi lives between both.', 2, close(Math.SQRT1_2)),
        ],
        mode: 'vector',
        took_ms: 0,
      },
    })
  })

  test('without a query the relevance is the nearness: min_relevance leaves the others out', async () => {
    const response = await search({ collection_names: ['given'], vector: [1, 0, 0], min_relevance: 0.9 })
    expect(idsOf(response)).toEqual(['east'])
  })

  test('in the query string, as GET', async () => {
    const response = await stage.send('reader', 'GET /get_relevant_documents?collection_names=given&vector=[0,1,0]&k=1')
    expect(scoresOf(response)).toEqual([['north', close(1)]])
  })

  test('with a query both rankings are fused by weights', async () => {
    const fused = async (more: object) =>
      scoresOf(await search({ collection_names: ['given'], query: 'okapi', vector: [1, 0, 0], k: 9, ...more }))
    const place = (...all: readonly (readonly [number, number])[]) =>
      close(all.reduce((sum, [weight, at]) => sum + weight / (60 + at), 0))
    const even = await fused({})
    // Order by words: between, north. Order by vectors: east, between, north.
    expect(even).toEqual([
      ['between', place([1, 1], [1, 2])],
      ['north', place([1, 2], [1, 3])],
      ['east', place([1, 1])],
    ])
    expect(await fused({ weights: { lexical: 1, vector: 1 }, mode: 'hybrid' })).toEqual(even)
    expect(await fused({ weights: { vector: 0 } })).toEqual([
      ['between', place([1, 1])],
      ['north', place([1, 2])],
    ])
    expect(await fused({ weights: { lexical: 0, vector: 2 } })).toEqual([
      ['east', place([2, 1])],
      ['between', place([2, 2])],
      ['north', place([2, 3])],
    ])
    expect((await fused({ weights: { lexical: 0.1, vector: 10 } }))[0]).toEqual(['east', place([10, 1])])
  })

  test('filter and rights are inside of the ranking', async () => {
    const response = await search({ collection_names: ['given'], vector: [1, 0, 0], metadata: 'doc_id!=east', k: 1 })
    expect(idsOf(response)).toEqual(['between'])
    expect((await search({ collection_names: ['given'], vector: [1, 0, 0] }, 'nobody')).status).toBe(403)
  })

  test('another vector replaces the document, the same one changes nothing', async () => {
    const text = 'The kudu moves.'
    const results: unknown[] = []
    for (const vector of [[0, 0, 1], [0, 0, 1], [0, 1, 1], undefined])
      results.push((await load('moving', 'kudu', { text, vector })).body)
    const loaded = (result: string, version: number) =>
      ok({
        doc_id: 'kudu',
        collection_name: 'moving',
        state: 'ready',
        result,
        chunks: 1,
        characters: text.length,
        pages: null,
        media_type: 'text/plain',
        language: 'en',
        version,
        sequence: 0,
        took_ms: 0,
      })
    expect(results).toEqual([
      loaded('created', 1),
      loaded('unchanged', 1),
      loaded('replaced', 2),
      loaded('replaced', 3),
    ])
    expect(idsOf(await search({ collection_names: ['moving'], vector: [0, 0, 1] }))).toEqual([])
  })

  test('a text with a vector is one chunk', async () => {
    const text = `# One\n\n${'A sentence of some length. '.repeat(100)}\n\n# Two\n\nMore.`
    expect((await load('whole', 'long', { text, vector: [1] })).body).toMatchObject({ data: { chunks: 1 } })
    const { body } = await search({ collection_names: ['whole'], vector: [1] })
    const [{ from, to, text: found }] = (body as { data: [{ from: number; to: number; text: string }] }).data
    expect([from, to, found.length]).toEqual([0, to, to])
  })

  test('no model is asked for such a collection; without a vector a search is by words and says so', async () => {
    const before = model.requests.length
    const { body } = await search({ collection_names: ['given'], query: 'tapir', mode: 'hybrid', highlight: false })
    expect(body).toMatchObject({
      mode: 'lexical',
      warnings: ['Callers give the vectors of some collections: without `vector` these are searched by words only.'],
    })
    expect(idsOf({ body }).sort()).toEqual(['east', 'words'])
    expect(model.requests).toHaveLength(before)
  })

  test.each([
    ['no list', 'x', 'it must be an array of numbers'],
    ['a list of texts', ['1'], 'it must be an array of numbers'],
    ['nothing in it', [], 'it has 0 numbers; it may have 1 to 16384'],
    ['no direction', [0, 0, 0], 'all of its numbers are 0, so it has no direction'],
    ['a number that no float32 holds', [1e300, 0, 0], 'one of its numbers is too large'],
  ])('a vector with %s is 422, with a text and in a search', async (_what, vector, detail) => {
    const loaded = await load('given', 'wrong', { text: 'x', vector })
    const found = await search({ collection_names: ['given'], vector })
    for (const { status, body } of [loaded, found]) expect({ status, body }).toEqual(bad('vector', detail))
  })

  test('all vectors of a collection have one length', async () => {
    const loaded = await load('given', 'wrong', { text: 'x', vector: [1, 0] })
    expect({ status: loaded.status, body: loaded.body }).toEqual(
      bad('vector', 'it has 2 numbers; the vectors of this collection have 3'),
    )
    const found = await search({ collection_names: ['given'], vector: [1, 0] })
    expect({ status: found.status, body: found.body }).toEqual(
      bad('vector', 'it has 2 numbers; the vectors of the collection given have another length'),
    )
    // The vector is used in the collections with vectors of this length.
    expect((await search({ vector: [1] })).body).toMatchObject({
      data: [{ doc_id: 'long' }],
      warnings: ['Some collections have vectors of another length: these are searched by words only.'],
    })
  })

  test.each([
    [{ query: 'x', vector: [1, 0, 0], mode: 'lexical' }, 'vector', 'a search with mode=lexical uses none'],
    [
      { query: 'x', weights: { lexical: -1 } },
      'weights',
      'it must be an object such as {"lexical":1,"vector":2}, with numbers from 0 to 100',
    ],
    [
      { query: 'x', weights: { words: 1 } },
      'weights',
      'it must be an object such as {"lexical":1,"vector":2}, with numbers from 0 to 100',
    ],
    [
      { query: 'x', weights: [1, 2] },
      'weights',
      'it must be an object such as {"lexical":1,"vector":2}, with numbers from 0 to 100',
    ],
    [{ query: 'x', weights: { lexical: 0, vector: 0 } }, 'weights', 'one of them must be more than 0'],
  ])('%j is 422', async (body, field, detail) => {
    const response = await search({ collection_names: ['given'], ...body })
    expect({ status: response.status, body: response.body }).toEqual(bad(field, detail))
  })

  test('a search without query and vector is 400', async () => {
    const { status, body } = await search({ collection_names: ['given'], mode: 'vector' })
    const message = 'The parameter query must be given; found nothing.'
    expect({ status, body }).toEqual({ status: 400, body: rejected('BAD_PARAMETER', message, { field: 'query' }) })
  })

  test('a collection whose vectors a model makes takes none, until an administrator says so', async () => {
    await load('made', 'printer', { text: 'About a printer.' })
    const { status, body } = await load('made', 'mine', { text: 'x', vector: [1, 0, 0] })
    const detail =
      'the vectors of this collection are made by the model stand-in; with embeddings_model=caller callers give them'
    expect({ status, body }).toEqual(bad('vector', detail))
    await stage.send('admin', 'PUT /collections/made', { embeddings_model: 'caller' })
    expect((await load('made', 'mine', { text: 'x', vector: [1, 0, 0] })).status).toBe(200)
  })

  test('in a collection that is bound to a table an administrator sets the length first', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.task (sys_id, sys_db_table_id, subject)
      select 820000001, (select sys_id from docket.sys_db_table where name = 'task'), 'x' on conflict do nothing`)
    await stage.send('admin', 'PUT /collections/bound', { acl_table: 'task', embeddings_model: 'caller' })
    const body = { metadata: { sys_id: '820000001' }, text: 'x', vector: [1, 0] }
    const rejection = await load('bound', '', body, 'admin')
    expect({ status: rejection.status, body: rejection.body }).toEqual(
      bad('vector', 'an administrator sets vector_length of a collection that is bound to a table first'),
    )
    const settings = await stage.send('admin', 'PUT /collections/bound', { vector_length: 2 })
    expect(settings.body).toMatchObject({ data: [{ embeddings_model: 'caller', vector_length: 2 }] })
    expect((await load('bound', '', body, 'admin')).status).toBe(200)
    const changed = await stage.send('admin', 'PUT /collections/bound', { vector_length: 3 })
    expect(changed).toMatchObject({ status: 409, body: { errors: [{ code: 'CONFLICT' }] } })
  })
})

describe('a model for each collection (issue 11, 2.5)', () => {
  test('an administrator chooses one of the configuration by name; documents that are there get its vectors', async () => {
    await load('chosen', 'vpn', { text: 'The router.' })
    await load('chosen', 'key', { text: 'A password.' })
    await untilReady('chosen', 'vpn')
    const settings = await stage.send('admin', 'PUT /collections/chosen', { embeddings_model: 'little' })
    expect(settings).toMatchObject({
      status: 200,
      body: { data: [{ embeddings_model: 'little', vector_length: null }] },
    })
    for (const id of ['vpn', 'key']) await untilReady('chosen', id)
    const before = model.requests.length
    expect(idsOf(await search({ collection_names: ['chosen'], query: 'пароль', mode: 'vector', k: 1 }))).toEqual([
      'key',
    ])
    expect(model.requests.slice(before).map(({ body }) => body.model)).toEqual(['small'])
    // From here on, vectors have three numbers.
    expect(idsOf(await search({ collection_names: ['chosen'], vector: [1, 0, 0], k: 1 }))).toEqual(['vpn'])
    await load('chosen', 'wifi', { text: 'wifi wifi wifi' })
    await untilReady('chosen', 'wifi')
    expect(idsOf(await search({ collection_names: ['chosen'], vector: [5, 0, 0.25], k: 1 }))).toEqual(['wifi'])
    await stage.send('admin', 'PUT /collections/chosen', { embeddings_model: null })
    for (const id of ['vpn', 'key', 'wifi']) await untilReady('chosen', id)
    expect(idsOf(await search({ collection_names: ['chosen'], vector: [0, 0, 0, 1, 0], k: 1 }))).toEqual(['key'])
  })

  test('collections of several models are searched together, each by its own', async () => {
    await load('one', 'a', { text: 'The vpn of one.' })
    await stage.send('admin', 'PUT /collections/two', { embeddings_model: 'little' })
    await load('two', 'b', { text: 'The vpn of two.' })
    await untilReady('one', 'a')
    await untilReady('two', 'b')
    const response = await search({ collection_names: ['one', 'two'], query: 'router', mode: 'vector' })
    expect(scoresOf(response)).toEqual([
      ['a', close(1 / 61)],
      ['b', close(1 / 61)],
    ])
  })

  test('a model that is not configured is 422, and nobody but an administrator chooses', async () => {
    const response = await stage.send('admin', 'PUT /collections/chosen', { embeddings_model: 'large' })
    expect({ status: response.status, body: response.body }).toEqual(
      bad('embeddings_model', 'there is no model large; it may be caller, stand-in, little'),
    )
    expect((await stage.send('writer', 'PUT /collections/chosen', { embeddings_model: 'little' })).status).toBe(403)
  })
})
