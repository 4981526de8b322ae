import { serveCalls } from '../../processes/worker-thread.ts'
import { buildFromPacked, buildFromReadable } from '../../search-engine/segments/build-from-packed.ts'
import type { IndexedText } from '../../search-engine/segments/document-terms.ts'
import { openPackedTerms, type PackedTerms } from '../../search-engine/segments/packed-terms.ts'
import { eachTerms, type KeptTerms, type StoredTerms } from '../../search-engine/segments/stored-terms.ts'
import type { TextToIndex } from './index-texts.ts'

/** Loaded by the first text: an index of stored terms needs no languages. */
const texts = () => import('./index-texts.ts')

/** The heavy work of the index: it runs in parallel with searches, so that neither waits for the other. */
const work = {
  async prepare(requested: TextToIndex) {
    const { prepareText } = await texts()
    return prepareText(requested)
  },

  /** Builds one segment of texts, and what is stored for each. */
  async build(documents: readonly IndexedText[]): Promise<BuiltTexts> {
    const { termsOfTexts } = await texts()
    const terms = termsOfTexts(documents)
    return { buffer: buildFromPacked(openAll(terms)).buffer, terms }
  },

  /** Builds one segment of stored terms. `taken`: ids of its documents; the terms of the others are damaged. */
  merge(stored: StoredTerms): { readonly buffer: SharedArrayBuffer; readonly taken: readonly number[] } {
    const { segment, documents } = buildFromReadable(openAll(eachTerms(stored)))
    return { buffer: segment.buffer, taken: documents.map(({ documentId }) => documentId) }
  },
}
export type BuildWork = typeof work

interface BuiltTexts {
  readonly buffer: SharedArrayBuffer
  readonly terms: readonly KeptTerms[]
}

function openAll(terms: Iterable<KeptTerms>): readonly PackedTerms[] {
  return [...terms].flatMap(({ documentId, bytes }) => openPackedTerms(documentId, bytes) ?? [])
}

serveCalls(work)
