import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from '../records/fixture.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { failed, id, result, servedIds } from './expected.ts'

const rows = (...numbers: readonly string[]): unknown => result(...numbers.map((number) => ({ number })))
const list = (
  name: string,
  query: string,
  response: unknown,
  responseHeaders: Scenario['responseHeaders'] = {},
): Scenario => ({
  name: `${name} (issue 15, sections 6 and 7)`,
  as: 'worker',
  send: `GET /api/now/table/task?${query}&sysparm_fields=number`,
  status: 200,
  response,
  responseHeaders,
})
const ALL = [
  'INC0000001',
  'INC0000002',
  'INC0000003',
  'INC0000004',
  'INC0000005',
  'TSK0000006',
  'CHG0000007',
  'PRB0000008',
]
const query = (text: string): string => `sysparm_query=${encodeURIComponent(text)}`
const linkTo = (offset: number, limit: number, rel: string): string =>
  `<BASE/api/now/table/task?sysparm_fields=number&sysparm_limit=${limit}&sysparm_offset=${offset}>;rel="${rel}"`

const pages: readonly Scenario[] = [
  list('the first page has no previous one', 'sysparm_limit=3', rows(...ALL.slice(0, 3)), {
    'x-total-count': '8',
    'x-limit-clamped': undefined,
    link: [linkTo(0, 3, 'first'), linkTo(3, 3, 'next'), linkTo(6, 3, 'last')].join(','),
  }),
  list('the last page has no next one', 'sysparm_limit=3&sysparm_offset=6', rows(...ALL.slice(6)), {
    'x-total-count': '8',
    link: [linkTo(0, 3, 'first'), linkTo(3, 3, 'prev'), linkTo(6, 3, 'last')].join(','),
  }),
  list('behind the last page there is nothing', 'sysparm_limit=3&sysparm_offset=30', rows(), {
    'x-total-count': '8',
    link: [linkTo(0, 3, 'first'), linkTo(27, 3, 'prev'), linkTo(5, 3, 'last')].join(','),
  }),
  list(
    'an empty value is not given',
    'sysparm_limit=&sysparm_offset=&sysparm_query=&sysparm_display_value=&sysparm_no_count=',
    rows(...ALL),
    {
      'x-total-count': '8',
      'x-ignored-parameters': undefined,
    },
  ),
  list('a limit above the maximum is that, and the response says so', 'sysparm_limit=100000', rows(...ALL), {
    'x-limit-clamped': '10000',
    link: [linkTo(0, 10_000, 'first'), linkTo(0, 10_000, 'last')].join(','),
  }),
  ...['TRUE', 'true', '1'].map((flag) =>
    list(
      `without the total and links: ${flag}`,
      `sysparm_no_count=${flag}&sysparm_suppress_pagination_header=${flag}&sysparm_limit=1`,
      rows('INC0000001'),
      {
        'x-total-count': undefined,
        link: undefined,
      },
    ),
  ),
  ...['FALSE', 'false', '0'].map((flag) =>
    list(
      `with both: ${flag}`,
      `sysparm_no_count=${flag}&sysparm_suppress_pagination_header=${flag}&sysparm_limit=10`,
      rows(...ALL),
      {
        'x-total-count': '8',
        link: [linkTo(0, 10, 'first'), linkTo(0, 10, 'last')]
          .join(',')
          .replaceAll('?', `?sysparm_no_count=${flag}&sysparm_suppress_pagination_header=${flag}&`),
      },
    ),
  ),
  list(
    'parameters without effect are not named as ignored',
    'sysparm_limit=1&sysparm_query_category=list&sysparm_query_no_domain=true&sysparm_cache=true&sysparm_auto_generate_number=true',
    rows('INC0000001'),
    { 'x-ignored-parameters': undefined },
  ),
  list('beside fields a view does not count', 'sysparm_limit=1&sysparm_view=none', rows('INC0000001'), {
    'x-ignored-fields': undefined,
  }),
  {
    name: 'HEAD has the headers of GET (issue 15, section 2)',
    as: 'worker',
    send: 'HEAD /api/now/table/task?sysparm_limit=3&sysparm_fields=number',
    status: 200,
    response: '',
    responseHeaders: {
      'x-total-count': '8',
      'content-type': 'application/json;charset=UTF-8',
      'content-length': String(JSON.stringify(rows(...ALL.slice(0, 3))).length),
      link: [linkTo(0, 3, 'first'), linkTo(3, 3, 'next'), linkTo(6, 3, 'last')].join(','),
    },
  },
]

/** Queries, and the numbers of the tasks that they find, by their last digit. */
const queries: readonly (readonly [text: string, found: string])[] = [
  ['short_descriptionCONTAINSmail', '4'],
  ['short_description*mail', '4'],
  ['short_descriptionDOES NOT CONTAINa', '235'],
  ['short_description!*a', '235'],
  ['short_description%slow', '4'],
  ['state=2^EQ', '123'],
  ['state=2^sys_class_name=incident^EQ^NQnumber=TSK0000006^EQ', '1236'],
  ['^state=2^sys_class_name=incident', '123'],
  ['^^state=2^sys_class_name=incident', '123'],
  ['assigned_to=NULL^active=true^sys_class_name=incident', '34'],
  ['assigned_to!=NULL', '125'],
  ['assigned_toISNULL^sys_class_name=incident', '34'],
  ['sla_due=NULL^number=INC0000001', '1'],
  ['ORDERBYDESCnumber^sys_class_name=incident', '54321'],
  ['sys_class_name=incident^ORDERBYpriority^ORDERBYDESCnumber', '13245'],
  ['sys_class_name=incident^GROUPBYassigned_to^ORDERBYnumber', '12534'],
  ['JOINtask.caller_id=sys_user.sys_id!user_name=reader', '12'],
  ['JOINtask.caller_id=sys_user.sys_id!name=Rita Reader^ORDERBYDESCnumber', '21'],
  ['assigned_toDYNAMIC90d1921e5f510100a9ad2572f2b477fe', '12'],
  ['assigned_to=javascript:gs.getUserID()', '12'],
  ['assignment_groupDYNAMICd6435e965f510100a9ad2572f2b477fe', '1'],
  ['company=javascript:gs.getUser().getCompanyID()', '135'],
  ['state=2^state=2^sys_class_name=incident', '123'],
]
const byQuery = queries.map(([text, found]) =>
  list(text, query(text), rows(...[...found].map((digit) => ALL[Number(digit) - 1] ?? ''))),
)
const users: readonly Scenario[] = (
  [
    ['RLQUERYtask.caller_id,>=2^sys_class_name=incident^ENDRLQUERY', ['reader', 'nobody']],
    ['RLQUERYtask.caller_id,=0^ENDRLQUERY^user_nameINworker,reader,moscow', ['worker', 'moscow']],
    ['RLQUERYtask.assigned_to,<2,m2m^active=true^ENDRLQUERY^user_nameINworker,moscow', ['moscow']],
    ['RLQUERYtask.caller_id,=0^ENDRLQUERY^JOINsys_user.sys_id=task.assigned_to!active=false', ['moscow']],
  ] as const
).map(([text, names]) => ({
  name: `${text} (issue 15, section 7)`,
  as: 'worker',
  send: `GET /api/now/table/sys_user?${query(`${text}^ORDERBYsys_id`)}&sysparm_fields=user_name`,
  status: 200,
  response: result(...names.map((user_name) => ({ user_name }))),
}))

const writes: readonly Scenario[] = [
  {
    name: 'labels, display values and times of the zone of the caller (issue 15, section 6)',
    as: 'moscow',
    send: 'POST /api/now/table/change_request?sysparm_input_display_value=true&sysparm_exclude_reference_link=true&sysparm_fields=state,assigned_to,start_date,risk',
    body: { short_description: 'x', assigned_to: 'Wanda Worker', start_date: '2026-05-01 12:00:00' },
    status: 201,
    response: { result: { state: '-5', assigned_to: id(201), start_date: '2026-05-01 09:00:00', risk: '3' } },
    writes: true,
  },
  {
    name: 'without it, times are UTC (issue 15, section 6)',
    as: 'moscow',
    send: `PATCH /api/now/table/change_request/${id(1007)}?sysparm_fields=start_date`,
    body: { start_date: '2026-05-01 12:00:00' },
    status: 200,
    response: { result: { start_date: '2026-05-01 12:00:00' } },
    writes: true,
  },
  {
    name: 'numbers, booleans and objects with a value are values (issue 15, section 8)',
    as: 'worker',
    send: `PUT /api/now/table/incident/${id(1002)}?sysparm_fields=priority,active,urgency,reassignment_count`,
    body: {
      priority: 3,
      attention_required: true,
      urgency: { value: '2', display_value: 'x' },
      reassignment_count: '4',
    },
    status: 200,
    response: { result: { priority: '3', active: 'true', urgency: '2', reassignment_count: '4' } },
    writes: true,
  },
  {
    name: 'entries of journals are written, both together only read (issue 15, section 8)',
    as: 'worker',
    send: `PATCH /api/now/table/incident/${id(1002)}?sysparm_fields=number,work_notes`,
    body: { work_notes: 'a', comments: 'b', comments_and_work_notes: 'c' },
    status: 200,
    response: { result: { number: 'INC0000002', work_notes: '' } },
    responseHeaders: { 'x-ignored-fields': 'comments_and_work_notes' },
    writes: true,
  },
  {
    name: 'those two are entries (issue 15, section 8)',
    as: 'admin',
    send: `GET /api/now/table/sys_journal_field?element_id=${id(1002)}&sysparm_query=ORDERBYelement&sysparm_fields=name,element,value`,
    status: 200,
    response: result(
      { name: 'incident', element: 'comments', value: 'b' },
      { name: 'incident', element: 'work_notes', value: 'a' },
    ),
  },
]

describeScenarios('pages and parameters of lists', pages, [servedIds])
/** Who may read all properties may compare with one. */
const byProperty: Scenario = {
  ...list(
    'a property',
    query("company.name=javascript:gs.getProperty('desk.company')"),
    rows('INC0000001', 'INC0000003', 'INC0000005'),
  ),
  as: 'admin',
}
describeScenarios(
  'queries of ServiceNow clients',
  [...byQuery, ...users, byProperty],
  [
    servedIds,
    sql`update docket.task set assignment_group = 401 where sys_id = 1001`,
    sql`insert into docket.sys_property (name, value) values ('desk.company', 'Acme')`,
  ],
)
describeScenarios('values of bodies', writes, [servedIds])

describe('creates with an Idempotency-Key (issue 15, section 8)', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage([servedIds])
  })
  afterAll(() => stage.close())

  test('are done once; the key with another body is 400', async () => {
    const create = (subject: string) =>
      stage.send('worker', 'POST /api/now/table/incident?sysparm_fields=number', {
        body: { short_description: subject },
        headers: { 'idempotency-key': 'key 1' },
      })
    const first = await create('once')
    const address = first.headers['location']
    expect([first.status, first.body, address]).toEqual([
      201,
      { result: { number: 'INC0001001' } },
      expect.stringMatching(new RegExp(`^${stage.docket.baseUrl}/api/now/table/incident/[0-9a-f]{32}$`)),
    ])
    const again = await create('once')
    expect([again.status, again.body, again.headers['location']]).toEqual([201, first.body, address])
    const other = await create('another')
    expect([other.status, other.body]).toEqual([
      400,
      failed(
        'Invalid value',
        'The value of Idempotency-Key is rejected: another request had this key; each needs its own.',
      ),
    ])
    expect(await stage.run(sql`select count(*)::integer as made from docket.task where subject = 'once'`)).toEqual([
      { made: 1 },
    ])
  })
})
