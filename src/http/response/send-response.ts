import type { FastifyReply, FastifyRequest } from 'fastify'
import { EncodedText } from '../../kernel/encoded-text.ts'
import type { Problem } from '../../kernel/problem.ts'
import { isKept, varyOf } from './caching.ts'
import { compressed } from './compress-response.ts'
import { aboutRequest, errorFormatOf } from './error-format.ts'
import type { ErrorResponse } from './error-messages.ts'
import { reportDenial } from './report-denial.ts'

/** A response as it is sent: always whole, never a stream. */
export interface WholeResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | EncodedText
}

/** JSON unless the headers say otherwise. On HEAD, Node leaves the body out and keeps its length. */
export function sendResponse(reply: FastifyReply, response: WholeResponse): void {
  const wanted = reply.request.headers['accept-encoding']
  const packing = wanted === undefined ? null : compressed(response.body, wanted)
  if (packing === null) {
    write(reply, response, response.body)
    return
  }
  packing.then(
    ({ bytes, encoding }) => write(reply, response, bytes, encoding),
    () => write(reply, response, response.body),
  )
}

export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const { request } = reply
  reportDenial(request, problem)
  sendError(reply, errorFormatOf(request).problem(problem, aboutRequest(request)))
}

export function sendError(reply: FastifyReply, response: ErrorResponse): void {
  write(reply, response, response.body)
}

/** `data` as JSON in the envelope of success. */
export function sendData(reply: FastifyReply, data: unknown): void {
  sendResponse(reply, { status: 200, headers: {}, body: JSON.stringify({ status: 'OK', data }) })
}

/** Straight to Node: Fastify's reply would look every header up again (3 µs a response). */
function write(
  reply: FastifyReply,
  response: WholeResponse,
  body: WholeResponse['body'] | Buffer,
  encoding?: string,
): void {
  const { raw, request } = reply
  // Nothing is sent to a caller who has disconnected, or who got half of a response before an error.
  if (raw.destroyed || raw.headersSent) {
    raw.destroy()
    return
  }
  const isEmpty = response.status === 204 || response.status === 304
  const headers = ['x-content-type-options', 'nosniff', 'x-request-id', request.id]
  const caching = isKept(request) ? response.headers['cache-control'] : undefined
  headers.push('cache-control', caching ?? 'no-store')
  if (!isEmpty && response.headers['content-type'] === undefined)
    headers.push('content-type', 'application/json; charset=utf-8')
  for (const name in response.headers)
    if (name !== 'vary' && name !== 'cache-control') headers.push(name, headerText(response.headers[name] ?? ''))
  if (encoding !== undefined) headers.push('content-encoding', encoding)
  const vary = varyOf(raw, [response.headers['vary'], encoding === undefined ? undefined : 'accept-encoding'])
  if (vary !== '') headers.push('vary', vary)
  if (reply.server.stopping.now || isBodyMissing(request, response)) headers.push('connection', 'close')
  if (!isEmpty) headers.push('content-length', String(byteLengthOf(body)))
  raw.writeHead(response.status, headers)
  // Head and body are sent in one write.
  if (body instanceof EncodedText) raw.end(body.latin1, 'latin1')
  else raw.end(body)
  reply.server.unsent.count(raw, request.caller?.principal.userId ?? '')
}

const byteLengthOf = (body: WholeResponse['body'] | Buffer): number =>
  body instanceof EncodedText ? body.length : Buffer.byteLength(body)

/** The parser still waits for a body after a timeout or without 100 Continue: no other request can follow on the connection. */
const isBodyMissing = (request: FastifyRequest, response: WholeResponse): boolean =>
  response.status === 408 || (request.headers.expect !== undefined && response.status >= 400)

const plainHeader = /^[\t\x20-\x7e]*$/

/** Headers are ASCII without line ends; a value may contain text of the caller. */
function headerText(value: string): string {
  return plainHeader.test(value) ? value : value.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent)
}
