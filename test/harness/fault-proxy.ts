import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a request fails. */
export type Fault =
  /** The proxy itself responds; the server never sees the request. */
  | {
      readonly kind: 'respond'
      readonly status: number
      readonly headers?: OutgoingHttpHeaders
      readonly body?: string
    }
  /** The connection breaks before the server has read anything. */
  | { readonly kind: 'cut-before' }
  /** The connection breaks after this many bytes of the request's body, also for the server. */
  | { readonly kind: 'cut-upload'; readonly afterBytes: number }
  /** The server handles the request, and the response is lost. */
  | { readonly kind: 'cut-after' }
  /** The response breaks off in the middle of its body. */
  | { readonly kind: 'cut-response' }
  /** No response arrives until `heal`. */
  | { readonly kind: 'hold' }

export interface FaultProxy {
  readonly url: string
  /** Requests whose `METHOD /path?query` matches the expression fail from now on, or `times` times. */
  fail(what: RegExp, fault: Fault, times?: number): void
  /** Every connection breaks, and new ones are rejected, as after a crash of the server. */
  kill(): void
  /** Removes this fault (default: all faults, and connections are accepted again). Held requests continue. */
  heal(what?: RegExp): void
  /** The number of requests that failed with this fault since it was set. */
  met(what: RegExp): number
  close(): Promise<void>
}

interface Rule {
  readonly what: RegExp
  readonly fault: Fault
  readonly times: number
  met: number
}

/** A proxy between a browser and the server. Requests fail only as the test says, so that no test depends on luck. */
export async function startFaultProxy(serverUrl: string): Promise<FaultProxy> {
  let rules: Rule[] = []
  let isKilled = false
  let held: { readonly what: RegExp | undefined; readonly go: () => void }[] = []
  const target = new URL(serverUrl)
  const server: Server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`
    const rule = rules.find(({ what }) => what.test(name))
    if (rule !== undefined) rule.met += 1
    const fault = rule === undefined || rule.met > rule.times ? undefined : rule.fault
    if (fault?.kind === 'hold')
      held.push({
        what: rule?.what,
        go: () => {
          // The server would wait for the body of a client that is gone.
          if (!request.socket.destroyed) forward(target, { request, response, fault: undefined })
        },
      })
    else forward(target, { request, response, fault })
  })
  server.on('connection', (socket) => {
    if (isKilled) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const heal = (what?: RegExp): void => {
    const isMeant = (one: RegExp | undefined): boolean => what === undefined || one?.source === what.source
    if (what === undefined) isKilled = false
    rules = rules.filter((rule) => !isMeant(rule.what))
    const waiting = held.filter((request) => isMeant(request.what))
    held = held.filter((request) => !isMeant(request.what))
    for (const { go } of waiting) go()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (what, fault, times = Number.POSITIVE_INFINITY) => {
      rules = [{ what, fault, times, met: 0 }, ...rules.filter((rule) => rule.what.source !== what.source)]
    },
    kill: () => {
      isKilled = true
      server.closeAllConnections()
    },
    heal,
    met: (what) => rules.find((rule) => rule.what.source === what.source)?.met ?? 0,
    close: async () => {
      heal()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly fault: Fault | undefined
}

function forward(target: URL, { request, response, fault }: Exchange): void {
  const breakOff = (): void => {
    request.socket.destroy()
  }
  if (fault?.kind === 'respond') respond(request, response, fault)
  else if (fault?.kind === 'cut-before') breakOff()
  else pipe(target, { request, response, fault })
}

function pipe(target: URL, { request, response, fault }: Exchange): void {
  const breakOff = (): void => {
    request.socket.destroy()
  }
  const { method, url, headers } = request
  const onward = sendRequest({ host: target.hostname, port: target.port, method, path: url, headers })
  onward.on('error', breakOff)
  response.on('close', () => onward.destroy())
  let received = 0
  request.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (fault?.kind === 'cut-upload' && received >= fault.afterBytes) onward.destroy()
  })
  request.pipe(onward)
  onward.on('response', (incoming) => {
    if (fault?.kind === 'cut-after') return incoming.resume().on('end', breakOff)
    response.writeHead(incoming.statusCode ?? 502, incoming.headers)
    if (fault?.kind !== 'cut-response') return incoming.pipe(response)
    return incoming.once('data', (chunk: Buffer) => {
      incoming.pause()
      response.write(chunk.subarray(0, Math.floor(chunk.length / 2)), breakOff)
    })
  })
}

/** Responds like a proxy that has read the whole request. */
function respond(request: IncomingMessage, response: ServerResponse, fault: Fault & { kind: 'respond' }): void {
  request.resume()
  request.on('end', () => {
    response.writeHead(fault.status, { 'content-type': 'text/html', ...fault.headers })
    response.end(fault.body ?? `<html><body><h1>${fault.status}</h1></body></html>`)
  })
}
