import { DeletedEnvelope } from '../../contract/envelope.ts'
import { CALLER_AS_OF_EPOCH } from '../../http/endpoint/access.ts'
import type { Limit } from '../../http/endpoint/declare.ts'
import { declare, type Endpoint, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { schemaRef } from '../../http/openapi/json-schema.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { MAX_FIELDS } from '../../records/authorize/authorize-fields.ts'
import { MAX_DEPENDENTS } from '../../records/delete/collect-dependents.ts'
import type { Operation } from '../../records/parse/record-request.ts'
import { MAX_REFERENCES } from '../../records/plan/join-limit.ts'
import { RECORD_PATH, TABLE_PATH } from '../record-path.ts'
import { serviceCaller } from '../service-caller.ts'
import { IDEMPOTENCY_KEY, IF_MATCH, parametersOf } from './record-parameters.ts'
import { unlessKnown, withTag } from './record-tags.ts'
import type { RespondWithRecords } from './respond-with-records.ts'

export interface RecordDeps {
  readonly respondWithRecords: RespondWithRecords
}

const tablePath = '/rest/v1/table/{table}'
const recordPath = `${tablePath}/{sys_id}`
const listHeaders = [
  'X-Total-Count',
  'X-Total-Count-Over',
  'Link',
  'X-Next-Cursor',
  'X-Limit-Clamped',
  'X-Text-Cut',
  'X-History-Removed-Before',
  'X-Ignored-Parameters',
]
const recordHeaders = ['ETag', 'X-Ignored-Parameters']

/** Limits of each request that reads or writes records. */
export const RECORD_LIMITS: readonly Limit[] = [
  { name: 'fields of a request', value: MAX_FIELDS, unit: 'fields', status: 400 },
  { name: 'references that a request walks through', value: MAX_REFERENCES, unit: 'references', status: 422 },
]

/** Common part of the operations of the Table API. Each statement passes the statement gate separately (service-caller.ts). */
export const shared = {
  access: CALLER_AS_OF_EPOCH,
  tag: 'Records',
  input: {},
  limits: RECORD_LIMITS,
  texts: 'described',
  isNegotiated: true,
  isGated: false,
} as const

/** A handler that sends a request of this operation to the record service. */
export function respondTo(operation: Operation) {
  return ({ respondWithRecords }: RecordDeps, _input: unknown, request: EndpointRequest) =>
    respond(respondWithRecords, operation, request)
}

async function respond(
  respondWithRecords: RespondWithRecords,
  operation: Operation,
  request: EndpointRequest,
): Promise<Result<EndpointResponse, Problem>> {
  const { table = '', sys_id: sysId = null } = request.path as { readonly table?: string; readonly sys_id?: string }
  const { headers, texts: parameters, body } = request
  const ifMatch = headers['if-match'] ?? null
  const received = { operation, table, sysId, ifMatch, idempotencyKey: idempotencyKeyOf(request), parameters, body }
  const responded = await respondWithRecords(received, serviceCaller(request))
  if (!responded.ok) return responded
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const tagged = withTag(responded.value, isRead)
  return succeed({ whole: isRead ? unlessKnown(tagged, headers['if-none-match']) : tagged })
}

/** null: not sent, or sent more than once. */
export function idempotencyKeyOf({ headers }: EndpointRequest): string | null {
  const given = headers['idempotency-key']
  return typeof given === 'string' ? given : null
}

const body = { required: true, content: { 'application/json': { schema: schemaRef('AnyBody') } } }

const listEndpoint = declare({
  ...shared,
  id: 'list',
  path: tablePath,
  methods: ['GET'],
  summary: 'Read records',
  description: 'The records that match and that the caller may read, in the order of the query.',
  receives: 'nothing',
  parameters: parametersOf('list'),
  inPath: TABLE_PATH,
  output: { name: 'AnyRecords' },
  outputHeaders: listHeaders,
  errors: [403, 404, 422],
  handle: respondTo('list'),
})

const queryEndpoint = declare({
  ...shared,
  id: 'query',
  path: `${tablePath}/query`,
  methods: ['POST'],
  summary: 'Read records, with parameters too long for a URL',
  description: 'The parameters of the list as members of a JSON object; lists may be written as arrays.',
  receives: 'texts',
  requestBody: { required: true, content: { 'application/json': { schema: schemaRef('QueryBody') } } },
  inPath: TABLE_PATH,
  output: { name: 'AnyRecords' },
  outputHeaders: listHeaders,
  errors: [403, 404],
  handle: respondTo('list'),
})

const createEndpoint = declare({
  ...shared,
  id: 'create',
  path: tablePath,
  methods: ['POST'],
  summary: 'Create one record',
  description: 'Takes values; a reference also {"find":{"user_name":"anna"}}, which must meet exactly one record.',
  receives: 'exact-json',
  parameters: [...parametersOf('create'), IDEMPOTENCY_KEY],
  requestBody: body,
  inPath: TABLE_PATH,
  output: { name: 'AnyRecords' },
  outputHeaders: recordHeaders,
  errors: [403, 404, 409],
  handle: respondTo('create'),
})

const readEndpoint = declare({
  ...shared,
  id: 'read',
  path: recordPath,
  methods: ['GET'],
  summary: 'Read one record',
  description: 'An array with the record. A record that the caller may not read is 404.',
  receives: 'nothing',
  parameters: parametersOf('read'),
  inPath: RECORD_PATH,
  output: { name: 'AnyRecords' },
  outputHeaders: recordHeaders,
  errors: [403, 404, 422],
  handle: respondTo('read'),
})

function writeEndpoint(
  operation: 'put' | 'patch',
  about: { readonly summary: string; readonly description: string },
): Endpoint<RecordDeps> {
  return declare({
    ...shared,
    ...about,
    id: operation,
    path: recordPath,
    methods: [operation === 'put' ? 'PUT' : 'PATCH'],
    receives: 'exact-json',
    parameters: [...parametersOf(operation), IF_MATCH],
    requestBody: body,
    inPath: RECORD_PATH,
    output: { name: 'AnyRecords' },
    outputHeaders: recordHeaders,
    errors: [403, 404, 409],
    handle: respondTo(operation),
  })
}

const putEndpoint = writeEndpoint('put', {
  summary: 'Write new values of columns',
  description: 'Changes the named columns only; takes values, no instructions.',
})

const patchEndpoint = writeEndpoint('patch', {
  summary: 'Change columns of a record',
  description:
    'Column names and either values, as for PUT, or instructions: {"clear":true}, {"increment":n}, {"append":"…"}, ' +
    '{"prepend":"…"}, {"add":[…]}, {"remove":[…]}, {"set":[…]}, {"merge":{…}}, {"message":"…"}, {"find":{"user_name":"anna"}}. ' +
    'Several instructions for one column are all applied.',
})

const deleteEndpoint = declare({
  ...shared,
  id: 'delete',
  path: recordPath,
  methods: ['DELETE'],
  summary: 'Delete a record',
  description:
    'Records that refer to it block the delete, are deleted too, or lose the reference, depending on on_delete of the column.',
  receives: 'nothing',
  parameters: [...parametersOf('delete'), IF_MATCH],
  inPath: RECORD_PATH,
  output: DeletedEnvelope,
  errors: [403, 404, 409, 422],
  limits: [
    ...RECORD_LIMITS,
    {
      name: 'records that a delete changes or deletes besides its own',
      value: MAX_DEPENDENTS,
      unit: 'records',
      status: 422,
    },
  ],
  handle: respondTo('delete'),
})

/** The Table API: docs/spec/records.md, section 3. */
export const recordEndpoints: readonly Endpoint<RecordDeps>[] = [
  listEndpoint,
  createEndpoint,
  queryEndpoint,
  readEndpoint,
  putEndpoint,
  patchEndpoint,
  deleteEndpoint,
]
