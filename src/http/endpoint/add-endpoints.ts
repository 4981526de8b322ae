import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { HttpParts } from '../http-parts.ts'
import { accepts } from '../request/acceptable.ts'
import { namesTag } from '../request/entity-tags.ts'
import { knownQueries } from '../request/known-queries.ts'
import { NO_LISTS, readQueryString } from '../request/query-string.ts'
import { queryOf } from '../request/request-target.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { revalidate } from '../response/caching.ts'
import { ERRORS } from '../response/error-format.ts'
import { listNames } from '../response/list-names.ts'
import { sendFailure } from '../response/send-failure.ts'
import { sendProblem, sendResponse } from '../response/send-response.ts'
import { CALLER, missingRole } from './access.ts'
import { type Endpoint, type EndpointResponse, namesIgnored } from './declare.ts'
import { HttpEndpointRequest } from './endpoint-request.ts'
import { kindOf } from './read-input.ts'
import { dropUpload, type ReceivedRequest, receiveBody } from './receive-body.ts'

export interface EndpointParts<Deps> {
  readonly deps: Deps
  readonly gate: StatementGate
  /** Where files are stored while they are received. */
  readonly uploadFolder: string
}

/** Routes of declared operations. */
export function addEndpoints<Deps>(
  app: FastifyInstance,
  http: HttpParts,
  parts: EndpointParts<Deps>,
  endpoints: readonly Endpoint<Deps>[],
): void {
  for (const endpoint of endpoints) {
    const respond = responder(http, parts, endpoint)
    for (const { method, url } of routesOf(endpoint)) {
      app.route({
        method,
        url,
        config: {
          access: endpoint.access ?? CALLER,
          errorFormat: endpoint.errorFormat ?? ERRORS,
          sendsFiles: endpoint.sendsFiles ?? false,
        },
        handler: (request, reply) => {
          respond(request, reply).catch((error: unknown) => sendFailure(http.observe, reply, error))
        },
      })
    }
  }
}

/** The routes of an operation, as the web framework writes them. */
export function routesOf<Deps>({ path, alsoAt = [], methods, hasNoHead }: Endpoint<Deps>) {
  const heads = methods.includes('GET') && hasNoHead === undefined ? ['HEAD'] : []
  return [path, ...alsoAt].map((address) => ({
    method: [...methods, ...heads],
    url: address.replaceAll(/\{(\w+)\}/g, ':$1'),
  }))
}

type Respond = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** What does not depend on the request is computed once. */
function responder<Deps>(
  http: HttpParts,
  { deps, gate, uploadFolder }: EndpointParts<Deps>,
  endpoint: Endpoint<Deps>,
): Respond {
  const { access = CALLER, receives = 'members', maxBodyBytes, isGated, isNegotiated } = endpoint
  const readsQuery = Object.keys(endpoint.input).length > 0 || endpoint.otherNames === undefined
  const lists = listsOf(endpoint)
  // Texts of queries come again and again; those of other operations may hold an access key.
  const readQuery = endpoint.texts === undefined ? (text: string) => readQueryString(text, lists) : knownQueries(lists)
  const names = Object.keys(endpoint.form?.shape ?? {})
  const known = namesIgnored(endpoint) ? new Set(knownNames(endpoint)) : null

  function receive(
    request: FastifyRequest,
  ): Result<ReceivedRequest, Problem> | Promise<Result<ReceivedRequest, Problem>> {
    const query = readsQuery ? readQuery(queryOf(request.raw.url ?? '')) : NO_PARAMETERS
    if (!query.ok) return query
    return receiveBody(receives, { http, request, query: query.value, maxBodyBytes, names, uploadFolder })
  }

  function run(request: FastifyRequest, received: ReceivedRequest): Promise<Result<EndpointResponse, Problem>> {
    const { sent, body, upload } = received
    const about = upload === undefined ? { texts: sent.query, body } : { texts: sent.query, body, upload }
    const endpointRequest = new HttpEndpointRequest(http, gate, request, about)
    const work = () => endpoint.run(deps, sent, endpointRequest)
    return isGated ? endpointRequest.gated(work) : work()
  }

  return async (request, reply) => {
    const denied = missingRole(access, request.caller?.principal) ?? (isNegotiated === true ? unwelcome(request) : null)
    if (denied !== null) return sendProblem(reply, denied)
    const receiving = receive(request)
    const received = receiving instanceof Promise ? await receiving : receiving
    if (!received.ok) return sendProblem(reply, received.error)
    if (known !== null) nameIgnored(reply, received.value, known)
    try {
      const response = await run(request, received.value)
      const sent = response.ok ? await send(reply, response.value) : response
      if (!sent.ok) sendProblem(reply, sent.error)
    } finally {
      if (received.value.upload !== undefined) await dropUpload(received.value)
    }
  }
}

function unwelcome({ headers: { accept } }: FastifyRequest): Problem | null {
  if (accepts(accept, 'application/json')) return null
  return { kind: 'not-acceptable', found: accept ?? '', offered: 'application/json' }
}

/** Names in the query string and in the body without a meaning here, in the header X-Ignored-Parameters. */
function nameIgnored(reply: FastifyReply, { sent: { body } }: ReceivedRequest, known: ReadonlySet<string>): void {
  const query = queryOf(reply.request.raw.url ?? '')
  const sent = query === '' ? Object.keys(body) : [...new URLSearchParams(query).keys(), ...Object.keys(body)]
  const ignored = new Set(sent.filter((name) => !known.has(name)))
  if (ignored.size > 0) reply.raw.setHeader('x-ignored-parameters', listNames([...ignored]))
}

function knownNames<Deps>({ input, parameters = [], access = CALLER }: Endpoint<Deps>): readonly string[] {
  const places = [...parameters, ...(access.keyIn ?? [])]
  return [...Object.keys(input), ...places.map(({ name }) => String(name))]
}

const NO_PARAMETERS = succeed<ReadonlyMap<string, string>>(new Map())

/** Parameters that may be repeated. */
function listsOf<Deps>({ input }: Endpoint<Deps>): ReadonlySet<string> {
  const lists = Object.keys(input).filter((name) => kindOf(input[name] as never) === 'list')
  return lists.length === 0 ? NO_LISTS : new Set(lists)
}

function send(reply: FastifyReply, response: EndpointResponse): Result<void, Problem> | Promise<Result<void, Problem>> {
  if ('send' in response) return response.send(reply)
  if ('whole' in response) return succeed(sendResponse(reply, response.whole))
  const { data, beside = {}, status = 200, headers = {}, etag } = response
  const body = JSON.stringify({ status: 'OK', data, ...beside })
  if (etag === undefined) return succeed(sendResponse(reply, { status, headers, body }))
  const known = reply.request.headers['if-none-match']
  const isKnown = known !== undefined && namesTag(known, etag, 'weak')
  const tagged = { ...headers, ...revalidate, etag }
  return succeed(sendResponse(reply, { status: isKnown ? 304 : status, headers: tagged, body: isKnown ? '' : body }))
}
