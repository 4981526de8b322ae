import { createAttachmentText, isReadable, type ReadAttachment } from '../attachment-text.ts'
import type { TextSink } from '../text-builder.ts'
import type { Relationship } from './office-parts.ts'
import { readOleObject } from './ole-object.ts'
import type { Archive } from './open-archive.ts'

/**
 * Adds the documents that a part of an office file displays as objects, such as a workbook on a slide, each under its name:
 * packages, and files inside OLE objects. Formulas and drawings are not documents.
 *
 * @param read absent inside such a document: it is only reported as missing
 */
export async function addEmbedded(
  archive: Archive,
  links: readonly Relationship[],
  into: TextSink,
  read: ReadAttachment | undefined,
): Promise<void> {
  const parts = new Map(links.filter(({ type }) => embeddedTypes.has(type)).map(({ target, type }) => [target, type]))
  for (const [part, type] of parts) {
    if (!archive.names.has(part)) continue
    const bytes = await bytesOf(archive, part)
    const name = part.slice(part.lastIndexOf('/') + 1)
    const ole = type === 'oleObject' ? readOleObject(bytes) : null
    if (ole !== null) await addFile({ name: ole.name ?? name, bytes: ole.bytes }, into, read)
    else if (type === 'package') await addFile({ name, bytes }, into, read)
  }
}

const embeddedTypes: ReadonlySet<string> = new Set(['package', 'oleObject'])

interface EmbeddedFile {
  readonly name: string
  /** null: the format is not supported. */
  readonly bytes: Buffer | null
}

async function addFile({ name, bytes }: EmbeddedFile, into: TextSink, read: ReadAttachment | undefined): Promise<void> {
  const own = createAttachmentText(into, `Embedded: ${name}`)
  const isRead = read !== undefined && bytes !== null && (await isReadable(() => read(bytes, name, own.into)))
  if (!isRead) into.missAttachment(name)
}

async function bytesOf(archive: Archive, part: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of archive.read(part)) pieces.push(piece)
  return Buffer.concat(pieces)
}
