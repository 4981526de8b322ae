import type { FastifyReply } from 'fastify'
import { errorKindOf } from '../../database/database-error-kind.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { aboutRequest, errorFormatOf } from './error-format.ts'
import { sendError, sendProblem } from './send-response.ts'

/**
 * A thrown error is ours or the database's. The caller learns that the request failed, and the id under which the log has the cause, never
 * a message, a statement or a stack.
 */
export function sendFailure(observe: Observe, reply: FastifyReply, error: unknown): void {
  const { request } = reply
  const seen = { requestId: request.id, route: request.routeOptions.url ?? 'unmatched' }
  const problem = temporaryError(error)
  if (problem === null) {
    observe({ kind: 'request-failed', ...seen, error })
    sendError(reply, errorFormatOf(request).internal(aboutRequest(request)))
  } else {
    observe({ kind: 'request-put-off', ...seen, cause: error instanceof Error ? error.message : String(error) })
    sendProblem(reply, problem)
  }
}

/** Errors of the database that the caller can react to: wait, or request less. */
function temporaryError(error: unknown): Problem | null {
  switch (errorKindOf(error)) {
    case 'unreachable':
      return { kind: 'unavailable', detail: 'The database cannot be reached at the moment', retryAfterSeconds: 5 }
    case 'busy':
      return {
        kind: 'unavailable',
        detail: 'The database is too busy at the moment; nothing was done',
        retryAfterSeconds: 1,
      }
    case 'timeout':
      return { kind: 'over-budget', detail: 'its statement took too long' }
    case null:
      return null
  }
}
