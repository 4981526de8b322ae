import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import {
  embedByMeaning,
  type ModelStandIn,
  rerankByLength,
  sendJson,
  startModelStandIn,
  vectorOf,
} from '../../harness/model-stand-in.ts'
import { type DocumentStage, ok, setDocumentStage, type Who } from './stage.ts'

let model: ModelStandIn
let stage: DocumentStage
beforeAll(async () => {
  model = await startModelStandIn()
  stage = await setDocumentStage({
    environment: {
      DOCKET_EMBEDDINGS_URL: model.embeddingsUrl,
      DOCKET_EMBEDDINGS_MODEL: 'stand-in',
      DOCKET_EMBEDDINGS_KEY: 'secret key',
      DOCKET_EMBEDDINGS_QUERY_TIMEOUT_MS: '60000',
    },
  })
})
afterAll(async () => {
  await stage.close()
  await model.stop()
})
afterEach(() => {
  model.embeddings = embedByMeaning()
})

interface Found {
  readonly status: string
  readonly data: readonly { readonly doc_id: string; readonly score: number }[]
  readonly mode: string
  readonly warnings?: readonly string[]
}

async function load(collection: string, documents: Readonly<Record<string, string>>, more: object = {}): Promise<void> {
  for (const [doc_id, text] of Object.entries(documents)) {
    const metadata = { doc_id, ...more }
    const response = await stage.send('writer', `POST /load_text_to_collection?collection_name=${collection}`, {
      metadata,
      text,
    })
    expect(response.status).toBe(200)
  }
}

/** Vectors are made in the background: polls until they have this state. */
async function untilVectorsAre(state: string, collection: string, docId: string): Promise<void> {
  for (;;) {
    const line = `GET /get_document_status?collection_name=${collection}&id_value=${docId}`
    const { data } = (await stage.send('reader', line)).body as { readonly data: { readonly vectors: string } }
    if (data.vectors === state) return
    expect(data.vectors).toBe('due')
    await pause(10)
  }
}

async function search(collection: string, query: string, more: object = {}, as: Who = 'reader'): Promise<Found> {
  const body = { collection_names: [collection], query, mode: 'hybrid', ...more }
  const response = await stage.send(as, 'POST /get_relevant_documents', body)
  expect(response.status).toBe(200)
  return response.body as Found
}

const idsOf = ({ data }: Found): readonly string[] => data.map(({ doc_id }) => doc_id)

const articles = {
  leave: 'Отпуск оформляется за две недели.',
  printer: 'The LaserJet on floor 2 is out of toner.',
  vpn: 'Restart the router when the VPN drops.',
}

describe('with an embeddings address', () => {
  beforeAll(async () => {
    await load('kb', articles)
    for (const id of Object.keys(articles)) await untilVectorsAre('ready', 'kb', id)
  })

  test('a document is found by what it means in another language; by words only it is not', async () => {
    expect(await search('kb', 'vacation', { k: 1, highlight: false })).toEqual({
      status: 'OK',
      data: [
        {
          doc_id: 'leave',
          collection_name: 'kb',
          chunk_index: 0,
          text: articles.leave,
          score: 1 / 61,
          relevance: 0,
          metadata: { doc_id: 'leave' },
          file_name: null,
          media_type: 'text/plain',
          page: null,
          page_to: null,
          heading_path: [],
          from: 0,
          to: articles.leave.length,
        },
      ],
      mode: 'hybrid',
      took_ms: 0,
    })
    expect(await search('kb', 'vacation', { mode: 'lexical' })).toEqual({
      status: 'OK',
      data: [],
      mode: 'lexical',
      took_ms: 0,
    })
  })

  test('without a mode a search is by words, as the server is set', async () => {
    expect(await search('kb', 'toner', { mode: undefined, k: 1 })).toMatchObject({ mode: 'lexical' })
  })

  test('both rankings are fused by their places, and explain says which', async () => {
    const found = await search('kb', 'printer toner router', { explain: true, highlight: false })
    const near = (text: string): number => {
      const [one, other] = [vectorOf(text), vectorOf('printer toner router')]
      const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, n, at) => sum + n * (y[at] ?? 0), 0)
      return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
    }
    const rank = (lexical: number | null, vector: number, text: string) => ({
      lexical,
      vector,
      similarity: expect.closeTo(near(text), 5),
      rerank: null,
    })
    const score = (...places: number[]) => places.reduce((sum, place) => sum + 1 / (60 + place), 0)
    expect(found.data).toMatchObject([
      // Documents with equal scores are in the order of their names.
      { doc_id: 'printer', score: score(2, 1), ranks: rank(2, 1, articles.printer), explain: [{ term: 'toner' }] },
      { doc_id: 'vpn', score: score(1, 2), ranks: rank(1, 2, articles.vpn), explain: [{ term: 'router', chunks: 1 }] },
      { doc_id: 'leave', score: score(3), ranks: rank(null, 3, articles.leave), explain: [] },
    ])
  })

  test('the model is asked as OpenAI is, with the model and the key of the settings', async () => {
    const before = model.requests.length
    await search('kb', 'holiday')
    expect(model.requests.slice(before).map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/v1/embeddings', body: { model: 'stand-in', input: ['holiday'], encoding_format: 'float' } },
    ])
    expect(model.requests.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer secret key',
      'content-type': 'application/json',
    })
  })

  test('a caller names neither model nor address', async () => {
    const before = model.requests.length
    for (const named of [{ model: 'evil' }, { embeddings_url: 'http://192.0.2.1' }, { dimensions: 2 }]) {
      const line = 'POST /get_relevant_documents?mode=hybrid&query=holiday'
      const response = await stage.send('reader', line, named)
      expect([response.status, response.body]).toMatchObject([400, { errors: [{ code: 'BAD_PARAMETER' }] }])
    }
    expect(model.requests).toHaveLength(before)
  })

  test('what a caller may not search costs no request to the model', async () => {
    const before = model.requests.length
    const responses = [
      await stage.send(null, 'POST /get_relevant_documents?mode=hybrid&query=x'),
      await stage.send('nobody', 'POST /get_relevant_documents?mode=hybrid&query=x'),
      await stage.send('reader', 'POST /get_relevant_documents?mode=hybrid&query=x&collection_names=absent'),
      await stage.send('reader', 'POST /get_relevant_documents?mode=words&query=x'),
      await stage.send('reader', 'POST /get_relevant_documents?mode=hybrid&query=x&metadata=(a=1'),
    ]
    expect(responses.map(({ status }) => status)).toEqual([401, 403, 404, 400, 400])
    expect(model.requests).toHaveLength(before)
  })

  test('a replaced document is found by its new meaning only, a deleted one not at all', async () => {
    await load('turning', { a: 'About a printer.', b: 'Something else.' })
    await untilVectorsAre('ready', 'turning', 'a')
    await untilVectorsAre('ready', 'turning', 'b')
    expect(idsOf(await search('turning', 'печать', { k: 1 }))).toEqual(['a'])
    await load('turning', { a: 'About the router.' })
    await untilVectorsAre('ready', 'turning', 'a')
    const found = await search('turning', 'wifi', { k: 5 })
    expect(found.data).toMatchObject([{ doc_id: 'a', text: 'About the router.' }, { doc_id: 'b' }])
    await stage.send('writer', 'DELETE /delete_document_from_collection?collection_name=turning&id_value=a')
    expect(idsOf(await search('turning', 'wifi', { k: 5 }))).toEqual(['b'])
    await stage.send('writer', 'DELETE /delete_collection?collection_name=turning')
    await load('turning', { c: 'A login.' })
    await untilVectorsAre('ready', 'turning', 'c')
    expect(idsOf(await search('turning', 'wifi', { k: 5 }))).toEqual(['c'])
  })

  test('the same content with other metadata, and in another collection, is not embedded again', async () => {
    await load('twins', { a: 'A password that is embedded once.' }, { status: 'open' })
    await untilVectorsAre('ready', 'twins', 'a')
    const before = model.requests.length
    await load('twins', { a: 'A password that is embedded once.' }, { status: 'closed' })
    await load('twins-too', { b: 'A password that is embedded once.' })
    await untilVectorsAre('ready', 'twins', 'a')
    await untilVectorsAre('ready', 'twins-too', 'b')
    expect(model.requests).toHaveLength(before)
    expect(idsOf(await search('twins', 'пароль', { metadata: 'status=closed' }))).toEqual(['a'])
    expect(idsOf(await search('twins-too', 'пароль'))).toEqual(['b'])
  })

  test('short documents share requests, long ones take several, and all of their chunks are found', async () => {
    const parts = Array.from({ length: 80 }, (_, n) => `Part ${n}. ${'Filler words stand here. '.repeat(30)}`)
    parts[70] = `Part 70. The wifi key. ${'Filler words stand here. '.repeat(30)}`
    await load('long', { long: parts.join('\n\n') })
    await untilVectorsAre('ready', 'long', 'long')
    const [first] = (await search('long', 'vpn', { k: 1 })).data as unknown as readonly { text: string }[]
    expect(first?.text).toContain('wifi key')
  })

  test('filters and rights are inside the ranking: five of many are found, whatever stands nearer', async () => {
    await load('many', Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`n${n}`, `Printer number ${n}.`])))
    await load('many', Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`rare${n}`, `Cake number ${n}.`])), {
      kind: 'rare',
    })
    for (const id of ['n249', 'rare4']) await untilVectorsAre('ready', 'many', id)
    for (let n = 0; n < 250; n++) await untilVectorsAre('ready', 'many', `n${n}`)
    const found = await search('many', 'принтер', { k: 10, metadata: 'kind=rare' })
    expect(idsOf(found)).toEqual(['rare0', 'rare1', 'rare2', 'rare3', 'rare4'])
    expect(found.warnings).toBeUndefined()
  })
})

describe('a model that fails a search: the response is by words and says so', () => {
  const warned = (what: string) => ({
    mode: 'lexical',
    warnings: [`The embeddings address ${what}: the search is by words only.`],
    data: [{ doc_id: 'printer' }],
  })

  test.each([
    ['500', 'responded with an error', (response) => sendJson(response, {}, 500)],
    ['429', 'responded with an error', (response) => sendJson(response, {}, 429)],
    ['400', 'rejected the request', (response) => sendJson(response, {}, 400)],
    [
      'a redirect, which is not followed',
      'responded with an error',
      (response) => void response.writeHead(307, { location: '/v1/other' }).end(),
    ],
    ['no JSON', 'gave an unusable response', (response) => void response.end('<html>')],
    ['no data', 'gave an unusable response', (response) => sendJson(response, { data: 'none' })],
    ['no vector', 'gave an unusable response', (response) => sendJson(response, { data: [] })],
    [
      'two vectors',
      'gave an unusable response',
      (response) => sendJson(response, { data: [{ embedding: [1] }, { embedding: [1] }] }),
    ],
    ['a vector of another length', 'gave an unusable response', embedByMeaning((vector) => vector.slice(1))],
    ['texts for numbers', 'gave an unusable response', embedByMeaning((vector) => vector.map(String))],
    ['an empty vector', 'gave an unusable response', embedByMeaning(() => [])],
    ['numbers beyond float32', 'gave an unusable response', embedByMeaning((vector) => vector.map(() => 1e300))],
    [
      'a response that does not end',
      'gave an unusable response',
      (response) => {
        const write = (): void => {
          while (response.write(' '.repeat(65_536)));
        }
        response.on('drain', write).writeHead(200)
        write()
      },
    ],
    [
      'half a response',
      'cannot be reached',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"data":')
        response.destroy()
      },
    ],
  ] as const satisfies readonly (readonly [string, string, ModelStandIn['embeddings']])[])(
    '%s',
    async (_, what, response) => {
      model.embeddings = response
      expect(await search('kb', 'toner')).toMatchObject(warned(what))
      model.embeddings = embedByMeaning()
      const again = await search('kb', 'toner', { k: 1 })
      expect([again.mode, again.warnings]).toEqual(['hybrid', undefined])
    },
  )

  test('nobody listens', async () => {
    await model.stop()
    expect(await search('kb', 'toner')).toMatchObject(warned('cannot be reached'))
    await load('offline', { a: 'The toner is loaded and found at once.' })
    expect(idsOf(await search('offline', 'toner'))).toEqual(['a'])
    await model.start()
    await untilVectorsAre('ready', 'offline', 'a')
    expect(idsOf(await search('offline', 'anything'))).toEqual(['a'])
  })

  test('the warning is in the language of the caller', async () => {
    model.embeddings = (response) => sendJson(response, {}, 503)
    const { warnings } = await search('kb', 'toner', {}, 'pisatel')
    expect(warnings).toEqual(['Адрес эмбеддингов ответил ошибкой: поиск выполнен только по словам.'])
  })
})

describe('making vectors', () => {
  test('until they are there, the document is found by its words and the response says so', async () => {
    let release: (() => void) | undefined
    const isRequested = new Promise<void>((resolve) => {
      model.embeddings = (response, requested) => {
        if (requested.body.input?.[0] === 'router') return embedByMeaning()(response, requested)
        release = () => embedByMeaning()(response, requested)
        resolve()
      }
    })
    await load('waiting', { a: 'A router.' })
    await isRequested
    const found = await search('waiting', 'router')
    expect({ ids: idsOf(found), mode: found.mode, warnings: found.warnings }).toEqual({
      ids: ['a'],
      mode: 'hybrid',
      warnings: ['Vectors of some documents are still being made: until then these are found by their words only.'],
    })
    release?.()
    await untilVectorsAre('ready', 'waiting', 'a')
    expect((await search('waiting', 'router')).warnings).toBeUndefined()
  })

  test('a text that the model rejects is given up by itself; its neighbours are not', async () => {
    model.embeddings = (response, requested) => {
      if (requested.body.input?.some((text) => text.includes('poison'))) sendJson(response, { error: 'too long' }, 400)
      else embedByMeaning()(response, requested)
    }
    await load('mixed', { a: 'A router.', b: 'poison', c: 'A printer.' })
    await untilVectorsAre('ready', 'mixed', 'a')
    await untilVectorsAre('ready', 'mixed', 'c')
    const isRejected = sql`select from docket_documents.document_embedding where attempts > 0`
    while ((await stage.docket.database.rows(isRejected)).length === 0) await pause(10)
    // Skips the pause before the next attempt.
    await stage.docket.database.rows(sql`
      update docket_documents.document_embedding set attempts = 2, not_before = null where attempts > 0`)
    await load('mixed', { d: 'A login.' })
    await untilVectorsAre('failed', 'mixed', 'b')
    expect((await search('mixed', 'login')).warnings).toBeUndefined()
    const status = await stage.send('reader', 'GET /get_document_status?collection_name=mixed&id_value=b')
    expect(status.body).toEqual(
      ok({
        doc_id: 'b',
        collection_name: 'mixed',
        state: 'ready',
        percent: 100,
        pages_done: null,
        attempts: 1,
        version: 1,
        vectors: 'failed',
        error: null,
      }),
    )
  })
})

describe('a restart with other settings', () => {
  const settings = () => ({
    DOCKET_EMBEDDINGS_URL: model.embeddingsUrl,
    DOCKET_EMBEDDINGS_MODEL: 'other',
    DOCKET_EMBEDDINGS_DIMENSIONS: '5',
    DOCKET_EMBEDDINGS_BATCH: '7',
    DOCKET_EMBEDDINGS_TEXT_PREFIX: 'passage:',
    DOCKET_EMBEDDINGS_QUERY_PREFIX: 'query:',
    DOCKET_EMBEDDINGS_QUERY_TIMEOUT_MS: '60000',
    DOCKET_RERANK_URL: model.rerankUrl,
    DOCKET_RERANK_MODEL: 'cross',
    DOCKET_RERANK_TIMEOUT_MS: '60000',
    DOCKET_SEARCH_MODE: 'hybrid',
  })

  test('another model makes all vectors again in the background; the reranker orders the best', async () => {
    await load('moved', { ...articles, long: `${articles.vpn} ${'And more words. '.repeat(20)}` })
    for (const id of [...Object.keys(articles), 'long']) await untilVectorsAre('ready', 'moved', id)
    const before = model.requests.length
    const first = stage
    const { database, connectionString } = first.docket
    stage = await setDocumentStage({
      fresh: { database, connectionString, drop: async () => undefined },
      environment: settings(),
    })
    try {
      for (const id of Object.keys(articles)) await untilVectorsAre('ready', 'moved', id)
      await untilVectorsAre('ready', 'moved', 'long')
      // The documents that were loaded first get their vectors last.
      await untilVectorsAre('ready', 'kb', 'leave')
      const isDue = sql`
        select from docket_documents.document_embedding where position is null and trouble is null`
      while ((await database.rows(isDue)).length > 0) await pause(10)
      const requested = model.requests.slice(before)
      expect(requested.every(({ body }) => body.model === 'other' && body.dimensions === 5)).toBe(true)
      expect(requested.every(({ body }) => (body.input?.length ?? 0) <= 7)).toBe(true)
      expect(requested.flatMap(({ body }) => body.input)).toContain(`passage: ${articles.leave}`)
      model.requests.length = 0
      const found = await search('moved', 'wifi', { mode: undefined, explain: true })
      expect(model.requests.map(({ path, body }) => ({ path, body }))).toEqual([
        {
          path: '/v1/embeddings',
          body: { model: 'other', input: ['query: wifi'], encoding_format: 'float', dimensions: 5 },
        },
        {
          path: '/v1/rerank',
          body: {
            model: 'cross',
            query: 'wifi',
            documents: expect.arrayContaining(Object.values(articles)),
            top_n: 4,
            return_documents: false,
          },
        },
      ])
      // The shortest text first, because the stand-in ranks by length.
      expect(found).toMatchObject({
        mode: 'hybrid',
        data: [
          { doc_id: 'leave', score: 1 / 61, ranks: { lexical: null, rerank: 1 / articles.leave.length } },
          { doc_id: 'vpn', score: 1 / 62, ranks: { lexical: null, rerank: 1 / articles.vpn.length } },
          { doc_id: 'printer', score: 1 / 63 },
          { doc_id: 'long', score: 1 / 64 },
        ],
      })
      for (const [what, response] of [
        ['responded with an error', (response) => sendJson(response, {}, 500)],
        ['gave an unusable response', (response) => sendJson(response, { results: [{ index: 9 }] })],
        ['gave an unusable response', (response) => sendJson(response, { results: [] })],
      ] as const satisfies readonly (readonly [string, ModelStandIn['rerank']])[]) {
        model.rerank = response
        expect(await search('moved', 'wifi', { k: 1 })).toMatchObject({
          mode: 'hybrid',
          data: [{ score: 1 / 61 }],
          warnings: [`The reranking address ${what}: the order is that of the search.`],
        })
      }
      // A list without an envelope, like the response of TEI.
      model.rerank = (response, { body }) =>
        sendJson(
          response,
          body.documents?.map((text, index) => ({ index, score: text.includes('Restart') ? 1 : 0 })),
        )
      expect(idsOf(await search('moved', 'отпуск', { k: 2 }))).toEqual(['long', 'vpn'])
    } finally {
      model.rerank = rerankByLength
      await stage.close()
      stage = first
    }
    // The first process still uses the vectors of its own model.
    expect(idsOf(await search('moved', 'vacation', { k: 1 }))).toEqual(['leave'])
  })

  test('a slow model costs a search its time limit and no more', async () => {
    const first = stage
    const { database, connectionString } = first.docket
    stage = await setDocumentStage({
      fresh: { database, connectionString, drop: async () => undefined },
      environment: {
        // The address may be the one below which the operation is, without its last segment.
        DOCKET_EMBEDDINGS_URL: model.embeddingsUrl.replace('/embeddings', ''),
        DOCKET_EMBEDDINGS_MODEL: 'stand-in',
        DOCKET_EMBEDDINGS_QUERY_TIMEOUT_MS: '50',
        DOCKET_RERANK_URL: model.rerankUrl.replace('/rerank', '/'),
        DOCKET_RERANK_TIMEOUT_MS: '50',
      },
    })
    try {
      model.embeddings = () => undefined
      model.rerank = () => undefined
      const { mode, warnings, data } = await search('kb', 'toner')
      expect({ mode, warnings, ids: data.map(({ doc_id }) => doc_id) }).toEqual({
        mode: 'lexical',
        warnings: [
          'The embeddings address did not respond in time: the search is by words only.',
          'The reranking address did not respond in time: the order is that of the search.',
        ],
        ids: ['printer'],
      })
    } finally {
      model.rerank = rerankByLength
      await stage.close()
      stage = first
    }
  })
})

test('without an embeddings address a hybrid search is by words and says so; the status tells of no vectors', async () => {
  const first = stage
  const { database, connectionString } = first.docket
  stage = await setDocumentStage({ fresh: { database, connectionString, drop: async () => undefined } })
  try {
    expect(await search('kb', 'toner')).toMatchObject({
      mode: 'lexical',
      warnings: ['No embeddings address is configured: the search is by words only.'],
      data: [{ doc_id: 'printer' }],
    })
    const status = await stage.send('reader', 'GET /get_document_status?collection_name=kb&id_value=printer')
    expect((status.body as { data: object }).data).not.toHaveProperty('vectors')
  } finally {
    await stage.close()
    stage = first
  }
})
