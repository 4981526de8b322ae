import { createServer, type Socket } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { addColumnTypes } from '../../src/catalog/add-column-types.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrations.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import type { FreshDatabase } from './fresh-database.ts'
import { stillRunning } from './still-running.ts'

export interface PgvectorDatabase extends FreshDatabase {
  /** Cuts the connections with this name, as when the process dies: a transaction that runs is rolled back. */
  cut(applicationName: string): void
  copyData(): Promise<Blob>
  /** As when a standby becomes the primary that had received no more than this copy. All connections are cut. */
  replaceData(copy: Blob): Promise<void>
}

/**
 * A migrated database of a PostgreSQL with the extension pgvector, which the PostgreSQL of the test run does not have: PGlite, PostgreSQL
 * in WebAssembly. It has one session. The server below assigns it to one connection per transaction, like a pooler. All connections have the
 * same settings, and the server keeps their prepared statements apart: parsing and planning are most of the work of a short statement here.
 */
export async function pgvectorDatabase(): Promise<PgvectorDatabase> {
  const session = new SharedSession(await PGlite.create({ extensions: { vector } }))
  const sockets = new Set<Socket>()
  /** By socket: the first message of the connection. */
  const startups = new WeakMap<Socket, Buffer>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, session, (startup) => startups.set(socket, startup))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const connectionString = `postgres://postgres@127.0.0.1:${address.port}/postgres`
  stillRunning.add(connectionString)
  await migrate({ connectionString, observe: observeNothing })
  const database: Database = openDatabase({
    connectionString,
    maxConnections: 4,
    statementTimeoutMs: 30_000,
  })
  await addColumnTypes(database)
  return {
    connectionString,
    database,
    cut(applicationName) {
      for (const socket of sockets) if (startups.get(socket)?.includes(applicationName)) socket.destroy()
    },
    copyData: () => session.copyData(),
    async replaceData(copy) {
      await session.replaceData(copy, () => {
        for (const socket of sockets) socket.destroy()
      })
    },
    async drop() {
      await database.close()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await session.close()
      stillRunning.delete(connectionString)
    },
  }
}

/** The session of PGlite belongs to a connection until its transaction ends. */
class SharedSession {
  #postgres: PGlite
  /** A symbol: the harness itself. */
  #owner: Socket | symbol | null = null
  readonly #waiting: { readonly socket: Socket | symbol; readonly start: () => void }[] = []

  constructor(postgres: PGlite) {
    this.#postgres = postgres
  }

  async send(socket: Socket, message: Uint8Array): Promise<Buffer> {
    if (this.#owner !== socket) await this.#take(socket)
    const response = Buffer.from(await this.#postgres.execProtocolRaw(message))
    if (endsTransaction(response)) this.#release()
    return response
  }

  /** A connection that closes inside a transaction rolls it back. */
  async leave(socket: Socket): Promise<void> {
    if (this.#owner !== socket) return
    await this.#postgres.execProtocolRaw(frame('Q', Buffer.from('rollback\0')))
    this.#release()
  }

  copyData(): Promise<Blob> {
    return this.#alone(() => this.#postgres.dumpDataDir('none'))
  }

  /** @param cut connections that wait must not reach the new server: it does not have their statements */
  replaceData(copy: Blob, cut: () => void): Promise<void> {
    return this.#alone(async () => {
      cut()
      await this.#postgres.close()
      this.#postgres = await PGlite.create({ extensions: { vector }, loadDataDir: copy })
    })
  }

  close(): Promise<void> {
    return this.#postgres.close()
  }

  /** Between transactions of connections. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    await this.#take(Symbol())
    return work().finally(() => this.#release())
  }

  #take(socket: Socket | symbol): Promise<void> {
    if (this.#owner === null) {
      this.#owner = socket
      return Promise.resolve()
    }
    return new Promise((start) => this.#waiting.push({ socket, start }))
  }

  #release(): void {
    const next = this.#waiting.shift()
    this.#owner = next?.socket ?? null
    next?.start()
  }
}

/** ReadyForQuery with the state `I`, the last message of a response. */
const idle = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

function endsTransaction(response: Buffer): boolean {
  return response.subarray(-idle.length).equals(idle)
}

const startupPackets = { sslRequest: 80877103, gssRequest: 80877104, cancelRequest: 80877102 }

let connections = 0

function serve(socket: Socket, session: SharedSession, onStartup: (message: Buffer) => void): void {
  const own = Buffer.from(`${++connections}:`)
  let received: Buffer = Buffer.alloc(0)
  /** Messages of one exchange are sent together: each call of PGlite costs. */
  let waiting: Buffer[] = []
  let isStarted = false
  let running: Promise<void> = Promise.resolve()
  const handle = async (message: Buffer): Promise<void> => {
    if (isStarted && message[0] === 0x58) {
      socket.end()
      return
    }
    if (!isStarted) {
      const code = message.readInt32BE(4)
      if (code === startupPackets.sslRequest || code === startupPackets.gssRequest) {
        socket.write('N')
        return
      }
      isStarted = true
      onStartup(message)
    }
    waiting.push(withOwnStatement(message, own))
    if (!endsExchange.has(message[0] ?? 0)) return
    const messages = Buffer.concat(waiting)
    waiting = []
    socket.write(await session.send(socket, messages))
  }
  socket.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data])
    for (;;) {
      const isFirst = !isStarted && received.length >= 4
      const lengthAt = isFirst ? 0 : 1
      if (received.length < lengthAt + 4) return
      const end = lengthAt + received.readInt32BE(lengthAt)
      if (received.length < end) return
      const message = received.subarray(0, end)
      received = received.subarray(end)
      running = running.then(() => handle(message)).catch((error: unknown) => void socket.destroy(error as Error))
    }
  })
  socket.on('error', () => undefined)
  socket.on('close', () => void running.then(() => session.leave(socket)).catch(() => undefined))
}

/** Sync, Query, Flush, the parts of a copy, and the first message of a connection. */
const endsExchange: ReadonlySet<number> = new Set([...Buffer.from('SQHdcfp'), 0])

/** Names of statements get the connection's number: in PGlite all connections share them. */
function withOwnStatement(message: Buffer, own: Buffer): Buffer {
  const at = nameAt(message)
  // Unnamed statements stay so.
  if (at === null || message[at] === 0) return message
  const renamed = Buffer.concat([message.subarray(0, at), own, message.subarray(at)])
  renamed.writeInt32BE(renamed.length - 1, 1)
  return renamed
}

/** Offset of a statement's name; null: the message has none. */
function nameAt(message: Buffer): number | null {
  const kind = String.fromCharCode(message[0] ?? 0)
  if (kind === 'P') return 5
  if (kind === 'B') return message.indexOf(0, 5) + 1
  return (kind === 'D' || kind === 'C') && message[5] === 0x53 ? 6 : null
}

function frame(kind: string, body: Buffer): Uint8Array {
  const message = Buffer.alloc(5 + body.length)
  message.write(kind, 'latin1')
  message.writeInt32BE(4 + body.length, 1)
  body.copy(message, 5)
  return message
}
