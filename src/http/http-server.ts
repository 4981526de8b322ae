import type { RequestListener, Server } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify'
import { createServer } from '../kernel/node-http.ts'
import type { Observe } from '../telemetry/observation.ts'
import { respondToConnectionErrors } from './connection-errors.ts'
import { allowOrigins } from './cross-origin.ts'
import { CALLER } from './endpoint/access.ts'
import { rejectFrameworkError } from './framework-errors.ts'
import { defaultTimeouts, type HttpParts } from './http-parts.ts'
import { type KnownRoutes, observeUnrouted, rememberRoute, respondUnrouted } from './no-route.ts'
import { acceptRawCharacters } from './request/accept-raw-characters.ts'
import { pathOf } from './request/base-url.ts'
import { admit, rejectUnlistedRoute } from './request/identify-caller.ts'
import { invalidContentType, methodsWithBody, rejectInvalidContentType } from './request/invalid-content-type.ts'
import { maxHeadBytes, maxTargetBytes } from './request/limits.ts'
import { requestIdOf } from './request/request-id.ts'
import { type RequestRate, requestRate } from './request/request-rate.ts'
import { normalizeTarget } from './request/request-target.ts'
import { warnOfIgnoredForwarding } from './request/warn-of-ignored-forwarding.ts'
import { sendProblem } from './response/send-response.ts'
import { type UnsentResponses, unsentResponses } from './response/unsent-responses.ts'

/**
 * The server before it has routes. A request passes these stages:
 *
 *     raw characters → the parser → the target normalized → the router → too long? → who is the caller? → the route's handler
 *
 * Nothing of its body is read before the caller is known. Routes come from declarations (endpoint/add-endpoints.ts); each requires
 * credentials unless its declaration says otherwise and `openRoutes` lists it.
 */
export function makeHttpServer(parts: HttpParts): FastifyInstance {
  const routes: KnownRoutes = new Map()
  const app = fastify({
    serverFactory: (handler) => makeServer(handler as RequestListener, parts),
    genReqId: requestIdOf,
    rewriteUrl: ({ url }) => normalizeTarget(url ?? '/'),
    routerOptions: {
      // Read by the handlers, after the caller is known, with our own rules.
      querystringParser: () => noQuery,
      maxParamLength: maxTargetBytes,
    },
    trustProxy: parts.settings.trustedProxies.length === 0 ? false : [...parts.settings.trustedProxies],
    frameworkErrors: (error, request, reply) => rejectFrameworkError(parts.observe, error, request, reply),
    forceCloseConnections: 'idle',
    // While it stops, the server still responds on open connections, and closes them.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    logger: false,
    schemaController: { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } },
  })
  app.decorate('knownRoutes', routes)
  app.decorate('consolePrefix', parts.settings.console === 'on' ? pathOf(parts.settings.baseUrl) : null)
  app.decorate('givenBaseUrl', parts.settings.baseUrl)
  app.decorate('unroutedErrors', parts.unroutedErrors ?? [])
  app.decorate('unsent', unsentResponses())
  app.decorate('onDenied', parts.onDenied ?? (() => undefined))
  app.decorate('stopping', { now: false })
  app.decorateRequest('caller', null)
  app.decorateRequest('sessionKey', null)
  // Bodies are read by the handlers (read-body.ts), after the caller is known. The framework need not know of them: to choose a parser
  // that reads nothing would cost 7 µs a request.
  for (const method of methodsWithBody) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  app.setErrorHandler((error, request, reply) => rejectFrameworkError(parts.observe, error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const invalid = invalidContentType(request)
    if (invalid !== null) return sendProblem(reply, invalid)
    observeUnrouted(parts.observe, request, reply)
    respondUnrouted(request, reply, routes)
  })
  app.addHook('onRequest', rejectLongTarget)
  app.addHook('onRequest', warnOfIgnoredForwarding(parts.observe))
  if (parts.settings.allowedOrigins.length > 0) allowOrigins(app, parts.settings.allowedOrigins)
  const rate = requestRate(parts.settings.requestsPerSecond)
  app.addHook('onRoute', (route) => prepareRoute(route, parts, rate))
  app.addHook('onRoute', (route) => rememberRoute(routes, route))
  return app
}

/** Declarations validate input. Without these, the framework would load its JSON Schema compilers at each start. */
function rejectSchema(): never {
  throw new Error('a route has a schema of the framework; its input belongs into its declaration (endpoint/declare.ts)')
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route that was added. */
    readonly knownRoutes: KnownRoutes
    /** Runs before /console; null: there is no console. */
    readonly consolePrefix: string | null
    readonly unsent: UnsentResponses
  }
}

const noQuery = {}

/** Longer than the minute for which proxies keep idle connections: if the server closed one first, it could do so while the proxy sends. */
const keepAliveMs = 75_000

function makeServer(handler: RequestListener, parts: HttpParts): Server {
  const timeouts = { ...defaultTimeouts, ...parts.timeouts }
  const server = createServer(
    {
      maxHeaderSize: maxHeadBytes,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(5_000, timeouts.headersMs),
      // HTTP/1.0 has no Host header, and its clients get responses too.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    handler,
  )
  acceptRawCharacters(server)
  // 100 Continue is sent when the caller is known (caller.ts), not before.
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    server.on(event, (request, response) => server.emit('request', request, response))
  }
  respondToConnectionErrors(server, timeouts)
  return server
}

function prepareRoute(route: RouteOptions, parts: HttpParts, rate: RequestRate): void {
  const { authenticator, observe, settings } = parts
  const access = route.config?.access ?? CALLER
  rejectUnlistedRoute(parts.openRoutes, { methods: [route.method].flat(), path: route.url, access })
  const admitted = admit(authenticator, access, { settings, rate })
  const hasBody = [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD')
  route.onRequest = [admitted, ...[route.onRequest ?? []].flat(), ...(hasBody ? [rejectInvalidContentType] : [])]
  route.onResponse = [observeFinish(observe, route.url), ...[route.onResponse ?? []].flat()]
}

type Done = (error?: Error) => void

const observeFinish =
  (observe: Observe, route: string) =>
  (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    observe({
      kind: 'request-finished',
      requestId: request.id,
      method: request.method,
      route,
      status: reply.raw.statusCode,
      tookMs: reply.elapsedTime,
    })
    done()
  }

function rejectLongTarget(request: FastifyRequest, reply: FastifyReply, done: Done): void {
  const { length } = request.raw.url ?? ''
  if (length <= maxTargetBytes) done()
  else sendProblem(reply, { kind: 'uri-too-long', maxBytes: maxTargetBytes })
}
