import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DependentsResponse } from '../../contract/dependents.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { Asked } from '../../records/asked.ts'
import type { DependentsFound, readDependents } from '../../records/delete/read-dependents.ts'
import { answerProblem } from '../answer/answer-problem.ts'
import { sendAnswer, sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { askAsCaller, noConditions } from './record-routes.ts'

/** The record module as this file sees it. */
export type ReadDependents = (asked: Asked) => ReturnType<typeof readDependents>

/** `GET /rest/v1/table/{table}/{sys_id}/dependents`: what a delete of the record would touch. */
export function addDependentsRoute(app: FastifyInstance, parts: HttpParts, read: ReadDependents): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/rest/v1/table/:table/:sys_id/dependents',
    config: { access: 'caller-as-of-epoch' } as const,
    handler: (request, reply) => {
      answer(parts, read, request).then(
        (result) => (result.ok ? sendAnswer(reply, result.value) : sendProblem(reply, result.error)),
        (error: unknown) => sendFailure(parts.observe, reply, error),
      )
    },
  })
}

function answer(parts: HttpParts, read: ReadDependents, request: FastifyRequest) {
  const { language } = callerOf(request).principal
  const answerRecordRequest = async (asked: Asked) => {
    const found = await read(asked)
    if (!found.ok) return found
    const data = describe(found.value, language)
    return succeed({ status: 200, headers: {}, body: JSON.stringify({ status: 'OK', data }) } as const)
  }
  const { table, sys_id: sysId } = request.params as { readonly table: string; readonly sys_id: string }
  const question = { operation: 'read', table, sysId, parameters: new Map(), body: undefined } as const
  return askAsCaller({ ...parts, answerRecordRequest }, request, question, noConditions) satisfies Promise<
    Result<unknown, Problem>
  >
}

const describe = ({ blocked, dependents }: DependentsFound, language: 'en' | 'ru'): DependentsResponse => ({
  blocked: blocked === null ? null : describeProblem(blocked, language),
  dependents: [...dependents],
})

function describeProblem(problem: Problem, language: 'en' | 'ru'): NonNullable<DependentsResponse['blocked']> {
  const { status, body } = answerProblem(problem, '', language)
  const [{ code, message, reason }] = (
    JSON.parse(body) as { errors: [{ code: string; message: string; reason?: string }] }
  ).errors
  return { status, code, message, ...(reason === undefined ? {} : { reason }) }
}
