import type { ExtractionLimits } from '../extraction-limits.ts'

export interface FileToRead {
  /** Path of its bytes. */
  readonly path: string
  /** The name given by the caller; only its ending is used, and only to distinguish kinds of text. */
  readonly fileName: string
  /** Label of the encoding of a text, given by the caller; it takes precedence over the file's declaration. */
  readonly charset?: string
}

/** A message from the server to an extraction process. */
export interface ExtractOrder {
  /** Counts the files of the process. Reports contain it, because they may arrive after the next file has begun. */
  readonly number: number
  readonly file: FileToRead
  readonly limits: ExtractionLimits
}

/** A message from an extraction process, except the result, which has its own pipe (`result-frame.ts`). */
export type ExtractReport = { readonly number: number } & (
  | { readonly kind: 'begun' }
  | { readonly kind: 'page'; readonly done: number; readonly of: number }
  /** An error of the machine: the file is missing, not readable … No result follows. */
  | { readonly kind: 'failed'; readonly detail: string }
)

/** The pipe of the result, besides stdin, stdout, stderr and the message channel. */
export const resultDescriptor = 4
