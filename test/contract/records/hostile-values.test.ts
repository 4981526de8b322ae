import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { PASSWORD, type Stage, setStage } from './fixture.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const invalid = (field: string, detail: string): unknown =>
  errorBody('INVALID_VALUE', `The value of ${field} is rejected: ${detail}.`, { field })
const badQuery = (field: string, detail: string): unknown =>
  errorBody('BAD_QUERY', `The query cannot be read at position 0: ${detail}`, { field, position: 0 })

/** A cursor that is not from a response. */
const forged = (...keys: readonly (string | null)[]): string => Buffer.from(JSON.stringify(keys)).toString('base64url')

const ONE = 'sysparm_fields=sys_id&sysparm_limit=1'

describeScenarios('cursors from no response', [
  ...[
    ['ORDERBYc_json', forged('{"a":"\\u0000"}', '1')],
    ['ORDERBYc_json', forged('['.repeat(20_000) + ']'.repeat(20_000), '1')],
    ['ORDERBYc_integer', forged('99999999999999999999', '1')],
    ['ORDERBYc_datetime', forged('294277-01-01', '1')],
    ['ORDERBYc_boolean', forged('perhaps', '1')],
    ['ORDERBYtitle', forged('x', '99999999999999999999')],
  ].map(
    ([order = '', cursor = '']): Scenario => ({
      name: `${order} after ${cursor.slice(0, 30)} is the caller's error`,
      as: 'worker',
      send: 'POST /rest/v1/table/probe/query',
      body: { sysparm_query: order, sysparm_cursor: cursor },
      status: 400,
      response: errorBody(
        'BAD_PARAMETER',
        'The parameter sysparm_cursor must be a cursor that an earlier response to the same query and order gave; found another.',
        { field: 'sysparm_cursor' },
      ),
    }),
  ),
  {
    name: 'nothing comes after an empty key',
    as: 'worker',
    send: `GET /rest/v1/table/probe?sysparm_query=ORDERBYsys_id&sysparm_cursor=${forged(null)}&${ONE}`,
    status: 200,
    response: ok(),
  },
])

describeScenarios('queries that PostgreSQL could not run', [
  ...['STARTSWITH200', 'ENDSWITH001', 'LIKE001'].map(
    (test): Scenario => ({
      name: `sys_id${test} asks the digits`,
      as: 'worker',
      send: `GET /rest/v1/table/probe?sysparm_query=sys_id${test}&${ONE}`,
      status: 200,
      response: ok({ sys_id: '2001' }),
    }),
  ),
  {
    name: 'sys_idNOT LIKE asks the digits too',
    as: 'worker',
    send: `GET /rest/v1/table/probe?sysparm_query=sys_idNOT%20LIKE2001&${ONE}`,
    status: 200,
    response: ok({ sys_id: '2002' }),
  },
  {
    name: 'an image has no text but its id',
    as: 'worker',
    send: `GET /rest/v1/table/task?sysparm_query=screenshotNOTSTARTSWITH1&sysparm_fields=number&sysparm_limit=1`,
    status: 200,
    response: ok({ number: 'INC0000001' }),
  },
  {
    name: 'JSON with U+0000 is rejected',
    as: 'worker',
    send: 'POST /rest/v1/table/probe/query',
    body: { sysparm_query: 'c_json={"a":"\\u0000"}' },
    status: 400,
    response: badQuery('c_json', 'Expected JSON, found "{"a":"\\u0000"}".'),
  },
  {
    name: 'JSON with half of a surrogate pair is rejected',
    as: 'worker',
    send: 'POST /rest/v1/table/probe/query',
    body: { sysparm_query: 'c_json="\\ud800"' },
    status: 400,
    response: badQuery('c_json', 'Expected JSON, found ""\\ud800"".'),
  },
  {
    name: 'JSON that is nested deeper than a body may be is rejected',
    as: 'worker',
    send: 'POST /rest/v1/table/probe/query',
    body: { sysparm_query: `c_json=${'['.repeat(200)}${']'.repeat(200)}` },
    status: 400,
    response: badQuery('c_json', `Expected JSON, found "${'['.repeat(40)}…".`),
  },
  {
    name: 'JSON that tells of U+0000 in words is found',
    as: 'worker',
    send: 'POST /rest/v1/table/probe/query',
    body: { sysparm_query: 'c_json={"a":"C:\\\\u0000"}' },
    status: 200,
    response: ok(),
  },
  {
    name: 'a search for more words than PostgreSQL takes is rejected',
    as: 'worker',
    send: 'POST /rest/v1/table/task/query',
    body: { sysparm_query: `123TEXTQUERY321=${'a b '.repeat(400)}` },
    status: 400,
    response: errorBody(
      'BAD_QUERY',
      'The query cannot be read at position 0: A search text has at most 1000 characters, found 1600.',
      { field: '', position: 0 },
    ),
  },
  {
    name: 'names of parameters that nobody knows do not make a header that clients reject',
    as: 'worker',
    send: 'POST /rest/v1/table/probe/query',
    body: { ['x'.repeat(100_000)]: '1', sysparm_limit: 1, sysparm_fields: 'sys_id' },
    status: 200,
    response: ok({ sys_id: '2001' }),
    responseHeaders: { 'x-ignored-parameters': 'x'.repeat(40) },
  },
])

/** Different words only: two megabytes of lexemes, although PostgreSQL takes at most one. */
const manyWords = sql`update docket.task set description = 'beginning ' || (select string_agg('word' || n, ' ') from generate_series(1, 150000) n)
  where sys_id = 1004`

describeScenarios(
  'a search beside a text that is too long to be searched whole',
  [
    {
      name: 'finds the others',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=123TEXTQUERY321=printer&sysparm_fields=number',
      status: 200,
      response: ok({ number: 'INC0000001' }),
    },
    {
      name: 'finds it by its beginning',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=descriptionAREbeginning&sysparm_fields=number',
      status: 200,
      response: ok({ number: 'INC0000004' }),
    },
  ],
  [manyWords],
)

const setLimit = (value: string) => sql`update docket.sys_property set value = ${value} where name = 'rest.limit.max'`

describe('the property rest.limit.max', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage()
  })
  afterAll(() => stage.close())

  test.each([
    ['1.5', '1'],
    ['Infinity', undefined],
    ['-3', undefined],
    ['many', undefined],
    ['99999999999999999999', undefined],
  ] as const)('as %s: lists respond all the same', async (value, rows) => {
    await stage.run(setLimit(value))
    const list = await stage.send('worker', 'GET /rest/v1/table/probe?sysparm_fields=sys_id&sysparm_limit=3')
    const three = ok({ sys_id: '2001' }, { sys_id: '2002' }, { sys_id: '2003' })
    expect([list.status, list.body, list.headers['x-limit-clamped']]).toEqual([
      200,
      rows === undefined ? three : ok({ sys_id: '2001' }),
      rows,
    ])
  })
})

const ownFields = (names: string): string => `/rest/v1/table/probe/2001?sysparm_fields=${names}`

describeScenarios('writes that a value would not be let through by', [
  {
    name: 'an increment does not lift a percentage over its end',
    as: 'worker',
    send: `PATCH ${ownFields('c_percent')}`,
    body: { c_percent: { increment: 56 } },
    status: 422,
    response: invalid('c_percent', 'it would be outside of 0 to 100'),
  },
  {
    name: 'up to its end it does',
    as: 'worker',
    send: `PATCH ${ownFields('c_percent')}`,
    body: { c_percent: { increment: 55 } },
    status: 200,
    response: ok({ c_percent: 100 }),
    writes: true,
  },
  {
    name: 'an increment makes no eighth day',
    as: 'worker',
    send: `PATCH ${ownFields('c_days')}`,
    body: { c_days: { increment: 97 } },
    status: 422,
    response: invalid('c_days', 'it would be outside of 0 to 127'),
  },
  {
    name: 'an array is no truth',
    as: 'worker',
    send: `PATCH ${ownFields('c_boolean')}`,
    body: { c_boolean: ['true'] },
    status: 422,
    response: invalid('c_boolean', 'true or false is expected, found ["true"]'),
  },
  {
    name: 'a half of a tag',
    as: 'worker',
    send: `PATCH ${ownFields('c_html,c_wysiwyg')}`,
    body: { c_html: 'a <', c_wysiwyg: 'img src=x onerror=alert(1)>' },
    status: 200,
    response: ok({ c_html: 'a <', c_wysiwyg: 'img src=x onerror=alert(1)>' }),
    writes: true,
  },
  {
    name: 'and its other half make letters, not a tag',
    as: 'worker',
    send: `PATCH ${ownFields('c_html,c_wysiwyg')}`,
    body: { c_html: { append: 'img src=x onerror=alert(1)>' }, c_wysiwyg: { prepend: '<' } },
    status: 200,
    response: ok({ c_html: 'a &lt;img src=x onerror=alert(1)>', c_wysiwyg: '&lt;img src=x onerror=alert(1)>' }),
    writes: true,
  },
  {
    name: 'a text does not grow for ever',
    as: 'worker',
    send: `PATCH ${ownFields('c_text')}`,
    body: { c_text: { append: 'x'.repeat(1_040_000) } },
    status: 200,
    response: ok({ c_text: `Ёлка и принтер${'x'.repeat(1_040_000)}` }),
    writes: true,
  },
  {
    name: 'beyond its end it does not',
    as: 'worker',
    send: `PATCH ${ownFields('c_text')}`,
    body: { c_text: { append: 'x'.repeat(10_000) } },
    status: 422,
    response: invalid('c_text', 'at most 1048576 characters fit'),
  },
  {
    name: 'JSON may tell of U+0000 in words',
    as: 'worker',
    send: `PUT ${ownFields('c_json')}`,
    body: { c_json: { path: 'C:\\u0000' } },
    status: 200,
    response: ok({ c_json: { path: 'C:\\u0000' } }),
    writes: true,
  },
  {
    name: 'the least duration is shown',
    as: 'worker',
    send: 'PATCH /rest/v1/table/probe/2001?sysparm_fields=c_duration&sysparm_display_value=1',
    body: { c_duration: '-9223372036854775808' },
    status: 200,
    response: ok({ c_duration: '-106751991167 d 7 h 12 m' }),
    writes: true,
  },
  {
    name: 'so is the greatest decimal',
    as: 'worker',
    send: 'PATCH /rest/v1/table/probe/2001?sysparm_fields=c_decimal&sysparm_display_value=1',
    body: { c_decimal: '9'.repeat(30) },
    status: 200,
    response: ok({ c_decimal: `${'999,'.repeat(9)}999.00` }),
    writes: true,
  },
])

describeScenarios('a JSON column that is sent back as sysparm_display_value=all gives it', [
  {
    name: 'stays what it was',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2001?sysparm_fields=c_json',
    body: { c_json: { value: { a: [1, null] }, display_value: '{"a": [1, null]}' } },
    status: 200,
    response: ok({ c_json: { a: [1, null] } }),
  },
  {
    name: 'stays empty where it was',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2002?sysparm_fields=c_json',
    body: { c_json: { value: null, display_value: null } },
    status: 200,
    response: ok({ c_json: null }),
    writes: true,
  },
  {
    name: 'and an object that has a value of its own is a value',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2002?sysparm_fields=c_json',
    body: { c_json: { value: 1, unit: 'm' } },
    status: 200,
    response: ok({ c_json: { value: 1, unit: 'm' } }),
    writes: true,
  },
])

/** Field paths from a task to its users, their managers, and further. */
const people = ['assigned_user', 'caller', 'contact', 'opened_by', 'closed_by', 'sys_created_by', 'sys_updated_by']
const fieldPaths = people.flatMap((one) =>
  ['manager', 'sys_created_by', 'sys_updated_by'].flatMap((two) =>
    ['manager', 'sys_created_by', 'sys_updated_by', 'company'].map((three) => `${one}.${two}.${three}.sys_id`),
  ),
)
const tooMany = (count: number): unknown =>
  errorBody(
    'OVER_BUDGET',
    `The request was ended because it costs too much: it follows ${count} references, and one request may follow 150; ask for fewer fields with dots.`,
  )

describeScenarios('requests that would take PostgreSQL seconds to plan', [
  {
    name: '150 references are walked through',
    as: 'worker',
    send: 'POST /rest/v1/table/task/query',
    // 7 references to users, 21 from these, 84 from those: 112 references, and 38 more.
    body: {
      sysparm_fields: [
        ...fieldPaths,
        ...fieldPaths.slice(0, 38).map((path) => path.replace(/sys_id$/, 'sys_created_by.sys_id')),
      ].join(),
      sysparm_query: 'sys_id=0',
    },
    status: 200,
    response: ok(),
  },
  {
    name: '75 conditions on members of a list, which are two subqueries each (issue 10, 4)',
    as: 'worker',
    send: 'POST /rest/v1/table/task/query',
    body: {
      sysparm_query: Array.from({ length: 75 }, (_, index) => `followers_list.user_name=nobody ${index}`).join('^OR'),
    },
    status: 200,
    response: ok(),
  },
  {
    name: 'one more is rejected: each is a subquery of its own (issue 10, 4)',
    as: 'worker',
    send: 'POST /rest/v1/table/task/query',
    body: {
      sysparm_query: Array.from({ length: 76 }, (_, index) => `followers_list.user_name=nobody ${index}`).join('^OR'),
    },
    status: 422,
    response: tooMany(152),
  },
  {
    name: 'so are conditions on the entries of a journal (issue 10, 4)',
    as: 'worker',
    send: 'POST /rest/v1/table/task/query',
    body: { sysparm_query: Array.from({ length: 151 }, (_, index) => `work_notesLIKE${index}`).join('^OR') },
    status: 422,
    response: tooMany(151),
  },
  {
    name: 'one more is rejected, in fields',
    as: 'worker',
    send: 'POST /rest/v1/table/task/query',
    body: {
      sysparm_fields: [
        ...fieldPaths,
        ...fieldPaths.slice(0, 39).map((path) => path.replace(/sys_id$/, 'sys_created_by.sys_id')),
      ].join(),
    },
    status: 422,
    response: tooMany(151),
  },
  {
    name: 'in conditions and orders together',
    as: 'worker',
    send: 'POST /rest/v1/table/task/query',
    body: {
      sysparm_query: `${fieldPaths.map((path) => `${path.replace(/sys_id$/, 'sys_created_by')}LIKEx`).join('^OR')}^ORDERBYservice.owner`,
    },
    status: 422,
    response: tooMany(112 + 84 + 2),
  },
  {
    name: 'and in what people read of references',
    as: 'worker',
    send: 'POST /rest/v1/table/task/query',
    body: {
      sysparm_fields: fieldPaths.map((path) => path.replace(/sys_id$/, 'sys_created_by')).join(),
      sysparm_display_value: 1,
    },
    status: 422,
    response: tooMany(112 + 84),
  },
])

describeScenarios('finds that look alike', [
  {
    name: 'two columns',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1004?sysparm_fields=caller.user_name',
    body: { caller: { find: { user_name: 'reader', active: 'true' } } },
    status: 200,
    response: ok({ 'caller.user_name': 'reader' }),
    writes: true,
  },
  {
    name: 'are not one column with a space in its name',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1001',
    body: { caller: { find: { 'user_name active': 'reader' } } },
    status: 422,
    response: invalid('caller', 'find: there is no column user_name active in user'),
  },
  {
    name: 'a sys_id of no readable record finds none',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1001',
    body: { assignment_group: { find: { sys_id: '402' } } },
    status: 422,
    response: invalid('assignment_group', 'find must meet exactly one record of sys_group; it met none or several'),
  },
  {
    name: 'what reads like a helper is a value and is not computed (issue 8, A4)',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1001',
    body: { assignment_group: { find: { sys_id: 'javascript:gs.getMyGroups()' } } },
    status: 422,
    response: invalid(
      'assignment_group',
      'find: sys_id: Expected the sys_id of a record (digits), found "javascript:gs.getMyGroups()"',
    ),
  },
  {
    name: 'so a name that reads like a helper is nobody (issue 8, A4)',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1001',
    body: { caller: { find: { user_name: 'javascript:gs.getUserName()' } } },
    status: 422,
    response: invalid('caller', 'find must meet exactly one record of user; it met none or several'),
  },
  {
    name: 'a value that cannot be looked for is a value of the body, not of a query',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1001',
    body: { assignment_group: { find: { sys_id: 'abc' } } },
    status: 422,
    response: invalid('assignment_group', 'find: sys_id: Expected the sys_id of a record (digits), found "abc"'),
  },
])

describeScenarios('creates with nothing in what the server fills', [
  {
    name: 'the record is of the class that was asked for, numbered, and has its author',
    as: 'worker',
    send: 'POST /rest/v1/table/itsm_incident?sysparm_fields=number,sys_db_table_id,sys_created_by,sys_updated_by&sysparm_exclude_reference_link=1',
    body: { subject: 'x', number: '', sys_db_table_id: null, sys_created_by: '', sys_updated_by: null, sys_id: '' },
    status: 200,
    response: ok({
      number: 'INC0001001',
      sys_db_table_id: 'itsm_incident',
      sys_created_by: '201',
      sys_updated_by: '201',
    }),
    writes: true,
  },
])

describe('document ids', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage()
  })
  afterAll(() => stage.close())

  const write = async (table: string, record: number): Promise<unknown> => {
    const [row] = await stage.docket.database.rows<{ id: string }>(
      sql`select lpad(to_hex(sys_id), 16, '0') || lpad(to_hex(${sql.lit(record)}), 16, '0') as id from docket.sys_db_table where name = ${table}`,
    )
    const { status, body } = await stage.send(
      'worker',
      'PATCH /rest/v1/table/probe/2001?sysparm_fields=c_document&sysparm_display_value=1',
      { body: { c_document: row?.id } },
    )
    return { status, body }
  }
  const rejection = { status: 422, body: invalid('c_document', 'there is no such table or no such record in it') }

  test('name a record by its own class or one above', async () => {
    const displayed = { status: 200, body: ok({ c_document: 'PRB0000008 A problem' }) }
    expect(await write('itsm_problem', 1008)).toEqual(displayed)
    expect(await write('itsm_task', 1008)).toEqual(displayed)
    expect(await write('task', 1008)).toEqual(displayed)
  })
  test('name no record by a class beside or below', async () => {
    expect(await write('itsm_incident', 1008)).toEqual(rejection)
    expect(await write('itsm_task', 1006)).toEqual(rejection)
    expect(await write('user', 1008)).toEqual(rejection)
  })
})

describe('numberings', () => {
  let stage: Stage
  let tableId: string
  beforeAll(async () => {
    stage = await setStage()
    const response = await stage.docket.request('GET', '/rest/v1/table/sys_db_table?sysparm_query=name=itsm_task', {
      as: { user: 'admin', password: PASSWORD },
    })
    tableId = (response.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  })
  afterAll(() => stage.close())

  const numbering = (rest: object) =>
    stage.send('admin', 'POST /rest/v1/table/sys_number?sysparm_fields=prefix', {
      body: { table_id: tableId, prefix: 'ITT', digits: 7, start: 1, ...rest },
    })
  const numberOfNew = async (): Promise<unknown> => {
    const path = 'POST /rest/v1/table/itsm_task?sysparm_fields=number'
    const { status, body } = await stage.send('worker', path, { body: { subject: 'x' } })
    return { status, body }
  }

  test('that cannot count are rejected', async () => {
    for (const [field, value] of [
      ['start', '-1'],
      ['digits', 2_147_483_647],
      ['digits', 0],
    ] as const) {
      const { status, body } = await numbering({ [field]: value })
      expect({ status, body }).toEqual({
        status: 422,
        body: invalid(field, 'it is outside of what this column may hold'),
      })
    }
  })
  test('that are rebuilt give no number twice', async () => {
    expect(await numberOfNew()).toEqual({ status: 200, body: ok({ number: 'ITT0001001' }) })
    const found = await stage.docket.request('GET', '/rest/v1/table/sys_number?sysparm_query=prefix=ITT', {
      as: { user: 'admin', password: PASSWORD },
    })
    const id = (found.body as { data: { sys_id: string }[] }).data[0]?.sys_id
    expect((await stage.send('admin', `DELETE /rest/v1/table/sys_number/${id}`)).status).toBe(200)
    expect((await numbering({})).status).toBe(200)
    expect(await numberOfNew()).toEqual({ status: 200, body: ok({ number: 'ITT0001002' }) })
  })
})
