import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeApiKey } from '../../../src/identity/api-keys.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { nowMs, type Stage, setStage } from '../records/fixture.ts'
import { failed, id, servedIds } from './expected.ts'

let clockMs = nowMs
let stage: Stage
beforeAll(async () => {
  stage = await setStage([servedIds], { clock: { nowMs: () => clockMs } })
})
afterAll(() => stage.close())

test('a key that has expired is 401 like one that never was (issue 15, section 2)', async () => {
  const { database } = stage.docket
  const clock = { nowMs: () => clockMs }
  const made = await makeApiKey(
    { database, clock },
    { userId: '201', name: 'x', expiresAtMs: nowMs + 60_000, roles: null },
    '201',
  )
  if (!made.ok) throw new Error(JSON.stringify(made.error))
  const list = async () => {
    const headers = { 'x-sn-apikey': made.value.key }
    const response = await stage.send(
      null,
      'GET /api/now/table/task?sysparm_query=number=INC0000001&sysparm_fields=number',
      { headers },
    )
    return { status: response.status, body: response.body, challenge: response.headers['www-authenticate'] }
  }
  expect(await list()).toEqual({ status: 200, body: { result: [{ number: 'INC0000001' }] }, challenge: undefined })
  clockMs += 3_600_000
  expect(await list()).toEqual({
    status: 401,
    body: failed('User Not Authenticated', 'Required to provide Auth information'),
    challenge: 'Basic realm="Service-now"',
  })
  clockMs = nowMs
})

const LOSS =
  'Nothing was changed, because this would be lost: 1 values of probe.extra. To lose it, send the request again with sysparm_confirm=probe.extra.'

test('a change of the dictionary that would lose data is 403 and says what would be lost (issue 15, section 2)', async () => {
  const made = await stage.send('admin', 'POST /rest/v1/table/sys_db_column?sysparm_fields=sys_id', {
    body: {
      table_id: { find: { name: 'probe' } },
      column_name: 'extra',
      title: 'Extra',
      column_type_id: { find: { name: 'string' } },
    },
  })
  const [column] = (made.body as { readonly data: readonly { readonly sys_id: string }[] }).data
  await stage.run(sql`update docket.probe set extra = 'kept' where sys_id = 2001`)
  const sysId = id(BigInt(column?.sys_id ?? 0))
  const { status, body } = await stage.send('admin', `DELETE /api/now/table/sys_dictionary/${sysId}`)
  expect({ status, body }).toEqual({ status: 403, body: failed('Operation Failed', LOSS) })
  expect(await stage.run(sql`select extra from docket.probe where sys_id = 2001`)).toEqual([{ extra: 'kept' }])
})

test('a view that is none is ignored and named (issue 15, section 6)', async () => {
  const whole = await stage.send('worker', `GET /api/now/table/task/${id(1001)}`)
  const viewed = await stage.send('worker', `GET /api/now/table/task/${id(1001)}?sysparm_view=none`)
  expect({ status: viewed.status, body: viewed.body }).toEqual({ status: 200, body: whole.body })
  expect(viewed.headers['x-ignored-parameters']).toBe('sysparm_view')
})

test('the whole response to a batch (issue 15, section 9)', async () => {
  const url = '/api/now/table/task?sysparm_query=number=INC0000001&sysparm_fields=number'
  const part = { id: 'a', method: 'GET', url, exclude_response_headers: true }
  const { status, body } = await stage.send('worker', 'POST /api/now/v1/batch', {
    body: { batch_request_id: 7, rest_requests: [part, { ...part, id: 'b', exclude_response_headers: false }] },
  })
  const served = {
    id: 'a',
    status_code: 200,
    status_text: 'OK',
    headers: [],
    body: Buffer.from(JSON.stringify({ result: [{ number: 'INC0000001' }] })).toString('base64'),
    error_message: null,
    redirect_url: null,
    execution_time: expect.any(Number),
  }
  const headers = expect.arrayContaining([
    { name: 'content-type', value: 'application/json;charset=UTF-8' },
    { name: 'x-is-logged-in', value: 'true' },
    { name: 'x-total-count', value: '1' },
  ])
  const both = [served, { ...served, id: 'b', headers }]
  expect({ status, body }).toEqual({
    status: 200,
    body: { batch_request_id: '7', serviced_requests: both, unserviced_requests: [] },
  })
})
