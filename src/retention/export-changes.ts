import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type AttachmentStore, keepFiles } from '../attachments/keep-files.ts'
import type { Database } from '../database/database.ts'

/** Where removed changes go: the store of attached files, or a folder. */
export interface ExportPlaces {
  readonly database: Database
  readonly attachments: AttachmentStore
  /** null: files go to the store of attached files. */
  readonly folder: string | null
}

export interface ExportedFile {
  /** SHA-256 of the compressed file. */
  readonly hash: Buffer
  readonly bytes: number
  /** null: the store of attached files has it. */
  readonly path: string | null
}

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/**
 * Writes lines into a compressed file, durably, and reads it back.
 *
 * @param name of the file in a folder; the same lines have the same name, so that a repeated export replaces the file
 * @throws Error if the file that was read back has other lines: nothing may be removed then
 */
export async function exportLines(
  lines: readonly string[],
  { database, attachments, folder }: ExportPlaces,
  { name, now }: { readonly name: string; readonly now: Date },
): Promise<ExportedFile> {
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const bytes = await compress(text)
  const hash = sha256(bytes)
  const path = folder === null ? null : join(folder, `${name}.ndjson.gz`)
  if (path === null) await keepFiles(database, attachments, [{ bytes, hash }], now)
  else await writeDurably(path, bytes)
  const found = await decompress(path === null ? await readStored(attachments, hash) : await readFile(path))
  if (!found.equals(text))
    throw new Error(`the exported changes ${path ?? hash.toString('hex')} were not read back as they were written`)
  return { hash, bytes: bytes.length, path }
}

export async function readStored({ blobs }: Pick<AttachmentStore, 'blobs'>, hash: Buffer): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of await blobs.read(hash)) parts.push(Buffer.from(part as Uint8Array))
  return Buffer.concat(parts)
}

/** A reader of the folder never meets half a file. */
export async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const folder = join(path, '..')
  await mkdir(folder, { recursive: true })
  const unfinished = `${path}.unfinished`
  const file = await open(unfinished, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  const held = await open(folder)
  try {
    await held.sync()
  } finally {
    await held.close()
  }
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()
