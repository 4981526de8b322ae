import type { FastifyInstance } from 'fastify'

/** How often connections that have become idle are looked for, in milliseconds. */
const sweepMs = 50

/**
 * Node stops listening and closes the connections that are idle at that moment, but one that answers a last request stays
 * open for its keep-alive time and holds the end up. So answers from then on say that the connection ends, and what is
 * idle is closed until nothing is left.
 *
 * Call before `listen`.
 *
 * @returns closes `app`; resolves when the running requests were answered
 */
export function closeGently(app: FastifyInstance): () => Promise<void> {
  let isClosing = false
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done()
  })
  return async () => {
    isClosing = true
    const sweeping = setInterval(() => app.server.closeIdleConnections(), sweepMs)
    try {
      await app.close()
    } finally {
      clearInterval(sweeping)
    }
  }
}
