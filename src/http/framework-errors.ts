import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../kernel/problem.ts'
import type { Observe } from '../telemetry/observation.ts'
import { respondUnrouted } from './no-route.ts'
import { sendFailure } from './response/send-failure.ts'
import { sendProblem } from './response/send-response.ts'

/** Errors on the way to a handler: errors of the framework become problems, everything else is our own failure. */
export function rejectFrameworkError(
  observe: Observe,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // The framework requires a type for the body of QUERY before it finds that no route has this method.
  if (codeOf(error) === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') {
    respondUnrouted(request, reply, request.server.knownRoutes)
    return
  }
  const problem = rejection(error, request)
  if (problem === null) sendFailure(observe, reply, error)
  else sendProblem(reply, problem)
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code

function rejection(error: unknown, request: FastifyRequest): Problem | null {
  const code = codeOf(error)
  if (code === 'FST_ERR_BAD_URL') {
    const [path = ''] = (request.raw.url ?? '').split('?', 1)
    return { kind: 'bad-parameter', parameter: 'path', found: path, expected: 'UTF-8, %-encoded where needed' }
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const found = request.headers['content-type'] ?? 'none'
    return { kind: 'unsupported-media-type', found, expected: 'Content-Type: application/json' }
  }
  return null
}
