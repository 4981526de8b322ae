import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Observe } from '../telemetry/observation.ts'
import { prefersPage } from './request/acceptable.ts'
import { unroutedFormatOf } from './response/error-format.ts'
import { htmlResponse, notFoundPage } from './response/plain-pages.ts'
import { sendProblem, sendResponse } from './response/send-response.ts'

/** Methods by route pattern (`/rest/v1/table/:table`), filled while routes are added. */
export type KnownRoutes = Map<string, Set<string>>

export function rememberRoute(routes: KnownRoutes, route: RouteOptions): void {
  const methods = routes.get(route.url) ?? new Set()
  for (const method of [route.method].flat()) methods.add(method)
  routes.set(route.url, methods)
}

/** Requests without a route are counted together, because their paths can be anything. */
export function observeUnrouted(observe: Observe, { id, method }: FastifyRequest, { raw }: FastifyReply): void {
  const began = performance.now()
  raw.once('finish', () => {
    const tookMs = performance.now() - began
    observe({ kind: 'request-finished', requestId: id, method, route: 'unmatched', status: raw.statusCode, tookMs })
  })
}

/** Requests without a route: OPTIONS gets the methods of its path, another method 405, an unknown path 404. */
export function respondUnrouted(request: FastifyRequest, reply: FastifyReply, routes: KnownRoutes): void {
  const [target = '/'] = (request.raw.url ?? '/').split(/[?#]/, 1)
  const path = decoded(target)
  // Before it is decoded, as the router matches it: a %2F is no slash.
  const allowed = methodsAt(target, routes)
  const { method } = request
  const prefix = request.server.consolePrefix
  if (allowed.length === 0 && unroutedFormatOf(request) !== null) sendProblem(reply, { kind: 'no-such-path', path })
  else if (allowed.length === 0 && prefix !== null && prefersPage(request.headers.accept))
    sendResponse(reply, htmlResponse(404, notFoundPage(prefix)))
  else if (allowed.length === 0) sendProblem(reply, { kind: 'no-such-path', path })
  else if (method === 'OPTIONS') sendResponse(reply, { status: 204, headers: { allow: allowed.join(', ') }, body: '' })
  else sendProblem(reply, { kind: 'method-not-allowed', method, allowed })
}

const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function methodsAt(path: string, routes: KnownRoutes): readonly string[] {
  const matching = [...routes].filter(([pattern]) => path === '*' || fits(path, pattern))
  const methods = new Set(matching.flatMap(([, each]) => [...each]))
  return methods.size === 0 ? [] : order.filter((method) => method === 'OPTIONS' || methods.has(method))
}

function fits(path: string, pattern: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const segments = path.split('/')
  const wanted = pattern.split('/')
  return (
    segments.length === wanted.length &&
    wanted.every((part, at) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at]))
  )
}

/** For people; not decoded if it cannot be. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
