import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCKS } from '../../../src/database/advisory-locks.ts'
import { clearCollections, clearDocuments } from '../../../src/documents/store/clear-away.ts'
import { makeApiKey } from '../../../src/identity/api-keys.ts'
import { createUser, findUserId } from '../../../src/identity/manage-users.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { type DictionaryDesk, errorIn, openDesk } from '../dictionary/dictionary-desk.ts'

/** A collection that follows a table also depends on referenced records, the dictionary, rules and time. */

let desk: DictionaryDesk
let readerKey = ''
let nowMs = Date.UTC(2026, 2, 2, 10)
beforeAll(async () => {
  desk = await openDesk({ clock: { nowMs: () => nowMs } })
  const { database } = desk.docket
  const about = { displayName: null, email: null, language: 'en', timeZone: 'UTC', password: null } as const
  await createUser(database, { userName: 'reader', ...about, roles: ['document_reader'] })
  const userId = (await findUserId(database, 'reader')) ?? ''
  const expiresAtMs = nowMs + 30 * 86_400_000
  const wanted = { userId, name: 'test', roles: null, expiresAtMs }
  const key = await makeApiKey({ database, clock: { nowMs: () => nowMs } }, wanted, userId)
  if (!key.ok) throw new Error(key.error.kind)
  readerKey = key.value.key
})
afterAll(() => desk.close())

const patience = { timeout: 120_000, interval: 50 }
async function textsIn(
  collection: string,
  as: 'admin' | 'reader' = 'admin',
): Promise<Readonly<Record<string, string>>> {
  const line = `/get_content_by_tag?collection_name=${collection}`
  const response =
    as === 'admin'
      ? await desk.send(`POST ${line}`, { tag_info: '' })
      : await desk.docket.request('POST', line, { as: { bearer: readerKey }, body: { tag_info: '' } })
  const { data } = response.body as { data: { doc_id: string; text: string }[] }
  return Object.fromEntries((data ?? []).map(({ doc_id, text }) => [doc_id, text]))
}
const untilTexts = (collection: string, texts: Readonly<Record<string, string>>, as: 'admin' | 'reader' = 'admin') =>
  expect.poll(() => textsIn(collection, as), patience).toEqual(texts)
const follow = async (collection: string, body: Readonly<Record<string, unknown>>): Promise<void> => {
  const response = await desk.send(`PUT /collections/${collection}/follow`, body)
  expect([response.status, response.text]).toEqual([200, expect.any(String)])
}
const stateOf = async (collection: string) =>
  (await desk.send(`GET /collections/${collection}/follow`)).body as { data?: Record<string, unknown> }
const untilFollowing = (collection: string) =>
  expect.poll(async () => (await stateOf(collection)).data?.['state'], patience).toBe('following')
const patch = async (table: string, id: string, body: Readonly<Record<string, unknown>>): Promise<void> => {
  const response = await desk.send(`PATCH /rest/v1/table/${table}/${id}`, body)
  expect([response.status, response.text]).toEqual([200, expect.any(String)])
}

test('what stands behind references is followed: in the text, and in the query, at any distance', async () => {
  await desk.table('city_of')
  await desk.column('city_of', 'name', 'string', { display_by_ref: true })
  await desk.table('house')
  await desk.column('house', 'street', 'string', { display_by_ref: true })
  await desk.column('house', 'city', 'reference', { reference_id: await desk.tableId('city_of') })
  await desk.table('dweller')
  await desk.column('dweller', 'name', 'string')
  await desk.column('dweller', 'house', 'reference', { reference_id: await desk.tableId('house') })
  const [perm, ufa] = [await desk.record('city_of', { name: 'Perm' }), await desk.record('city_of', { name: 'Ufa' })]
  const [one, two] = [
    await desk.record('house', { street: 'First', city: perm }),
    await desk.record('house', { street: 'Second', city: ufa }),
  ]
  const [ann, bob] = [
    await desk.record('dweller', { name: 'Ann', house: one }),
    await desk.record('dweller', { name: 'Bob', house: two }),
  ]
  const settings = {
    table: 'dweller',
    query: 'house.city.nameSTARTSWITHP',
    template: '{name}\n{house}, {house.city.name}',
    exposed_columns: ['house', 'house.city.name'],
  }
  await follow('dwellers', settings)
  await untilTexts('dwellers', { [ann]: 'Ann\nFirst, Perm' })
  await patch('house', one, { street: 'Prime' })
  await untilTexts('dwellers', { [ann]: 'Ann\nPrime, Perm' })
  await patch('city_of', ufa, { name: 'Pskov' })
  await untilTexts('dwellers', { [ann]: 'Ann\nPrime, Perm', [bob]: 'Bob\nSecond, Pskov' })
  await patch('city_of', perm, { name: 'Omsk' })
  await untilTexts('dwellers', { [bob]: 'Bob\nSecond, Pskov' })
  await patch('house', one, { city: ufa })
  await untilTexts('dwellers', { [ann]: 'Ann\nPrime, Pskov', [bob]: 'Bob\nSecond, Pskov' })
  const rejected = await desk.send('PUT /collections/dwellers/follow', { ...settings, exposed_columns: ['house'] })
  expect(errorIn(rejected)).toMatchObject({ status: 422, field: 'template' })
})

test('a document is there for who may read the columns that it shows, by the rules of the moment', async () => {
  await desk.table('offer')
  for (const name of ['title', 'price_note', 'other']) await desk.column('offer', name, 'string')
  await desk.record('sys_security_acl', { operation: 'read', table_name: 'offer', active: true })
  const id = await desk.record('offer', { title: 'Desk', price_note: 'cheap', other: 'x' })
  await follow('offers', { table: 'offer', query: 'title!=gone', template: '{title} {price_note}' })
  await untilTexts('offers', { [id]: 'Desk cheap' }, 'reader')
  await desk.record('sys_security_acl', {
    operation: 'read',
    table_name: 'offer',
    column_name: 'other',
    roles: [],
    condition: 'title=never',
    active: true,
  })
  expect(await textsIn('offers', 'reader')).toEqual({ [id]: 'Desk cheap' })
  const rule = await desk.record('sys_security_acl', {
    operation: 'read',
    table_name: 'offer',
    column_name: 'price_note',
    condition: 'title=Chair',
    active: true,
  })
  expect(await textsIn('offers', 'reader')).toEqual({})
  await patch('offer', id, { title: 'Chair' })
  await untilTexts('offers', { [id]: 'Chair cheap' }, 'reader')
  await desk.send(`DELETE /rest/v1/table/sys_security_acl/${rule}`)
  await untilFollowing('offers')
  expect(await textsIn('offers', 'reader')).toEqual({ [id]: 'Chair cheap' })
})

test('the dictionary is followed: values that are converted, choices that are renamed, columns and tables that go', async () => {
  await desk.table('device')
  const name = await desk.column('device', 'name', 'string')
  const size = await desk.column('device', 'size', 'string')
  const kind = await desk.column('device', 'kind', 'choice')
  await desk.column('device', 'stock', 'string')
  const choice = await desk.record('sys_choice', {
    table_id: await desk.tableId('device'),
    column_id: kind,
    value: 'a',
    title: 'Apparatus',
    language: 'en',
  })
  const id = await desk.record('device', { name: 'Laser printer', size: 'big', kind: 'a', stock: 'here' })
  await follow('devices', {
    table: 'device',
    query: 'stock=here',
    template: '{name}\nSize: {size}\n{kind}',
    metadata: ['size'],
  })
  await untilTexts('devices', { [id]: 'Laser printer\nSize: big\nApparatus' })
  await untilFollowing('devices')

  await patch('sys_choice', choice, { title: 'Appliance' })
  await untilTexts('devices', { [id]: 'Laser printer\nSize: big\nAppliance' })
  await patch('sys_db_column', `${name}?sysparm_confirm=device.name`, { max_length: 5 })
  await untilTexts('devices', { [id]: 'Laser\nSize: big\nAppliance' })
  await patch('sys_db_column', `${size}?sysparm_confirm=device.size`, { column_type_id: await desk.typeId('integer') })
  await untilTexts('devices', { [id]: 'Laser\nAppliance' })
  const requested = await desk.send(
    `DELETE /rest/v1/table/sys_db_column/${await columnId('device', 'stock')}?sysparm_confirm=device.stock`,
  )
  expect([requested.status, requested.text]).toEqual([
    409,
    expect.stringContaining('The collection devices, which follows device, has the condition stock=here'),
  ])
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_column/${kind}?sysparm_confirm=device.kind`)).status).toBe(200)
  await untilTexts('devices', { [id]: 'Laser' })
  expect((await stateOf('devices')).data?.['error']).toBe('device no longer has kind, which is left out')

  expect(
    (await desk.send(`DELETE /rest/v1/table/sys_db_table/${await desk.tableId('device')}?sysparm_confirm=device`))
      .status,
  ).toBe(200)
  await expect.poll(async () => (await desk.send('GET /collections/devices/follow')).status, patience).toBe(404)
  const left = await desk.docket.database.rows(sql`select from docket_documents.document d
    join docket_documents.collection c on c.id = d.collection_id where c.name = 'devices' and d.removed_position is null`)
  expect(left.length).toBe(0)
})

test('a class that is dropped takes its documents out of the collection of its parent', async () => {
  await desk.table('vessel', { is_extendable: true })
  await desk.column('vessel', 'name', 'string')
  const child = await desk.table('boat', { parent_id: await desk.tableId('vessel') })
  const [ship, boat] = [await desk.record('vessel', { name: 'Ship' }), await desk.record('boat', { name: 'Boat' })]
  await follow('vessels', { table: 'vessel', template: '{name}' })
  await untilTexts('vessels', { [ship]: 'Ship', [boat]: 'Boat' })
  expect((await desk.send(`DELETE /rest/v1/table/sys_db_table/${child}?sysparm_confirm=boat`)).status).toBe(200)
  await untilTexts('vessels', { [ship]: 'Ship' })
})

test('a day after the last comparison comes the next by itself, mends, and tells what it mended', async () => {
  await desk.table('daily')
  await desk.column('daily', 'name', 'string')
  const id = await desk.record('daily', { name: 'Right' })
  await follow('days', { table: 'daily', template: '{name}' })
  await untilTexts('days', { [id]: 'Right' })
  await untilFollowing('days')
  expect((await stateOf('days')).data).toMatchObject({ compared_at: '2026-03-02 10:00:00', mended: 1 })
  const repaired = () => desk.docket.observations.filter(({ kind }) => kind === 'follow-repaired')
  // The first comparison repairs nothing: it fills the collection.
  expect(repaired().filter((seen) => 'collection' in seen && seen.collection === 'days')).toEqual([])
  await desk.docket.database.rows(sql`update docket.daily set name = 'Behind the log' where sys_id = ${id}::bigint`)
  nowMs += 86_400_000
  await untilTexts('days', { [id]: 'Behind the log' })
  await expect
    .poll(async () => (await stateOf('days')).data, patience)
    .toMatchObject({ state: 'following', compared_at: '2026-03-03 10:00:00', mended: 1 })
  await expect.poll(repaired, patience).toContainEqual({ kind: 'follow-repaired', collection: 'days', documents: 1 })
})

async function columnId(table: string, name: string): Promise<string> {
  const [row] = await desk.docket.database.rows<{ id: string }>(sql`
    select c.sys_id::text as id from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
    where t.name = ${table} and c.column_name = ${name}`)
  return row?.id ?? ''
}

test('long numbers of json columns keep their digits in metadata and text (issue 9, step 2)', async () => {
  await desk.table('meter')
  await desk.column('meter', 'name', 'string')
  await desk.column('meter', 'readings', 'json')
  const made = await desk.send(
    'POST /rest/v1/table/meter',
    '{"name":"M1","readings":{"serial":12345678901234567890,"last":[0.12345678901234567890]}}',
  )
  const { data } = made.body as { data: { sys_id: string }[] }
  const sysId = data[0]?.sys_id ?? ''
  await follow('meters', { table: 'meter', template: '{name} {readings}', metadata: ['readings'] })
  const readings = '{"last": [0.12345678901234567890], "serial": 12345678901234567890}'
  await untilFollowing('meters')
  expect((await stateOf('meters')).data?.['error']).toBe(null)
  await untilTexts('meters', { [sysId]: `M1 ${readings}` })
  const found = await desk.send('POST /get_relevant_documents', { query: 'M1', collection_names: ['meters'] })
  expect(found.text).toContain('12345678901234567890')
  const documents = await desk.docket.database.rows<{ metadata: string }>(
    sql`select metadata::text as metadata from docket_documents.document where doc_id = ${sysId} and removed_position is null`,
  )
  expect(documents.map(({ metadata }) => metadata.replaceAll(' ', ''))).toEqual([
    `{"table":"meter","sys_id":"${sysId}","readings.last":["0.12345678901234567890"],"readings.serial":"12345678901234567890"}`,
  ])
})

test('a collection that has not read changes which are no longer kept is compared with its whole table', async () => {
  await desk.table('behind')
  await desk.column('behind', 'name', 'string')
  const id = await desk.record('behind', { name: 'Read' })
  await follow('behinds', { table: 'behind', template: '{name}' })
  await untilTexts('behinds', { [id]: 'Read' })
  await untilFollowing('behinds')
  // As if the collection had stood still while the record was changed and the log forgot it.
  await desk.docket.database.rows(sql`update docket.behind set name = 'Never in the log' where sys_id = ${id}::bigint`)
  await desk.docket.database.rows(
    sql`update docket_system.change_horizon set cleared_position = docket_system.committed_watermark()`,
  )
  await desk.docket.database.rows(sql`update docket_documents.follow f set position = 1 from docket_documents.collection c
    where c.id = f.collection_id and c.name = 'behinds'`)
  const other = await desk.record('behind', { name: 'Other' })
  await untilTexts('behinds', { [id]: 'Never in the log', [other]: 'Other' })
})

test('settings that change while the collection is compared count for every record, and guards stay until then', async () => {
  await desk.table('settled')
  for (const name of ['name', 'phone']) await desk.column('settled', name, 'string')
  await desk.docket.database.rows(sql`insert into docket.settled (sys_db_table_id, name, phone)
    select t.sys_id, 'n' || n, 'p' || n from generate_series(1, 450) as n, docket.sys_db_table t where t.name = 'settled'`)
  const documents = async (): Promise<readonly { readonly text: string }[]> =>
    desk.docket.database.rows(sql`select c.text from docket_documents.chunk c join docket_documents.document d on d.id = c.document_id
      join docket_documents.collection l on l.id = d.collection_id where l.name = 'settled' and d.removed_position is null`)
  const settings = { table: 'settled', query: 'nameISNOTEMPTY' }
  await follow('settled', { ...settings, template: '{name} old {phone}' })
  await expect.poll(async () => (await documents()).length, { ...patience, interval: 5 }).toBeGreaterThan(0)
  await follow('settled', { ...settings, template: '{name} new' })
  expect((await documents()).length).toBeLessThan(450)
  await untilFollowing('settled')
  const texts = (await documents()).map(({ text }) => text)
  expect([texts.length, texts.filter((text) => !/^n\d+ new$/.test(text))]).toEqual([450, []])
})

test('the property rest.limit.max limits callers, not what a collection follows', async () => {
  await desk.table('capped')
  await desk.column('capped', 'name', 'string')
  await desk.docket.database.rows(sql`insert into docket.capped (sys_db_table_id, name)
    select t.sys_id, 'c' || n from generate_series(1, 130) as n, docket.sys_db_table t where t.name = 'capped'`)
  await desk.docket.database.rows(sql`update docket.sys_property set value = '50' where name = 'rest.limit.max'`)
  try {
    await follow('capped', { table: 'capped', query: 'nameISNOTEMPTY', template: '{name}' })
    await untilFollowing('capped')
    const [found] = await desk.docket.database.rows<{ count: string }>(sql`select count(*)::text as count
      from docket_documents.document d join docket_documents.collection l on l.id = d.collection_id
      where l.name = 'capped' and d.removed_position is null`)
    expect(found?.count).toBe('130')
  } finally {
    await desk.docket.database.rows(sql`update docket.sys_property set value = '10000' where name = 'rest.limit.max'`)
  }
})

test('a collection that follows another table has no document of the former one, whose records may have the same sys_ids', async () => {
  for (const name of ['salary', 'notice']) {
    await desk.table(name)
    await desk.column(name, 'text', 'string')
    await desk.record(name, { sys_id: '901', text: `A ${name}` })
  }
  await follow('board', { table: 'salary', query: '', template: '{text}' })
  await untilTexts('board', { 901: 'A salary' })
  await untilFollowing('board')
  const { database } = desk.docket
  const [board] = await database.rows(
    sql<{ id: number }>`select id from docket_documents.collection where name = 'board'`,
  )
  await database.inTransaction(async (session) => {
    // No turn of the work behind the log comes in between.
    await session.rows(
      sql`select pg_advisory_xact_lock(${LOCKS.firstFollowedCollection}::bigint + ${board?.id}::integer)`,
    )
    await follow('board', { table: 'notice', query: '', template: '{text}' })
    expect(await textsIn('board')).toEqual({})
  })
  await untilTexts('board', { 901: 'A notice' })
})

test('a collection that is deleted while it is compared does not come back, unbound, with texts of records (issue 14)', async () => {
  await desk.table('secret')
  await desk.column('secret', 'text', 'string')
  const { database } = desk.docket
  await database.rows(sql`insert into docket.secret (sys_db_table_id, text)
    select t.sys_id, 's' || n from generate_series(1, 3) as n, docket.sys_db_table t where t.name = 'secret'`)
  const idOf = async (): Promise<number | undefined> =>
    (
      await database.rows<{ id: number }>(sql`
        select id from docket_documents.collection where name = 'secrets' and removed_position is null`)
    )[0]?.id
  // As if an administrator deleted the collection right after its first document.
  await database.rows(sql`create function delete_secrets() returns trigger language plpgsql as $$ begin
    perform docket_documents.remove_collection(c.id, (clock_timestamp() at time zone 'UTC')::timestamp)
    from docket_documents.collection c where c.id = new.collection_id and c.name = 'secrets' and c.acl_table is not null;
    return null; end $$`)
  await database.rows(sql`create constraint trigger delete_secrets after insert on docket_documents.document
    deferrable initially deferred for each row execute function delete_secrets()`)
  try {
    await follow('secrets', { table: 'secret', query: 'textISNOTEMPTY', template: '{text}' })
    const [made] = await database.rows<{ id: number }>(sql`
      select id from docket_documents.collection where name = 'secrets' order by id desc limit 1`)
    await expect
      .poll(
        () =>
          database.rows(
            sql`select from docket_documents.collection where id = ${made?.id}::integer and removed_at is null`,
          ),
        patience,
      )
      .toEqual([])
    // The turn ends.
    await database.inTransaction(async (session) => {
      await session.rows(sql`
        select pg_advisory_xact_lock(${LOCKS.firstFollowedCollection}::bigint + ${made?.id}::integer)`)
    })
    expect(await idOf()).toBeUndefined()
    const [row] = await database.rows<{ documents: number }>(sql`
      select count(*)::integer as documents from docket_documents.document d
      join docket_documents.collection c on c.id = d.collection_id where c.name = 'secrets'`)
    expect(row?.documents).toBe(1)
    // Nothing of it stays in the database.
    const later = new Date(Date.now() + 60_000)
    await clearDocuments(database, later)
    await clearCollections(database, later)
    expect(await database.rows(sql`select from docket_documents.collection where name = 'secrets'`)).toEqual([])
  } finally {
    await database.rows(sql`drop trigger delete_secrets on docket_documents.document`)
  }
})
