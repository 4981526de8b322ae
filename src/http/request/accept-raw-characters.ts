import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Allows characters of any alphabet unencoded in the URL (`?sysparm_query=subjectLIKEпринтер`): curl and many scripts send them, and other
 * servers of this API accept them. Node's HTTP parser rejects such bytes and has no setting for it, so they are percent-encoded before the
 * parser gets them. Only bytes of a request line are changed, never a header or a body.
 *
 * The parser decides where a request line begins: it is fed up to the end of the head of a request, and then reports how much body follows.
 * A request behind a chunked body in the same packet is not examined; with raw characters it gets 400 from Node.
 *
 * Reading sockets in JavaScript instead of inside the parser costs about 4 µs per request (an empty response of a bare Node server costs 17
 * µs without it). Catching the parser's error afterwards would cost nothing, but by then the start of a URL that came in two packets is lost.
 */
export function acceptRawCharacters(server: Server): void {
  server.on('connection', followRequests)
  server.on('request', keepRequest)
}

/** State of a connection. */
interface Progress {
  /** In the empty lines before a request, its first line, its headers, a body of known length, or a chunked one. */
  at: 'start' | 'line' | 'head' | 'body' | 'chunks'
  /** In `head`: how many bytes of LF CR LF, which ends it, were just read. */
  endSeen: number
  /** In `body`: bytes of it still to come. */
  bodyLeft: number
  /** The request whose head was parsed last. */
  request: IncomingMessage | null
}

const progresses = new WeakMap<Socket, Progress>()

function keepRequest(request: IncomingMessage): void {
  const progress = progresses.get(request.socket)
  if (progress !== undefined) progress.request = request
}

function followRequests(socket: Socket): void {
  const [parse, ...others] = socket.listeners('data')
  // Node's server listens once; if a later Node changes that, raw characters get 400 again and a test fails.
  if (parse === undefined || others.length > 0) return
  const progress: Progress = { at: 'start', endSeen: 0, bodyLeft: 0, request: null }
  progresses.set(socket, progress)
  socket.removeListener('data', parse as (chunk: Buffer) => void)
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk
    while (rest.length > 0 && !socket.destroyed) {
      const to = takeStep(rest, progress)
      parse.call(socket, to.feed)
      rest = to.rest
      afterStep(progress)
    }
  })
}

interface Step {
  readonly feed: Buffer
  readonly rest: Buffer
}

const nothing = Buffer.alloc(0)
const lineFeed = 10
const carriageReturn = 13
const headEnd = Buffer.from('\n\r\n')

/** How much the parser may be fed before its state has to be read. */
function takeStep(chunk: Buffer, progress: Progress): Step {
  switch (progress.at) {
    case 'body': {
      const to = Math.min(progress.bodyLeft, chunk.length)
      progress.bodyLeft -= to
      return split(chunk, to)
    }
    case 'chunks':
      return { feed: chunk, rest: nothing }
    default:
      return takeHead(chunk, progress)
  }
}

function takeHead(chunk: Buffer, progress: Progress): Step {
  const from = progress.at === 'start' ? skipEmptyLines(chunk, progress) : 0
  if (progress.at === 'start' || progress.at === 'chunks') return { feed: chunk, rest: nothing }
  let headFrom = from
  let known = chunk
  if (progress.at === 'line') {
    const end = chunk.indexOf(lineFeed, from)
    const to = end === -1 ? chunk.length : end
    known = encoded(chunk, from, to)
    if (end === -1) return { feed: known, rest: nothing }
    headFrom = to + (known.length - chunk.length) + 1
    progress.at = 'head'
    progress.endSeen = 1
  }
  return split(known, endOfHead(known, headFrom, progress))
}

/**
 * The parser skips them too. If something other than a method follows, the parser reports the error, or it was in the middle of a request.
 */
function skipEmptyLines(chunk: Buffer, progress: Progress): number {
  let from = 0
  while (chunk[from] === lineFeed || chunk[from] === carriageReturn) from++
  if (from === chunk.length) return from
  progress.at = startsWithMethod(chunk, from) ? 'line' : 'chunks'
  progress.request = null
  return from
}

const space = 32
const capitalA = 65
const capitalZ = 90

/** Capital letters and a space, or as much of that as has come. */
function startsWithMethod(chunk: Buffer, from: number): boolean {
  let at = from
  while (at < chunk.length && (chunk[at] ?? 0) >= capitalA && (chunk[at] ?? 0) <= capitalZ) at++
  return at === chunk.length || (at > from && chunk[at] === space)
}

/** @returns the offset behind LF CR LF, or the end of the chunk */
function endOfHead(chunk: Buffer, from: number, progress: Progress): number {
  // Usually head and request line come in one chunk, and a native search finds the end.
  const found = from === 0 ? -1 : chunk.indexOf(headEnd, from - 1)
  if (found !== -1) {
    progress.endSeen = headEnd.length
    return found + headEnd.length
  }
  for (let at = from; at < chunk.length; at++) {
    progress.endSeen = nextSeen(progress.endSeen, chunk[at] ?? 0)
    if (progress.endSeen === headEnd.length) return at + 1
  }
  return chunk.length
}

function nextSeen(seen: number, byte: number): number {
  if (byte === headEnd[seen]) return seen + 1
  return byte === lineFeed ? 1 : 0
}

/** The next state, from what the parser has reported about the request. */
function afterStep(progress: Progress): void {
  const { at, request } = progress
  if (at === 'head' && progress.endSeen === headEnd.length) beginBody(progress)
  else if (at === 'body' && progress.bodyLeft === 0) progress.at = 'start'
  else if (at === 'chunks' && request?.complete === true) progress.at = 'start'
}

function beginBody(progress: Progress): void {
  const { request } = progress
  if (request === null) return
  const length = Number(request.headers['content-length'])
  if (request.complete) progress.at = 'start'
  else if (length > 0) {
    progress.at = 'body'
    progress.bodyLeft = length
  } else progress.at = 'chunks'
}

function encoded(chunk: Buffer, from: number, to: number): Buffer {
  let at = from
  while (at < to && (chunk[at] ?? 0) < 0x80) at++
  if (at === to) return chunk
  let text = ''
  const first = at
  for (; at < to; at++) {
    const byte = chunk[at] ?? 0
    text += byte >= 0x80 ? `%${byte.toString(16).toUpperCase()}` : String.fromCharCode(byte)
  }
  return Buffer.concat([chunk.subarray(0, first), Buffer.from(text, 'latin1'), chunk.subarray(to)])
}

const split = (chunk: Buffer, at: number): Step =>
  at === chunk.length ? { feed: chunk, rest: nothing } : { feed: chunk.subarray(0, at), rest: chunk.subarray(at) }
