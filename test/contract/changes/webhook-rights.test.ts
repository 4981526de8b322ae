import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type WebhookReceiver, webhookReceiver } from '../../harness/webhook-receiver.ts'
import { rule, type Stage, setStage, type Who } from '../records/fixture.ts'

/** The rights with which a webhook runs. `worker` and `moscow` may write webhooks; only `admin` may read `company.city`. */
let stage: Stage
let receiver: WebhookReceiver
beforeAll(async () => {
  stage = await setStage(
    [
      ...(['create', 'read', 'write'] as const).flatMap((operation) =>
        ['sys_webhook', 'sys_webhook_delivery'].map((table) => rule({ operation, table, roles: ['itil'] })),
      ),
      rule({ operation: 'read', table: 'sys_db_table', roles: ['itil'] }),
      rule({ operation: 'read', table: 'company', column: 'city', roles: ['admin'] }),
    ],
    { environment: { DOCKET_WEBHOOK_NETWORKS: '127.0.0.1' } },
  )
  receiver = await webhookReceiver()
})
afterAll(async () => {
  await stage.close()
  await receiver.close()
})

const IDS = { admin: '155931135900000001', worker: '201', reader: '202', nobody: '203', moscow: '204' } as const
const ROW = 'sysparm_fields=url,run_as,tables,active&sysparm_exclude_reference_link=1'
interface HookRow {
  readonly url: string
  readonly run_as: string | null
  readonly tables: string | null
  readonly active: boolean
}

async function makeHook(as: Who, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const response = await stage.send(as, 'POST /rest/v1/table/sys_webhook?sysparm_fields=sys_id', {
    body: { name: 'Hook', url: `${receiver.url}/${as}`, active: false, ...more },
  })
  expect(response.status).toBe(200)
  return (response.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const patch = (as: Who, id: string, body: object) =>
  stage.send(as, `PATCH /rest/v1/table/sys_webhook/${id}?${ROW}`, { body })
const read = async (id: string): Promise<HookRow> => {
  const response = await stage.send('admin', `GET /rest/v1/table/sys_webhook/${id}?${ROW}`)
  return (response.body as { data: HookRow[] }).data[0] as HookRow
}
const denied = (field: string) => ({
  status: 403,
  body: {
    status: 'ERROR',
    error_type: 'SERVER',
    message: expect.stringContaining(`${field} of a webhook is changed by the user in run_as`),
    errors: [{ message: expect.stringContaining(field), code: 'ACCESS_DENIED', field }],
    request_id: 'ID',
  },
})
const ofBody = ({ status, body }: { readonly status: number; readonly body: unknown }) => ({ status, body })

test('a webhook whose name an administrator changes goes on with the rights of who set its url (issue 8, A9)', async () => {
  const id = await makeHook('worker', { operations: ['update'], active: true })
  expect((await patch('admin', id, { name: 'Renamed by the administrator' })).status).toBe(200)
  expect((await read(id)).run_as).toBe(IDS.worker)
  const company = (await stage.send('admin', 'POST /rest/v1/table/company', { body: { name: 'Deputy' } })).body as {
    data: { sys_id: string }[]
  }
  await stage.send('admin', `PATCH /rest/v1/table/company/${company.data[0]?.sys_id}`, {
    body: { name: 'Renamed', city: 'Secret City' },
  })
  const ofCompany = ({ text }: { readonly text: string }) => JSON.parse(text).table === 'company'
  const delivery = (await receiver.until((all) => all.some(ofCompany))).find(ofCompany)
  expect(JSON.parse(delivery?.text ?? '{}').changes).toEqual({ name: { old_value: 'Deputy', new_value: 'Renamed' } })
  await patch('worker', id, { active: false })
})

test('a new address brings the rights of who sets it, and no one sets another user (issue 8, A9)', async () => {
  const id = await makeHook('admin')
  expect((await read(id)).run_as).toBe(IDS.admin)
  expect(ofBody(await patch('worker', id, { run_as: IDS.moscow }))).toEqual(denied('run_as'))
  expect(ofBody(await patch('worker', id, { url: `${receiver.url}/mine`, run_as: IDS.moscow }))).toEqual(
    denied('run_as'),
  )
  // A form sends back all values that it read, with the new address.
  const taken = await patch('worker', id, { url: `${receiver.url}/mine`, run_as: IDS.admin })
  expect((taken.body as { data: HookRow[] }).data).toMatchObject([{ run_as: IDS.worker }])
  expect((await patch('moscow', id, { url: `${receiver.url}/mine` })).status).toBe(200)
  expect((await read(id)).run_as).toBe(IDS.worker)
  await patch('moscow', id, { url: { append: '/more' } })
  expect((await read(id)).run_as).toBe(IDS.moscow)
  expect((await patch('worker', id, { run_as: IDS.worker })).status).toBe(200)
  expect((await patch('admin', id, { run_as: IDS.moscow })).status).toBe(200)
  expect((await read(id)).run_as).toBe(IDS.moscow)
  const created = await stage.send('worker', 'POST /rest/v1/table/sys_webhook', {
    body: { name: 'For another', url: 'https://example.com', run_as: IDS.admin },
  })
  expect(ofBody(created)).toEqual(denied('run_as'))
})

test('what another user’s webhook sends is widened only by taking it over (issue 8, A9)', async () => {
  const [company] = (await stage.run(
    sql`select sys_id::text as id from docket.sys_db_table where name = 'company'`,
  )) as readonly { id: string }[]
  const id = await makeHook('admin', { tables: [company?.id] })
  const before = await read(id)
  expect(ofBody(await patch('worker', id, { tables: null }))).toEqual(denied('tables'))
  expect(ofBody(await patch('worker', id, { tables: { clear: true } }))).toEqual(denied('tables'))
  expect(ofBody(await patch('worker', id, { operations: ['update'] }))).toEqual(denied('operations'))
  expect(ofBody(await patch('worker', id, { active: true }))).toEqual(denied('active'))
  expect(await read(id)).toEqual(before)
  expect((await patch('worker', id, { name: 'Harmless', active: false, tables: [company?.id] })).status).toBe(200)
  expect((await patch('worker', id, { tables: null, run_as: IDS.worker })).status).toBe(200)
  expect(await read(id)).toMatchObject({ tables: null, run_as: IDS.worker })
})

test('a key with a subset of roles gives a webhook no rights that it has not itself (issue 8, A9)', async () => {
  const id = await makeHook('admin')
  // The administrator does not have the role itil itself, and the roles of a key are a subset of the roles of its user.
  await stage.run(sql`insert into docket.sys_user_has_role (user_id, role_id)
    select ${IDS.admin}::bigint, sys_id from docket.sys_role where name = 'itil'`)
  const made = await stage.docket.request('POST', '/v1/auth/keys', {
    as: stage.callerOf('admin'),
    body: { name: 'narrow', life: '12h', roles: ['itil'] },
  })
  const key = (made.body as { data: { auth_key: string }[] }).data[0]?.auth_key ?? ''
  const send = (line: string, body: object) => stage.docket.request(...split(line), { as: { apiKey: key }, body })
  const wanted = { status: 403, code: 'ACCESS_DENIED', field: undefined }
  const seen = ({ status, body }: { readonly status: number; readonly body: unknown }) => {
    const [error] = (body as { errors: { code: string; field: string }[] }).errors
    return { status, code: error?.code, field: error?.field }
  }
  const create = await send('POST /rest/v1/table/sys_webhook', { name: 'Narrow', url: 'https://example.com' })
  expect(seen(create)).toEqual(wanted)
  const path = `PATCH /rest/v1/table/sys_webhook/${id}`
  expect(seen(await send(path, { url: 'https://example.com/other' }))).toEqual(wanted)
  expect(seen(await send(path, { run_as: IDS.worker }))).toEqual({ ...wanted, field: 'run_as' })
  expect(seen(await send(path, { active: true }))).toEqual({ ...wanted, field: 'active' })
  expect((await send(path, { name: 'By the key' })).status).toBe(200)
})
const split = (line: string): [string, string] => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]

test('the payload of a delivery is readable for the user whose rights it was made with (issue 8, A9)', async () => {
  await stage.run(sql`insert into docket.sys_webhook_delivery (webhook, position, event_id, table_id, record_id, payload, run_as, state)
    select w.sys_id, 1, 'e', w.sys_db_table_id, '1', '{"secret": 1}', ${IDS.admin}::bigint, 'delivered' from docket.sys_webhook w limit 1`)
  const fields = async (as: Who) => {
    const line = 'GET /rest/v1/table/sys_webhook_delivery?sysparm_query=event_id=e&sysparm_fields=event_id,payload'
    return ((await stage.send(as, line)).body as { data: unknown }).data
  }
  expect(await fields('worker')).toEqual([{ event_id: 'e' }])
  expect(await fields('admin')).toEqual([{ event_id: 'e', payload: { secret: 1 } }])
})

describe('law (issue 8, A9):', () => {
  const writers = ['worker', 'moscow', 'admin'] as const
  const write = fc.record(
    {
      name: fc.constantFrom('a', 'b'),
      url: fc.constantFrom('https://one.example', 'https://two.example'),
      run_as: fc.constantFrom<string | null>(IDS.worker, IDS.moscow, IDS.admin, null),
      tables: fc.constantFrom<readonly string[] | null>(['155931135900000083'], null),
      active: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  const step = fc.record({ as: fc.constantFrom(...writers), body: write })

  test('after any writes a webhook runs as who set its address last, or who claimed it, or whom a security administrator named', async () => {
    const [task] = (await stage.run(
      sql`select sys_id::text as id from docket.sys_db_table where name = 'task'`,
    )) as readonly { id: string }[]
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const id = await makeHook('worker', { url: 'https://one.example' })
        let stored = await read(id)
        for (const { as, body: drawn } of steps) {
          const body = { ...drawn, ...(drawn.tables == null ? {} : { tables: [task?.id] }) }
          const response = await patch(as, id, body)
          const after = await read(id)
          const isTrusted = as === 'admin'
          const moves = body.url !== undefined && body.url !== stored.url
          if (response.status === 200) {
            if (!isTrusted) expect([stored.run_as, IDS[as]]).toContain(after.run_as)
            if (moves && !(isTrusted && body.run_as !== undefined)) expect(after.run_as).toBe(IDS[as])
            const widens = after.tables !== stored.tables || (after.active && !stored.active)
            if (widens && !isTrusted) expect(after.run_as).toBe(IDS[as])
          } else {
            expect([response.status, isTrusted]).toEqual([403, false])
            expect(after).toEqual(stored)
          }
          stored = after
        }
        await stage.send('admin', `DELETE /rest/v1/table/sys_webhook/${id}`)
      }),
      { numRuns: 25 },
    )
  })
})
