import { createHash } from 'node:crypto'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { documentLimits } from '../document-limits.ts'
import type { Metadata } from '../filter/filter-values.ts'
import { readCollectionName } from './read-collection-name.ts'
import { readFileName } from './read-file-name.ts'
import { readMetadata } from './read-metadata.ts'

/** What `load_text_to_collection` was sent, nothing of it checked yet. */
export interface TextSent {
  readonly collectionName: string | undefined
  readonly metadata: unknown
  readonly text: unknown
  /** A record without words has a document too: it is found by its metadata. */
  readonly mayBeEmpty?: true
}

/** What `load_document_to_collection` was sent: the file is on the disk, nothing else is checked yet. */
export interface FileSent {
  readonly collectionName: string | undefined
  readonly metadata: unknown
  readonly fileName: string | undefined
  /** SHA-256 of the file. */
  readonly hash: Buffer
  /** Bytes. */
  readonly size: number
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
  /** Whether the bytes are a file that is kept. */
  readonly isFile: boolean
}

export interface TextUpload extends Upload {
  readonly text: string
}

export function readTextUpload(sent: TextSent): Result<TextUpload, Problem> {
  const { text } = sent
  if (text === undefined) return refuse({ kind: 'invalid-value', field: 'text', detail: 'it is missing' })
  if (typeof text !== 'string') return refuse({ kind: 'invalid-value', field: 'text', detail: 'it must be a string' })
  const bytes = Buffer.from(text)
  const maxBytes = documentLimits.textBytes
  if (bytes.length > maxBytes) return refuse({ kind: 'body-too-large', maxBytes })
  const contentHash = createHash('sha256').update(bytes).digest()
  const upload = readUpload(sent, { contentHash, size: bytes.length, fileName: null, isFile: false })
  return upload.ok ? succeed({ ...upload.value, text }) : upload
}

export function readFileUpload(sent: FileSent): Result<Upload, Problem> {
  const { hash, size } = sent
  const fileName = readFileName(sent.fileName)
  if (!fileName.ok) return fileName
  return readUpload(sent, { contentHash: hash, size, fileName: fileName.value, isFile: true })
}

type Content = Pick<Upload, 'contentHash' | 'size' | 'fileName' | 'isFile'>

function readUpload(
  sent: { readonly collectionName: string | undefined; readonly metadata: unknown },
  content: Content,
): Result<Upload, Problem> {
  const collectionName = readCollectionName(sent.collectionName)
  if (!collectionName.ok) return collectionName
  const metadata = readMetadata(sent.metadata)
  if (!metadata.ok) return metadata
  const docId = docIdOf(metadata.value, content.contentHash)
  if (!docId.ok) return docId
  return succeed({ collectionName: collectionName.value, docId: docId.value, metadata: metadata.value, ...content })
}

/** `metadata.doc_id`, else `metadata.sys_id`, else made from the content (documents spec, section 2). */
function docIdOf(metadata: Metadata, contentHash: Buffer): Result<string, Problem> {
  const given = ['doc_id', 'sys_id'].find((key) => typeof metadata[key] === 'string' && metadata[key] !== '')
  if (given === undefined) return succeed(contentHash.toString('hex').slice(0, 32))
  const docId = String(metadata[given])
  const bytes = Buffer.byteLength(docId)
  if (bytes <= documentLimits.docIdBytes) return succeed(docId)
  const detail = `it names the document and is ${bytes} bytes long; at most ${documentLimits.docIdBytes} are allowed`
  return refuse({ kind: 'invalid-value', field: `metadata.${given}`, detail })
}

/** The metadata's sys_id; whether a record has it is the bound table's matter. */
export function recordIdOf(metadata: Metadata): string | null {
  const sysId = metadata['sys_id']
  return typeof sysId === 'string' && sysId !== '' ? sysId : null
}
