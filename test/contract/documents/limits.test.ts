import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LimitResponse } from '../../../src/contract/limits.ts'
import type { ReceivedResponse } from '../../harness/send-request.ts'
import { type DocumentStage, setDocumentStage } from './stage.ts'

let stage: DocumentStage
let published: readonly LimitResponse[]
beforeAll(async () => {
  stage = await setDocumentStage({ environment: { DOCKET_MAX_BODY_BYTES: '2000000' } })
  await stage.send('writer', 'POST /load_text_to_collection?collection_name=limits', { text: 'There is something.' })
  published = ((await stage.send('nobody', 'GET /limits')).body as { data: LimitResponse[] }).data
})
afterAll(() => stage.close())

const find = (query: object): Promise<ReceivedResponse> => stage.send('reader', 'POST /get_relevant_documents', query)
const load = (metadata: object, text = 'x'): Promise<ReceivedResponse> =>
  stage.send('writer', 'POST /load_text_to_collection?collection_name=limits', { metadata, text })
const filter = (tag_info: string): Promise<ReceivedResponse> =>
  stage.send('reader', 'POST /get_content_by_tag?collection_name=limits', { tag_info })
const records = (rest: string): Promise<ReceivedResponse> => stage.send('admin', `GET /rest/v1/table/task${rest}`)

const stats = (parameters: string): Promise<ReceivedResponse> =>
  stage.send('admin', `GET /rest/v1/stats/task?${parameters}`)
const taskColumns =
  'number subject state priority active opened_at sys_id sys_created_at sys_updated_at sys_created_by assigned_user'.split(
    ' ',
  )

/** By limit: sends a request with this many characters or members. */
const asking: Readonly<Record<string, (much: number) => Promise<ReceivedResponse>>> = {
  'documents: text': (much) => load({ doc_id: 'text' }, 'x'.repeat(much)),
  'documents: metadata': (much) => load({ doc_id: 'm', a: 'x'.repeat(much - '{"doc_id":"m","a":""}'.length) }),
  'documents: text with a vector': (much) =>
    stage.send('writer', 'POST /load_text_to_collection?collection_name=limit-of-vectors', {
      text: 'x'.repeat(much),
      vector: [1, 0],
    }),
  'documents: vector': (much) => find({ vector: Array.from({ length: much }, () => 1) }),
  'documents: metadata keys': (much) =>
    load({ doc_id: 'keys', ...Object.fromEntries(Array.from({ length: much - 1 }, (_, n) => [`k${n}`, n])) }),
  'documents: doc_id': (much) => load({ doc_id: 'd'.repeat(much) }),
  'documents: file name': (much) =>
    stage.sendFile('writer', 'collection_name=limits', { name: `${'n'.repeat(much - 4)}.txt`, bytes: 'x' }),
  'documents: collection_name': (much) =>
    stage.send('writer', `POST /load_text_to_collection?collection_name=${'c'.repeat(much)}`, { text: 'x' }),
  'documents: query': (much) => find({ query: 'x'.repeat(much) }),
  'documents: k': (much) => find({ query: 'x', k: much }),
  'documents: limit of get_list_of_documents_names': (much) =>
    stage.send('reader', `GET /get_list_of_documents_names?collection_name=limits&limit=${much}`),
  'documents: limit of get_list_of_metadata_keys': (much) =>
    stage.send('reader', `GET /get_list_of_metadata_keys?limit=${much}`),
  'documents: values of get_list_of_metadata_keys': (much) =>
    stage.send('reader', `GET /get_list_of_metadata_keys?values=${much}`),
  'documents: limit of get_document_chunks': (much) =>
    stage.send('reader', `GET /get_document_chunks?collection_name=limits&id_value=keys&limit=${much}`),
  'documents: queries of an evaluation': (much) =>
    stage.send('reader', 'POST /collections/limits/evaluate', {
      queries: Array.from({ length: much }, (_, at) => ({ id: String(at), text: 'x' })),
      judgements: [],
    }),
  'documents: judgements of an evaluation': (much) =>
    stage.send('reader', 'POST /collections/limits/evaluate', {
      queries: [{ id: 'q', text: 'x' }],
      judgements: Array.from({ length: much }, (_, at) => ({ query_id: 'q', doc_id: String(at), gain: 0 })),
    }),
  'documents: limit of get_content_by_tag': (much) =>
    stage.send('reader', `GET /get_content_by_tag?collection_name=limits&limit=${much}`),
  'records: fields of sysparm_group_by': (much) => stats(`sysparm_group_by=${taskColumns.slice(0, much).join(',')}`),
  'records: conditions of sysparm_having': (much) =>
    stats(`sysparm_having=${Array.from({ length: much }, (_, n) => `count!=${n}`).join('^')}`),
  'records: sysparm_limit of a history': (much) =>
    stage.send('admin', `GET /rest/v1/history/user/155931135900000001?sysparm_limit=${much}`),
  'all: encoded query': (much) => filter(`status=${'x'.repeat(much - 'status='.length)}`),
  'all: conditions of an encoded query': (much) => filter(Array.from({ length: much }, (_, n) => `a=${n}`).join('^')),
  'all: brackets of an encoded query': (much) => filter(`${'('.repeat(much)}a=1${')'.repeat(much)}`),
  'all: orders of an encoded query': (much) =>
    records(`?sysparm_query=${Array.from({ length: much }, () => 'ORDERBYnumber').join('^')}`),
  'all: URL': (much) => records(`?sysparm_fields=${'n'.repeat(much - '/rest/v1/table/task?sysparm_fields='.length)}`),
}

test('GET /limits tells every caller what a request may hold, with its unit', () => {
  expect(published).toEqual(
    expect.arrayContaining([
      { service: 'documents', name: 'file', value: 104_857_600, unit: 'bytes', status: 413 },
      { service: 'documents', name: 'query', value: 8_000, unit: 'UTF-16 units', status: 422 },
      { service: 'documents', name: 'k', value: 1_000, unit: 'chunks', status: 422 },
      { service: 'records', name: 'body', value: 2_000_000, unit: 'bytes', status: 413 },
      { service: 'records', name: 'attachment', value: 2_147_483_648, unit: 'bytes', status: 413 },
      {
        service: 'records',
        name: 'records that a delete changes or deletes besides its own',
        value: 1_000,
        unit: 'records',
        status: 422,
      },
      { service: 'records', name: 'event streams of a user', value: 200, unit: 'streams', status: 503 },
      { service: 'records', name: 'files of an upload', value: 20, unit: 'files', status: 400 },
    ]),
  )
  expect(new Set(published.map(({ service, name }) => `${service}: ${name}`)).size).toBe(published.length)
})

describe('lesson: a question is cut at 200 characters silently (Dify)', () => {
  test.each(Object.entries(asking))(
    '%s: the limit itself is served, one more is rejected as published',
    async (name, call) => {
      const limit = published.find((each) => `${each.service}: ${each.name}` === name)
      expect(limit).toBeDefined()
      const { value = 0, status = 0 } = limit ?? {}
      const [at, over] = [await call(value), await call(value + 1)]
      // A request within the limits may still be invalid; it must not get the error of a limit.
      expect({ at: [200, 400].includes(at.status) && at.status !== status }).toEqual({ at: true })
      expect(over).toMatchObject({ status, body: { status: 'ERROR' } })
    },
  )

  test.each([
    ['fields of a request', (names: string) => records(`?sysparm_fields=${names}`)],
    ['fields of sum, avg, min and max', (names: string) => stats(`sysparm_sum_fields=${names}`)],
  ] as const)('%s: one more is rejected as published', async (name, call) => {
    const { value = 0, status } = published.find((each) => each.service === 'records' && each.name === name) ?? {}
    const named = (count: number): string => Array.from({ length: count }, (_, n) => `f${n}`).join(',')
    const [at, over] = [await call(named(value)), await call(named(value + 1))]
    // Unknown names are rejected one by one, after the check of their number.
    expect(JSON.stringify(at.body)).toMatch(/f0/)
    expect(over).toMatchObject({
      status,
      body: { errors: [{ message: expect.stringContaining(`at most ${value} fields`) }] },
    })
  })

  test('a file', async () => {
    const { value = 0 } = published.find(({ service, name }) => service === 'documents' && name === 'file') ?? {}
    const send = (bytes: number) => {
      const page = Buffer.alloc(bytes, ' ')
      page.write('<!doctype html><p>A page with much air in it.</p>')
      return stage.sendFile('writer', 'collection_name=limits', { name: 'air.html', bytes: page }, { doc_id: 'air' })
    }
    expect((await send(5_000_000)).status).toBe(200)
    expect(await send(value + 1)).toMatchObject({ status: 413, body: { errors: [{ code: 'BODY_TOO_LARGE' }] } })
  })

  test('the number of collections of a search', async () => {
    const names = Array.from({ length: 128 }, (_, n) => `c${n}`)
    expect((await find({ query: 'x', collection_names: names })).status).toBe(404)
    expect((await find({ query: 'x', collection_names: [...names, 'c128'] })).status).toBe(422)
  })

  test('what is served at the limit is whole', async () => {
    expect((await load({ doc_id: 'long' }, `${'word '.repeat(20_000)}needle`)).status).toBe(200)
    const query = `${'absent '.repeat(1_142)}needle`
    expect(query.length).toBe(8_000)
    expect((await find({ query, k: 1 })).body).toMatchObject({ data: [{ doc_id: 'long' }] })
  })
})
