import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Method } from '../endpoint/declare.ts'

/** A request inside another request, such as a batch. */
export interface DispatchedRequest {
  readonly method: Method | 'HEAD'
  /** Path and query string. */
  readonly target: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Address of the request that contains it. */
  readonly address: string
  /** Ends it as if the caller had disconnected. */
  readonly signal?: AbortSignal
  /** A longer body ends the response; absent: no limit. */
  readonly maxBytes?: number
}

export interface DispatchedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** null: it is longer than the limit. */
  readonly body: Buffer | null
}

export type Dispatch = (request: DispatchedRequest) => Promise<DispatchedResponse>

/** Sends requests through the routes of the server without a connection. */
export function dispatcher(app: FastifyInstance): Dispatch {
  return async ({ method, target, headers, body, address, signal, maxBytes = Number.POSITIVE_INFINITY }) => {
    const response = await app.inject({
      method,
      url: target,
      headers,
      remoteAddress: address,
      ...(body.length === 0 ? {} : { payload: body }),
      ...(signal === undefined ? {} : { signal }),
      payloadAsStream: true,
    })
    const { statusCode: status, raw } = response
    const content = await readAtMost(response.stream(), maxBytes)
    // The handler that writes the rest ends, as after a disconnect of the caller.
    if (content === null) raw.res.destroy()
    return { status, headers: textsOf(response.headers), body: content }
  }
}

/** @returns null: it is longer */
async function readAtMost(stream: Readable, maxBytes: number): Promise<Buffer | null> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > maxBytes) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const textsOf = (headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  )
