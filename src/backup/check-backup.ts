import { createHash } from 'node:crypto'
import { FrameStream } from './frame-stream.ts'
import type { Totals } from './frames.ts'
import type { Manifest } from './manifest.ts'
import { readFrames } from './read-frames.ts'

/**
 * Reads a backup from its first byte to its last.
 *
 * @throws StartFailure if it is damaged, with the place
 */
export async function checkBackup(
  pieces: AsyncIterable<Buffer>,
  name: string,
): Promise<{ readonly manifest: Manifest; readonly totals: Totals }> {
  const frames = new FrameStream(readFrames(pieces, name))
  const manifest = await frames.takeManifest(name)
  for (const table of manifest.tables) {
    let rows = 0
    for await (const piece of frames.rowsOf(table.name)) rows += countLines(piece)
    const counted = await frames.takeTable(table.name)
    if (counted.rows !== rows) throw new Error(`${table.name} has ${rows} rows in ${name}, of ${counted.rows}`)
  }
  await checkFiles(frames, name)
  return { manifest, totals: await frames.takeEnd() }
}

/** In the text format of COPY a line break inside a value is written as two other characters. */
function countLines(piece: Buffer): number {
  let lines = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1
  return lines
}

async function checkFiles(frames: FrameStream, name: string): Promise<void> {
  let found = createHash('sha256')
  for await (const { header, payload } of frames.files()) {
    found.update(payload)
    if (header.part === 'more') continue
    const hash = found.digest('hex')
    if (header.part === 'last' && hash !== header.hash)
      throw new Error(`the file ${header.hash} in ${name} has the hash ${hash}`)
    found = createHash('sha256')
  }
}
