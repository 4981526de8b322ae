import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findUnknownParameter } from '../../catalog/find-unknown-parameter.ts'
import type { EncodedQuery } from '../../condition/condition-tree.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import type { BulkChangeOnTheWire } from '../../contract/bulk.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { ManyChanged } from '../../records/change-many.ts'
import { parseRecordRequest } from '../../records/parse/parse-record-request.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { RecordService } from '../../records/record-service.ts'
import { errorOf, fieldOf } from '../answer/answer-problem.ts'
import { languageOf } from '../answer/send-answer.ts'
import { bodyLimits, type HttpParts } from '../http-parts.ts'
import { nameOfShape } from '../request/name-of-shape.ts'
import { readQueryString } from '../request/query-string.ts'
import { readExactJsonBody } from '../request/read-body.ts'
import { queryOf } from '../request/request-target.ts'
import { serviceCaller } from '../request/service-caller.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { answering } from './answering.ts'
import { idempotencyKeyOf } from './record-routes.ts'

interface BulkChangeDeps {
  readonly room: RecordRoom
  readonly gate: StatementGate
}

/** `POST /rest/v1/bulk/{table}`: all records that a query finds are changed or deleted, or none (docs/changes.md). */
export function addBulkChangeRoute(app: FastifyInstance, parts: HttpParts, deps: BulkChangeDeps): void {
  app.route({
    method: 'POST',
    url: '/rest/v1/bulk/:table',
    handler: answering(parts.observe, (request) => changeRecords(parts, deps, request)),
  })
}

async function changeRecords(
  parts: HttpParts,
  { room, gate }: BulkChangeDeps,
  request: FastifyRequest,
): Promise<Result<BulkChangeOnTheWire, Problem>> {
  const parameters = readQueryString(queryOf(request.raw.url ?? ''))
  if (!parameters.ok) return parameters
  const unknown = findUnknownParameter(parameters.value.keys(), PARAMETERS)
  if (unknown !== null) return refuse(unknown)
  const body = await readExactJsonBody(request.raw, bodyLimits(parts))
  if (!body.ok) return body
  const read = readBulk(body.value)
  if (!read.ok) return read
  const { action, values, ...many } = read.value
  const { table } = request.params as { readonly table: string }
  const isDelete = action === 'delete'
  const parsed = parseRecordRequest({
    operation: isDelete ? 'delete' : 'patch',
    table,
    sysId: null,
    parameters: isDelete ? new Map() : parameters.value,
    body: values,
    ifMatch: null,
    idempotencyKey: idempotencyKeyOf(request),
  })
  if (!parsed.ok) return parsed
  const service = new RecordService(room, serviceCaller(parts, request, gate.run))
  const changed = await service.changeMany(parsed.value.request, many)
  if (!changed.ok) return changed
  return succeed(describeChange(changed.value, { isDry: many.isDry, isDelete, language: languageOf(request) }))
}

const PARAMETERS = ['sysparm_input_display_value']
const MEMBERS = ['query', 'action', 'values', 'dry_run', 'expected_count']

/** A misspelt `dry_run` must not write (docs/spec/records.md, section 3). */
interface Bulk {
  readonly action: 'update' | 'delete'
  readonly query: EncodedQuery
  /** Columns and values as of PATCH; undefined for a delete. */
  readonly values: unknown
  readonly isDry: boolean
  readonly expectedCount: number | null
}

function readBulk(body: unknown): Result<Bulk, Problem> {
  if (nameOfShape(body) !== 'an object')
    return refuse({ kind: 'bad-body', expected: 'a JSON object with query and action', found: nameOfShape(body) })
  const members = body as Readonly<Record<string, unknown>>
  const unknown = findUnknownParameter(Object.keys(members), MEMBERS)
  if (unknown !== null) return refuse(unknown)
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

/** An empty query would mean all records of the table, which nobody should do by leaving something out. */
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
  return refuse({ kind: 'bad-parameter', parameter, found, expected })
}

/** Enough to see what is wrong; the rest is wrong for the same few reasons. */
const MOST_ERRORS = 20

interface Rendering {
  readonly isDry: boolean
  readonly isDelete: boolean
  readonly language: 'en' | 'ru'
}

function describeChange(
  { count, failures, dependents }: ManyChanged,
  { isDry, isDelete, language }: Rendering,
): BulkChangeOnTheWire {
  const errors = failures.slice(0, MOST_ERRORS).map((problem) => ({
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
