import type { FileProblem } from '../../extraction/rejection.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { serveCalls } from '../../processes/worker-thread.ts'
import { buildFromPacked } from '../../search-engine/segments/build-from-packed.ts'
import { buildSegment } from '../../search-engine/segments/build-segment.ts'
import { collectLater } from '../../search-engine/segments/collect-garbage.ts'
import { type IndexedText, termsOfDocument } from '../../search-engine/segments/document-terms.ts'
import { openPackedTerms, packTerms } from '../../search-engine/segments/packed-terms.ts'
import { type SplitText, splitText, type TextToSplit } from '../chunk/prepare-text.ts'
import type { KeptTerms } from '../store/kept-terms.ts'

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

/** The heavy work of the index: it runs in parallel with searches, so that neither waits for the other. */
const work = {
  prepare(requested: TextToIndex): Result<PreparedText, FileProblem> {
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
  },

  /** Builds one segment of texts, and what is stored for each. */
  build(documents: readonly IndexedText[]): {
    readonly buffer: SharedArrayBuffer
    readonly terms: readonly KeptTerms[]
  } {
    const terms = documents.map((text) => ({
      documentId: text.id,
      bytes: packTerms(buildSegment([termsOfDocument(text)])),
    }))
    return { buffer: this.merge(terms).buffer, terms }
  },

  /** Builds one segment of stored terms. `taken`: ids of its documents; the terms of the others are damaged. */
  merge(kept: readonly KeptTerms[]): { readonly buffer: SharedArrayBuffer; readonly taken: readonly number[] } {
    const opened = kept.flatMap(({ documentId, bytes }) => openPackedTerms(documentId, bytes) ?? [])
    return { buffer: buildFromPacked(opened).buffer, taken: opened.map(({ documentId }) => documentId) }
  },
}
export type BuildWork = typeof work

serveCalls(work)
