import type { FastifyInstance } from 'fastify'
import { sendData } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import type { HttpParts } from '../http-parts.ts'

/** `/health`: this process answers. `/ready`: it can answer questions for records, too. Both without credentials. */
export function addHealthRoutes(app: FastifyInstance, parts: HttpParts): void {
  const config = { access: 'public' } as const
  app.route({
    method: ['GET', 'HEAD'],
    url: '/health',
    config,
    handler: (_request, reply) => sendData(reply, { state: 'up' }),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/ready',
    config,
    handler: (_request, reply) => {
      parts.checkReady().then(
        () => sendData(reply, { state: 'ready' }),
        (error: unknown) => sendFailure(parts.observe, reply, error),
      )
    },
  })
}
