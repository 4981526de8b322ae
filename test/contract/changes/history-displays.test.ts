import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, setStage, type Who } from '../records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`update docket.sys_db_table set is_audit = true where name = 'probe'`,
    sql`insert into docket.sys_security_acl (operation, table_name, active) values ('read', 'sys_history', true)`,
  ])
  const body = {
    c_boolean: false,
    c_datetime: '2026-03-02 21:30:00',
    c_duration: '-400',
    c_percent: 50,
    c_date: '2026-03-01',
    title: 'other',
  }
  expect((await stage.send('worker', 'PUT /rest/v1/table/probe/2001', { body })).status).toBe(200)
})
afterAll(() => stage.close())

async function displays(as: Who): Promise<unknown> {
  const answer = await stage.send(as, 'GET /rest/v1/history/probe/2001')
  const { data } = answer.body as { data: [{ changes: Record<string, unknown>[] }] }
  return Object.fromEntries(
    data[0].changes.map((each) => [each['column'], [each['old_display_value'], each['new_display_value']]]),
  )
}

test('history has display values of booleans, moments and durations (issue 8, B13)', async () => {
  expect(await displays('worker')).toEqual({
    c_boolean: ['Yes', 'No'],
    c_date: [null, null],
    c_datetime: [null, null],
    c_duration: ['1 h 5 m', '0 s'],
    c_percent: ['45%', '50%'],
    title: [null, null],
  })
  expect(await displays('moscow')).toEqual({
    c_boolean: ['Да', 'Нет'],
    c_date: [null, null],
    c_datetime: ['2026-03-02 01:30:00', '2026-03-03 00:30:00'],
    c_duration: ['1 ч 5 мин', '0 с'],
    c_percent: ['45%', '50%'],
    title: [null, null],
  })
})
