import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clearAttachments } from '../../../src/attachments/clear-attachments.ts'
import { openAttachments } from '../../../src/attachments/open-attachments.ts'
import { createRecordDeps } from '../../../src/records/record-deps.ts'
import { admin } from '../../harness/fresh-database.ts'
import { readEvents } from '../../harness/read-events.ts'
import { webhookReceiver } from '../../harness/webhook-receiver.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

// Features around records, on adopted tables.

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('depot', { environment: { DOCKET_WEBHOOK_NETWORKS: '127.0.0.1' } })
  await desk.adopt({ grants: [{ operation: 'read', role: 'user' }] })
  await desk.run(`insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
    select 'read', t, array[(select sys_id::text from docket.sys_role where name = 'user')], true
    from unnest(array['sys_journal_entry', 'sys_attachment', 'sys_history']) as t`)
  await desk.run(`insert into docket.sys_user_has_role (user_id, role_id)
    select u.sys_id, r.sys_id from docket."user" u, docket.sys_role r where u.user_name = 'reader' and r.name = 'document_reader'`)
  await desk.column('label', 'remarks', 'journal_input')
})
afterAll(() => desk.close())

const base = '/rest/v1/table'
const patience = { timeout: 120_000, interval: 50 }
const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
const dataOf = async (line: string, body?: unknown) => {
  const response = await desk.send(line, body)
  if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
  return (response.body as { data: readonly Record<string, unknown>[] }).data
}
const seenBy = async (line: string, body?: unknown) => {
  const response = await desk.asUser(line, body)
  return response.status === 200
    ? (response.body as { data: readonly Record<string, unknown>[] }).data
    : response.status
}
const send = (method: string, path: string, type: string, body: string) =>
  desk.docket.request(method, path, { as: admin, body, headers: { 'content-type': type } })
async function attach(path: string, text: string): Promise<Record<string, unknown>> {
  const form = new FormData()
  form.append('files[]', new Blob([text]), 'a.txt')
  const response = await fetch(`${desk.docket.baseUrl}/v1/attachments/upload/${path}`, {
    method: 'POST',
    body: form,
    headers: { authorization },
  })
  return ((await response.json()) as { data: Record<string, unknown>[] }).data[0] ?? {}
}
const pathOf = (hash: unknown) => {
  const name = String(hash)
  return join(desk.docket.dataDir, 'attachments', name.slice(0, 2), name)
}
/** Runs the hourly cleanup, this much later. */
async function cleanup(laterMs: number): Promise<void> {
  const clock = { nowMs: () => Date.now() + laterMs }
  const records = createRecordDeps({ database: desk.docket.database, clock })
  const { dataDir } = desk.docket
  const options = { records, clock, dataDir, objectStore: null, maxBytes: 1_000, onError: () => undefined }
  await clearAttachments(await openAttachments(options))
}

test('a dry run of texts that only case distinguishes says what the constraint of the table says', async () => {
  const csv = 'code,title\ncase-1,One\nCASE-1,Two\nCASE-1,Three\n'
  for (const dry of ['?dry_run=1', '']) {
    const { body } = await send('POST', `/rest/v1/import/item${dry}`, 'text/csv', csv)
    expect([dry, (body as { data: unknown }).data]).toMatchObject([dry, { inserted: 2, failed: 1 }])
  }
  await desk.run("delete from depot.item where lower(code) = 'case-1'")
})

test('files of records come in, changing what is there by a key column, and go out', async () => {
  const csv = 'code,title,amount,place_id\nA-1,Hammer,7,1\nC-1,"Nut, wing",12,2\nC-2,Bolt,many,2\nC-3,Screw,1,9999\n'
  const dry = await send('POST', '/rest/v1/import/item?key=code&dry_run=1', 'text/csv', csv)
  expect([dry.status, (dry.body as { data: unknown }).data]).toMatchObject([
    200,
    { inserted: 1, updated: 1, failed: 2, dry_run: true },
  ])
  expect(await desk.run('select amount from depot.item order by id')).toEqual([
    { amount: 5 },
    { amount: 100 },
    { amount: 3 },
  ])
  const done = await send('POST', '/rest/v1/import/item?key=code', 'text/csv', csv)
  expect((done.body as { data: unknown }).data).toMatchObject({
    inserted: 1,
    updated: 1,
    failed: 2,
    errors: [
      { line: 4, field: 'amount' },
      { line: 5, field: 'place_id' },
    ],
  })
  const lines = '{"code":"C-1","amount":13}\n{"code":"D-1","title":"Washer"}\n'
  const ndjson = await send('POST', '/rest/v1/import/item?key=code', 'application/x-ndjson', lines)
  expect((ndjson.body as { data: unknown }).data).toMatchObject({ inserted: 1, updated: 1, failed: 0 })
  expect(await desk.run('select code, title, amount from depot.item order by code')).toEqual([
    { code: 'A-1', title: 'Hammer', amount: 7 },
    { code: 'A-2', title: 'Nails', amount: 100 },
    { code: 'B-1', title: 'Пила', amount: 3 },
    { code: 'C-1', title: 'Nut, wing', amount: 13 },
    { code: 'D-1', title: 'Washer', amount: 0 },
  ])
  const query = 'sysparm_fields=code,title,amount,place_id&sysparm_query=codeSTARTSWITHC%5EORcode=A-2%5EORDERBYDESCcode'
  const sheet = await desk.send(`GET /rest/v1/export/item?format=csv&${query}`)
  expect([sheet.status, sheet.text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')]).toEqual([
    200,
    'code,title,amount,place_id\nC-1,"Nut, wing",13,2\nA-2,Nails,100,1\n',
  ])
  const stream = await desk.send(`GET /rest/v1/export/item?format=ndjson&${query}`)
  expect(
    stream.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { code: 'C-1', title: 'Nut, wing', amount: 13, place_id: '2' },
    { code: 'A-2', title: 'Nails', amount: 100, place_id: '1' },
  ])
})

test('reports count, sum and group, also behind a reference', async () => {
  const query =
    'sysparm_query=codeINA-2,B-1&sysparm_group_by=place_id.name&sysparm_count=true&sysparm_sum_fields=amount'
  const rows = await dataOf(`GET /rest/v1/stats/item?${query}`)
  expect(rows).toEqual([
    { group: { 'place_id.name': 'place 1' }, count: 1, sum: { amount: 100 } },
    { group: { 'place_id.name': 'place 2' }, count: 1, sum: { amount: 3 } },
  ])
})

test('full text finds words in their forms, in the columns that are searched', async () => {
  for (const [column, table] of [
    ['body', 'item'],
    ['title', 'item'],
  ] as const) {
    const [row] =
      await desk.run(`select c.sys_id::text as id from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
      where t.name = '${table}' and c.column_name = '${column}'`)
    await dataOf(`PATCH ${base}/sys_db_column/${String(row?.['id'])}`, { full_text_search: true })
  }
  const found = async (query: string) =>
    (await dataOf(`GET ${base}/item?sysparm_fields=code&sysparm_query=${encodeURIComponent(query)}`)).map(
      ({ code }) => code,
    )
  expect(await found('123TEXTQUERY321=boxes wood')).toEqual(['A-2'])
  expect(await found('123TEXTQUERY321=дерева')).toEqual(['B-1'])
  expect(await found('bodyAREhandles')).toEqual(['A-1'])
})

test('changes go to streams and webhooks as they are made', async () => {
  const receiver = await webhookReceiver()
  const hook = { name: 'Depot', url: `${receiver.url}/in`, tables: [await desk.tableId('label')] }
  const [made] = await dataOf(`POST ${base}/sys_webhook?sysparm_fields=sys_id`, hook)
  const events = await readEvents(`${desk.docket.baseUrl}/rest/v1/events?tables=label`, { authorization })
  await dataOf(`POST ${base}/label`, { sys_id: '7', text: 'wet' })
  await dataOf(`PATCH ${base}/label/7`, { text: 'dry' })
  await dataOf(`DELETE ${base}/label/7`)
  const expected = [
    ['create', '7', { text: 'wet' }],
    ['update', '7', { text: { old: 'wet', new: 'dry' } }],
    ['delete', '7', { text: 'dry' }],
  ]
  const received = await receiver.until((all) => all.length >= 3)
  const streamed = await events.until((all) => all.length >= 3)
  await events.close()
  await receiver.close()
  const described = (event: unknown) => {
    const {
      operation,
      sys_id: id,
      changes,
    } = event as { operation: string; sys_id: string; changes: Record<string, unknown> }
    return [operation, id, changes['text']]
  }
  const texts = expected.map(([operation, id, changes]) => [operation, id, (changes as { text: unknown }).text])
  expect(received.map(({ text }) => described(JSON.parse(text))).map(([operation, id]) => [operation, id])).toEqual(
    texts.map(([operation, id]) => [operation, id]),
  )
  expect(streamed.map(({ data }) => described(data))).toEqual(received.map(({ text }) => described(JSON.parse(text))))
  await dataOf(`DELETE ${base}/sys_webhook/${String(made?.['sys_id'])}`)
})

test('a collection follows the table, and one that is bound to it shows documents to whoever reads the record', async () => {
  const settings = { table: 'label', query: 'text!=secret', template: 'Label: {text}' }
  await dataOf('PUT /collections/labels/follow', settings)
  const textsIn = async (collection: string, call: typeof seenBy | typeof dataOf = dataOf) => {
    const documents = await call(`POST /get_content_by_tag?collection_name=${collection}`, { tag_info: '' })
    if (!Array.isArray(documents)) return documents
    return Object.fromEntries(documents.map(({ doc_id: id, text }) => [id, text]))
  }
  const both = { 1: 'Label: fragile', 2: 'Label: heavy' }
  await expect.poll(() => textsIn('labels'), patience).toEqual(both)
  await dataOf(`POST ${base}/label`, { sys_id: '3', text: 'live' })
  await expect.poll(() => textsIn('labels'), patience).toEqual({ ...both, 3: 'Label: live' })
  await dataOf(`PATCH ${base}/label/3`, { text: 'secret' })
  await expect.poll(() => textsIn('labels'), patience).toEqual(both)
  // Without Docket: the change is not in the log, and only a full resync finds it.
  await desk.run(`update depot.label set text = 'light' where id = 2; delete from depot.label where id = 3`)
  await dataOf('POST /collections/labels/follow/compare')
  await expect.poll(() => textsIn('labels'), patience).toEqual({ ...both, 2: 'Label: light' })
  await dataOf('PUT /collections/bound', { acl_table: 'label' })
  for (const id of ['1', '2', '99']) {
    const document = { collection_name: 'bound', metadata: { sys_id: id }, text: `About ${id}` }
    expect((await desk.send('POST /load_text_to_collection', document)).status).toBe(200)
  }
  expect(await textsIn('bound', seenBy)).toEqual({ 1: 'About 1', 2: 'About 2' })
  const [rule] = await desk.run(
    `select sys_id::text as id from docket.sys_security_acl where table_name = 'label' and operation = 'read'`,
  )
  await dataOf(`PATCH ${base}/sys_security_acl/${String(rule?.['id'])}`, { condition: 'text=fragile' })
  expect(await textsIn('bound', seenBy)).toEqual({ 1: 'About 1' })
  expect(await textsIn('labels', seenBy)).toEqual({ 1: 'Label: fragile' })
  await dataOf(`PATCH ${base}/sys_security_acl/${String(rule?.['id'])}`, { condition: '' })
})

test('files and notes go with a record that is deleted: none is found on the next of its key', async () => {
  await dataOf(`POST ${base}/label`, { sys_id: '5', text: 'first' })
  const file = await attach('label/5', 'of the first')
  await dataOf(`PATCH ${base}/label/5`, { remarks: 'said of the first' })
  const displayed = async () => [
    await seenBy(`GET ${base}/sys_attachment?sysparm_fields=file_name&sysparm_query=record_id=5`),
    await seenBy(`GET ${base}/sys_journal_entry?sysparm_fields=value&sysparm_query=record_id=5`),
  ]
  expect(await displayed()).toEqual([[{ file_name: 'a.txt' }], [{ value: 'said of the first' }]])
  expect((await desk.send(`DELETE ${base}/label/5`)).status).toBe(200)
  await dataOf(`POST ${base}/label`, { sys_id: '5', text: 'second' })
  expect(await displayed()).toEqual([[], []])
  expect((await desk.send(`GET /v1/attachments/${String(file['sys_id'])}/file`)).status).toBe(404)
  const logged = await desk.run(
    `select operation, changes ->> 'file_name' as name from docket_system.change where record_id = '${String(file['sys_id'])}' order by position`,
  )
  expect(logged).toEqual([
    { operation: 'c', name: 'a.txt' },
    { operation: 'd', name: 'a.txt' },
  ])
  expect(existsSync(pathOf(file['hash']))).toBe(true)
  await cleanup(7_200_000)
  expect(existsSync(pathOf(file['hash']))).toBe(false)
})

test('a delete that is rejected leaves files and notes', async () => {
  const file = await attach('place/1', 'of a place with items')
  expect((await desk.send(`DELETE ${base}/place/1`)).status).toBe(409)
  expect((await desk.send(`GET /v1/attachments/${String(file['sys_id'])}/file`)).text).toBe('of a place with items')
})

test('files of a record that was deleted past Docket are cleared away, those of a table that is astray are not', async () => {
  await dataOf(`POST ${base}/label`, { sys_id: '6', text: 'short' })
  const [lost, kept] = [await attach('label/6', 'lost bytes'), await attach('label/1', 'kept bytes')]
  await desk.run('delete from depot.label where id = 6')
  expect(await seenBy(`GET ${base}/sys_attachment?sysparm_fields=file_name&sysparm_query=record_id=6`)).toEqual([])
  await desk.run('alter table depot.label rename to elsewhere')
  await cleanup(7_200_000)
  expect([existsSync(pathOf(lost['hash'])), existsSync(pathOf(kept['hash']))]).toEqual([true, true])
  await desk.run('alter table depot.elsewhere rename to label')
  await cleanup(7_200_000)
  expect([existsSync(pathOf(lost['hash'])), existsSync(pathOf(kept['hash']))]).toEqual([false, true])
  expect((await desk.send(`GET /v1/attachments/${String(kept['sys_id'])}/file`)).text).toBe('kept bytes')
})

test('a journal of an adopted table is kept in order, by whoever wrote it', async () => {
  for (const remark of ['one', 'two']) await dataOf(`PATCH ${base}/label/1`, { remarks: { message: remark } })
  const entries = await seenBy(
    `GET ${base}/sys_journal_entry?sysparm_fields=value,column_name,sys_created_by.user_name&sysparm_query=record_id=1^ORDERBYsys_id`,
  )
  expect(entries).toMatchObject([{ value: 'one' }, { value: 'two' }])
  expect(await desk.run('select text from depot.label where id = 1')).toEqual([{ text: 'fragile' }])
})
