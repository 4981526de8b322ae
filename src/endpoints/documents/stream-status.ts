import { setTimeout as delay } from 'node:timers/promises'
import type { DocumentStatus } from '../../documents/load-status.ts'
import type { Reply } from '../../http/endpoint/declare.ts'
import { languageOf } from '../../http/response/error-format.ts'
import { sendData, sendResponse } from '../../http/response/send-response.ts'
import { beginStream } from '../../http/response/stream-response.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { statusResponse } from './document-responses.ts'

const lookEveryMs = 250
/** Occasional comments keep proxies from closing the idle connection. */
const looksBetweenSigns = 60
/** Ten minutes; clients of Server-Sent Events reconnect by themselves. */
const maxLooks = 2_400

/** How long a client waits before it reconnects, in milliseconds: the stream ended because the load ended or the server stopped. */
const retryMs = 1_000

/**
 * Sends the status once, or as Server-Sent Events (`event: status`) at each change until the load ends. A client that reconnects
 * afterwards, as `EventSource` in browsers does, gets 204 and stops: it already has the last event.
 */
export async function streamStatus(
  reply: Reply,
  look: () => Promise<Result<DocumentStatus, Problem>>,
  isStream: boolean,
): Promise<Result<void, Problem>> {
  const language = languageOf(reply.request)
  const first = await look()
  if (!first.ok) return first
  if (!isStream) return succeed(sendData(reply, statusResponse(first.value, language)))
  if (isOver(first.value) && reply.request.headers['last-event-id'] === idOf(first.value))
    return succeed(sendResponse(reply, { status: 204, headers: {}, body: '' }))
  const stream = beginStream(reply, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  let sent = ''
  if (!(await stream.write(`retry: ${retryMs}\n\n`))) return succeed(undefined)
  let now: Result<DocumentStatus, Problem> = first
  for (let looks = 1; now.ok && looks < maxLooks; looks++) {
    const text = JSON.stringify(statusResponse(now.value, language))
    const event = `event: status\nid: ${idOf(now.value)}\ndata: ${text}\n\n`
    const piece = text !== sent ? event : looks % looksBetweenSigns === 0 ? ': \n\n' : ''
    if (piece !== '' && !(await stream.write(piece))) return succeed(undefined)
    sent = text
    if (isOver(now.value) || reply.server.stopping.now) break
    await delay(lookEveryMs)
    now = await look()
  }
  return succeed(stream.end())
}

const isOver = ({ state }: DocumentStatus): boolean => state === 'ready' || state === 'failed'

/** Identifies the state of a document that a client received last. */
const idOf = ({ state, version, percent, attempts }: DocumentStatus): string =>
  [state, version ?? 0, percent, attempts].join('.')
