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
}

export interface DispatchedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export type Dispatch = (request: DispatchedRequest) => Promise<DispatchedResponse>

/** Sends requests through the routes of the server without a connection. */
export function dispatcher(app: FastifyInstance): Dispatch {
  return async ({ method, target, headers, body, address, signal }) => {
    const response = await app.inject({
      method,
      url: target,
      headers,
      remoteAddress: address,
      ...(body.length === 0 ? {} : { payload: body }),
      ...(signal === undefined ? {} : { signal }),
    })
    return { status: response.statusCode, headers: textsOf(response.headers), body: response.rawPayload }
  }
}

const textsOf = (headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  )
