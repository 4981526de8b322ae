import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { DocumentStatus } from '../documents/load-status.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { statusOnTheWire } from './document-answers.ts'
import { sendData } from './send-answer.ts'
import { beginStream } from './stream-answer.ts'

const lookEveryMs = 250
/** A comment now and then keeps proxies from taking the silence for the end. */
const looksBetweenSigns = 60
/** Ten minutes; clients of Server-Sent Events come back by themselves. */
const mostLooks = 2_400

/** The status once, or as Server-Sent Events (`event: status`) whenever it changes, until the load is over. */
export async function streamStatus(
  reply: FastifyReply,
  look: () => Promise<Result<DocumentStatus, Problem>>,
  isStream: boolean,
): Promise<Result<void, Problem>> {
  const first = await look()
  if (!first.ok) return first
  if (!isStream) return succeed(sendData(reply, statusOnTheWire(first.value)))
  const stream = beginStream(reply, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  let sent = ''
  let now: Result<DocumentStatus, Problem> = first
  for (let looks = 1; now.ok && looks < mostLooks; looks++) {
    const text = JSON.stringify(statusOnTheWire(now.value))
    const piece = text !== sent ? `event: status\ndata: ${text}\n\n` : looks % looksBetweenSigns === 0 ? ': \n\n' : ''
    if (piece !== '' && !(await stream.write(piece))) return succeed(undefined)
    sent = text
    if (now.value.state === 'ready' || now.value.state === 'failed' || reply.server.stopping.now) break
    await delay(lookEveryMs)
    now = await look()
  }
  return succeed(stream.end())
}
