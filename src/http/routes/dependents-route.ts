import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DependentsResponse } from '../../contract/dependents.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { DependentsFound } from '../../records/delete/read-dependents.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { RecordService, type ServiceCaller } from '../../records/record-service.ts'
import { describeProblem } from '../answer/answer-problem.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { serviceCaller } from '../request/service-caller.ts'
import { answering } from './answering.ts'

interface DependentsDeps {
  readonly room: RecordRoom
  readonly run: ServiceCaller['run']
}

/** `GET /rest/v1/table/{table}/{sys_id}/dependents`: what a delete of the record would touch. */
export function addDependentsRoute(app: FastifyInstance, parts: HttpParts, deps: DependentsDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/rest/v1/table/:table/:sys_id/dependents',
    config: { access: 'caller-as-of-epoch' } as const,
    handler: answering(parts.observe, (request) => findDependents(parts, deps, request)),
  })
}

async function findDependents(
  parts: HttpParts,
  { room, run }: DependentsDeps,
  request: FastifyRequest,
): Promise<Result<DependentsResponse, Problem>> {
  const { table, sys_id: sysId } = request.params as { readonly table: string; readonly sys_id: string }
  const found = await new RecordService(room, serviceCaller(parts, request, run)).dependents(table, sysId)
  return found.ok ? succeed(describe(found.value, callerOf(request).principal.language)) : found
}

const describe = ({ blocked, dependents }: DependentsFound, language: 'en' | 'ru'): DependentsResponse => ({
  blocked: blocked === null ? null : blockedBy(blocked, language),
  dependents: [...dependents],
})

function blockedBy(problem: Problem, language: 'en' | 'ru'): NonNullable<DependentsResponse['blocked']> {
  const { status, error } = describeProblem(problem, language)
  const { code, message, reason } = error
  return { status, code, message, ...(reason === undefined ? {} : { reason }) }
}
