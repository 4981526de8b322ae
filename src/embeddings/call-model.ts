import { fail, type Result, succeed } from '../kernel/result.ts'

/** Where a model answers: from the settings, never from a caller. */
export interface ModelAddress {
  /** Requests are posted to it. */
  readonly url: string
  /** Sent as a bearer token. */
  readonly key: string | null
}

/** Why a model gave nothing that can be used. */
export interface ModelError {
  readonly kind:
    | 'unreachable'
    | 'too-slow'
    /** It answered with a status that says that these texts are at fault. */
    | 'refused'
    /** Any other status than 200. */
    | 'failed'
    /** 200, and a body that is not what was asked for. */
    | 'wrong-answer'
  /** For the log: it may tell of addresses. */
  readonly detail: string
}

/**
 * The address of an operation from what was set: that address itself, or the one that the operation stands under, which is
 * what many programs want to be told.
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
  /** All of the answer must be here by then. */
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
  /** Ends the question when nobody waits for its answer any more. */
  readonly stop?: AbortSignal
}

/** Statuses that blame the texts; all others blame the address, the key or the machine behind it. */
const textsAtFault: ReadonlySet<number> = new Set([400, 413, 422])

/** Posts JSON and reads JSON. Never throws. */
export async function callModel(address: ModelAddress, question: ModelQuestion): Promise<Result<unknown, ModelError>> {
  try {
    const answer = await fetch(address.url, {
      method: 'POST',
      body: JSON.stringify(question.body),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(address.key === null ? {} : { authorization: `Bearer ${address.key}` }),
      },
      // The address was chosen by the operator; where it leads on was not, and the key would go there too.
      redirect: 'manual',
      signal: AbortSignal.any([
        AbortSignal.timeout(question.timeoutMs),
        ...(question.stop === undefined ? [] : [question.stop]),
      ]),
    })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      const kind = textsAtFault.has(answer.status) ? 'refused' : 'failed'
      return fail({ kind, detail: `it answered with status ${answer.status}` })
    }
    const bytes = await readBounded(answer, question.maxAnswerBytes)
    if (bytes === undefined)
      return fail({ kind: 'wrong-answer', detail: `its answer is over ${question.maxAnswerBytes} bytes` })
    return readJsonOf(bytes)
  } catch (error) {
    return fail(errorKindOf(error))
  }
}

async function readBounded(answer: Response, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
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
    return fail({ kind: 'wrong-answer', detail: 'its answer is no JSON' })
  }
}

function errorKindOf(error: unknown): ModelError {
  if (!(error instanceof Error)) return { kind: 'unreachable', detail: String(error) }
  if (error.name === 'TimeoutError') return { kind: 'too-slow', detail: 'it did not answer in time' }
  const { cause } = error
  const reason = cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : error.message
  return { kind: 'unreachable', detail: reason }
}
