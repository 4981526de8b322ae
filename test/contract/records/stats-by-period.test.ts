import { sql } from '../../../src/kernel/sql.ts'
import { rule } from './fixture.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const probes = (name: string, parameters: string, response: unknown, more: Partial<Scenario> = {}): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/stats/probe?sysparm_query=titleSTARTSWITHperiod&${parameters}`,
  status: 200,
  response,
  ...more,
})
const by = (unit: string, ...groups: readonly (readonly [start: string | null, count: number])[]): Scenario =>
  probes(
    `by ${unit} in Berlin, across the change to summer time`,
    `sysparm_group_by=c_datetime:${unit}`,
    ok(...groups.map(([start, count]) => ({ group: { [`c_datetime:${unit}`]: start }, count }))),
    { responseHeaders: { 'x-total-count': String(groups.length) } },
  )

const zone = (user: string, name: string) => sql`update docket."user" set time_zone = ${name} where user_name = ${user}`

const setting = [
  zone('worker', 'Europe/Berlin'),
  zone('admin', 'America/Havana'),
  zone('reader', 'Asia/Kolkata'),
  rule({ operation: 'read', table: 'probe', roles: ['user'] }),
  sql`insert into docket.probe (title, c_datetime, c_date) values
    ('period 1', '2025-12-31 22:59:59', '2025-12-31'),
    ('period 2', '2025-12-31 23:00:00', '2026-01-01'),
    ('period 3', '2026-03-29 00:30:00', '2026-03-29'),
    ('period 4', '2026-03-29 01:30:00', '2026-03-30'),
    ('period 5', '2026-03-29 21:59:59', '2026-04-05'),
    ('period 6', '2026-03-29 22:00:00', '2026-04-06'),
    ('period 7', null, null),
    ('midnight 1', '2026-03-08 04:59:59', null),
    ('midnight 2', '2026-03-08 05:00:00', null),
    ('midnight 3', '2026-11-01 03:59:59', null),
    ('midnight 4', '2026-11-01 04:30:00', null),
    ('midnight 5', '2026-11-01 05:30:00', null),
    ('midnight 6', '2026-11-02 04:59:59', null)`,
]

describeScenarios(
  'GET /rest/v1/stats/{table} groups dates by period in the time zone of the caller',
  [
    by(
      'hour',
      ['2025-12-31 22:00:00', 1],
      ['2025-12-31 23:00:00', 1],
      ['2026-03-29 00:00:00', 1],
      ['2026-03-29 01:00:00', 1],
      ['2026-03-29 21:00:00', 1],
      ['2026-03-29 22:00:00', 1],
      [null, 1],
    ),
    // March 29 begins at 23:00 UTC of the day before, March 30 at 22:00: the clock changes.
    by(
      'day',
      ['2025-12-30 23:00:00', 1],
      ['2025-12-31 23:00:00', 1],
      ['2026-03-28 23:00:00', 3],
      ['2026-03-29 22:00:00', 1],
      [null, 1],
    ),
    // Weeks begin on Monday: the week of the new year has days of both years.
    by('week', ['2025-12-28 23:00:00', 2], ['2026-03-22 23:00:00', 3], ['2026-03-29 22:00:00', 1], [null, 1]),
    by('month', ['2025-11-30 23:00:00', 1], ['2025-12-31 23:00:00', 1], ['2026-02-28 23:00:00', 4], [null, 1]),
    by('quarter', ['2025-09-30 22:00:00', 1], ['2025-12-31 23:00:00', 5], [null, 1]),
    by('year', ['2024-12-31 23:00:00', 1], ['2025-12-31 23:00:00', 5], [null, 1]),
    probes(
      'another zone has other days',
      'sysparm_group_by=c_datetime:day',
      ok(
        { group: { 'c_datetime:day': '2025-12-31 18:30:00' }, count: 2 },
        { group: { 'c_datetime:day': '2026-03-28 18:30:00' }, count: 2 },
        { group: { 'c_datetime:day': '2026-03-29 18:30:00' }, count: 2 },
        { group: { 'c_datetime:day': null }, count: 1 },
      ),
      { as: 'reader' },
    ),
    probes(
      'hours are those of the clock, half an hour beside UTC too',
      'sysparm_group_by=c_datetime:hour&sysparm_order_by=-c_datetime:hour&sysparm_limit=2&sysparm_display_value=all',
      ok(
        {
          group: { 'c_datetime:hour': { value: '2026-03-29 21:30:00', display_value: '2026-03-30 03:00:00' } },
          count: 2,
        },
        {
          group: { 'c_datetime:hour': { value: '2026-03-29 01:30:00', display_value: '2026-03-29 07:00:00' } },
          count: 1,
        },
      ),
      { as: 'reader' },
    ),
    probes(
      'the display value is the start as the clocks of the caller show it',
      'sysparm_group_by=c_datetime:week&sysparm_display_value=1&sysparm_min_fields=c_datetime&sysparm_having=count>2',
      ok({ group: { 'c_datetime:week': '2026-03-23 00:00:00' }, count: 3, min: { c_datetime: '2026-03-29 01:30:00' } }),
    ),
    probes(
      'a date without a time has the start of the period in any zone',
      'sysparm_group_by=c_date:week',
      ok(
        { group: { 'c_date:week': '2025-12-29' }, count: 2 },
        { group: { 'c_date:week': '2026-03-23' }, count: 1 },
        { group: { 'c_date:week': '2026-03-30' }, count: 2 },
        { group: { 'c_date:week': '2026-04-06' }, count: 1 },
        { group: { 'c_date:week': null }, count: 1 },
      ),
    ),
    probes(
      'periods, their parts and other fields make groups together, in the order of any',
      'sysparm_group_by=c_date:quarter,c_datetime:year,c_date&sysparm_order_by=-c_date:quarter,-c_date&sysparm_having=max(c_date)>2026-04-01',
      ok(
        {
          group: { 'c_date:quarter': '2026-04-01', 'c_datetime:year': '2025-12-31 23:00:00', c_date: '2026-04-06' },
          count: 1,
        },
        {
          group: { 'c_date:quarter': '2026-04-01', 'c_datetime:year': '2025-12-31 23:00:00', c_date: '2026-04-05' },
          count: 1,
        },
      ),
    ),
    {
      ...probes('the start finds the records of the period and of later ones', '', ok({ group: {}, count: 4 })),
      send: 'GET /rest/v1/stats/probe?sysparm_query=titleSTARTSWITHperiod^c_datetime>=2026-03-22%2023:00:00',
    },
    {
      ...probes(
        'a day whose midnight is skipped begins at one, a day with two midnights at the first',
        '',
        ok(
          { group: { 'c_datetime:day': '2026-03-07 05:00:00' }, count: 1 },
          { group: { 'c_datetime:day': '2026-03-08 05:00:00' }, count: 1 },
          { group: { 'c_datetime:day': '2026-10-31 04:00:00' }, count: 1 },
          { group: { 'c_datetime:day': '2026-11-01 04:00:00' }, count: 3 },
        ),
      ),
      as: 'admin',
      send: 'GET /rest/v1/stats/probe?sysparm_query=titleSTARTSWITHmidnight&sysparm_group_by=c_datetime:day',
    },
    {
      ...probes(
        'an hour that the clocks show twice is two hours',
        '',
        ok(
          { group: { 'c_datetime:hour': '2026-11-01 04:00:00', 'c_datetime:month': '2026-11-01 04:00:00' }, count: 1 },
          { group: { 'c_datetime:hour': '2026-11-01 05:00:00', 'c_datetime:month': '2026-11-01 04:00:00' }, count: 1 },
          { group: { 'c_datetime:hour': '2026-11-02 04:00:00', 'c_datetime:month': '2026-11-01 04:00:00' }, count: 1 },
        ),
      ),
      as: 'admin',
      send: 'GET /rest/v1/stats/probe?sysparm_query=titleSTARTSWITHmidnight^c_datetime>2026-11-01%2004:00:00&sysparm_group_by=c_datetime:hour,c_datetime:month',
    },
    {
      ...probes(
        'a path leads to a date too',
        '',
        ok({ group: { 'assigned_user.company.sys_created_at:year': '2025-12-31 23:00:00' }, count: 3 }),
      ),
      send: 'GET /rest/v1/stats/task?sysparm_query=assigned_userISNOTEMPTY&sysparm_group_by=assigned_user.company.sys_created_at:year',
    },
    ...(
      [
        [
          'another unit',
          'c_datetime:fortnight',
          'fields, dates also with one of the units hour, day, week, month, quarter, year, such as opened_at:week',
          'поля, у дат можно указать период (hour, day, week, month, quarter, year), например opened_at:week',
        ],
        [
          'no unit after the colon',
          'c_datetime:',
          'fields, dates also with one of the units hour, day, week, month, quarter, year, such as opened_at:week',
          'поля, у дат можно указать период (hour, day, week, month, quarter, year), например opened_at:week',
        ],
        [
          'a unit of a number',
          'c_integer:day',
          'fields with a date where a unit is given; c_integer is of type integer',
          'поля с датой, если указан период; c_integer имеет тип integer',
        ],
        [
          'hours of a date without a time',
          'c_date:hour',
          'dates with one of the units day, week, month, quarter, year; c_date has no hours',
          'даты с одним из периодов day, week, month, quarter, year; в c_date нет часов',
        ],
      ] as const
    ).flatMap(([name, field, english, russian]): readonly Scenario[] => {
      const member = { field: 'sysparm_group_by' }
      const send = `sysparm_group_by=${field}`
      const message = `The parameter sysparm_group_by must be ${english}; found ${field}.`
      const inRussian = `Неверное значение параметра sysparm_group_by. Ожидается: ${russian}. Получено: ${field}.`
      return [
        probes(`${name} is rejected`, send, errorBody('BAD_PARAMETER', message, member), { status: 400 }),
        probes(`${name} is rejected in Russian`, send, errorBody('BAD_PARAMETER', inRussian, member), {
          status: 400,
          as: 'moscow',
        }),
      ]
    }),
  ],
  setting,
)
