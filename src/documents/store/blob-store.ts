import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UpstreamError } from '../../kernel/upstream-error.ts'

/** Files by the SHA-256 of their content: equal files are stored once, and a name given by a caller never becomes a path. */
export interface BlobStore {
  /** Stores a file that `receive` created; durable when this resolves. The received file is not moved. */
  keep(received: ReceivedFile): Promise<void>
  /**
   * @param part range of bytes, both ends inclusive; without it, all bytes
   * @throws MissingFile when the store does not have the file
   */
  read(hash: Buffer, part?: BlobPart | null): Promise<Readable>
  /** A path at which the file can be read until `release`: extraction reads files, not streams. @throws MissingFile */
  fetch(hash: Buffer): Promise<{ readonly path: string; release(): Promise<void> }>
  remove(hash: Buffer): Promise<void>
  /** Every stored file, in no particular order. */
  list(): AsyncIterable<StoredBlob>
  /** Removes unfinished files of ended processes that were not changed for this long. */
  dropUnfinished(untouchedSinceMs: number): Promise<void>
}

/** The store does not have the file. If servers do not share a store, another server may have it. */
export class MissingFile extends UpstreamError {
  readonly forCallers = 'The file is not in the file store of this server'

  constructor(hash: Buffer, cause: Error) {
    super(`the file store does not have ${blobPath(hash)}: ${cause.message}`, { cause })
  }
}

export interface BlobPart {
  readonly from: number
  readonly to: number
}

export interface StoredBlob {
  /** SHA-256, its key. */
  readonly hash: Buffer
  /** Bytes. */
  readonly size: number
  /** Time of its last change, in milliseconds since 1970. */
  readonly changedMs: number
}

/** `ab/abcd…`: the same on a disk and in a bucket, so that copying the files is enough to move a store. */
export function blobPath(hash: Buffer): string {
  const name = hash.toString('hex')
  return `${name.slice(0, 2)}/${name}`
}

/** @returns null when the path is not the path of a blob */
export function hashOfBlobPath(path: string): Buffer | null {
  const [, folder, name = ''] = /^([0-9a-f]{2})\/([0-9a-f]{64})$/.exec(path) ?? []
  return folder !== undefined && name.startsWith(folder) ? Buffer.from(name, 'hex') : null
}

/** A received file, in a separate place until it is stored or dropped. */
export interface ReceivedFile {
  readonly path: string
  /** SHA-256. */
  readonly hash: Buffer
  /** Bytes. */
  readonly size: number
}

/** Blobs as files below a folder, in 256 subfolders. */
export function diskBlobStore(folder: string): BlobStore {
  const pathOf = (hash: Buffer): string => join(folder, blobPath(hash))
  return {
    async keep({ path, hash, size }) {
      const kept = pathOf(hash)
      const before = await stat(kept).catch(() => undefined)
      if (before?.size === size) return
      await mkdir(join(kept, '..'), { recursive: true })
      const unfinished = `${kept}.${randomUUID()}`
      await linkOrCopy(path, unfinished)
      await rename(unfinished, kept)
      await syncFolder(join(kept, '..'))
    },
    async read(hash, part) {
      const handle = await open(pathOf(hash)).catch(orMissing(hash))
      return handle.createReadStream(part == null ? {} : { start: part.from, end: part.to })
    },
    async fetch(hash) {
      const path = pathOf(hash)
      await stat(path).catch(orMissing(hash))
      return { path, release: async () => undefined }
    },
    remove: (hash) => rm(pathOf(hash), { force: true }),
    async *list() {
      for (const { path, file } of await filesBelow(folder)) {
        const hash = hashOfBlobPath(path)
        const found = hash === null ? undefined : await stat(file).catch(() => undefined)
        if (hash !== null && found !== undefined) yield { hash, size: found.size, changedMs: found.mtimeMs }
      }
    },
    async dropUnfinished(untouchedSinceMs) {
      for (const { path, file } of await filesBelow(folder))
        if (/^[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f-]{36}$/.test(path)) await dropUntouched(file, untouchedSinceMs)
    },
  }
}

function orMissing(hash: Buffer): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw error.code === 'ENOENT' ? new MissingFile(hash, error) : error
  }
}

/** Files in the subfolders of a folder; `path` is relative to the folder and contains slashes. */
async function filesBelow(folder: string): Promise<readonly { readonly path: string; readonly file: string }[]> {
  const folders = await readdir(folder, { withFileTypes: true })
  const files = await Promise.all(
    folders
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) =>
        (await readdir(join(folder, name))).map((file) => ({
          path: `${name}/${file}`,
          file: join(folder, name, file),
        })),
      ),
  )
  return files.flat()
}

/**
 * Creates a hard link to a file after its bytes are durable. Files are received beside the stored ones, so a copy is
 * needed only across file systems or where hard links are not supported.
 */
async function linkOrCopy(path: string, to: string): Promise<void> {
  await syncFile(path)
  const isLinked = await link(path, to).then(
    () => true,
    () => false,
  )
  if (!isLinked) await pipeline(createReadStream(path), createWriteStream(to, { flush: true }))
}

/** A rename is durable when its folder is synced. */
const syncFolder = (folder: string): Promise<void> => syncFile(folder)

async function syncFile(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The stream contains more bytes than allowed. */
export class TooManyBytes extends Error {
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/**
 * Writes a stream into a new file.
 *
 * @param maxBytes limit for the file; a longer one is removed again
 * @throws TooManyBytes, or the error of the stream
 */
export async function receiveFile(
  stream: Readable | AsyncIterable<Buffer>,
  folder: string,
  maxBytes: number,
): Promise<ReceivedFile> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, randomUUID())
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      hash.update(chunk)
      if (size > maxBytes) done(new TooManyBytes(maxBytes))
      else done(null, chunk)
    },
  })
  try {
    await pipeline(stream, measure, createWriteStream(path))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  return { path, hash: hash.digest(), size }
}

export function dropFile({ path }: Pick<ReceivedFile, 'path'>): Promise<void> {
  return rm(path, { force: true })
}

/** Deletes files that an ended process had begun to receive. */
export async function dropAbandonedFiles(folder: string, olderThanMs: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) await dropUntouched(join(folder, name), olderThanMs)
}

async function dropUntouched(path: string, sinceMs: number): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && found.mtimeMs < sinceMs) await rm(path, { force: true })
}
