import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dropFile } from '../../documents/store/blob-store.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { sendAnswer, sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { bodyLimits, defaultTimeouts, type HttpParts } from '../http-parts.ts'
import { callerOf } from '../request/caller.ts'
import { type ReceivedUpload, receiveUpload } from '../request/form/receive-upload.ts'
import { nameOfShape } from '../request/name-of-shape.ts'
import { readQueryString } from '../request/query-string.ts'
import { readJsonBody } from '../request/read-body.ts'
import { queryOf } from '../request/request-target.ts'
import { emptyCookie } from '../request/session-cookie.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import type { Endpoint, EndpointRequest, EndpointResponse } from './declare.ts'
import { kindOf, type Sent } from './read-input.ts'

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
    app.route({
      method: endpoint.methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { sendsFiles: endpoint.output === 'bytes' },
      handler: (request, reply) => {
        respond(http, parts, endpoint, { request, reply }).catch((error: unknown) =>
          sendFailure(http.observe, reply, error),
        )
      },
    })
  }
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function respond<Deps>(
  http: HttpParts,
  parts: EndpointParts<Deps>,
  endpoint: Endpoint<Deps>,
  { request, reply }: Exchange,
): Promise<void> {
  const received = await receive(http, parts, endpoint, request)
  if (!received.ok) return sendProblem(reply, received.error)
  const { sent, upload } = received.value
  try {
    const response = await run(parts, endpoint, { sent, request: requestOf(http, parts, request, upload) })
    const problem = response.ok ? await send(reply, response.value) : response
    if (!problem.ok) sendProblem(reply, problem.error)
  } finally {
    if (upload !== undefined) await dropFile(upload.file)
  }
}

function run<Deps>(
  { deps }: EndpointParts<Deps>,
  endpoint: Endpoint<Deps>,
  { sent, request }: { readonly sent: Sent; readonly request: EndpointRequest },
): Promise<Result<EndpointResponse, Problem>> {
  const work = () => endpoint.run(deps, sent, request)
  return endpoint.isGated ? request.gated(work) : work()
}

function requestOf<Deps>(
  http: HttpParts,
  { gate }: EndpointParts<Deps>,
  request: FastifyRequest,
  upload: ReceivedUpload | undefined,
): EndpointRequest {
  const caller = callerOf(request)
  const { principal } = caller
  return {
    principal,
    caller,
    address: request.ip,
    withoutCookie: request.sessionKey === null ? {} : { 'set-cookie': emptyCookie(request, http.settings) },
    path: request.params as Readonly<Record<string, string>>,
    method: request.method,
    gated: (work) => gate.run(principal.userId, work),
    ...(upload === undefined ? {} : { upload }),
  }
}

async function receive<Deps>(
  http: HttpParts,
  { uploadFolder }: EndpointParts<Deps>,
  endpoint: Endpoint<Deps>,
  request: FastifyRequest,
): Promise<Result<{ readonly sent: Sent; readonly upload?: ReceivedUpload }, Problem>> {
  if (endpoint.receives === 'form') {
    const upload = await receiveUpload(request, uploadFolder)
    if (!upload.ok) return upload
    const query = readQueryString(queryOf(request.raw.url ?? ''))
    // Fields are texts, as parameters of the query string are.
    const given = query.ok
      ? [...query.value].filter(([name, value]) => value !== '' || !upload.value.fields.has(name))
      : []
    const sent = { query: new Map([...upload.value.fields, ...given]), body: {} }
    if (query.ok) return succeed({ sent, upload: upload.value })
    await dropFile(upload.value.file)
    return query
  }
  const query = readQueryString(queryOf(request.raw.url ?? ''), listsOf(endpoint))
  if (!query.ok) return query
  const body = await readMembers(http, endpoint, request)
  return body.ok ? succeed({ sent: { query: query.value, body: body.value } }) : body
}

/** Parameters that may be repeated. */
function listsOf({ input }: Pick<Endpoint<never>, 'input'>): ReadonlySet<string> {
  return new Set(Object.keys(input).filter((name) => kindOf(input[name] as never) === 'list'))
}

async function readMembers<Deps>(
  http: HttpParts,
  { maxBodyBytes }: Endpoint<Deps>,
  request: FastifyRequest,
): Promise<Result<Readonly<Record<string, unknown>>, Problem>> {
  const limits = bodyLimits(http)
  const large = { maxBytes: maxBodyBytes ?? 0, timeoutMs: http.timeouts?.requestMs ?? defaultTimeouts.requestMs }
  const body = await readJsonBody(request.raw, maxBodyBytes === undefined ? limits : large)
  if (!body.ok) return body
  if (body.value !== undefined && nameOfShape(body.value) !== 'an object')
    return refuse({ kind: 'bad-body', expected: 'a JSON object', found: nameOfShape(body.value) })
  return succeed((body.value ?? {}) as Readonly<Record<string, unknown>>)
}

async function send(reply: FastifyReply, response: EndpointResponse): Promise<Result<void, Problem>> {
  if ('send' in response) return response.send(reply)
  const { data, beside = {}, status = 200, headers = {} } = response
  return succeed(sendAnswer(reply, { status, headers, body: JSON.stringify({ status: 'OK', data, ...beside }) }))
}
