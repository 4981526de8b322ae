import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FollowBody, type FollowOnTheWire } from '../../contract/follow.ts'
import {
  compareAgain,
  type FollowRoom,
  type FollowState,
  follow,
  followState,
  unfollow,
} from '../../follow/follow-settings.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { bodyLimits, type HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { readJsonBody } from '../request/read-body.ts'
import { readShape } from '../request/read-shape.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { answering } from './answering.ts'

interface FollowDeps {
  readonly room: FollowRoom
  readonly gate: StatementGate
}

/** Collections that follow a table: docs/spec/documents.md, section 6. For administrators. */
export function addFollowRoutes(app: FastifyInstance, parts: HttpParts, deps: FollowDeps): void {
  const { room, gate } = deps
  const url = '/collections/:name/follow'
  const on = (work: (room: FollowRoom, principal: Principal, name: string) => Promise<Result<FollowState, Problem>>) =>
    answering(parts.observe, async (request) => {
      const { principal } = callerOf(request)
      return onTheWire(await gate.run(principal.userId, () => work(room, principal, nameOf(request))))
    })
  app.route({ method: ['GET', 'HEAD'], url, handler: on(followState) })
  app.route({ method: 'DELETE', url, handler: on(unfollow) })
  app.route({ method: 'POST', url: `${url}/compare`, handler: on(compareAgain) })
  app.route({
    method: 'PUT',
    url,
    handler: answering(parts.observe, async (request) => onTheWire(await begin(parts, deps, request))),
  })
}

async function begin(
  parts: HttpParts,
  { room, gate }: FollowDeps,
  request: FastifyRequest,
): Promise<Result<FollowState, Problem>> {
  const body = await readJsonBody(request.raw, bodyLimits(parts))
  if (!body.ok) return body
  const sent = readShape(FollowBody, body.value)
  if (!sent.ok) return sent
  const { table, query, template, metadata, exposed_columns: exposed } = sent.value
  const { principal } = callerOf(request)
  const settings = { table, query, template, metadata, exposed }
  return gate.run(principal.userId, () => follow(room, principal, nameOf(request), settings))
}

function onTheWire(state: Result<FollowState, Problem>): Result<FollowOnTheWire, Problem> {
  if (!state.ok) return state
  const { exposed, comparedAt, ...rest } = state.value
  return succeed({ ...rest, exposed_columns: [...exposed], metadata: [...rest.metadata], compared_at: comparedAt })
}

const nameOf = (request: FastifyRequest): string => (request.params as { readonly name: string }).name
