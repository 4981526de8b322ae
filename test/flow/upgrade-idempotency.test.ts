import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket()
})
afterAll(() => docket.close())

/** What the server before the upgrade stored for a key: headers and body of its response. */
const keepAsBefore = (key: string, headers: object, body: string) =>
  docket.database.rows(sql`
    update docket_system.answered_once set headers = ${JSON.stringify(headers)}::jsonb, body = ${body} where key = ${key}`)

const upgrade = async (): Promise<void> => {
  const [file] = globSync('migrations/*_results_of_idempotent_requests.sql')
  if (file === undefined) throw new Error('there is no such migration')
  // Like migrations: without parameters, several statements.
  await docket.database.rows(sql.raw(`do $upgrade$ begin ${readFileSync(file, 'utf8')} end $upgrade$`))
}

test('a create and a bulk change that were sent before an upgrade are not done again behind it (issue 9, step 2)', async () => {
  const create = () =>
    docket.request('POST', '/rest/v1/table/task?sysparm_fields=subject&sysparm_view=none&other=1', {
      as: admin,
      body: { subject: 'once' },
      headers: { 'idempotency-key': 'create' },
    })
  const change = () =>
    docket.request('POST', '/rest/v1/bulk/task', {
      as: admin,
      body: { query: 'subject=once', action: 'delete' },
      headers: { 'idempotency-key': 'bulk' },
    })
  const created = await create()
  const { location = '', etag = '', 'x-ignored-parameters': ignored } = created.headers
  const version = etag.replace(/-.*"$/, '"')
  await keepAsBefore('create', { location, etag: version, 'x-ignored-parameters': ignored }, created.text)
  await upgrade()
  const again = await create()
  expect([again.text, again.headers['location'], again.headers['etag']]).toEqual([created.text, location, etag])
  expect(again.headers['x-ignored-parameters']).toBe('other, sysparm_view')
  const changed = await change()
  expect(changed.body).toMatchObject({ data: { count: 1 } })
  await keepAsBefore('bulk', {}, changed.text)
  await upgrade()
  expect((await change()).text).toBe(changed.text)
  expect((await create()).status).toBe(404)
})

test('kept rows of imports and encoded sys_ids survive an upgrade (issue 9, step 2)', async () => {
  const keep = (key: string, headers: object, body: string) =>
    docket.database.rows(sql`
      insert into docket_system.answered_once (user_id, key, request, answered_at, headers, body)
      select sys_id, ${key}, 'r', '2026-01-01', ${JSON.stringify(headers)}::jsonb, ${body} from docket."user" where user_name = ${admin.user}`)
  await keep('rows', {}, '[[1,3]]')
  await keep(
    'parts',
    { location: 'http://x/rest/v1/table/shop_line/1~%D0%B0%2C%25' },
    '{"status":"OK","data":[{"a":"}"}]}',
  )
  await upgrade()
  expect(
    await docket.database.rows(
      sql`select key, headers, body from docket_system.answered_once where key in ('rows', 'parts') order by key`,
    ),
  ).toEqual([
    { key: 'parts', headers: { table: 'shop_line', sys_id: '1~а,%' }, body: '[{"a":"}"}]' },
    { key: 'rows', headers: {}, body: '[[1,3]]' },
  ])
})
