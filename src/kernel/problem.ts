/**
 * Every error that a caller can cause. `http/response/error-messages.ts` gives each kind its status, code and
 * message. A new kind does not compile without them, and a test compares docs/errors.md with this list.
 *
 * Modules return values of this type; they never throw because of what a caller sent.
 */
export type Problem = OneProblem & {
  /** sys_id of the record, if the request does not contain it. */
  readonly record?: string
}

type OneProblem =
  // ── the request cannot be read ──
  /** The bytes are not an HTTP request. */
  | { readonly kind: 'malformed-request'; readonly detail: string }
  /** The request did not arrive completely in time. */
  | { readonly kind: 'request-timeout'; readonly afterSeconds: number }
  | { readonly kind: 'uri-too-long'; readonly maxBytes: number }
  | { readonly kind: 'headers-too-large'; readonly maxBytes: number }
  /** The body is not JSON. `position`: offset into the body, in UTF-16 units, if the parser knows it. */
  /** `field`: of a form, if the error is not about the body as a whole. */
  | { readonly kind: 'bad-json'; readonly detail: string; readonly position?: number; readonly field?: string }
  /** The body is JSON of the wrong type (an array on create, a string, nothing). */
  | { readonly kind: 'bad-body'; readonly expected: string; readonly found: string }
  /** `position`: offset of the error, in UTF-16 units, if it is at one place. */
  | {
      readonly kind: 'bad-parameter'
      readonly parameter: string | RequestPart
      readonly found: string
      readonly expected: string
      readonly position?: number
    }
  /** An unknown name. `similar`: names that may have been meant; `known`: all known names. */
  | {
      readonly kind: 'unknown-parameter'
      readonly parameter: string
      readonly similar: readonly string[]
      readonly known: readonly string[]
    }
  /**
   * An error inside an encoded query; `position` is an offset into its decoded text, in UTF-16 units. Below 0: the condition is a
   * parameter of its own, named `field`.
   */
  | { readonly kind: 'bad-query'; readonly detail: string; readonly position: number; readonly field?: string }
  | { readonly kind: 'body-too-large'; readonly maxBytes: number }
  | { readonly kind: 'unsupported-media-type'; readonly found: string; readonly expected: string }
  | { readonly kind: 'not-acceptable'; readonly found: string; readonly offered: string }
  | { readonly kind: 'no-such-path'; readonly path: string }
  | { readonly kind: 'method-not-allowed'; readonly method: string; readonly allowed: readonly string[] }
  // ── the caller ──
  /**
   * Separate sentences for missing, wrong and expired credentials, so that the caller knows what to do; none reveals whether a user exists.
   */
  | { readonly kind: 'unauthenticated'; readonly reason: 'missing' | 'wrong' | 'expired' | 'malformed' | 'other-user' }
  | { readonly kind: 'too-many-attempts'; readonly retryAfterSeconds: number }
  | { readonly kind: 'too-many-requests'; readonly retryAfterSeconds: number }
  // ── authorization ──
  | { readonly kind: 'table-denied'; readonly action: Action; readonly table: string }
  /** `where`: where the column was named. `position` only for an encoded query. */
  | {
      readonly kind: 'column-denied'
      readonly action: Action
      readonly table: string
      readonly column: string
      readonly where: 'query' | 'order' | 'fields' | 'body'
      readonly position?: number
    }
  /** The row exists and may be read, but the rules' conditions deny this write of it. */
  | { readonly kind: 'record-denied'; readonly action: Action; readonly table: string }
  /** A browser sends a write with Basic credentials for a page of another origin. */
  | { readonly kind: 'cross-site-write' }
  /** A request with or for a browser session, without proof that it comes from a page of this server. */
  | { readonly kind: 'not-own-page' }
  /** The caller's API key is narrowed. `to`: what it cannot do. */
  | { readonly kind: 'key-narrowed'; readonly to: string }
  /** The caller's access token was issued to an OAuth client. `to`: what it cannot do. */
  | { readonly kind: 'client-token'; readonly to: string }
  /** A built-in rule denies the write, whatever the access rules say. */
  | { readonly kind: 'write-denied'; readonly field: string; readonly detail: string }
  | { readonly kind: 'role-needed'; readonly roles: readonly string[]; readonly to: string }
  // ── existence ──
  | { readonly kind: 'table-not-found'; readonly table: string; readonly similar: readonly string[] }
  /** The same for absent and unreadable records, so that nobody can probe for ids. */
  | { readonly kind: 'record-not-found'; readonly table: string; readonly sysId: string }
  | { readonly kind: 'thing-not-found'; readonly thing: string; readonly name: string }
  // ── conflicts with stored data ──
  | { readonly kind: 'not-unique'; readonly table: string; readonly field: string }
  /** `denied`: the delete would do this to records of `by`, which the caller may not do. */
  | {
      readonly kind: 'still-referenced'
      readonly table: string
      readonly by: string
      readonly denied?: 'write' | 'delete'
    }
  /** A delete would clear or delete more referring records than allowed. */
  | { readonly kind: 'too-many-dependents'; readonly max: number }
  /** A change of the dictionary would destroy data that the caller has not confirmed. */
  | { readonly kind: 'would-lose'; readonly losses: readonly LossInWords[] }
  /** For a file; a record has `stale`. */
  | { readonly kind: 'precondition-failed' }
  /** All requested byte ranges are beyond the end. `size`: of the file, in bytes. */
  | { readonly kind: 'unsatisfiable-range'; readonly size: number }
  | { readonly kind: 'stale'; readonly table: string; readonly sysId: string }
  | { readonly kind: 'conflict'; readonly detail: string }
  /** A bulk request matches another number of records than its caller expects. */
  | { readonly kind: 'count-differs'; readonly found: number; readonly expected: number }
  /** A bulk request matches more records than the maximum. */
  | { readonly kind: 'too-many-records'; readonly max: number }
  /** `ofRecord`: the value fits its column, but not the record: it is mandatory, or the state transition is not allowed. */
  | { readonly kind: 'invalid-value'; readonly field: string; readonly detail: string; readonly ofRecord?: true }
  // ── documents that cannot be read ──
  /** A file of a supported format from which no text can be extracted. `detail`: what was found, in words. */
  | {
      readonly kind: 'unreadable-document'
      readonly stage: ExtractionStage
      readonly cause: UnreadableCause
      readonly detail: string
    }
  // ── temporarily unavailable ──
  /** The statement exceeded a limit (time, rows or bytes). */
  | { readonly kind: 'over-budget'; readonly detail: string }
  /** A search needs a collection that this process is still indexing. `percent`: of everything to index. */
  | { readonly kind: 'index-building'; readonly percent: number; readonly retryAfterSeconds: number }
  | { readonly kind: 'unavailable'; readonly detail: string; readonly retryAfterSeconds: number }

/** The stage of extraction that rejected a document. */
export type ExtractionStage = 'detect' | 'decode' | 'open' | 'extract'
export type UnreadableCause =
  /** Needs a password or is protected by rights management. */
  | 'encrypted'
  /** Pages without text: scans without a text layer. */
  | 'no-text'
  /** The bytes violate the format. */
  | 'damaged'
  | 'too-many-pages'
  | 'too-much-text'
  /** More entries, more bytes or a higher ratio than an ordinary archive of this format has. */
  | 'archive-limits'
  /** Equally likely encodings give different texts. */
  | 'ambiguous-encoding'
  /** Document types and entities in XML. */
  | 'forbidden-markup'
  | 'out-of-memory'
  | 'out-of-time'
  /** The reading process ended without a result. */
  | 'crashed'

/** `name` is the value for the confirmation. */
export interface LossInWords {
  readonly name: string
  readonly what: string
  readonly count: number
}

/** A part of a record request; a request of a program has no parameter names. The endpoints call it `sysparm_…`. */
export interface RequestPart {
  readonly part: 'fields' | 'cursor' | 'group_by' | 'having' | 'order_by' | `${'sum' | 'avg' | 'min' | 'max'}_fields`
}

export type Action = 'create' | 'read' | 'write' | 'delete'
export type ProblemKind = Problem['kind']
/** The member of the union with this kind. */
export type ProblemOf<K extends ProblemKind> = Extract<Problem, { readonly kind: K }>
