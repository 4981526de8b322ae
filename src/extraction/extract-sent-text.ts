import { fail, type Result, succeed } from '../kernel/result.ts'
import { formats } from '../text-formats/media-types.ts'
import type { ExtractedText } from './extracted-text.ts'
import type { ExtractionLimits } from './extraction-limits.ts'
import { extractMarkdown, looksLikeMarkdown } from './formats/extract-markdown.ts'
import { extractPlain } from './formats/extract-plain.ts'
import { type FileProblem, Rejection } from './rejection.ts'
import { createTextBuilder } from './text-builder.ts'

/**
 * Extracts a text that was sent as text, with the structure that it would have in a file: Markdown or paragraphs. Runs in the
 * server: the work grows linearly with the length of the text.
 */
export function extractSentText(text: string, limits: ExtractionLimits): Result<ExtractedText, FileProblem> {
  try {
    const into = createTextBuilder(limits)
    if (looksLikeMarkdown(text))
      return succeed(into.finish({ mediaType: formats.markdown.mediaType, ...extractMarkdown(text, into) }))
    return succeed(into.finish({ mediaType: formats.text.mediaType, ...extractPlain(text, 'paragraph', into) }))
  } catch (error) {
    if (error instanceof Rejection) return fail(error.problem)
    throw error
  }
}
