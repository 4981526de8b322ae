import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { ReceivedRequest } from '../../records/parse/parse-record-request.ts'
import type { Operation } from '../../records/parse/record-request.ts'
import type { ServiceCaller } from '../../records/record-service.ts'
import { unlessKnown, withTag } from '../answer/record-tags.ts'
import { sendAnswer, sendProblem, type WholeAnswer } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { bodyLimits, type HttpParts } from '../http-parts.ts'
import { accepts } from '../request/acceptable.ts'
import { parametersOfBody } from '../request/parameters-of-body.ts'
import { readQueryString } from '../request/query-string.ts'
import { readExactJsonBody, readJsonBody } from '../request/read-body.ts'
import { queryOf } from '../request/request-target.ts'
import { serviceCaller } from '../request/service-caller.ts'

/** The record service as this file sees it (answer-records.ts). */
export type AnswerRecords = (received: ReceivedRequest, caller: ServiceCaller) => Promise<Result<WholeAnswer, Problem>>

export interface RecordParts extends HttpParts {
  readonly answerRecords: AnswerRecords
  readonly run: ServiceCaller['run']
}

/** The Table API: docs/spec/records.md, section 3. */
export function addRecordRoutes(app: FastifyInstance, parts: RecordParts): void {
  const config = { access: 'caller-as-of-epoch' } as const
  const route = (method: string | string[], url: string, read: Read): void => {
    app.route({ method, url, config, handler: (request, reply) => answer(parts, request, reply, read) })
  }
  const table = '/rest/v1/table/:table'
  const record = `${table}/:sys_id`
  route(['GET', 'HEAD'], table, reading('list'))
  route('POST', table, reading('create', 'with-body'))
  route('POST', `${table}/query`, readingBody)
  route(['GET', 'HEAD'], '/rest/v1/stats/:table', reading('stats'))
  route(['GET', 'HEAD'], record, reading('read'))
  route('PUT', record, reading('put', 'with-body'))
  route('PATCH', record, reading('patch', 'with-body'))
  route('DELETE', record, reading('delete'))
}

type Read = (parts: HttpParts, request: FastifyRequest) => Promise<Result<ReceivedRequest, Problem>>

function reading(operation: Operation, body?: 'with-body'): Read {
  return async (parts, request) => {
    const parameters = readQueryString(queryOf(request.raw.url ?? ''))
    if (!parameters.ok) return parameters
    const read = body === undefined ? succeed(undefined) : await readExactJsonBody(request.raw, bodyLimits(parts))
    if (!read.ok) return read
    return succeed({ operation, ...headOf(request), parameters: parameters.value, body: read.value })
  }
}

/** `POST …/query`: a list whose parameters are too long for a URL, so they come as members of the body. */
async function readingBody(parts: HttpParts, request: FastifyRequest): Promise<Result<ReceivedRequest, Problem>> {
  const inUrl = readQueryString(queryOf(request.raw.url ?? ''))
  if (!inUrl.ok) return inUrl
  const body = await readJsonBody(request.raw, bodyLimits(parts))
  if (!body.ok) return body
  const parameters = parametersOfBody(body.value, inUrl.value)
  if (!parameters.ok) return parameters
  return succeed({ operation: 'list', ...headOf(request), parameters: parameters.value, body: undefined })
}

function headOf(request: FastifyRequest): Pick<ReceivedRequest, 'table' | 'sysId' | 'ifMatch' | 'idempotencyKey'> {
  const { table, sys_id: sysId = null } = request.params as { readonly table: string; readonly sys_id?: string }
  return { table, sysId, ifMatch: request.headers['if-match'] ?? null, idempotencyKey: idempotencyKeyOf(request) }
}

/** null: not sent, or sent more than once. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const given = headers['idempotency-key']
  return typeof given === 'string' ? given : null
}

function answer(parts: RecordParts, request: FastifyRequest, reply: FastifyReply, read: Read): void {
  answerRequest(parts, request, read).then(
    (result) => (result.ok ? sendRecords(request, reply, result.value) : sendProblem(reply, result.error)),
    (error: unknown) => sendFailure(parts.observe, reply, error),
  )
}

function sendRecords(request: FastifyRequest, reply: FastifyReply, answered: WholeAnswer): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const tagged = withTag(answered, isRead)
  sendAnswer(reply, isRead ? unlessKnown(tagged, request.headers['if-none-match']) : tagged)
}

async function answerRequest(
  parts: RecordParts,
  request: FastifyRequest,
  read: Read,
): Promise<Result<WholeAnswer, Problem>> {
  const { accept } = request.headers
  if (!accepts(accept, 'application/json')) {
    return refuse({ kind: 'not-acceptable', found: accept ?? '', offered: 'application/json' })
  }
  const received = await read(parts, request)
  return received.ok ? parts.answerRecords(received.value, serviceCaller(parts, request, parts.run)) : received
}
