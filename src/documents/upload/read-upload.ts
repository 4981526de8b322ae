import { createHash } from 'node:crypto'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { documentLimits } from '../document-limits.ts'
import type { Metadata } from '../filter/filter-values.ts'
import { readCollectionName } from './read-collection-name.ts'
import { readMetadata } from './read-metadata.ts'

/** What `load_text_to_collection` was sent, nothing of it checked yet. */
export interface TextSent {
  readonly collectionName: string | undefined
  readonly metadata: unknown
  readonly text: unknown
}

/** A load whose inputs are in order. */
export interface Upload {
  readonly collectionName: string
  readonly docId: string
  readonly metadata: Metadata
  /** SHA-256 of the bytes sent. */
  readonly contentHash: Buffer
  /** Bytes. */
  readonly size: number
  readonly fileName: string | null
}

export interface TextUpload extends Upload {
  readonly text: string
}

export function readTextUpload(sent: TextSent): Result<TextUpload, Problem> {
  const collectionName = readCollectionName(sent.collectionName)
  if (!collectionName.ok) return collectionName
  const metadata = readMetadata(sent.metadata)
  if (!metadata.ok) return metadata
  const { text } = sent
  if (typeof text !== 'string') return refuse({ kind: 'invalid-value', field: 'text', detail: 'It must be a string.' })
  const bytes = Buffer.from(text)
  if (bytes.length > documentLimits.textBytes)
    return refuse({ kind: 'body-too-large', maxBytes: documentLimits.textBytes })
  const contentHash = createHash('sha256').update(bytes).digest()
  const docId = docIdOf(metadata.value, contentHash)
  if (!docId.ok) return docId
  return succeed({
    collectionName: collectionName.value,
    docId: docId.value,
    metadata: metadata.value,
    contentHash,
    size: bytes.length,
    fileName: null,
    text,
  })
}

/** `metadata.doc_id`, else `metadata.sys_id`, else made from the content (documents spec, section 2). */
export function docIdOf(metadata: Metadata, contentHash: Buffer): Result<string, Problem> {
  const given = [metadata['doc_id'], metadata['sys_id']].find((value) => typeof value === 'string' && value !== '')
  const docId = typeof given === 'string' ? given : contentHash.toString('hex').slice(0, 32)
  const bytes = Buffer.byteLength(docId)
  if (bytes <= documentLimits.docIdBytes) return succeed(docId)
  const detail = `It is ${bytes} bytes long and names the document; at most ${documentLimits.docIdBytes} are allowed.`
  return refuse({ kind: 'invalid-value', field: 'metadata.sys_id', detail })
}
