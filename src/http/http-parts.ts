import type { Settings } from '../config/settings.ts'
import type { Authenticator } from '../identity/authenticate.ts'
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
  /** Routes that need no credentials, such as `GET /health`. Others that say so do not start. */
  readonly openRoutes: ReadonlySet<string>
  /** Errors of addresses that no operation has, for clients of other APIs. */
  readonly unroutedErrors?: readonly UnroutedErrors[]
  readonly timeouts?: Partial<Timeouts>
}

export interface Timeouts {
  /** For request line and headers to arrive. */
  readonly headersMs: number
  /** For a JSON body to arrive. */
  readonly bodyMs: number
  /** For anything to arrive whole, uploads too. */
  readonly requestMs: number
}

// A slow line sends a full head in a second and a record in three; whoever takes longer holds a connection, not a thread.
// 100 MB, the largest upload, take ten minutes at 1.4 Mbit/s.
export const defaultTimeouts: Timeouts = { headersMs: 15_000, bodyMs: 30_000, requestMs: 600_000 }

export const bodyLimits = (parts: HttpParts): BodyLimits => ({
  maxBytes: parts.settings.maxBodyBytes,
  timeoutMs: parts.timeouts?.bodyMs ?? defaultTimeouts.bodyMs,
})

/** For routes whose bodies have no reason to be larger, least of all those that anybody may send. */
export const smallBodyLimits = (parts: HttpParts): BodyLimits => ({ ...bodyLimits(parts), maxBytes: 16_384 })
