import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type DocumentStage, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  const texts = {
    toner: 'Toner is ordered at the desk.',
    vpn: 'The VPN needs a token.',
    printer: 'A printer needs toner and paper.',
  }
  for (const [doc_id, text] of Object.entries(texts))
    await stage.send('writer', 'POST /load_text_to_collection?collection_name=judged', { metadata: { doc_id }, text })
})
afterAll(() => stage.close())

const evaluate = (as: 'reader' | 'nobody' | null, body: unknown, collection = 'judged') =>
  stage.send(as, `POST /collections/${collection}/evaluate`, body)

test('searches are measured by the judgements, the worst question first', async () => {
  const { status, body } = await evaluate('reader', {
    queries: [
      { id: 'one', text: 'VPN token' },
      { id: 'two', text: 'toner' },
      { id: 'three', text: 'paper' },
      { id: 'unjudged', text: 'desk' },
    ],
    judgements: [
      { query_id: 'one', doc_id: 'vpn', gain: 1 },
      { query_id: 'two', doc_id: 'vpn', gain: 1 },
      { query_id: 'three', doc_id: 'printer', gain: 2 },
      { query_id: 'three', doc_id: 'gone', gain: 1 },
      { query_id: 'unjudged', doc_id: 'toner', gain: 0 },
    ],
  })
  expect(status).toBe(200)
  const ndcg = 2 / (2 + 1 / Math.log2(3))
  expect((body as { data: object }).data).toEqual({
    collection_name: 'judged',
    questions: 3,
    modes: ['lexical'],
    ndcg10: expect.closeTo((1 + 0 + ndcg) / 3, 10),
    map: expect.closeTo((1 + 0 + 0.5) / 3, 10),
    recall10: expect.closeTo((1 + 0 + 0.5) / 3, 10),
    recall100: expect.closeTo((1 + 0 + 0.5) / 3, 10),
    queries: [
      { id: 'two', ndcg10: 0, map: 0, recall10: 0, recall100: 0, found: expect.any(Array), missed: ['vpn'] },
      {
        id: 'three',
        ndcg10: expect.closeTo(ndcg, 10),
        map: 0.5,
        recall10: 0.5,
        recall100: 0.5,
        found: ['printer'],
        missed: ['gone'],
      },
      { id: 'one', ndcg10: 1, map: 1, recall10: 1, recall100: 1, found: ['vpn'], missed: [] },
    ],
  })
})

test('what cannot be measured is told by its name', async () => {
  const queries = [{ id: 'q', text: 'x' }]
  const unknown = await evaluate('reader', { queries, judgements: [{ query_id: 'other', doc_id: 'a', gain: 1 }] })
  expect(unknown).toMatchObject({ status: 422, body: { errors: [{ field: 'judgements' }] } })
  const twice = await evaluate('reader', { queries: [...queries, ...queries], judgements: [] })
  expect(twice).toMatchObject({ status: 422, body: { errors: [{ field: 'queries' }] } })
  expect((await evaluate('reader', { judgements: [] })).body).toMatchObject({ errors: [{ field: 'queries' }] })
  const none = await evaluate('reader', { queries, judgements: [] })
  expect(none.body).toMatchObject({ data: { questions: 0, ndcg10: 0, queries: [] } })
})

test('a member that a query or judgement does not have is rejected by its name (issue 14)', async () => {
  const [query, judgement] = [
    { id: 'q', text: 'toner' },
    { query_id: 'q', doc_id: 'toner', gain: 1 },
  ]
  const ofQuery = await evaluate('reader', { queries: [{ ...query, txt: 'x' }], judgements: [judgement] })
  expect(ofQuery).toMatchObject({ status: 422, body: { errors: [{ field: 'queries.0.txt' }] } })
  const ofJudgement = await evaluate('reader', { queries: [query], judgements: [{ ...judgement, gains: 2 }] })
  expect(ofJudgement).toMatchObject({
    status: 422,
    body: {
      errors: [
        {
          field: 'judgements.0.gains',
          message:
            'The value of judgements.0.gains is rejected: nothing of this name is expected here; did you mean gain?',
        },
      ],
    },
  })
})

test('it is for those who may read the collection', async () => {
  const body = { queries: [{ id: 'q', text: 'toner' }], judgements: [{ query_id: 'q', doc_id: 'toner', gain: 1 }] }
  expect((await evaluate(null, body)).status).toBe(401)
  expect((await evaluate('nobody', body)).status).toBe(403)
  const absent = await evaluate('reader', body, 'absent')
  expect([absent.status, absent.body]).toEqual([404, rejected('NOT_FOUND', 'There is no collection absent.')])
  // Also where no question is judged, so that nothing is searched.
  expect((await evaluate('reader', { ...body, judgements: [] }, 'absent')).body).toEqual(absent.body)
})

test('a role that is taken away while an evaluation runs counts for its next search', async () => {
  const { database } = stage.docket
  const roleOfReader = sql`role_id = (select sys_id from docket.sys_role where name = 'document_reader')
    and user_id = (select sys_id from docket."user" where user_name = 'doc.reader')`
  const queries = ['one', 'two', 'three'].map((id) => ({ id, text: 'toner' }))
  const judgements = queries.map(({ id }) => ({ query_id: id, doc_id: 'toner', gain: 1 }))
  const sent = await database.inTransaction(async (session) => {
    // The first search waits for the texts of its chunks.
    await session.rows(sql`lock table docket_documents.chunk in access exclusive mode`)
    const response = evaluate('reader', { queries, judgements })
    await expect
      .poll(
        async () =>
          (
            await session.rows<{ waits: boolean }>(sql`
              select exists (select from pg_locks where not granted and relation = 'docket_documents.chunk'::regclass
                and database = (select oid from pg_database where datname = current_database())) as waits`)
          )[0]?.waits,
        { timeout: 60_000 },
      )
      .toBe(true)
    await session.rows(sql`delete from docket.sys_user_has_role where ${roleOfReader}`)
    return { response }
  })
  const { status, body } = await sent.response
  expect([status, body]).toEqual([403, expect.objectContaining({ error_type: 'SERVER' })])
})
