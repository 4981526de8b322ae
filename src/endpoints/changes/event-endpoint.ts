import { z } from 'zod'
import { grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import { ChangeEvent } from '../../contract/events.ts'
import { declare, type Reply } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { names } from '../../http/endpoint/read-input.ts'
import { type JsonObject, schemaRef } from '../../http/openapi/json-schema.ts'
import { headerRefs } from '../../http/openapi/write-openapi.ts'
import { beginStream, type ResponseStream } from '../../http/response/stream-response.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RunGated } from '../../kernel/run-gated.ts'
import { changeEvent } from '../../records/changes/change-event.ts'
import { isOfLostHistory } from '../../records/changes/clear-changes.ts'
import { type EventIds, readEventIds } from '../../records/changes/event-ids.ts'
import {
  type ChangeOperation,
  type ChangesRequest,
  type VisibleChange,
  visibleChanges,
} from '../../records/changes/visible-changes.ts'
import type { ChangeWatch } from '../../records/changes/watch-changes.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import type { Observe } from '../../telemetry/observation.ts'

export interface EventDeps {
  readonly records: RecordDeps
  readonly watch: ChangeWatch
  readonly observe: Observe
  readonly streams: OpenStreams
}

const PATH = '/rest/v1/events'
/** Each stream holds a connection, and a page of changes while it reads one. */
const maxStreams = 1_000
/** No single user can take all streams. */
const maxOfOneUser = 200
const EVENT: JsonObject = {
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: schemaRef('ChangeEvent'),
}

export const EVENT_SCHEMAS = { ChangeEvent }

/** The log of changes as far as the caller may see it; continues after Last-Event-ID. */
export const eventEndpoint = declare({
  id: 'events',
  path: PATH,
  methods: ['GET'],
  hasNoHead: true,
  tag: 'Changes',
  summary: 'Changes as they happen, as Server-Sent Events',
  description:
    'Events named `change`, each at least once and those of a record in order; an event `reset` says that changes since Last-Event-ID are no longer kept, or (`history-changed`) that the database lost its latest changes.',
  input: {
    tables: names('Tables, with their children, with commas between them; default: all.'),
    operations: names('create, update, delete, with commas between them; default: all.'),
    last_event_id: z.string().optional().meta({
      description: 'Begin after this event; 0: at the oldest stored event. Default: new events only.',
    }),
  },
  otherNames: 'ignored',
  headers: { 'Last-Event-ID': 'Sent by an EventSource after a reconnect: the stream continues there.' },
  receives: 'nothing',
  output: null,
  responses: {
    200: {
      description: 'The stream; `data` of each event named `change` is a ChangeEvent.',
      headers: headerRefs('X-Ignored-Parameters'),
      content: { 'text/event-stream': { schema: EVENT } },
    },
  },
  errors: [403, 404],
  limits: [
    { name: 'event streams of a user', value: maxOfOneUser, unit: 'streams', status: 503 },
    { name: 'event streams of all users', value: maxStreams, unit: 'streams', status: 503 },
  ],
  isGated: false,
  async handle(deps: EventDeps, input, request) {
    const leave = deps.streams.enter(request.principal.userId)
    return leave.ok
      ? succeed({ send: (reply) => begin({ ...deps, input, request, reply }).finally(leave.value) })
      : leave
  },
})

/** Changes per read. */
const maxChanges = 500
/** A stream that has sent nothing for this time sends where it is, after a check that the caller still has access: proxies end quiet connections. */
const maxSilenceMs = 15_000
/** How long a client waits before it reconnects. */
const retryMs = 1_000

/** The streams of this process, by user. */
export class OpenStreams {
  readonly #ofUser = new Map<string, number>()

  /** @returns a function to call when the stream ends */
  enter(userId: string): Result<() => void, Problem> {
    const own = this.#ofUser.get(userId) ?? 0
    const all = this.#ofUser.values().reduce((sum, count) => sum + count, 0)
    if (all >= maxStreams) return tooMany(`This process serves ${maxStreams} event streams already`)
    if (own >= maxOfOneUser) return tooMany(`This process serves ${maxOfOneUser} event streams of this user already`)
    this.#ofUser.set(userId, own + 1)
    return succeed(() => this.#leave(userId))
  }

  #leave(userId: string): void {
    const left = (this.#ofUser.get(userId) ?? 1) - 1
    if (left > 0) this.#ofUser.set(userId, left)
    else this.#ofUser.delete(userId)
  }
}

function tooMany(detail: string): Result<never, Problem> {
  return fail({ kind: 'unavailable', detail, retryAfterSeconds: 10 })
}

interface Input {
  readonly tables: readonly string[]
  readonly operations: readonly string[]
  readonly last_event_id?: string | undefined
}

interface Streaming extends EventDeps {
  readonly input: Input
  readonly request: EndpointRequest
  readonly reply: Reply
}

async function begin(streaming: Streaming): Promise<Result<void, Problem>> {
  const { input, request, records, watch, reply } = streaming
  const requested = await readFilter(input, records, request.principal)
  if (!requested.ok) return requested
  const ids = await readEventIds(records.database)
  const last = readLastEventId(request, input, ids)
  if (!last.ok) return last
  const settled = await watch.now()
  // A client that received changes which the database lost must read the records again.
  const isLost =
    last.value !== null &&
    (BigInt(last.value) > BigInt(settled) || (await isOfLostHistory(records.database, last.value)))
  const after = last.value === null || isLost ? settled : last.value
  const stream = beginStream(reply, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  const reset = isLost ? resetBecause('history-changed') : ''
  await records.lagging?.writes.report(request.principal.userId)
  if (await stream.write(`retry: ${retryMs}\n\n${reset}id: ${ids.markOf(after)}\n\n`)) {
    await next(stream, { ...streaming, ids, requested: { ...requested.value, after } })
  }
  return succeed(undefined)
}

const noLongerKept = 'changes since this id are no longer kept'

const resetBecause = (reason: string): string => `event: reset\ndata: ${JSON.stringify({ reason })}\n`

type Filter = Pick<ChangesRequest, 'tables' | 'operations'>

interface Begun extends Streaming {
  readonly ids: EventIds
  readonly requested: Filter & { readonly after: string }
}

/** After a response has begun, an error can only end it: the client reconnects and continues from its last event. */
async function next(stream: ResponseStream, streaming: Begun): Promise<void> {
  try {
    await sendChanges(stream, streaming)
    stream.end()
  } catch (error) {
    stream.breakOff()
    const { request, observe } = streaming
    observe({ kind: 'request-failed', requestId: request.id, route: PATH, error })
  }
}

async function sendChanges(
  stream: ResponseStream,
  { records, watch, request, reply, ids, requested }: Begun,
): Promise<void> {
  const { clock } = records
  let sentMs = clock.nowMs()
  const send = async (text: string): Promise<boolean> => {
    // Who receives a change reads the record: no standby without the change may serve that.
    await records.lagging?.writes.report(request.principal.userId)
    const isOpen = await stream.write(text)
    sentMs = clock.nowMs()
    return isOpen
  }
  let { after } = requested
  // Changes up to here are known to the client as no longer kept.
  let reportedUpTo = '0'
  // Uses the cached caller: the epochs of the page show whether it was still current.
  let caller = await request.callerNow()
  for (;;) {
    if (!caller.ok) return
    // The clock may have been set back. Changes that the caller does not see are no end of the silence.
    const leftMs = maxSilenceMs - Math.abs(clock.nowMs() - sentMs)
    const upTo = leftMs > 0 ? await waitFor(watch, { after, maxMs: leftMs }, reply) : null
    if (reply.server.stopping.now || reply.raw.destroyed) return
    if (upTo === null) {
      // Keys expire, roles change and users are disabled, so the rights are read again before anything more is sent.
      caller = await request.callerNow()
      if (!caller.ok || !(await send(`id: ${ids.markOf(after)}\n\n`))) return
      continue
    }
    caller = await request.renewCaller(caller.value.identityEpoch)
    if (!caller.ok) return
    const { principal, identityEpoch } = caller.value
    const run: RunGated = (work) => request.gate.runPatiently(principal.userId, work)
    const page = await visibleChanges(records, {
      ...requested,
      principal,
      identityEpoch,
      after,
      upTo,
      max: maxChanges,
      run,
    })
    if (page.kind === 'identity-changed') {
      caller = await request.renewCaller(page.epoch)
      continue
    }
    if (page.kind === 'history-changed') {
      after = upTo
      if (!(await send(`${resetBecause('history-changed')}id: ${ids.markOf(after)}\n\n`))) return
      continue
    }
    const { clearedUpTo } = page
    const lacksChanges = BigInt(clearedUpTo) > BigInt(after) && BigInt(clearedUpTo) > BigInt(reportedUpTo)
    const reset = lacksChanges ? `${resetBecause(noLongerKept)}id: ${ids.markOf(after)}\n\n` : ''
    if (lacksChanges) reportedUpTo = clearedUpTo
    after = page.reached
    const text = page.changes.reduce((all, change) => all + eventText(change, ids), reset)
    if (text !== '' && !(await send(text))) return
  }
}

/** Many streams send the same change. */
const texts = new WeakMap<VisibleChange, string>()

function eventText(change: VisibleChange, ids: EventIds): string {
  const known = texts.get(change)
  if (known !== undefined) return known
  const event = changeEvent(change, ids)
  const text = `id: ${event.id}\nevent: change\ndata: ${JSON.stringify(event)}\n\n`
  texts.set(change, text)
  return text
}

/** @returns the committed watermark; null if no change came for a while, the client disconnected or the server stops */
async function waitFor(
  watch: ChangeWatch,
  { after, maxMs }: { readonly after: string; readonly maxMs: number },
  { raw }: Reply,
): Promise<string | null> {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  const timer = setTimeout(end, maxMs)
  raw.once('close', end)
  try {
    return await watch.beyond(after, ended.signal)
  } finally {
    clearTimeout(timer)
    raw.off('close', end)
  }
}

// ── the request ──

const operations: readonly ChangeOperation[] = ['create', 'update', 'delete']

async function readFilter(
  { tables, operations: wanted }: Input,
  records: RecordDeps,
  principal: Principal,
): Promise<Result<Filter, Problem>> {
  const catalog = await records.catalog.upToDate()
  for (const name of tables) {
    const table = catalog.tables.get(name)
    if (table === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
    if (isNever(grantOnRows(records.accessFor(catalog, principal), catalog, table, 'read')))
      return fail({ kind: 'table-denied', action: 'read', table: name })
  }
  const unknown = wanted.find((each) => !operations.includes(each as ChangeOperation))
  if (unknown !== undefined) {
    return fail({
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

/** The header that EventSource sends when it reconnects, or a parameter for a client that starts at a given event; null: start now. */
function readLastEventId(request: EndpointRequest, input: Input, ids: EventIds): Result<string | null, Problem> {
  const header = request.headers['last-event-id']
  const found = (Array.isArray(header) ? header[0] : header)?.trim() || input.last_event_id?.trim() || null
  if (found === null || found === '0') return succeed(found)
  const position = ids.positionOf(found)
  if (position !== null) return succeed(position)
  return fail({
    kind: 'bad-parameter',
    parameter: 'last_event_id',
    found,
    expected: 'the id of an event, or 0 for all that is kept',
  })
}
