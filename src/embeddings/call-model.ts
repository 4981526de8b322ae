import { fail, type Result, succeed } from '../kernel/result.ts'

/** The address of a model: from the settings, never from a caller. */
export interface ModelAddress {
  /** The URL of its POST requests. */
  readonly url: string
  /** Sent as a bearer token. */
  readonly key: string | null
}

/** Why a model gave no usable result. */
export interface ModelError {
  readonly kind:
    | 'unreachable'
    | 'too-slow'
    /** It responded with a status that blames these texts. */
    | 'refused'
    /** Any other status than 200. */
    | 'failed'
    /** 200, but the body is not a valid response. */
    | 'wrong-response'
  /** For the log only: it may contain addresses. */
  readonly detail: string
}

/**
 * The address of an operation: the configured address itself, or the operation below it, because many programs expect a base
 * address.
 *
 * @param operation last part of the path
 */
export function operationAddress(set: string, operation: string): string {
  const url = new URL(set)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith(`/${operation}`) ? path : `${path}/${operation}`
  return url.href
}

export interface ModelQuestion {
  readonly body: object
  /** Time limit for the whole response. */
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  /** Aborts the request when nobody needs its response any more. */
  readonly stop?: AbortSignal
}

/** Statuses that blame the texts; all others blame the address, the key or the server. */
const textsAtFault: ReadonlySet<number> = new Set([400, 413, 422])

/** Posts JSON and parses the JSON response. Never throws. */
export async function callModel(address: ModelAddress, question: ModelQuestion): Promise<Result<unknown, ModelError>> {
  try {
    const response = await fetch(address.url, {
      method: 'POST',
      body: JSON.stringify(question.body),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(address.key === null ? {} : { authorization: `Bearer ${address.key}` }),
      },
      // The operator chose the address, but not the target of a redirect, which would receive the key, too.
      redirect: 'manual',
      signal: AbortSignal.any([
        AbortSignal.timeout(question.timeoutMs),
        ...(question.stop === undefined ? [] : [question.stop]),
      ]),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      const kind = textsAtFault.has(response.status) ? 'refused' : 'failed'
      return fail({ kind, detail: `it responded with status ${response.status}` })
    }
    const bytes = await readBounded(response, question.maxResponseBytes)
    if (bytes === undefined)
      return fail({ kind: 'wrong-response', detail: `its answer is over ${question.maxResponseBytes} bytes` })
    return readJsonOf(bytes)
  } catch (error) {
    return fail(errorKindOf(error))
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function readJsonOf(bytes: Buffer): Result<unknown, ModelError> {
  try {
    return succeed(JSON.parse(bytes.toString('utf8')))
  } catch {
    return fail({ kind: 'wrong-response', detail: 'its response is not JSON' })
  }
}

function errorKindOf(error: unknown): ModelError {
  if (!(error instanceof Error)) return { kind: 'unreachable', detail: String(error) }
  if (error.name === 'TimeoutError') return { kind: 'too-slow', detail: 'it did not respond in time' }
  const { cause } = error
  const reason = cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : error.message
  return { kind: 'unreachable', detail: reason }
}
