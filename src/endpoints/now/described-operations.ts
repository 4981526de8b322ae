import type { Endpoint } from '../../http/endpoint/declare.ts'
import { type JsonObject, schemaRef } from '../../http/openapi/json-schema.ts'
import { headerRefs } from '../../http/openapi/write-openapi.ts'
import { AGGREGATES } from '../../records/parse/record-request.ts'

/** The parts of an operation in OpenAPI's form that its declaration does not have. */
type Described = Pick<Endpoint<never>, 'parameters' | 'requestBody' | 'responses'>

const parameter = (name: string, description: string, schema: JsonObject = { type: 'string' }): JsonObject => ({
  name,
  in: 'query',
  description,
  schema,
})
const FLAG: JsonObject = { type: 'string', enum: ['true', 'false', '1', '0'] }
const WHOLE: JsonObject = { type: 'integer', minimum: 0 }

const query = parameter('sysparm_query', 'An encoded query (docs/operators.md).')
const page = [
  parameter('sysparm_limit', 'Records of the page; 10,000 by default and at most. 0: only the total.', WHOLE),
  parameter('sysparm_offset', 'Records before the page.', WHOLE),
  parameter('sysparm_no_count', 'Without `X-Total-Count`.', FLAG),
  parameter('sysparm_suppress_pagination_header', 'Without `Link`.', FLAG),
]
const display = parameter('sysparm_display_value', '`true`: display values; `all`: both.', {
  type: 'string',
  enum: ['true', 'false', 'all'],
})
const output = [
  display,
  parameter('sysparm_fields', 'Columns and paths (`caller_id.name`), separated by commas.'),
  parameter('sysparm_view', 'The columns of a view, without `sysparm_fields`.'),
  parameter('sysparm_exclude_reference_link', 'References as their sys_ids alone.', FLAG),
]
const input = [
  ...output,
  parameter('sysparm_input_display_value', 'The body has titles, display values and times of the caller.', FLAG),
  parameter(
    'sysparm_suppress_auto_sys_field',
    'An administrator writes the sys_created_ and sys_updated_ columns.',
    FLAG,
  ),
]
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'For 24 hours the same request with the same key gets the first response, and nothing is created again; another request with it is 400.',
  schema: { type: 'string', maxLength: 255 },
}
const ifMatch: JsonObject = {
  name: 'If-Match',
  in: 'header',
  description: 'The `ETag` of the record as it was read; 409 if it changed.',
  schema: { type: 'string' },
}
const IGNORED = ['X-Ignored-Fields', 'X-Ignored-Parameters'] as const
const OF_LIST = [
  'X-Total-Count',
  'X-Limit-Clamped',
  'X-History-Removed-Before',
  'Link',
  'X-Ignored-Conditions',
  ...IGNORED,
] as const

const responds = (schema: string, { status = 200, headers = [] as readonly string[], description = 'Done.' } = {}) => ({
  [status]: {
    description,
    headers: headerRefs('X-Is-Logged-In', ...headers),
    content: { 'application/json': { schema: schemaRef(schema) } },
  },
})
const DELETED = { 204: { description: 'Deleted.', headers: headerRefs('X-Is-Logged-In') } }

const json = (schema: string, required = true): JsonObject => ({
  required,
  content: { 'application/json': { schema: schemaRef(schema) } },
})
const formOf = (schema: string): JsonObject => ({
  required: true,
  content: {
    'application/x-www-form-urlencoded': { schema: schemaRef(schema) },
    'application/json': { schema: schemaRef(schema) },
  },
})
const BYTES: JsonObject = { type: 'string', format: 'binary', description: 'The file.' }
const anyFile = { 'application/octet-stream': { schema: BYTES } }

/** By the id of the operation. A test compares them with the declarations. */
export const DESCRIBED: Readonly<Record<string, Described>> = {
  'now-list': {
    parameters: [
      query,
      ...page,
      ...output,
      parameter('sysparm_tiny', 'The parameters of an address that was shortened.'),
      parameter('sysparm_query_category', 'No effect.'),
    ],
    responses: responds('NowRecords', { headers: ['ETag', ...OF_LIST] }),
  },
  'now-create': {
    parameters: [...input, idempotencyKey],
    requestBody: json('NowValues', false),
    responses: responds('NowRecord', {
      status: 201,
      headers: ['ETag', 'Location', ...IGNORED],
      description: 'Created.',
    }),
  },
  'now-read': { parameters: output, responses: responds('NowRecord', { headers: ['ETag', ...IGNORED] }) },
  'now-update': {
    parameters: [...input, ifMatch],
    requestBody: json('NowValues'),
    responses: responds('NowRecord', { headers: ['ETag', ...IGNORED] }),
  },
  'now-delete': { parameters: [ifMatch], responses: DELETED },
  'now-attachments': {
    parameters: [query, ...page],
    responses: responds('NowAttachments', { headers: OF_LIST }),
  },
  'now-attachment': { responses: responds('NowAttachment') },
  'now-attachment-file': {
    responses: {
      200: {
        description: 'The file, or with `Range` a part of it (206).',
        headers: headerRefs('X-Is-Logged-In', 'X-Attachment-Metadata'),
        content: anyFile,
      },
    },
  },
  'now-attach-file': {
    parameters: [
      { ...parameter('table_name', 'The table of the record.'), required: true },
      { ...parameter('table_sys_id', 'The record.'), required: true },
      { ...parameter('file_name', 'The name of the file.'), required: true },
      idempotencyKey,
    ],
    requestBody: { required: true, content: anyFile },
    responses: responds('NowAttachment', { status: 201, headers: ['Location'], description: 'Attached.' }),
  },
  'now-attach-form': {
    parameters: [idempotencyKey],
    requestBody: { required: true, content: { 'multipart/form-data': { schema: schemaRef('NowUpload') } } },
    responses: responds('NowAttachment', { status: 201, headers: ['Location'], description: 'Attached.' }),
  },
  'now-attachment-delete': { responses: DELETED },
  'now-stats': {
    parameters: [
      query,
      parameter('sysparm_count', '`true` counts.', FLAG),
      ...AGGREGATES.map((kind) =>
        parameter(`sysparm_${kind}_fields`, `Columns of which ${kind} is computed, with commas.`),
      ),
      parameter('sysparm_group_by', 'Columns and paths, with commas; at most 10.'),
      parameter('sysparm_having', 'Such as `count^state^>^3`; several with commas.'),
      parameter('sysparm_order_by', 'Such as `COUNT^DESC` or `AVG^priority`.'),
      display,
    ],
    responses: responds('NowStats', {
      headers: ['X-Limit-Clamped', 'X-History-Removed-Before', 'X-Ignored-Conditions', ...IGNORED],
    }),
  },
  'now-current-user': { responses: responds('NowCurrentUser') },
  'now-tables': { responses: responds('NowTables') },
  'now-columns': { responses: responds('NowColumns') },
  'now-tiny-address': {
    requestBody: json('NowAddress'),
    responses: responds('NowText', { status: 201, description: 'Stored for a day.' }),
  },
  'now-batch': { requestBody: json('NowBatch'), responses: responds('NowBatchResponse') },
  'now-unload': {
    requestBody: {
      required: true,
      content: {
        'application/xml': { schema: { type: 'string' } },
        'application/json': { schema: schemaRef('NowUnload') },
      },
    },
    responses: responds('NowUnloaded'),
  },
  oauthToken: { requestBody: formOf('OauthTokenForm') },
  oauthRevoke: { requestBody: formOf('OauthRevokeForm') },
}
