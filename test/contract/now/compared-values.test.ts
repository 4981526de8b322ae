import { sql } from '../../../src/kernel/sql.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { failed, id, result, servedIds } from './expected.ts'

/** The record 2004 is empty like 2003, but for its title. */
const stage = [servedIds, sql`insert into docket.probe (sys_id, title) values (2004, 'Null')`]
const FIELDS = 'sysparm_fields=sys_id'
const rows = (digits: string): unknown => result(...[...digits].map((digit) => ({ sys_id: id(2000 + Number(digit)) })))
const found = (name: string, parameters: string, digits: string): Scenario => ({
  name,
  as: 'worker',
  send: `GET /api/now/table/probe?${parameters}&${FIELDS}`,
  status: 200,
  response: rows(digits),
})
/** A condition in a query, by the last digits of the records that it finds. */
const query = (text: string, digits: string): Scenario =>
  found(text, `sysparm_query=${encodeURIComponent(`${text}^ORDERBYsys_id`)}`, digits)
/** The same as a parameter of its own. */
const parameter = (name: string, value: string, digits: string): Scenario =>
  found(`?${name}=${value}`, `${name}=${encodeURIComponent(value)}&sysparm_query=ORDERBYsys_id`, digits)

const rejected = (name: string, parameters: string, message: string, detail: string): Scenario => ({
  name,
  as: 'worker',
  send: `GET /api/now/table/probe?${parameters}&${FIELDS}`,
  status: 400,
  response: failed(message, detail),
})

/** Columns, with the records where they are empty and those where they are not. */
const EMPTY: Readonly<Record<string, readonly [empty: string, filled: string]>> = {
  ...Object.fromEntries(
    ['boolean', 'integer', 'smallinteger', 'biginteger', 'decimal', 'float', 'percent', 'datetime', 'date', 'time']
      .concat(['duration', 'days', 'choice', 'reference'])
      .map((type) => [`c_${type}`, ['34', '12']]),
  ),
  c_users: ['234', '1'],
  c_document: ['234', '1'],
  'c_reference.company': ['34', '12'],
  'c_reference.active': ['34', '12'],
}
const nullWords = Object.entries(EMPTY).flatMap(([column, [empty, filled]]) => [
  ...['NULL', 'null', 'Null'].flatMap((word) => [
    query(`${column}=${word}`, empty),
    query(`${column}!=${word}`, filled),
  ]),
  parameter(column, 'null', empty),
])
const nullTexts = [
  query('title=null', '4'),
  query('title=NULL', '4'),
  parameter('title', 'null', '4'),
  query('sys_class_name=NULL', ''),
  query('sys_tags=null', '1234'),
  query('sys_domain!=NULL', '1234'),
]

/** `?name=`, which is `name=` in a query. */
const emptyParameters = [
  ...Object.entries(EMPTY).map(([column, [empty]]) => parameter(column, '', empty)),
  found('the empty query of a condition builder', 'sysparm_query=%5EEQ', '1234'),
]

const starts = [
  query(`sys_idSTARTSWITH${id(2002)}`, '2'),
  query(`sys_idSTARTSWITH${id(2002).slice(0, 31).toUpperCase()}`, '1234'),
  query(`sys_idSTARTSWITH${id(2002).slice(0, 16)}`, '1234'),
  query(`sys_idSTARTSWITH${id(2002).slice(0, 1)}`, '1234'),
  query(`sys_idSTARTSWITH${id(2002)}0`, ''),
  query('sys_idSTARTSWITHz', ''),
  query(`sys_idNOTSTARTSWITH${id(2002)}`, '134'),
  query(`sys_idNOTSTARTSWITH${id(2002).slice(0, 1)}`, ''),
  query('sys_idNOTSTARTSWITHz', '1234'),
]

const durations = [
  query('c_duration>1970-01-01 01:00:00', '1'),
  query('c_duration=1970-01-01 01:05:00', '1'),
  query('c_duration!=1970-01-01 01:05:00^c_duration!=NULL', '2'),
  query('c_duration<=1970-01-01 00:00:45', '2'),
  query('c_durationBETWEEN1970-01-01 00:00:45@1970-01-01 01:05:00', '12'),
  query('c_durationIN1970-01-01 00:00:45,3900000', '12'),
  query('c_duration>3600000', '1'),
  query("c_duration>javascript:gs.getDurationDate('0 1:0:0')", '1'),
  query("c_duration>=javascript:gs.getDurationDate('0 1:05:00')", '1'),
  query("c_duration<javascript:gs.getDurationDate('0 0:1:0')", '2'),
  query("c_durationBETWEENjavascript:gs.getDurationDate('0 0:0:45')@javascript:gs.getDurationDate('1 0:0:0')", '12'),
  parameter('c_duration', '1970-01-01 01:05:00', '1'),
  ...['^>^1970-01-01 01:00:00', "^>^javascript:gs.getDurationDate('0 1:0:0')", '^=^3900000'].map(
    (having): Scenario => ({
      name: `groups by their sum: ${having}`,
      as: 'worker',
      send: `GET /api/now/stats/probe?sysparm_count=true&sysparm_group_by=title&sysparm_having=${encodeURIComponent(`sum^c_duration${having}`)}`,
      status: 200,
      response: { result: [{ stats: { count: '1' }, groupby_fields: [{ field: 'title', value: 'first' }] }] },
    }),
  ),
  rejected(
    'a duration that cannot be read',
    `sysparm_query=${encodeURIComponent("c_duration>javascript:gs.getDurationDate('an hour')")}`,
    'Invalid query',
    `The query cannot be read at position 0: Expected one of the helpers that docs/operators.md lists, such as javascript:gs.daysAgo(7) or javascript:gs.getUserID(), found "javascript:gs.getDurationDate('an hour')". Code is never run.`,
  ),
  rejected(
    'a duration beside a date',
    `sysparm_query=${encodeURIComponent("c_datetime>javascript:gs.getDurationDate('0 1:0:0')")}`,
    'Invalid query',
    `The query cannot be read at position 0: Expected one of the helpers that docs/operators.md lists, such as javascript:gs.daysAgo(7) or javascript:gs.getUserID(), found "javascript:gs.getDurationDate('0 1:0:0')". Code is never run.`,
  ),
]

const numbers = [
  query('c_biginteger=9,007,199,254,740,993', '1'),
  query('c_biginteger>1,000', '1'),
  query('c_decimal=1,234.50', '1'),
  query('c_decimal=1\u00a0234.50', '1'),
  query('c_integer=1,500', ''),
  query('c_integerIN5,10', '12'),
  parameter('c_biginteger', '9,007,199,254,740,993', '1'),
  parameter('c_decimal', '1,234.5', '1'),
  parameter('c_integer', '1,500', ''),
]

const parameters = [
  rejected(
    'a parameter that is no number',
    'c_integer=1,50',
    'Invalid query',
    'The parameter c_integer cannot be read: Expected a whole number, found "1,50".',
  ),
  rejected(
    'a parameter that is neither true nor false',
    'c_boolean=perhaps',
    'Invalid query',
    'The parameter c_boolean cannot be read: Expected true or false, found "perhaps".',
  ),
  {
    ...rejected(
      'a parameter of aggregates',
      '',
      'Invalid query',
      'The parameter c_integer cannot be read: Expected a whole number, found "many".',
    ),
    send: 'GET /api/now/stats/probe?sysparm_count=true&c_integer=many',
  },
  {
    ...rejected(
      'a parameter, in Russian',
      '',
      'Invalid query',
      'Ошибка в параметре c_integer: ожидается: целое число; получено: "many".',
    ),
    as: 'moscow',
    send: 'GET /api/now/table/probe?c_integer=many',
  } as const,
]

describeScenarios('NULL in any case is empty where no value is called so (issue 15, section 7)', nullWords, stage)
describeScenarios('NULL beside texts, names and constants (issue 15, section 7)', nullTexts, stage)
describeScenarios('a parameter without a value is an empty column, and ^EQ is no condition', emptyParameters, stage)
describeScenarios('sys_ids are found by how they begin', starts, stage)
describeScenarios('durations are compared as they are read (issue 15, section 7)', durations, stage)
describeScenarios('numbers are compared with and without groups of thousands (issue 15, section 7)', numbers, stage)
describeScenarios('errors of parameters name the parameter (issue 15, section 6)', parameters, stage)
