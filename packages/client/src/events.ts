import { DocketError } from './errors.ts'
import { type CallOptions, pause, type Send } from './http.ts'
import { readServerSentEvents } from './server-sent-events.ts'

/** A change of a record that the caller may read (docs/changes.md). */
export interface Change {
  readonly id: string
  readonly operation: 'create' | 'update' | 'delete'
  readonly table: string
  readonly sys_id: string
  readonly changed_at: string | null
  readonly changed_by: string | null
  readonly changes: Readonly<Record<string, { readonly old_value: unknown; readonly new_value: unknown }>>
}

export type DocketEvent =
  | { readonly kind: 'open' }
  | { readonly kind: 'change'; readonly change: Change }
  /** Changes were missed: everything that depends on them must be read again. */
  | { readonly kind: 'reset' }
  /** The connection broke; the next attempt follows after `nextInMs`. */
  | { readonly kind: 'closed'; readonly nextInMs: number }

export interface EventOptions extends CallOptions {
  readonly tables?: readonly string[] | undefined
  readonly operations?: readonly Change['operation'][] | undefined
  /** Start after this event; default: now. */
  readonly since?: string | undefined
  /** Called with each id from which a later stream continues without a gap (`since`), also if no event came with it. */
  readonly onId?: ((id: string) => void) | undefined
}

const firstWaitMs = 1_000
const maxWaitMs = 30_000

/** Changes as they happen. Reconnects and continues where the stream broke; ends with `signal`. */
export async function* readEvents(send: Send, options: EventOptions): AsyncGenerator<DocketEvent, void, undefined> {
  let since = options.since
  let failures = 0
  while (!isEnded(options)) {
    try {
      const response = await send({ ...options, ...requestOf(options, since), timeoutMs: Number.POSITIVE_INFINITY })
      failures = 0
      yield { kind: 'open' }
      if (response.body === null) throw new TypeError('The response has no body.')
      for await (const event of readServerSentEvents(response.body)) {
        if (event.id !== undefined) {
          since = event.id
          options.onId?.(since)
        }
        if (event.name === 'reset') yield { kind: 'reset' }
        else if (event.name === 'change') yield { kind: 'change', change: JSON.parse(event.data) as Change }
      }
    } catch (error) {
      if (isEnded(options)) return
      if (error instanceof DocketError && error.status >= 400 && error.status < 500 && error.status !== 429) throw error
    }
    if (isEnded(options)) return
    const nextInMs = Math.min(maxWaitMs, firstWaitMs * 2 ** failures) * (0.5 + Math.random() / 2)
    failures += 1
    yield { kind: 'closed', nextInMs }
    await pause(nextInMs, options.signal).catch(() => undefined)
  }
}

const isEnded = ({ signal }: CallOptions): boolean => signal?.aborted === true

function requestOf(
  { tables, operations }: EventOptions,
  since: string | undefined,
): { method: string; path: string; headers: Record<string, string> } {
  const parameters = new URLSearchParams()
  if (tables !== undefined) parameters.set('tables', tables.join(','))
  if (operations !== undefined) parameters.set('operations', operations.join(','))
  if (since !== undefined) parameters.set('last_event_id', since)
  return { method: 'GET', path: `/rest/v1/events?${parameters}`, headers: { accept: 'text/event-stream' } }
}
