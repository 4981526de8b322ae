import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Problem, ProblemKind, ProblemOf } from '../../kernel/problem.ts'
import { INTERNAL, internalErrorResponse, problemResponse, WORDINGS } from './error-messages.ts'

/** A problem of each kind. */
const EXAMPLES: { readonly [K in ProblemKind]: ProblemOf<K> } = {
  'bad-json': { kind: 'bad-json', detail: 'a colon was expected', position: 5 },
  'bad-body': { kind: 'bad-body', expected: 'a JSON object', found: 'a list' },
  'bad-parameter': {
    kind: 'bad-parameter',
    parameter: 'sysparm_limit',
    expected: 'a whole number, 0 or more',
    found: '-1',
  },
  'unknown-parameter': {
    kind: 'unknown-parameter',
    parameter: 'collection_name',
    similar: ['collection_names'],
    known: ['query', 'k', 'collection_names'],
  },
  'bad-query': { kind: 'bad-query', detail: 'there is no column stat in task', position: 12 },
  'malformed-request': { kind: 'malformed-request', detail: 'Invalid method encountered' },
  'request-timeout': { kind: 'request-timeout', afterSeconds: 30 },
  'uri-too-long': { kind: 'uri-too-long', maxBytes: 65536 },
  'headers-too-large': { kind: 'headers-too-large', maxBytes: 81920 },
  'body-too-large': { kind: 'body-too-large', maxBytes: 1048576 },
  'unsupported-media-type': {
    kind: 'unsupported-media-type',
    expected: 'Content-Type: application/json',
    found: 'text/xml',
  },
  'not-acceptable': { kind: 'not-acceptable', offered: 'application/json', found: 'text/xml' },
  'no-such-path': { kind: 'no-such-path', path: '/rest/v2/table/task' },
  'method-not-allowed': { kind: 'method-not-allowed', method: 'PUT', allowed: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
  unauthenticated: { kind: 'unauthenticated', reason: 'wrong' },
  'too-many-attempts': { kind: 'too-many-attempts', retryAfterSeconds: 60 },
  'too-many-requests': { kind: 'too-many-requests', retryAfterSeconds: 1 },
  'table-denied': { kind: 'table-denied', action: 'delete', table: 'task' },
  'column-denied': { kind: 'column-denied', action: 'write', table: 'task', column: 'priority', where: 'body' },
  'write-denied': {
    kind: 'write-denied',
    field: 'tables',
    detail: 'The webhook runs with the rights of another user',
  },
  'record-denied': { kind: 'record-denied', action: 'write', table: 'task' },
  'role-needed': { kind: 'role-needed', roles: ['admin'], to: 'see keys of other users' },
  'cross-site-write': { kind: 'cross-site-write' },
  'not-own-page': { kind: 'not-own-page' },
  'key-narrowed': { kind: 'key-narrowed', to: 'create users' },
  'client-token': { kind: 'client-token', to: 'make API keys' },
  'table-not-found': { kind: 'table-not-found', table: 'tasks', similar: ['task'] },
  'record-not-found': { kind: 'record-not-found', table: 'task', sysId: '155931135900000099' },
  'thing-not-found': { kind: 'thing-not-found', thing: 'API key', name: '155931135900000099' },
  'not-unique': { kind: 'not-unique', table: 'user', field: 'user_name' },
  'still-referenced': { kind: 'still-referenced', table: 'company', by: 'user' },
  'too-many-dependents': { kind: 'too-many-dependents', max: 1000 },
  'would-lose': { kind: 'would-lose', losses: [{ name: 'project.budget', what: 'values', count: 12 }] },
  'precondition-failed': { kind: 'precondition-failed' },
  'unsatisfiable-range': { kind: 'unsatisfiable-range', size: 1000 },
  stale: { kind: 'stale', table: 'task', sysId: '155931135900000099' },
  conflict: { kind: 'conflict', detail: 'Only a key that a login gave can be logged out; an API key is revoked.' },
  'count-differs': { kind: 'count-differs', found: 3, expected: 2 },
  'too-many-records': { kind: 'too-many-records', max: 1_000 },
  'invalid-value': { kind: 'invalid-value', field: 'due_date', detail: 'it is written YYYY-MM-DD HH:MM:SS' },
  'unreadable-document': {
    kind: 'unreadable-document',
    stage: 'extract',
    cause: 'no-text',
    detail: '12 pages without a text layer',
  },
  'over-budget': { kind: 'over-budget', detail: 'its statement took too long' },
  'index-building': { kind: 'index-building', percent: 37, retryAfterSeconds: 12 },
  unavailable: {
    kind: 'unavailable',
    detail: 'The database cannot be reached at the moment',
    retryAfterSeconds: 5,
  },
}

/** Rows of the page's table: kind | status | code | when | cure. test/docs/errors-page.test.ts sends the examples. */
const rows = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')))
  .filter(([, kind]) => /^\[`[a-z-]+`\]/.test(kind ?? ''))
  .map(([, link, status, code, when, cure]) => ({ kind: /`[a-z-]+`/.exec(link ?? '')?.[0], status, code, when, cure }))

test('docs/errors.md lists every kind of problem once, with its status and code', () => {
  const kinds = Object.keys(WORDINGS) as ProblemKind[]
  const sent = kinds.map((kind) => ({
    kind: `\`${kind}\``,
    status: String(WORDINGS[kind].status),
    code: `\`${WORDINGS[kind].code}\``,
  }))
  const internal = {
    kind: '`internal`',
    status: String(INTERNAL.status),
    code: `\`${INTERNAL.code}\``,
  }
  expect(rows.map(({ kind, status, code }) => ({ kind, status, code }))).toEqual([...sent, internal])
})

test.each(Object.keys(WORDINGS) as ProblemKind[])(
  '%s has a sentence in both languages, and the rest is the same (issue 8, B13)',
  (kind) => {
    const { message: en, errors: errorsEn, ...restEn } = JSON.parse(problemResponse(EXAMPLES[kind], 'r').body)
    const {
      message: ru,
      errors: errorsRu,
      ...restRu
    } = JSON.parse(problemResponse(EXAMPLES[kind], 'r', { language: 'ru' }).body)
    expect(en).not.toMatch(/\p{Script=Cyrillic}/u)
    expect(ru).toMatch(/\p{Script=Cyrillic}/u)
    expect(restRu).toEqual(restEn)
    expect(errorsRu).toEqual([{ ...errorsEn[0], message: ru }])
  },
)

test('docs/errors.md says of every kind when it comes and what helps', () => {
  for (const { kind, when, cure } of rows) {
    expect(when, `when ${kind} comes`).toMatch(/\w/)
    expect(cure, `what helps against ${kind}`).toMatch(/\w/)
  }
})

test('the envelope holds the message twice, the code, and field and position where there are some', () => {
  const problem: Problem = { kind: 'bad-query', detail: 'unknown column', position: 7, field: 'prioriti' }
  const { status, headers, body } = problemResponse(problem, 'req-1')
  expect({ status, headers, body: JSON.parse(body) }).toEqual({
    status: 400,
    headers: {},
    body: {
      status: 'ERROR',
      error_type: 'SERVER',
      message: 'The query cannot be read at position 7: unknown column.',
      errors: [
        {
          message: 'The query cannot be read at position 7: unknown column.',
          code: 'BAD_QUERY',
          field: 'prioriti',
          position: 7,
        },
      ],
      request_id: 'req-1',
    },
  })
})

test.each<[Problem, Record<string, string>]>([
  [
    { kind: 'unauthenticated', reason: 'missing' },
    { 'www-authenticate': 'Bearer realm="Docket", Basic realm="Docket", charset="UTF-8"' },
  ],
  [{ kind: 'method-not-allowed', method: 'PUT', allowed: ['GET', 'HEAD'] }, { allow: 'GET, HEAD' }],
  [{ kind: 'too-many-attempts', retryAfterSeconds: 9 }, { 'retry-after': '9' }],
  [{ kind: 'too-many-requests', retryAfterSeconds: 1 }, { 'retry-after': '1' }],
  [{ kind: 'index-building', percent: 1, retryAfterSeconds: 7 }, { 'retry-after': '7' }],
  [{ kind: 'unavailable', detail: 'x', retryAfterSeconds: 5 }, { 'retry-after': '5' }],
])('%j is sent with its headers', (problem, headers) => {
  expect(problemResponse(problem, 'r').headers).toEqual(headers)
})

test('a caller’s words are repeated in an error only up to a length', () => {
  const { body } = problemResponse({ kind: 'table-not-found', table: 'x'.repeat(100_000), similar: [] }, 'r')
  expect(body.length).toBeLessThan(1_000)
})

test('a failure of ours tells the request id and nothing else', () => {
  expect(JSON.parse(internalErrorResponse('req-1').body)).toEqual({
    status: 'ERROR',
    error_type: 'SERVER',
    message: 'The server failed. The log tells why, under the request id of this response.',
    errors: [
      {
        message: 'The server failed. The log tells why, under the request id of this response.',
        code: 'INTERNAL',
      },
    ],
    request_id: 'req-1',
  })
})
