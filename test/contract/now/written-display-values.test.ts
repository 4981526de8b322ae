import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage, type Who } from '../records/fixture.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { failed, id, servedIds } from './expected.ts'

const FLAT = 'sysparm_exclude_reference_link=true'

describe('display values that are read can be written (issue 15, section 6)', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage([
      servedIds,
      sql`update docket.task set followers_list = '{201,202}', time_worked = 4320000, closure_notes = 'x', reassignment_count = 12345,
        due_date = '2026-03-05 22:30:00', state = '4', hold_reason = '4' where sys_id = 1001`,
    ])
  })
  afterAll(() => stage.close())

  test.each([
    ['probe', 2001, 'worker'],
    ['probe', 2001, 'moscow'],
    ['probe', 2002, 'worker'],
    ['probe', 2002, 'moscow'],
    ['incident', 1001, 'worker'],
    ['incident', 1001, 'moscow'],
    ['change_request', 1007, 'moscow'],
    ['task', 1008, 'worker'],
  ] as const)('a record of %s (%s), written back by %s, stays what it is', async (table, sysId, who: Who) => {
    const place = table === 'probe' ? sql`docket.probe` : sql`docket.task`
    const stored = async (): Promise<unknown> =>
      (
        await stage.run(
          sql`select to_jsonb(t) - 'sys_updated_at' - 'sys_updated_by' - 'update$count' as row from ${place} t where sys_id = ${sysId}::bigint`,
        )
      )[0]
    const before = await stored()
    const address = `/api/now/table/${table}/${id(sysId)}`
    const read = await stage.send(who, `GET ${address}?sysparm_display_value=true&${FLAT}`)
    // The display value of a record of any table does not say which table it is.
    const { c_document: _, ...body } = (read.body as { readonly result: Readonly<Record<string, string>> }).result
    const written = await stage.send(who, `PATCH ${address}?sysparm_input_display_value=true&sysparm_fields=sys_id`, {
      body,
    })
    expect({ status: written.status, body: written.body }).toEqual({
      status: 200,
      body: { result: { sys_id: id(sysId) } },
    })
    expect(await stored()).toEqual(before)
  })
})

const duration = (as: 'worker' | 'moscow', text: string, value: string): Scenario => ({
  name: `a duration: ${text}`,
  as,
  send: `PATCH /api/now/table/incident/${id(1002)}?sysparm_input_display_value=true&sysparm_fields=time_worked`,
  body: { time_worked: text },
  status: 200,
  response: { result: { time_worked: value } },
  writes: true,
})
const durations: readonly Scenario[] = [
  duration('worker', '1 Hour 12 Minutes', '1970-01-01 01:12:00'),
  duration('worker', '2 Days 1 Minute', '1970-01-03 00:01:00'),
  duration('worker', '1 day', '1970-01-02 00:00:00'),
  duration('worker', '3 Hours', '1970-01-01 03:00:00'),
  duration('worker', '5 Seconds', '1970-01-01 00:00:05'),
  duration('worker', '-1 Hour 5 Minutes', '1969-12-31 22:55:00'),
  duration('worker', '1 h 5 m', '1970-01-01 01:05:00'),
  duration('moscow', '1 ч 12 мин', '1970-01-01 01:12:00'),
  duration('worker', '1970-01-01 00:30:00', '1970-01-01 00:30:00'),
  {
    ...duration('worker', '5 Minutes 1 Hour', ''),
    status: 400,
    response: failed(
      'Invalid value',
      'The value of time_worked is rejected: a duration such as 2 d 3 h 5 m, or whole milliseconds are expected, found "5 Minutes 1 Hour".',
    ),
    writes: false,
  },
]
describeScenarios('durations as they are displayed (issue 15, section 6)', durations, [servedIds])
