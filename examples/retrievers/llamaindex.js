import { BaseRetriever } from '@llamaindex/core/retriever'
import { TextNode } from '@llamaindex/core/schema'
import { extractText } from '@llamaindex/core/utils'
import { idOf, searchDocket, sourceOf } from './search-docket.js'

/**
 * Docket as a retriever of LlamaIndex.TS.
 *
 *     const retriever = new DocketRetriever({ url, apiKey, collections: ['kb'], filter: 'priority<=2' })
 *     const nodes = await retriever.retrieve('How do I reset my password?')
 */
export class DocketRetriever extends BaseRetriever {
  #options

  /** @param {import('./search-docket.js').DocketOptions} options */
  constructor(options) {
    super()
    this.#options = options
  }

  async _retrieve({ query }) {
    const chunks = await searchDocket(this.#options, extractText(query))
    return chunks.map((chunk) => ({
      node: new TextNode({
        id_: idOf(chunk),
        text: chunk.text,
        metadata: { ...chunk.metadata, docket: sourceOf(chunk) },
      }),
      score: chunk.score,
    }))
  }
}
