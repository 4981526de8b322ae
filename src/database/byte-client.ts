import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import pg from 'pg'

/** The driver's own message parser; its package is resolved as the driver resolves it. */
const { Parser } = createRequire(import.meta.resolve('pg'))('pg-protocol/dist/parser.js') as {
  readonly Parser: new () => MessageParser
}

interface MessageParser {
  readonly reader: { encoding: 'utf-8' | 'latin1' }
  parse(chunk: Buffer, callback: (message: { readonly name: string }) => void): void
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): { readonly name: string }
}

const DATA_ROW = 'D'.charCodeAt(0)

/** Decoded texts; bytes, each as one character of a text; or bytes, copied. */
export type RowValues = 'texts' | 'characters' | 'bytes'

/** What the driver's connection has, beyond its published types. */
export interface ByteConnection extends pg.Connection {
  /** Messages to the server until `sendHeld` are sent together. */
  hold(): void
  /** @param isPending the server has other statements to run, so the messages wait for those of the same turn of the event loop */
  sendHeld(isPending: boolean): void
  /** Texts of the statements that the server has parsed on this connection, by name; the driver fills it. */
  readonly parsedStatements: Readonly<Record<string, string>>
  _emitMessage: boolean
  _send(message: Buffer): boolean
  attachListeners(stream: Duplex): void
}

/** A statement that ends with its own `sync`. */
interface SentStatement extends pg.Submittable {
  handleError(error: unknown): void
}

/** What the driver's client has, beyond its published types. */
interface DriverClient {
  readonly connection: ByteConnection
  /** Statements are sent while others run. */
  pipeline: boolean
  readonly _queryable: boolean
  readonly _ending: boolean
  readonly _queryQueue: SentStatement[]
  /** The statement whose result is next. */
  readonly _activeQuery: { readonly rowsAs?: RowValues } | null
  _pulseQueryQueue(): void
}

/** The driver's client, which can return the bytes of rows, and send statements before the results of others have arrived. */
export class ByteClient extends pg.Client {
  /** Names of the statements that the connection holds. */
  readonly statements = new Set<string>()
  /** Names of the planning modes that a statement of the connection can set. */
  readonly modes = new Set<string>()
  /** The server or the network closed the connection. */
  isLost = false

  constructor(config?: pg.ClientConfig) {
    super(config)
    // The error reaches the running statement; without a listener it would end the process as well.
    this.on('error', () => {
      this.isLost = true
    })
    this.on('end', () => {
      this.isLost = true
    })
    const driver = this.#driver
    driver.pipeline = true
    readRows(driver)
    sendTogether(driver.connection)
  }

  get #driver(): DriverClient {
    return this as unknown as DriverClient
  }

  /**
   * The driver rejects statements that are not its own while others run, because a cursor would leave its portal open. Ours ends with its
   * `sync`. An error ends one statement only.
   */
  send(statement: SentStatement): void {
    const driver = this.#driver
    if (!driver._queryable || driver._ending) {
      process.nextTick(() =>
        statement.handleError(new Error('Client has encountered a connection error and is not queryable')),
      )
      return
    }
    driver._queryQueue.push(statement)
    driver._pulseQueryQueue()
  }

  /** Whether the server has parsed a statement under this name. */
  knows(name: string): boolean {
    return this.#driver.connection.parsedStatements[name] !== undefined
  }
}

function readRows(driver: DriverClient): void {
  const { connection } = driver
  connection.attachListeners = (stream) => {
    const parser = new Parser()
    const { handlePacket } = parser
    parser.handlePacket = (offset, code, length, bytes) => {
      const rowsAs = code === DATA_ROW ? driver._activeQuery?.rowsAs : undefined
      if (rowsAs === 'bytes') return rowOfBytes(offset, length, bytes)
      // Errors and notices stay decoded.
      parser.reader.encoding = rowsAs === 'characters' ? 'latin1' : 'utf-8'
      return handlePacket.call(parser, offset, code, length, bytes)
    }
    const emit = (message: { readonly name: string }): void => {
      if (connection._emitMessage) connection.emit('message', message)
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
    }
    stream.on('data', (chunk: Buffer) => parser.parse(chunk, emit))
  }
}

/** The driver reads each value as a text, of which garbage collection costs more than the bytes themselves. */
function rowOfBytes(offset: number, length: number, bytes: Buffer) {
  let at = offset
  const fields = Array.from({ length: bytes.readInt16BE(at) }, () => null as Buffer | null)
  at += 2
  for (let place = 0; place < fields.length; place++) {
    const size = bytes.readInt32BE(at)
    at += 4
    if (size < 0) continue
    // The parser overwrites its buffer.
    fields[place] = Buffer.from(bytes.subarray(at, at + size))
    at += size
  }
  return { name: 'dataRow', length, fields }
}

function sendTogether(connection: ByteConnection): void {
  let held: Buffer[] | null = null
  let isScheduled = false
  const send = connection._send.bind(connection)
  const sendAll = (): void => {
    isScheduled = false
    const messages = held ?? []
    held = null
    if (messages.length > 0) send(Buffer.concat(messages))
  }
  connection._send = (message) => {
    if (held === null) return send(message)
    held.push(message)
    return true
  }
  connection.hold = () => {
    held ??= []
  }
  connection.sendHeld = (isPending) => {
    if (!isPending) sendAll()
    else if (!isScheduled) {
      isScheduled = true
      setImmediate(sendAll)
    }
  }
}
