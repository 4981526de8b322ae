import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { BlobStore, StoredBlob } from '../store/blob-store.ts'

/** A file for which the database and the store of files differ. */
export interface FileDifference {
  /**
   * `missing`: a document or a waiting load needs it. `damaged`: its bytes do not match its hash. `orphaned`: the
   * database does not know it.
   */
  readonly kind: 'missing' | 'damaged' | 'orphaned'
  /** SHA-256, hexadecimal. */
  readonly hash: string
  /** Actual or expected bytes. */
  readonly size: number
  /** A document that needs it, or the table and name of an attachment; null if nothing needs it. */
  readonly collectionName: string | null
  readonly docId: string | null
}

export interface FileCheck {
  readonly files: number
  readonly bytes: number
  readonly differences: readonly FileDifference[]
}

export interface FileCheckOptions {
  readonly blobs: BlobStore
  /** false: only sizes are compared. */
  readonly readsBytes: boolean
  /** Files that changed later may belong to a load in progress: they are not orphans. */
  readonly orphanedBefore: Date
  readonly onProgress: (done: number, of: number) => void
}

/** Compares the files of documents and waiting loads with the store. Loads and deletions continue meanwhile. */
export function verifyFiles(session: Session, options: FileCheckOptions): Promise<FileCheck> {
  const needs = {
    readNeeded: (hash: string | null) => readNeeded(session, hash),
    readKnownHashes: () => readKnownHashes(session),
  }
  return compareFiles(needs, options)
}

/** What the database says about a store of files. */
export interface FileNeeds {
  /** @param hash only this file; null: all */
  readNeeded(hash: string | null): Promise<readonly NeededFile[]>
  /** Every file that has a row, needed or not. */
  readKnownHashes(): Promise<ReadonlySet<string>>
}

/** Compares what the database says about a store with its contents. */
export async function compareFiles(needs: FileNeeds, options: FileCheckOptions): Promise<FileCheck> {
  const { blobs, readsBytes, orphanedBefore, onProgress } = options
  const stored = new Map<string, StoredBlob>()
  for await (const blob of blobs.list()) stored.set(blob.hash.toString('hex'), blob)
  // Read after the list: a file is stored before its document exists.
  const needed = await needs.readNeeded(null)
  const differences: FileDifference[] = []
  let bytes = 0
  let done = 0
  for (const file of needed) {
    const found = stored.get(file.hash)
    const kind = found === undefined ? 'missing' : await stateOf(found, file.size, readsBytes ? blobs : null)
    if (kind !== 'sound' && (await isStillSo(needs, blobs, file))) differences.push({ ...file, kind })
    bytes += file.size
    onProgress(++done, needed.length)
  }
  const known = await needs.readKnownHashes()
  for (const [hash, { size, changedMs }] of stored)
    if (!known.has(hash) && changedMs < orphanedBefore.getTime())
      differences.push({ kind: 'orphaned', hash, size, collectionName: null, docId: null })
  return { files: needed.length, bytes, differences }
}

/** Removes the files that the database does not know. @returns the number of removed files */
export async function removeOrphans(blobs: BlobStore, check: FileCheck): Promise<number> {
  const orphans = check.differences.filter(({ kind }) => kind === 'orphaned')
  for (const { hash } of orphans) await blobs.remove(Buffer.from(hash, 'hex'))
  return orphans.length
}

export type NeededFile = Omit<FileDifference, 'kind'>

/** @param hash only this file; null: all */
async function readNeeded(session: Session, hash: string | null): Promise<readonly NeededFile[]> {
  const rows = await session.rows(sql<{ hash: string; size: string; name: string; doc_id: string }>`
    select distinct on (f.blob_hash) encode(f.blob_hash, 'hex') as hash, f.size, c.name, f.doc_id
    from (
      select d.blob_hash, d.size, d.collection_id, d.doc_id from docket_documents.document d
      where d.blob_hash is not null and d.removed_position is null
      union all
      select l.blob_hash, l.size, l.collection_id, l.doc_id from docket_documents.load l
      where l.state in ('queued', 'extracting', 'indexing')
    ) as f
    join docket_documents.collection c on c.id = f.collection_id and c.removed_position is null
    where ${hash}::text is null or f.blob_hash = decode(${hash}::text, 'hex')
    order by f.blob_hash`)
  return rows.map((row) => ({ hash: row.hash, size: Number(row.size), collectionName: row.name, docId: row.doc_id }))
}

/** Every file that has a row, needed or not: cleanup finds unneeded files by their rows. */
async function readKnownHashes(session: Session): Promise<ReadonlySet<string>> {
  const rows = await session.rows(sql<{ hash: string }>`
    select encode(b.hash, 'hex') as hash from docket_documents.blob b`)
  return new Set(rows.map(({ hash }) => hash))
}

/** @param blobs null: bytes are not read */
async function stateOf({ hash, size }: StoredBlob, neededSize: number, blobs: BlobStore | null) {
  if (size !== neededSize) return 'damaged'
  if (blobs === null) return 'sound'
  return (await hashOf(blobs, hash)) === hash.toString('hex') ? 'sound' : 'damaged'
}

/** @returns undefined when the file cannot be read */
async function hashOf(blobs: BlobStore, hash: Buffer): Promise<string | undefined> {
  const found = createHash('sha256')
  try {
    await pipeline(await blobs.read(hash), found)
    return found.digest('hex')
  } catch {
    return undefined
  }
}

/** Checks again: the document and its file may have been removed since it was read, or added after the store was listed. */
async function isStillSo(needs: FileNeeds, blobs: BlobStore, { hash }: NeededFile): Promise<boolean> {
  const stillNeeded = await needs.readNeeded(hash)
  return stillNeeded.length > 0 && (await hashOf(blobs, Buffer.from(hash, 'hex'))) !== hash
}
