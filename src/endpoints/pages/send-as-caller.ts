import type { IncomingHttpHeaders } from 'node:http'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { Dispatch } from '../../http/request/dispatch.ts'

/** A response that the console would request. */
export interface ReadResponse {
  /** Path and query, without a prefix. */
  readonly address: string
  /** Those that the client of the console reads. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Headers by which the server knows who sends a request, from where, and at which address of its own. */
const headersOfCaller = [
  'cookie',
  'host',
  'sec-fetch-mode',
  'sec-fetch-site',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
] as const satisfies readonly (keyof IncomingHttpHeaders)[]

const readHeaders = ['content-type', 'x-next-cursor', 'x-total-count', 'x-total-count-over']

/**
 * Sends requests through the routes of this server as the request of a page: with its cookie, from its address, with all rights and limits of
 * its user.
 *
 * @param onRead called with each successful response
 * @param signal ends what is running
 */
export function sendAsCaller(
  dispatch: Dispatch,
  { headers, stream }: EndpointRequest,
  signal: AbortSignal,
  onRead: (response: ReadResponse) => void,
): typeof fetch {
  const own = Object.fromEntries(
    headersOfCaller.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
  return async (input, init) => {
    if (init?.method !== 'GET') throw new Error('only GET is sent for a page')
    signal.throwIfAborted()
    const { pathname, search } = new URL(String(input))
    const address = pathname + search
    const response = await dispatch({
      method: 'GET',
      target: address,
      headers: { ...(init.headers as Readonly<Record<string, string>>), ...own },
      body: Buffer.alloc(0),
      address: stream.socket.remoteAddress ?? '',
      signal,
    })
    const { status } = response
    const body = response.body?.toString() ?? ''
    const read = Object.fromEntries(
      readHeaders.flatMap((name) => {
        const value = response.headers[name]
        return value === undefined ? [] : [[name, value]]
      }),
    )
    if (status === 200) onRead({ address, headers: read, body })
    return new Response(body, { status, headers: response.headers })
  }
}
