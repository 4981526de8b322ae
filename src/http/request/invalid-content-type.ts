import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { sendProblem } from '../response/send-response.ts'

/** Methods whose bodies the handlers read. The framework takes them for methods without one, and does not look at their type. */
export const methodsWithBody = ['POST', 'PUT', 'PATCH', 'DELETE'] as const
const withBody: ReadonlySet<string> = new Set(methodsWithBody)

/** `type/subtype` of RFC 9110, with anything behind a semicolon. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/** @returns null: the request has no `Content-Type`, or a valid one, or a method without a body */
export function invalidContentType({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): Problem | null {
  const found = headers['content-type']
  if (found === undefined || found === 'application/json' || !withBody.has(method) || mediaType.test(found)) return null
  return { kind: 'unsupported-media-type', found, expected: 'Content-Type: application/json' }
}

/** A hook that runs when the caller is known, before any part of the body is read. */
export function rejectInvalidContentType(
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const invalid = invalidContentType(request)
  if (invalid === null) done()
  else sendProblem(reply, invalid)
}
