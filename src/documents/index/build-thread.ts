import { type Result, succeed } from '../../kernel/result.ts'
import { type Chunk, type ChunkSizes, chunkText } from '../chunk/chunk-text.ts'
import { detectLanguage } from '../chunk/detect-language.ts'
import { extractSentText } from '../extract/extract-sent-text.ts'
import type { ExtractedText } from '../extract/extracted-text.ts'
import type { ExtractionLimits } from '../extract/extraction-limits.ts'
import type { FileProblem } from '../extract/refusal.ts'
import { buildSegment } from './build-segment.ts'
import { type IndexedText, termsOfDocument } from './document-terms.ts'
import { mergeSegments } from './merge-segments.ts'
import { openSegment } from './segment.ts'
import { loadSegments, saveSegments } from './segment-files.ts'
import { titleOfText } from './title-of-text.ts'
import { answerQuestions } from './worker-thread.ts'

/** What is to become a document. */
export interface TextToIndex {
  readonly id: number
  readonly docId: string
  readonly source:
    | { readonly kind: 'sent'; readonly text: string; readonly limits: ExtractionLimits }
    | { readonly kind: 'extracted'; readonly extracted: ExtractedText }
  /** What its metadata calls it; null: it is called what it calls itself. */
  readonly title: string | null
  /** Its title when nothing else says one. */
  readonly fallbackTitle: string | null
  readonly sizes: ChunkSizes
}

/** A document but for what its metadata says, and the segment that holds it alone. */
export interface PreparedText {
  readonly text: string
  readonly title: string | null
  readonly mediaType: string
  readonly language: string | null
  readonly pages: number | null
  readonly flags: ExtractedText['flags']
  readonly chunks: readonly Chunk[]
  readonly buffer: SharedArrayBuffer
}

/** The heavy work of the index: it runs beside the searches, so that neither waits for the other. */
const work = {
  prepare(asked: TextToIndex): Result<PreparedText, FileProblem> {
    const read =
      asked.source.kind === 'sent'
        ? extractSentText(asked.source.text, asked.source.limits)
        : succeed(asked.source.extracted)
    if (!read.ok) return read
    const { text, mediaType, blocks, flags, pages = null } = read.value
    const written = read.value.title ?? (mediaType === 'text/plain' ? titleOfText(text) : null)
    const title = asked.title ?? written ?? asked.fallbackTitle
    const ranges = chunkText(text, blocks, asked.sizes)
    // A document of a title alone is found by its title.
    const chunks = ranges.length > 0 ? ranges : [{ index: 0, from: 0, to: 0, headingPath: [] }]
    const language = detectLanguage(text === '' ? (title ?? '') : text, read.value.language) ?? null
    const texts = chunks.map(({ from, to, headingPath }) => ({ text: text.slice(from, to), headingPath }))
    const { id, docId } = asked
    const { buffer } = buildSegment([termsOfDocument({ id, docId, title, language, chunks: texts })])
    return succeed({ text, title, mediaType, language, pages, flags, chunks, buffer })
  },

  build: (documents: readonly IndexedText[]): SharedArrayBuffer => buildSegment(documents.map(termsOfDocument)).buffer,

  merge: ({
    buffers,
    dropped,
  }: {
    readonly buffers: readonly SharedArrayBuffer[]
    readonly dropped: readonly number[]
  }) => mergeSegments(buffers.map(openSegment), new Set(dropped)).buffer,

  save: saveSegments,
  load: loadSegments,
}
export type BuildWork = typeof work

answerQuestions(work)
