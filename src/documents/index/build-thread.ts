import { type ChunkSizes, chunkText } from '../chunk/chunk-text.ts'
import { detectLanguage } from '../chunk/detect-language.ts'
import type { Block } from '../extract/extracted-text.ts'
import { buildSegment } from './build-segment.ts'
import { type IndexedText, termsOfDocument } from './document-terms.ts'
import { mergeSegments } from './merge-segments.ts'
import { openSegment } from './segment.ts'
import { loadSegments, saveSegments } from './segment-files.ts'
import { answerQuestions } from './worker-thread.ts'

/** A text that is to become a document. */
export interface TextToIndex {
  readonly id: number
  readonly docId: string
  readonly title: string | null
  readonly text: string
  readonly blocks: readonly Block[]
  /** What the document says of its language, or the language it is known to have. */
  readonly language: string | null
  readonly sizes: ChunkSizes
}

/** The heavy work of the index: it runs beside the searches, so that neither waits for the other. */
const work = {
  /** Cuts a text and makes the segment that holds it alone. */
  prepare({ id, docId, title, text, blocks, language: declared, sizes }: TextToIndex) {
    const ranges = chunkText(text, blocks, sizes)
    // A document of a title alone is found by its title.
    const chunks = ranges.length > 0 ? ranges : [{ index: 0, from: 0, to: 0, headingPath: [] }]
    const language = detectLanguage(`${title ?? ''}\n${text}`, declared ?? undefined) ?? null
    const texts = chunks.map(({ from, to, headingPath }) => ({ text: text.slice(from, to), headingPath }))
    const { buffer } = buildSegment([termsOfDocument({ id, docId, title, language, chunks: texts })])
    return { chunks, language, buffer }
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
