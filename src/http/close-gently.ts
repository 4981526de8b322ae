import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is stopping. */
    readonly stopping: { now: boolean }
  }
}

/** Interval between checks for connections that have become idle, in milliseconds. */
const sweepMs = 50

/**
 * When a server closes, Node stops listening and closes the connections that are idle at that moment. A connection with a last request in
 * progress stays open for its keep-alive time and delays the end. So responses from then on close the connection, and idle connections are
 * closed until none is left.
 *
 * Call before `listen`. Whole responses check `stopping` themselves (send-response.ts); the hook is for streams.
 *
 * @returns closes `app`; resolves when the running requests have their responses
 */
export function closeGently(app: FastifyInstance): () => Promise<void> {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (app.stopping.now) reply.header('connection', 'close')
    done()
  })
  return async () => {
    app.stopping.now = true
    const sweeping = setInterval(() => app.server.closeIdleConnections(), sweepMs)
    try {
      await app.close()
    } finally {
      clearInterval(sweeping)
    }
  }
}
