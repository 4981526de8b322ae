import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

const PREFIX = 'c0ffee0123456789'
const idOf = (sysId: number): string => PREFIX + sysId.toString(16).padStart(16, '0')
const INCIDENT = idOf(1001)
/** A record that the reader may not read. */
const HIDDEN = idOf(1003)
const NOWHERE = idOf(77)
const ID = expect.stringMatching(new RegExp(`^${PREFIX}[0-9a-f]{16}$`))

let stage: Stage
beforeAll(async () => {
  stage = await setStage(
    [
      sql`update docket_system.served_id set prefix = ${PREFIX}`,
      sql`insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
          select o, 'sys_attachment', array[(select sys_id::text from docket.sys_role where name = r)], true
          from (values ('read', 'itil'), ('create', 'itil'), ('delete', 'itil'), ('read', 'user')) as v (o, r)`,
    ],
    { environment: { DOCKET_ATTACHMENT_MAX_BYTES: '200000' } },
  )
})
afterAll(() => stage.close())

const API = '/api/now/attachment'
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const failed = (message: string, detail: string | null) => ({
  error: { message, detail },
  status: 'failure',
  request_id: 'ID',
})
const NO_RECORD = failed('No Record found', "Record doesn't exist or ACL restricts the record retrieval")

const headersOf = (as: Who) => {
  const { user, password } = stage.callerOf(as) as { user: string; password: string }
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: RequestInit['body']
}

/** For requests and responses with files. `BASE` replaces the address of the server. */
async function call(as: Who, path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const response = await fetch(`${stage.docket.baseUrl}${path}`, {
    method,
    headers: { ...headersOf(as), ...headers },
    ...(body == null ? {} : { body }),
  })
  const normalize = (text: string): string =>
    text.replaceAll(stage.docket.baseUrl, 'BASE').replaceAll(/"request_id":"[^"]*"/g, '"request_id":"ID"')
  const text = normalize(await response.text())
  return {
    status: response.status,
    location: normalize(response.headers.get('location') ?? ''),
    headers: response.headers,
    text,
    json: text.startsWith('{') ? JSON.parse(text) : null,
  }
}

const rowOf = (parts: { readonly name: string; readonly bytes: string | Uint8Array; readonly type: string }) => ({
  sys_id: ID,
  table_name: 'incident',
  table_sys_id: INCIDENT,
  file_name: parts.name,
  content_type: parts.type,
  size_bytes: String(Buffer.byteLength(parts.bytes)),
  size_compressed: String(Buffer.byteLength(parts.bytes)),
  compressed: 'false',
  hash: sha256(parts.bytes),
  state: 'available',
  sys_created_by: 'worker',
  sys_created_on: '2026-03-02 10:00:00',
  sys_updated_by: 'worker',
  sys_updated_on: '2026-03-02 10:00:00',
  sys_mod_count: '0',
  sys_tags: '',
  average_image_color: '',
  image_width: '',
  image_height: '',
  download_link: expect.stringMatching(new RegExp(`^BASE/api/now/attachment/${PREFIX}[0-9a-f]{16}/file$`)),
})

const attach = (name: string, bytes: string, { as = 'worker' as Who, root = API, type = 'text/plain' } = {}) =>
  call(as, `${root}/file?table_name=incident&table_sys_id=${INCIDENT}&file_name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: bytes,
  })
const attached = async (name: string, bytes: string): Promise<string> =>
  (await attach(name, bytes)).json.result.sys_id as string

function formOf(fields: Readonly<Record<string, string>>, files: Readonly<Record<string, Blob>>): FormData {
  const form = new FormData()
  for (const [name, text] of Object.entries(fields)) form.append(name, text)
  for (const [name, file] of Object.entries(files)) form.append('uploadFile', file, name)
  return form
}

describe('POST /api/now/attachment/file (issue 15, section 9)', () => {
  test.each(['/api/now', '/api/now/v1', '/api/now/v2'])(
    '%s: the body is the file, and its type is kept',
    async (api) => {
      const response = await attach('снимок 1.log', 'bytes', {
        root: `${api}/attachment`,
        type: 'application/x-our-log; v=1',
      })
      expect([response.status, response.json]).toEqual([
        201,
        { result: rowOf({ name: 'снимок 1.log', bytes: 'bytes', type: 'application/x-our-log; v=1' }) },
      ])
      expect(response.location).toBe(`BASE${api}/attachment/${response.json.result.sys_id}/file`)
      expect(response.headers.get('content-type')).toBe('application/json;charset=UTF-8')
      const file = await call('worker', response.location.replace('BASE', ''))
      expect([file.status, file.text]).toEqual([200, 'bytes'])
    },
  )

  test.each([{}, { 'content-type': '*/*' }])(
    'of a file that is sent with the headers %j the bytes and the name tell the type',
    async (headers) => {
      const path = `${API}/file?table_name=incident&table_sys_id=${INCIDENT}&file_name=table.csv`
      const response = await call('worker', path, { method: 'POST', headers, body: Buffer.from('a,b\n1,2\n') })
      expect([response.status, response.json]).toEqual([
        201,
        { result: rowOf({ name: 'table.csv', bytes: 'a,b\n1,2\n', type: 'text/csv' }) },
      ])
    },
  )

  test.each([
    ['', 'table_name', 'the table of the record'],
    ['table_name=incident&file_name=a', 'table_sys_id', 'the sys_id of the record'],
    [`table_name=incident&table_sys_id=${INCIDENT}`, 'file_name', 'the name of the file'],
  ])('with the parameters %j it is 400', async (parameters, name, expected) => {
    const path = `${API}/file?${parameters === '' ? 'file_name=a' : parameters}`
    const response = await call('worker', path, { method: 'POST', body: 'x' })
    const detail = `The parameter ${name} must be ${expected}; found nothing.`
    expect([response.status, response.json]).toEqual([400, failed('Invalid value', detail)])
  })

  test('a record or a table that is not there, and one that may not be written', async () => {
    const send = async (as: Who, table: string, id: string) => {
      const response = await call(as, `${API}/file?table_name=${table}&table_sys_id=${id}&file_name=a`, {
        method: 'POST',
        body: 'x',
      })
      return [response.status, response.json]
    }
    const denied = failed('Operation Failed', 'ACL Exception Update Failed due to security constraints')
    expect(await send('worker', 'incident', NOWHERE)).toEqual([404, NO_RECORD])
    expect(await send('worker', 'incident', '1001')).toEqual([404, NO_RECORD])
    expect(await send('worker', 'itsm_incident', INCIDENT)).toEqual([400, failed('Invalid table itsm_incident', null)])
    expect(await send('reader', 'incident', INCIDENT)).toEqual([403, denied])
    expect(await send('reader', 'incident', HIDDEN)).toEqual([403, denied])
  })

  test('the same file with the same Idempotency-Key is attached once; another one with it is 400', async () => {
    const path = `${API}/file?table_name=incident&table_sys_id=${INCIDENT}&file_name=once.txt`
    const send = (body: string) =>
      call('worker', path, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'idempotency-key': 'attached once' },
        body,
      })
    const [first, again, other] = [await send('once'), await send('once'), await send('twice')]
    expect([first.status, again.status, again.json]).toEqual([201, 201, first.json])
    expect([other.status, other.json.error.message]).toEqual([400, 'Invalid value'])
    const listed = await call('worker', `${API}?file_name=once.txt`)
    expect(listed.json).toEqual({ result: [first.json.result] })
  })

  test('a file that is too large leaves nothing behind', async () => {
    const response = await attach('large.bin', 'x'.repeat(200_001))
    expect([response.status, response.json.error.message]).toEqual([413, 'Request body too large'])
    expect(readdirSync(join(stage.docket.dataDir, 'uploads'))).toEqual([])
    expect((await call('worker', `${API}?file_name=large.bin`)).json).toEqual({ result: [] })
  })
})

describe('POST /api/now/attachment/upload (issue 15, section 9)', () => {
  const fields = { table_name: 'incident', table_sys_id: INCIDENT }
  const upload = (as: Who, body: FormData, api = '/api/now') =>
    call(as, `${api}/attachment/upload`, { method: 'POST', body })

  test.each(['/api/now', '/api/now/v1', '/api/now/v2'])('%s: a form of the record and a file', async (api) => {
    const body = formOf(fields, { 'notes.txt': new Blob(['in a form'], { type: 'text/x-notes' }) })
    const response = await upload('worker', body, api)
    expect([response.status, response.json]).toEqual([
      201,
      { result: rowOf({ name: 'notes.txt', bytes: 'in a form', type: 'text/x-notes' }) },
    ])
    expect(response.location).toBe(`BASE${api}/attachment/${response.json.result.sys_id}/file`)
  })

  test('the fields may stand behind the file', async () => {
    const body = new FormData()
    body.append('uploadFile', new Blob(['first'], { type: 'text/plain' }), 'first.txt')
    for (const [name, text] of Object.entries(fields)) body.append(name, text)
    const response = await upload('worker', body)
    expect([response.status, response.json]).toEqual([
      201,
      { result: rowOf({ name: 'first.txt', bytes: 'first', type: 'text/plain' }) },
    ])
  })

  test('two files, no file, no form, no right: nothing is attached', async () => {
    const blob = () => new Blob(['x'], { type: 'text/plain' })
    const two = await upload('worker', formOf(fields, { 'none.1': blob(), 'none.2': blob() }))
    expect([two.status, two.json.error.message]).toEqual([400, 'Exception while reading request'])
    const none = await upload('worker', formOf(fields, {}))
    const detail = 'The parameter uploadFile must be a form with a file; found nothing.'
    expect([none.status, none.json]).toEqual([400, failed('Invalid value', detail)])
    const json = await call('worker', `${API}/upload`, { method: 'POST', body: '{}' })
    expect([json.status, json.json.error.message]).toEqual([415, 'Unsupported media type'])
    const denied = await upload('reader', formOf(fields, { 'none.3': blob() }))
    expect([denied.status, denied.json]).toEqual([
      403,
      failed('Operation Failed', 'ACL Exception Update Failed due to security constraints'),
    ])
    expect(readdirSync(join(stage.docket.dataDir, 'uploads'))).toEqual([])
    expect((await call('worker', `${API}?sysparm_query=file_nameSTARTSWITHnone`)).json).toEqual({ result: [] })
  })
})

describe('GET /api/now/attachment (issue 15, section 9)', () => {
  test('a list has conditions, pages, a total and links', async () => {
    for (const name of ['list-1.txt', 'list-2.txt', 'list-3.txt']) await attached(name, name)
    const query = `sysparm_query=table_name=incident^table_sys_id=${INCIDENT}^file_nameSTARTSWITHlist-^ORDERBYfile_name`
    const response = await call('worker', `${API}?${query}&sysparm_limit=1&sysparm_offset=1`)
    expect([response.status, response.json]).toEqual([
      200,
      { result: [rowOf({ name: 'list-2.txt', bytes: 'list-2.txt', type: 'text/plain' })] },
    ])
    expect(response.headers.get('x-total-count')).toBe('3')
    const sent = new URLSearchParams(query).toString()
    const link = (offset: number, rel: string) =>
      `<${stage.docket.baseUrl}${API}?${sent}&sysparm_limit=1&sysparm_offset=${offset}>;rel="${rel}"`
    expect(response.headers.get('link')).toBe(
      [link(0, 'first'), link(0, 'prev'), link(2, 'next'), link(2, 'last')].join(','),
    )
  })

  test('columns are parameters, and what is none is named', async () => {
    const id = await attached('by-column.txt', 'x')
    const response = await call(
      'worker',
      `${API}?file_name=by-column.txt&table_name=incident&sysparm_fields=sys_id&nope=1`,
    )
    expect([response.status, response.json]).toEqual([
      200,
      { result: [{ ...rowOf({ name: 'by-column.txt', bytes: 'x', type: 'text/plain' }), sys_id: id }] },
    ])
    expect(response.headers.get('x-ignored-parameters')).toBe('sysparm_fields, nope')
  })

  test.each(['/api/now', '/api/now/v1', '/api/now/v2'])('%s: a list that finds nothing is empty', async (api) => {
    const response = await call('worker', `${api}/attachment?sysparm_query=file_name=nothing`)
    expect([response.status, response.json]).toEqual([200, { result: [] }])
  })

  test('rows of records that the caller may not read are not listed', async () => {
    const sent = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }
    const made = await call(
      'worker',
      `${API}/file?table_name=incident&table_sys_id=${HIDDEN}&file_name=hidden.txt`,
      sent,
    )
    const id = made.json.result.sys_id
    expect((await call('worker', `${API}?file_name=hidden.txt`)).json.result).toHaveLength(1)
    expect((await call('reader', `${API}?file_name=hidden.txt`)).json).toEqual({ result: [] })
    for (const path of [`${API}/${id}`, `${API}/${id}/file`]) {
      const response = await call('reader', path)
      expect([response.status, response.json]).toEqual([404, NO_RECORD])
    }
    const gone = await call('reader', `${API}/${id}`, { method: 'DELETE' })
    expect([gone.status, gone.json]).toEqual([404, NO_RECORD])
    const denied = await call('nobody', API)
    expect([denied.status, denied.json]).toEqual([
      403,
      failed('Insufficient rights to query records', 'sys_attachment'),
    ])
    // Whether there is such a file does not matter.
    for (const path of [`${API}/${id}`, `${API}/${id}/file`, `${API}/${NOWHERE}`, `${API}/${NOWHERE}/file`]) {
      const response = await call('nobody', path)
      expect([path, response.status, response.json]).toEqual([path, 403, denied.json])
    }
  })
})

describe('GET /api/now/attachment/{sys_id} (issue 15, section 9)', () => {
  test('reads the row', async () => {
    const id = await attached('one.txt', 'one')
    for (const path of [`${API}/${id}`, `/api/now/v1/attachment/${id.toUpperCase()}`]) {
      const response = await call('reader', path)
      expect([response.status, response.json]).toEqual([
        200,
        { result: { ...rowOf({ name: 'one.txt', bytes: 'one', type: 'text/plain' }), sys_id: id } },
      ])
    }
    for (const none of [NOWHERE, 'x', '1']) {
      const response = await call('reader', `${API}/${none}`)
      expect([response.status, response.json]).toEqual([404, NO_RECORD])
    }
  })

  test('sends the file with its row in a header, and ranges of it', async () => {
    const id = await attached('файл.txt', '0123456789')
    const file = await call('reader', `${API}/${id}/file`)
    expect([file.status, file.text]).toEqual([200, '0123456789'])
    expect(
      Object.fromEntries([...file.headers].filter(([name]) => /^(content-(type|length)|etag|x-is)/.test(name))),
    ).toEqual({
      'content-type': 'text/plain',
      'content-length': '10',
      etag: `"${sha256('0123456789')}"`,
      'x-is-logged-in': 'true',
    })
    const metadata = (file.headers.get('x-attachment-metadata') ?? '').replaceAll(stage.docket.baseUrl, 'BASE')
    expect(metadata).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(metadata)).toEqual({
      ...rowOf({ name: 'файл.txt', bytes: '0123456789', type: 'text/plain' }),
      sys_id: id,
    })
    const part = await call('reader', `${API}/${id}/file`, { headers: { range: 'bytes=4-5' } })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '45', 'bytes 4-5/10'])
    const beyond = await call('reader', `${API}/${id}/file`, { headers: { range: 'bytes=10-' } })
    expect([beyond.status, beyond.json.error.message]).toEqual([416, 'Range not satisfiable'])
    const known = await call('reader', `${API}/${id}/file`, {
      headers: { 'if-none-match': `"${sha256('0123456789')}"` },
    })
    expect([known.status, known.text]).toEqual([304, ''])
    expect((await call('reader', `${API}/${NOWHERE}/file`)).json).toEqual(NO_RECORD)
  })
})

test('DELETE /api/now/attachment/{sys_id} is 204, and 403 for whoever may not (issue 15, section 9)', async () => {
  const id = await attached('gone.txt', 'gone')
  const denied = await call('reader', `${API}/${id}`, { method: 'DELETE' })
  expect([denied.status, denied.json]).toEqual([
    403,
    failed('Operation Failed', 'ACL Exception Delete Failed due to security constraints'),
  ])
  const gone = await call('worker', `/api/now/v2/attachment/${id}`, { method: 'DELETE' })
  expect([gone.status, gone.text]).toEqual([204, ''])
  const again = await call('worker', `${API}/${id}`, { method: 'DELETE' })
  expect([again.status, again.json]).toEqual([404, NO_RECORD])
  expect((await call('worker', `${API}/${id}/file`)).json).toEqual(NO_RECORD)
})

test('without credentials every path is 401, and only JSON is offered (issue 15, section 9)', async () => {
  for (const [method, path] of [
    ['GET', API],
    ['GET', `${API}/${INCIDENT}`],
    ['GET', `${API}/${INCIDENT}/file`],
    ['POST', `${API}/file`],
    ['POST', `${API}/upload`],
    ['DELETE', `${API}/${INCIDENT}`],
  ] as const) {
    const response = await stage.send(null, `${method} ${path}`)
    expect([response.status, response.body]).toEqual([
      401,
      failed('User Not Authenticated', 'Required to provide Auth information'),
    ])
  }
  expect((await call('worker', API, { headers: { accept: 'application/xml' } })).status).toBe(406)
})

test('a part of a batch attaches a file (issue 15, section 9)', async () => {
  const part = {
    id: '1',
    method: 'POST',
    url: `${API}/file?table_name=incident&table_sys_id=${INCIDENT}&file_name=batch.txt`,
    headers: [{ name: 'Content-Type', value: 'text/plain' }],
    body: Buffer.from('of a batch').toString('base64'),
  }
  const response = await stage.send('worker', 'POST /api/now/v1/batch', { body: { rest_requests: [part] } })
  const [served] = (response.body as { serviced_requests: { status_code: number; body: string }[] }).serviced_requests
  const { result } = JSON.parse(
    Buffer.from(served?.body ?? '', 'base64')
      .toString()
      .replaceAll(stage.docket.baseUrl, 'BASE'),
  )
  expect([served?.status_code, result]).toEqual([
    201,
    rowOf({ name: 'batch.txt', bytes: 'of a batch', type: 'text/plain' }),
  ])
})

test('rules of sys_attachment with a condition count for the file that is attached or deleted (issue 15, section 9)', async () => {
  const own = await attached('own.txt', 'own')
  const other = await attached('other.txt', 'other')
  await stage.run(sql`update docket.sys_security_acl set condition = 'file_name=own.txt'
    where table_name = 'sys_attachment' and operation in ('create', 'delete')`)
  try {
    const send = (name: string) =>
      call('worker', `${API}/file?table_name=incident&table_sys_id=${INCIDENT}&file_name=${name}`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: 'x',
      })
    expect([(await send('forbidden.txt')).status, (await send('own.txt')).status]).toEqual([403, 201])
    const stored = await stage.run(sql`select from docket.sys_attachment where file_name = 'forbidden.txt'`)
    expect(stored).toEqual([])
    expect((await call('worker', `${API}/${other}`, { method: 'DELETE' })).status).toBe(403)
    expect((await call('worker', `${API}/${own}`, { method: 'DELETE' })).status).toBe(204)
  } finally {
    await stage.run(sql`update docket.sys_security_acl set condition = null
      where table_name = 'sys_attachment' and operation in ('create', 'delete')`)
  }
})

test('who may read the file but not its hash gets the file, and its row without the hash (issue 15, section 9)', async () => {
  const id = await attached('half.txt', 'half')
  const rule = { operation: 'read', table_name: 'sys_attachment', column_name: 'hash', roles: 'admin', active: true }
  const made = await stage.send('admin', 'POST /api/now/table/sys_security_acl?sysparm_fields=sys_id', { body: rule })
  expect(made).toMatchObject({ status: 201 })
  const file = await call('reader', `${API}/${id}/file`)
  expect([file.status, file.text, file.headers.get('etag')]).toEqual([200, 'half', `"${sha256('half')}"`])
  const { hash: _hidden, ...row } = rowOf({ name: 'half.txt', bytes: 'half', type: 'text/plain' })
  const metadata = (file.headers.get('x-attachment-metadata') ?? '').replaceAll(stage.docket.baseUrl, 'BASE')
  expect(JSON.parse(metadata)).toEqual({ ...row, sys_id: id })
})
