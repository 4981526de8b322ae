import { AccessDenied, type DocketEvent, NotFound } from 'docket-client'

/** What a page sends to the hub. */
export type PageMessage =
  | {
      readonly kind: 'watch'
      /** sys_id of the user whose data the page displays. */
      readonly user: string
      readonly tables: readonly string[]
      /** The last id that the page has received. */
      readonly since: string
      /** When it received that id (`Date.now()`). */
      readonly sinceMs: number
    }
  | { readonly kind: 'leave' }
  /** The user has signed in again. */
  | { readonly kind: 'renew'; readonly user: string }

/** What the hub sends to a page. */
export type HubMessage =
  | { readonly kind: 'event'; readonly event: DocketEvent }
  | { readonly kind: 'id'; readonly id: string }
  /** The response to each `watch`: the hub is alive. */
  | { readonly kind: 'watching' }

export type SendToPage = (message: HubMessage) => void

interface StreamRequest {
  readonly user: string
  readonly tables: readonly string[]
  readonly since: string | undefined
  readonly signal: AbortSignal
  readonly onId: (id: string) => void
}

/** The server, as the hub uses it. */
export interface EventServer {
  readonly events: (request: StreamRequest) => AsyncIterable<DocketEvent>
  /** Names of the tables that the user may read. */
  readonly readableTables: (user: string) => Promise<ReadonlySet<string>>
}

type Watch = Extract<PageMessage, { readonly kind: 'watch' }>

/** Events that the hub keeps for pages that come a moment later. */
const maxRecent = 500
/** One page is left and the next one opened almost at once: in milliseconds. */
const settleMs = 50

/** Serves all pages of a browser from one event stream. Each user has a separate stream, and only pages of that user receive its events. */
export class EventHub {
  readonly #server: EventServer
  readonly #nowMs: () => number
  readonly #streams = new Map<string, UserStream>()

  constructor(server: EventServer, nowMs: () => number = Date.now) {
    this.#server = server
    this.#nowMs = nowMs
  }

  receive(page: SendToPage, message: PageMessage): void {
    if (message.kind === 'renew') this.#streams.get(message.user)?.renew()
    if (message.kind === 'leave') this.leave(page)
    if (message.kind !== 'watch') return
    const { user } = message
    for (const [other, stream] of this.#streams) if (other !== user) stream.leave(page)
    const stream = this.#streams.get(user) ?? new UserStream(this.#server, user, this.#nowMs)
    this.#streams.set(user, stream)
    stream.watch(page, message)
    page({ kind: 'watching' })
  }

  leave(page: SendToPage): void {
    for (const stream of this.#streams.values()) stream.leave(page)
  }

  /** Signing out: no page receives anything more. */
  end(): void {
    for (const stream of this.#streams.values()) stream.end()
    this.#streams.clear()
  }
}

class UserStream {
  readonly #server: EventServer
  readonly #user: string
  readonly #nowMs: () => number
  readonly #pages = new Map<SendToPage, readonly string[]>()
  /** Tables that the user may not read: one of them would end the stream of all. */
  #denied: ReadonlySet<string> = new Set()
  #running: { readonly tables: string; readonly stop: AbortController } | null = null
  #state: DocketEvent | null = null
  /** The latest ids, and when they were received. A new stream begins after one of them. Empty: no table is in view. */
  #ids: readonly { readonly id: string; readonly atMs: number }[] = []
  /** The next stream repeats events from here on: a page has read records of tables that this one lacks. Infinite: nothing is repeated. */
  #replayFromMs = Number.POSITIVE_INFINITY
  /** The latest events; none is missing since `#recentFromMs`. */
  #recent: readonly { readonly atMs: number; readonly event: DocketEvent }[] = []
  #recentFromMs = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(server: EventServer, user: string, nowMs: () => number) {
    this.#server = server
    this.#user = user
    this.#nowMs = nowMs
  }

  watch(page: SendToPage, { tables, since, sinceMs }: Watch): void {
    const isNew = !this.#pages.has(page)
    this.#pages.set(page, tables)
    this.#settle()
    const running = this.#running?.tables.split(',') ?? []
    const isMore = (name: string): boolean => !running.includes(name) && !this.#denied.has(name)
    if (tables.some(isMore)) this.#replayFromMs = Math.min(this.#replayFromMs, sinceMs)
    if (this.#ids.length === 0) {
      this.#receiveId(since, sinceMs)
      this.#recentFromMs = sinceMs
    } else if (isNew) this.#sendMissed(page, sinceMs)
    if (isNew && this.#state !== null) page({ kind: 'event', event: this.#state })
  }

  /** The stream went on without the page, or before it came. */
  #sendMissed(page: SendToPage, sinceMs: number): void {
    if (sinceMs < this.#recentFromMs) page({ kind: 'event', event: { kind: 'reset' } })
    else for (const { atMs, event } of this.#recent) if (atMs >= sinceMs) page({ kind: 'event', event })
  }

  leave(page: SendToPage): void {
    if (this.#pages.delete(page)) this.#settle()
  }

  renew(): void {
    this.#stop()
    this.#denied = new Set()
    this.#settle()
  }

  end(): void {
    this.#pages.clear()
    clearTimeout(this.#timer)
    this.#stop()
  }

  #settle(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#open(), settleMs)
  }

  #stop(): void {
    this.#running?.stop.abort()
    this.#running = null
  }

  /** Opens the stream of all tables in view, unless it is open. */
  #open(): void {
    const tables = [...new Set([...this.#pages.values()].flat())].filter((name) => !this.#denied.has(name)).sort()
    if (tables.join() === this.#running?.tables) return
    this.#stop()
    if (tables.length > 0) void this.#read(tables)
    else this.#forget()
  }

  /** Nothing is in view: a page that comes later reads its records itself. */
  #forget(): void {
    this.#ids = []
    this.#state = null
    this.#recent = []
  }

  #receiveId(id: string, atMs: number): void {
    this.#ids = [...this.#ids.slice(1 - maxRecent), { id, atMs }]
  }

  /** The id after which the next stream begins. */
  #takeStartId(): string | undefined {
    const at = Math.max(
      0,
      this.#ids.findLastIndex(({ atMs }) => atMs < this.#replayFromMs),
    )
    this.#replayFromMs = Number.POSITIVE_INFINITY
    // Later ids are those of a stream that lacked tables: if this one is replaced before it has sent anything, the next one begins here, too.
    this.#ids = this.#ids.slice(0, at + 1)
    return this.#ids[at]?.id
  }

  async #read(tables: readonly string[]): Promise<void> {
    const stop = new AbortController()
    this.#running = { tables: tables.join(), stop }
    const { signal } = stop
    const onId = (id: string): void => {
      this.#receiveId(id, this.#nowMs())
      this.#send({ kind: 'id', id })
    }
    try {
      const request = { user: this.#user, tables, since: this.#takeStartId(), signal, onId }
      for await (const event of this.#server.events(request)) {
        if (event.kind === 'open' || event.kind === 'closed') this.#state = event
        else if (this.#isDuplicate(event)) continue
        else this.#keep(event)
        this.#send({ kind: 'event', event })
      }
    } catch (error) {
      if (signal.aborted || (await this.#hasDropped(tables, error)) || signal.aborted) return
      // The session has ended, for example: pages display the error where they read.
      this.#state = { kind: 'closed', nextInMs: 0 }
      this.#send({ kind: 'event', event: this.#state })
    }
  }

  /** A stream for more tables has events again that the one before had. */
  #isDuplicate(event: DocketEvent): boolean {
    if (event.kind !== 'change') return false
    const { id } = event.change
    return this.#recent.some(({ event: known }) => known.kind === 'change' && known.change.id === id)
  }

  #keep(event: DocketEvent): void {
    this.#recent = [...this.#recent, { atMs: this.#nowMs(), event }]
    if (this.#recent.length <= maxRecent) return
    const [oldest, ...rest] = this.#recent
    this.#recent = rest
    this.#recentFromMs = (oldest?.atMs ?? 0) + 1
  }

  /** Leaves out tables that the user may not read, or that are gone, so that the others keep their events. */
  async #hasDropped(tables: readonly string[], error: unknown): Promise<boolean> {
    if (!(error instanceof AccessDenied || error instanceof NotFound)) return false
    const readable = await this.#server.readableTables(this.#user).catch(() => null)
    const denied = readable === null ? [] : tables.filter((name) => !readable.has(name))
    if (denied.length === 0) return false
    this.#denied = new Set([...this.#denied, ...denied])
    this.#settle()
    return true
  }

  #send(message: HubMessage): void {
    for (const page of this.#pages.keys()) page(message)
  }
}
