import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { LoadedResponse, StatusResponse } from '../../contract/documents.ts'
import type { KnownDocument } from './known-documents.ts'
import type { SentMetadata } from './read-metadata-option.ts'
import type { ServerClient, ServerResponse } from './server-client.ts'

/** The desired state of a document. */
export type DocumentToSend =
  | { readonly kind: 'file'; readonly path: string; readonly size: number; readonly metadata: SentMetadata }
  | { readonly kind: 'text'; readonly text: string; readonly metadata: SentMetadata }

export type Sent =
  | { readonly result: 'created' | 'replaced' | 'unchanged' }
  | { readonly result: 'refused'; readonly status: number; readonly message: string }

/** A larger file is queued, and its state is polled: no connection waits minutes for a response. */
const queuedFromBytes = 8 * 1024 * 1024

/** Whether the server has it already in this state: then nothing is sent. */
export async function isThere(document: DocumentToSend, known: KnownDocument | undefined): Promise<boolean> {
  if (known === undefined || !isDeepStrictEqual(known.metadata, document.metadata)) return false
  const fileName = document.kind === 'file' ? basename(document.path).normalize('NFC') : null
  return known.fileName === fileName && known.sha256 === (await hashOf(document))
}

async function hashOf(document: DocumentToSend): Promise<string> {
  const hash = createHash('sha256')
  if (document.kind === 'text') hash.update(document.text)
  else await pipeline(createReadStream(document.path), hash)
  return hash.digest('hex')
}

/** Sends it and returns when it can be searched. */
export function sendDocument(client: ServerClient, collectionName: string, document: DocumentToSend): Promise<Sent> {
  return document.kind === 'text'
    ? sendText(client, collectionName, document)
    : sendFile(client, collectionName, document)
}

async function sendText(
  client: ServerClient,
  collectionName: string,
  { text, metadata }: DocumentToSend & { readonly kind: 'text' },
): Promise<Sent> {
  const query = { collection_name: collectionName }
  return sentBy(
    await client.send({ method: 'POST', path: '/load_text_to_collection', query, body: { metadata, text } }),
  )
}

async function sendFile(
  client: ServerClient,
  collectionName: string,
  { path, size, metadata }: DocumentToSend & { readonly kind: 'file' },
): Promise<Sent> {
  const isQueued = size >= queuedFromBytes
  const form = new FormData()
  form.set('metadata', JSON.stringify(metadata))
  form.set('file', await openAsBlob(path), basename(path))
  const query = { collection_name: collectionName, ...(isQueued ? { async: '1' } : {}) }
  const response = await client.send({ method: 'POST', path: '/load_document_to_collection', query, body: form })
  if (!response.ok || response.status !== 202) return sentBy(response)
  return followLoad(client, collectionName, (response.body as { data: { doc_id: string } }).data.doc_id)
}

function sentBy(response: ServerResponse): Sent {
  if (!response.ok) return { result: 'refused', status: response.status, message: response.message }
  return { result: (response.body as { data: LoadedResponse }).data.result }
}

const lookEveryMs = 500

async function followLoad(client: ServerClient, collectionName: string, docId: string): Promise<Sent> {
  const query = { collection_name: collectionName, id_value: docId }
  for (;;) {
    const response = await client.send({ method: 'GET', path: '/get_document_status', query })
    if (!response.ok) return { result: 'refused', status: response.status, message: response.message }
    const { state, version, error } = (response.body as { data: StatusResponse }).data
    if (state === 'ready') return { result: version === 1 ? 'created' : 'replaced' }
    if (state === 'failed')
      return { result: 'refused', status: 422, message: error?.message ?? 'It could not be loaded.' }
    await delay(lookEveryMs)
  }
}
