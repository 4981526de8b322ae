import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

/** Files of records that a browser displays (issue 13, 8). */

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
        select o, 'sys_attachment', array[(select sys_id::text from docket.sys_role where name = r)], true
        from (values ('read', 'itil'), ('create', 'itil'), ('read', 'user')) as v (o, r)`,
  ])
})
afterAll(() => stage.close())

const headersOf = (as: Who) => {
  const { user, password } = stage.callerOf(as) as { user: string; password: string }
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

async function attach(name: string, bytes: Uint8Array, type = '', caller = '202'): Promise<string> {
  const made = await stage.send('admin', 'POST /rest/v1/table/task', {
    body: { subject: name, caller, contact: caller, opened_by: caller },
  })
  const task = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  const body = new FormData()
  body.append('files[]', new Blob([new Uint8Array(bytes)], { type }), name)
  const address = `${stage.docket.baseUrl}/v1/attachments/upload/task/${task}`
  const sent = await fetch(address, { method: 'POST', body, headers: headersOf('worker') })
  return ((await sent.json()) as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}

const get = (as: Who | null, path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  fetch(`${stage.docket.baseUrl}${path}`, { method, headers: { ...(as === null ? {} : headersOf(as)), ...headers } })

const outcomeOf = ({ status, headers }: Response) => ({
  status,
  type: headers.get('content-type'),
  kind: headers.get('content-disposition')?.split(';')[0],
  policy: headers.get('content-security-policy'),
  sniffing: headers.get('x-content-type-options'),
})

const sandbox = "sandbox; default-src 'none'"
const asText = { type: 'text/plain; charset=utf-8', kind: 'inline', policy: sandbox }
const asFile = (type: string) => ({ type, kind: 'attachment', policy: sandbox })
const html = Buffer.from('<!doctype html><html><body><script>alert(1)</script></body></html>')
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>')
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 7)])
const pdf = readFileSync(new URL('../../fixtures/documents/manual.pdf', import.meta.url))

test.each([
  ['notes.txt', Buffer.from('Plain text, Ёлка.'), 'text/plain', asText],
  ['empty.txt', Buffer.alloc(0), 'text/plain', asText],
  // Markup is displayed as the text that it is, whatever the name and the sender say.
  ['page.html', html, 'text/html', asText],
  ['page.pdf', html, 'application/pdf', asText],
  ['page.png', html, 'image/png', asText],
  ['drawing.svg', svg, 'image/svg+xml', asText],
  ['feed.xml', Buffer.from('<?xml version="1.0"?><a/>'), 'application/xml', asText],
  ['script.js', Buffer.from('alert(1)'), 'text/javascript', asText],
  ['picture.png', png, 'image/png', { type: 'image/png', kind: 'inline', policy: sandbox }],
  ['picture.html', png, 'text/html', { type: 'image/png', kind: 'inline', policy: sandbox }],
  ['manual.pdf', pdf, 'application/pdf', { type: 'application/pdf', kind: 'inline', policy: null }],
  // Markup behind a byte that no text has, and in an encoding that browsers guess.
  ['binary.html', Buffer.concat([Buffer.from([0]), html]), 'text/html', asFile('application/octet-stream')],
  ['latin.html', Buffer.concat([html, Buffer.from([0xe9, 0x20])]), 'text/html', asFile('application/octet-stream')],
])('inline=1 of %s', async (name, bytes, type, displayed) => {
  const path = `/v1/attachments/${await attach(name, bytes, type)}/file`
  for (const address of [`${path}?inline=1`, `/rest${path}?inline=1`]) {
    const response = await get('reader', address)
    expect(outcomeOf(response)).toEqual({ status: 200, sniffing: 'nosniff', ...displayed })
    expect(response.headers.get('content-disposition')).toBe(
      `${displayed.kind}; filename="${name}"; filename*=UTF-8''${name}`,
    )
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  }
  // Without the parameter every file is a download.
  for (const address of [path, `${path}?inline=0`])
    expect(outcomeOf(await get('reader', address))).toMatchObject({ status: 200, kind: 'attachment', policy: sandbox })
})

test('a part of a displayed file, its head, and a file that the caller has already', async () => {
  const path = `/v1/attachments/${await attach('notes.txt', Buffer.from('0123456789'))}/file?inline=1`
  const part = await get('reader', path, { range: 'bytes=2-4' })
  expect([outcomeOf(part), await part.text()]).toEqual([{ status: 206, sniffing: 'nosniff', ...asText }, '234'])
  const head = await get('reader', path, {}, 'HEAD')
  expect([outcomeOf(head), await head.text()]).toEqual([{ status: 200, sniffing: 'nosniff', ...asText }, ''])
  const known = await get('reader', path, { 'if-none-match': head.headers.get('etag') ?? '' })
  expect(known.status).toBe(304)
})

test('the rights are those of a download, and another value is 400', async () => {
  const hidden = `/v1/attachments/${await attach('secret.txt', Buffer.from('secret'), '', '201')}/file`
  for (const [who, status] of [
    [null, 401],
    ['nobody', 404],
    ['reader', 404],
    ['worker', 200],
  ] as const) {
    const [kept, displayed] = [await get(who, hidden), await get(who, `${hidden}?inline=1`)]
    expect([who, displayed.status, kept.status]).toEqual([who, status, status])
    if (status !== 200) expect(await displayed.text()).not.toContain('secret')
  }
  expect((await get('worker', `${hidden}?inline=yes`)).status).toBe(400)
})
