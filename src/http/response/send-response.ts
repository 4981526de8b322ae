import type { FastifyReply, FastifyRequest } from 'fastify'
import { EncodedText } from '../../kernel/encoded-text.ts'
import type { Problem } from '../../kernel/problem.ts'
import { isKept, varyOf } from './caching.ts'
import { compressed } from './compress-response.ts'
import { aboutRequest, errorFormatOf } from './error-format.ts'
import type { ErrorAnswer } from './error-messages.ts'

/** What goes out: always whole, never a stream. */
export interface WholeAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | EncodedText
}

/** JSON unless the headers say otherwise. On HEAD, Node leaves the body out and keeps its length. */
export function sendAnswer(reply: FastifyReply, answer: WholeAnswer): void {
  const wanted = reply.request.headers['accept-encoding']
  const packing = wanted === undefined ? null : compressed(answer.body, wanted)
  if (packing === null) {
    write(reply, answer, answer.body)
    return
  }
  packing.then(
    ({ bytes, encoding }) => write(reply, answer, bytes, encoding),
    () => write(reply, answer, answer.body),
  )
}

export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const { request } = reply
  const format = errorFormatOf(request)
  sendError(reply, format.problem(problem, aboutRequest(request, format)))
}

export function sendError(reply: FastifyReply, answer: ErrorAnswer): void {
  write(reply, answer, answer.body)
}

/** `data` as JSON in the envelope of success. */
export function sendData(reply: FastifyReply, data: unknown): void {
  sendAnswer(reply, { status: 200, headers: {}, body: JSON.stringify({ status: 'OK', data }) })
}

/** Straight to Node: Fastify's reply would look every header up again (3 µs an answer). */
function write(reply: FastifyReply, answer: WholeAnswer, body: WholeAnswer['body'] | Buffer, encoding?: string): void {
  const { raw, request } = reply
  // A caller who is gone needs no answer; neither does one who got half of it before something failed.
  if (raw.destroyed || raw.headersSent) {
    raw.destroy()
    return
  }
  const isEmpty = answer.status === 204 || answer.status === 304
  const headers = ['x-content-type-options', 'nosniff', 'x-request-id', request.id]
  const caching = isKept(request) ? answer.headers['cache-control'] : undefined
  headers.push('cache-control', caching ?? 'no-store')
  if (!isEmpty && answer.headers['content-type'] === undefined)
    headers.push('content-type', 'application/json; charset=utf-8')
  for (const name in answer.headers)
    if (name !== 'vary' && name !== 'cache-control') headers.push(name, headerText(answer.headers[name] ?? ''))
  if (encoding !== undefined) headers.push('content-encoding', encoding)
  const vary = varyOf(raw, [answer.headers['vary'], encoding === undefined ? undefined : 'accept-encoding'])
  if (vary !== '') headers.push('vary', vary)
  if (reply.server.stopping.now || isBodyMissing(request, answer)) headers.push('connection', 'close')
  if (!isEmpty) headers.push('content-length', String(byteLengthOf(body)))
  raw.writeHead(answer.status, headers)
  // Head and body leave as one text, in one write.
  if (body instanceof EncodedText) raw.end(body.latin1, 'latin1')
  else raw.end(body)
  reply.server.unsent.count(raw, request.caller?.principal.userId ?? '')
}

const byteLengthOf = (body: WholeAnswer['body'] | Buffer): number =>
  body instanceof EncodedText ? body.latin1.length : Buffer.byteLength(body)

/** Whoever was too slow, or was not told to go on, leaves the parser waiting for a body: nothing can follow it. */
const isBodyMissing = (request: FastifyRequest, answer: WholeAnswer): boolean =>
  answer.status === 408 || (request.headers.expect !== undefined && answer.status >= 400)

const plainHeader = /^[\t\x20-\x7e]*$/

/** Headers hold no letters beyond ASCII and no line ends; a caller's own words may stand in one. */
function headerText(value: string): string {
  return plainHeader.test(value) ? value : value.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent)
}
