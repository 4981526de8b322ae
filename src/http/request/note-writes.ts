import type { preHandlerHookHandler } from 'fastify'
import type { RecentWrites } from '../../kernel/recent-writes.ts'

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Notes who writes and when, so that their reads show it. The write counts as under way until its response has left, or its connection is gone. */
export function noteWrites(writes: RecentWrites): preHandlerHookHandler {
  return (request, reply, done) => {
    if (request.caller !== null && !reads.has(request.method))
      reply.raw.once('close', writes.begin(request.caller.principal.userId))
    done()
  }
}
