import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../harness/fresh-database.ts'
import { readEvents } from '../../harness/read-events.ts'
import { type WebhookReceiver, webhookReceiver } from '../../harness/webhook-receiver.ts'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

/** Features of the records of all tables, on records whose keys are not whole numbers. */

const anna = '6b0a6f6e-7b0c-4f43-9c0e-0000000000a1'
const base = '/rest/v1/table'
const plain = 'sysparm_exclude_reference_link=1'
const basic = { authorization: `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}` }

let desk: AdoptionDesk
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await webhookReceiver()
  desk = await openAdoptionDesk('press', { environment: { DOCKET_WEBHOOK_NETWORKS: '127.0.0.1' } })
  await desk.adopt()
  for (const table of Object.keys(kinds)) {
    await desk.send(`PATCH ${base}/sys_db_table/${await desk.tableId(table)}`, {
      is_audit: true,
      record_deletion_logging: true,
    })
    await desk.column(table, 'remarks', 'journal_input')
  }
})
afterAll(async () => {
  await desk.close()
  await receiver.close()
})

interface Kind {
  readonly create: Readonly<Record<string, unknown>>
  readonly sysId: string
  readonly change: readonly [column: string, before: unknown, after: unknown]
  /** Another spelling of the sys_id that finds the record. */
  readonly fallback: string
}

/** A record with each kind of key. Created records are changed and deleted again. */
const kinds: Readonly<Record<string, Kind>> = {
  person: {
    create: { sys_id: '6B0A6F6E-7B0C-4F43-9C0E-00000000D001', name: 'Dora' },
    sysId: '6b0a6f6e-7b0c-4f43-9c0e-00000000d001',
    change: ['name', 'Dora', 'Dorothea'],
    fallback: '{6B0A6F6E7B0C4F439C0E00000000D001}',
  },
  subject: {
    create: { sys_id: 'a/b@c,^d', label: 'Nasty' },
    sysId: 'a/b@c,^d',
    change: ['label', 'Nasty', 'Nice'],
    fallback: 'a/b@c,^d',
  },
  tag: { create: { sys_id: 'Ёж', note: 'one' }, sysId: 'Ёж', change: ['note', 'one', 'two'], fallback: 'ёЖ' },
  word: {
    create: { sys_id: 'Сосна', note: 'one' },
    sysId: 'Сосна',
    change: ['note', 'one', 'two'],
    fallback: 'СОСНА',
  },
  edition: {
    create: { isbn: '978-1', number: 44, printed: '2024-01-01' },
    sysId: '978-1~44',
    change: ['printed', '2024-01-01', '2024-02-02'],
    fallback: '978-1~044',
  },
  role: {
    create: { person: anna, part: 'translator', edition_isbn: '978-2', edition_number: 1, fee: '5.00' },
    sysId: `${anna}~translator~978-2~1`,
    change: ['fee', '5.00', '6.50'],
    fallback: `${anna.toUpperCase()}~translator~978-2~01`,
  },
}

const dataOf = async (line: string, body?: unknown) => {
  const response = await desk.send(line, body)
  return response.status === 200 ? (response.body as { data: unknown }).data : errorIn(response)
}
const listed = (table: string, query: string, fields: string) =>
  dataOf(
    `GET ${base}/${table}?${plain}&sysparm_fields=${fields}&sysparm_limit=100&sysparm_query=${encodeURIComponent(query)}`,
  )
const upload = async (address: string) => {
  const form = new FormData()
  form.append('files[]', new Blob(['text']), 'a.txt')
  const response = await fetch(`${desk.docket.baseUrl}/v1/attachments/upload/${address}`, {
    method: 'POST',
    body: form,
    headers: basic,
  })
  return (await response.json()) as { data: { sys_id: string; record_id: string; table: string }[] }
}

describe.each(Object.entries(kinds))('a record of %s', (table, { create, sysId, change, fallback }) => {
  const [column, before, after] = change
  const path = `${base}/${table}/${encodeURIComponent(sysId)}`
  const other = `${base}/${table}/${encodeURIComponent(fallback)}`
  const named = `record_id=${sysId.replaceAll('^', '^^')}`
  let tableId = ''
  beforeAll(async () => {
    tableId = await desk.tableId(table)
    const made = await desk.send(`POST ${base}/${table}?sysparm_fields=sys_id`, create)
    expect([made.status, (made.body as { data: unknown }).data]).toEqual([200, [{ sys_id: sysId }]])
  })

  test('has an entity tag that holds back a stale write, whatever spelling it is asked for by', async () => {
    const read = await desk.send(`GET ${path}`)
    const tag = String(read.headers['etag'])
    expect((await desk.send(`GET ${other}`)).headers['etag']).toBe(tag)
    const write = (ifMatch: string, body: unknown) =>
      desk.docket.request('PATCH', other, { as: admin, headers: { 'if-match': ifMatch }, body })
    expect((await write('"0000000000000000"', { [column]: after })).status).toBe(409)
    const changed = await write(tag, { [column]: after })
    expect([changed.status, (changed.body as { data: Record<string, unknown>[] }).data[0]?.[column]]).toEqual([
      200,
      after,
    ])
    expect((await write(tag, { [column]: before })).status).toBe(409)
  })

  test('has a journal', async () => {
    expect((await desk.send(`PATCH ${other}`, { remarks: 'noted' })).status).toBe(200)
    expect(await listed('sys_journal_entry', named, 'table_id,record_id,column_name,value')).toEqual([
      { table_id: tableId, record_id: sysId, column_name: 'remarks', value: 'noted' },
    ])
  })

  test('has a history, which is read by any spelling and stays readable', async () => {
    const address = (id: string) => `GET /rest/v1/history/${table}/${encodeURIComponent(id)}`
    const history = (await dataOf(address(sysId))) as { operation: string; changes: { column: string }[] }[]
    expect(history.map(({ operation, changes }) => [operation, changes.map((each) => each.column)])).toEqual([
      ['update', ['remarks']],
      ['update', [column]],
      ['create', expect.arrayContaining([column])],
    ])
    expect(await dataOf(address(fallback))).toEqual(history)
    const rows = await listed(
      'sys_history',
      `${named}^column_name=${column}^ORDERBYsys_id`,
      'table_id,record_id,old_value,new_value',
    )
    expect(rows).toEqual([
      { table_id: tableId, record_id: sysId, old_value: null, new_value: before },
      { table_id: tableId, record_id: sysId, old_value: before, new_value: after },
    ])
    const next = await desk.send(`${address(sysId)}?sysparm_limit=1`)
    const link = /<([^>]+)>; rel="next"/.exec(String(next.headers['link']))?.[1] ?? ''
    const followed = await desk.send(`GET ${link.slice(desk.docket.baseUrl.length)}`)
    expect((followed.body as { data: unknown[] }).data).toEqual(history.slice(1, 2))
  })

  test('has files, for whoever may see the record', async () => {
    const attached = await upload(`${table}/${encodeURIComponent(fallback)}`)
    expect(attached.data).toMatchObject([{ table, record_id: sysId }])
    expect(await listed('sys_attachment', named, 'record_id,file_name')).toEqual([
      { record_id: sysId, file_name: 'a.txt' },
    ])
    const file = await desk.docket.request('GET', `/v1/attachments/${attached.data[0]?.sys_id}/file`, { as: admin })
    expect([file.status, file.text]).toEqual([200, 'text'])
    expect((await desk.asUser(`GET /v1/attachments/${attached.data[0]?.sys_id}/file`)).status).not.toBe(200)
  })

  test('is told to a webhook, in order, and its deletion is in the log and among the events', async () => {
    await desk.send(`POST ${base}/sys_webhook`, { name: table, url: `${receiver.url}/${table}`, tables: [tableId] })
    expect((await desk.send(`PATCH ${path}`, { [column]: before })).status).toBe(200)
    expect((await desk.send(`DELETE ${other}`)).status).toBe(200)
    expect((await desk.send(`GET ${path}`)).status).toBe(404)
    expect((await desk.send(`DELETE ${path}`)).status).toBe(404)
    const received = () => receiver.received.filter(({ path: to }) => to === `/${table}`)
    await receiver.until(() => received().length >= 2)
    expect(received().map(({ text }) => JSON.parse(text))).toMatchObject([
      { operation: 'update', table, sys_id: sysId },
      { operation: 'delete', table, sys_id: sysId },
    ])
    expect(await listed('sys_webhook_delivery', `${named}^ORDERBYsys_id`, 'record_id')).toEqual([
      { record_id: sysId },
      { record_id: sysId },
    ])
    expect(await listed('sys_record_deletion_log', named, 'table_id,record_id')).toEqual([
      { table_id: tableId, record_id: sysId },
    ])
    const events = await readEvents(`${desk.docket.baseUrl}/rest/v1/events?tables=${table}`, {
      ...basic,
      'last-event-id': '0',
    })
    const seen = await events.until((all) => all.length >= 5)
    await events.close()
    expect(seen.map(({ data }) => data)).toMatchObject([
      { operation: 'create', table, sys_id: sysId },
      { operation: 'update', table, sys_id: sysId },
      { operation: 'update', table, sys_id: sysId },
      { operation: 'update', table, sys_id: sysId },
      { operation: 'delete', table, sys_id: sysId },
    ])
    expect(
      await desk.run(
        `select c.record_id, c.operation from docket_system.change c where c.table_id = ${tableId} order by position`,
      ),
    ).toEqual([...'cuuud'].map((operation) => ({ record_id: sysId, operation })))
  })
})
