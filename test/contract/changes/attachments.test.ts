import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clearAttachments } from '../../../src/attachments/clear-attachments.ts'
import { openAttachments } from '../../../src/attachments/open-attachments.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { createRecordDeps } from '../../../src/records/record-deps.ts'
import { nowMs, type Stage, setStage, type Who } from '../records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage(
    [
      sql`insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
          select o, 'sys_attachment', array[(select sys_id::text from docket.sys_role where name = r)], true
          from (values ('read', 'itil'), ('create', 'itil'), ('delete', 'itil'), ('read', 'user')) as v (o, r)`,
    ],
    { environment: { DOCKET_ATTACHMENT_MAX_BYTES: '200000' } },
  )
})
afterAll(() => stage.close())

interface Attached {
  readonly sys_id: string
  readonly hash: string
  readonly link: string
}
const headersOf = (as: Who) => {
  const { user, password } = stage.callerOf(as) as { user: string; password: string }
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}
async function upload(
  as: Who,
  address: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const form = new FormData()
  for (const [name, bytes] of Object.entries(files))
    form.append('files[]', new Blob([bytes as Uint8Array<ArrayBuffer>]), name)
  const response = await fetch(`${stage.docket.baseUrl}/v1/attachments/upload/${address}`, {
    method: 'POST',
    body: form,
    headers: { ...headersOf(as), ...headers },
  })
  return { status: response.status, body: (await response.json()) as { data: Attached[]; errors: { code: string }[] } }
}
const get = (as: Who, id: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  fetch(`${stage.docket.baseUrl}/v1/attachments/${id}/file`, { method, headers: { ...headersOf(as), ...headers } })
async function makeTask(body: Readonly<Record<string, unknown>>): Promise<string> {
  const made = await stage.send('admin', 'POST /rest/v1/table/task', { body })
  return (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('files are attached, listed, read back byte by byte, and deleted', async () => {
  const task = await makeTask({ subject: 'With files', caller: '202' })
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100_000, 7)])
  const response = await upload('worker', `task/${task}`, { 'снимок 1.txt': png, 'notes.csv': 'a,b\n1,2\n' })
  expect(response).toEqual({
    status: 200,
    body: {
      status: 'OK',
      data: [
        {
          sys_id: expect.stringMatching(/^\d{18}$/),
          file_name: 'снимок 1.txt',
          table: 'task',
          record_id: task,
          content_type: 'image/png',
          size_bytes: 100_008,
          hash: sha256(png),
          link: expect.stringMatching(/\/v1\/attachments\/\d{18}\/file$/),
        },
        expect.objectContaining({ file_name: 'notes.csv', content_type: 'text/csv', size_bytes: 8 }),
      ],
    },
  })
  const [image, notes] = response.body.data
  const read = await get('reader', image?.sys_id ?? '')
  expect(
    Object.fromEntries([...read.headers].filter(([name]) => /^(content|etag|accept-ranges|x-content)/.test(name))),
  ).toEqual({
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="______ 1.txt"; filename*=UTF-8''${encodeURIComponent('снимок 1.txt')}`,
    'content-length': '100008',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'image/png',
    etag: `"${sha256(png)}"`,
    'x-content-type-options': 'nosniff',
  })
  expect(Buffer.from(await read.arrayBuffer()).equals(png)).toBe(true)
  const listed = await stage.send(
    'reader',
    `GET /rest/v1/table/sys_attachment?sysparm_query=record_id=${task}^ORDERBYfile_name&sysparm_fields=file_name,size_bytes`,
  )
  expect(listed.body).toEqual({
    status: 'OK',
    data: [
      { file_name: 'notes.csv', size_bytes: '8' },
      { file_name: 'снимок 1.txt', size_bytes: '100008' },
    ],
  })
  expect((await stage.send('reader', `DELETE /v1/attachments/${notes?.sys_id}`)).status).toBe(403)
  expect((await stage.send('worker', `DELETE /v1/attachments/${notes?.sys_id}`)).body).toEqual({
    status: 'OK',
    data: { description: 'Records successfully deleted.', count: 1 },
  })
  expect((await get('worker', notes?.sys_id ?? '')).status).toBe(404)
  const logged = await stage.run(sql`select operation, changes ->> 'file_name' as name from docket_system.change
    where record_id = ${notes?.sys_id ?? ''} order by position`)
  expect(logged).toEqual([
    { operation: 'c', name: 'notes.csv' },
    { operation: 'd', name: 'notes.csv' },
  ])
})

test('a broken download goes on where it was', async () => {
  const task = await makeTask({ subject: 'Ranges' })
  const text = '0123456789'
  const [file] = (await upload('worker', `task/${task}`, { 'a.txt': text })).body.data
  const id = file?.sys_id ?? ''
  const etag = `"${sha256(text)}"`
  for (const [headers, status, part, range] of [
    [{ range: 'bytes=4-' }, 206, '456789', 'bytes 4-9/10'],
    [{ range: 'bytes=2-3' }, 206, '23', 'bytes 2-3/10'],
    [{ range: 'bytes=-3' }, 206, '789', 'bytes 7-9/10'],
    [{ range: 'bytes=0-99' }, 206, text, 'bytes 0-9/10'],
    [{ range: 'bytes=0-1,3-4' }, 200, text, null],
    [{ range: 'bytes=0-1,2-4' }, 206, '01234', 'bytes 0-4/10'],
    [{ range: 'bytes=3-2' }, 200, text, null],
    [{ range: 'lines=1-2' }, 200, text, null],
    [{ range: 'bytes=4-', 'if-range': etag }, 206, '456789', 'bytes 4-9/10'],
    [{ range: 'bytes=4-', 'if-range': '"another"' }, 200, text, null],
    [{ range: 'bytes=4-', 'if-range': `W/${etag}` }, 200, text, null],
    [{ range: 'bytes=4-', 'if-range': 'Sat, 21 Nov 2026 07:00:00 GMT' }, 200, text, null],
    [{ range: 'bytes=10-', 'if-range': '"another"' }, 200, text, null],
    [{ 'if-match': `"another", ${etag}` }, 200, text, null],
    [{ 'if-none-match': '"another"' }, 200, text, null],
    [{ 'if-none-match': etag }, 304, '', null],
    [{ 'if-none-match': `"another, one", W/${etag}` }, 304, '', null],
    [{ 'if-none-match': '*', range: 'bytes=4-' }, 304, '', null],
  ] as const) {
    const response = await get('worker', id, headers)
    expect([headers, response.status, await response.text(), response.headers.get('content-range')]).toEqual([
      headers,
      status,
      part,
      range,
    ])
  }
  // HEAD ignores ranges.
  for (const headers of [{}, { range: 'bytes=4-' }, { range: 'bytes=10-' }]) {
    const head = await get('worker', id, headers, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag'), await head.text()]).toEqual([
      200,
      '10',
      etag,
      '',
    ])
  }
  expect((await get('worker', id, { 'if-none-match': etag }, 'HEAD')).status).toBe(304)
  for (const range of ['bytes=10-', 'bytes=-0', 'bytes=10-12,20-']) {
    const response = await get('worker', id, { range })
    expect([response.status, response.headers.get('content-range'), await response.json()]).toMatchObject([
      416,
      'bytes */10',
      { errors: [{ code: 'RANGE_NOT_SATISFIABLE' }] },
    ])
  }
  const other = await get('worker', id, { 'if-match': '"another"' })
  expect([other.status, await other.json()]).toMatchObject([412, { errors: [{ code: 'PRECONDITION_FAILED' }] }])
})

test('an empty file has no part', async () => {
  const task = await makeTask({ subject: 'Empty' })
  const [file] = (await upload('worker', `task/${task}`, { 'empty.txt': '' })).body.data
  const whole = await get('worker', file?.sys_id ?? '')
  expect([whole.status, whole.headers.get('content-length'), await whole.text()]).toEqual([200, '0', ''])
  const part = await get('worker', file?.sys_id ?? '', { range: 'bytes=0-' })
  expect([part.status, part.headers.get('content-range')]).toEqual([416, 'bytes */0'])
  expect((await get('worker', file?.sys_id ?? '', { range: 'bytes=-5' })).status).toBe(200)
})

test('files and journal entries of a deleted record are gone with it, for administrators too; the log keeps both', async () => {
  const task = await makeTask({ subject: 'Short-lived', caller: '202', work_notes: 'A note' })
  await stage.send('admin', `PATCH /rest/v1/table/task/${task}`, { body: { comments: 'A comment' } })
  const [file] = (await upload('worker', `task/${task}`, { 'a.txt': 'short-lived bytes' })).body.data
  const id = file?.sys_id ?? ''
  const kept = await makeTask({ subject: 'Stays', work_notes: 'Another note' })
  expect((await stage.send('admin', `DELETE /rest/v1/table/task/${task}`)).status).toBe(200)
  expect([(await get('admin', id)).status, (await get('admin', id, {}, 'HEAD')).status]).toEqual([404, 404])
  const rowsOf = async (table: string, record: string) =>
    ((await stage.send('admin', `GET /rest/v1/table/${table}?sysparm_query=record_id=${record}`)).body as { data: [] })
      .data.length
  expect([await rowsOf('sys_attachment', task), await rowsOf('sys_journal_entry', task)]).toEqual([0, 0])
  expect(await rowsOf('sys_journal_entry', kept)).toBe(1)
  const logged =
    await stage.run(sql`select operation, changes ->> 'file_name' as name, changed_by::text as by from docket_system.change
    where record_id = ${id} order by position`)
  expect(logged).toEqual([
    { operation: 'c', name: 'a.txt', by: '201' },
    { operation: 'd', name: 'a.txt', by: expect.stringMatching(/^\d+$/) },
  ])
  const ofTask = await stage.run(sql`select operation, changes -> 'work_notes' as note, changes -> 'comments' as comment
    from docket_system.change where record_id = ${task} order by position`)
  expect(ofTask).toEqual([
    { operation: 'c', note: 'A note', comment: null },
    { operation: 'u', note: null, comment: [null, 'A comment'] },
    { operation: 'd', note: null, comment: null },
  ])
})

test('the same bytes are kept once, and as long as somebody names them', async () => {
  const [one, two] = [await makeTask({ subject: 'One' }), await makeTask({ subject: 'Two' })]
  const [first] = (await upload('worker', `task/${one}`, { 'a.txt': 'shared bytes' })).body.data
  const [second] = (await upload('worker', `task/${two}`, { 'b.txt': 'shared bytes' })).body.data
  expect(first?.hash).toBe(second?.hash)
  const hash = first?.hash ?? ''
  const stored = join(stage.docket.dataDir, 'attachments', hash.slice(0, 2), hash)
  let atMs = nowMs
  const clock = { nowMs: () => atMs }
  const deps = await openAttachments({
    records: createRecordDeps({ database: stage.docket.database, clock }),
    clock,
    dataDir: stage.docket.dataDir,
    objectStore: null,
    maxBytes: 1_000,
    onError: () => undefined,
  })
  // A record that is deleted takes its files along; their bytes are removed at the next cleanup.
  await stage.send('admin', `DELETE /rest/v1/table/task/${one}`)
  atMs += 7_200_000
  await clearAttachments(deps)
  expect((await get('worker', first?.sys_id ?? '')).status).toBe(404)
  expect(await (await get('worker', second?.sys_id ?? '')).text()).toBe('shared bytes')
  await stage.send('worker', `DELETE /v1/attachments/${second?.sys_id}`)
  expect(existsSync(stored)).toBe(true)
  await clearAttachments(deps)
  expect(existsSync(stored)).toBe(false)
})

test('rights are those of the record', async () => {
  const hidden = await makeTask({ subject: 'Not of the reader', caller: '201', contact: '201', opened_by: '201' })
  const [file] = (await upload('worker', `task/${hidden}`, { 'a.txt': 'secret' })).body.data
  expect((await get('reader', file?.sys_id ?? '')).status).toBe(404)
  expect((await get('nobody', file?.sys_id ?? '')).status).toBe(404)
  const own = await makeTask({ subject: 'Of the reader', caller: '202' })
  for (const [who, address, status, code] of [
    ['reader', `task/${own}`, 403, 'ACCESS_DENIED'],
    ['reader', `task/${hidden}`, 403, 'ACCESS_DENIED'],
    ['worker', 'task/999999', 404, 'RECORD_NOT_FOUND'],
    ['worker', 'nothing/1', 404, 'TABLE_NOT_FOUND'],
    ['nobody', `task/${own}`, 403, 'ACCESS_DENIED'],
  ] as const) {
    const response = await upload(who, address, { 'a.txt': 'x' })
    expect([who, address, response.status, response.body.errors[0]?.code]).toEqual([who, address, status, code])
  }
  expect((await get('worker', '1')).status).toBe(404)
})

test('a journal entry that a DELETE did not see, because it waited for its writer, is cleared (issue 15)', async () => {
  const task = await makeTask({ subject: 'Deleted meanwhile' })
  const kept = await makeTask({ subject: 'Stays', work_notes: 'kept' })
  const entries = () =>
    stage.run(sql`select value from docket.sys_journal_entry where record_id in (${task}, ${kept}) order by 1`)
  const response = await stage.docket.database.inTransaction(async (session) => {
    await session.rows(sql`update docket.task set subject = 'changed' where sys_id = ${task}::bigint`)
    await session.rows(sql`insert into docket.sys_journal_entry (table_id, record_id, column_name, value)
      select sys_db_table_id, sys_id::text, 'work_notes', 'late' from docket.task where sys_id = ${task}::bigint`)
    const requested = stage.send('admin', `DELETE /rest/v1/table/task/${task}`)
    await somebodyWaits()
    return { requested }
  })
  expect((await response.requested).status).toBe(200)
  expect(await entries()).toEqual([{ value: 'kept' }, { value: 'late' }])
  const clock = { nowMs: () => nowMs }
  await clearAttachments(
    await openAttachments({
      records: createRecordDeps({ database: stage.docket.database, clock }),
      clock,
      dataDir: stage.docket.dataDir,
      objectStore: null,
      maxBytes: 1_000,
      onError: () => undefined,
    }),
  )
  expect(await entries()).toEqual([{ value: 'kept' }])
})

/** Resolves when a statement of the server waits for a lock. */
async function somebodyWaits(): Promise<void> {
  for (;;) {
    const [row] = await stage.docket.database.rows<{ waits: boolean }>(
      sql`select exists (select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()) as waits`,
    )
    if (row?.waits) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('what cannot be attached is rejected, and leaves nothing behind:', () => {
  test('a file that is too large, with all that came with it', async () => {
    const task = await makeTask({ subject: 'Too much' })
    const response = await upload('worker', `task/${task}`, {
      'small.txt': 'small',
      'large.bin': Buffer.alloc(200_001),
    })
    expect([response.status, response.body.errors[0]?.code]).toEqual([413, 'BODY_TOO_LARGE'])
    expect(await stage.run(sql`select from docket.sys_attachment where record_id = ${task}`)).toEqual([])
    expect(readdirSync(join(stage.docket.dataDir, 'uploads'))).toEqual([])
  })

  test('a form without a file, and what is no form', async () => {
    const task = await makeTask({ subject: 'Nothing' })
    expect((await upload('worker', `task/${task}`, {})).status).toBeGreaterThanOrEqual(400)
    const response = await stage.send('worker', `POST /v1/attachments/upload/task/${task}`, { body: { a: 1 } })
    expect(response.status).toBe(415)
  })

  test('a name that is not UTF-8, a form that breaks off, and more files than there may be', async () => {
    const task = await makeTask({ subject: 'Broken' })
    const send = async (body: string) => {
      const response = await fetch(`${stage.docket.baseUrl}/v1/attachments/upload/task/${task}`, {
        method: 'POST',
        headers: { ...headersOf('worker'), 'content-type': 'multipart/form-data; boundary=B' },
        body: Buffer.from(body, 'latin1'),
      })
      return { status: response.status, errors: ((await response.json()) as { errors: unknown[] }).errors }
    }
    const part = (name: string) =>
      `--B\r\nContent-Disposition: form-data; name="files[]"; filename="${name}"\r\n\r\nx\r\n`
    const message = 'The parameter files[] must be UTF-8; found a byte of its name that is not, at position 1.'
    expect(await send(`${part('good.txt')}${part('a\xcf.txt')}--B--\r\n`)).toEqual({
      status: 400,
      errors: [{ code: 'BAD_PARAMETER', message, field: 'files[]', position: 1 }],
    })
    for (const broken of [
      part('good.txt'),
      `${Array.from({ length: 21 }, (_, n) => part(`${n}.txt`)).join('')}--B--\r\n`,
    ])
      expect(await send(broken)).toMatchObject({ status: 400, errors: [{ code: 'BAD_REQUEST' }] })
    expect(await stage.run(sql`select from docket.sys_attachment where record_id = ${task}`)).toEqual([])
    expect(readdirSync(join(stage.docket.dataDir, 'uploads'))).toEqual([])
  })
})

test('files that are sent again under their Idempotency-Key are attached once (issue 13)', async () => {
  const task = await makeTask({ subject: 'Sent twice', caller: '202' })
  const key = { 'idempotency-key': 'upload of a test' }
  const address = `task/${task}`
  const files = { 'a.txt': 'one', 'b.txt': 'two' }
  const first = await upload('worker', address, files, key)
  const [second, third] = await Promise.all([
    upload('worker', address, files, key),
    upload('worker', address, files, key),
  ])
  expect(first.status).toBe(200)
  expect([second, third]).toEqual([first, first])
  const rows = await stage.docket.database.rows(
    sql`select file_name from docket.sys_attachment where record_id = ${task} order by file_name`,
  )
  expect(rows).toEqual([{ file_name: 'a.txt' }, { file_name: 'b.txt' }])
  const other = await upload('worker', address, { 'a.txt': 'another' }, key)
  expect(other.body.errors).toMatchObject([
    {
      code: 'INVALID_VALUE',
      field: 'Idempotency-Key',
      message: expect.stringContaining('another request had this key'),
    },
  ])
  const longKey = { 'idempotency-key': 'k'.repeat(256) }
  expect((await upload('worker', address, files, longKey)).status).toBe(400)
  const denied = await upload('worker', 'task/1', files, { 'idempotency-key': 'a denied upload' })
  expect(denied.status).toBe(404)
})
