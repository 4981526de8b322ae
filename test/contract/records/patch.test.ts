import { sql } from 'kysely'
import { describeScenarios, ok, refused, type Scenario } from './scenarios.ts'

const patch = (name: string, body: unknown, fields: string, status: number, answer: unknown): Scenario => ({
  name,
  as: 'worker',
  send: `PATCH /rest/v1/table/probe/2001?sysparm_exclude_reference_link=1&sysparm_fields=${fields}`,
  body,
  status,
  answer,
  writes: status === 200,
})
const invalid = (field: string, detail: string): unknown =>
  refused('INVALID_VALUE', `The value of ${field} is refused: ${detail}${detail.endsWith('?') ? '' : '.'}`, { field })

describeScenarios('PATCH takes instructions (record spec, section 8)', [
  patch('a plain value is written', { title: 'new' }, 'title', 200, ok({ title: 'new' })),
  patch(
    'a value may be sent as it was read',
    { c_reference: { value: '202', link: 'x' } },
    'c_reference',
    200,
    ok({ c_reference: '202' }),
  ),
  patch('clear empties a column', { title: { clear: true } }, 'title', 200, ok({ title: null })),
  patch('null empties a column', { c_integer: null }, 'c_integer', 200, ok({ c_integer: null })),
  patch(
    'an increment of nothing begins at nought',
    { c_integer: { increment: 2 } },
    'c_integer',
    200,
    ok({ c_integer: 2 }),
  ),
  patch('an increment may be negative', { c_integer: { increment: -5 } }, 'c_integer', 200, ok({ c_integer: -3 })),
  patch(
    'a decimal is incremented to the digit',
    { c_decimal: { increment: '0.05' } },
    'c_decimal',
    200,
    ok({ c_decimal: '1234.55' }),
  ),
  patch(
    'a duration is incremented in milliseconds',
    { c_duration: { increment: 100000 } },
    'c_duration',
    200,
    ok({ c_duration: '4000000' }),
  ),
  patch('a percentage may go down', { c_percent: { increment: -10 } }, 'c_percent', 200, ok({ c_percent: 35 })),
  patch('a text is appended to', { c_text: { append: '!' } }, 'c_text', 200, ok({ c_text: 'Ёлка и принтер!' })),
  patch('a text is put before', { c_text: { prepend: '«' } }, 'c_text', 200, ok({ c_text: '«Ёлка и принтер!' })),
  patch(
    'members are added to a list, each once',
    { c_list: { add: ['c', 'a'] } },
    'c_list',
    200,
    ok({ c_list: ['b', 'a', 'c'] }),
  ),
  patch(
    'members are removed from a list',
    { c_list: { remove: ['b', 'z'] } },
    'c_list',
    200,
    ok({ c_list: ['a', 'c'] }),
  ),
  patch('add and remove combine', { c_list: { add: ['d'], remove: ['a'] } }, 'c_list', 200, ok({ c_list: ['c', 'd'] })),
  patch('a list is set', { c_list: { set: ['x'] } }, 'c_list', 200, ok({ c_list: ['x'] })),
  patch(
    'JSON is merged (RFC 7396)',
    { c_json: { merge: { b: { c: 1 }, a: null } } },
    'c_json',
    200,
    ok({ c_json: { b: { c: 1 } } }),
  ),
  patch('JSON is replaced by a value', { c_json: { value: [1] } }, 'c_json', 200, ok({ c_json: [1] })),
  patch(
    'a reference is found by another column',
    { c_reference: { find: { user_name: 'WORKER' } } },
    'c_reference',
    200,
    ok({ c_reference: '201' }),
  ),
  patch(
    'a reference is found by a dot-walk and a column',
    { c_reference: { find: { 'company.name': 'acme', email: 'reader@example.com' } } },
    'c_reference',
    200,
    ok({ c_reference: '202' }),
  ),
  patch('a message goes to the journal', { c_journal: { message: 'seen' } }, 'c_journal', 200, ok({ c_journal: null })),
  patch(
    'several columns are written at once',
    { title: { value: 'both' }, c_integer: { increment: 1 } },
    'title,c_integer',
    200,
    ok({ title: 'both', c_integer: -2 }),
  ),
  patch(
    'an unknown instruction is refused',
    { title: { shout: 1 } },
    'title',
    422,
    invalid('title', 'unknown instruction shout; this column takes value, link, display_value, clear, append, prepend'),
  ),
  patch(
    'an instruction for another type is refused',
    { title: { increment: 1 } },
    'title',
    422,
    invalid(
      'title',
      'unknown instruction increment; this column takes value, link, display_value, clear, append, prepend',
    ),
  ),
  patch(
    'two instructions at once are refused',
    { c_integer: { increment: 1, value: 2 } },
    'c_integer',
    422,
    invalid('c_integer', 'one instruction at a time; increment and value do not combine'),
  ),
  patch(
    'an empty instruction is refused',
    { c_integer: {} },
    'c_integer',
    422,
    invalid('c_integer', 'an instruction is expected; this column takes value, link, display_value, clear, increment'),
  ),
  patch(
    'clear takes true',
    { c_integer: { clear: 'yes' } },
    'c_integer',
    422,
    invalid('c_integer', 'clear takes true'),
  ),
  patch(
    'an increment by a word is refused',
    { c_integer: { increment: 'one' } },
    'c_integer',
    422,
    invalid('c_integer', 'a whole number from -2147483648 to 2147483647 is expected, found "one"'),
  ),
  patch(
    'an increment beyond the column is refused',
    { c_smallinteger: { increment: 40000 } },
    'c_smallinteger',
    422,
    invalid('c_smallinteger', 'a whole number from -32768 to 32767 is expected, found 40000'),
  ),
  patch(
    'an append beyond the length is refused',
    { title: { append: ' and seventeen on' } },
    'title',
    422,
    invalid('title', 'at most 20 characters fit'),
  ),
  patch(
    'find that meets nothing is refused',
    { c_reference: { find: { user_name: 'ghost' } } },
    'c_reference',
    422,
    invalid('c_reference', 'find must meet exactly one record of user; it met none or several'),
  ),
  patch(
    'find that meets several is refused',
    { c_reference: { find: { 'company.name': 'acme' } } },
    'c_reference',
    422,
    invalid('c_reference', 'find must meet exactly one record of user; it met none or several'),
  ),
  patch(
    'find by a column that is not there is refused',
    { c_reference: { find: { nick: 'x' } } },
    'c_reference',
    422,
    invalid('c_reference', 'find: there is no column nick in user'),
  ),
  patch(
    'find without a value is refused',
    { c_reference: { find: { user_name: '' } } },
    'c_reference',
    422,
    invalid('c_reference', 'find: user_name needs a value'),
  ),
  patch(
    'find by a secret is refused',
    { c_reference: { find: { password: 'x' } } },
    'c_reference',
    403,
    refused('ACCESS_DENIED', 'You have no access to read the column password of the table user.', {
      field: 'password',
    }),
  ),
  {
    name: 'the journal has an entry with author and time',
    as: 'admin',
    send: 'GET /rest/v1/table/sys_journal_entry?sysparm_query=column_name=c_journal&sysparm_fields=record_id,column_name,value,sys_created_by,sys_created_at&sysparm_exclude_reference_link=1',
    status: 200,
    answer: ok({
      record_id: '2001',
      column_name: 'c_journal',
      value: 'seen',
      sys_created_by: '201',
      sys_created_at: '2026-03-02 10:00:00',
    }),
  },
])

const json = (name: string, sent: unknown, kept: unknown, status = 200, writes = status === 200): Scenario => ({
  name,
  as: 'worker',
  send: 'PATCH /rest/v1/table/probe/2001?sysparm_fields=c_json',
  body: { c_json: sent },
  status,
  answer: status === 200 ? ok({ c_json: kept }) : kept,
  writes,
})
const stored = (value: string) => sql`update docket.probe set c_json = ${value}::jsonb where sys_id = 2001`

describeScenarios('PATCH of a JSON column takes objects (issue 8, B5)', [
  json('an object with other keys is the value', { a: [1, 2] }, { a: [1, 2] }),
  json('so is an object with a key of an instruction beside another', { merge: 1, a: 2 }, { merge: 1, a: 2 }),
  json('so is an object that only has a link', { link: 'https://example.com' }, { link: 'https://example.com' }),
  json('so is an empty object', {}, {}),
  json('the content of value is the value', { value: { merge: { a: 1 } } }, { merge: { a: 1 } }),
  json('an object that equals the stored one changes nothing', { merge: { a: 1 } }, { merge: { a: 1 } }, 200, false),
  json('merge of another object is an instruction', { merge: { b: 2 } }, { b: 2, merge: { a: 1 } }),
  json('clear empties the column', { clear: true }, null),
])

describeScenarios(
  'PATCH of a JSON column whose stored object looks like an instruction (issue 8, B5)',
  [
    json('it is taken back as it was read', { clear: 'no' }, { clear: 'no' }, 200, false),
    json('another object like it is a wrong instruction', { clear: 'yes' }, invalid('c_json', 'clear takes true'), 422),
  ],
  [stored('{"clear":"no"}')],
)

describeScenarios('PUT takes values', [
  {
    name: 'only the named columns change',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2002?sysparm_fields=title,c_integer,c_boolean,c_choice,c_text',
    body: { title: 'put', c_integer: 11, c_boolean: true, c_choice: '1' },
    status: 200,
    answer: ok({ title: 'put', c_integer: 11, c_boolean: true, c_choice: '1', c_text: 'printer' }),
    writes: true,
  },
  {
    name: 'a whole record may be sent back as it was read',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2002?sysparm_fields=title',
    body: {
      sys_id: '2002',
      sys_created_at: '2026-03-02 10:00:00',
      sys_created_by: { value: '201', link: 'BASE/rest/v1/table/user/201' },
      title: 'again',
    },
    status: 200,
    answer: ok({ title: 'again' }),
    writes: true,
  },
  {
    name: 'another value of a system column is refused',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2002',
    body: { sys_created_at: '2020-01-01 00:00:00' },
    status: 422,
    answer: invalid('sys_created_at', 'is read-only: only the value that stands there may be sent back'),
  },
  {
    name: 'instructions are refused',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2002',
    body: { c_integer: { increment: 1 } },
    status: 422,
    answer: invalid(
      'c_integer',
      'an object is no value of this column; instructions such as increment belong to PATCH',
    ),
  },
  {
    name: 'an unknown column is refused, and nothing else of the body is written',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2002',
    body: { title: 'lost?', colour: 'red' },
    status: 422,
    answer: invalid('colour', 'there is no column colour in probe; did you mean c_color?'),
  },
  {
    name: 'an empty body changes nothing and answers the record',
    as: 'worker',
    send: 'PUT /rest/v1/table/probe/2002?sysparm_fields=title',
    body: {},
    status: 200,
    answer: ok({ title: 'again' }),
  },
])
