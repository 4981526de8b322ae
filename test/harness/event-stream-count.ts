import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface EventStreamCount {
  /** Event streams that the server has open now. */
  open(): number
  /** Event streams that clients have opened so far. */
  opened(): number
  stop(): void
}

/** Counts at the server, which runs in this process: a browser does not report the requests of its shared workers. */
export function countEventStreams(baseUrl: string): EventStreamCount {
  const port = Number(new URL(baseUrl).port)
  const streams = new Set<ServerResponse>()
  let opened = 0
  const onRequest = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.socket.localPort !== port || !request.url?.startsWith('/rest/v1/events')) return
    opened += 1
    streams.add(response)
    response.once('close', () => streams.delete(response))
  }
  subscribe('http.server.request.start', onRequest)
  return {
    open: () => [...streams].filter(({ headersSent, statusCode }) => headersSent && statusCode === 200).length,
    opened: () => opened,
    stop: () => {
      unsubscribe('http.server.request.start', onRequest)
    },
  }
}
