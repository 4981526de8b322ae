import type { Flag } from '../../extraction/extracted-text.ts'
import type { Metadata } from '../filter/filter-values.ts'

/** What a version of a document says of itself. */
export interface DocumentProperties {
  readonly docId: string
  readonly metadata: Metadata
  readonly title: string | null
  readonly fileName: string | null
  readonly mediaType: string
  readonly language: string | null
  /** Bytes. */
  readonly size: number
  readonly characters: number
  readonly pages: number | null
  /** What extraction removed from the text, without the removed content: nobody may read what is hidden in a document. */
  readonly flags: readonly Flag[]
}
