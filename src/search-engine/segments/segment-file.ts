import { hash, randomUUID } from 'node:crypto'
import { link, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { layoutVersion } from './segment.ts'
import { termsVersion } from './terms-version.ts'

/** Versions of the terms and of the layout of segments. Segments of other versions are not read. */
export const segmentsMadeAs = `${termsVersion}/${layoutVersion}`

/** The file of a segment in the folder of a saved index. */
export function segmentFileIn(folder: string, segmentId: string): string {
  return join(folder, `${segmentId}.segment`)
}

/** @returns SHA-256, hexadecimal */
export function hashOfSegment(buffer: SharedArrayBuffer): string {
  return hash('sha256', new Uint8Array(buffer))
}

export async function readWhole(file: string, bytes: number): Promise<SharedArrayBuffer> {
  const buffer = new SharedArrayBuffer(bytes)
  const view = new Uint8Array(buffer)
  const handle = await open(file)
  try {
    let at = 0
    while (at < bytes) {
      const { bytesRead } = await handle.read(view, at, bytes - at, at)
      if (bytesRead === 0) throw new Error(`${file} is cut short`)
      at += bytesRead
    }
  } finally {
    await handle.close()
  }
  return buffer
}

/** The file is complete as soon as it has its name. */
export async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  // Processes in several containers may have the same process id.
  const unfinished = `${file}.${randomUUID()}`
  const handle = await open(unfinished, 'w')
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(unfinished, file)
}

/** Links the file of a saved index if it is there, so that the bytes are not on the disk twice; otherwise writes a new file. */
export async function linkOrWrite(saved: string | null, file: string, bytes: Uint8Array): Promise<void> {
  const isLinked =
    saved !== null &&
    (await link(saved, file).then(
      () => true,
      () => false,
    ))
  if (!isLinked) await writeWhole(file, bytes)
}
