/** Body of a failed request, as the server sends it (docs/errors.md). */
export interface ErrorDetail {
  readonly message: string
  readonly code: string
  readonly field?: string
  readonly position?: number
  readonly reason?: string
  /** Of a 403, for security administrators: the address that explains which rules decide. */
  readonly explain?: string
}

/** A record with its version, as `get` returns it. */
export interface CurrentRecord {
  readonly row: object
  readonly etag: string
}

export interface ErrorFacts {
  readonly status: number
  readonly errors: readonly ErrorDetail[]
  readonly requestId: string | null
  readonly retryAfterMs: number | null
}

/** A failed request. Contains nothing of the request, so that printing it never shows a credential. */
export class DocketError extends Error {
  override readonly name: string = 'DocketError'
  readonly status: number
  readonly code: string
  readonly field: string | null
  readonly position: number | null
  readonly reason: string | null
  readonly errors: readonly ErrorDetail[]
  readonly requestId: string | null
  readonly retryAfterMs: number | null
  /** A write, of which this or an earlier attempt got no response: the server may have done it. */
  isUncertain = false

  constructor({ status, errors, requestId, retryAfterMs }: ErrorFacts) {
    const [first] = errors
    super(first?.message ?? `The server responded with status ${status}.`)
    this.status = status
    this.code = first?.code ?? 'UNKNOWN'
    this.field = first?.field ?? null
    this.position = first?.position ?? null
    this.reason = first?.reason ?? null
    this.errors = errors
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

export class Unauthenticated extends DocketError {
  override readonly name = 'Unauthenticated'
}
export class AccessDenied extends DocketError {
  override readonly name = 'AccessDenied'
}
export class NotFound extends DocketError {
  override readonly name = 'NotFound'
}
/** 409, with its `reason`: `stale` means that somebody else has changed the record since it was read. */
export class ConflictError extends DocketError {
  override readonly name = 'ConflictError'
  /** Reads the current record, with the options of the failed call; null unless `reason` is `stale`. */
  current: (() => Promise<CurrentRecord>) | null = null
}
export class InvalidValue extends DocketError {
  override readonly name = 'InvalidValue'
}
export class RateLimited extends DocketError {
  override readonly name = 'RateLimited'
}
export class Unavailable extends DocketError {
  override readonly name = 'Unavailable'
}

/** No response: the server cannot be reached, or the connection broke. */
export class NetworkError extends DocketError {
  override readonly name = 'NetworkError'
  constructor(message: string) {
    super({ status: 0, errors: [{ message, code: 'NETWORK' }], requestId: null, retryAfterMs: null })
  }
}

/** The caller's signal ended the request (`ABORTED`), or `timeoutMs` passed (`TIMEOUT`). */
export class Aborted extends DocketError {
  override readonly name = 'Aborted'
  constructor(message: string, code: 'ABORTED' | 'TIMEOUT' = 'ABORTED') {
    super({ status: 0, errors: [{ message, code }], requestId: null, retryAfterMs: null })
  }
}

export const abortedBySignal = (): Aborted => new Aborted('The signal of the caller has ended the request.')

/** The error class of a status. */
export function errorOf(facts: ErrorFacts): DocketError {
  const { status } = facts
  if (status === 401) return new Unauthenticated(facts)
  if (status === 403) return new AccessDenied(facts)
  if (status === 404) return new NotFound(facts)
  if (status === 409) return new ConflictError(facts)
  if (status === 400 || status === 422) return new InvalidValue(facts)
  if (status === 429) return new RateLimited(facts)
  if (status >= 500) return new Unavailable(facts)
  return new DocketError(facts)
}
