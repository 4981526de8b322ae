import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from '../records/fixture.ts'

const PREFIX = 'c0ffee0123456789'
const id = (sysId: number): string => PREFIX + sysId.toString(16).padStart(16, '0')

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`update docket_system.served_id set prefix = ${PREFIX}`,
    rule({ operation: 'read', table: 'company', column: 'sys_updated_at', roles: ['admin'] }),
  ])
})
afterAll(() => stage.close())

const call = async (line: string, { as = 'worker' as Who, body }: { as?: Who; body?: unknown } = {}) => {
  const response = await stage.send(as, line, body === undefined ? {} : { body })
  return { status: response.status, body: response.body }
}
const ok = (result: unknown) => ({ status: 200, body: { result } })
const COUNT = 'sysparm_fields=sys_mod_count'

describe('sys_mod_count (issue 15, section 3)', () => {
  test('is 0 after a create, and one more after each update by either API', async () => {
    const made = await call(`POST /api/now/table/incident?sysparm_fields=sys_id,sys_mod_count`, {
      body: { short_description: 'Counted', sys_mod_count: '7' },
    })
    const { sys_id: sysId } = (made.body as { readonly result: { readonly sys_id: string } }).result
    expect(made).toEqual({ status: 201, body: { result: { sys_id: sysId, sys_mod_count: '0' } } })
    const path = `/api/now/table/incident/${sysId}`
    expect(await call(`PATCH ${path}?${COUNT}`, { body: { urgency: '1' } })).toEqual(ok({ sys_mod_count: '1' }))
    expect(await call(`PUT ${path}?${COUNT}`, { body: { work_notes: 'A note', sys_mod_count: '0' } })).toEqual(
      ok({ sys_mod_count: '2' }),
    )
    const own = BigInt(`0x${sysId.slice(16)}`).toString()
    expect(
      await call(`PATCH /rest/v1/table/task/${own}?sysparm_fields=sys_id`, { body: { urgency: '2' } }),
    ).toMatchObject({ status: 200 })
    expect(await call(`GET ${path}?${COUNT}&sysparm_display_value=all`)).toEqual(
      ok({ sys_mod_count: { display_value: '3', value: '3' } }),
    )
  })

  test('counts a change that the server makes', async () => {
    await stage.run(sql`insert into docket.sys_approval (task, approver, state) values (1002, 201, 'requested')`)
    await stage.run(sql`select docket_system.sum_up_approvals(1002, 201)`)
    expect(await call(`GET /api/now/table/task/${id(1002)}?${COUNT},approval`)).toEqual(
      ok({ sys_mod_count: expect.stringMatching(/^[1-9]$/), approval: 'requested' }),
    )
  })

  test('can be compared, put in order, reached by a path and aggregated', async () => {
    for (const [record, updates] of [
      [1004, 2],
      [1005, 1],
    ] as const)
      for (let n = 0; n < updates; n++)
        expect(
          await call(`PATCH /api/now/table/task/${id(record)}?${COUNT}`, { body: { urgency: String(n + 1) } }),
        ).toEqual(ok({ sys_mod_count: String(n + 1) }))
    const numbers = async (query: string): Promise<unknown> => {
      const path = `/api/now/table/task?sysparm_fields=number&sysparm_query=sys_idIN${[1003, 1004, 1005].map(id)}^${query}`
      const { body } = await call(`GET ${path}`)
      return (body as { readonly result: readonly { readonly number: string }[] }).result.map(({ number }) => number)
    }
    expect(await numbers('sys_mod_count=0')).toEqual(['INC0000003'])
    expect(await numbers('sys_mod_count>=1^ORDERBYDESCsys_mod_count')).toEqual(['INC0000004', 'INC0000005'])
    expect(await numbers('sys_mod_countIN0,1^ORDERBYsys_mod_count')).toEqual(['INC0000003', 'INC0000005'])
    expect(await numbers('sys_mod_countISNOTEMPTY^ORDERBYsys_mod_count')).toEqual([
      'INC0000003',
      'INC0000005',
      'INC0000004',
    ])
    expect(
      await call(
        `GET /api/now/table/task/${id(1004)}?sysparm_fields=assigned_to.sys_mod_count,caller_id.sys_mod_count`,
      ),
    ).toMatchObject({ status: 200, body: { result: { 'caller_id.sys_mod_count': expect.stringMatching(/^\d*$/) } } })
    const aggregate = `sysparm_query=sys_idIN${[1003, 1004, 1005].map(id)}&sysparm_max_fields=sys_mod_count&sysparm_sum_fields=sys_mod_count`
    expect(await call(`GET /api/now/stats/task?${aggregate}`)).toEqual(
      ok({ stats: { max: { sys_mod_count: '2' }, sum: { sys_mod_count: '3' } } }),
    )
  })

  test('is for those who may read when the record was updated', async () => {
    const path = `GET /api/now/table/core_company/${id(301)}?sysparm_fields=name,sys_mod_count`
    expect(await call(path, { as: 'admin' })).toEqual(ok({ name: 'Acme', sys_mod_count: '0' }))
    expect(await call(path)).toEqual(ok({ name: 'Acme' }))
    expect(await call(`GET /api/now/table/core_company?sysparm_query=sys_mod_count=0`)).toMatchObject({ status: 403 })
  })

  test('of a log is 0, and the native API does not have it', async () => {
    const logged = await call('GET /api/now/table/sys_audit?sysparm_limit=1&sysparm_fields=sys_mod_count', {
      as: 'admin',
    })
    expect(logged).toEqual(ok([{ sys_mod_count: '0' }]))
    const native = await call('GET /rest/v1/table/task/1004')
    expect(JSON.stringify(native.body)).not.toMatch(/mod_count|update\$/)
  })
})
