import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { grantOnRows, isNever } from '../../acl/family-grant.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { RunGated } from '../../kernel/run-gated.ts'
import { changeEvent } from '../../records/changes/change-event.ts'
import { missingAfter } from '../../records/changes/clear-changes.ts'
import { type EventIds, readEventIds } from '../../records/changes/event-ids.ts'
import {
  type ChangeOperation,
  type ChangesAsked,
  type VisibleChange,
  visibleChanges,
} from '../../records/changes/visible-changes.ts'
import type { ChangeWatch } from '../../records/changes/watch-changes.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { type AnswerStream, beginStream } from '../answer/stream-answer.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf, identifyAgain, identifyNow } from '../request/caller.ts'
import { readQueryString } from '../request/query-string.ts'
import { queryOf } from '../request/request-target.ts'
import type { StatementGate } from '../request/statement-gate.ts'

export interface EventParts {
  readonly room: RecordRoom
  readonly watch: ChangeWatch
  readonly gate: StatementGate
}

/** `GET /rest/v1/events`: the log of changes as Server-Sent Events, as far as the caller may see it; goes on after Last-Event-ID. */
export function addEventRoute(app: FastifyInstance, parts: HttpParts, deps: EventParts): void {
  const streams = new Map<string, number>()
  app.route({
    method: 'GET',
    url: '/rest/v1/events',
    handler: (request, reply) => {
      const { userId } = callerOf(request).principal
      const own = streams.get(userId) ?? 0
      const all = streams.values().reduce((sum, count) => sum + count, 0)
      if (all >= mostStreams || own >= mostOfOneUser) {
        const detail =
          all >= mostStreams
            ? `This process serves ${mostStreams} event streams already`
            : `This process serves ${mostOfOneUser} event streams of this user already`
        sendProblem(reply, { kind: 'unavailable', detail, retryAfterSeconds: 10 })
        return
      }
      streams.set(userId, own + 1)
      begin({ ...deps, parts, request, reply })
        .then(
          (begun) => (begun.ok ? undefined : sendProblem(reply, begun.error)),
          (error: unknown) => sendFailure(parts.observe, reply, error),
        )
        .finally(() => {
          const left = (streams.get(userId) ?? 1) - 1
          if (left > 0) streams.set(userId, left)
          else streams.delete(userId)
        })
    },
  })
}

/** Each holds a connection, and a page of changes while it is being read. */
const mostStreams = 1_000
/** Nobody takes all of them. */
const mostOfOneUser = 200
/** Changes looked at in one go. */
const mostChanges = 500
/** A sign of life, and a look whether the caller may still come in. */
const signEveryMs = 15_000
/** How long a client waits before it comes back. */
const retryMs = 1_000

interface Streaming extends EventParts {
  readonly parts: HttpParts
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function begin(streaming: Streaming): Promise<Result<void, Problem>> {
  const { request, room, watch, reply } = streaming
  const parameters = readQueryString(queryOf(request.raw.url ?? ''))
  if (!parameters.ok) return parameters
  const asked = await readAsked(parameters.value, room, callerOf(request).principal)
  if (!asked.ok) return asked
  const ids = await readEventIds(room.database)
  const last = readLastEventId(request, parameters.value, ids)
  if (!last.ok) return last
  const settled = await watch.now()
  // Who was away for longer than changes are kept, or was told changes that the database lost, must look at the records themselves.
  const missing = last.value === null ? null : await missingAfter(room.database, last.value)
  const isLost = last.value !== null && (missing?.areOfLostHistory === true || BigInt(last.value) > BigInt(settled))
  const after = last.value === null || isLost ? settled : last.value
  const stream = beginStream(reply, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  const reset = isLost ? resetBecause('history-changed') : missing?.areCleared ? resetBecause(noLongerKept) : ''
  if (await stream.write(`retry: ${retryMs}\n\n${reset}id: ${ids.markOf(after)}\n\n`)) {
    await goOn(stream, { ...streaming, ids, asked: { ...asked.value, after } })
  }
  return succeed(undefined)
}

const noLongerKept = 'changes since this id are no longer kept'

const resetBecause = (reason: string): string => `event: reset\ndata: ${JSON.stringify({ reason })}\n`

type Filter = Pick<ChangesAsked, 'tables' | 'operations'>

interface Begun extends Streaming {
  readonly ids: EventIds
  readonly asked: Filter & { readonly after: string }
}

/** Once an answer has begun, what fails can only break it off: the client comes back and goes on where it was. */
async function goOn(stream: AnswerStream, streaming: Begun): Promise<void> {
  try {
    await sendChanges(stream, streaming)
    stream.end()
  } catch (error) {
    stream.breakOff()
    const { request, parts } = streaming
    parts.observe({ kind: 'request-failed', requestId: request.id, route: '/rest/v1/events', error })
  }
}

async function sendChanges(
  stream: AnswerStream,
  { parts, room, watch, gate, request, reply, ids, asked }: Begun,
): Promise<void> {
  let { after } = asked
  // From memory: what the page was read under tells whether it still held.
  let caller = await identifyNow(parts.authenticator, request)
  for (;;) {
    if (!caller.ok) return
    const upTo = await waitFor(watch, after, reply)
    if (reply.server.stopping.now || reply.raw.destroyed) return
    if (upTo === null) {
      // Keys end, roles change, users are suspended: asked anew before anything more is told.
      caller = await identifyNow(parts.authenticator, request)
      if (!caller.ok || !(await stream.write(`id: ${ids.markOf(after)}\n\n`))) return
      continue
    }
    caller = await identifyAgain(parts.authenticator, request, caller.value.identityEpoch)
    if (!caller.ok) return
    const { principal, identityEpoch } = caller.value
    const run: RunGated = (work) => gate.runPatiently(principal.userId, work)
    const page = await visibleChanges(room, { ...asked, principal, identityEpoch, after, upTo, most: mostChanges, run })
    if (page.kind === 'identity-changed') {
      caller = await identifyAgain(parts.authenticator, request, page.epoch)
      continue
    }
    if (page.kind === 'history-changed') {
      after = upTo
      if (!(await stream.write(`${resetBecause('history-changed')}id: ${ids.markOf(after)}\n\n`))) return
      continue
    }
    after = page.reached
    if (page.changes.length === 0) continue
    if (!(await stream.write(page.changes.map((change) => eventText(change, ids)).join('')))) return
  }
}

/** Many streams are shown the same change. */
const texts = new WeakMap<VisibleChange, string>()

function eventText(change: VisibleChange, ids: EventIds): string {
  const known = texts.get(change)
  if (known !== undefined) return known
  const event = changeEvent(change, ids)
  const text = `id: ${event.id}\nevent: change\ndata: ${JSON.stringify(event)}\n\n`
  texts.set(change, text)
  return text
}

/** @returns up to where the log is settled now; null when nothing came for a while, the caller has gone or the server stops */
async function waitFor(watch: ChangeWatch, after: string, { raw }: FastifyReply): Promise<string | null> {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  const timer = setTimeout(end, signEveryMs)
  raw.once('close', end)
  try {
    return await watch.beyond(after, ended.signal)
  } finally {
    clearTimeout(timer)
    raw.off('close', end)
  }
}

// ── what was asked for ──

const operations: readonly ChangeOperation[] = ['create', 'update', 'delete']

async function readAsked(
  parameters: ReadonlyMap<string, string>,
  room: RecordRoom,
  principal: Principal,
): Promise<Result<Filter, Problem>> {
  const tables = listOf(parameters.get('tables'))
  const catalog = await room.catalog.upToDate()
  for (const name of tables) {
    const table = catalog.tables.get(name)
    if (table === undefined) return refuse({ kind: 'table-not-found', table: name, similar: [] })
    if (isNever(grantOnRows(room.accessFor(catalog, principal), catalog, table, 'read')))
      return refuse({ kind: 'table-denied', action: 'read', table: name })
  }
  const wanted = listOf(parameters.get('operations'))
  const unknown = wanted.find((each) => !operations.includes(each as ChangeOperation))
  if (unknown !== undefined) {
    return refuse({
      kind: 'bad-parameter',
      parameter: 'operations',
      found: unknown,
      expected: `a list of ${operations.join(', ')}`,
    })
  }
  return succeed({
    tables: tables.length === 0 ? null : new Set(tables),
    operations: wanted.length === 0 ? null : new Set(wanted as ChangeOperation[]),
  })
}

const listOf = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** The header that EventSource sends when it comes back, or a parameter for who begins somewhere; null: from now on. */
function readLastEventId(
  request: FastifyRequest,
  parameters: ReadonlyMap<string, string>,
  ids: EventIds,
): Result<string | null, Problem> {
  const header = request.headers['last-event-id']
  const found = (Array.isArray(header) ? header[0] : header)?.trim() || parameters.get('last_event_id')?.trim() || null
  if (found === null || found === '0') return succeed(found)
  const position = ids.positionOf(found)
  if (position !== null) return succeed(position)
  return refuse({
    kind: 'bad-parameter',
    parameter: 'last_event_id',
    found,
    expected: 'the id of an event, or 0 for all that is kept',
  })
}
