import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type DocumentStage, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

const load = async (collection: string, metadata: object, text = 'A text.'): Promise<void> => {
  const sent = await stage.send('admin', `POST /load_text_to_collection?collection_name=${collection}`, {
    metadata,
    text,
  })
  expect(sent.status, sent.text).toBe(200)
}

interface Key {
  readonly key: string
  readonly types: readonly string[]
  readonly documents: number
  readonly distinct_values: number
  readonly values: readonly { readonly value: unknown; readonly documents: number }[]
}
async function keysOf(as: 'reader' | 'admin', parameters: string): Promise<Readonly<Record<string, Key>>> {
  const { status, body } = await stage.send(as, `GET /get_list_of_metadata_keys?${parameters}`)
  expect(status).toBe(200)
  const { data } = body as { data: readonly Key[] }
  return Object.fromEntries(data.map((each) => [each.key, each]))
}

describe('keys of the metadata', () => {
  test('each has its types, the number of its documents and its frequent values, as they were loaded', async () => {
    await load('kinds', { doc_id: 'a', category: 'Printing', rank: 1, flag: true, tags: ['X', 'y'], 'loc.from': 3 })
    await load('kinds', {
      doc_id: 'b',
      category: 'printing',
      rank: 2,
      due: '2024-01-31',
      tags: ['x', null, ''],
    })
    await load('kinds', { doc_id: 'c', category: 'VPN', rank: 'high', long: 'n'.repeat(201), nothing: '' })
    const keys = await keysOf('reader', 'collection_names=kinds')
    expect(Object.keys(keys)).toEqual([
      ...['category', 'doc_id', 'language', 'loaded_at', 'media_type', 'rank', 'size'],
      ...['tags', 'due', 'flag', 'loc.from', 'long'],
    ])
    expect(keys['category']).toEqual({
      key: 'category',
      types: ['text'],
      documents: 3,
      distinct_values: 2,
      // Filters do not distinguish cases; the spelling is one that was loaded.
      values: [
        { value: 'Printing', documents: 2 },
        { value: 'VPN', documents: 1 },
      ],
    })
    expect(keys['rank']).toEqual({
      key: 'rank',
      types: ['number', 'text'],
      documents: 3,
      distinct_values: 3,
      values: [
        { value: 1, documents: 1 },
        { value: 2, documents: 1 },
        { value: 'high', documents: 1 },
      ],
    })
    expect(keys['flag']).toMatchObject({ types: ['boolean'], values: [{ value: true, documents: 1 }] })
    expect(keys['tags']).toMatchObject({
      documents: 2,
      values: [
        { value: 'X', documents: 2 },
        { value: 'y', documents: 1 },
      ],
    })
    expect(keys['due']).toMatchObject({ types: ['time'], distinct_values: 0, values: [] })
    expect(keys['loc.from']).toMatchObject({ types: ['number'], values: [{ value: 3, documents: 1 }] })
    expect(keys['long']).toMatchObject({ documents: 1, distinct_values: 1, values: [] })
    expect(keys['doc_id']).toMatchObject({ distinct_values: 3 })
  })

  test('a listed value, written into a filter, finds as many documents as are listed', async () => {
    const keys = await keysOf('reader', 'collection_names=kinds')
    for (const { key, values } of Object.values(keys))
      for (const { value, documents } of values) {
        const tag_info = `"${key}"=${value}`
        const { body } = await stage.send('reader', 'POST /get_content_by_tag?collection_name=kinds', { tag_info })
        expect([tag_info, (body as { data: unknown[] }).data.length]).toEqual([tag_info, documents])
      }
  })

  test('limit and values bound the list; without a collection it is of all that the caller may read', async () => {
    await load('more', { doc_id: 'm', onlyhere: 'yes' })
    await load('hidden', { doc_id: 'h', secret: 'value' })
    await stage.send('admin', 'PUT /collections/hidden', { reader_role: 'hr_documents' })
    const all = await keysOf('reader', 'limit=1000')
    expect(Object.keys(all)).toEqual(expect.arrayContaining(['category', 'onlyhere']))
    expect(all).not.toHaveProperty('secret')
    expect(await keysOf('admin', '')).toHaveProperty('secret')
    expect(Object.keys(await keysOf('reader', 'collection_names=kinds&limit=2'))).toEqual(['category', 'doc_id'])
    const one = await keysOf('reader', 'collection_names=kinds&values=1')
    expect(one['category']?.values).toEqual([{ value: 'Printing', documents: 2 }])
    expect((await keysOf('reader', 'collection_names=kinds&values=0'))['category']?.values).toEqual([])
    const both = await keysOf('reader', 'collection_names=kinds&collection_names=more')
    expect(both['doc_id']?.documents).toBe(4)
    const unknown = await stage.send('reader', 'GET /get_list_of_metadata_keys?collection_names=hidden')
    expect([unknown.status, unknown.body]).toEqual([404, rejected('NOT_FOUND', 'There is no collection hidden.')])
  })

  test('of a large collection a part is read, by doc_id, and the response says so', async () => {
    await load('large', { doc_id: '0', kind: 'first' })
    await stage.docket.database.rows(sql`
      insert into docket_documents.document
      select (jsonb_populate_record(d, jsonb_build_object('id', nextval('docket_documents.document_id'), 'doc_id', '1' || n,
        'filter_values', d.filter_values || '{"kind":["other"]}', 'metadata', '{"kind":"other"}'::jsonb))).*
      from docket_documents.document d, generate_series(1, 10000) n where d.doc_id = '0' and d.removed_position is null`)
    const { body } = await stage.send('reader', 'GET /get_list_of_metadata_keys?collection_names=large')
    expect(body).toMatchObject({ documents: 10_000, complete: false })
    const { kind } = await keysOf('reader', 'collection_names=large')
    expect(kind?.values).toEqual([
      { value: 'other', documents: 9_999 },
      { value: 'first', documents: 1 },
    ])
    const whole = await stage.send('reader', 'GET /get_list_of_metadata_keys?collection_names=kinds')
    expect(whole.body).toMatchObject({ documents: 3, complete: true })
  })
})

describe('chunks of a document', () => {
  const text = Array.from({ length: 60 }, (_, n) => `## Part ${n}\n\n${`Sentence ${n} of the text. `.repeat(20)}`).join(
    '\n\n',
  )

  test('their ranges cover the text without gaps; pages lead through all of them', async () => {
    await load('split', { doc_id: 'a' }, text)
    const content = await stage.send('reader', 'GET /get_content_by_tag?collection_name=split')
    const [document] = (content.body as { data: { text: string; version: number }[] }).data
    const list = 'GET /get_document_chunks?collection_name=split&id_value=a'
    const whole = await stage.send('reader', list)
    const { data, ...beside } = whole.body as {
      data: { chunk_index: number; from: number; to: number; heading_path: string[] }[]
    }
    expect(beside).toEqual({ status: 'OK', version: 1, next_cursor: null })
    expect(data.length).toBeGreaterThan(5)
    expect(data.map((chunk) => chunk.chunk_index)).toEqual(data.map((_, at) => at))
    expect([data[0]?.from, data.at(-1)?.to]).toEqual([0, document?.text.length])
    for (const [at, chunk] of data.entries()) expect(chunk.from).toBeLessThanOrEqual(data[at - 1]?.to ?? 0)
    const found = await stage.send('reader', 'POST /get_relevant_documents?query=sentence&k=500', {
      collection_names: ['split'],
    })
    for (const hit of (found.body as { data: (typeof data)[number][] }).data)
      expect(data[hit.chunk_index]).toMatchObject({ from: hit.from, to: hit.to, heading_path: hit.heading_path })
    const paged: unknown[] = []
    for (let cursor = ''; ; ) {
      const page = (await stage.send('reader', `${list}&limit=4${cursor}`)).body as {
        data: unknown[]
        next_cursor: string | null
      }
      paged.push(...page.data)
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(paged).toEqual(data)
  })

  test('a document that is not there, and a cursor that no response had', async () => {
    const absent = await stage.send('reader', 'GET /get_document_chunks?collection_name=split&id_value=b')
    expect([absent.status, absent.body]).toEqual([404, rejected('NOT_FOUND', 'There is no document b.')])
    const cursor = await stage.send('reader', 'GET /get_document_chunks?collection_name=split&id_value=a&cursor=-2')
    expect(cursor).toMatchObject({ status: 400, body: { errors: [{ code: 'BAD_PARAMETER', field: 'cursor' }] } })
    const behind = await stage.send('reader', 'GET /get_document_chunks?collection_name=split&id_value=a&cursor=999')
    expect(behind.body).toMatchObject({ data: [], next_cursor: null })
  })
})
