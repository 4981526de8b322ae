import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from './fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

const PROPERTY_QUERY = encodeURIComponent("title!=javascript:gs.getProperty('rest.limit.max')")
const path = (query: string): string => `GET /rest/v1/table/probe?sysparm_fields=sys_id&sysparm_query=${query}`

const errorBody = (name: string) => ({
  status: 400,
  errors: [
    expect.objectContaining({
      code: 'BAD_QUERY',
      field: 'title',
      message: expect.stringContaining(`gs.getProperty('${name}') names no property that you may read`),
    }),
  ],
})

async function send(who: 'worker' | 'admin', query: string): Promise<unknown> {
  const { status, body } = await stage.send(who, path(query))
  const { errors, data } = body as { errors?: unknown; data?: unknown }
  return status === 200 ? { status, data } : { status, errors }
}

test('a property that the caller may not read and one that is absent are rejected in the same words (issue 15)', async () => {
  expect(await send('worker', PROPERTY_QUERY)).toEqual(errorBody('rest.limit.max'))
  const absent = encodeURIComponent("title!=javascript:gs.getProperty('no.such')")
  expect(await send('worker', absent)).toEqual(errorBody('no.such'))
  expect(await send('admin', absent)).toEqual(errorBody('no.such'))
})

test('who may read properties compares with their values, in sets too (issue 15)', async () => {
  await stage.run(sql`insert into docket.sys_property (name, value) values ('our.title', 'FIRST')`)
  const equal = encodeURIComponent("title=javascript:gs.getProperty('our.title')")
  expect(await send('admin', equal)).toEqual({ status: 200, data: [{ sys_id: '2001' }] })
  const among = encodeURIComponent("titleINjavascript:gs.getProperty('our.title')@second")
  expect(await send('admin', among)).toEqual({ status: 200, data: [{ sys_id: '2001' }, { sys_id: '2002' }] })
})

test('a changed company counts in the next request (issue 15)', async () => {
  const query = encodeURIComponent('c_reference.company=javascript:gs.getUser().getCompanyID()')
  const before = await stage.send('worker', path(query))
  expect(before.body).toEqual({ status: 'OK', data: [{ sys_id: '2001' }, { sys_id: '2002' }] })
  await stage.run(sql`update docket."user" set company = null where user_name = 'worker'`)
  expect((await stage.send('worker', path(query))).body).toEqual({ status: 'OK', data: [] })
})
