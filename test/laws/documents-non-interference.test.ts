import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DocumentStage, setDocumentStage } from '../contract/documents/stage.ts'
import { type ModelStandIn, startModelStandIn } from '../harness/model-stand-in.ts'
import type { ReceivedResponse } from '../harness/send-request.ts'

/**
 * Two servers whose bound collections differ only in hidden documents send the same responses to a caller, byte by byte, except for ids
 * and times.
 *
 * The requests avoid one thing that no server can hide: that a doc_id is taken. A caller who loads a document under the doc_id of a
 * hidden one gets an error (docs/decisions/0012-statistics-of-visible-documents.md).
 */
let model: ModelStandIn
let stages: readonly [DocumentStage, DocumentStage]
beforeAll(async () => {
  model = await startModelStandIn()
  const environment = { DOCKET_EMBEDDINGS_URL: model.embeddingsUrl, DOCKET_EMBEDDINGS_MODEL: 'stand-in' }
  stages = [await setDocumentStage({ environment }), await setDocumentStage({ environment })]
  for (const stage of stages) await furnishRecords(stage)
})
afterAll(async () => {
  for (const stage of stages) await stage.close()
  await model.stop()
})

const firstRecord = 700_000_000
const recordCount = 12
/** Callers may read records with an even number, and of every third of these not the subject. */
const isVisible = (record: number): boolean => record % 2 === 0

async function furnishRecords({ docket: { database } }: DocumentStage): Promise<void> {
  await database.rows(sql`
    insert into docket.task (sys_id, sys_db_table_id, subject, active)
    select ${firstRecord}::bigint + n, (select sys_id from docket.sys_db_table where name = 'task'), 'subject ' || n, n % 2 = 0
    from generate_series(0, ${recordCount - 1}::integer) as n`)
  await database.rows(sql`delete from docket.sys_security_acl where table_name = 'task'`)
  await database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
    values ('read', 'task', '{}', 'active=true', true)`)
}

// ── worlds ──

const words = ['printer', 'printers', 'printing', 'toner', 'принтер', 'сеть', 'Rechnung', 'Rechnungen', 'ERR-42', 'vpn']
/** Spelling is corrected only by words that the caller may see. */
const misspelt = ['prniter', 'tonar', 'Rechnug', 'принтре']
const sentences = [
  'Der Netzwerkdrucker ist nicht an das Netz angeschlossen.',
  'Le réseau de la maison est en panne.',
  'It is not to be, or is it?',
  '水道の会議は東京都です。',
  '',
  // So little text for the size that the response has a warning.
  `${' '.repeat(3_000)}end`,
]
/** Queries with stop words only, of one character, with compounds and their parts, and with quotation marks. */
const otherQueries = [
  'to be or not to be',
  'it',
  '水',
  '東京',
  'Netzwerkdrucker',
  'Drucker Netz',
  'what is to be done about some "printers toner"',
]

const text = fc
  .tuple(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }), fc.constantFrom(...sentences))
  .map(([all, sentence]) => `${all.join(' ')}. ${sentence}`)
const metadataValues = fc.record({
  status: fc.constantFrom('open', 'closed'),
  priority: fc.integer({ min: 0, max: 2 }),
})

interface Sown {
  readonly collection: string
  readonly docId: string
  /** null: the document belongs to no record. */
  readonly record: number | null
  readonly text: string
  readonly values: { readonly status: string; readonly priority: number }
  readonly isFile: boolean
  /** The vector of the text, for the collection whose vectors come from callers. */
  readonly vector: readonly [number, number]
}

const sown = (of: { readonly prefix: string; readonly isHidden: boolean }): fc.Arbitrary<Sown> =>
  fc.record({
    collection: of.isHidden
      ? fc.constantFrom('bound', 'guarded', 'given')
      : fc.constantFrom('bound', 'guarded', 'given', 'open'),
    docId: fc.integer({ min: 0, max: 6 }).map((n) => `${of.prefix}${n}`),
    record: of.isHidden
      ? fc.oneof(
          fc.constant(null),
          fc.integer({ min: 0, max: recordCount / 2 - 1 }).map((n) => n * 2 + 1),
          fc.constant(999),
        )
      : fc.integer({ min: 0, max: recordCount / 2 - 1 }).map((n) => n * 2),
    text,
    values: metadataValues,
    isFile: fc.boolean(),
    vector: fc.constantFrom([1, 0] as const, [1, 1] as const, [0, 1] as const, [-1, 2] as const),
  })
/** Hidden documents are loaded between visible ones, so that the ids of visible ones differ between the servers. */
const world = fc.record({
  visible: fc.array(sown({ prefix: 'v', isHidden: false }), { maxLength: 8 }),
  hidden: fc.tuple(
    fc.array(sown({ prefix: 'h', isHidden: true }), { maxLength: 6 }),
    fc.array(sown({ prefix: 'h', isHidden: true }), { maxLength: 6 }),
  ),
})

async function furnish(stage: DocumentStage, visible: readonly Sown[], hidden: readonly Sown[]): Promise<void> {
  for (const name of ['bound', 'guarded', 'given', 'open', 'new'])
    await stage.send('admin', `DELETE /delete_collection?collection_name=${name}`)
  await stage.send('admin', 'PUT /collections/bound', { acl_table: 'task' })
  await stage.send('admin', 'PUT /collections/guarded', { acl_table: 'task' })
  const given = { acl_table: 'task', embeddings_model: 'caller', vector_length: 2 }
  expect((await stage.send('admin', 'PUT /collections/given', given)).status).toBe(200)
  await stage.docket.database.rows(
    sql`update docket_documents.collection set acl_columns = '{subject}' where name = 'guarded' and removed_position is null`,
  )
  const length = Math.max(visible.length, hidden.length)
  for (let at = 0; at < length; at++)
    for (const each of [hidden[at], visible[at]]) if (each !== undefined) await load(stage, each)
  await stage.send('admin', 'PUT /collections/open', {})
  // Some hidden documents are deleted again.
  for (const { collection, docId } of hidden.filter((_, at) => at % 3 === 2))
    await stage.send('admin', `DELETE /delete_document_from_collection?collection_name=${collection}&id_value=${docId}`)
}

async function load(
  stage: DocumentStage,
  { collection, docId, record, text, values, isFile, vector }: Sown,
): Promise<void> {
  const metadata = { doc_id: docId, ...values, ...(record === null ? {} : { sys_id: String(firstRecord + record) }) }
  const isGiven = collection === 'given'
  const response =
    isFile && !isGiven
      ? await stage.sendFile('admin', `collection_name=${collection}`, { name: `${docId}.txt`, bytes: text }, metadata)
      : await stage.send('admin', `POST /load_text_to_collection?collection_name=${collection}`, {
          metadata,
          text,
          ...(isGiven ? { vector } : {}),
        })
  expect(response.status, response.text).toBe(200)
}

async function vectorsAreMade({ docket: { database } }: DocumentStage): Promise<void> {
  for (;;) {
    const due = await database.rows(sql`
      select from docket_documents.document d left join docket_documents.document_embedding e on e.document_id = d.id
      where d.removed_position is null and d.vector_hash is null and e.position is null`)
    if (due.length === 0) return
    await pause(10)
  }
}

// ── requests ──

type Asker = 'reader' | 'writer'
interface RankRequest {
  readonly as: Asker
  readonly line: string
  readonly body?: unknown
  /** A file to send to load_document_to_collection, with the parameters of `line`. */
  readonly file?: { readonly name: string; readonly bytes: string }
}

const as = fc.constantFrom<Asker>('reader', 'writer')
const anyCollection = fc.constantFrom('bound', 'guarded', 'given', 'open', 'absent')
const anyDocument = fc
  .tuple(fc.constantFrom('v', 'h'), fc.integer({ min: 0, max: 7 }))
  .map(([prefix, n]) => `${prefix}${n}`)
const filter = fc.constantFrom(
  '',
  '',
  'status=open',
  'priority>0^status!=closed',
  'file_nameLIKEtxt',
  'language=de',
  'doc_idSTARTSWITHh',
  'size>40',
  'sys_idISEMPTY',
  'status=^^',
)

const search: fc.Arbitrary<RankRequest> = fc
  .record({
    as,
    query: fc.array(fc.constantFrom(...words, ...misspelt, 'absent', '"printers toner"', '"vpn'), {
      minLength: 1,
      maxLength: 4,
    }),
    k: fc.integer({ min: 1, max: 12 }),
    other: fc.option(fc.constantFrom(...otherQueries), { nil: undefined, freq: 2 }),
    names: fc.subarray(['bound', 'guarded', 'open', 'given']),
    filter,
    mode: fc.constantFrom('lexical', 'hybrid', 'vector'),
    vector: fc.option(fc.constantFrom([1, 0, 0, 0, 0], [0, 1, 2, 0, 1], [1, 0]), { nil: undefined, freq: 3 }),
    weights: fc.option(fc.constantFrom({ lexical: 2 }, { lexical: 0, vector: 1 }), { nil: undefined }),
    explain: fc.boolean(),
    highlight: fc.boolean(),
    min_relevance: fc.constantFrom(0, 0, 0.05, 0.5),
    group_by: fc.constantFrom(undefined, undefined, 'document'),
    group_size: fc.constantFrom(1, 1, 3),
    collapse: fc.constantFrom(undefined, undefined, 'duplicates'),
    diversity: fc.constantFrom(0, 0, 0.5, 1),
    context: fc.constantFrom(0, 0, 1),
  })
  .map(({ as, query, other, k, names, filter, group_size, ...rest }) => ({
    as,
    line: `POST /get_relevant_documents?k=${k}&query=${encodeURIComponent(other ?? query.join(' '))}`,
    body: {
      collection_names: names,
      metadata: filter,
      ...(rest.group_by === undefined ? {} : { group_size }),
      ...rest,
    },
  }))

const evaluating: fc.Arbitrary<RankRequest> = fc
  .record({
    as,
    collection: anyCollection,
    queries: fc.array(fc.constantFrom(...words, ...otherQueries), { minLength: 1, maxLength: 2 }),
    documents: fc.uniqueArray(anyDocument, { minLength: 1, maxLength: 4 }),
    mode: fc.constantFrom('lexical', 'hybrid'),
  })
  .map(({ as, collection, queries, documents, mode }) => ({
    as,
    line: `POST /collections/${collection}/evaluate`,
    body: {
      mode,
      queries: queries.map((query, at) => ({ id: String(at), text: query })),
      judgements: documents.map((doc_id, at) => ({ query_id: String(at % queries.length), doc_id, gain: at })),
    },
  }))

const reading: fc.Arbitrary<RankRequest> = fc
  .record({
    as,
    collection: anyCollection,
    id: anyDocument,
    filter,
    limit: fc.integer({ min: 1, max: 3 }),
    flag: fc.boolean(),
    which: fc.nat({ max: 8 }),
  })
  .map(({ as, collection, id, filter, limit, flag, which }) => {
    const lines = [
      `POST /get_content_by_tag?collection_name=${collection}${flag ? `&limit=${limit}` : ''}`,
      `GET /get_list_of_documents_names?collection_name=${collection}&details=${Number(flag)}${which % 2 === 0 ? `&limit=${limit}` : ''}&tag_info=${encodeURIComponent(filter)}`,
      `GET /get_list_of_collection?details=${Number(flag)}`,
      `GET /collections/${collection}`,
      `GET /get_document_status?collection_name=${collection}&id_value=${id}`,
      `GET /get_document_file?collection_name=${collection}&id_value=${id}`,
      'GET /limits',
      `GET /get_list_of_metadata_keys?limit=${limit * 5}${flag ? `&collection_names=${collection}` : ''}`,
      `GET /get_document_chunks?collection_name=${collection}&id_value=${id}&limit=${limit}`,
    ]
    const line = lines[which] ?? ''
    return { as, line, ...(which === 0 ? { body: { tag_info: filter } } : {}) }
  })

const writing: fc.Arbitrary<RankRequest> = fc
  .record({
    as,
    collection: fc.constantFrom('bound', 'guarded', 'open', 'new'),
    id: anyDocument,
    record: fc.nat({ max: recordCount }),
    text,
    values: metadataValues,
    which: fc.nat({ max: 4 }),
  })
  .map(({ as, collection, id, record, text, values, which }) => {
    const metadata = { doc_id: id.replace('h', 'w'), sys_id: String(firstRecord + record), ...values }
    const requested: readonly RankRequest[] = [
      { as, line: `POST /load_text_to_collection?collection_name=${collection}`, body: { metadata, text } },
      {
        as,
        line: `POST /load_text_to_collection?collection_name=${collection}`,
        body: { metadata: { ...metadata, priority: 'x' }, text },
      },
      { as, line: `DELETE /delete_document_from_collection?collection_name=${collection}&id_value=${id}` },
      { as, line: `DELETE /delete_collection?collection_name=${collection}` },
      { as, line: `PUT /collections/${collection}`, body: { acl_table: null } },
    ]
    return requested[which] ?? { as, line: 'GET /limits' }
  })

/** Names of files are those of existing documents, visible and hidden. */
const sending: fc.Arbitrary<RankRequest> = fc
  .record({
    as,
    collection: fc.constantFrom('bound', 'guarded', 'open', 'new'),
    id: anyDocument,
    text,
    more: fc.constantFrom(
      '',
      '&replace_by=file_name',
      '&replace_by=file_name',
      '&replace_by=doc_id',
      '&replace_by=name',
    ),
  })
  .map(({ as, collection, id, text, more }) => ({
    as,
    line: `collection_name=${collection}${more}`,
    file: { name: `${id}.txt`, bytes: text },
  }))

const request = fc.oneof(
  { weight: 4, arbitrary: search },
  { weight: 3, arbitrary: reading },
  { weight: 1, arbitrary: evaluating },
  { weight: 1, arbitrary: writing },
  { weight: 1, arbitrary: sending },
)

test('two servers that differ only in documents that a caller may not see give the same responses to any document operation (issue 8, A1)', async () => {
  await fc.assert(
    fc.asyncProperty(
      world,
      fc.array(request, { minLength: 5, maxLength: 25, size: 'max' }),
      async ({ visible, hidden }, requests) => {
        await Promise.all(stages.map((stage, at) => furnish(stage, visible, hidden[at] ?? [])))
        await Promise.all(stages.map(vectorsAreMade))
        for (const requested of requests) {
          const [one, other] = await Promise.all(stages.map((stage) => responseOf(stage, requested)))
          expect({ requested, responses: other }).toEqual({ requested, responses: one })
          if (!requested.line.startsWith('GET')) await Promise.all(stages.map(vectorsAreMade))
        }
      },
    ),
    { numRuns: 25 },
  )
}, 600_000)

/** The response and all pages after it. */
async function responseOf(stage: DocumentStage, { as, line, body, file }: RankRequest): Promise<readonly unknown[]> {
  const responses: unknown[] = []
  for (let next = ''; ; ) {
    const response = file === undefined ? await stage.send(as, line + next, body) : await stage.sendFile(as, line, file)
    responses.push({ status: response.status, headers: withoutTimes(response.headers), text: response.text })
    const cursor = (response.body as { next_cursor?: string | null } | undefined)?.next_cursor
    if (cursor == null) return responses
    next = `&cursor=${cursor}`
  }
}

/** Headers that may differ. `content-length` depends on the number of digits of `took_ms`; the body is compared byte by byte. */
const differing = new Set(['date', 'x-request-id', 'content-length', 'server-timing', 'x-response-time'])

function withoutTimes(headers: ReceivedResponse['headers']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !differing.has(name)))
}

test('the worlds of the law do differ: an administrator of both sees other counts', async () => {
  const of = (docId: string): Sown => ({
    collection: 'bound',
    docId,
    record: 1,
    text: 'toner',
    values: { status: 'open', priority: 1 },
    isFile: false,
    vector: [1, 0],
  })
  await furnish(stages[0], [], [of('h1')])
  await furnish(stages[1], [], [of('h1'), of('h2')])
  expect(isVisible(1)).toBe(false)
  const counts = await Promise.all(
    stages.map(async (stage) => {
      const { body } = await stage.send('admin', 'GET /collections/bound')
      return (body as { data: readonly { documents: number }[] }).data.map(({ documents }) => documents)
    }),
  )
  expect(counts).toEqual([[1], [2]])
})
