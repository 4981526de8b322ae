import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Explanation } from '../../acl/explain.ts'
import { ACTIONS } from '../../contract/explain.ts'
import { loadPrincipal } from '../../identity/load-principal.ts'
import { findUserId } from '../../identity/manage-users.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { type AccessQuestion, explainRecordAccess } from '../../records/rights/explain-record-access.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { readQueryString } from '../request/query-string.ts'
import { queryOf } from '../request/request-target.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { answering } from './answering.ts'

interface ExplainDeps {
  readonly room: RecordRoom
  readonly gate: StatementGate
}

/** Which rule decides, and why: docs/spec/records.md, section 7. For administrators, because it tells of records that rules hide. */
export function addExplainRoute(app: FastifyInstance, { observe }: HttpParts, { room, gate }: ExplainDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/rest/v1/acl/explain',
    handler: answering(observe, (request) =>
      gate.run(callerOf(request).principal.userId, () => explain(room, request)),
    ),
  })
}

const explainers = ['admin', 'security_admin']

async function explain(room: RecordRoom, request: FastifyRequest): Promise<Result<Explanation, Problem>> {
  const { principal } = callerOf(request)
  if (!explainers.some((role) => principal.roles.has(role))) {
    return refuse({ kind: 'role-needed', roles: explainers, to: 'see which rule decides' })
  }
  const parameters = readQueryString(queryOf(request.raw.url ?? ''))
  if (!parameters.ok) return parameters
  const question = readQuestion(parameters.value)
  if (!question.ok) return question
  const user = parameters.value.get('user') || null
  const asked = user === null ? succeed(principal) : await principalNamed(room, user)
  return asked.ok ? explainRecordAccess(room, { ...question.value, principal: asked.value }) : asked
}

function readQuestion(parameters: ReadonlyMap<string, string>): Result<Omit<AccessQuestion, 'principal'>, Problem> {
  const table = parameters.get('table') || null
  if (table === null) {
    return refuse({ kind: 'bad-parameter', parameter: 'table', found: 'nothing', expected: 'the name of a table' })
  }
  const asked = parameters.get('operation') || 'read'
  const operation = ACTIONS.find((action) => action === asked)
  if (operation === undefined) {
    return refuse({ kind: 'bad-parameter', parameter: 'operation', found: asked, expected: ACTIONS.join(', ') })
  }
  return succeed({
    table,
    operation,
    sysId: parameters.get('sys_id') || null,
    column: parameters.get('column') || null,
  })
}

async function principalNamed({ database }: RecordRoom, userName: string): Promise<Result<Principal, Problem>> {
  const id = await findUserId(database, userName)
  const loaded = id === undefined ? undefined : await loadPrincipal(database, id)
  return loaded === undefined
    ? refuse({ kind: 'thing-not-found', thing: 'user', name: userName })
    : succeed(loaded.principal)
}
