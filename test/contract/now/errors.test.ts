import { PASSWORD, rule } from '../records/fixture.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { failed, id, NO_RECORD, servedIds } from './expected.ts'

const ABSENT = '46d44a40a9fe198101243c41576bb3bb'
const NOT_AUTHENTICATED = failed('User Not Authenticated', 'Required to provide Auth information')
const DENIED = (name: string) =>
  failed(
    'Insufficient rights to query records',
    `Field(s) present in the query do not have permission to be read: ${name}`,
  )

/** One error of section 2. By default the request is a worker's and writes nothing. */
const wrong = (
  name: string,
  send: string,
  [status, response]: readonly [status: number, response: unknown],
  more: Partial<Scenario> = {},
): Scenario => ({ name: `${name} (issue 15, section 2)`, as: 'worker', send, status, response, ...more })

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

const credentials: readonly Scenario[] = (
  [
    ['a wrong password', basic('worker', 'x')],
    ['a user that is not there', basic('nemo', PASSWORD)],
    ['a key that is none', { authorization: 'Bearer nope' }],
    ['a key that is none, in x-sn-apikey', { 'x-sn-apikey': 'nope' }],
  ] as const
).map(([name, headers]) =>
  wrong(name, 'GET /api/now/table/task?sysparm_limit=1', [401, NOT_AUTHENTICATED], {
    as: null,
    headers,
    responseHeaders: {
      'www-authenticate': 'Basic realm="Service-now"',
      'x-is-logged-in': 'true',
      'content-type': 'application/json;charset=UTF-8',
    },
  }),
)

const LONG = `nope_${'x'.repeat(300)}`
const unknownTables: readonly Scenario[] = ['nope', LONG].flatMap((table) =>
  [
    `GET /api/now/table/${table}`,
    `POST /api/now/table/${table}`,
    `GET /api/now/table/${table}/${id(1001)}`,
    `PUT /api/now/table/${table}/${id(1001)}`,
    `PATCH /api/now/table/${table}/${id(1001)}`,
    `DELETE /api/now/table/${table}/${id(1001)}`,
    `GET /api/now/stats/${table}?sysparm_count=true`,
    `GET /api/now/ui/meta/${table}`,
  ].map((send) =>
    wrong(`an unknown table: ${send.slice(0, 60)}`, send, [400, failed(`Invalid table ${table}`)], {
      ...(/^P/.test(send) ? { body: {} } : {}),
    }),
  ),
)

const absent: readonly Scenario[] = [
  ...(['GET', 'PUT', 'PATCH', 'DELETE'] as const).flatMap((method) =>
    [id(1999), ABSENT].map((sysId) =>
      wrong(
        `${method} of a record that is absent: ${sysId}`,
        `${method} /api/now/table/task/${sysId}`,
        [404, NO_RECORD],
        {
          ...(method.startsWith('P') ? { body: { short_description: 'x' } } : {}),
        },
      ),
    ),
  ),
]

const deniedColumns: readonly Scenario[] = [
  wrong('a condition on a column that may not be read', 'GET /api/now/table/task?sysparm_query=description=x', [
    403,
    DENIED('description'),
  ]),
  wrong('an order by one', 'GET /api/now/table/task?sysparm_query=ORDERBYDESCdescription', [
    403,
    DENIED('description'),
  ]),
  wrong('a parameter that is one', 'GET /api/now/table/task?description=x', [403, DENIED('description')]),
  wrong('a condition behind a reference', 'GET /api/now/table/task?sysparm_query=parent.description=x', [
    403,
    DENIED('description'),
  ]),
  wrong(
    'a column of a joined table',
    'GET /api/now/table/sys_user?sysparm_query=JOINsys_user.sys_id=task.caller_id!description=x',
    [403, DENIED('description')],
  ),
  wrong(
    'a column of rows of another table',
    'GET /api/now/table/sys_user?sysparm_query=RLQUERYtask.caller_id,%3E=1^description=x^ENDRLQUERY',
    [403, DENIED('description')],
  ),
  wrong('an aggregate over one', 'GET /api/now/stats/task?sysparm_max_fields=description', [
    403,
    DENIED('description'),
  ]),
  wrong('a group by one', 'GET /api/now/stats/task?sysparm_count=true&sysparm_group_by=description', [
    403,
    DENIED('description'),
  ]),
  {
    ...wrong(
      'a field that may not be read is no key',
      `GET /api/now/table/task/${id(1001)}?sysparm_fields=number,description`,
      [200, { result: { number: 'INC0000001' } }],
    ),
  },
  wrong(
    'a column that may not be written',
    `PATCH /api/now/table/task/${id(1001)}`,
    [403, failed('Operation Failed', 'ACL Exception Update Failed due to security constraints')],
    { body: { description: 'x' } },
  ),
]

const rejectedWrites: readonly Scenario[] = [
  wrong(
    'a value that another record has',
    'POST /api/now/table/sys_user',
    [
      403,
      failed(
        'Operation Failed',
        'Another record of the table sys_user has this value of user_name, which must be unique.',
      ),
    ],
    { as: 'admin', body: { user_name: 'reader', name: 'Another' } },
  ),
  wrong(
    'a delete of a record that others refer to',
    `DELETE /api/now/table/core_company/${id(301)}`,
    [403, failed('Operation Failed', 'The record cannot be deleted: records of sys_user refer to it.')],
    { as: 'admin' },
  ),
  wrong(
    'a value of the wrong type',
    `PATCH /api/now/table/change_request/${id(1007)}`,
    [
      400,
      failed(
        'Invalid value',
        'The value of start_date is rejected: Expected a date and time that exist, as YYYY-MM-DD HH:MM:SS (or ISO 8601: YYYY-MM-DDTHH:MM:SSZ), found "soon".',
      ),
    ],
    { body: { start_date: 'soon' } },
  ),
  wrong(
    'a reference to a record that does not exist',
    `PATCH /api/now/table/incident/${id(1001)}`,
    [
      400,
      failed(
        'Invalid value',
        'The value of assigned_to is rejected: must name exactly one record of sys_user, by its display value, a unique column or its sys_id; it names none or several.',
      ),
    ],
    { body: { assigned_to: id(77) } },
  ),
  wrong(
    'an id of another installation as a reference',
    `PATCH /api/now/table/incident/${id(1001)}`,
    [
      400,
      failed(
        'Invalid value',
        'The value of assigned_to is rejected: must name exactly one record of sys_user, by its display value, a unique column or its sys_id; it names none or several.',
      ),
    ],
    { body: { assigned_to: ABSENT } },
  ),
  wrong(
    'a choice that is none',
    `PATCH /api/now/table/incident/${id(1001)}`,
    [
      400,
      failed('Invalid value', 'The value of urgency is rejected: "9" is not a choice; the choices are 1, 2, 3, 4.'),
    ],
    { body: { urgency: '9' } },
  ),
  wrong(
    'a stale If-Match',
    `PATCH /api/now/table/incident/${id(1001)}`,
    [
      409,
      failed(
        'Operation Failed',
        `The record ${id(1001)} has changed since it was read: If-Match does not match. Read it again.`,
      ),
    ],
    {
      body: { short_description: 'x' },
      headers: { 'if-match': '"0000000000000000"' },
    },
  ),
  wrong(
    'an instruction of the native API',
    `PATCH /api/now/table/incident/${id(1001)}`,
    [
      400,
      failed('Invalid value', 'The value of reassignment_count is rejected: an object is not a value of this column.'),
    ],
    { body: { reassignment_count: { increment: 1 } } },
  ),
  ...[
    ['a text', '"x"', 'found a string'],
    ['a number', '7', 'found a number'],
    ['null', 'null', 'found null'],
  ].map(([name, body, found]) =>
    wrong(
      `a body that is ${name}`,
      `PATCH /api/now/table/incident/${id(1001)}`,
      [
        400,
        failed(
          'Exception while reading request',
          `The body must be a JSON object of column names and values; ${found}.`,
        ),
      ],
      { body },
    ),
  ),
]

const queries: readonly Scenario[] = [
  wrong('a bracket that stays open', 'GET /api/now/table/task?sysparm_query=(state=1', [
    400,
    failed(
      'Invalid query',
      'The query cannot be read at position 8: Expected ^, ^OR, ^NQ or the ) of the bracket opened at position 0, found the end of the query.',
    ),
  ]),
  wrong('an operator that does not fit', 'GET /api/now/table/task?sysparm_query=activeSTARTSWITHx', [
    400,
    failed(
      'Invalid query',
      'The query cannot be read at position 0: STARTSWITH does not fit active, a column of type boolean; use one of =, !=, ISEMPTY, ISNOTEMPTY, EMPTYSTRING, ANYTHING, SAMEAS, NSAMEAS.',
    ),
  ]),
  wrong('a condition without a column', 'GET /api/now/table/task?sysparm_query==1', [
    400,
    failed(
      'Invalid query',
      `The query cannot be read at position 0: Expected a condition (a field name in lower-case letters, or an opening bracket), found "=1".`,
    ),
  ]),
  wrong('a limit that is no number', 'GET /api/now/table/task?sysparm_limit=many', [
    400,
    failed('Invalid value', 'The parameter sysparm_limit must be a whole number from 0 to 1000000000; found many.'),
  ]),
]

const paths: readonly Scenario[] = [
  ...['/api/now/import/u_staging', '/api/now/graphql', '/api/now/v3/table/task', '/api/now/cmdb/instance/cmdb_ci'].map(
    (path) =>
      wrong(`${path} is not served`, `GET ${path}`, [
        400,
        failed(
          'Requested URI does not represent any resource',
          `Nothing is served at ${path}. Records are at /api/now/table/{table} and /api/now/table/{table}/{sys_id}.`,
        ),
      ]),
  ),
  wrong('a table of scripts is none', 'GET /api/now/table/sys_script_include', [
    400,
    failed('Invalid table sys_script_include'),
  ]),
  wrong(
    'a body that is XML',
    'POST /api/now/table/incident',
    [415, failed('Unsupported media type', 'Send Content-Type: application/json; found text/xml.')],
    { body: '<incident/>', headers: { 'content-type': 'text/xml' } },
  ),
  wrong(
    'a body that is too large',
    'POST /api/now/table/incident',
    [413, failed('Request body too large', 'The body is larger than 1048576 bytes.')],
    { body: { description: 'x'.repeat(1_100_000) } },
  ),
]

const rules = [
  servedIds,
  rule({ operation: 'read', table: 'task', column: 'description', roles: ['admin'] }),
  rule({ operation: 'write', table: 'task', column: 'description', roles: ['admin'] }),
]
describeScenarios('credentials of /api/now (docs/servicenow.md)', credentials, rules)
describeScenarios('unknown tables and absent records', [...unknownTables, ...absent], rules)
describeScenarios('columns that the caller may not read', deniedColumns, rules)
describeScenarios('writes that are rejected', rejectedWrites, rules)
describeScenarios('queries and paths that cannot be read', [...queries, ...paths], rules)
