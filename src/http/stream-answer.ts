import { once } from 'node:events'
import type { FastifyReply } from 'fastify'

/** An answer that is written piece by piece, no faster than the caller reads it. */
export interface AnswerStream {
  /** Resolves when more can be written; false when nobody reads any more. */
  write(piece: string | Buffer): Promise<boolean>
  end(): void
  /** Breaks the connection off, so that half an answer cannot be taken for a whole one. */
  breakOff(): void
}

export function beginStream(reply: FastifyReply, headers: Readonly<Record<string, string>>): AnswerStream {
  const { raw, request, server } = reply
  reply.hijack()
  raw.writeHead(200, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': request.id,
    ...(server.stopping.now ? { connection: 'close' } : {}),
    ...headers,
  })
  return {
    async write(piece) {
      if (raw.destroyed) return false
      if (!raw.write(piece)) await Promise.race([once(raw, 'drain'), once(raw, 'close')])
      return !raw.destroyed
    },
    end: () => void raw.end(),
    breakOff: () => void raw.destroy(),
  }
}
