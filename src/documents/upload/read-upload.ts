import { createHash } from 'node:crypto'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { charsetLabel } from '../../text-formats/charset-labels.ts'
import { documentLimits } from '../document-limits.ts'
import type { Metadata } from '../filter/filter-values.ts'
import { readCollectionName } from './read-collection-name.ts'
import { readFileName } from './read-file-name.ts'
import { readMetadata } from './read-metadata.ts'
import { readVector } from './read-vector.ts'

/** The request of `load_text_to_collection`, not validated yet. */
export interface TextSent {
  readonly collectionName: string | undefined
  readonly metadata: unknown
  readonly text: unknown
  /** Given instead of the vector that a model would make. */
  readonly vector?: unknown
  /** A record without words has a document too: its metadata can be found. */
  readonly mayBeEmpty?: true
}

/** The request of `load_document_to_collection`: the file is on the disk, nothing else is validated yet. */
export interface FileSent {
  readonly collectionName: string | undefined
  readonly metadata: unknown
  readonly fileName: string | undefined
  /** Encoding of a text, as the caller names it; absent: it is detected from the file. */
  readonly charset?: string | undefined
  /** SHA-256 of the file. */
  readonly hash: Buffer
  /** Bytes. */
  readonly size: number
  /** What identifies the document to replace. `file_name`: the one of the same file name. Absent: `doc_id`. */
  readonly replaceBy?: ReplaceBy
}

export const replaceByWords = ['doc_id', 'file_name'] as const
export type ReplaceBy = (typeof replaceByWords)[number]

/** A load with valid inputs. */
export interface Upload {
  readonly collectionName: string
  readonly docId: string
  readonly metadata: Metadata
  /** SHA-256 of the bytes sent, together with the encoding that the caller named. */
  readonly contentHash: Buffer
  /** Bytes. */
  readonly size: number
  readonly fileName: string | null
  /** SHA-256 of the stored file; null: the text was sent as text. */
  readonly fileHash: Buffer | null
  /** Label of the encoding that the caller named. */
  readonly charset: string | null
  /** Ids of further versions that it replaces, besides the one of its doc_id. */
  readonly replaces: readonly number[]
  /** Given with the text; null: none. */
  readonly vector: Float32Array | null
}

/** A file without a doc_id yet: its name may determine which document it becomes. */
export interface FileUpload extends Omit<Upload, 'docId' | 'replaces'> {
  /** The doc_id of its metadata; null: we generate one. */
  readonly ownDocId: string | null
  readonly replaceBy: ReplaceBy
}

export interface TextUpload extends Upload {
  readonly text: string
}

export function readTextUpload(sent: TextSent): Result<TextUpload, Problem> {
  const { text } = sent
  if (text === undefined) return fail({ kind: 'invalid-value', field: 'text', detail: 'it is missing' })
  if (typeof text !== 'string') return fail({ kind: 'invalid-value', field: 'text', detail: 'it must be a string' })
  const bytes = Buffer.from(text)
  const maxBytes = documentLimits.textBytes
  if (bytes.length > maxBytes) return fail({ kind: 'body-too-large', maxBytes })
  const vector = readGivenVector(sent.vector)
  if (!vector.ok) return vector
  const { textWithVectorUnits } = documentLimits
  if (vector.value !== null && text.length > textWithVectorUnits) return fail(tooLongForAVector(text.length))
  const contentHash = createHash('sha256').update(bytes).digest()
  const content = {
    contentHash,
    size: bytes.length,
    fileName: null,
    fileHash: null,
    charset: null,
    vector: vector.value,
  }
  const upload = readUpload(sent, content)
  if (!upload.ok) return upload
  const { ownDocId, ...rest } = upload.value
  return succeed({ ...rest, docId: ownDocId ?? contentId(contentHash), replaces: [], text })
}

/** One vector stands for one chunk. */
function tooLongForAVector(units: number): Problem {
  const detail = `it is ${units} characters long; a text with a vector is one chunk of at most ${documentLimits.textWithVectorUnits}`
  return { kind: 'invalid-value', field: 'text', detail }
}

function readGivenVector(sent: unknown): Result<Float32Array | null, Problem> {
  return sent === undefined || sent === null ? succeed(null) : readVector(sent)
}

export function readFileUpload(sent: FileSent): Result<FileUpload, Problem> {
  const { hash, size, replaceBy = 'doc_id' } = sent
  const fileName = readFileName(sent.fileName)
  if (!fileName.ok) return fileName
  const charset = readCharset(sent.charset)
  if (!charset.ok) return charset
  const upload = readUpload(sent, {
    contentHash: contentHashOf(hash, charset.value),
    size,
    fileName: fileName.value,
    fileHash: hash,
    charset: charset.value,
    vector: null,
  })
  if (!upload.ok) return upload
  const { ownDocId, metadata } = upload.value
  if (replaceBy === 'file_name' && ownDocId !== null) return fail(twoIdentities(metadata))
  return succeed({ ...upload.value, replaceBy })
}

/** A file of a record that replaces by file name would replace files of other records. */
function twoIdentities(metadata: Metadata): Problem {
  const field = `metadata.${givenKey(metadata) ?? 'doc_id'}`
  return {
    kind: 'invalid-value',
    field,
    detail: 'it names the document, and so does replace_by=file_name: send one of them',
  }
}

function readCharset(sent: string | undefined): Result<string | null, Problem> {
  if (sent === undefined || sent.trim() === '') return succeed(null)
  const label = charsetLabel(sent)
  if (label !== undefined) return succeed(label)
  const expected = 'the name of a character encoding, such as windows-1250'
  return fail({ kind: 'bad-parameter', parameter: 'charset', found: sent, expected })
}

/** The same bytes in another encoding are another text: they replace the document that was read in the wrong encoding. */
export function contentHashOf(fileHash: Buffer, charset: string | null): Buffer {
  return charset === null ? fileHash : createHash('sha256').update(fileHash).update(charset).digest()
}

type Content = Pick<Upload, 'contentHash' | 'size' | 'fileName' | 'fileHash' | 'charset' | 'vector'>

function readUpload(
  sent: { readonly collectionName: string | undefined; readonly metadata: unknown },
  content: Content,
): Result<Omit<FileUpload, 'replaceBy'>, Problem> {
  const collectionName = readCollectionName(sent.collectionName)
  if (!collectionName.ok) return collectionName
  const metadata = readMetadata(sent.metadata)
  if (!metadata.ok) return metadata
  const ownDocId = docIdIn(metadata.value)
  if (!ownDocId.ok) return ownDocId
  return succeed({
    collectionName: collectionName.value,
    ownDocId: ownDocId.value,
    metadata: metadata.value,
    ...content,
  })
}

/** The doc_id of a text without its own; an earlier version used it for files, too. */
export function contentId(contentHash: Buffer): string {
  return contentHash.toString('hex').slice(0, 32)
}

function givenKey(metadata: Metadata): string | undefined {
  return ['doc_id', 'sys_id'].find((key) => typeof metadata[key] === 'string' && metadata[key] !== '')
}

/**
 * `metadata.doc_id`, otherwise `metadata.sys_id` (docs/spec/documents.md, section 2). @returns null: neither is given
 */
function docIdIn(metadata: Metadata): Result<string | null, Problem> {
  const given = givenKey(metadata)
  if (given === undefined) return succeed(null)
  const docId = String(metadata[given])
  const bytes = Buffer.byteLength(docId)
  if (bytes <= documentLimits.docIdBytes) return succeed(docId)
  const detail = `it names the document and is ${bytes} bytes long; at most ${documentLimits.docIdBytes} are allowed`
  return fail({ kind: 'invalid-value', field: `metadata.${given}`, detail })
}

/** The metadata's sys_id; the bound table decides whether a record has it. */
export function recordIdOf(metadata: Metadata): string | null {
  const sysId = metadata['sys_id']
  return typeof sysId === 'string' && sysId !== '' ? sysId : null
}
