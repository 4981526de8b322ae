import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clearAttachments } from '../../../src/attachments/clear-attachments.ts'
import { openAttachments } from '../../../src/attachments/open-attachments.ts'
import { createUser } from '../../../src/identity/manage-users.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { createRecordDeps } from '../../../src/records/record-deps.ts'
import { admin } from '../../harness/fresh-database.ts'
import { readEvents } from '../../harness/read-events.ts'
import type { ReceivedResponse } from '../../harness/send-request.ts'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

/** Rules, pages, imports, exports and documents, on tables whose keys are not whole numbers. */

const anna = '6b0a6f6e-7b0c-4f43-9c0e-0000000000a1'
const boris = '6b0a6f6e-7b0c-4f43-9c0e-0000000000b2'
const base = '/rest/v1/table'
const reader = { user: 'key.reader', password: 'key-reader-password' }

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('press')
  await desk.adopt()
  const made = await createUser(desk.docket.database, {
    userName: reader.user,
    displayName: null,
    email: null,
    language: 'en',
    timeZone: 'UTC',
    roles: ['user', 'document_reader'],
    password: reader.password,
  })
  if (!made.ok) throw new Error(JSON.stringify(made.error))
})
afterAll(() => desk.close())

const dataIn = (response: ReceivedResponse): unknown =>
  response.status === 200 ? (response.body as { data: unknown }).data : errorIn(response)
const asReader = (line: string, body?: unknown) => {
  const [method = '', ...path] = line.split(' ')
  return desk.docket.request(method, path.join(' '), { as: reader, ...(body === undefined ? {} : { body }) })
}
const idsIn = (response: ReceivedResponse) =>
  (dataIn(response) as readonly { sys_id: string }[]).map(({ sys_id }) => sys_id)
const list = (table: string, query: string, more = '') =>
  `GET ${base}/${table}?sysparm_fields=sys_id&sysparm_limit=100&sysparm_query=${encodeURIComponent(query)}${more}`
const rule = (values: Readonly<Record<string, string>>) =>
  desk.docket.database.rows(sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, condition, admin_overrides)
    values (${values['operation'] ?? 'read'}, ${values['table']}, ${values['column'] ?? null}::text,
      array[(select sys_id::text from docket.sys_role where name = 'user')], ${values['condition'] ?? ''}, true)`)

describe('pages', () => {
  test.each([
    ['subject', 'ORDERBYsys_id'],
    ['subject', 'ORDERBYDESCsys_id'],
    ['subject', 'ORDERBYparent'],
    ['subject', 'ORDERBYDESClabel'],
    ['person', 'ORDERBYsys_id'],
    ['person', 'ORDERBYDESCmentor'],
    ['tag', 'ORDERBYDESCsys_id'],
    ['country', ''],
    ['book', 'ORDERBYsubject^ORDERBYDESCtag'],
    ['edition', 'ORDERBYsys_id'],
    ['edition', 'ORDERBYDESCsys_id'],
    ['edition', 'ORDERBYDESCprinted'],
    ['edition', 'ORDERBYsys_id^ORDERBYnumber'],
    ['role', 'ORDERBYedition'],
    ['strange', 'ORDERBYDESCsys_id'],
    ['rate', ''],
    ['sale', 'ORDERBYedition'],
  ])('%s by %s hold every row once, by cursor as by number', async (table, query) => {
    const whole = idsIn(await desk.send(list(table, query)))
    expect(new Set(whole).size).toBe(whole.length)
    const byCursor: string[] = []
    for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
      const response = await desk.send(
        `GET ${base}/${table}?sysparm_fields=sys_id&sysparm_limit=1&sysparm_cursor=${cursor}&sysparm_query=${query}`,
      )
      byCursor.push(...idsIn(response))
      cursor = response.headers['x-next-cursor'] as string | undefined
    }
    expect(byCursor).toEqual(whole)
    const byNumber: string[] = []
    for (let page = 1; page <= whole.length; page += 1)
      byNumber.push(
        ...idsIn(await desk.send(`${list(table, query).replace('limit=100', 'limit=1')}&sysparm_page=${page}`)),
      )
    expect(byNumber).toEqual(whole)
    expect((await desk.send(list(table, query))).headers['x-total-count']).toBe(String(whole.length))
  })

  test('a cursor from no response is rejected or finds nothing, and never causes a failure', async () => {
    for (const table of ['subject', 'person', 'tag', 'edition', 'role', 'rate', 'strange']) {
      for (const key of ['', 'x', '~', 'x~y', '1~2~3~4', 'infinity', `${anna}~author~x~1`]) {
        const cursor = Buffer.from(JSON.stringify([key])).toString('base64url')
        const response = await desk.send(`GET ${base}/${table}?sysparm_cursor=${cursor}`)
        expect([table, key, response.status === 200 || response.status === 400]).toEqual([table, key, true])
      }
    }
  })
})

describe('rules', () => {
  beforeAll(async () => {
    for (const table of ['person', 'subject', 'edition', 'tag', 'sys_attachment', 'sys_journal_entry', 'sys_history'])
      await rule({ table, condition: CONDITIONS[table] ?? '' })
    await rule({ table: 'book' })
    await rule({ table: 'role', condition: 'edition.number=1' })
    await rule({ table: 'edition', operation: 'write', condition: 'sys_id=978-1~1' })
    await rule({ table: 'edition', operation: 'delete', condition: 'number>90' })
    await rule({ table: 'edition', operation: 'create', condition: 'isbn=978-1' })
  })
  const CONDITIONS: Readonly<Record<string, string>> = {
    person: `sys_id=${anna}`,
    subject: 'sys_idINmath@a,b',
    edition: 'sys_idIN978-1~1@978-1~2@978-1~99',
    tag: 'sys_id=FRESH',
  }

  test('name records by their keys', async () => {
    expect(idsIn(await asReader(list('person', '')))).toEqual([anna])
    expect(idsIn(await asReader(list('subject', 'ORDERBYsys_id')))).toEqual(['a,b', 'math'])
    expect(idsIn(await asReader(list('edition', '')))).toEqual(['978-1~1', '978-1~2'])
    expect(idsIn(await asReader(list('tag', '')))).toEqual(['Fresh'])
    expect((await asReader(list('edition', ''))).headers['x-total-count']).toBe('2')
    for (const path of [`person/${boris}`, 'subject/a%5Eb', 'edition/978-2~1', 'tag/old'])
      expect([path, (await asReader(`GET ${base}/${path}`)).status]).toEqual([path, 404])
    for (const path of [`person/${anna}`, 'subject/a%2Cb', 'edition/978-1~2', 'tag/fresh'])
      expect([path, (await asReader(`GET ${base}/${path}`)).status]).toEqual([path, 200])
  })

  test('hold on walks, on what stands for a record, and on what a reference may lead to', async () => {
    expect(idsIn(await asReader(list('role', '')))).toEqual([`${anna}~author~978-1~1`])
    const [role] = dataIn(
      await asReader(
        `GET ${base}/role?sysparm_fields=person.name,edition.printed,edition.isbn.owner.name&sysparm_display_value=all`,
      ),
    ) as unknown[]
    expect(role).toEqual({
      'person.name': { value: 'Анна', display_value: 'Анна' },
      'edition.printed': { value: '2020-01-02', display_value: '2020-01-02' },
      'edition.isbn.owner.name': { value: 'Анна', display_value: 'Анна' },
    })
    expect(idsIn(await asReader(list('book', 'subject.label=Algebra')))).toEqual([])
    expect(
      dataIn(
        await asReader(
          `GET ${base}/book/978-1?sysparm_display_value=1&sysparm_exclude_reference_link=1&sysparm_fields=subject,tag,country`,
        ),
      ),
    ).toEqual([{ subject: null, tag: 'new', country: null }])
  })

  test('hold on writes', async () => {
    const change = (id: string) => asReader(`PATCH ${base}/edition/${id}`, { printed: '2021-01-01' })
    expect((await change('978-1~1')).status).toBe(200)
    expect((await change('978-1~2')).status).toBe(403)
    expect((await change('978-2~1')).status).toBe(404)
    expect((await asReader(`POST ${base}/edition`, { isbn: '978-2', number: 99 })).status).toBe(403)
    expect(
      (await asReader(`POST ${base}/edition?sysparm_fields=sys_id`, { isbn: '978-1', number: 99 })).body,
    ).toMatchObject({
      data: [{ sys_id: '978-1~99' }],
    })
    expect((await asReader(`DELETE ${base}/edition/978-1~2`)).status).toBe(403)
    expect((await asReader(`DELETE ${base}/edition/978-1~99`)).status).toBe(200)
  })

  test('are explained for a record', async () => {
    const explain = async (sysId: string) => {
      const response = await desk.send(
        `GET /rest/v1/acl/explain?table=edition&operation=write&user=${reader.user}&sys_id=${encodeURIComponent(sysId)}`,
      )
      return response.status === 200 ? (response.body as { data: { verdict: string } }).data.verdict : response.status
    }
    expect([await explain('978-1~1'), await explain('978-1~01'), await explain('978-1~2')]).toEqual([
      'allowed',
      'allowed',
      'refused',
    ])
    for (const none of ['x', '978-9~1', '978-1~x']) expect(await explain(none)).toBe(404)
  })

  test('of a record are those of what belongs to it', async () => {
    for (const table of ['edition', 'person', 'subject']) {
      await desk.send(`PATCH ${base}/sys_db_table/${await desk.tableId(table)}`, { is_audit: true })
      await desk.column(table, 'remarks', 'journal_input')
    }
    for (const [table, seen, hidden] of [
      ['edition', '978-1~1', '978-2~1'],
      ['person', anna, boris],
      ['subject', 'a,b', 'a^b'],
    ] as const) {
      for (const id of [seen, hidden])
        expect(
          (await desk.send(`PATCH ${base}/${table}/${encodeURIComponent(id)}`, { remarks: `on ${id}` })).status,
        ).toBe(200)
      const tableId = await desk.tableId(table)
      for (const about of ['sys_journal_entry', 'sys_history']) {
        const rows = dataIn(
          await asReader(
            `GET ${base}/${about}?sysparm_fields=record_id&sysparm_query=table_id=${tableId}^column_name=remarks`,
          ),
        )
        expect([about, rows]).toEqual([about, [{ record_id: seen }]])
      }
      expect((await asReader(`GET /rest/v1/history/${table}/${encodeURIComponent(seen)}`)).status).toBe(200)
      expect((await asReader(`GET /rest/v1/history/${table}/${encodeURIComponent(hidden)}`)).status).toBe(404)
    }
  })

  test('hold on events, also of what is deleted', async () => {
    await desk.send(`POST ${base}/tag`, { sys_id: 'Seen', note: 'x' })
    await desk.send(`POST ${base}/tag`, { sys_id: 'Hidden', note: 'x' })
    await rule({ table: 'tag', condition: 'sys_id=SEEN' })
    await rule({ table: 'sale', condition: 'edition=978-1~2^ORday=2024-01-02' })
    const [one, two] = (await Promise.all(
      ['978-1', '978-2'].map(async (isbn) =>
        dataIn(await desk.send(`POST ${base}/sale?sysparm_fields=sys_id`, { isbn, number: 2 })),
      ),
    )) as { sys_id: string }[][]
    for (const path of ['tag/SEEN', 'tag/hidden', `sale/${one?.[0]?.sys_id}`, `sale/${two?.[0]?.sys_id}`])
      expect((await desk.send(`DELETE ${base}/${path}`)).status).toBe(200)
    await desk.send(`PATCH ${base}/tag/FRESH`, { note: 'newer' })
    const events = await readEvents(`${desk.docket.baseUrl}/rest/v1/events?tables=tag,sale`, {
      authorization: `Basic ${Buffer.from(`${reader.user}:${reader.password}`).toString('base64')}`,
      'last-event-id': '0',
    })
    const seen = await events.until((all) => all.some(({ data }) => (data as { sys_id: string }).sys_id === 'Fresh'))
    await events.close()
    const described = seen.map(({ data }) => data as { table: string; operation: string; sys_id: string })
    expect(described.map(({ operation, sys_id }) => [operation, sys_id])).toEqual([
      ['create', 'Seen'],
      ['create', one?.[0]?.sys_id],
      ['delete', 'Seen'],
      ['delete', one?.[0]?.sys_id],
      ['update', 'Fresh'],
    ])
    await desk.send(`PATCH ${base}/tag/FRESH`, { note: 'new' })
  })

  test('hide the key itself where they say so', async () => {
    await rule({ table: 'edition', column: 'sys_id', condition: 'number=1' })
    const rows = dataIn(await asReader(`GET ${base}/edition?sysparm_fields=sys_id,number&sysparm_query=ORDERBYnumber`))
    expect(rows).toEqual([{ sys_id: '978-1~1', number: 1 }, { number: 2 }])
    expect(
      dataIn(await asReader(`GET ${base}/edition?sysparm_fields=number&sysparm_query=sys_idIN978-1~1,978-1~2`)),
    ).toEqual([{ number: 1 }])
    expect(dataIn(await asReader(`GET ${base}/edition?sysparm_fields=number&sysparm_query=sys_id!=978-1~1`))).toEqual([
      { number: 2 },
    ])
    expect((await asReader(`GET ${base}/edition?sysparm_fields=number&sysparm_query=ORDERBYDESCsys_id`)).status).toBe(
      200,
    )
  })
})

describe('files in and out', () => {
  const load = async (table: string, query: string, text: string, type = 'text/csv') =>
    dataIn(
      await desk.docket.request('POST', `/rest/v1/import/${table}${query}`, {
        as: admin,
        body: text,
        headers: { 'content-type': type },
      }),
    )
  const exported = async (table: string, format: string) =>
    (await desk.docket.request('GET', `/rest/v1/export/${table}?format=${format}`, { as: admin })).text

  test.each(['person', 'subject', 'tag', 'country', 'edition', 'role', 'rate'])(
    'what was exported of %s is imported again as it is',
    async (table) => {
      const keys = table === 'edition' || table === 'role' || table === 'rate' ? KEYS[table] : 'sys_id'
      for (const [format, type] of [
        ['csv', 'text/csv'],
        ['ndjson', 'application/x-ndjson'],
      ] as const) {
        const before = await exported(table, format)
        const rows = Number((await desk.send(list(table, ''))).headers['x-total-count'])
        expect(await load(table, `?key=${keys}`, before, type)).toMatchObject({
          inserted: 0,
          updated: rows,
          failed: 0,
          errors: [],
        })
        expect(await exported(table, format)).toBe(before)
      }
    },
  )
  const KEYS = { edition: 'isbn,number', role: 'person,part,edition_isbn,edition_number', rate: 'day' } as const

  test('rows are new or there already by their keys, and a wrong one is told by its line', async () => {
    const fresh = '6B0A6F6E-7B0C-4F43-9C0E-00000000F001'
    expect(
      await load('person', '?key=sys_id', `sys_id,name\n${fresh},New\n${anna.toUpperCase()},Анна\nx,Wrong\n`),
    ).toMatchObject({
      inserted: 1,
      updated: 1,
      failed: 1,
      errors: [{ line: 4, code: 'INVALID_VALUE', field: 'sys_id' }],
    })
    expect(
      await load('edition', '?key=isbn,number', 'isbn,number,printed\n978-2,50,2024-01-01\n978-2,1,2024-01-02\n'),
    ).toMatchObject({
      inserted: 1,
      updated: 1,
      failed: 0,
    })
    expect(await load('edition', '?key=sys_id', 'sys_id,printed\n978-2~50,2024-01-03\n')).toMatchObject({
      updated: 1,
      failed: 0,
    })
    expect(await load('subject', '?key=sys_id', 'sys_id,label\n"q/w,e^r@t",One\n"q/w,e^r@t",Two\n')).toMatchObject({
      inserted: 1,
      updated: 1,
    })
    expect(await desk.run(`select label from press.subject where code = 'q/w,e^r@t'`)).toEqual([{ label: 'Two' }])
    await desk.run(
      `delete from press.subject where label = 'Two'; delete from press.edition where number = 50; delete from press.person where name = 'New'`,
    )
  })
})

describe('documents', () => {
  const patience = { timeout: 120_000, interval: 50 }
  const textsIn = async (collection: string, call = desk.send) => {
    const response = await call(`POST /get_content_by_tag?collection_name=${collection}`, { tag_info: '' })
    const { data } = response.body as { data: { doc_id: string; text: string }[] }
    return Object.fromEntries(data.map(({ doc_id, text }) => [doc_id, text]))
  }

  test.each([
    ['subject', '{label}', ['math', 'a,b'], { sys_id: 'd@o,c^/%', label: 'Fresh' }, 'd@o,c^/%', { label: 'Changed' }],
    [
      'person',
      '{name}',
      [anna],
      { sys_id: '6b0a6f6e-7b0c-4f43-9c0e-00000000f002', name: 'Fresh' },
      '6b0a6f6e-7b0c-4f43-9c0e-00000000f002',
      { name: 'Changed' },
    ],
    ['tag', '{note}', ['Fresh'], { sys_id: 'Ещё', note: 'Fresh' }, 'Ещё', { note: 'Changed' }],
    [
      'edition',
      '{printed}',
      ['978-1~1', '978-1~2'],
      { isbn: '978-2', number: 70, printed: '2024-01-01' },
      '978-2~70',
      { printed: '2024-02-02' },
    ],
  ] as const)('a collection follows %s', async (table, template, open, create, sysId, change) => {
    const collection = `follows_${table}`
    const before = (await desk.send(list(table, ''))).body as { data: { sys_id: string }[] }
    const known = before.data.map(({ sys_id }) => sys_id).filter((id) => Buffer.byteLength(id) <= 512)
    const settings = { table, query: '', template: `#${template}`, metadata: [] }
    expect((await desk.send(`PUT /collections/${collection}/follow`, settings)).status).toBe(200)
    await expect.poll(async () => Object.keys(await textsIn(collection)).toSorted(), patience).toEqual(known.toSorted())
    await desk.send(`POST ${base}/${table}`, create)
    await expect.poll(async () => (await textsIn(collection))[sysId], patience).toBe(`#${Object.values(create).at(-1)}`)
    await desk.send(`PATCH ${base}/${table}/${encodeURIComponent(sysId)}`, change)
    await expect.poll(async () => (await textsIn(collection))[sysId], patience).toBe(`#${Object.values(change).join()}`)
    expect(Object.keys(await textsIn(collection, asReader)).toSorted()).toEqual([...open].toSorted())
    expect((await desk.send(`DELETE ${base}/${table}/${encodeURIComponent(sysId)}`)).status).toBe(200)
    await expect.poll(async () => (await textsIn(collection))[sysId], patience).toBeUndefined()
    expect((await desk.send(`POST /collections/${collection}/follow/compare`)).status).toBe(200)
    const state = async () =>
      ((await desk.send(`GET /collections/${collection}/follow`)).body as { data: { state: string } }).data.state
    await expect.poll(state, patience).toBe('following')
    expect(Object.keys(await textsIn(collection)).toSorted()).toEqual(known.toSorted())
  })

  test('a document may name what is no record, and nobody but administrators sees it', async () => {
    for (const sysId of ['x', '~', '1', `${anna} `, '', 'a'.repeat(400)]) {
      const response = await desk.send('POST /load_text_to_collection', {
        collection_name: 'follows_person',
        text: 'a stranger',
        metadata: { doc_id: `stranger ${sysId.length}`, sys_id: sysId },
      })
      expect([sysId, response.status]).toEqual([sysId, 200])
    }
    expect(Object.keys(await textsIn('follows_person', asReader))).toEqual([anna])
  })
})

test('files go with their records', async () => {
  const upload = async (address: string) => {
    const form = new FormData()
    form.append('files[]', new Blob([address]), 'a.txt')
    const headers = { authorization: `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}` }
    const response = await fetch(`${desk.docket.baseUrl}/v1/attachments/upload/${address}`, {
      method: 'POST',
      body: form,
      headers,
    })
    expect(response.status).toBe(200)
  }
  const gone = { edition: '978-2~3', subject: 'back%5Cslash', country: 'x', tag: 'OLD' }
  const kept = { edition: '978-2~2', subject: 'math', person: boris, country: 'ru', tag: 'fresh' }
  for (const [table, id] of [...Object.entries(gone), ...Object.entries(kept)]) await upload(`${table}/${id}`)
  for (const [table, id] of Object.entries(gone))
    expect((await desk.send(`DELETE ${base}/${table}/${id}`)).status).toBe(200)
  const clock = { nowMs: () => 0 }
  const deps = await openAttachments({
    records: createRecordDeps({ database: desk.docket.database, clock }),
    clock,
    dataDir: desk.docket.dataDir,
    objectStore: null,
    maxBytes: 1_000,
    onError: () => undefined,
  })
  await clearAttachments(deps)
  const left = dataIn(
    await desk.send(`GET ${base}/sys_attachment?sysparm_fields=record_id&sysparm_query=ORDERBYrecord_id`),
  )
  expect(left).toEqual(
    ['6b0a6f6e-7b0c-4f43-9c0e-0000000000b2', '978-2~2', 'Fresh', 'math', 'ru'].map((record_id) => ({ record_id })),
  )
})

test('a table may get a key of another kind, and what was said of its records stays readable', async () => {
  await desk.run(
    `create table press.moving (id integer primary key, name text); insert into press.moving values (1, 'one')`,
  )
  await desk.adopt({ grants: [{ operation: 'read', role: 'user' }], tables: ['moving'] })
  await desk.send(`PATCH ${base}/sys_db_table/${await desk.tableId('moving')}`, { is_audit: true })
  expect((await desk.send(`PATCH ${base}/moving/1`, { name: 'two' })).status).toBe(200)
  await desk.run(`alter table press.moving drop constraint moving_pkey, add column key uuid default '${anna}', add column part date default '2024-01-01';
    alter table press.moving add primary key (key)`)
  expect((await desk.adopt({ tables: ['moving'] })).tables[0]?.described.key.kind).toBe('uuid')
  expect(dataIn(await desk.send(`GET ${base}/moving/${anna}`))).toEqual([
    { sys_id: anna, name: 'two', id: 1, part: '2024-01-01' },
  ])
  const about = `GET ${base}/sys_history?sysparm_fields=record_id&sysparm_query=table_id=${await desk.tableId('moving')}`
  expect(dataIn(await desk.send(about))).toEqual([{ record_id: '1' }])
  expect(dataIn(await asReader(about))).toEqual([])
  await desk.run('alter table press.moving drop constraint moving_pkey, add primary key (part, id)')
  await desk.adopt({ tables: ['moving'] })
  expect(dataIn(await desk.send(`GET ${base}/moving/2024-01-01~1?sysparm_fields=sys_id,id,part,key`))).toEqual([
    { sys_id: '2024-01-01~1', id: 1, part: '2024-01-01', key: anna },
  ])
  expect(dataIn(await asReader(about))).toEqual([])
})
