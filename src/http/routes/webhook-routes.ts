import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Result } from '../../kernel/result.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { renewSecret, sendAgain } from '../../webhooks/manage-webhooks.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { answering } from './answering.ts'

interface WebhookDeps {
  readonly room: RecordRoom
  readonly gate: StatementGate
}

type Work = (room: RecordRoom, principal: Principal, sysId: string) => Promise<Result<unknown, Problem>>

/** What webhooks need beyond the Table API, which creates, changes, lists and deletes them and lists their deliveries. */
export function addWebhookRoutes(app: FastifyInstance, { observe }: HttpParts, { room, gate }: WebhookDeps): void {
  const post = (url: string, work: Work): void => {
    const handler = answering(observe, (request) => {
      const { principal } = callerOf(request)
      return gate.run(principal.userId, () => work(room, principal, idOf(request)))
    })
    app.route({ method: 'POST', url, handler })
  }
  post('/rest/v1/webhooks/:sys_id/secret', renewSecret)
  post('/rest/v1/webhook_deliveries/:sys_id/resend', sendAgain)
}

const idOf = (request: FastifyRequest): string => (request.params as { readonly sys_id: string }).sys_id
