import type { FileProblem } from '../../extraction/rejection.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { answerQuestions } from '../../processes/worker-thread.ts'
import { buildSegment } from '../../search-engine/segments/build-segment.ts'
import { collectLater } from '../../search-engine/segments/collect-garbage.ts'
import { type IndexedText, termsOfDocument } from '../../search-engine/segments/document-terms.ts'
import { type CutText, cutText, type TextToCut } from '../chunk/cut-text.ts'

/** What is to become a document. */
export interface TextToIndex extends TextToCut {
  readonly id: number
  readonly docId: string
}

/** A document but for what its metadata says, and the segment that holds it alone. */
export interface PreparedText extends CutText {
  readonly buffer: SharedArrayBuffer
}

/** A text of this length takes this thread some 30 MB for its chunks and terms; a collection takes some 10 ms. */
const largeTextUnits = 1_000_000

/** The heavy work of the index: it runs beside the searches, so that neither waits for the other. */
const work = {
  prepare(requested: TextToIndex): Result<PreparedText, FileProblem> {
    const cut = cutText(requested)
    if (!cut.ok) return cut
    const { text, title, language, chunks } = cut.value
    const texts = chunks.map(({ from, to, headingPath, repeated }) => ({
      text: text.slice(from, to),
      headingPath,
      repeated,
    }))
    const { id, docId } = requested
    const { buffer } = buildSegment([termsOfDocument({ id, docId, title, language, chunks: texts })])
    if (text.length > largeTextUnits) collectLater()
    return succeed({ ...cut.value, buffer })
  },

  build: (documents: readonly IndexedText[]): SharedArrayBuffer => buildSegment(documents.map(termsOfDocument)).buffer,
}
export type BuildWork = typeof work

answerQuestions(work)
