/** Everything worth observing. Modules get an `observe` function and no logger; logger and metrics choose what they keep. */
export type Observation =
  /** Other accounts could enter it; `mode` is what it had, such as `755`. */
  | { readonly kind: 'data-directory-closed'; readonly directory: string; readonly mode: string }
  // ── the embedded database ──
  | { readonly kind: 'database-created'; readonly directory: string; readonly tookMs: number }
  /** `processId`: of the PostgreSQL server that a killed Docket left behind. */
  | { readonly kind: 'left-behind-database-stopped'; readonly processId: number; readonly tookMs: number }
  | {
      readonly kind: 'database-started'
      readonly version: string
      readonly processId: number
      readonly tookMs: number
    }
  /** The server ended without a request to stop; it is started again. */
  | { readonly kind: 'database-died'; readonly exitCode: number | null; readonly signal: string | null }
  /** The embedded database was created with the locale C; its indexes of texts are built again. */
  | { readonly kind: 'character-type-changed'; readonly characterType: string }
  | { readonly kind: 'character-type-kept'; readonly reason: string }
  | { readonly kind: 'database-stopped'; readonly tookMs: number }
  /** Another server is the primary now, or the data of an earlier time was restored. */
  | { readonly kind: 'history-changed' }
  // ── its schema and first contents ──
  /** The database is empty; its schema, and the demo if it is wanted, are created now. */
  | { readonly kind: 'first-start'; readonly migrations: number }
  /** `from` and `to`: names of migrations. */
  | {
      readonly kind: 'schema-upgraded'
      readonly from: string
      readonly to: string
      readonly migrations: number
      readonly tookMs: number
    }
  | { readonly kind: 'migration-applied'; readonly name: string; readonly tookMs: number }
  | { readonly kind: 'functions-applied'; readonly names: readonly string[] }
  | { readonly kind: 'demo-filled'; readonly tookMs: number }
  // ── the life of the server ──
  | { readonly kind: 'listening'; readonly address: string; readonly tookMs: number }
  | { readonly kind: 'console-built'; readonly tookMs: number }
  /** /console reports it too; everything else works. */
  | { readonly kind: 'console-build-failed'; readonly detail: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  /** Requests that were still running when their time to finish was over. */
  | { readonly kind: 'requests-cut'; readonly afterMs: number }
  | { readonly kind: 'stopped'; readonly tookMs: number }
  | { readonly kind: 'worker-died'; readonly processId: number; readonly how: string; readonly nextInMs: number }
  /** Searches are rejected until the next one is ready. */
  | {
      readonly kind: 'search-process-died'
      readonly processId: number
      readonly how: string
      readonly nextInMs: number
    }
  // ── jobs ──
  | { readonly kind: 'job-failed'; readonly job: string; readonly attempt: number; readonly cause: string }
  /** The job runner itself: its connection, its tables. */
  | { readonly kind: 'job-runner-failed'; readonly cause: string }
  // ── documents ──
  /** Work beside the requests (following, merging, queued loads) failed; it is tried again. */
  | { readonly kind: 'documents-failed'; readonly error: unknown }
  /** A comparison of a followed collection with its table found wrong documents and repaired them. */
  | { readonly kind: 'follow-repaired'; readonly collection: string; readonly documents: number }
  /** The store of records' files did not do what it should; the response says to repeat the request. */
  | { readonly kind: 'attachments-failed'; readonly error: unknown }
  | { readonly kind: 'list-not-painted'; readonly error: unknown }
  /** Another live server of this database uses another file store. Observed at the start. */
  | { readonly kind: 'file-stores-differ' }
  // ── history ──
  /** `before`: UTC; all changes of some tables before it are removed, and are in `files` exported files. */
  | {
      readonly kind: 'history-removed'
      readonly before: string
      readonly changes: number
      readonly files: number
      readonly bytes: number
    }
  /** It is tried again within an hour. Changes that could not be exported are still there. */
  | { readonly kind: 'history-removal-failed'; readonly error: unknown }
  // ── the checks of the doctor, run by the server ──
  | { readonly kind: 'examination-failed'; readonly error: unknown }
  // ── denied requests ──
  /** Those of the last seconds are not in the list of denials. */
  | { readonly kind: 'denials-not-stored'; readonly error: unknown }
  // ── webhooks ──
  /** Changes that the webhook had not read are no longer kept. */
  | { readonly kind: 'webhook-missed-changes'; readonly webhook: string }
  /** Queueing or sending failed on our side; it is tried again. */
  | { readonly kind: 'webhooks-failed'; readonly error: unknown }
  // ── requests ──
  /** `route`: the pattern, never the path, so that there are few of them. */
  | {
      readonly kind: 'request-finished'
      readonly requestId: string
      readonly method: string
      readonly route: string
      readonly status: number
      readonly tookMs: number
    }
  /** Ours or the database's fault; the caller got a response without details. */
  | { readonly kind: 'request-failed'; readonly requestId: string; readonly route: string; readonly error: unknown }
  /** The database was unavailable for a moment, and the response says to try again: no fault in the code, so no stack. */
  | { readonly kind: 'request-put-off'; readonly requestId: string; readonly route: string; readonly cause: string }

  /** `X-Forwarded-For` came from an address that is not in DOCKET_TRUSTED_PROXIES and was ignored. Once an hour for a network. */
  | { readonly kind: 'forwarding-ignored'; readonly address: string }

export type Observe = (observation: Observation) => void

/** For tools and tests that watch nothing. */
export const observeNothing: Observe = () => undefined
