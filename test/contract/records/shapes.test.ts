import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from './fixture.ts'
import { describeScenarios, ok, type Scenario } from './scenarios.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([sql`update docket.probe set c_document = null where sys_id = 2001`])
})
afterAll(() => stage.close())

interface Shape {
  readonly value: unknown
  /** The display value; absent: the value as a text. */
  readonly display?: string | null
  /** The value with `sysparm_display_value=1`, if it is not the display value. */
  readonly alone?: unknown
  readonly link?: string
}

const same = (value: string): Shape => ({ value, display: value })
const empty: Shape = { value: null, display: null }
const user = (value: string, display: string): Shape => ({ value, display, link: `BASE/rest/v1/table/user/${value}` })
const wanda = user('201', 'Wanda Worker')

/** A value of every shape: docs/spec/records.md, section 4. */
const record: Readonly<Record<string, Shape>> = {
  sys_id: same('2001'),
  sys_created_at: same('2026-03-02 10:00:00'),
  sys_created_by: wanda,
  sys_updated_at: same('2026-03-02 10:00:00'),
  sys_updated_by: wanda,
  sys_db_table_id: { value: 'probe', display: 'Probes' },
  title: same('first'),
  c_integer: { value: 5, display: '5' },
  c_smallinteger: { value: -3, display: '-3' },
  c_biginteger: same('9007199254740993'),
  c_decimal: { value: '1234.50', display: '1,234.50' },
  c_float: { value: 0.25, display: '0.25' },
  c_percent: { value: 45, display: '45%' },
  c_boolean: { value: true, display: 'Yes', alone: true },
  c_text: same('Ёлка и принтер'),
  c_url: same('https://example.com/a'),
  c_email: same('a@example.com'),
  c_color: same('#ff0000'),
  c_html: same('<b>x</b>'),
  c_translated: same('Hello'),
  c_wysiwyg: same('<p>Hi</p>'),
  c_datetime: same('2026-03-01 22:30:00'),
  c_date: same('2026-02-28'),
  c_time: same('09:05:00'),
  c_duration: { value: '3900000', display: '1 h 5 m' },
  c_days: { value: 31, display: 'Monday, Tuesday, Wednesday, Thursday, Friday' },
  c_choice: { value: '2', display: 'Two' },
  c_reference: wanda,
  c_list: { value: ['b', 'a'], display: 'b, a' },
  c_users: { value: '201,202', display: 'Wanda Worker, Rita Reader' },
  c_document: empty,
  c_json: { value: { a: [1, null] }, display: '{"a": [1, null]}' },
  c_journal: empty,
}

type Mode = (shape: Shape) => unknown
const MODES: Readonly<Record<string, { readonly links: Mode; readonly plain: Mode }>> = {
  '0': {
    links: ({ value, link }) => (link === undefined ? value : { value, link }),
    plain: ({ value }) => value,
  },
  '1': {
    links: ({ value, display, alone, link }) =>
      link === undefined ? (alone ?? display) : { display_value: display, value, link },
    plain: ({ display, alone }) => alone ?? display,
  },
  all: {
    links: ({ value, display, link }) => ({ value, display_value: display, ...(link === undefined ? {} : { link }) }),
    plain: ({ value, display }) => ({ value, display_value: display }),
  },
}

describe('every shape in every display mode (issue 10, 1)', () => {
  const cases = Object.entries(MODES).flatMap(([mode, { links, plain }]) => [
    { mode, exclude: 0, displayed: links },
    { mode, exclude: 1, displayed: plain },
  ])
  test.each(cases)('sysparm_display_value=$mode, sysparm_exclude_reference_link=$exclude', async (each) => {
    const parameters = `sysparm_display_value=${each.mode}&sysparm_exclude_reference_link=${each.exclude}`
    const body = ok(Object.fromEntries(Object.entries(record).map(([name, shape]) => [name, each.displayed(shape)])))
    const one = await stage.send('worker', `GET /rest/v1/table/probe/2001?${parameters}`)
    expect({ status: one.status, body: one.body }).toEqual({ status: 200, body })
    const many = await stage.send('worker', `GET /rest/v1/table/probe?sysparm_query=sys_id=2001&${parameters}`)
    expect({ status: many.status, body: many.body }).toEqual({ status: 200, body })
  })
})

const get = (name: string, query: string, ...data: readonly unknown[]): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/table/probe?${query}`,
  status: 200,
  response: ok(...data),
})

describeScenarios('a list without members is an empty column (issue 10, 1)', [
  get(
    'stored either way it reads as null',
    'sysparm_query=sys_idIN2002,2003&sysparm_fields=c_users',
    { c_users: null },
    { c_users: null },
  ),
  get('= nothing finds both', 'sysparm_query=c_users=&sysparm_fields=sys_id', { sys_id: '2002' }, { sys_id: '2003' }),
  get('!= nothing finds the others', 'sysparm_query=c_users!=&sysparm_fields=sys_id', { sys_id: '2001' }),
  {
    name: 'sys_db_table_id is walked through',
    as: 'admin',
    send: 'GET /rest/v1/table/probe?sysparm_query=sys_db_table_id.name=probe^sys_id=2001&sysparm_fields=sys_db_table_id,sys_db_table_id.name',
    status: 200,
    response: ok({ sys_db_table_id: 'probe', 'sys_db_table_id.name': 'probe' }),
  },
])

describeScenarios(
  'history and the log of deletions give what a read gives (issue 10, 1)',
  [
    {
      name: 'a list of references is written',
      as: 'worker',
      send: 'PUT /rest/v1/table/probe/2001?sysparm_fields=c_users,c_list',
      body: { c_users: ['202'], c_list: ['x', 'y'] },
      status: 200,
      response: ok({ c_users: '202', c_list: ['x', 'y'] }),
      writes: true,
    },
    {
      name: 'sys_history has joined ids',
      as: 'admin',
      send: 'GET /rest/v1/table/sys_history?sysparm_query=record_id=2001^ORDERBYcolumn_name&sysparm_fields=column_name,old_value,new_value',
      status: 200,
      response: ok(
        { column_name: 'c_list', old_value: '["b", "a"]', new_value: '["x", "y"]' },
        { column_name: 'c_users', old_value: '201,202', new_value: '202' },
      ),
    },
    {
      name: 'the record is deleted',
      as: 'worker',
      send: 'DELETE /rest/v1/table/probe/2001',
      status: 200,
      response: { status: 'OK', data: { description: 'Records successfully deleted.', count: 1 } },
      writes: true,
    },
    {
      name: 'its values have joined ids',
      as: 'admin',
      send: 'GET /rest/v1/table/sys_record_deletion_log?sysparm_query=record_id=2001&sysparm_fields=values',
      status: 200,
      response: ok({
        values: expect.objectContaining({ c_users: '202', c_list: ['x', 'y'], sys_db_table_id: expect.any(String) }),
      }),
    },
  ],
  [sql`update docket.sys_db_table set is_audit = true, record_deletion_logging = true where name = 'probe'`],
)
