import type { Settings } from '../config/settings.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { Denial } from '../identity/denial.ts'
import type { Observe } from '../telemetry/observation.ts'
import type { BodyLimits } from './request/read-body.ts'
import type { UnroutedErrors } from './response/error-format.ts'

/** What every route may need; `app.ts` builds it once. */
export interface HttpParts {
  readonly settings: Pick<
    Settings,
    'baseUrl' | 'console' | 'maxBodyBytes' | 'trustedProxies' | 'allowedOrigins' | 'searchMode' | 'requestsPerSecond'
  >
  readonly observe: Observe
  readonly authenticator: Authenticator
  /** Routes that need no credentials, such as `GET /health`. The server does not start if another route declares this. */
  readonly openRoutes: ReadonlySet<string>
  /** Errors for addresses of no operation, for clients of other APIs. */
  readonly unroutedErrors?: readonly UnroutedErrors[]
  readonly timeouts?: Partial<Timeouts>
  /** Called with each request that is rejected because its known caller lacks a right. */
  readonly onDenied?: (denial: Denial) => void
}

export interface Timeouts {
  /** Time for the request line and the headers to arrive. */
  readonly headersMs: number
  /** Time for a JSON body to arrive. */
  readonly bodyMs: number
  /** Time for the whole request to arrive, including uploads. */
  readonly requestMs: number
}

// A slow connection sends a full head in a second and a record in three; a slower caller holds a connection, not a thread. 100 MB, the
// largest upload, take ten minutes at 1.4 Mbit/s.
export const defaultTimeouts: Timeouts = { headersMs: 15_000, bodyMs: 30_000, requestMs: 600_000 }

export const bodyLimits = (parts: HttpParts): BodyLimits => ({
  maxBytes: parts.settings.maxBodyBytes,
  timeoutMs: parts.timeouts?.bodyMs ?? defaultTimeouts.bodyMs,
})

/** For routes whose bodies are never larger, in particular those without credentials. */
export const smallBodyLimits = (parts: HttpParts): BodyLimits => ({ ...bodyLimits(parts), maxBytes: 16_384 })
