import type { FastifyInstance } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { sendData, sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import type { HttpParts } from '../http-parts.ts'

/**
 * `/health`: this process responds. `/ready`: it can also respond to record requests. Both without credentials. The server
 * listens only after the schema is migrated and the administrator exists (main.ts), so neither is 200 earlier.
 */
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
      readyState(parts).then(
        (state) => (state === null ? sendProblem(reply, noSchema) : sendData(reply, state)),
        (error: unknown) => sendFailure(parts.observe, reply, error),
      )
    },
  })
}

/** @returns null when the server is not ready */
async function readyState({ isReady, readyWarnings }: HttpParts) {
  if (!(await isReady())) return null
  const warnings = (await readyWarnings?.()) ?? []
  return { state: 'ready', ...(warnings.length === 0 ? {} : { warnings }) }
}

const noSchema: Problem = {
  kind: 'unavailable',
  detail: 'The database has no Docket schema; restart Docket to create it',
  retryAfterSeconds: 5,
}
