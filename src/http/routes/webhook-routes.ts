import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RecordRoom } from '../../records/record-room.ts'
import { renewSecret, sendAgain } from '../../webhooks/manage-webhooks.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { answering } from './answering.ts'

/** What webhooks need beyond the Table API, which creates, changes, lists and deletes them and lists their deliveries. */
export function addWebhookRoutes(app: FastifyInstance, { observe }: HttpParts, room: RecordRoom): void {
  app.route({
    method: 'POST',
    url: '/rest/v1/webhooks/:sys_id/secret',
    handler: answering(observe, (request) => renewSecret(room, callerOf(request).principal, idOf(request))),
  })
  app.route({
    method: 'POST',
    url: '/rest/v1/webhook_deliveries/:sys_id/resend',
    handler: answering(observe, (request) => sendAgain(room, callerOf(request).principal, idOf(request))),
  })
}

const idOf = (request: FastifyRequest): string => (request.params as { readonly sys_id: string }).sys_id
