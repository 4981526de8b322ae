import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import type { Result } from '../../kernel/result.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { sendData, sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'

/** A handler that sends what `work` gives as `data`, its problem as an error, and what it throws as a failure of ours. */
export function answering(
  observe: Observe,
  work: (request: FastifyRequest, reply: FastifyReply) => Promise<Result<unknown, Problem>>,
) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    work(request, reply).then(
      (result) => (result.ok ? sendData(reply, result.value) : sendProblem(reply, result.error)),
      (error: unknown) => sendFailure(observe, reply, error),
    )
  }
}
