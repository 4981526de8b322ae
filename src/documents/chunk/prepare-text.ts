import { extractSentText } from '../../extraction/extract-sent-text.ts'
import type { ExtractedText } from '../../extraction/extracted-text.ts'
import type { ExtractionLimits } from '../../extraction/extraction-limits.ts'
import type { FileProblem } from '../../extraction/rejection.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { detectLanguage } from '../../search-engine/analysis/detect-language.ts'
import { type Chunk, type ChunkSizes, chunkText } from './chunk-text.ts'
import { titleOfText } from './title-of-text.ts'

/** A text that becomes a document, and what is known of it besides the text. */
export interface TextToSplit {
  readonly source:
    | { readonly kind: 'sent'; readonly text: string; readonly limits: ExtractionLimits }
    | { readonly kind: 'extracted'; readonly extracted: ExtractedText }
  /** The title in the metadata; null: the title is taken from the text. */
  readonly title: string | null
  /** The title if nothing else gives one. */
  readonly fallbackTitle: string | null
  readonly sizes: ChunkSizes
  /** Set if the text is one chunk because a vector was given with it. */
  readonly isWhole?: true
}

/** A document without its metadata. */
export interface SplitText {
  readonly text: string
  readonly title: string | null
  readonly mediaType: string
  readonly language: string | null
  readonly pages: number | null
  readonly flags: ExtractedText['flags']
  readonly chunks: readonly Chunk[]
}

/** The work grows linearly with the length of the text. @returns an error when the text is too long */
export function splitText(requested: TextToSplit): Result<SplitText, FileProblem> {
  const read =
    requested.source.kind === 'sent'
      ? extractSentText(requested.source.text, requested.source.limits)
      : succeed(requested.source.extracted)
  if (!read.ok) return read
  const { text, mediaType, blocks, flags, pages = null } = read.value
  const written = read.value.title ?? (mediaType === 'text/plain' ? titleOfText(text) : null)
  const title = requested.title ?? written ?? requested.fallbackTitle
  const ranges = requested.isWhole
    ? [{ index: 0, from: 0, to: text.length, headingPath: [] }]
    : chunkText(text, blocks, requested.sizes)
  // A document with only a title is found by its title.
  const chunks = ranges.length > 0 ? ranges : [{ index: 0, from: 0, to: 0, headingPath: [] }]
  const language = detectLanguage(text === '' ? (title ?? '') : text, read.value.language) ?? null
  return succeed({ text, title, mediaType, language, pages, flags, chunks })
}
