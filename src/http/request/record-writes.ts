import type { preHandlerHookHandler } from 'fastify'
import type { RecentWrites } from '../../kernel/recent-writes.ts'

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Records who writes and when, so that the writer's reads include the write. The write is in progress until its response is sent or its
 * connection is closed. It begins when the other processes of this server know of it: one of them may serve the read that follows.
 */
export function recordWrites(writes: RecentWrites): preHandlerHookHandler {
  return (request, reply, done) => {
    if (request.caller === null || reads.has(request.method)) return done()
    const { isKnown, end } = writes.begin(request.caller.principal.userId)
    reply.raw.once('close', end)
    if (isKnown === null) done()
    else isKnown.then(() => done())
  }
}
