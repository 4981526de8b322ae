import type { DocumentDetailsPage } from '../../contract/documents.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { ServerClient } from './server-client.ts'

/** What the server has already: enough to decide whether a file or text is the same. */
export interface KnownDocument {
  readonly sha256: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly fileName: string | null
}

const pageLimit = 1_000

/** The documents of a collection by doc_id; none if the collection does not exist yet. */
export async function readKnownDocuments(
  client: ServerClient,
  collectionName: string,
): Promise<ReadonlyMap<string, KnownDocument>> {
  const known = new Map<string, KnownDocument>()
  for await (const page of detailsOf(client, collectionName, 'may-be-missing'))
    for (const { doc_id, sha256, metadata, file_name } of page)
      known.set(doc_id, { sha256, metadata, fileName: file_name })
  return known
}

/** Details of the documents of a collection, page by page, by doc_id. */
export async function* detailsOf(
  client: ServerClient,
  collectionName: string,
  whenMissing: 'may-be-missing' | 'must-be-there',
): AsyncGenerator<DocumentDetailsPage['data']> {
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = { collection_name: collectionName, details: '1', limit: String(pageLimit), cursor }
    const response = await client.send({ method: 'GET', path: '/get_list_of_documents_names', query })
    if (!response.ok && response.status === 404 && whenMissing === 'may-be-missing') return
    if (!response.ok) throw new StartFailure(`${client.address} rejects the request: ${response.message}`)
    const page = response.body as DocumentDetailsPage
    yield page.data
    cursor = page.next_cursor
  }
}
