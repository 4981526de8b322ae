import type { ExtractionLimits } from '../extraction-limits.ts'

export interface FileToRead {
  /** Where its bytes lie. */
  readonly path: string
  /** What the caller calls it; only its ending is looked at, and only between kinds of text. */
  readonly fileName: string
  /** Label of the encoding of a text, by the caller; it wins over what the file says. */
  readonly charset?: string
}

/** What the server sends to a reading process. */
export interface ExtractOrder {
  /** Counts the files of the process. Reports carry it: they may arrive when the next file is under way. */
  readonly number: number
  readonly file: FileToRead
  readonly limits: ExtractionLimits
}

/** What a reading process sends back beside the result, which has a pipe of its own (`result-frame.ts`). */
export type ExtractReport = { readonly number: number } & (
  | { readonly kind: 'begun' }
  | { readonly kind: 'page'; readonly done: number; readonly of: number }
  /** The fault is the machine's: the file is not there, may not be read … No result follows. */
  | { readonly kind: 'failed'; readonly detail: string }
)

/** The pipe of the result, beside stdin, stdout, stderr and the channel of the messages. */
export const resultDescriptor = 4
