import type { FastifyRequest } from 'fastify'
import { type Denial, type DenialProblem, isDenial } from '../../identity/denial.ts'
import type { Problem } from '../../kernel/problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Called with each request that is rejected because its known caller lacks a right. */
    readonly onDenied: (denial: Denial) => void
  }
}

/** A name or an id as clients send them. Anything else in an address names nothing, and is not stored. */
const NAME = /^[\w.:-]{1,100}$/
const nameIn = (text: string | undefined): string | null => (text !== undefined && NAME.test(text) ? text : null)

/** Reports the problem if it is a denial. Its response does not depend on this. */
export function reportDenial(request: FastifyRequest, problem: Problem): void {
  const { caller } = request
  if (caller === null || !isDenial(problem)) return
  const path = request.params as Readonly<Record<string, string | undefined>>
  request.server.onDenied({
    userId: caller.principal.userId,
    problem: withoutPlace(problem),
    table: 'table' in problem ? problem.table : nameIn(path['table']),
    recordId: recordOf(request, problem),
    method: request.method,
    route: request.routeOptions.url ?? '',
  })
}

/** The record that the problem or the address names. */
export function recordOf(request: FastifyRequest, problem: Problem): string | null {
  const path = request.params as Readonly<Record<string, string | undefined>>
  return nameIn(problem.record ?? path['sys_id'])
}

/** Two queries that name a denied column at different positions are the same denial. */
function withoutPlace(
  problem: DenialProblem & { readonly record?: string; readonly position?: number },
): DenialProblem {
  const { record: _record, position: _position, ...rest } = problem
  return rest as DenialProblem
}
