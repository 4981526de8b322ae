import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WORDINGS } from '../../../src/http/response/error-messages.ts'
import type { ProblemKind } from '../../../src/kernel/problem.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage } from './fixture.ts'
import { describeScenarios, errorBody, type Scenario } from './scenarios.ts'

interface Rejection extends Omit<Scenario, 'name' | 'as'> {
  readonly kind: ProblemKind
  readonly as?: Scenario['as']
}

/** One request for each kind of error of the record service; docs/errors.md describes them. */
const rejections: readonly Rejection[] = [
  {
    kind: 'bad-json',
    send: 'POST /rest/v1/table/task',
    body: '{"subject"; 1}',
    status: 400,
    response: errorBody('BAD_JSON', 'The body is not valid JSON: a colon was expected (at position 10).', {
      position: 10,
    }),
  },
  {
    kind: 'bad-body',
    send: 'POST /rest/v1/table/task',
    body: [{ subject: 'one' }, { subject: 'two' }],
    status: 400,
    response: errorBody(
      'BAD_JSON',
      'The body must be one JSON object of column names and values: one record per call; found an array of 2.',
    ),
  },
  {
    kind: 'bad-parameter',
    send: 'GET /rest/v1/table/task?sysparm_limit=-1',
    status: 400,
    response: errorBody(
      'BAD_PARAMETER',
      'The parameter sysparm_limit must be a whole number from 0 to 1000000000; found -1.',
      { field: 'sysparm_limit' },
    ),
  },
  {
    kind: 'bad-query',
    send: 'GET /rest/v1/table/task?sysparm_query=active=true^prioriti=1',
    status: 400,
    response: errorBody(
      'BAD_QUERY',
      'The query cannot be read at position 12: there is no column prioriti in task; did you mean priority?',
      {
        field: 'prioriti',
        position: 12,
      },
    ),
  },
  {
    kind: 'uri-too-long',
    send: `GET /rest/v1/table/task?sysparm_query=subject=${'x'.repeat(66_000)}`,
    status: 414,
    response: errorBody(
      'URI_TOO_LONG',
      'The URL is longer than 65536 bytes. Send the parameters as JSON to POST /rest/v1/table/{table}/query.',
    ),
  },
  {
    kind: 'body-too-large',
    send: 'POST /rest/v1/table/task',
    body: { subject: 'x'.repeat(1_100_000) },
    status: 413,
    response: errorBody('BODY_TOO_LARGE', 'The body is larger than 1048576 bytes.'),
  },
  {
    kind: 'unsupported-media-type',
    send: 'POST /rest/v1/table/task',
    body: '<subject>x</subject>',
    headers: { 'content-type': 'text/xml' },
    status: 415,
    response: errorBody('UNSUPPORTED_MEDIA_TYPE', 'Send Content-Type: application/json; found text/xml.'),
  },
  {
    kind: 'not-acceptable',
    send: 'GET /rest/v1/table/task',
    headers: { accept: 'text/xml' },
    status: 406,
    response: errorBody(
      'NOT_ACCEPTABLE',
      'The response is application/json, which the Accept header does not allow: text/xml.',
    ),
  },
  {
    kind: 'no-such-path',
    send: 'GET /rest/v2/table/task',
    status: 404,
    response: errorBody(
      'PATH_NOT_FOUND',
      'Nothing is served at /rest/v2/table/task. GET /openapi.json lists every path.',
    ),
  },
  {
    kind: 'method-not-allowed',
    send: 'PUT /rest/v1/table/task',
    body: {},
    status: 405,
    response: errorBody('METHOD_NOT_ALLOWED', 'PUT is not allowed here; allowed: GET, HEAD, POST, OPTIONS.'),
    responseHeaders: { allow: 'GET, HEAD, POST, OPTIONS' },
  },
  {
    kind: 'unauthenticated',
    as: null,
    send: 'GET /rest/v1/table/task',
    headers: { authorization: 'Bearer wrong' },
    status: 401,
    response: errorBody('UNAUTHENTICATED', 'The credentials are wrong.'),
    responseHeaders: { 'www-authenticate': 'Bearer realm="Docket", Basic realm="Docket", charset="UTF-8"' },
  },
  {
    kind: 'table-denied',
    as: 'reader',
    send: 'DELETE /rest/v1/table/task/1001',
    status: 403,
    response: errorBody('ACCESS_DENIED', 'You have no access to delete the records of the table task.'),
  },
  {
    kind: 'column-denied',
    send: 'PATCH /rest/v1/table/task/1001',
    body: { priority: '4' },
    status: 403,
    response: errorBody('ACCESS_DENIED', 'You have no access to write the column priority of the table task.', {
      field: 'priority',
    }),
  },
  {
    kind: 'record-denied',
    send: 'PATCH /rest/v1/table/itsm_problem/1008',
    body: { subject: 'x' },
    status: 403,
    response: errorBody('ACCESS_DENIED', 'You have no access to write this record of the table itsm_problem.'),
  },
  {
    kind: 'role-needed',
    send: 'GET /rest/v1/acl/explain?table=task',
    status: 403,
    response: errorBody('ACCESS_DENIED', 'You need the role admin or security_admin to see which rule decides.'),
  },
  {
    kind: 'table-not-found',
    send: 'GET /rest/v1/table/tasks',
    status: 404,
    response: errorBody('TABLE_NOT_FOUND', 'There is no table tasks. Did you mean task?'),
  },
  {
    kind: 'record-not-found',
    send: 'GET /rest/v1/table/task/155931135900000099',
    status: 404,
    response: errorBody('RECORD_NOT_FOUND', 'The table task has no record 155931135900000099 that you may read.'),
  },
  {
    kind: 'thing-not-found',
    as: 'admin',
    send: 'GET /rest/v1/acl/explain?table=task&user=ghost',
    status: 404,
    response: errorBody('NOT_FOUND', 'There is no user ghost.'),
  },
  {
    kind: 'not-unique',
    as: 'admin',
    send: 'POST /rest/v1/table/user',
    body: { user_name: 'Worker' },
    status: 409,
    response: errorBody(
      'CONFLICT',
      'Another record of the table user has this value of user_name, which must be unique.',
      {
        reason: 'duplicate',
        field: 'user_name',
      },
    ),
  },
  {
    kind: 'still-referenced',
    as: 'admin',
    send: 'DELETE /rest/v1/table/service/501',
    status: 409,
    response: errorBody('CONFLICT', 'The record cannot be deleted: records of task refer to it.', {
      reason: 'referenced',
    }),
  },
  {
    kind: 'stale',
    send: 'PUT /rest/v1/table/task/1001',
    body: { subject: 'x' },
    headers: { 'if-match': '"of another day"' },
    status: 409,
    response: errorBody(
      'CONFLICT',
      'The record 1001 has changed since it was read: If-Match does not match. Read it again.',
      { reason: 'stale' },
    ),
  },
  {
    kind: 'invalid-value',
    send: 'PUT /rest/v1/table/task/1001',
    body: { due_date: 'tomorrow' },
    status: 422,
    response: errorBody(
      'INVALID_VALUE',
      'The value of due_date is rejected: Expected a date and time that exist, as YYYY-MM-DD HH:MM:SS (or ISO 8601: YYYY-MM-DDTHH:MM:SSZ), found "tomorrow".',
      { field: 'due_date' },
    ),
  },
]

describeScenarios(
  'each error has its status, its code and one sentence, and writes nothing:',
  rejections.map(({ kind, as = 'worker', ...rest }) => ({ name: kind, as, ...rest })),
  [
    rule({ operation: 'write', table: 'task', column: 'priority', roles: ['admin'] }),
    rule({ operation: 'write', table: 'itsm_problem', roles: ['itil'], condition: 'priority=4' }),
  ],
)

describe('a statement that takes too long', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage([], { environment: { DOCKET_STATEMENT_TIMEOUT_MS: '2000' } })
  })
  afterAll(() => stage.close())

  test('over-budget: is ended, and its caller is told so', async () => {
    const response = await stage.docket.database.inTransaction(async (session) => {
      await session.rows(sql`select from docket.task where sys_id = 1001 for update`)
      return stage.send('worker', 'PUT /rest/v1/table/task/1001', { body: { subject: 'x' } })
    })
    expect({ status: response.status, body: response.body }).toEqual({
      status: 422,
      body: errorBody(
        'OVER_BUDGET',
        'The request was ended because it costs too much: the database did not finish within the time that one request may take; narrow the query, or leave out the count with sysparm_no_count=1.',
      ),
    })
  })

  test.each(['update', 'delete'])('over-budget: a bulk %s that waits for a record says so', async (action) => {
    const values = action === 'update' ? { values: { subject: 'x' } } : {}
    const response = await stage.docket.database.inTransaction(async (session) => {
      await session.rows(sql`select from docket.task where sys_id = 1001 for update`)
      return stage.send('admin', 'POST /rest/v1/bulk/task', { body: { query: 'sys_id=1001', action, ...values } })
    })
    expect({ status: response.status, body: response.body }).toEqual({
      status: 422,
      body: errorBody(
        'OVER_BUDGET',
        'The request was ended because it costs too much: the records were not written within the time that one request may take, as when another request holds one of them; send it again, or for fewer records.',
      ),
    })
  })

  test.each([
    [
      'descriptionLIKEx',
      'no index has parts of description; narrow the query, or let an administrator create a record of sys_db_index with the table task, the column description and the purpose contains',
    ],
    ['subjectLIKEx', null],
  ])('over-budget: %s names the index that is missing, if one is (issue 12, C)', async (query, missing) => {
    const response = await stage.docket.database.inTransaction(async (session) => {
      await session.rows(sql`lock table docket.task in access exclusive mode`)
      return stage.send('worker', `GET /rest/v1/table/task?sysparm_query=${query}`)
    })
    const limit = 'the database did not finish within the time that one request may take'
    const helps =
      missing === null ? '; narrow the query, or leave out the count with sysparm_no_count=1' : `: ${missing}`
    expect([response.status, response.body]).toEqual([
      422,
      errorBody('OVER_BUDGET', `The request was ended because it costs too much: ${limit}${helps}.`),
    ])
  })
})

/** Kinds that a record request cannot cause on demand, and the tests for them. */
const otherWorkers: Readonly<Partial<Record<ProblemKind | 'internal', string>>> = {
  'malformed-request': 'test/contract/http-connections.test.ts',
  'request-timeout': 'test/contract/http-connections.test.ts',
  'headers-too-large': 'test/contract/http-connections.test.ts',
  'count-differs': 'test/contract/records/bulk.test.ts',
  'too-many-records': 'test/contract/records/bulk.test.ts',
  'cross-site-write': 'test/contract/cross-site-writes.test.ts',
  'client-token': 'test/contract/oauth.test.ts',
  'key-narrowed': 'test/contract/narrowed-keys.test.ts',
  'not-own-page': 'test/contract/browser-sessions.test.ts',
  'too-many-attempts': 'test/flow/identity/login-throttle.test.ts',
  'too-many-requests': 'src/http/response/error-messages.test.ts',
  conflict: 'test/contract/http-credentials.test.ts',
  'would-lose': 'test/contract/dictionary/tables-and-columns.test.ts',
  'write-denied': 'test/contract/changes/webhook-rights.test.ts',
  'index-building': 'test/flow/listen-first.test.ts',
  unavailable: 'test/contract/http-failures.test.ts',
  'unknown-parameter': 'test/contract/documents/parameters.test.ts',
  internal: 'test/contract/http-failures.test.ts',
  'unreadable-document': 'test/documents/extract-fixtures.test.ts',
  'precondition-failed': 'src/http/response/error-messages.test.ts',
  'unsatisfiable-range': 'src/http/response/error-messages.test.ts',
  'too-many-dependents': 'test/contract/dictionary/on-delete.test.ts',
}

test('no kind of error was left out', () => {
  const displayed = new Set<string>([
    'over-budget',
    ...rejections.map(({ kind }) => kind),
    ...Object.keys(otherWorkers),
  ])
  expect([...displayed].sort()).toEqual([...Object.keys(WORDINGS), 'internal'].sort())
  for (const [kind, file] of Object.entries(otherWorkers)) {
    expect(existsSync(file), `${file} shows ${kind}`).toBe(true)
    const code = kind === 'internal' ? 'INTERNAL' : WORDINGS[kind as ProblemKind].code
    expect(readFileSync(file, 'utf8'), `${file} shows ${kind}`).toMatch(new RegExp(`${code}|${kind}`))
  }
})
