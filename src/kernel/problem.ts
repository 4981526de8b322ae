/**
 * Every error that a caller can cause. `http/response/error-messages.ts` gives each kind its status, code and
 * message. A new kind does not compile without them, and a test compares docs/errors.md with this list.
 *
 * Modules return values of this type; they never throw because of what a caller sent.
 */
export type Problem = OneProblem & {
  /** sys_id of the record that it is about, where a request names none. */
  readonly record?: string
}

type OneProblem =
  // ── what was sent cannot be read ──
  /** The bytes are no HTTP request. */
  | { readonly kind: 'malformed-request'; readonly detail: string }
  /** The request did not arrive whole in time. */
  | { readonly kind: 'request-timeout'; readonly afterSeconds: number }
  | { readonly kind: 'uri-too-long'; readonly maxBytes: number }
  | { readonly kind: 'headers-too-large'; readonly maxBytes: number }
  /** The body is not JSON. `position`: offset into the body, in UTF-16 units, when the parser knows it. */
  /** `field`: of a form, where it is not the body as a whole. */
  | { readonly kind: 'bad-json'; readonly detail: string; readonly position?: number; readonly field?: string }
  /** The body is JSON of the wrong shape (an array on create, a string, nothing). */
  | { readonly kind: 'bad-body'; readonly expected: string; readonly found: string }
  /** `position`: where it breaks off, in UTF-16 units, when that is one place. */
  | {
      readonly kind: 'bad-parameter'
      readonly parameter: string | RequestPart
      readonly found: string
      readonly expected: string
      readonly position?: number
    }
  /** Nothing of this name is taken here. `similar`: what may have been meant; `known`: all that is taken. */
  | {
      readonly kind: 'unknown-parameter'
      readonly parameter: string
      readonly similar: readonly string[]
      readonly known: readonly string[]
    }
  /** An error inside an encoded query; `position` is an offset into its decoded text, in UTF-16 units. */
  | { readonly kind: 'bad-query'; readonly detail: string; readonly position: number; readonly field?: string }
  | { readonly kind: 'body-too-large'; readonly maxBytes: number }
  | { readonly kind: 'unsupported-media-type'; readonly found: string; readonly expected: string }
  | { readonly kind: 'not-acceptable'; readonly found: string; readonly offered: string }
  | { readonly kind: 'no-such-path'; readonly path: string }
  | { readonly kind: 'method-not-allowed'; readonly method: string; readonly allowed: readonly string[] }
  // ── the caller ──
  /** One sentence for a missing, a wrong and an expired credential would hide the cure; none says whether a user exists. */
  | { readonly kind: 'unauthenticated'; readonly reason: 'missing' | 'wrong' | 'expired' | 'malformed' }
  | { readonly kind: 'too-many-attempts'; readonly retryAfterSeconds: number }
  | { readonly kind: 'too-many-requests'; readonly retryAfterSeconds: number }
  // ── may they ──
  | { readonly kind: 'table-denied'; readonly action: Action; readonly table: string }
  /** `where`: what the column was named in. `position` only when it was an encoded query. */
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
  /** A request with a browser session, or for one, that is not known to come from a page of this server. */
  | { readonly kind: 'not-own-page' }
  /** The caller's API key is narrowed. `to`: what it cannot do. */
  | { readonly kind: 'key-narrowed'; readonly to: string }
  /** A rule of Docket's own denies the write, whatever the access rules say. */
  | { readonly kind: 'write-denied'; readonly field: string; readonly detail: string }
  | { readonly kind: 'role-needed'; readonly roles: readonly string[]; readonly to: string }
  // ── is it there ──
  | { readonly kind: 'table-not-found'; readonly table: string; readonly similar: readonly string[] }
  /** The same for absent and unreadable records, so that nobody can probe for ids. */
  | { readonly kind: 'record-not-found'; readonly table: string; readonly sysId: string }
  | { readonly kind: 'thing-not-found'; readonly thing: string; readonly name: string }
  // ── does it fit what is stored ──
  | { readonly kind: 'not-unique'; readonly table: string; readonly field: string }
  /** `denied`: the delete would do this to records of `by`, and the caller may not. */
  | {
      readonly kind: 'still-referenced'
      readonly table: string
      readonly by: string
      readonly denied?: 'write' | 'delete'
    }
  /** A delete would clear or delete more records that refer to the record. */
  | { readonly kind: 'too-many-dependents'; readonly max: number }
  /** A change of the dictionary would destroy data that the caller has not named. */
  | { readonly kind: 'would-lose'; readonly losses: readonly LossInWords[] }
  /** Of a file; a record has `stale`. */
  | { readonly kind: 'precondition-failed' }
  /** Every requested range of bytes lies behind the end. `size`: of the file, in bytes. */
  | { readonly kind: 'unsatisfiable-range'; readonly size: number }
  | { readonly kind: 'stale'; readonly table: string; readonly sysId: string }
  | { readonly kind: 'conflict'; readonly detail: string }
  /** A bulk request finds another number of records than its caller expects. */
  | { readonly kind: 'count-differs'; readonly found: number; readonly expected: number }
  /** A bulk request finds more records than one may change. */
  | { readonly kind: 'too-many-records'; readonly max: number }
  /** `ofRecord`: the value fits its column, and the record does not take it: it is mandatory, or no such move of states is allowed. */
  | { readonly kind: 'invalid-value'; readonly field: string; readonly detail: string; readonly ofRecord?: true }
  // ── can the document be read ──
  /** A file of a format that we do read, and still no text comes out of it. `detail`: what was found, in words. */
  | {
      readonly kind: 'unreadable-document'
      readonly stage: ExtractionStage
      readonly cause: UnreadableCause
      readonly detail: string
    }
  // ── not now ──
  /** The statement ran into a budget of ours (time, rows or bytes). */
  | { readonly kind: 'over-budget'; readonly detail: string }
  /** A search needs a collection that this process is still indexing. `percent`: of all that it has to index. */
  | { readonly kind: 'index-building'; readonly percent: number; readonly retryAfterSeconds: number }
  | { readonly kind: 'unavailable'; readonly detail: string; readonly retryAfterSeconds: number }

/** Where in its extraction a document was rejected. */
export type ExtractionStage = 'detect' | 'decode' | 'open' | 'extract'
export type UnreadableCause =
  /** Needs a password or is under rights management. */
  | 'encrypted'
  /** Pages, but no text on any: scans without a text layer. */
  | 'no-text'
  /** The bytes break the rules of the format. */
  | 'damaged'
  | 'too-many-pages'
  | 'too-much-text'
  /** More entries, more bytes or a higher ratio than an archive of this format has a reason for. */
  | 'archive-limits'
  /** Encodings that are as likely as each other give different texts. */
  | 'ambiguous-encoding'
  /** Document types and entities in XML. */
  | 'forbidden-markup'
  | 'out-of-memory'
  | 'out-of-time'
  /** The reading process ended without a result. */
  | 'crashed'

/** `name` is what the caller confirms it by. */
export interface LossInWords {
  readonly name: string
  readonly what: string
  readonly count: number
}

/** A part of a record request, which has no name of a parameter where a program sends it. The endpoints call it `sysparm_…`. */
export interface RequestPart {
  readonly part: 'fields' | 'cursor' | 'group_by' | 'having' | 'order_by' | `${'sum' | 'avg' | 'min' | 'max'}_fields`
}

export type Action = 'create' | 'read' | 'write' | 'delete'
export type ProblemKind = Problem['kind']
/** The member of the union with this kind. */
export type ProblemOf<K extends ProblemKind> = Extract<Problem, { readonly kind: K }>
