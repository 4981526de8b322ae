import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { CopyConnection } from '../database/copy-connection.ts'
import { type BlobStore, MissingFile } from '../documents/store/blob-store.ts'
import { sql } from '../kernel/sql.ts'
import type { BackupOptions, Counted } from './backup-options.ts'
import { type FileStoreName, type Frame, PIECE_BYTES } from './frames.ts'
import { inPieces } from './in-pieces.ts'

interface ListedFile {
  readonly store: FileStoreName
  /** SHA-256, hexadecimal. */
  readonly hash: string
  /** Whether a record, a document or a waiting load refers to it; other files are kept for a while, although nothing refers to them. */
  readonly is_needed: boolean
}

/** Lists the files of the snapshot with a cursor that outlives the transaction: PostgreSQL keeps the list, on disk if it is long. */
export async function listFiles(connection: CopyConnection): Promise<void> {
  // Databases of the first migration levels do not have these tables.
  const [has] = await connection.rows(sql<{
    documents: boolean
    segments: boolean
    attachments: boolean
    exports: boolean
  }>`
    select to_regclass('docket_documents.blob') is not null as documents, to_regclass('docket_documents.segment') is not null as segments,
      to_regclass('docket_system.attachment_blob') is not null as attachments, to_regclass('docket_system.history_export') is not null as exports`)
  const parts = [
    `select '' as store, '' as hash, false as is_needed where false`,
    ...(has?.documents ? [documentFiles(has.segments)] : []),
    ...(has?.attachments ? [attachmentFiles(has.exports)] : []),
  ]
  await connection.execute(`declare backup_files no scroll cursor with hold for ${parts.join(' union all ')}`)
}

/** @param segments whether the database knows segments of the search index: the terms in the backup are enough to make them again */
const documentFiles = (segments: boolean): string => `
  select 'documents', encode(b.hash, 'hex'), exists (select from docket_documents.document d where d.blob_hash = b.hash)
    or exists (select from docket_documents.load l where l.blob_hash = b.hash and l.state in ('queued', 'extracting', 'indexing'))
  from docket_documents.blob b
  ${segments ? 'where not exists (select from docket_documents.segment s where s.hash = b.hash)' : ''}`
/** @param exports whether the database knows exports of removed history */
const attachmentFiles = (exports: boolean): string => `
  select 'attachments', encode(b.hash, 'hex'), exists (select from docket.sys_attachment a where a.hash = encode(b.hash, 'hex'))
    ${exports ? 'or exists (select from docket_system.history_export e where e.hash = b.hash and e.path is null)' : ''}
  from docket_system.attachment_blob b`

const filesAtOnce = 200

export async function* fileFrames(
  connection: CopyConnection,
  counted: Counted,
  { stores, onProgress }: BackupOptions,
): AsyncGenerator<Frame> {
  for (;;) {
    const files = await connection.rows(sql<ListedFile>`fetch ${sql.lit(filesAtOnce)} from backup_files`)
    if (files.length === 0) return
    for (const file of files) {
      const bytes = yield* framesOfFile(stores[file.store], file)
      if (bytes === null && file.is_needed) counted.missingFiles += 1
      if (bytes === null) continue
      counted.files += 1
      counted.fileBytes += bytes
      onProgress({ kind: 'file', name: file.hash, bytes })
    }
  }
}

/** @returns its size in bytes; null if it is missing or damaged in the store */
async function* framesOfFile(blobs: BlobStore, { store, hash }: ListedFile): AsyncGenerator<Frame, number | null> {
  const stream = await openFile(blobs, hash)
  if (stream === null) return null
  const found = createHash('sha256')
  let bytes = 0
  for await (const payload of inPieces(buffersOf(stream), PIECE_BYTES)) {
    found.update(payload)
    bytes += payload.length
    yield { header: { kind: 'file', store, hash, part: 'more' }, payload }
  }
  const isSound = found.digest('hex') === hash
  yield { header: { kind: 'file', store, hash, part: isSound ? 'last' : 'damaged' }, payload: Buffer.alloc(0) }
  return isSound ? bytes : null
}

/** @returns null if the store does not have it */
async function openFile(blobs: BlobStore, hash: string): Promise<Readable | null> {
  try {
    return await blobs.read(Buffer.from(hash, 'hex'))
  } catch (error) {
    if (error instanceof MissingFile) return null
    throw error
  }
}

async function* buffersOf(stream: Readable): AsyncGenerator<Buffer> {
  for await (const part of stream) yield Buffer.isBuffer(part) ? part : Buffer.from(part as Uint8Array)
}
