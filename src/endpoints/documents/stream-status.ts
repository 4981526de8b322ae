import { setTimeout as delay } from 'node:timers/promises'
import type { DocumentStatus } from '../../documents/load-status.ts'
import type { Reply } from '../../http/endpoint/declare.ts'
import { sendData, sendResponse } from '../../http/response/send-response.ts'
import { beginStream } from '../../http/response/stream-response.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { statusResponse } from './document-answers.ts'

const lookEveryMs = 250
/** A comment now and then keeps proxies from taking the silence for the end. */
const looksBetweenSigns = 60
/** Ten minutes; clients of Server-Sent Events come back by themselves. */
const maxLooks = 2_400

/** How long a client waits before it comes back, in milliseconds: the stream ended because the load is over, or we are. */
const retryMs = 1_000

/**
 * The status once, or as Server-Sent Events (`event: status`) whenever it changes, until the load is over. A client that
 * comes back afterwards, as browsers' `EventSource` does by itself, is told to stay away (204): it has seen the last event.
 */
export async function streamStatus(
  reply: Reply,
  look: () => Promise<Result<DocumentStatus, Problem>>,
  isStream: boolean,
): Promise<Result<void, Problem>> {
  const first = await look()
  if (!first.ok) return first
  if (!isStream) return succeed(sendData(reply, statusResponse(first.value)))
  if (isOver(first.value) && reply.request.headers['last-event-id'] === idOf(first.value))
    return succeed(sendResponse(reply, { status: 204, headers: {}, body: '' }))
  const stream = beginStream(reply, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  let sent = ''
  if (!(await stream.write(`retry: ${retryMs}\n\n`))) return succeed(undefined)
  let now: Result<DocumentStatus, Problem> = first
  for (let looks = 1; now.ok && looks < maxLooks; looks++) {
    const text = JSON.stringify(statusResponse(now.value))
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

/** Tells one state of a document from another: what a client saw last. */
const idOf = ({ state, version, percent, attempts }: DocumentStatus): string =>
  [state, version ?? 0, percent, attempts].join('.')
