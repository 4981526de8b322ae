import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
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
  const response = await stage.send(as, 'GET /rest/v1/history/probe/2001')
  const { data } = response.body as { data: [{ changes: Record<string, unknown>[] }] }
  return Object.fromEntries(
    data[0].changes.map((each) => [each['column'], [each['old_display_value'], each['new_display_value']]]),
  )
}

test('history has display values of booleans, moments and durations (issue 8, B13)', async () => {
  expect(await displays('worker')).toEqual({
    c_boolean: ['Yes', 'No'],
    c_date: ['2026-02-28', '2026-03-01'],
    c_datetime: ['2026-03-01 22:30:00', '2026-03-02 21:30:00'],
    c_duration: ['1 h 5 m', '0 s'],
    c_percent: ['45%', '50%'],
    title: ['first', 'other'],
  })
  expect(await displays('moscow')).toEqual({
    c_boolean: ['Да', 'Нет'],
    c_date: ['2026-02-28', '2026-03-01'],
    c_datetime: ['2026-03-02 01:30:00', '2026-03-03 00:30:00'],
    c_duration: ['1 ч 5 мин', '0 с'],
    c_percent: ['45%', '50%'],
    title: ['first', 'other'],
  })
})

const values: readonly Readonly<Record<string, unknown>>[] = [
  {
    c_integer: 1_234_567,
    c_smallinteger: -3,
    c_biginteger: '9007199254740993',
    c_decimal: '-1234567.50',
    c_float: 12_345.678,
    c_percent: 45,
    c_boolean: true,
    c_text: 'Ёлка',
    c_url: 'https://example.com/a',
    c_color: '#ff0000',
    c_wysiwyg: '<p>Hi</p>',
    c_datetime: '2026-03-01 22:30:00',
    c_date: '2026-02-28',
    c_time: '09:05:00',
    c_duration: '3900000',
    c_days: 31,
    c_choice: '2',
    c_reference: '201',
    c_list: ['b', 'a'],
    c_users: '201,202',
    c_document: 'Wanda Worker',
    c_json: { a: [1, null, 'x"y', { b: 1.5 }], bb: 12_345_678_901_234 },
  },
  {
    c_integer: 0,
    c_decimal: '0.05',
    c_float: 1e15,
    c_days: 0,
    c_duration: '0',
    c_boolean: false,
    c_json: [1, 'a', { c: {} }, []],
    c_list: ['one'],
  },
  { c_float: -1.5e-5, c_decimal: '-999.10', c_json: 'text', c_days: 96, c_datetime: '2026-07-01 00:00:00' },
  { c_float: 0.0001, c_decimal: '1000.00', c_json: 1.5, c_days: 127, c_biginteger: '-12' },
  { c_float: 123_456_789_012_345, c_json: true },
]

test('the display value in the history is the one that a read gives, of every type', async () => {
  const [{ id: users } = { id: '' }] = (await stage.run(
    sql`select lpad(to_hex(sys_id), 16, '0') as id from docket.sys_db_table where name = 'user'`,
  )) as { id: string }[]
  for (const given of values) {
    const body = { ...given, ...('c_document' in given ? { c_document: `${users}00000000000000c9` } : {}) }
    const made = await stage.send('worker', 'POST /rest/v1/table/probe', { body })
    const id = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id
    for (const who of ['worker', 'moscow'] as const) {
      const read = await stage.send(who, `GET /rest/v1/table/probe/${id}?sysparm_display_value=all`)
      const [record = {}] = (read.body as { data: Record<string, { display_value: string | null }>[] }).data
      const history = await stage.send(who, `GET /rest/v1/history/probe/${id}`)
      const { data } = history.body as { data: [{ changes: Record<string, unknown>[] }] }
      const displayed = Object.fromEntries(
        data[0].changes.map(({ column, new_display_value }) => [column, new_display_value]),
      )
      expect(displayed).toEqual(
        Object.fromEntries(Object.keys(given).map((name) => [name, record[name]?.display_value])),
      )
      expect(Object.values(displayed)).not.toContain(null)
    }
  }
})
