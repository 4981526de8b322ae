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
const READY_FOR_QUERY = 'Z'.charCodeAt(0)

/** Decoded texts; bytes, each as one character of a text; or bytes, copied. */
export type RowValues = 'texts' | 'characters' | 'bytes'

/** What the driver's connection has, beyond its published types. */
export interface ByteConnection extends pg.Connection {
  /** How the values of rows are read until the statement ends. */
  rowsAs: RowValues
  /** Messages to the server until `sendHeld` are sent together. */
  hold(): void
  sendHeld(): void
  _emitMessage: boolean
  _send(message: Buffer): boolean
  attachListeners(stream: Duplex): void
}

/** The driver's client, which can return the bytes of rows and send messages together. */
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
    const { connection } = this as unknown as { readonly connection: ByteConnection }
    readRows(connection)
    sendTogether(connection)
  }
}

function readRows(connection: ByteConnection): void {
  connection.rowsAs = 'texts'
  connection.attachListeners = (stream) => {
    const parser = new Parser()
    const { handlePacket } = parser
    parser.handlePacket = (offset, code, length, bytes) => {
      if (code === DATA_ROW && connection.rowsAs === 'bytes') return rowOfBytes(offset, length, bytes)
      // Errors and notices stay decoded.
      const { reader } = parser
      reader.encoding = code === DATA_ROW && connection.rowsAs === 'characters' ? 'latin1' : 'utf-8'
      if (code === READY_FOR_QUERY) connection.rowsAs = 'texts'
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
  const send = connection._send.bind(connection)
  connection._send = (message) => {
    if (held === null) return send(message)
    held.push(message)
    return true
  }
  connection.hold = () => {
    held = []
  }
  connection.sendHeld = () => {
    const messages = held ?? []
    held = null
    if (messages.length > 0) send(Buffer.concat(messages))
  }
}
