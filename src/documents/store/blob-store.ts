import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Files by the SHA-256 of their content: equal files are kept once, and no name of a caller ever becomes a path. */
export interface BlobStore {
  /** Keeps a file that `receive` made; durable when this resolves. The received file stays where it is. */
  keep(received: ReceivedFile): Promise<void>
  /** @throws when there is no such file */
  read(hash: Buffer): Promise<Readable>
  /** A path under which the file can be read until `release`: extraction reads files, not streams. */
  fetch(hash: Buffer): Promise<{ readonly path: string; release(): Promise<void> }>
  remove(hash: Buffer): Promise<void>
}

/** A file that was sent, in a place of its own until it is kept or dropped. */
export interface ReceivedFile {
  readonly path: string
  /** SHA-256. */
  readonly hash: Buffer
  /** Bytes. */
  readonly size: number
}

/** Blobs as files below a folder, spread over 256 folders. */
export function diskBlobStore(folder: string): BlobStore {
  const pathOf = (hash: Buffer): string => {
    const name = hash.toString('hex')
    return join(folder, name.slice(0, 2), name)
  }
  return {
    async keep({ path, hash, size }) {
      const kept = pathOf(hash)
      const before = await stat(kept).catch(() => undefined)
      if (before?.size === size) return
      await mkdir(join(kept, '..'), { recursive: true })
      const unfinished = `${kept}.${randomUUID()}`
      await pipeline(createReadStream(path), createWriteStream(unfinished, { flush: true }))
      await rename(unfinished, kept)
      await syncFolder(join(kept, '..'))
    },
    async read(hash) {
      const handle = await open(pathOf(hash))
      return handle.createReadStream()
    },
    async fetch(hash) {
      const path = pathOf(hash)
      await stat(path)
      return { path, release: async () => undefined }
    },
    remove: (hash) => rm(pathOf(hash), { force: true }),
  }
}

/** A rename is durable when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The stream held more bytes than it may. */
export class TooManyBytes extends Error {}

/**
 * Writes a stream into a file of its own.
 *
 * @param maxBytes of the file; a longer one is removed again
 * @throws TooManyBytes, or what the stream threw
 */
export async function receiveFile(stream: Readable, folder: string, maxBytes: number): Promise<ReceivedFile> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, randomUUID())
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      hash.update(chunk)
      if (size > maxBytes) done(new TooManyBytes(`more than ${maxBytes} bytes`))
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

export function dropFile({ path }: ReceivedFile): Promise<void> {
  return rm(path, { force: true })
}

/** Files that a process which is gone had begun to receive. */
export async function dropAbandonedFiles(folder: string, olderThanMs: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && found.mtimeMs < olderThanMs) await rm(path, { force: true })
  }
}
