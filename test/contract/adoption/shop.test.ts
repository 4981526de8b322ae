import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk, shapeOf } from './adoption-desk.ts'

let desk: AdoptionDesk
let before: unknown
let adopted: Awaited<ReturnType<AdoptionDesk['adopt']>>
beforeAll(async () => {
  desk = await openAdoptionDesk('shop')
  before = await desk.run(shapeOf('shop'))
  adopted = await desk.adopt({ keys: new Map([['sold', 'id']]) })
})
afterAll(async () => {
  await desk.close()
})

const dataOf = async (line: string, body?: unknown) => {
  const response = await desk.send(line, body)
  return response.status === 200 ? (response.body as { data: unknown }).data : errorIn(response)
}
const plain = 'sysparm_exclude_reference_link=1'

test('tables get names of the dictionary, and what cannot be served is told with its reason', () => {
  expect(adopted.tables.map(({ name, described }) => [described.storage, name])).toEqual([
    ['OrderItems', 'order_items'],
    ['Orders', 'orders'],
    ['category', 'category'],
    ['country', 'country'],
    ['session', 'session'],
    ['sold', 'sold'],
    ['user', 'shop_user'],
    ['Товар', 'tovar'],
  ])
  expect(adopted.rejected).toEqual([{ table: 'log', why: 'it has no primary key' }])
  expect(adopted.tables.flatMap(({ described }) => described.notes)).toEqual([
    'the column a.b (text) is not served',
    'the column raw (bytea) is not served',
  ])
})

test('the tables of the database stay as they were', async () => {
  expect(await desk.run(shapeOf('shop'))).toEqual(before)
})

test('values are read as the dictionary shows them', async () => {
  expect(await dataOf(`GET /rest/v1/table/tovar/1?${plain}`)).toEqual([
    {
      sys_id: '1',
      nazvanie: 'Чайник',
      tsena: '1500.00',
      tochnaya_tsena: '1499.9999',
      category_id: '2',
      tags: ['new', 'red'],
      uid: '6b0a6f6e-7b0c-4f43-9c0e-000000000001',
      attributes: null,
      doubled: '3000.00',
    },
  ])
  expect(await dataOf(`GET /rest/v1/table/shop_user?${plain}&sysparm_query=ORDERBYsys_id&sysparm_limit=1`)).toEqual([
    { sys_id: '1', email: 'anna@example.org', order: 'first', created_at: '2024-03-01 07:00:00', rating: 0.1 },
  ])
  expect(await dataOf(`GET /rest/v1/table/orders/1?${plain}`)).toEqual([
    {
      sys_id: '1',
      user: '1',
      state: 'paid',
      select: 'ab',
      shipped: '2024-03-02 11:12:13',
      payment: 'card',
      took: null,
    },
  ])
})

test('references are walked, searched and counted', async () => {
  const query = encodeURIComponent('category_id.parent_id.name=Дом^tsena>1000')
  expect(
    await dataOf(
      `GET /rest/v1/table/tovar?sysparm_query=${query}&sysparm_fields=nazvanie,category_id.name,category_id.parent_id.name`,
    ),
  ).toEqual([{ nazvanie: 'Чайник', 'category_id.name': 'Кухня', 'category_id.parent_id.name': 'Дом' }])
  expect(await dataOf('GET /rest/v1/table/tovar/1?sysparm_display_value=1&sysparm_fields=category_id,tsena')).toEqual([
    {
      category_id: {
        display_value: 'Кухня',
        value: '2',
        link: expect.stringMatching(/\/rest\/v1\/table\/category\/2$/),
      },
      tsena: '1,500.00',
    },
  ])
  for (const [condition, ids] of [
    ['state=paid', ['1']],
    ['stateINnew,sent', ['2']],
    ['state!=paid', ['2']],
    ['payment=CARD', ['1']],
    ['user.emailLIKEBORIS', ['2']],
    ['select=ab', ['1']],
    ['shipped>2024-03-02 11:12:13', ['1']],
    ['shippedISEMPTY', ['2']],
    ['user.created_at=2024-03-01 07:00:00^ORDERBYDESCstate', ['1', '2']],
  ] as const) {
    const found = await dataOf(
      `GET /rest/v1/table/orders?sysparm_fields=sys_id&sysparm_query=${encodeURIComponent(condition)}`,
    )
    expect([condition, found]).toEqual([condition, ids.map((sys_id) => ({ sys_id }))])
  }
  const stats = await desk.send('GET /rest/v1/stats/orders?sysparm_group_by=state&sysparm_count=true')
  expect([stats.status, (stats.body as { data: unknown[] }).data.length]).toEqual([200, 2])
})

test('records are created, changed and deleted under their own keys and types', async () => {
  const made = (await dataOf(`POST /rest/v1/table/orders?${plain}`, {
    user: '2',
    state: 'sent',
    select: 'xyz',
    shipped: '2024-05-06 07:08:09',
    payment: "it's",
  })) as { sys_id: string }[]
  const id = made[0]?.sys_id ?? ''
  expect(await desk.run(`select *, shipped::text as shipped from shop."Orders" where "OrderID" = ${id}`)).toEqual([
    {
      OrderID: 3,
      user: 2,
      state: 'sent',
      select: 'xyz ',
      shipped: '2024-05-06 07:08:09',
      payment: "it's",
      'a.b': null,
      took: null,
    },
  ])
  expect(
    await dataOf(`PATCH /rest/v1/table/orders/${id}?${plain}&sysparm_fields=state,user`, { state: 'paid', user: '1' }),
  ).toEqual([{ state: 'paid', user: '1' }])
  expect(await dataOf(`PATCH /rest/v1/table/orders/${id}`, { state: 'lost' })).toMatchObject({ status: 422 })
  expect(await dataOf(`PATCH /rest/v1/table/orders/${id}`, { user: '77' })).toMatchObject({ status: 422 })
  expect(await dataOf(`PATCH /rest/v1/table/orders/${id}`, { took: '1 day' })).toMatchObject({ status: 422 })
  expect(await dataOf('DELETE /rest/v1/table/shop_user/1')).toMatchObject({ status: 409 })
  const history = await desk.send(`GET /rest/v1/history/orders/${id}`)
  expect(history.status).toBe(200)
  expect((await desk.send(`DELETE /rest/v1/table/orders/${id}`)).status).toBe(200)
  expect(await desk.run(`select from shop."Orders" where "OrderID" = ${id}`)).toEqual([])
  expect(
    await desk.run(`select operation, changes ->> 'state' as state, changed_by is not null as known from docket_system.change
      where record_id = '${id}' order by position`),
  ).toEqual([
    { operation: 'c', state: 'sent', known: true },
    { operation: 'u', state: '["sent", "paid"]', known: true },
    { operation: 'd', state: 'paid', known: true },
  ])
})

test('mandatory, read-only and generated columns are held, and values that the database rejects are the caller’s fault', async () => {
  expect(await dataOf('POST /rest/v1/table/tovar', { tsena: '5' })).toMatchObject({ status: 422 })
  expect(await dataOf('POST /rest/v1/table/tovar', { nazvanie: 'Ложка', tsena: '5', doubled: '7' })).toMatchObject({
    status: 422,
  })
  expect(await dataOf('POST /rest/v1/table/tovar', { nazvanie: 'Ложка', tsena: '5', sys_id: '9' })).toMatchObject({
    status: 422,
  })
  expect(await dataOf('POST /rest/v1/table/tovar', { nazvanie: 'Ложка', tsena: '5', uid: 'no uuid' })).toMatchObject({
    status: 422,
  })
  expect(await dataOf('POST /rest/v1/table/shop_user', { email: 'anna@example.org' })).toMatchObject({ status: 409 })
  const made = await dataOf(`POST /rest/v1/table/tovar?${plain}&sysparm_fields=doubled,tags,tsena`, {
    nazvanie: 'Ложка',
    tsena: '5.25',
    uid: '6b0a6f6e-7b0c-4f43-9c0e-00000000000a',
    attributes: { a: [1] },
    tags: ['a'],
  })
  expect(made).toEqual([{ doubled: '10.50', tags: ['a'], tsena: '5.25' }])
  const stamp = await dataOf('PATCH /rest/v1/table/shop_user/2?sysparm_fields=created_at,rating', {
    created_at: '2024-07-01 00:00:00',
    rating: 2.5,
  })
  expect(stamp).toEqual([{ created_at: '2024-07-01 00:00:00', rating: 2.5 }])
  expect(await desk.run(`select (created_at at time zone 'UTC')::text as at from shop."user" where id = 2`)).toEqual([
    { at: '2024-07-01 00:00:00' },
  ])
  expect(
    await dataOf('PATCH /rest/v1/table/tovar/2?sysparm_fields=tsena,tags', {
      tsena: { increment: 1 },
      tags: { add: ['z'] },
    }),
  ).toEqual([{ tsena: '9001.50', tags: ['z'] }])
})

test('a view is read and not written', async () => {
  expect(await dataOf('GET /rest/v1/table/sold/1')).toEqual([{ sys_id: '1', email: 'anna@example.org', state: 'paid' }])
  for (const line of ['PATCH /rest/v1/table/sold/1', 'POST /rest/v1/table/sold']) {
    expect(await dataOf(line, { email: 'x' })).toMatchObject({ status: 409 })
  }
  expect(await dataOf('DELETE /rest/v1/table/sold/1')).toMatchObject({ status: 409 })
})

test('an entity tag holds a write back when the record changed past Docket', async () => {
  const read = await desk.send('GET /rest/v1/table/category/2')
  const tag = read.headers['etag'] as string
  await desk.run(`update shop.category set name = 'Столовая' where id = 2`)
  const { docket } = desk
  const response = await docket.request('PATCH', '/rest/v1/table/category/2', {
    as: { user: 'admin', password: 'admin-password' },
    headers: { 'if-match': tag },
    body: { name: 'Кухня' },
  })
  expect(response.status).toBe(409)
})

test('files can be attached, and go with the record', async () => {
  const count = `select count(*)::integer as n from docket.sys_attachment a join docket.sys_db_table t on t.sys_id = a.table_id where t.name = 'category'`
  const form = new FormData()
  form.append('files[]', new Blob(['text']), 'a.txt')
  const response = await fetch(`${desk.docket.baseUrl}/v1/attachments/upload/category/1`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}` },
  })
  expect([response.status, await desk.run(count)]).toEqual([200, [{ n: 1 }]])
})
