import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type DocumentStage, setDocumentStage, type Who } from '../documents/stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  await stage.docket.database.rows(sql`insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
    values ('read', 'company', array[(select sys_id::text from docket.sys_role where name = 'document_reader')], 'country!=Hidden', true)`)
  await stage.docket.database.rows(sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, admin_overrides)
    values ('read', 'company', 'phone', array[(select sys_id::text from docket.sys_role where name = 'admin')], true)`)
})
afterAll(() => stage.close())

async function make(body: Readonly<Record<string, unknown>>): Promise<string> {
  const made = await stage.send('admin', 'POST /rest/v1/table/company', body)
  return (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const patch = (id: string, body: Readonly<Record<string, unknown>>) =>
  stage.send('admin', `PATCH /rest/v1/table/company/${id}`, body)
const remove = (id: string) => stage.send('admin', `DELETE /rest/v1/table/company/${id}`)
const followTable = (collection: string, body: Readonly<Record<string, unknown>>) =>
  stage.send('admin', `PUT /collections/${collection}/follow`, body)
const stateOf = async (collection: string) =>
  ((await stage.send('admin', `GET /collections/${collection}/follow`)).body as { data: Record<string, unknown> }).data

/** Documents of a collection by their doc_id. */
async function textsIn(collection: string, as: Who = 'admin'): Promise<Readonly<Record<string, string>>> {
  const response = await stage.send(as, `POST /get_content_by_tag?collection_name=${collection}`, { tag_info: '' })
  const { data } = response.body as { data: { doc_id: string; text: string }[] }
  return Object.fromEntries(data.map(({ doc_id, text }) => [doc_id, text]))
}
const patience = { timeout: 120_000, interval: 50 }
const untilTexts = (collection: string, texts: Readonly<Record<string, string>>) =>
  expect.poll(() => textsIn(collection), patience).toEqual(texts)

test('records that were there, that come, that change, that leave the query and that are deleted', async () => {
  const [old, other] = [await make({ name: 'Old', city: 'Perm' }), await make({ name: 'Elsewhere', city: 'Ufa' })]
  const response = await followTable('companies', {
    table: 'company',
    query: 'city=Perm^ORcity=Omsk',
    template: '{name}\n\nCity: {city}\nWebsite: {website}',
    metadata: ['city', 'active'],
  })
  expect([response.status, response.body]).toEqual([
    200,
    {
      status: 'OK',
      data: {
        collection: 'companies',
        table: 'company',
        query: 'city=Perm^ORcity=Omsk',
        template: '{name}\n\nCity: {city}\nWebsite: {website}',
        metadata: ['city', 'active'],
        exposed_columns: [],
        state: 'comparing',
        documents: 0,
        error: null,
        compared_at: null,
        mended: 0,
      },
    },
  ])
  await untilTexts('companies', { [old]: 'Old\n\nCity: Perm' })
  const fresh = await make({ name: 'Fresh', city: 'Omsk' })
  await untilTexts('companies', { [old]: 'Old\n\nCity: Perm', [fresh]: 'Fresh\n\nCity: Omsk' })
  await patch(old, { name: 'Older', website: 'https://old.example' })
  await patch(other, { city: 'perm' })
  await untilTexts('companies', {
    [old]: 'Older\n\nCity: Perm\nWebsite: https://old.example',
    [other]: 'Elsewhere\n\nCity: perm',
    [fresh]: 'Fresh\n\nCity: Omsk',
  })
  await patch(fresh, { city: 'Tomsk' })
  await remove(other)
  await untilTexts('companies', { [old]: 'Older\n\nCity: Perm\nWebsite: https://old.example' })
  const found = await stage.send('admin', 'POST /get_relevant_documents', {
    query: 'older',
    collection_names: ['companies'],
    metadata: 'city=Perm',
  })
  expect((found.body as { data: { metadata: unknown }[] }).data[0]?.metadata).toEqual({
    sys_id: old,
    table: 'company',
    city: 'Perm',
    active: true,
  })
  await expect.poll(async () => (await stateOf('companies'))['state'], patience).toBe('following')
})

test('a comparison mends what went wrong behind the log’s back', async () => {
  const [kept, lost, late] = [
    await make({ name: 'Kept', city: 'Kazan' }),
    await make({ name: 'Lost', city: 'Kazan' }),
    await make({ name: 'Late', city: 'Kazan' }),
  ]
  await followTable('mended', { table: 'company', query: 'city=Kazan', template: '{name}' })
  await untilTexts('mended', { [kept]: 'Kept', [lost]: 'Lost', [late]: 'Late' })
  await expect.poll(async () => (await stateOf('mended'))['state'], patience).toBe('following')
  await stage.docket.database.rows(sql`delete from docket.company where sys_id = ${lost}::bigint`)
  await stage.docket.database.rows(sql`update docket.company set name = 'Later' where sys_id = ${late}::bigint`)
  await stage.send('admin', 'POST /load_text_to_collection', {
    collection_name: 'mended',
    text: 'a stranger',
    metadata: { doc_id: 'x' },
  })
  expect((await stage.send('admin', 'POST /collections/mended/follow/compare')).status).toBe(200)
  await untilTexts('mended', { [kept]: 'Kept', [late]: 'Later' })
})

test('readers see the documents of the records that they may read', async () => {
  const [open, hidden] = [
    await make({ name: 'Open', city: 'Sochi' }),
    await make({ name: 'Shut', city: 'Sochi', country: 'Hidden' }),
  ]
  await followTable('bound', { table: 'company', query: 'city=Sochi', template: '{name}' })
  await untilTexts('bound', { [open]: 'Open', [hidden]: 'Shut' })
  expect(await textsIn('bound', 'reader')).toEqual({ [open]: 'Open' })
})

test('a collection that no longer follows stays as it is', async () => {
  const id = await make({ name: 'Left', city: 'Orel' })
  await followTable('left', { table: 'company', query: 'city=Orel', template: '{name}' })
  await untilTexts('left', { [id]: 'Left' })
  expect((await stage.send('admin', 'DELETE /collections/left/follow')).status).toBe(200)
  expect((await stage.send('admin', 'GET /collections/left/follow')).status).toBe(404)
  await patch(id, { name: 'Changed' })
  // When another collection has applied this change, the first one still has not.
  await followTable('right', { table: 'company', query: 'city=Orel', template: '{name}' })
  await untilTexts('right', { [id]: 'Changed' })
  expect(await textsIn('left')).toEqual({ [id]: 'Left' })
})

describe('what cannot be followed is rejected:', () => {
  const good = { table: 'company', template: '{name}' }
  test.each([
    ['a table that is not there', { ...good, table: 'nothing' }, 404, 'TABLE_NOT_FOUND'],
    ['a column that is not there', { ...good, template: '{nothing}' }, 422, 'INVALID_VALUE'],
    ['a member that it does not have (issue 14)', { ...good, qurey: 'active=true' }, 400, 'BAD_PARAMETER'],
    ['a template without a column', { ...good, template: 'text' }, 422, 'INVALID_VALUE'],
    ['a query with an order', { ...good, query: 'ORDERBYname' }, 400, 'BAD_QUERY'],
    ['a query behind a reference', { ...good, query: 'sys_created_by.active=true' }, 400, 'BAD_QUERY'],
    ['a query that cannot be read', { ...good, query: 'name' }, 400, 'BAD_QUERY'],
    ['a reference', { ...good, template: '{sys_created_by}' }, 422, 'INVALID_VALUE'],
    ['what is behind a reference', { ...good, template: '{sys_created_by.email}' }, 422, 'INVALID_VALUE'],
    ['what is not there behind a reference', { ...good, template: '{sys_created_by.nothing}' }, 422, 'INVALID_VALUE'],
    ['that as metadata', { ...good, metadata: ['sys_created_by.email'] }, 422, 'INVALID_VALUE'],
    [
      'a query for the name of a record behind a reference',
      { ...good, query: 'sys_created_byLIKEa' },
      400,
      'BAD_QUERY',
    ],
    [
      'a comparison with what is behind a reference',
      { ...good, query: 'nameSAMEASsys_created_by.email' },
      400,
      'BAD_QUERY',
    ],
  ] as const)('%s', async (_what, body, status, code) => {
    const response = await followTable('refused', body)
    expect([response.status, (response.body as { errors: { code: string }[] }).errors[0]?.code]).toEqual([status, code])
  })

  test('anything, by others than administrators', async () => {
    for (const who of ['writer', 'reader'] as const) {
      expect((await stage.send(who, 'PUT /collections/refused/follow', good)).status).toBe(403)
    }
    expect((await stage.send(null, 'PUT /collections/refused/follow', good)).status).toBe(401)
  })

  test('a column with rules of its own may be exposed on purpose', async () => {
    const id = await make({ name: 'Phoned', phone: '12345', city: 'Tula' })
    const response = await followTable('exposed', {
      table: 'company',
      query: 'city=Tula',
      template: '{name} {phone}',
      exposed_columns: ['phone'],
    })
    expect(response.status).toBe(200)
    await untilTexts('exposed', { [id]: 'Phoned 12345' })
  })
})

test('a collection that is unbound and bound again keeps what guards its documents (issue 14)', async () => {
  const id = await make({ name: 'Guarded', city: 'Vorkuta', phone: '555' })
  await followTable('rebound', { table: 'company', query: 'city=Vorkuta', template: '{name} {phone}' })
  await untilTexts('rebound', { [id]: 'Guarded 555' })
  await expect.poll(async () => (await stateOf('rebound'))['state'], patience).toBe('following')
  expect(await textsIn('rebound', 'reader')).toEqual({})
  for (const acl_table of [null, 'company'])
    expect((await stage.send('admin', 'PUT /collections/rebound', { acl_table })).status).toBe(200)
  expect(await textsIn('rebound', 'reader')).toEqual({})
})

test('of two requests at once that have a collection follow different tables, one counts: for the table and for the binding', async () => {
  const { database } = stage.docket
  await database.rows(sql`create function wait_for_test() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`)
  await database.rows(sql`create trigger wait_for_test before insert on docket_documents.follow
    for each row when (new.table_name = 'company') execute function wait_for_test()`)
  const isWaiting = async () =>
    (
      await database.rows(sql`select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted
        and database = (select oid from pg_database where datname = current_database())`)
    ).length
  const requests: ReturnType<typeof followTable>[] = []
  await database.inTransaction(async (session) => {
    await session.rows(sql`select pg_advisory_xact_lock(4711)`)
    // The first one has bound the collection, and does not follow yet.
    requests.push(followTable('contested', { table: 'company', query: 'city=Nowhere', template: '{name}' }))
    await expect.poll(isWaiting, patience).toBe(1)
    const other = followTable('contested', { table: 'user', query: 'user_name=nobody', template: '{display_name}' })
    requests.push(other)
    await Promise.race([other, setTimeout(1_000)])
  })
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200])
  await database.rows(sql`drop trigger wait_for_test on docket_documents.follow`)
  const [made] = await database.rows<{ bound: string }>(sql`
    select acl_table as bound from docket_documents.collection where name = 'contested'`)
  expect(made?.bound).toBe((await stateOf('contested'))['table'])
})
