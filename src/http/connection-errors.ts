import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '../kernel/problem.ts'
import type { Timeouts } from './http-parts.ts'
import { maxHeadBytes } from './request/limits.ts'
import { requestIdOf } from './request/request-id.ts'
import { answerProblem, rawAnswer } from './response/error-messages.ts'

/** What the parser refuses never becomes a request; it gets an answer in the envelope all the same. */
export function answerConnectionErrors(server: Server, timeouts: Timeouts): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Nobody is left to read it, or an answer is half written and this would land in its middle.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy()
      return
    }
    const answer = answerProblem(problemOf(error, timeouts), requestIdOf({ headers: {} }))
    socket.end(rawAnswer(answer), () => socket.destroySoon())
  })
}

/** Node keeps the answer under way here; it has no public name for it. */
function isAnswering(socket: Socket): boolean {
  const message = (socket as { readonly _httpMessage?: { readonly headersSent: boolean } | null })._httpMessage
  return message?.headersSent === true
}

function problemOf(error: NodeJS.ErrnoException & { readonly reason?: string }, timeouts: Timeouts): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { kind: 'headers-too-large', maxBytes: maxHeadBytes }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { kind: 'request-timeout', afterSeconds: Math.ceil(timeouts.headersMs / 1_000) }
    default:
      return { kind: 'malformed-request', detail: error.reason ?? 'its first lines cannot be parsed' }
  }
}
