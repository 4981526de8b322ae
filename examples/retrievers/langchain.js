import { Document } from '@langchain/core/documents'
import { BaseRetriever } from '@langchain/core/retrievers'
import { idOf, searchDocket, sourceOf } from './search-docket.js'

/**
 * Docket as a retriever of LangChain.js.
 *
 *     const retriever = new DocketRetriever({ url, apiKey, collections: ['kb'], filter: { status: 'open' }, k: 8 })
 *     const documents = await retriever.invoke('How do I reset my password?')
 */
export class DocketRetriever extends BaseRetriever {
  lc_namespace = ['docket', 'retrievers']
  #options

  /** @param {import('./search-docket.js').DocketOptions} options with those of LangChain's retrievers beside them */
  constructor(options) {
    super(options)
    this.#options = options
  }

  static lc_name() {
    return 'DocketRetriever'
  }

  async _getRelevantDocuments(query) {
    const chunks = await searchDocket(this.#options, query)
    return chunks.map(
      (chunk) =>
        new Document({
          id: idOf(chunk),
          pageContent: chunk.text,
          metadata: { ...chunk.metadata, docket: sourceOf(chunk) },
        }),
    )
  }
}
