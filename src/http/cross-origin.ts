import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONSOLE_HEADER } from './request/session-cookie.ts'

/** Headers of a response that pages of other origins may read. */
const exposed =
  'ETag, Link, Location, Retry-After, WWW-Authenticate, X-History-Removed-Before, X-Ignored-Parameters, X-Limit-Clamped, X-Next-Cursor, ' +
  'X-Request-Id, X-Text-Cut, X-Total-Count, X-Total-Count-Over'
const preflightSeconds = '600'

/**
 * Lets pages of these origins call the API from a browser (CORS). Off by default. Cookies are not used: requests of other origins
 * authenticate with a header that the page sets itself.
 *
 * @param origins such as `https://desk.example.com`; `*` for every origin
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const isAllowed = (origin: string): boolean => origins.includes('*') || origins.includes(origin)
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const { origin } = request.headers
    reply.raw.setHeader('vary', 'origin')
    if (origin !== undefined && isAllowed(origin)) {
      reply.raw.setHeader('access-control-allow-origin', origin)
      reply.raw.setHeader('access-control-expose-headers', exposed)
      if (request.method === 'OPTIONS') allowPreflight(request, reply)
    }
    done()
  })
}

/** Only pages of this server send it (session-cookie.ts). */
const isReserved = (name: string): boolean => name.trim().toLowerCase() === CONSOLE_HEADER

/** The response is the same as for every OPTIONS request (no-route.ts). */
function allowPreflight({ headers }: FastifyRequest, { raw }: FastifyReply): void {
  raw.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
  const wanted = headers['access-control-request-headers']?.split(',').filter((name) => !isReserved(name))
  if (wanted !== undefined) raw.setHeader('access-control-allow-headers', wanted.join(','))
  raw.setHeader('access-control-max-age', preflightSeconds)
}
