import { createAttachmentText, isReadable, type ReadAttachment } from '../attachment-text.ts'
import type { TextSink } from '../text-builder.ts'
import type { Relationship } from './office-parts.ts'
import type { Archive } from './open-archive.ts'

/**
 * Adds the documents that a part of an office file shows as objects, such as a workbook on a slide, each under its name.
 *
 * @param read absent inside of such a document: it is only named as missing
 */
export async function addEmbedded(
  archive: Archive,
  links: readonly Relationship[],
  into: TextSink,
  read: ReadAttachment | undefined,
): Promise<void> {
  const parts = new Set(links.filter(({ type }) => type === 'package').map(({ target }) => target))
  for (const part of parts) if (archive.names.has(part)) await addPart(archive, part, into, read)
}

async function addPart(
  archive: Archive,
  part: string,
  into: TextSink,
  read: ReadAttachment | undefined,
): Promise<void> {
  const name = part.slice(part.lastIndexOf('/') + 1)
  const own = createAttachmentText(into, `Embedded: ${name}`)
  const isRead =
    read !== undefined && (await isReadable(async () => read(await bytesOf(archive, part), name, own.into)))
  if (!isRead) into.missAttachment(name)
}

async function bytesOf(archive: Archive, part: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of archive.read(part)) pieces.push(piece)
  return Buffer.concat(pieces)
}
