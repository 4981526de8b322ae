export interface FoundVector {
  readonly docId: string
  readonly score: number
}

export interface VectorClient {
  /** Waits while vectors are copied. */
  whenReady(vector: Float32Array): Promise<void>
  search(vector: Float32Array, k: number): Promise<readonly FoundVector[]>
  load(docId: string, vector: Float32Array): Promise<void>
  delete(docId: string): Promise<void>
}

interface SearchBody {
  readonly data: readonly { readonly doc_id: string; readonly score: number }[]
}

/** Loads vectors into one collection of a server, and searches them. */
export function vectorClient(address: string, key: string, collection: string): VectorClient {
  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const sendSearch = (vector: Float32Array, k: number): Promise<Response> =>
    send('POST', `/get_relevant_documents?k=${k}`, { vector: [...vector], collection_names: [collection] })
  const change = async (method: string, path: string, body?: unknown): Promise<void> => {
    const response = await send(method, path, body)
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text}`)
  }
  return {
    async whenReady(vector) {
      for (let response = await sendSearch(vector, 1); !response.ok; response = await sendSearch(vector, 1)) {
        if (response.status !== 503) throw new Error(await response.text())
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    },
    async search(vector, k) {
      const response = await sendSearch(vector, k)
      if (response.status === 404) return []
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      const { data } = (await response.json()) as SearchBody
      return data.map(({ doc_id: docId, score }) => ({ docId, score }))
    },
    load: (docId, vector) =>
      change('POST', `/load_text_to_collection?collection_name=${collection}`, {
        metadata: { doc_id: docId },
        text: `number ${docId}`,
        vector: [...vector],
      }),
    delete: (docId) =>
      change('DELETE', `/delete_document_from_collection?collection_name=${collection}&id_value=${docId}`),
  }
}
