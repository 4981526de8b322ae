import { type Result, succeed } from '../../../kernel/result.ts'
import type { FileProblem } from '../../extract/refusal.ts'
import { type CutText, cutText, type TextToCut } from '../cut-text.ts'
import { buildSegment } from '../segments/build-segment.ts'
import { type IndexedText, termsOfDocument } from '../segments/document-terms.ts'
import { answerQuestions } from './worker-thread.ts'

/** What is to become a document. */
export interface TextToIndex extends TextToCut {
  readonly id: number
  readonly docId: string
}

/** A document but for what its metadata says, and the segment that holds it alone. */
export interface PreparedText extends CutText {
  readonly buffer: SharedArrayBuffer
}

/** The heavy work of the index: it runs beside the searches, so that neither waits for the other. */
const work = {
  prepare(asked: TextToIndex): Result<PreparedText, FileProblem> {
    const cut = cutText(asked)
    if (!cut.ok) return cut
    const { text, title, language, chunks } = cut.value
    const texts = chunks.map(({ from, to, headingPath }) => ({ text: text.slice(from, to), headingPath }))
    const { id, docId } = asked
    const { buffer } = buildSegment([termsOfDocument({ id, docId, title, language, chunks: texts })])
    return succeed({ ...cut.value, buffer })
  },

  build: (documents: readonly IndexedText[]): SharedArrayBuffer => buildSegment(documents.map(termsOfDocument)).buffer,
}
export type BuildWork = typeof work

answerQuestions(work)
