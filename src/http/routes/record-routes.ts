import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated } from '../../identity/authenticate.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { Answer, Asked } from '../../records/asked.ts'
import type { IdentityChanged } from '../../records/run/run-plan.ts'
import { done, outdated, type Turn, underCurrentRights } from '../../records/under-current-rights.ts'
import { unlessKnown, withTag } from '../answer/record-tags.ts'
import { sendAnswer, sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { bodyLimits, type HttpParts } from '../http-parts.ts'
import { accepts } from '../request/acceptable.ts'
import { baseUrlOf } from '../request/base-url.ts'
import { callerOf, identifyAgain } from '../request/caller.ts'
import { parametersOfBody } from '../request/parameters-of-body.ts'
import { readQueryString } from '../request/query-string.ts'
import { readExactJsonBody, readJsonBody } from '../request/read-body.ts'
import { queryOf } from '../request/request-target.ts'

/** The record room as this file sees it. */
export type AnswerRecords = (asked: Asked) => Promise<Result<Answer, Problem | IdentityChanged>>

/** The Table API: record contract, section 4. */
export function addRecordRoutes(app: FastifyInstance, http: HttpParts, answerRecordRequest: AnswerRecords): void {
  const config = { access: 'caller-as-of-epoch' } as const
  const parts = { ...http, answerRecordRequest }
  const route = (method: string | string[], url: string, ask: Ask): void => {
    app.route({ method, url, config, handler: (request, reply) => answer(parts, request, reply, ask) })
  }
  const table = '/rest/v1/table/:table'
  const record = `${table}/:sys_id`
  route(['GET', 'HEAD'], table, asking('list'))
  route('POST', table, asking('create', 'with-body'))
  route('POST', `${table}/query`, askingByBody)
  route(['GET', 'HEAD'], '/rest/v1/stats/:table', asking('stats'))
  route(['GET', 'HEAD'], record, asking('read'))
  route('PUT', record, asking('put', 'with-body'))
  route('PATCH', record, asking('patch', 'with-body'))
  route('DELETE', record, asking('delete'))
}

export interface RecordParts extends HttpParts {
  readonly answerRecordRequest: AnswerRecords
}

/** What was asked for, as far as it does not say who asks. */
type Question = Pick<Asked, 'operation' | 'table' | 'sysId' | 'parameters' | 'options' | 'body' | 'migrating'>
type Ask = (parts: HttpParts, request: FastifyRequest) => Promise<Result<Question, Problem>>

function asking(operation: Asked['operation'], body?: 'with-body'): Ask {
  return async (parts, request) => {
    const parameters = readQueryString(queryOf(request.raw.url ?? ''))
    if (!parameters.ok) return parameters
    const read = body === undefined ? succeed(undefined) : await readExactJsonBody(request.raw, bodyLimits(parts))
    if (!read.ok) return read
    return succeed({ operation, ...pathOf(request), parameters: parameters.value, body: read.value })
  }
}

/** `POST …/query`: a list whose parameters are too long for a URL, so they come as members of the body. */
async function askingByBody(parts: HttpParts, request: FastifyRequest): Promise<Result<Question, Problem>> {
  const inUrl = readQueryString(queryOf(request.raw.url ?? ''))
  if (!inUrl.ok) return inUrl
  const body = await readJsonBody(request.raw, bodyLimits(parts))
  if (!body.ok) return body
  const parameters = parametersOfBody(body.value, inUrl.value)
  if (!parameters.ok) return parameters
  return succeed({ operation: 'list', ...pathOf(request), parameters: parameters.value, body: undefined })
}

function pathOf(request: FastifyRequest): Pick<Asked, 'table' | 'sysId'> {
  const params = request.params as { readonly table: string; readonly sys_id?: string }
  return { table: params.table, sysId: params.sys_id ?? null }
}

function answer(parts: RecordParts, request: FastifyRequest, reply: FastifyReply, ask: Ask): void {
  answerRecords(parts, request, ask).then(
    (result) => (result.ok ? sendRecords(request, reply, result.value) : sendProblem(reply, result.error)),
    (error: unknown) => sendFailure(parts.observe, reply, error),
  )
}

function sendRecords(request: FastifyRequest, reply: FastifyReply, answered: Answer): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const tagged = withTag(answered, isRead)
  sendAnswer(reply, isRead ? unlessKnown(tagged, request.headers['if-none-match']) : tagged)
}

async function answerRecords(parts: RecordParts, request: FastifyRequest, ask: Ask): Promise<Result<Answer, Problem>> {
  const { accept } = request.headers
  if (!accepts(accept, 'application/json')) {
    return refuse({ kind: 'not-acceptable', found: accept ?? '', offered: 'application/json' })
  }
  const question = await ask(parts, request)
  return question.ok ? askAsCaller(parts, request, question.value) : question
}

/** Every change of users and roles in the middle of a request costs one more turn; so many in a row mean a storm. */
const maxTurns = 5

/**
 * The principal comes from memory. When the statement says that it ran under another identity epoch, the principal may have
 * lost a right since: it is read again and the question is asked again. So no answer stands on rights of yesterday, and no
 * request pays a question to the database for it.
 */
export async function askAsCaller(
  parts: RecordParts,
  request: FastifyRequest,
  question: Question,
  conditions: Conditions = conditionsOf(request),
): Promise<Result<Answer, Problem>> {
  const baseUrl = baseUrlOf(request, parts.settings)
  const answered = await underCurrentRights(
    callerOf(request),
    maxTurns,
    async ({ principal, identityEpoch }): Promise<Turn<Authenticated, Result<Answer, Problem>>> => {
      const asked = { ...question, ...conditions, principal, identityEpoch, baseUrl }
      const answer = await parts.answerRecordRequest(asked)
      if (answer.ok) return done(answer)
      if (answer.error.kind !== 'identity-changed') return done(refuse(answer.error))
      const known = await identifyAgain(parts.authenticator, request, answer.error.epoch)
      return known.ok ? outdated(known.value) : done(known)
    },
  )
  const detail = 'Users and roles are being changed faster than the request can be answered; nothing was done'
  return answered ?? refuse({ kind: 'unavailable', detail, retryAfterSeconds: 1 })
}

type Conditions = Pick<Asked, 'ifMatch' | 'idempotencyKey'>

/** For questions that are not the request itself: its headers say nothing of them. */
export const noConditions: Conditions = { ifMatch: null, idempotencyKey: null }

function conditionsOf({ headers }: FastifyRequest): Conditions {
  const given = headers['idempotency-key']
  return { ifMatch: headers['if-match'] ?? null, idempotencyKey: typeof given === 'string' ? given : null }
}
