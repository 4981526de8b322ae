import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { isKept, varyOf } from './caching.ts'

/** A response that is written chunk by chunk, no faster than the caller reads it. */
export interface ResponseStream {
  /** Resolves when more can be written; false if the caller has disconnected. */
  write(piece: string | Buffer): Promise<boolean>
  end(): void
  /** Breaks the connection, so that half a response cannot be mistaken for a whole one. */
  breakOff(): void
}

export function beginStream(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  status: 200 | 206 | 304 = 200,
): ResponseStream {
  const { raw, request, server } = reply
  const userId = request.caller?.principal.userId ?? ''
  reply.hijack()
  // `close` reports that the caller is gone; further errors do not matter.
  raw.on('error', () => undefined)
  const vary = varyOf(raw, [headers['vary']])
  raw.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': request.id,
    ...(server.stopping.now ? { connection: 'close' } : {}),
    ...headers,
    ...(isKept(request) ? {} : { 'cache-control': 'no-store' }),
    ...(vary === '' ? {} : { vary }),
  })
  return {
    async write(piece) {
      if (raw.destroyed) return false
      if (!raw.write(piece)) {
        server.unsent.count(raw, userId)
        await drained(raw)
        server.unsent.count(raw, userId)
      }
      return !raw.destroyed
    },
    end: () => void raw.end(),
    breakOff: () => void raw.destroy(),
  }
}

/** Resolves when the buffer has space again, or the caller has disconnected; removes its listeners in both cases. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      raw.off('drain', done)
      raw.off('close', done)
      resolve()
    }
    raw.on('drain', done)
    raw.on('close', done)
  })
}
