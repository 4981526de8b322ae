/** Files by path, for Node, Bun and Deno. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Download } from '../download.ts'
import type { NamedFile } from '../upload-body.ts'

/** A file for uploads. Its bytes are read when they are sent, and again when a request is repeated. */
export async function fileAt(path: string, type?: string): Promise<NamedFile> {
  return { name: basename(path), content: await openAsBlob(path), type }
}

/** A file that is read once, without being held in memory. Uploads of it are not repeated. */
export async function streamAt(path: string, type?: string): Promise<NamedFile> {
  const { size } = await stat(path)
  const content = Readable.toWeb(createReadStream(path)) as unknown as NamedFile['content']
  return { name: basename(path), content, type, size }
}

/**
 * Writes a download to a file, which appears when it is complete and has the right SHA-256.
 *
 * @throws Error when the SHA-256 differs; the file at `path` is as before then
 */
export async function saveDownload(download: Download, path: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.part`
  const hash = createHash('sha256')
  try {
    await pipeline(
      download.body,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(unfinished),
    )
    const found = hash.digest('hex')
    if (download.sha256 !== null && found !== download.sha256)
      throw new Error(`The file arrived with the SHA-256 ${found} instead of ${download.sha256}: read it again.`)
    await rename(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
}
