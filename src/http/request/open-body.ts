import type { IncomingMessage } from 'node:http'
import { pullBytes } from './form/pull-bytes.ts'

/** The body of a request that is one file. The caller that opens it closes it: the rest is then read and discarded. */
export interface OpenBody {
  readonly bytes: AsyncGenerator<Buffer>
  close(): void
}

export function openBody(request: IncomingMessage): OpenBody {
  const body = pullBytes(request)
  async function* bytes(): AsyncGenerator<Buffer> {
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) yield piece
  }
  return { bytes: bytes(), close: () => body.stop() }
}
