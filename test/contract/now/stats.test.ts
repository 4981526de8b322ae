import { sql } from '../../../src/kernel/sql.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'

const PREFIX = 'c0ffee0123456789'
const id = (sysId: number): string => PREFIX + sysId.toString(16).padStart(16, '0')

const failed = (message: string, detail: string | null): unknown => ({
  error: { message, detail },
  status: 'failure',
  request_id: 'ID',
})
const NO_AGGREGATE = failed('No request parameter for aggregate operation specified', null)

const stats = (name: string, parameters: string, result: unknown, more: Partial<Scenario> = {}): Scenario => ({
  name,
  as: 'worker',
  send: `GET /api/now/stats/task?${parameters}`,
  status: 200,
  response: { result },
  responseHeaders: { 'content-type': 'application/json;charset=UTF-8', 'x-is-logged-in': 'true' },
  ...more,
})
const group = (count: string, ...fields: readonly object[]) => ({ stats: { count }, groupby_fields: fields })
const wrong = (name: string, parameters: string, response: unknown, status = 400): Scenario => ({
  name,
  as: 'worker',
  send: `GET /api/now/stats/task?${parameters}`,
  status,
  response,
})

const INCIDENTS = 'sysparm_query=sys_class_name=incident'

describeScenarios(
  'GET /api/now/stats/{table} counts and sums (issue 15, section 9)',
  [
    stats('without groups the result is one object', 'sysparm_count=true', { stats: { count: '8' } }),
    ...['v1', 'v2'].map((version) =>
      stats(
        `under ${version} the result is the same`,
        '',
        { stats: { count: '4' } },
        {
          send: `GET /api/now/${version}/stats/task?sysparm_count=TRUE&sysparm_query=sys_class_name=incident^active=true`,
        },
      ),
    ),
    stats('nothing counts as nothing', 'sysparm_count=1&sysparm_query=state=99', { stats: { count: '0' } }),
    stats('columns are conditions', 'sysparm_count=true&priority=2&sys_class_name=incident', { stats: { count: '2' } }),
    stats(
      'rows that the caller may not read do not count',
      'sysparm_count=true',
      { stats: { count: '2' } },
      { as: 'reader' },
    ),
    stats(
      'aggregates without a count',
      `sysparm_min_fields=opened_at&sysparm_max_fields=opened_at,sys_created_on&${INCIDENTS}`,
      {
        stats: {
          min: { opened_at: '2025-12-31 23:30:00' },
          max: { opened_at: '2026-02-04 08:00:00', sys_created_on: '2026-02-04 08:00:00' },
        },
      },
    ),
    stats(
      'sums are texts, and means have four digits behind the point',
      'sysparm_sum_fields=c_integer,c_decimal&sysparm_avg_fields=c_integer&sysparm_count=true',
      { stats: { count: '3', sum: { c_integer: '9', c_decimal: '4.50' }, avg: { c_integer: '3.0000' } } },
      {
        as: 'admin',
        send: 'GET /api/now/stats/probe?sysparm_count=true&sysparm_sum_fields=c_integer,c_decimal&sysparm_avg_fields=c_integer',
      },
    ),
    stats(
      'of no rows a sum is empty',
      '',
      { stats: { sum: { c_integer: '' }, avg: { c_integer: '' } } },
      {
        as: 'admin',
        send: 'GET /api/now/stats/probe?sysparm_sum_fields=c_integer&sysparm_avg_fields=c_integer&title=none',
      },
    ),
    stats('groups are an array, ordered by their fields', `sysparm_count=true&sysparm_group_by=state&${INCIDENTS}`, [
      group('1', { field: 'state', value: '1' }),
      group('3', { field: 'state', value: '2' }),
      group('1', { field: 'state', value: '7' }),
    ]),
    stats('no group is an empty array', 'sysparm_count=true&sysparm_group_by=state&sysparm_query=state=99', []),
    stats(
      'a path makes a group, an empty one too',
      'sysparm_count=true&sysparm_group_by=caller_id.company&sysparm_order_by=COUNT^DESC',
      [
        group('5', { field: 'caller_id.company', value: id(301) }),
        group('3', { field: 'caller_id.company', value: '' }),
      ],
    ),
    stats(
      'the class and who made a record make groups',
      'sysparm_count=true&sysparm_group_by=sys_class_name,sys_created_by',
      [
        group('1', { field: 'sys_class_name', value: 'change_request' }, { field: 'sys_created_by', value: 'worker' }),
        group('5', { field: 'sys_class_name', value: 'incident' }, { field: 'sys_created_by', value: 'worker' }),
        group('1', { field: 'sys_class_name', value: 'problem' }, { field: 'sys_created_by', value: 'worker' }),
        group('1', { field: 'sys_class_name', value: 'task' }, { field: 'sys_created_by', value: 'worker' }),
      ],
    ),
    stats(
      'display values stand in the place of values',
      `sysparm_count=true&sysparm_display_value=true&sysparm_group_by=state,company,sys_class_name&sysparm_query=active=false`,
      [
        group(
          '1',
          { field: 'state', display_value: 'Closed' },
          { field: 'company', display_value: 'Acme' },
          { field: 'sys_class_name', display_value: 'Incidents' },
        ),
      ],
    ),
    stats(
      'or beside them',
      `sysparm_count=true&sysparm_display_value=all&sysparm_group_by=state,company&sysparm_query=active=false&sysparm_max_fields=opened_at`,
      [
        {
          stats: { count: '1', max: { opened_at: '2025-12-31 23:30:00' } },
          groupby_fields: [
            { field: 'state', display_value: 'Closed', value: '7' },
            { field: 'company', display_value: 'Acme', value: id(301) },
          ],
        },
      ],
    ),
    stats(
      'groups are kept by what they hold',
      `sysparm_count=true&sysparm_group_by=state&sysparm_having=count^state^>^1&${INCIDENTS}`,
      [group('3', { field: 'state', value: '2' })],
    ),
    stats(
      'by several conditions, and by aggregates',
      `sysparm_count=true&sysparm_group_by=state&sysparm_having=count^state^<^2,max^opened_at^<=^2026-02-03 08:00:00&${INCIDENTS}`.replaceAll(
        ' ',
        '%20',
      ),
      [group('1', { field: 'state', value: '7' })],
    ),
    stats(
      'orders are counts, aggregates and fields, downwards or not',
      `sysparm_count=true&sysparm_group_by=state&sysparm_order_by=COUNT^DESC,state^DESC&${INCIDENTS}`,
      [
        group('3', { field: 'state', value: '2' }),
        group('1', { field: 'state', value: '7' }),
        group('1', { field: 'state', value: '1' }),
      ],
    ),
    stats(
      'an order by an aggregate that is not displayed',
      `sysparm_count=true&sysparm_group_by=state&sysparm_order_by=MAX^opened_at&${INCIDENTS}`,
      [
        group('1', { field: 'state', value: '7' }),
        group('3', { field: 'state', value: '2' }),
        group('1', { field: 'state', value: '1' }),
      ],
    ),
    stats(
      'orders of the query count if they are groups; others are named, and so are unknown names',
      `sysparm_count=true&sysparm_group_by=active&${INCIDENTS}^nope=1^ORDERBYDESCactive^ORDERBYnumber&sysparm_nope=1&other=2`,
      [group('4', { field: 'active', value: 'true' }), group('1', { field: 'active', value: 'false' })],
      {
        responseHeaders: {
          'x-ignored-conditions': 'nope;position=24, number;position=49',
          'x-ignored-parameters': 'sysparm_nope, other',
        },
      },
    ),
    wrong('no aggregate is requested', INCIDENTS, NO_AGGREGATE),
    wrong('groups alone are no aggregate', 'sysparm_group_by=state&sysparm_count=false', NO_AGGREGATE),
    wrong(
      'a column that is not there',
      'sysparm_sum_fields=nope',
      failed(
        'Invalid value',
        'The parameter sysparm_sum_fields must be a list of columns of task (there is no column nope in task); found nope.',
      ),
    ),
    wrong(
      'a condition on groups that cannot be read',
      'sysparm_count=true&sysparm_having=count>3',
      failed(
        'Invalid value',
        'The parameter sysparm_having must be aggregate^field^operator^value, such as count^state^>^3; found count>3.',
      ),
    ),
    wrong(
      'an order that cannot be read',
      'sysparm_count=true&sysparm_order_by=AVG^a^b',
      failed(
        'Invalid value',
        'The parameter sysparm_order_by must be a field or aggregate^field, then ^DESC or nothing, such as AVG^priority^DESC; found AVG^a^b.',
      ),
    ),
    wrong(
      'a count that is no flag',
      'sysparm_count=many',
      failed('Invalid value', 'The parameter sysparm_count must be 0, 1, true or false; found many.'),
    ),
    {
      name: 'a table that is not there',
      as: 'worker',
      send: 'GET /api/now/stats/itsm_incident?sysparm_count=true',
      status: 400,
      response: failed('Invalid table itsm_incident', null),
    },
    {
      name: 'a table that the caller may not read',
      as: 'nobody',
      send: 'GET /api/now/stats/task?sysparm_count=true',
      status: 403,
      response: failed('Insufficient rights to query records', 'task'),
    },
    {
      name: 'nobody',
      as: null,
      send: 'GET /api/now/stats/task?sysparm_count=true',
      status: 401,
      response: failed('User Not Authenticated', 'Required to provide Auth information'),
    },
  ],
  [
    sql`update docket_system.served_id set prefix = ${PREFIX}`,
    sql`delete from docket.probe`,
    sql`insert into docket.probe (sys_id, title, c_integer, c_decimal) values (1, 'a', 2, 1.5), (2, 'b', 3, 3), (3, 'c', 4, null)`,
  ],
)

const states = (name: string, condition: string, groups: readonly object[], clamped: string | undefined): Scenario =>
  stats(name, `sysparm_count=true&sysparm_group_by=state&${INCIDENTS}${condition}`, groups, {
    responseHeaders: { 'x-limit-clamped': clamped },
  })
const [first, second] = [group('1', { field: 'state', value: '1' }), group('3', { field: 'state', value: '2' })]

describeScenarios(
  'more groups than the property rest.limit.max are cut, and a header says so',
  [
    states('three groups, of which two are given', '', [first, second], '2'),
    states('two groups', '^active=true', [first, second], undefined),
  ],
  [sql`update docket.sys_property set value = '2' where name = 'rest.limit.max'`],
)
