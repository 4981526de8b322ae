import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Lets a caller write letters of any alphabet into the URL as they are (`?sysparm_query=subjectLIKEпринтер`): curl and
 * many scripts do, and every other server of this API takes it. Node's HTTP parser refuses such bytes and has no setting
 * for it, so they are put into their %-form before the parser sees them. Only bytes of a request line are touched, never
 * a header or a body.
 *
 * How a request line is told: the bytes that come while no request is under way, up to the first line feed. A request
 * that is pipelined behind another one in the same packet is therefore not looked at; with raw letters it gets 400, as
 * Node answers.
 *
 * Reading sockets in JavaScript instead of inside the parser costs about 2 µs a request (of 17 µs that an empty answer
 * of a bare Node server costs). Catching the parser's error afterwards would cost nothing, but by then the start of a
 * URL that came in two packets is gone.
 */
export function acceptRawLetters(server: Server): void {
  server.on('connection', readRequestLines)
  server.on('request', markRequestStarted)
}

/** Where a connection stands. */
interface Line {
  /** `start`: no byte of the next request yet; `line`: inside its first line; `rest`: behind that. */
  at: 'start' | 'line' | 'rest'
  /** The request that was parsed last on this connection. */
  request: IncomingMessage | null
}

const lines = new WeakMap<Socket, Line>()

function markRequestStarted(request: IncomingMessage): void {
  const line = lines.get(request.socket)
  if (line !== undefined) line.request = request
}

function readRequestLines(socket: Socket): void {
  const [parse, ...others] = socket.listeners('data')
  // Node's server listens once; should a later Node do it otherwise, raw letters get 400 again and a test tells us.
  if (parse === undefined || others.length > 0) return
  const line: Line = { at: 'start', request: null }
  lines.set(socket, line)
  socket.removeListener('data', parse as (chunk: Buffer) => void)
  socket.on('data', (chunk: Buffer) => {
    parse.call(socket, encodeRequestLine(chunk, line))
  })
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const CAPITAL_A = 65
const CAPITAL_Z = 90

function encodeRequestLine(chunk: Buffer, line: Line): Buffer {
  if (line.at === 'rest') {
    if (line.request?.complete !== true) return chunk
    line.at = 'start'
  }
  let from = 0
  if (line.at === 'start') {
    // Empty lines before a request are skipped by the parser too.
    while (chunk[from] === LINE_FEED || chunk[from] === CARRIAGE_RETURN) from++
    if (from === chunk.length) return chunk
    if (!startsWithMethod(chunk, from)) return chunk
    line.at = 'line'
    line.request = null
  }
  const lineFeed = chunk.indexOf(LINE_FEED, from)
  if (lineFeed !== -1) line.at = 'rest'
  const to = lineFeed === -1 ? chunk.length : lineFeed
  for (let at = from; at < to; at++) {
    if ((chunk[at] ?? 0) >= 0x80) return encoded(chunk, at, to)
  }
  return chunk
}

/** Capital letters and a space, or as much of that as has come: no header or body of JSON looks so. */
function startsWithMethod(chunk: Buffer, from: number): boolean {
  let at = from
  while (at < chunk.length && (chunk[at] ?? 0) >= CAPITAL_A && (chunk[at] ?? 0) <= CAPITAL_Z) at++
  return at === chunk.length || (at > from && chunk[at] === SPACE)
}

function encoded(chunk: Buffer, from: number, to: number): Buffer {
  let text = ''
  for (let at = from; at < to; at++) {
    const byte = chunk[at] ?? 0
    text += byte >= 0x80 ? `%${byte.toString(16).toUpperCase()}` : String.fromCharCode(byte)
  }
  return Buffer.concat([chunk.subarray(0, from), Buffer.from(text, 'latin1'), chunk.subarray(to)])
}
