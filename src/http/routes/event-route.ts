import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { grantOnRows, isNever } from '../../acl/family-grant.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { changeEvent } from '../../records/changes/change-event.ts'
import { clearedPosition } from '../../records/changes/clear-changes.ts'
import { type ChangeOperation, type ChangesAsked, visibleChanges } from '../../records/changes/visible-changes.ts'
import type { ChangeWatch } from '../../records/changes/watch-changes.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { type AnswerStream, beginStream } from '../answer/stream-answer.ts'
import type { HttpParts } from '../http-parts.ts'
import { callerOf, identifyNow } from '../request/caller.ts'
import { readQueryString } from '../request/query-string.ts'
import { queryOf } from '../request/request-target.ts'

export interface EventParts {
  readonly room: RecordRoom
  readonly watch: ChangeWatch
}

/** `GET /rest/v1/events`: the log of changes as Server-Sent Events, as far as the caller may see it; goes on after Last-Event-ID. */
export function addEventRoute(app: FastifyInstance, parts: HttpParts, { room, watch }: EventParts): void {
  let streams = 0
  app.route({
    method: 'GET',
    url: '/rest/v1/events',
    handler: (request, reply) => {
      if (streams >= mostStreams) {
        sendProblem(reply, {
          kind: 'unavailable',
          detail: `This process serves ${mostStreams} event streams already`,
          retryAfterSeconds: 10,
        })
        return
      }
      streams += 1
      begin({ parts, room, watch, request, reply })
        .then(
          (begun) => (begun.ok ? undefined : sendProblem(reply, begun.error)),
          (error: unknown) => sendFailure(parts.observe, reply, error),
        )
        .finally(() => {
          streams -= 1
        })
    },
  })
}

/** Each asks the database for itself when something has happened. */
const mostStreams = 1_000
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
  const last = readLastEventId(request, parameters.value)
  if (!last.ok) return last
  const isLost = last.value !== null && BigInt(last.value) < BigInt(await clearedPosition(room.database))
  const after = last.value ?? (await watch.now())
  const stream = beginStream(reply, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  // Who was away for longer than changes are kept has missed some and must look at the records themselves.
  const reset = isLost ? 'event: reset\ndata: {"reason":"changes since this id are no longer kept"}\n' : ''
  if (await stream.write(`retry: ${retryMs}\n\n${reset}id: ${after}\n\n`)) {
    await goOn(stream, { ...streaming, asked: { ...asked.value, after } })
  }
  return succeed(undefined)
}

type Filter = Pick<ChangesAsked, 'tables' | 'operations'>

/** Once an answer has begun, what fails can only break it off: the client comes back and goes on where it was. */
async function goOn(
  stream: AnswerStream,
  streaming: Streaming & { readonly asked: Filter & { after: string } },
): Promise<void> {
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
  { parts, room, watch, request, reply, asked }: Streaming & { readonly asked: Filter & { after: string } },
): Promise<void> {
  let { after } = asked
  let told = after
  for (;;) {
    const grown = await waitFor(watch, after, reply)
    if (reply.server.stopping.now || reply.raw.destroyed) return
    // Keys end, roles change, users are suspended: asked anew before anything more is told.
    const caller = await identifyNow(parts.authenticator, request)
    if (!caller.ok) return
    if (!grown) {
      if (!(await stream.write(after === told ? ': \n\n' : `id: ${after}\n\n`))) return
      told = after
      continue
    }
    const { principal } = caller.value
    const page = await visibleChanges(room, { ...asked, principal, after, most: mostChanges })
    after = page.reached
    const events = page.changes.map((change) => eventText(change.position, JSON.stringify(changeEvent(change))))
    if (events.length === 0) continue
    told = page.changes.at(-1)?.position ?? told
    if (!(await stream.write(events.join('')))) return
  }
}

const eventText = (id: string, data: string): string => `id: ${id}\nevent: change\ndata: ${data}\n\n`

/** @returns false when nothing came for a while, the caller has gone or the server stops */
async function waitFor(watch: ChangeWatch, after: string, { raw }: FastifyReply): Promise<boolean> {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  const timer = setTimeout(end, signEveryMs)
  raw.once('close', end)
  try {
    return (await watch.beyond(after, ended.signal)) !== null
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
): Result<string | null, Problem> {
  const header = request.headers['last-event-id']
  const found = (Array.isArray(header) ? header[0] : header)?.trim() || parameters.get('last_event_id')?.trim() || null
  if (found === null || /^\d{1,18}$/.test(found)) return succeed(found)
  return refuse({
    kind: 'bad-parameter',
    parameter: 'last_event_id',
    found,
    expected: 'the id of an event, or 0 for all that is kept',
  })
}
