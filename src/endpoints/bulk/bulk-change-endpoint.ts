import { findUnknownParameter } from '../../catalog/find-unknown-parameter.ts'
import type { EncodedQuery } from '../../condition/condition-tree.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { BulkChangeBody, BulkChangeEnvelope, type BulkChangeResponse } from '../../contract/bulk.ts'
import { declare } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { schemaRef } from '../../http/openapi/json-schema.ts'
import { nameOfShape } from '../../http/request/name-of-shape.ts'
import { errorOf, fieldOf } from '../../http/response/error-messages.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { ManyChanged } from '../../records/change-many.ts'
import { MAX_DEPENDENTS_OF_MANY } from '../../records/delete/delete-of-many.ts'
import { parseRecordRequest } from '../../records/parse/parse-record-request.ts'
import type { RecordRequest } from '../../records/parse/record-request.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { RecordService } from '../../records/record-service.ts'
import { TABLE_PATH } from '../record-path.ts'
import { idempotencyKeyOf } from '../records/record-endpoints.ts'
import { serviceCaller } from '../service-caller.ts'
import { flag } from './bulk-input.ts'

/** Changes or deletes all records that a query finds, or none (docs/changes.md). */
export const bulkChangeEndpoint = declare({
  id: 'bulk',
  path: '/rest/v1/bulk/{table}',
  methods: ['POST'],
  tag: 'Bulk',
  summary: 'Change or delete all records that a query finds',
  description:
    'All of them or none, in one transaction, with the rights and rules of single writes. An error names the record. A bound on the number ' +
    'of records is in /limits.',
  // records/parse/ reads this parameter with the values of the body.
  input: {
    sysparm_input_display_value: flag('1: values are display values, with times in the time zone of the caller.'),
  },
  headers: {
    'Idempotency-Key': 'The same request with the same key gets the first response for a day, and writes nothing.',
  },
  receives: 'exact-json',
  requestBody: { required: true, content: { 'application/json': { schema: schemaRef('BulkChange') } } },
  inPath: TABLE_PATH,
  output: BulkChangeEnvelope,
  errors: [403, 404, 409],
  limits: [
    {
      name: 'records that a bulk request changes or deletes besides those that it finds',
      value: MAX_DEPENDENTS_OF_MANY,
      unit: 'records',
      status: 422,
    },
  ],
  isGated: false,
  async handle({ records }: { readonly records: RecordDeps }, _input, request) {
    const read = readBulk(request.body)
    if (!read.ok) return read
    const parsed = readWrite(read.value, request)
    if (!parsed.ok) return parsed
    const { action, values: _, ...many } = read.value
    const changed = await new RecordService(records, serviceCaller(request)).changeMany(parsed.value, many)
    if (!changed.ok) return changed
    const rendering = { isDry: many.isDry, isDelete: action === 'delete', language: request.language }
    return succeed({ data: describeChange(changed.value, rendering) })
  },
})

export const BULK_CHANGE_SCHEMAS = { BulkChange: BulkChangeBody }

/** The PATCH or DELETE that each record gets. */
function readWrite({ action, values }: Bulk, request: EndpointRequest): Result<RecordRequest, Problem> {
  const isDelete = action === 'delete'
  const parsed = parseRecordRequest({
    operation: isDelete ? 'delete' : 'patch',
    table: request.path['table'] ?? '',
    sysId: null,
    parameters: isDelete ? new Map() : request.texts,
    body: values,
    ifMatch: null,
    idempotencyKey: idempotencyKeyOf(request),
  })
  return parsed.ok ? succeed(parsed.value.request) : parsed
}

const MEMBERS = ['query', 'action', 'values', 'dry_run', 'expected_count']

/** A misspelt `dry_run` must cause an error, not a write (docs/spec/records.md, section 3). */
interface Bulk {
  readonly action: 'update' | 'delete'
  readonly query: EncodedQuery
  /** Columns and values as in a PATCH; undefined for a delete. */
  readonly values: unknown
  readonly isDry: boolean
  readonly expectedCount: number | null
}

function readBulk(body: unknown): Result<Bulk, Problem> {
  if (nameOfShape(body) !== 'an object')
    return fail({ kind: 'bad-body', expected: 'a JSON object with query and action', found: nameOfShape(body) })
  const members = body as Readonly<Record<string, unknown>>
  const unknown = findUnknownParameter(Object.keys(members), MEMBERS)
  if (unknown !== null) return fail(unknown)
  const { action, values, dry_run: dry = false, expected_count: expected = null } = members
  if (action !== 'update' && action !== 'delete') return bad('action', action, 'update or delete')
  const query = readQuery(members['query'])
  if (!query.ok) return query
  const hasValues = nameOfShape(values) === 'an object' && Object.keys(values as object).length > 0
  if (action === 'update' && !hasValues)
    return bad('values', values, 'an object of columns and values, with at least one')
  if (action === 'delete' && values !== undefined) return bad('values', values, 'left out for a delete')
  if (typeof dry !== 'boolean') return bad('dry_run', dry, 'true or false')
  if (expected !== null && !(Number.isSafeInteger(expected) && Number(expected) >= 0))
    return bad('expected_count', expected, 'a whole number from 0')
  const expectedCount = expected === null ? null : Number(expected)
  return succeed({ action, query: query.value, values, isDry: dry, expectedCount })
}

/** An empty query would select all records of the table. Omitting the query must not do that. */
function readQuery(query: unknown): Result<EncodedQuery, Problem> {
  const expected = 'an encoded query with a condition (sys_idISNOTEMPTY means all records)'
  if (typeof query !== 'string' || query.trim() === '') return bad('query', query, expected)
  const read = parseEncodedQuery(query)
  if (!read.ok) return read
  return read.value.where === null ? bad('query', query, expected) : read
}

function bad(parameter: string, value: unknown, expected: string): Result<never, Problem> {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  const found = isPlain && value !== '' ? String(value) : value === '' ? 'an empty text' : nameOfShape(value)
  return fail({ kind: 'bad-parameter', parameter, found, expected })
}

/** Enough to see what is wrong; the other errors have the same few reasons. */
const MAX_ERRORS = 20

interface Rendering {
  readonly isDry: boolean
  readonly isDelete: boolean
  readonly language: 'en' | 'ru'
}

function describeChange(
  { count, failures, dependents }: ManyChanged,
  { isDry, isDelete, language }: Rendering,
): BulkChangeResponse {
  const errors = failures.slice(0, MAX_ERRORS).map((problem) => ({
    record: problem.record ?? '',
    ...errorOf(problem, language),
    ...fieldOf(problem),
  }))
  return {
    count,
    dry_run: isDry,
    failed: failures.length,
    errors,
    ...(isDelete ? { dependents: [...dependents] } : {}),
  }
}
