import type { Action, Problem, ProblemKind, ProblemOf } from '../kernel/problem.ts'

/** A problem as displayed to clients of ServiceNow. */
export interface NowError {
  readonly status: number
  readonly message: string
  readonly detail: string | null
}

/** @param sentence the message of the native API */
type Wording<K extends ProblemKind> = (problem: ProblemOf<K>, sentence: string) => NowError
type Wordings = { readonly [K in ProblemKind]: Wording<K> }

const as =
  (status: number, message: string) =>
  (_problem: Problem, sentence: string): NowError => ({ status, message, detail: sentence })

const FAILED = 'Operation Failed'
const INVALID = 'Invalid value'
const NO_RECORD = 'No Record found'
const NO_URI = 'Requested URI does not represent any resource'
const INSUFFICIENT = 'Insufficient rights to query records'

const noRecord = (): NowError => ({
  status: 404,
  message: NO_RECORD,
  detail: "Record doesn't exist or ACL restricts the record retrieval",
})

const DENIED: { readonly [A in Action]: string } = {
  create: 'ACL Exception Insert Failed due to security constraints',
  write: 'ACL Exception Update Failed due to security constraints',
  delete: 'ACL Exception Delete Failed due to security constraints',
  read: "Record doesn't exist or ACL restricts the record retrieval",
}
const denied = (action: Action): NowError => ({ status: 403, message: FAILED, detail: DENIED[action] })

/**
 * Status, message and detail of each problem. Clients do not handle 422, nor 409 (which some of them retry) except for a stale
 * record. A kind without an entry does not compile.
 */
export const WORDINGS: Wordings = {
  'bad-json': as(400, 'Exception while reading request'),
  'bad-body': as(400, 'Exception while reading request'),
  'bad-parameter': ({ parameter, found }, sentence) =>
    typeof parameter === 'string' && parameter.endsWith('_offset') && found.startsWith('-')
      ? { status: 400, message: `offset is ${found}`, detail: 'Negative offset is not supported' }
      : { status: 400, message: INVALID, detail: sentence },
  'unknown-parameter': as(400, INVALID),
  'bad-query': as(400, 'Invalid query'),
  'malformed-request': as(400, 'Exception while reading request'),
  'request-timeout': as(408, 'Request timed out'),
  'uri-too-long': as(414, 'URI too long'),
  'headers-too-large': as(431, 'Headers too large'),
  'body-too-large': as(413, 'Request body too large'),
  'unsupported-media-type': as(415, 'Unsupported media type'),
  'not-acceptable': as(406, 'Not acceptable'),
  'no-such-path': ({ path }) => ({
    status: 400,
    message: NO_URI,
    detail: `Nothing is served at ${path.slice(0, 200)}. Records are at /api/now/table/{table} and /api/now/table/{table}/{sys_id}.`,
  }),
  'method-not-allowed': as(405, 'Method not allowed'),
  unauthenticated: () => ({
    status: 401,
    message: 'User Not Authenticated',
    detail: 'Required to provide Auth information',
  }),
  'too-many-attempts': as(429, 'Too many requests'),
  'too-many-requests': as(429, 'Too many requests'),
  'table-denied': ({ action, table }) =>
    action === 'read' ? { status: 403, message: INSUFFICIENT, detail: table } : denied(action),
  'column-denied': ({ action, column, where }) =>
    where === 'body'
      ? denied(action)
      : {
          status: 403,
          message: INSUFFICIENT,
          detail: `Field(s) present in the query do not have permission to be read: ${column}`,
        },
  'record-denied': ({ action }) => denied(action),
  'write-denied': as(403, FAILED),
  'role-needed': as(403, FAILED),
  'cross-site-write': as(403, FAILED),
  'not-own-page': as(403, FAILED),
  'key-narrowed': as(403, FAILED),
  'client-token': as(403, FAILED),
  'table-not-found': ({ table }) => ({ status: 400, message: `Invalid table ${table}`, detail: null }),
  'record-not-found': noRecord,
  'thing-not-found': noRecord,
  'not-unique': as(403, FAILED),
  'still-referenced': as(403, FAILED),
  'too-many-dependents': as(403, FAILED),
  'would-lose': as(403, FAILED),
  'precondition-failed': as(412, 'Precondition failed'),
  'unsatisfiable-range': as(416, 'Range not satisfiable'),
  stale: as(409, FAILED),
  conflict: as(403, FAILED),
  'count-differs': as(403, FAILED),
  'too-many-records': as(400, INVALID),
  'invalid-value': ({ ofRecord }, sentence) => ({
    ...(ofRecord === true ? { status: 403, message: FAILED } : { status: 400, message: INVALID }),
    detail: sentence,
  }),
  'unreadable-document': as(400, INVALID),
  'over-budget': as(400, 'Transaction cancelled: maximum execution time exceeded'),
  'index-building': as(503, 'Service unavailable'),
  unavailable: as(503, 'Service unavailable'),
}

export function wordingOf(problem: Problem, sentence: string): NowError {
  // The table maps each kind to a function for its own problem; TypeScript cannot follow this through an index.
  return (WORDINGS[problem.kind] as Wording<ProblemKind>)(problem as never, sentence)
}

/** A list without results, under v1. */
export const NOTHING_FOUND: NowError = { status: 404, message: NO_RECORD, detail: null }

/** A request to the Aggregate API without an aggregate. */
export const NO_AGGREGATE: NowError = {
  status: 400,
  message: 'No request parameter for aggregate operation specified',
  detail: null,
}

export const OFF = {
  message: (path: string): string => `Nothing is served at ${path.slice(0, 200)}`,
  detail:
    'This server does not have the ServiceNow API. The Table API is at /rest/v1/table/{table}, and GET /openapi.json describes it.',
} as const
