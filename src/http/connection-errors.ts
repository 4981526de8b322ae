import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '../kernel/problem.ts'
import type { Timeouts } from './http-parts.ts'
import { maxHeadBytes } from './request/limits.ts'
import { requestIdOf } from './request/request-id.ts'
import { problemResponse, rawResponse } from './response/error-messages.ts'

/** Input that the parser rejects never becomes a request; its response has the envelope too. */
export function respondToConnectionErrors(server: Server, timeouts: Timeouts): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Nobody reads it any more, or half of another response is written.
    if (error.code === 'ECONNRESET' || !socket.writable || isResponding(socket)) {
      socket.destroy()
      return
    }
    const response = problemResponse(problemOf(error, timeouts), requestIdOf({ headers: {} }))
    socket.end(rawResponse(response), () => socket.destroySoon())
  })
}

/** Node keeps the current response here; it has no public name for it. */
function isResponding(socket: Socket): boolean {
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
