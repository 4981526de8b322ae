import { Aborted, abortedBySignal, DocketError, type ErrorDetail, errorOf, NetworkError } from './errors.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Limit for the call with all its retries, in milliseconds; `Infinity`: none. */
  readonly timeoutMs?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly idempotencyKey?: string | undefined
}

export interface HttpOptions {
  /** Without a slash at its end. */
  readonly url: string
  readonly headers: () => Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  /** Retries after the first attempt. */
  readonly retry: number
  readonly timeoutMs: number
  /** A longer `Retry-After` is an error instead of a wait. */
  readonly maxRetryAfterMs?: number | undefined
  readonly credentials: 'omit' | 'same-origin'
  /**
   * Called before a request without `authorization`, and on 401 with the one that was rejected. True: there is another one, send the request
   * (again).
   */
  readonly renew: (rejected: string | undefined) => Promise<boolean>
}

export interface HttpRequest extends CallOptions {
  readonly method: string
  /** Begins with the first slash, and includes the query. */
  readonly path: string
  /** An object is sent as JSON. A function opens the body again for each attempt. */
  readonly body?: unknown
  /** A POST that changes nothing: it is repeated like a GET. */
  readonly isRead?: boolean | undefined
  /** A POST that may be sent twice, because the second one changes nothing more. */
  readonly isRepeatable?: boolean | undefined
  /** Instead of that of the client: to see the progress of an upload, for example. */
  readonly fetch?: typeof fetch | undefined
}

/** Sends one request, with its retries. */
export type Send = (request: HttpRequest) => Promise<Response>

const firstRetryMs = 250
const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Sends requests, and repeats those that may be repeated: GET, HEAD, PUT, DELETE, POST with an idempotency key, PATCH with `If-Match`. The
 * wait is random between 0 and 250 ms, 500 ms, 1 s and so on; a `Retry-After` replaces it. If a `Retry-After` ends after the time limit,
 * the client does not wait: the error contains the time.
 */
export function sender(options: HttpOptions): Send {
  return async (request) => {
    const deadline = deadlineOf(request.signal, request.timeoutMs ?? options.timeoutMs)
    const sent: Sent = { isUncertain: false }
    try {
      return await attempts(options, request, deadline, sent)
    } catch (error) {
      if (error instanceof DocketError) throw error
      const explained = deadline.explain(error)
      if (explained instanceof DocketError) explained.isUncertain = sent.isUncertain
      throw explained
    } finally {
      deadline.clear()
    }
  }
}

interface Sent {
  /** The server may have done a write without a response that says so. */
  isUncertain: boolean
}

async function attempts(options: HttpOptions, request: HttpRequest, deadline: Deadline, sent: Sent): Promise<Response> {
  const { signal } = deadline
  const authorization = (): string | undefined => options.headers()['authorization']
  if (authorization() === undefined) await unlessAborted(options.renew(undefined), signal)
  let renewed = false
  for (let retry = 0; ; retry += 1) {
    const wasAborted = signal.aborted
    const sentWith = authorization()
    const outcome = await attempt(options, request, initOf(options, request, signal)).catch((error: unknown) => {
      sent.isUncertain ||= isWrite(request) && !wasAborted
      throw error
    })
    if (outcome instanceof Response) return outcome
    sent.isUncertain ||= isWrite(request) && isLost(outcome)
    outcome.isUncertain = sent.isUncertain
    if (outcome.status === 401 && !renewed && !isStream(request.body)) {
      renewed = true
      if (await unlessAborted(options.renew(sentWith), signal)) continue
    }
    if (retry >= options.retry || !isRepeatable(request) || !isPassing(outcome)) throw outcome
    const maxWaitMs = Math.min(deadline.leftMs(), options.maxRetryAfterMs ?? Number.POSITIVE_INFINITY)
    if (outcome.retryAfterMs !== null && outcome.retryAfterMs > maxWaitMs) throw outcome
    await pause(outcome.retryAfterMs ?? Math.random() * firstRetryMs * 2 ** retry, signal)
  }
}

async function attempt(
  { url, fetch }: HttpOptions,
  request: HttpRequest,
  init: RequestInit,
): Promise<Response | DocketError> {
  try {
    const response = await (request.fetch ?? fetch)(`${url}${request.path}`, init)
    return response.ok || response.status === 304 ? await wholeJson(response) : await readError(response)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    return new NetworkError(unreachable(url, error))
  }
}

/** The message of fetch has few details; Node and Bun add a code. */
function unreachable(url: string, error: unknown): string {
  const { cause, code, message } = error as { cause?: { code?: string }; code?: string; message?: string }
  const reason = cause?.code ?? code ?? message ?? 'the connection failed'
  return `There is no response from ${originOf(url)} (${reason}): check the address, and whether Docket runs there.`
}

/** Without user name and password, which an address may contain. */
const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'the address')

/** JSON is read here: a connection that breaks in the middle of it is an error of the connection, and the time limit applies to it. */
async function wholeJson(response: Response): Promise<Response> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  if (!isJson || response.status === 304) return response
  const { status, statusText, headers } = response
  return new Response(await response.arrayBuffer(), { status, statusText, headers })
}

/** The request may have arrived: the connection broke, or a proxy timed out. */
const isLost = ({ status }: DocketError): boolean => status === 0 || status === 502 || status === 504

const isWrite = ({ method, isRead }: HttpRequest): boolean => method !== 'GET' && method !== 'HEAD' && isRead !== true

const isPassing = ({ status }: DocketError): boolean => status === 0 || retriedStatuses.has(status)

function isRepeatable({ method, body, headers = {}, idempotencyKey, isRead, isRepeatable }: HttpRequest): boolean {
  if (isStream(body)) return false
  const has = (name: string): boolean => lowerCased(headers)[name] !== undefined
  if (method === 'POST')
    return isRead === true || isRepeatable === true || idempotencyKey !== undefined || has('idempotency-key')
  return method !== 'PATCH' || has('if-match')
}

function initOf(options: HttpOptions, request: HttpRequest, signal: AbortSignal): RequestInit {
  const { method, body: given } = request
  const body = typeof given === 'function' ? (given as () => unknown)() : given
  return {
    method,
    signal,
    credentials: options.credentials,
    cache: 'no-store',
    headers: headersOf(options, request),
    ...(body === undefined ? {} : { body: isRaw(body) || typeof body === 'string' ? body : JSON.stringify(body) }),
    // Required for a stream, and missing in the types of fetch.
    ...(isStream(body) ? ({ duplex: 'half' } as object) : {}),
  }
}

const isStream = (body: unknown): body is ReadableStream<Uint8Array<ArrayBuffer>> => body instanceof ReadableStream

const isRaw = (body: unknown): body is FormData | Blob | ReadableStream<Uint8Array<ArrayBuffer>> =>
  body instanceof FormData || body instanceof Blob || isStream(body)

function headersOf({ headers }: HttpOptions, request: HttpRequest): Record<string, string> {
  const { body, idempotencyKey } = request
  const isJson = body !== undefined && typeof body !== 'function' && !isRaw(body)
  return {
    accept: 'application/json',
    ...headers(),
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...lowerCased(request.headers ?? {}),
  }
}

/** Names of headers have no case: without this, `Accept` would be sent beside `accept`. */
export const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

async function readError(response: Response): Promise<DocketError> {
  const text = await response.text()
  const body: unknown = isJsonText(text) ? JSON.parse(text) : null
  const { errors, message, request_id } = (body ?? {}) as {
    readonly errors?: readonly ErrorDetail[]
    readonly message?: string
    readonly request_id?: string
  }
  return errorOf({
    status: response.status,
    errors: errors ?? (message === undefined ? [] : [{ message, code: 'UNKNOWN' }]),
    requestId: request_id ?? response.headers.get('x-request-id'),
    retryAfterMs: retryAfter(response.headers.get('retry-after')),
  })
}

/** A proxy may respond with an HTML page. */
function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function retryAfter(header: string | null): number | null {
  if (header === null) return null
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

interface Deadline {
  readonly signal: AbortSignal
  leftMs(): number
  explain(error: unknown): unknown
  clear(): void
}

/** Timers of more milliseconds end at once. */
const maxTimerMs = 2 ** 31 - 1

/** Ends with the caller's signal and after a time; `Infinity` is no limit. */
export function deadlineOf(signal: AbortSignal | undefined, limitMs: number): Deadline {
  const timeout = new AbortController()
  const endsAt = Date.now() + limitMs
  const timer = limitMs > maxTimerMs ? undefined : setTimeout(() => timeout.abort(), limitMs)
  return {
    signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    leftMs: () => endsAt - Date.now(),
    explain: (error) => {
      if (signal?.aborted === true) return abortedBySignal()
      if (!timeout.signal.aborted) return error
      return new Aborted(`There was no whole response within ${limitMs} ms: try again, or raise timeoutMs.`, 'TIMEOUT')
    },
    clear: () => clearTimeout(timer),
  }
}

/** Several calls may wait for the same work, so a signal ends the waiting of its own call alone. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Rejects as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', stop, { once: true })
  })
}
