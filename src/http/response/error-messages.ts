import { STATUS_CODES } from '../../kernel/node-http.ts'
import type { Problem, ProblemKind, ProblemOf } from '../../kernel/problem.ts'
import { parameterName } from './parameter-name.ts'
import { RUSSIAN_INTERNAL, russianMessageOf } from './russian-error-messages.ts'
import { timeToWait } from './time-to-wait.ts'

/** A problem as it is sent. */
interface Wording<K extends ProblemKind> {
  readonly status: number
  readonly code: string
  readonly message: (problem: ProblemOf<K>) => string
}
type Wordings = { readonly [K in ProblemKind]: Wording<K> }

/**
 * The only place that gives each problem its status, code and sentence: what is wrong, then what to do. docs/errors.md has the same, and a
 * test compares the two. Codes: docs/spec/records.md, section 1.
 */
export const WORDINGS: Wordings = {
  'bad-json': {
    status: 400,
    code: 'BAD_JSON',
    message: ({ detail, position, field }) =>
      `The ${field === undefined ? 'body' : `field ${field} of the form`} is not valid JSON: ${detail}${position === undefined ? '' : ` (at position ${position})`}.`,
  },
  'bad-body': {
    status: 400,
    code: 'BAD_JSON',
    message: ({ expected, found }) => `The body must be ${expected}; found ${found}.`,
  },
  'bad-parameter': {
    status: 400,
    code: 'BAD_PARAMETER',
    message: ({ parameter, expected, found }) =>
      `The parameter ${displayed(parameterName(parameter))} must be ${expected}; found ${displayed(found)}.`,
  },
  'unknown-parameter': {
    status: 400,
    code: 'BAD_PARAMETER',
    message: ({ parameter, similar, known }) =>
      `There is no parameter ${displayed(parameter)} here. ${
        similar.length > 0
          ? `Did you mean ${similar.join(', ')}?`
          : known.length > 0
            ? `Known: ${known.join(', ')}.`
            : 'There is none at all.'
      }`,
  },
  'bad-query': {
    status: 400,
    code: 'BAD_QUERY',
    message: ({ detail, position, field = '' }) =>
      position < 0
        ? `The parameter ${displayed(field)} cannot be read: ${sentence(detail)}`
        : `The query cannot be read at position ${position}: ${sentence(detail)}`,
  },
  'malformed-request': {
    status: 400,
    code: 'BAD_REQUEST',
    message: ({ detail }) => `This is not an HTTP request that the server can read: ${detail}.`,
  },
  'request-timeout': {
    status: 408,
    code: 'REQUEST_TIMEOUT',
    message: ({ afterSeconds }) => `The request did not arrive whole within ${waitingTime(afterSeconds)}.`,
  },
  'uri-too-long': {
    status: 414,
    code: 'URI_TOO_LONG',
    message: ({ maxBytes }) =>
      `The URL is longer than ${maxBytes} bytes. Send the parameters as JSON to POST /rest/v1/table/{table}/query.`,
  },
  'headers-too-large': {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: ({ maxBytes }) =>
      `The URL and the headers together are larger than ${maxBytes} bytes. ` +
      'Send long parameters as JSON to POST /rest/v1/table/{table}/query.',
  },
  'body-too-large': {
    status: 413,
    code: 'BODY_TOO_LARGE',
    message: ({ maxBytes }) => `The body is larger than ${maxBytes} bytes.`,
  },
  'unsupported-media-type': {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: ({ found, expected }) => `Send ${expected}; found ${displayed(found)}.`,
  },
  'not-acceptable': {
    status: 406,
    code: 'NOT_ACCEPTABLE',
    message: ({ found, offered }) =>
      `The response is ${offered}, which the Accept header does not allow: ${displayed(found)}.`,
  },
  'no-such-path': {
    status: 404,
    code: 'PATH_NOT_FOUND',
    message: ({ path }) => `Nothing is served at ${displayed(path)}. GET /openapi.json lists every path.`,
  },
  'method-not-allowed': {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: ({ method, allowed }) => `${method} is not allowed here; allowed: ${allowed.join(', ')}.`,
  },
  unauthenticated: {
    status: 401,
    code: 'UNAUTHENTICATED',
    message: ({ reason }) => UNAUTHENTICATED[reason],
  },
  'too-many-attempts': {
    status: 429,
    code: 'TOO_MANY_ATTEMPTS',
    message: ({ retryAfterSeconds }) => `Too many failed logins. Try again in ${waitingTime(retryAfterSeconds)}.`,
  },
  'too-many-requests': {
    status: 429,
    code: 'TOO_MANY_REQUESTS',
    message: ({ retryAfterSeconds }) => `Too many requests. Try again in ${waitingTime(retryAfterSeconds)}.`,
  },
  'table-denied': {
    status: 403,
    code: 'ACCESS_DENIED',
    message: ({ action, table }) => `You have no access to ${action} the records of the table ${displayed(table)}.`,
  },
  'column-denied': {
    status: 403,
    code: 'ACCESS_DENIED',
    message: ({ action, table, column, where }) =>
      `You have no access to ${action} the column ${displayed(column)} of the table ${displayed(table)}` +
      `${NAMED_IN[where]}.`,
  },
  'record-denied': {
    status: 403,
    code: 'ACCESS_DENIED',
    message: ({ action, table }) => `You have no access to ${action} this record of the table ${displayed(table)}.`,
  },
  'write-denied': { status: 403, code: 'ACCESS_DENIED', message: ({ detail }) => sentence(detail) },
  'role-needed': {
    status: 403,
    code: 'ACCESS_DENIED',
    message: ({ roles, to }) => `You need the role ${roles.join(' or ')} to ${to}.`,
  },
  'cross-site-write': {
    status: 403,
    code: 'ACCESS_DENIED',
    message: () =>
      'A page of another origin cannot write with Basic credentials that a browser remembers. ' +
      'Use an access key, or have an administrator add the origin to DOCKET_ALLOWED_ORIGINS.',
  },
  'not-own-page': {
    status: 403,
    code: 'ACCESS_DENIED',
    message: () =>
      'A browser session is for pages of this server: requests that write need its Origin and the header X-Docket-Console. ' +
      'Behind a proxy, DOCKET_BASE_URL says which address is its own.',
  },
  'key-narrowed': {
    status: 403,
    code: 'ACCESS_DENIED',
    message: ({ to }) =>
      `A narrowed API key cannot ${to}. ` +
      'Use a password or a session, or a key that has all roles of its user and a life of at least 90d.',
  },
  'client-token': {
    status: 403,
    code: 'ACCESS_DENIED',
    message: ({ to }) =>
      `An access token of an OAuth client cannot ${to}: that would outlive the client. Use a password, a session or an API key.`,
  },
  'table-not-found': {
    status: 404,
    code: 'TABLE_NOT_FOUND',
    message: ({ table, similar }) =>
      `There is no table ${displayed(table)}.${similar.length === 0 ? '' : ` Did you mean ${similar.join(', ')}?`}`,
  },
  'record-not-found': {
    status: 404,
    code: 'RECORD_NOT_FOUND',
    message: ({ table, sysId }) => `The table ${displayed(table)} has no record ${displayed(sysId)} that you may read.`,
  },
  'thing-not-found': {
    status: 404,
    code: 'NOT_FOUND',
    message: ({ thing, name }) => `There is no ${thing} ${displayed(name)}.`,
  },
  'not-unique': {
    status: 409,
    code: 'CONFLICT',
    message: ({ table, field }) =>
      `Another record of the table ${displayed(table)} has this value of ${displayed(field)}, which must be unique.`,
  },
  'still-referenced': {
    status: 409,
    code: 'CONFLICT',
    message: ({ by, denied }) =>
      `The record cannot be deleted: records of ${displayed(by)} refer to it${denied === undefined ? '' : `, and you may not ${denied === 'delete' ? 'delete' : 'change'} them all`}.`,
  },
  'too-many-dependents': {
    status: 422,
    code: 'TOO_MANY_DEPENDENTS',
    message: ({ max }) =>
      `The record cannot be deleted at once: more than ${max} records that refer to it would be changed or deleted. Change or delete some of them first.`,
  },
  'would-lose': {
    status: 409,
    code: 'WOULD_LOSE_DATA',
    message: ({ losses }) =>
      `Nothing was changed, because this would be lost: ${losses.map(({ name, what, count }) => `${count} ${what} of ${name}`).join('; ')}. ` +
      `To lose it, send the request again with sysparm_confirm=${losses.map(({ name }) => name).join(',')}.`,
  },
  'precondition-failed': {
    status: 412,
    code: 'PRECONDITION_FAILED',
    message: () => 'The file is not the one that If-Match names.',
  },
  'unsatisfiable-range': {
    status: 416,
    code: 'RANGE_NOT_SATISFIABLE',
    message: ({ size }) => `The range begins after the end of the file, which has ${size} bytes.`,
  },
  stale: {
    status: 409,
    code: 'CONFLICT',
    message: ({ sysId }) =>
      `The record ${displayed(sysId)} has changed since it was read: If-Match does not match. Read it again.`,
  },
  conflict: { status: 409, code: 'CONFLICT', message: ({ detail }) => sentence(detail) },
  'count-differs': {
    status: 409,
    code: 'CONFLICT',
    message: ({ found, expected }) =>
      `The query finds ${found} records, and expected_count is ${expected}. Nothing was written.`,
  },
  'too-many-records': {
    status: 422,
    code: 'TOO_MANY_RECORDS',
    message: ({ max }) =>
      `The query finds more than ${max} records, the most that one request changes (property rest.bulk.max). Nothing was written; narrow the query.`,
  },
  'invalid-value': {
    status: 422,
    code: 'INVALID_VALUE',
    message: ({ field, detail }) => `The value of ${displayed(field)} is rejected: ${sentence(detail)}`,
  },
  'unreadable-document': {
    status: 422,
    code: 'UNREADABLE_DOCUMENT',
    message: ({ detail, cause, stage }) =>
      `No text can be read from the document: ${detail} (${cause}, stage ${stage}).`,
  },
  'over-budget': {
    status: 422,
    code: 'OVER_BUDGET',
    message: ({ detail }) => `The request was ended because it costs too much: ${detail}.`,
  },
  'index-building': {
    status: 503,
    code: 'INDEX_BUILDING',
    message: ({ percent, retryAfterSeconds }) =>
      `The search index of this server is being built: ${percent} % are done. Try again in ${waitingTime(retryAfterSeconds)}.`,
  },
  unavailable: { status: 503, code: 'UNAVAILABLE', message: ({ detail }) => sentence(detail) },
}

const NAMED_IN: { readonly [W in ProblemOf<'column-denied'>['where']]: string } = {
  query: ', which the query names',
  order: ', which the order names',
  fields: ', which the fields name',
  body: '',
}

const UNAUTHENTICATED: { readonly [R in ProblemOf<'unauthenticated'>['reason']]: string } = {
  missing:
    'Credentials are needed: the header Authorization with Bearer <access key> or Basic, or X-API-Key. ' +
    'POST /v1/auth/login gives an access key.',
  wrong: 'The credentials are wrong.',
  expired: 'The access key has expired or was revoked. POST /v1/auth/login gives a new one.',
  malformed:
    'The credentials cannot be read. Send Authorization: Bearer <access key> or Authorization: Basic <base64>.',
  'other-user': 'The session of this browser is of another user than the header X-Docket-User names. Sign in again.',
}

/** The response for internal errors; the cause is in the log, under the same request id. */
export const INTERNAL = {
  status: 500,
  code: 'INTERNAL',
  message: 'The server failed. The log tells why, under the request id of this response.',
} as const

/** A status, headers and the whole JSON text. */
export interface ErrorResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface ErrorOptions {
  /** Of the message; code, field and position are the same in every language. */
  readonly language?: 'en' | 'ru'
  /** Address that explains a denial; null or absent: none. */
  readonly explain?: string | null
}

export function problemResponse(problem: Problem, requestId: string, options: ErrorOptions = {}): ErrorResponse {
  const { language = 'en', explain = null } = options
  const { status, error } = describeProblem(problem, language)
  const entry = explain === null ? error : { ...error, explain }
  return { status, headers: headersOf(problem), body: envelope(entry, requestId) }
}

/** The status of a problem and its entry in `errors`. */
export function describeProblem(
  problem: Problem,
  language: 'en' | 'ru',
): { readonly status: number; readonly error: ErrorEntry } {
  const { message, code } = errorOf(problem, language)
  const { record } = problem
  const about = record === undefined ? {} : { record }
  const named = record === undefined ? '' : `${language === 'ru' ? 'Запись' : 'Record'} ${displayed(record)}: `
  const text = `${named}${message}`
  const error = { message: text, code, ...placeOf(problem), ...reasonOf(problem), ...about, ...numbersOf(problem) }
  return { status: WORDINGS[problem.kind].status, error }
}

function numbersOf(problem: Problem): Pick<ErrorEntry, 'found' | 'expected' | 'percent'> {
  if (problem.kind === 'index-building') return { percent: problem.percent }
  return problem.kind === 'count-differs' ? { found: problem.found, expected: problem.expected } : {}
}

/** The field that the problem is about, if there is one. */
export function fieldOf(problem: Problem): { readonly field?: string } {
  const { field } = placeOf(problem)
  return field === undefined ? {} : { field }
}

/** A problem without its status, for a successful response that reports it. */
export function errorOf(
  problem: Problem,
  language: 'en' | 'ru' = 'en',
): { readonly message: string; readonly code: string } {
  const { code, message } = WORDINGS[problem.kind]
  // The table gives each kind a wording of its own problem; TypeScript cannot follow the pairing through an index.
  return {
    message: language === 'ru' ? russianMessageOf(problem) : (message as (problem: Problem) => string)(problem),
    code,
  }
}

export function internalErrorResponse(requestId: string, language: 'en' | 'ru' = 'en'): ErrorResponse {
  const message = language === 'ru' ? RUSSIAN_INTERNAL : INTERNAL.message
  return { status: INTERNAL.status, headers: {}, body: envelope({ message, code: INTERNAL.code }, requestId) }
}

/** A whole HTTP/1.1 message, for a connection on which no request could be parsed. */
export function rawResponse(response: ErrorResponse): string {
  return [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? 'Error'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(response.body)}`,
    'Connection: close',
    '',
    response.body,
  ].join('\r\n')
}

export interface ErrorEntry {
  readonly message: string
  readonly code: string
  readonly field?: string
  readonly position?: number
  readonly reason?: ConflictReason
  /** sys_id of the record, if the request does not contain it. */
  readonly record?: string
  /** How many records a bulk request matches, and how many its caller expects. */
  readonly found?: number
  readonly expected?: number
  /** How much of the search index is built. */
  readonly percent?: number
  /** Address that explains which rules deny the request; only for callers who may see it. */
  readonly explain?: string
}

/** Why a request contradicts what is stored: every 409 has one (docs/spec/records.md, section 8; `loss` and `conflict` are ours). */
export type ConflictReason = 'stale' | 'duplicate' | 'referenced' | 'loss' | 'conflict' | 'count'

const REASONS: { readonly [K in ProblemKind]?: ConflictReason } = {
  stale: 'stale',
  'not-unique': 'duplicate',
  'still-referenced': 'referenced',
  'would-lose': 'loss',
  conflict: 'conflict',
  'count-differs': 'count',
}

export function reasonOf({ kind }: Problem): { readonly reason?: ConflictReason } {
  const reason = REASONS[kind]
  return reason === undefined ? {} : { reason }
}

// The root repeats the first message: old clients read it there (docs/spec/records.md, section 1).
const envelope = (entry: ErrorEntry, requestId: string): string =>
  JSON.stringify({
    status: 'ERROR',
    error_type: 'SERVER',
    message: entry.message,
    errors: [entry],
    request_id: requestId,
  })

/** The field and the position, if the problem has them. */
function placeOf(problem: Problem): { readonly field?: string; readonly position?: number } {
  switch (problem.kind) {
    case 'bad-json':
    case 'bad-query':
      return {
        ...(problem.field === undefined ? {} : { field: problem.field }),
        ...(problem.position === undefined || problem.position < 0 ? {} : { position: problem.position }),
      }
    case 'bad-parameter':
      return {
        field: parameterName(problem.parameter),
        ...(problem.position === undefined ? {} : { position: problem.position }),
      }
    case 'unknown-parameter':
      return { field: problem.parameter }
    case 'column-denied':
      return {
        field: problem.column,
        ...(problem.position === undefined ? {} : { position: problem.position }),
      }
    case 'not-unique':
    case 'invalid-value':
    case 'write-denied':
      return { field: problem.field }
    default:
      return {}
  }
}

const NO_HEADERS = {}
const CHALLENGE = { 'www-authenticate': 'Bearer realm="Docket", Basic realm="Docket", charset="UTF-8"' }

/** Lower-case names. */
export function headersOf(problem: Problem): Readonly<Record<string, string>> {
  switch (problem.kind) {
    case 'unauthenticated':
      return CHALLENGE
    case 'method-not-allowed':
      return { allow: problem.allowed.join(', ') }
    case 'unsatisfiable-range':
      return { 'content-range': `bytes */${problem.size}`, 'accept-ranges': 'bytes' }
    case 'too-many-attempts':
    case 'too-many-requests':
    case 'index-building':
    case 'unavailable':
      return { 'retry-after': String(problem.retryAfterSeconds) }
    default:
      return NO_HEADERS
  }
}

const longestEcho = 200

/** A value that a caller sent, shortened: an error must not repeat a megabyte. */
const displayed = (text: string): string => (text.length <= longestEcho ? text : `${text.slice(0, longestEcho)}…`)

function waitingTime(seconds: number): string {
  const { count, unit } = timeToWait(seconds)
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}

const sentence = (detail: string): string => (/[.?]$/.test(detail) ? detail : `${detail}.`)
