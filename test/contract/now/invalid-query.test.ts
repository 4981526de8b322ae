import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from '../records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

const property = (name: string, value: string) =>
  stage.run(sql`insert into docket.sys_property (name, value) values (${name}, ${value})`)
const list = async (query: string) => {
  const { status, body, headers } = await stage.send(
    'worker',
    `GET /api/now/table/incident?${query}&sysparm_fields=number&sysparm_limit=1`,
  )
  return { status, body, ignored: headers['x-ignored-conditions'], total: headers['x-total-count'] }
}
const UNKNOWN = 'sysparm_query=number=INC0000001^nope=1'

test('names that are no columns are left out, find nothing, or are an error, as properties say (issue 15, section 7)', async () => {
  const found = { status: 200, body: { result: [{ number: 'INC0000001' }] }, total: '1' }
  const ignored = 'nope;position=18'
  expect(await list(UNKNOWN)).toEqual({ ...found, ignored })
  await property('glide.invalid_query.returns_no_rows', 'true')
  expect(await list(UNKNOWN)).toEqual({ status: 200, body: { result: [] }, total: '0', ignored })
  const ordered = await list('sysparm_query=number=INC0000001^ORDERBYnope')
  expect([ordered.status, ordered.body]).toEqual([200, { result: [] }])
  expect(await list('sysparm_query=number=INC0000001')).toEqual({ ...found, ignored: undefined })
  // A parameter beside the query is not a part of it.
  expect((await list('number=INC0000001&nope=1')).body).toEqual(found.body)
  await property('docket.invalid_query', 'error')
  expect(await list(UNKNOWN)).toMatchObject({
    status: 400,
    body: {
      error: { message: 'Invalid query', detail: expect.stringContaining('there is no column nope in incident') },
    },
  })
  expect(await list('sysparm_query=number=INC0000001')).toEqual({ ...found, ignored: undefined })
})
