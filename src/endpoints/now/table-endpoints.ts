import type { Face } from '../../catalog/vocabulary.ts'
import { givenIdIn } from '../../column-types/served-id.ts'
import { type Access, CALLER_AS_OF_EPOCH } from '../../http/endpoint/access.ts'
import { declare, type Endpoint, type EndpointResponse, type Method } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { Operation } from '../../records/parse/record-request.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { RecordService } from '../../records/record-service.ts'
import { TABLE_PATH } from '../record-path.ts'
import { idempotencyKeyOf } from '../records/record-endpoints.ts'
import { unlessKnown, withTag } from '../records/record-tags.ts'
import { serviceCaller } from '../service-caller.ts'
import { addGivenIds } from './given-id-columns.ts'
import { nowErrors, ROOT } from './now-errors.ts'
import { parseTableRequest } from './parse-table-request.ts'
import { tableResponse } from './table-response.ts'
import { withTinyAddress } from './tiny-addresses.ts'

/** Dependencies of the operations of this API. */
export interface NowDeps {
  readonly records: RecordDeps
  readonly face: Face
}

/** Credentials are Basic, a key, or a token; cookies of ServiceNow's clients are ignored here. */
export const NOW_ACCESS: Access = {
  ...CALLER_AS_OF_EPOCH,
  keyIn: [{ in: 'header', name: 'x-sn-apikey' }],
  ignoresCookies: true,
}

/** Each operation has one address without a version, and two with one. */
const VERSIONS = ['', '/v1', '/v2'] as const

/** The addresses of an operation. */
export const versions = (path: string): { readonly path: string; readonly alsoAt: readonly string[] } => {
  const [first = '', ...others] = VERSIONS.map((version) => `${ROOT}${version}${path}`)
  return { path: first, alsoAt: others }
}

function tableEndpoint(
  operation: Operation,
  methods: readonly Method[],
  about: Pick<Endpoint<NowDeps>, 'id' | 'summary' | 'description' | 'errors'>,
): Endpoint<NowDeps> {
  const isOfRecord = operation !== 'list' && operation !== 'create'
  const hasBody = operation === 'create' || operation === 'put'
  return declare({
    ...about,
    ...versions(isOfRecord ? '/table/{table}/{sys_id}' : '/table/{table}'),
    methods,
    tag: 'ServiceNow',
    access: NOW_ACCESS,
    input: {},
    texts: 'described',
    receives: hasBody ? 'exact-json' : 'nothing',
    isNegotiated: true,
    inPath: isOfRecord ? { ...TABLE_PATH, sys_id: '32 hexadecimal digits.' } : TABLE_PATH,
    output: null,
    errorFormat: nowErrors,
    isUndescribed: true,
    isGated: false,
    handle: (deps: NowDeps, _input, request) => respond(deps, operation, request),
  })
}

async function respond(
  { records, face }: NowDeps,
  operation: Operation,
  request: EndpointRequest,
): Promise<Result<EndpointResponse, Problem>> {
  const { table = '', sys_id: sysId = null } = request.path as { readonly table?: string; readonly sys_id?: string }
  const { headers, texts, body, baseUrl, route, id, principal } = request
  const lists = operation === 'list' && texts.has('sysparm_tiny')
  const expanded = lists ? await withTinyAddress(texts, principal.userId, records.database) : succeed(texts)
  if (!expanded.ok) return expanded
  const ifMatch = headers['if-match'] ?? null
  const received = {
    operation,
    table,
    sysId,
    ifMatch,
    idempotencyKey: idempotencyKeyOf(request),
    parameters: expanded.value,
    body,
  }
  const parsed = parseTableRequest(received, face)
  if (!parsed.ok) return parsed
  const service = new RecordService(records, serviceCaller(request))
  const kept = operation === 'create' ? await keepGivenId({ records, face }, service, request, table) : succeed(null)
  if (!kept.ok) return kept
  const result = await service.send(parsed.value.request)
  if (!result.ok) return result
  const root = route.slice(0, route.indexOf('/{table}'))
  const response = tableResponse(result.value, {
    ...parsed.value,
    parameters: texts,
    table,
    baseUrl,
    root,
    requestId: id,
  })
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const tagged = withTag(response, isRead && response.status === 200)
  return succeed({ whole: isRead ? unlessKnown(tagged, headers['if-none-match']) : tagged })
}

/** An administrator who gives a sys_id that no record of ours has: the table gets a column for such ids. */
async function keepGivenId(
  deps: NowDeps,
  service: RecordService,
  { body, principal }: EndpointRequest,
  name: string,
): Promise<Result<null, Problem>> {
  const given = typeof body === 'object' && body !== null && 'sys_id' in body ? body.sys_id : undefined
  if (typeof given !== 'string' || !principal.roles.has('admin')) return succeed(null)
  const names = deps.face.namesIn(await deps.records.catalog.upToDate())
  const table = names.tableNamed(name)
  if (table === undefined || givenIdIn(given, table.key, names.idPrefix) === null) return succeed(null)
  const added = await addGivenIds(deps, service, table)
  return added.ok ? succeed(null) : added
}

/** ServiceNow's Table API over the record service. */
export const nowTableEndpoints: readonly Endpoint<NowDeps>[] = [
  tableEndpoint('list', ['GET'], {
    id: 'now-list',
    summary: 'Read records',
    description: 'The records that match and that the caller may read.',
    errors: [400, 403, 404],
  }),
  tableEndpoint('create', ['POST'], {
    id: 'now-create',
    summary: 'Create a record',
    description: 'Columns and values, as texts.',
    errors: [400, 403],
  }),
  tableEndpoint('read', ['GET'], {
    id: 'now-read',
    summary: 'Read a record',
    description: 'One record, as an object.',
    errors: [400, 403, 404],
  }),
  tableEndpoint('put', ['PUT', 'PATCH'], {
    id: 'now-update',
    summary: 'Change columns of a record',
    description: 'Changes the named columns only. PUT and PATCH are the same.',
    errors: [400, 403, 404, 409],
  }),
  tableEndpoint('delete', ['DELETE'], {
    id: 'now-delete',
    summary: 'Delete a record',
    description: 'Responds with 204.',
    errors: [400, 403, 404],
  }),
]
