import type { preHandlerHookHandler } from 'fastify'
import type { RecentWrites } from '../../kernel/recent-writes.ts'

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Records who writes and when, so that the writer's reads include the write. The write is in progress until its response is sent or its
 * connection is closed.
 */
export function recordWrites(writes: RecentWrites): preHandlerHookHandler {
  return (request, reply, done) => {
    if (request.caller !== null && !reads.has(request.method))
      reply.raw.once('close', writes.begin(request.caller.principal.userId))
    done()
  }
}
