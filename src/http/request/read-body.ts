import type { IncomingMessage } from 'node:http'
import type { Problem } from '../../kernel/problem.ts'
import { type LongNumbers, readJson } from '../../kernel/read-json.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { readUtf8 } from './utf8.ts'

export interface BodyLimits {
  readonly maxBytes: number
  /** The whole body must have arrived by then: a caller who sends a byte per second must not hold a connection for long. */
  readonly timeoutMs: number
}

/**
 * Reads the JSON body of a request, whatever its method.
 *
 * @returns undefined if there is no body
 */
export function readJsonBody(request: IncomingMessage, limits: BodyLimits): Promise<Result<unknown, Problem>> {
  return readBody(request, limits, 'as-text')
}

/** The same for a body that may hold values of json columns: long numbers are `LongNumber`. */
export function readExactJsonBody(request: IncomingMessage, limits: BodyLimits): Promise<Result<unknown, Problem>> {
  return readBody(request, limits, 'as-numbers')
}

async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  longNumbers: LongNumbers,
): Promise<Result<unknown, Problem>> {
  if (!hasBody(request)) return succeed(undefined)
  const unfit = rejectOtherThanJson(request)
  if (unfit !== null) return fail(unfit)
  const bytes = await readBytes(request, limits)
  if (!bytes.ok) return bytes
  if (bytes.value.length === 0) return succeed(undefined)
  const text = readUtf8(withoutMark(bytes.value))
  return text.ok
    ? readJson(text.text, longNumbers)
    : fail({ kind: 'bad-json', detail: 'it is not UTF-8', position: text.position })
}

/** Clients with an empty body send a length of 0. */
function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const json = /^application\/(?:[\w.+-]+\+)?json$/
const form = /^(?:multipart\/|application\/x-www-form-urlencoded$)/

/** Bodies are raw JSON; form data is rejected (docs/spec/records.md, section 1). A body without a type is read as JSON. */
function rejectOtherThanJson({ headers }: IncomingMessage): Problem | null {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return { kind: 'unsupported-media-type', found: `Content-Encoding: ${encoding}`, expected: 'the body unpacked' }
  }
  const header = headers['content-type']
  if (header === undefined || header === 'application/json') return null
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  if (form.test(type)) {
    return {
      kind: 'bad-body',
      expected: 'JSON, sent with Content-Type: application/json',
      found: `form data (${type})`,
    }
  }
  if (!json.test(type)) {
    return { kind: 'unsupported-media-type', found: header, expected: 'Content-Type: application/json' }
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  if (charset !== undefined && !/^charset="?(utf-?8|us-ascii)"?$/.test(charset)) {
    return { kind: 'unsupported-media-type', found: header, expected: 'JSON in UTF-8' }
  }
  return null
}

/** Node reads and discards a body that was rejected unread, so that the caller, who is still sending, can read the response. */
export function readBytes(request: IncomingMessage, limits: BodyLimits): Promise<Result<Buffer, Problem>> {
  const tooLarge = fail<Problem>({ kind: 'body-too-large', maxBytes: limits.maxBytes })
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) return Promise.resolve(tooLarge)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (result: Result<Buffer, Problem>): void => {
      clearTimeout(timer)
      request.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff)
      // Another listener, because a later error would otherwise end the process.
      request.on('error', () => undefined)
      resolve(result)
    }
    const take = (chunk: Buffer): void => {
      length += chunk.length
      if (length > limits.maxBytes) finish(tooLarge)
      else chunks.push(chunk)
    }
    const end = (): void =>
      finish(succeed(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length)))
    // Nobody reads this response any more.
    const breakOff = (): void => finish(fail({ kind: 'malformed-request', detail: 'the body ends too early' }))
    const timer = setTimeout(
      () => finish(fail({ kind: 'request-timeout', afterSeconds: Math.ceil(limits.timeoutMs / 1_000) })),
      limits.timeoutMs,
    )
    request.on('data', take).on('end', end).on('error', breakOff).on('close', breakOff)
  })
}

/** Windows programs write a byte order mark first. */
function withoutMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.subarray(marked ? 3 : 0)
}
