/**
 * The search of a Docket server, with the rights of the caller's key.
 *
 * @typedef {object} DocketOptions
 * @property {string} url address of the server, such as http://127.0.0.1:8080
 * @property {string} apiKey `docket token create` prints one; the search sees what its user may see, decided anew each time
 * @property {string[]} [collections] names; without them all that the key may read
 * @property {string | Record<string, unknown>} [filter] over the metadata: a query such as `status=open^priority<=2`, or an object whose
 *   values must all be equal; of a list one
 * @property {number} [k] chunks at most; 4 by default
 * @property {'lexical' | 'hybrid' | 'vector'} [mode]
 */

/**
 * @param {DocketOptions} options
 * @param {string} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<object[]>} chunks, best first
 */
export async function searchDocket({ url, apiKey, collections, filter, k, mode }, query, signal) {
  const response = await fetch(new URL('/get_relevant_documents', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, k, mode, collection_names: collections, metadata: filterText(filter) }),
    signal,
  })
  const body = await response.json()
  if (!response.ok) throw new Error(`Docket rejected the search with ${response.status}: ${body.message}`)
  return body.data
}

/** Writes a filter object in the query language. Keys stand in quotes, `^'` says that a value is a text and no helper. */
export function filterText(filter) {
  if (filter === undefined || typeof filter === 'string') return filter
  return Object.entries(filter).map(conditionText).join('^')
}

function conditionText([key, value]) {
  const name = `"${key.replaceAll('"', '""')}"`
  const values = Array.isArray(value) ? value : [value]
  // Equal to one of nothing: holds for no document.
  if (values.length === 0) return `${name}ISEMPTY^${name}ISNOTEMPTY`
  return values.map((each) => equalityText(name, each)).join('^OR')
}

function equalityText(name, value) {
  if (value === null || value === '') return `${name}ISEMPTY`
  return `${name}=^'${String(value).replaceAll('^', '^^')}`
}

/** Where a chunk comes from, for citations. */
export function sourceOf(chunk) {
  const { doc_id, collection_name, chunk_index, file_name, page, page_to, heading_path, from, to, score } = chunk
  return { doc_id, collection_name, chunk_index, file_name, page, page_to, heading_path, from, to, score }
}

/** Names a chunk. */
export function idOf({ collection_name, doc_id, chunk_index }) {
  return `${collection_name}/${doc_id}#${chunk_index}`
}
