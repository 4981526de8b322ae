import type { FileProblem } from '../../extraction/rejection.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { buildSegment } from '../../search-engine/segments/build-segment.ts'
import { collectLater } from '../../search-engine/segments/collect-garbage.ts'
import { type IndexedText, termsOfDocument } from '../../search-engine/segments/document-terms.ts'
import { packTerms } from '../../search-engine/segments/packed-terms.ts'
import type { KeptTerms } from '../../search-engine/segments/stored-terms.ts'
import { type SplitText, splitText, type TextToSplit } from '../chunk/prepare-text.ts'

/** A text that becomes a document. */
export interface TextToIndex extends TextToSplit {
  readonly id: number
  readonly docId: string
}

/** A document without its metadata, and the segment with it alone. */
export interface PreparedText extends SplitText {
  readonly buffer: SharedArrayBuffer
  /** Packed, to be stored beside the chunks. */
  readonly terms: Uint8Array
}

/** A text of this length uses about 30 MB of this thread for its chunks and terms; garbage collection takes about 10 ms. */
const largeTextUnits = 1_000_000

export function prepareText(requested: TextToIndex): Result<PreparedText, FileProblem> {
  const cut = splitText(requested)
  if (!cut.ok) return cut
  const { text, title, language, chunks } = cut.value
  const texts = chunks.map(({ from, to, headingPath, repeated }) => ({
    text: text.slice(from, to),
    headingPath,
    repeated,
  }))
  const { id, docId } = requested
  const segment = buildSegment([termsOfDocument({ id, docId, title, language, chunks: texts })])
  const terms = packTerms(segment)
  if (text.length > largeTextUnits) collectLater()
  return succeed({ ...cut.value, buffer: segment.buffer, terms })
}

/** What is stored for each text. */
export function termsOfTexts(documents: readonly IndexedText[]): readonly KeptTerms[] {
  return documents.map((text) => ({
    documentId: text.id,
    bytes: packTerms(buildSegment([termsOfDocument(text)])),
  }))
}
