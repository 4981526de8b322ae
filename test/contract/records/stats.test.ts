import { sql } from '../../../src/kernel/sql.ts'
import { rule } from './fixture.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const stats = (name: string, parameters: string, response: unknown, more: Partial<Scenario> = {}): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/stats/task?${parameters}`,
  status: 200,
  response,
  ...more,
})

describeScenarios(
  'GET /rest/v1/stats/{table} counts and sums (docs/spec/records.md, section 9)',
  [
    stats('without a group all records are one', 'sysparm_query=', ok({ group: {}, count: 8 }), {
      responseHeaders: { 'x-total-count': '1' },
    }),
    stats(
      'the query says which records count',
      'sysparm_query=sys_db_table_idINSTANCEOFitsm_incident^active=true',
      ok({ group: {}, count: 4 }),
    ),
    stats('nothing is counted as nothing', 'sysparm_query=state=99', ok({ group: {}, count: 0 })),
    stats(
      'groups are told by their fields and ordered by them',
      'sysparm_group_by=state&sysparm_query=sys_db_table_idINSTANCEOFitsm_incident',
      ok(
        { group: { state: '0' }, count: 1 },
        { group: { state: '1' }, count: 1 },
        { group: { state: '2' }, count: 2 },
        { group: { state: '10' }, count: 1 },
      ),
      { responseHeaders: { 'x-total-count': '4' } },
    ),
    stats(
      'a walk makes a group, with a link as in records, and an empty one too',
      'sysparm_group_by=caller.company&sysparm_order_by=-count&sysparm_exclude_reference_link=0',
      ok(
        { group: { 'caller.company': { value: '301', link: 'BASE/rest/v1/table/company/301' } }, count: 5 },
        { group: { 'caller.company': null }, count: 3 },
      ),
    ),
    stats(
      'display values stand in the reader’s language',
      'sysparm_group_by=state,company&sysparm_display_value=1&sysparm_exclude_reference_link=1&sysparm_query=active=false',
      ok({ group: { state: 'Closed', company: 'Acme' }, count: 1 }),
    ),
    stats(
      'both forms side by side',
      'sysparm_group_by=active&sysparm_display_value=all&sysparm_having=count<2',
      ok({ group: { active: { value: false, display_value: 'No' } }, count: 1 }),
    ),
    stats(
      'the least and the greatest date',
      'sysparm_min_fields=opened_at&sysparm_max_fields=opened_at&sysparm_query=sys_db_table_idINSTANCEOFitsm_incident',
      ok({ group: {}, count: 5, min: { opened_at: '2025-12-31 23:30:00' }, max: { opened_at: '2026-02-04 08:00:00' } }),
    ),
    stats(
      'groups are kept by what they hold',
      'sysparm_group_by=assigned_user&sysparm_having=count>=2^max(opened_at)>2026-02-01%2000:00:00&sysparm_order_by=max(opened_at)&sysparm_exclude_reference_link=1',
      ok({ group: { assigned_user: '201' }, count: 2 }, { group: { assigned_user: null }, count: 5 }),
    ),
    stats(
      'a page of groups',
      'sysparm_group_by=number&sysparm_limit=3&sysparm_page=2',
      ok(
        { group: { number: 'INC0000003' }, count: 1 },
        { group: { number: 'INC0000004' }, count: 1 },
        { group: { number: 'INC0000005' }, count: 1 },
      ),
      {
        responseHeaders: {
          'x-total-count': '8',
          link:
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=3&sysparm_page=1>; rel="first", ' +
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=3&sysparm_page=1>; rel="prev", ' +
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=3&sysparm_page=3>; rel="next", ' +
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=3&sysparm_page=3>; rel="last"',
        },
      },
    ),
    stats(
      'a page past the end is empty and has the total',
      'sysparm_group_by=number&sysparm_limit=3&sysparm_page=4&sysparm_order_by=-number',
      ok(),
      {
        responseHeaders: {
          'x-total-count': '8',
          link:
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=3&sysparm_order_by=-number&sysparm_page=1>; rel="first", ' +
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=3&sysparm_order_by=-number&sysparm_page=3>; rel="prev", ' +
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=3&sysparm_order_by=-number&sysparm_page=3>; rel="last"',
        },
      },
    ),
    stats('so has an offset past it', 'sysparm_group_by=state&sysparm_having=count>99&sysparm_offset=50', ok(), {
      responseHeaders: { 'x-total-count': '0' },
    }),
    stats('no group has a total, too', 'sysparm_group_by=state&sysparm_query=state=99', ok(), {
      responseHeaders: { 'x-total-count': '0' },
    }),
    stats(
      'the page that ends with the last group has no next one',
      'sysparm_group_by=number&sysparm_limit=4&sysparm_offset=4',
      ok(
        ...['INC0000004', 'INC0000005', 'PRB0000008', 'TSK0000006'].map((number) => ({ group: { number }, count: 1 })),
      ),
      {
        responseHeaders: {
          'x-total-count': '8',
          link:
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=4&sysparm_offset=0>; rel="first", ' +
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=4&sysparm_offset=0>; rel="prev", ' +
            '<BASE/rest/v1/stats/task?sysparm_group_by=number&sysparm_limit=4&sysparm_offset=4>; rel="last"',
        },
      },
    ),
    stats(
      'parameters of lists alone are named: they have no effect',
      'sysparm_query=state=99&sysparm_cursor=*&sysparm_page=1&sysparm_fields=number&sysparm_count=exact&sysparm_max_text=5' +
        '&sysparm_wysiwyg=json&sysparm_rights=1&sysparm_view=nope&sysparm_no_count=&other=1&sysparm_display_value=0',
      ok({ group: {}, count: 0 }),
      {
        responseHeaders: {
          'x-ignored-parameters':
            'sysparm_cursor, sysparm_fields, sysparm_count, sysparm_max_text, sysparm_wysiwyg, sysparm_rights, sysparm_view, other',
        },
      },
    ),
    stats(
      'those of aggregates are not named',
      'sysparm_query=sys_db_table_idINSTANCEOFitsm_incident&sysparm_group_by=state&sysparm_having=count>1&sysparm_order_by=-count' +
        '&sysparm_sum_fields=&sysparm_avg_fields=&sysparm_min_fields=opened_at&sysparm_max_fields=opened_at' +
        '&sysparm_display_value=0&sysparm_exclude_reference_link=1&sysparm_limit=5&sysparm_offset=0',
      ok({
        group: { state: '2' },
        count: 2,
        min: { opened_at: '2026-02-01 08:00:00' },
        max: { opened_at: '2026-02-02 08:00:00' },
      }),
      { responseHeaders: { 'x-ignored-parameters': undefined } },
    ),
    {
      name: 'numbers of every type are summed and averaged exactly',
      as: 'admin',
      send:
        'GET /rest/v1/stats/probe?sysparm_query=titleSTARTSWITHstat&sysparm_sum_fields=c_integer,c_biginteger,c_decimal,c_float,c_percent' +
        '&sysparm_avg_fields=c_integer,c_decimal,c_float&sysparm_min_fields=c_decimal&sysparm_max_fields=c_biginteger',
      status: 200,
      response: ok({
        group: {},
        count: 3,
        sum: {
          c_integer: 4_294_967_294,
          c_biginteger: '18014398509481986',
          c_decimal: '0.30',
          c_float: 0.6,
          c_percent: 30,
        },
        avg: { c_integer: 2_147_483_647, c_decimal: '0.15', c_float: 0.2 },
        min: { c_decimal: '0.10' },
        max: { c_biginteger: '9007199254740993' },
      }),
    },
    {
      name: 'sums and means of every type are shown as people read them, durations of any length too',
      as: 'admin',
      send:
        'GET /rest/v1/stats/probe?sysparm_query=titleSTARTSWITHstat&sysparm_display_value=1' +
        '&sysparm_sum_fields=c_integer,c_biginteger,c_decimal,c_float,c_percent,c_duration' +
        '&sysparm_avg_fields=c_integer,c_biginteger,c_decimal,c_float,c_percent,c_duration&sysparm_min_fields=c_duration',
      status: 200,
      response: ok({
        group: {},
        count: 3,
        sum: {
          c_integer: '4294967294',
          c_biginteger: '18014398509481986',
          c_decimal: '0.30',
          c_float: '0.6',
          c_percent: '30',
          c_duration: '213503982334 d 14 h 27 m',
        },
        avg: {
          c_integer: '2147483647',
          c_biginteger: '9007199254740993',
          c_decimal: '0.15',
          c_float: '0.2',
          c_percent: '15',
          c_duration: '71167994111 d 12 h 49 m',
        },
        min: { c_duration: '1 m' },
      }),
    },
    {
      name: 'sums and means of durations are exact',
      as: 'admin',
      send: 'GET /rest/v1/stats/probe?sysparm_query=titleSTARTSWITHstat&sysparm_sum_fields=c_duration&sysparm_avg_fields=c_duration',
      status: 200,
      response: ok({
        group: {},
        count: 3,
        sum: { c_duration: '18446744073709641614' },
        avg: { c_duration: '6148914691236547205' },
      }),
    },
    {
      name: 'a mean is compared as it is displayed',
      as: 'admin',
      send: 'GET /rest/v1/stats/probe?sysparm_query=titleSTARTSWITHthird&sysparm_avg_fields=c_decimal&sysparm_having=avg(c_decimal)=0.33',
      status: 200,
      response: ok({ group: {}, count: 3, avg: { c_decimal: '0.33' } }),
    },
    {
      name: 'what a reader may not read is neither counted nor told',
      as: 'reader',
      send: 'GET /rest/v1/stats/task?sysparm_group_by=state',
      status: 200,
      response: ok({ group: { state: '2' }, count: 2 }),
    },
    {
      name: 'a table without a right to read is rejected',
      as: 'nobody',
      send: 'GET /rest/v1/stats/task',
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to read the records of the table task.'),
    },
    ...(
      [
        [
          'an unknown group field',
          'sysparm_group_by=stat',
          'sysparm_group_by',
          'The parameter sysparm_group_by must be a list of columns of task (there is no column stat in task; did you mean state?); found stat.',
        ],
        [
          'a sum of texts',
          'sysparm_sum_fields=subject',
          'sysparm_sum_fields',
          'The parameter sysparm_sum_fields must be fields of the types biginteger, decimal, duration, float, integer, percent_complete, smallinteger; it is of type string; found subject.',
        ],
        [
          'an order by what is no group',
          'sysparm_order_by=state',
          'sysparm_order_by',
          'The parameter sysparm_order_by must be fields of sysparm_group_by, count, sum(field), avg(field), min(field), max(field); found state.',
        ],
        [
          'a comparison that is none',
          'sysparm_having=count~1',
          'sysparm_having',
          'The parameter sysparm_having must be count, sum(field), avg(field), min(field) or max(field), a comparison and a value, such as count>10; found count~1.',
        ],
        [
          'a value that is no number',
          'sysparm_having=count>many',
          'sysparm_having',
          'The parameter sysparm_having must be a value that fits (Expected a decimal number, found "many".); found many.',
        ],
      ] as const
    ).map(
      ([name, parameters, field, message]): Scenario =>
        stats(`${name} is rejected and named`, parameters, errorBody('BAD_PARAMETER', message, { field }), {
          status: 400,
        }),
    ),
    stats(
      'an order in the query belongs elsewhere',
      'sysparm_query=active=true^ORDERBYstate',
      errorBody(
        'BAD_QUERY',
        'The query cannot be read at position 12: Groups take their order from sysparm_order_by.',
        {
          position: 12,
        },
      ),
      { status: 400 },
    ),
    {
      name: 'a table that is not there',
      as: 'worker',
      send: 'GET /rest/v1/stats/nothing',
      status: 404,
      response: errorBody('TABLE_NOT_FOUND', 'There is no table nothing.'),
    },
  ],
  [
    sql`insert into docket.probe (title, c_integer, c_biginteger, c_decimal, c_float, c_percent, c_duration)
    values ('stat 1', 2147483647, 9007199254740993, 0.1, 0.1, 10, 9223372036854775807),
           ('stat 2', 2147483647, 9007199254740993, 0.2, 0.2, 20, 9223372036854775807),
           ('stat 3', null, null, null, 0.3, null, 90000)`,
    sql`insert into docket.probe (title, c_decimal) values ('third 1', 0.33), ('third 2', 0.33), ('third 3', 0.34)`,
  ],
)

describeScenarios(
  'a sum beyond the range of its column',
  [
    stats(
      'is rejected by name',
      'sysparm_sum_fields=c_float',
      errorBody('INVALID_VALUE', 'The value of sum is rejected: the number is out of the range of its column.', {
        field: 'sum',
      }),
      { send: 'GET /rest/v1/stats/probe?sysparm_sum_fields=c_float', status: 422 },
    ),
  ],
  [sql`update docket.probe set c_float = 1e308`],
)

describeScenarios(
  'columns that are closed, or open on some rows only',
  [
    stats(
      'a closed column makes no group',
      'sysparm_group_by=priority',
      errorBody(
        'ACCESS_DENIED',
        'You have no access to read the column priority of the table task, which the fields name.',
        { field: 'priority' },
      ),
      { status: 403 },
    ),
    stats(
      'where a column is hidden, its value counts as none',
      'sysparm_group_by=state&sysparm_query=sys_db_table_idINSTANCEOFitsm_incident&sysparm_max_fields=opened_at',
      ok(
        { group: { state: '2' }, count: 2, max: { opened_at: '2026-02-02 08:00:00' } },
        { group: { state: null }, count: 3, max: { opened_at: '2026-02-04 08:00:00' } },
      ),
    ),
  ],
  [
    rule({ operation: 'read', table: 'task', column: 'priority', roles: ['security_admin'] }),
    rule({ operation: 'read', table: 'task', column: 'state', condition: 'assigned_userDYNAMICme' }),
  ],
)
