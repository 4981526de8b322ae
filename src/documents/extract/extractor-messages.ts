import type { Result } from '../../kernel/result.ts'
import type { ExtractedText } from './extracted-text.ts'
import type { ExtractionLimits } from './extraction-limits.ts'
import type { FileProblem } from './refusal.ts'

export interface FileToRead {
  /** Where its bytes lie. */
  readonly path: string
  /** What the caller calls it; only its ending is looked at, and only between kinds of text. */
  readonly fileName: string
}

/** What the server sends to a reading process. */
export interface ExtractOrder {
  readonly file: FileToRead
  readonly limits: ExtractionLimits
}

/** What a reading process sends back: one `begun`, any number of `page`, one `done` or `failed`. */
export type ExtractReport =
  | { readonly kind: 'begun' }
  | { readonly kind: 'page'; readonly done: number; readonly of: number }
  | { readonly kind: 'done'; readonly result: Result<ExtractedText, FileProblem> }
  /** The fault is the machine's: the file is not there, may not be read … */
  | { readonly kind: 'failed'; readonly detail: string }
