import { connect, type Socket } from 'node:net'
import { deserialize } from 'node:v8'
import { FrameReader, sendFrame, sendValue } from './frames.ts'
import {
  type CallMessage,
  type FailureOfCall,
  maxFrameBytes,
  type ServerMessage,
  type SettledCall,
  type SocketAddress,
  type SocketWork,
} from './serve-socket.ts'

/** There is no connection, or it ended before the response. Whether the call was processed is unknown. */
export class ConnectionLost extends Error {}

export interface SocketClientOptions<W extends SocketWork> extends SocketAddress {
  /** The first event of a connection makes it usable; later ones arrive at least every few seconds. */
  readonly onEvent: (event: never, connection: Connection<W>) => void
  /** The error of a failed call. */
  readonly reviveError: (failure: FailureOfCall) => Error
}

export interface CallOptions<P> {
  readonly onProgress?: (progress: P) => void
  /** Rejects as if the connection were lost; absent: no limit. */
  readonly timeoutMs?: number
}

type Input<W extends SocketWork, K extends keyof W> = Parameters<W[K]>[0]
type Progress<W extends SocketWork, K extends keyof W> = Parameters<Parameters<W[K]>[1]>[0]

/** One connection of a client: calls of a lost one never reach its successor. */
export interface Connection<W extends SocketWork> {
  /** @throws ConnectionLost */
  call<K extends keyof W & string>(
    kind: K,
    input: Input<W, K>,
    options?: CallOptions<Progress<W, K>>,
  ): Promise<Awaited<ReturnType<W[K]>>>
  /** Expects no response; without a connection, nothing happens. */
  send<K extends keyof W & string>(kind: K, input: Input<W, K>): void
  /** Bytes that are not sent yet. */
  unsentBytes(): number
}

export interface SocketClient<W extends SocketWork> {
  /** null: there is none now; another one is being made. */
  connection(): Connection<W> | null
  /** Resolves when there is a connection; rejects when the client is closed. */
  connected(): Promise<Connection<W>>
  close(): void
}

const retryMs = 50
/** A server that sends nothing for this long does not respond any more. */
const maxSilentMs = 30_000
const lookEveryMs = 5_000

/** Connects, and connects again whenever the connection is lost. */
export function openSocketClient<W extends SocketWork>(options: SocketClientOptions<W>): SocketClient<W> {
  let isClosed = false
  let current: ClientConnection<W> | null = null
  let usable = Promise.withResolvers<Connection<W>>()
  let retry: NodeJS.Timeout | undefined
  usable.promise.catch(() => undefined)

  function begin(): void {
    const made = new ClientConnection<W>(options, {
      onUsable: () => usable.resolve(made),
      onLost: () => {
        current = null
        if (isClosed) return
        if (made.isUsable) usable = Promise.withResolvers()
        usable.promise.catch(() => undefined)
        retry = setTimeout(begin, retryMs)
      },
    })
    current = made
  }
  begin()
  return {
    connection: () => (current?.isUsable ? current : null),
    connected: () => usable.promise,
    close() {
      isClosed = true
      clearTimeout(retry)
      const error = new ConnectionLost('the connection is closed')
      // Who waits now, and who comes later.
      usable.reject(error)
      usable = Promise.withResolvers()
      usable.promise.catch(() => undefined)
      usable.reject(error)
      current?.end()
    },
  }
}

interface ConnectionEvents {
  readonly onUsable: () => void
  readonly onLost: () => void
}

interface PendingCall {
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
  readonly onProgress: ((progress: never) => void) | undefined
  readonly timer: NodeJS.Timeout | undefined
}

class ClientConnection<W extends SocketWork> implements Connection<W> {
  readonly #socket: Socket
  readonly #options: SocketClientOptions<W>
  readonly #events: ConnectionEvents
  readonly #frames = new FrameReader(maxFrameBytes)
  readonly #pending = new Map<number, PendingCall>()
  readonly #looking: NodeJS.Timeout
  #receivedMs = performance.now()
  #nextId = 1
  isUsable = false

  constructor(options: SocketClientOptions<W>, events: ConnectionEvents) {
    this.#options = options
    this.#events = events
    this.#socket = connect(options.path)
    sendFrame(this.#socket, Buffer.from(options.secret))
    this.#socket.on('data', (bytes) => this.#receive(bytes as Buffer))
    // `close` follows.
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#lose())
    this.#looking = setInterval(() => {
      if (performance.now() - this.#receivedMs > maxSilentMs) this.end()
    }, lookEveryMs)
    this.#looking.unref()
  }

  call<K extends keyof W & string>(
    kind: K,
    input: Input<W, K>,
    { onProgress, timeoutMs }: CallOptions<Progress<W, K>> = {},
  ): Promise<Awaited<ReturnType<W[K]>>> {
    if (this.#socket.destroyed) return Promise.reject(new ConnectionLost('there is no connection'))
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<W[K]>>>()
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => this.#giveUp(id, `no response to "${kind}"`), timeoutMs)
    this.#pending.set(id, { resolve, reject, onProgress, timer })
    sendValue(this.#socket, { id, kind, input } satisfies CallMessage)
    return promise
  }

  send<K extends keyof W & string>(kind: K, input: Input<W, K>): void {
    if (!this.#socket.destroyed) sendValue(this.#socket, { id: 0, kind, input } satisfies CallMessage)
  }

  unsentBytes(): number {
    return this.#socket.writableLength
  }

  end(): void {
    this.#socket.destroy()
  }

  #receive(bytes: Buffer): void {
    this.#receivedMs = performance.now()
    try {
      for (const frame of this.#frames.read(bytes)) this.#take(deserialize(frame) as ServerMessage)
    } catch {
      // It is not a server of this protocol.
      this.end()
    }
  }

  #take(message: ServerMessage): void {
    if ('event' in message) this.#takeEvent(message.event)
    else if ('progress' in message) this.#pending.get(message.id)?.onProgress?.(message.progress as never)
    else this.#settle(message)
  }

  #settle(message: SettledCall): void {
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    clearTimeout(pending?.timer)
    if ('result' in message) pending?.resolve(message.result as never)
    else pending?.reject(this.#options.reviveError(message.failure))
  }

  #takeEvent(event: unknown): void {
    this.#options.onEvent(event as never, this)
    if (this.isUsable) return
    this.isUsable = true
    this.#events.onUsable()
  }

  #giveUp(id: number, reason: string): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    pending?.reject(new ConnectionLost(reason))
  }

  #lose(): void {
    clearInterval(this.#looking)
    this.#events.onLost()
    for (const [id, { timer }] of [...this.#pending]) {
      clearTimeout(timer)
      this.#giveUp(id, 'the connection ended before the response')
    }
  }
}
