import { timingSafeEqual } from 'node:crypto'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { deserialize } from 'node:v8'
import { FrameReader, sendValue } from './frames.ts'

/** Where processes of one machine reach each other: a Unix socket in a folder that only this account can enter. */
export interface SocketAddress {
  readonly path: string
  /** The first frame of every connection: a peer that sends another one is disconnected. */
  readonly secret: string
}

/** What a peer can call: a function for each kind of call. */
export type SocketWork = Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: the only type that every function's parameter is assignable to
  Record<string, (input: any, onProgress: (progress: any) => void) => unknown>
>

/** `id` 0: no response is expected. */
export interface CallMessage {
  readonly id: number
  readonly kind: string
  readonly input: unknown
}

export type SettledCall =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: FailureOfCall }

export type ServerMessage =
  | SettledCall
  | { readonly id: number; readonly progress: unknown }
  | { readonly event: unknown }

/** An error as it crosses a socket. `members`: its own members that are texts and numbers, such as `code`. */
export interface FailureOfCall {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly members: Readonly<Record<string, string | number>>
}

/** A connected process. */
export interface Peer {
  send(event: unknown): void
  disconnect(): void
}

export interface PeerWork {
  readonly work: SocketWork
  /** The connection has ended; results are no longer sent. */
  closed(): void
}

export interface SocketServerOptions extends SocketAddress {
  readonly onPeer: (peer: Peer) => PeerWork
  /** Receives errors of calls that expect no response. */
  readonly onError: (error: unknown) => void
}

export interface SocketServer {
  /** Ends all connections. */
  close(): Promise<void>
}

/** Bytes. Visible ids of a hundred million documents. */
export const maxFrameBytes = 2 ** 30
/** Bytes of unread responses, above which no more calls of a peer are read. */
const maxUnreadBytes = 4 * 2 ** 20

export async function serveSocket(options: SocketServerOptions): Promise<SocketServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    servePeer(socket, options)
  })
  // A killed process leaves its socket.
  await rm(options.path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Not through the first process of a cluster.
    server.listen({ path: options.path, exclusive: true }, resolve)
  })
  await chmod(options.path, 0o600)
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function servePeer(socket: Socket, { secret, onPeer, onError }: SocketServerOptions): void {
  const expected = Buffer.from(secret)
  const frames = new FrameReader(expected.length)
  let peer: PeerWork | null = null
  const receive = (frame: Buffer): void => {
    if (peer !== null) {
      void respond(socket, peer.work, deserialize(frame) as CallMessage, onError)
    } else if (frame.length === expected.length && timingSafeEqual(frame, expected)) {
      frames.maxBytes = maxFrameBytes
      peer = onPeer({ send: (event) => send(socket, { event }), disconnect: () => socket.destroy() })
    } else socket.destroy()
  }
  socket.on('data', (bytes) => {
    try {
      for (const frame of frames.read(bytes as Buffer)) receive(frame)
    } catch {
      // It does not know the protocol.
      socket.destroy()
    }
  })
  socket.on('drain', () => socket.resume())
  // `close` follows.
  socket.on('error', () => undefined)
  socket.on('close', () => peer?.closed())
}

function send(socket: Socket, message: ServerMessage): void {
  if (socket.destroyed) return
  sendValue(socket, message)
  if (socket.writableLength > maxUnreadBytes) socket.pause()
}

async function respond(
  socket: Socket,
  work: SocketWork,
  { id, kind, input }: CallMessage,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    const result = await work[kind]?.(input, (progress) => send(socket, { id, progress }))
    if (id !== 0) send(socket, { id, result })
  } catch (error) {
    if (id === 0) onError(error)
    else send(socket, { id, failure: failureOf(error) })
  }
}

function failureOf(thrown: unknown): FailureOfCall {
  // A failed connection to a name with several addresses has the errors of all of them.
  const first = thrown instanceof AggregateError ? thrown.errors[0] : thrown
  const error = first instanceof Error ? first : new Error(String(first))
  const members = Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return {
    name: error.constructor.name,
    message: error.message,
    stack: error.stack,
    members: Object.fromEntries(members),
  }
}
