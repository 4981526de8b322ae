import PostalMime from 'postal-mime'
import { declaredEncoding } from '../../text-formats/declared-encoding.ts'
import { decodeText } from '../../text-formats/decode-text.ts'
import { drawnTypes, readDrawnTexts } from '../read/drawn-text.ts'
import { withReadableTexts } from '../read/mail-charsets.ts'
import type { Relationship } from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import type { TextSink } from '../text-builder.ts'
import { extractHtml } from './extract-html.ts'
import { extractPlain } from './extract-plain.ts'
import { extractRtf } from './extract-rtf.ts'

/** Texts of other formats that a Word document contains and displays as its own (`altChunk`). */
export interface InsertedParts {
  /** Adds the part with this link id at the current place. */
  add(link: string | undefined): void
  /** The texts of the chart or diagram with this link id. */
  drawn(link: string | undefined): readonly string[]
}

/** Reads them in advance, because the document around them is read synchronously. HTML, RTF, plain text and web archives. */
export async function readInsertedParts(
  archive: Archive,
  links: readonly Relationship[],
  into: TextSink,
): Promise<InsertedParts> {
  const parts = new Map<string, () => void>()
  const drawn = new Map<string, readonly string[]>()
  for (const { id, type, target } of links) {
    if (type === 'aFChunk' && archive.names.has(target)) parts.set(id, await readInserted(archive, target, into))
    else if (drawnTypes.has(type)) drawn.set(id, await readDrawnTexts(archive, target))
  }
  return { add: (link) => parts.get(link ?? '')?.(), drawn: (link) => drawn.get(link ?? '') ?? [] }
}

async function readInserted(archive: Archive, part: string, into: TextSink): Promise<() => void> {
  const pieces: Buffer[] = []
  for await (const piece of archive.read(part)) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const head = bytes.subarray(0, 1_024).toString('latin1')
  if (head.startsWith('{\\rtf')) return () => void extractRtf(bytes, into)
  if (/^MIME-Version:|^Content-Type:/im.test(head)) {
    const { html = '', text = '' } = await PostalMime.parse(withReadableTexts(bytes).bytes)
    return () => (html === '' ? extractPlain(text, 'paragraph', into) : extractHtml(html, into))
  }
  const decoded = head.startsWith('PK') ? undefined : decodeText(bytes, { declared: declaredEncoding(bytes) })
  // A document inside a document is a nested archive, and those are not opened.
  if (decoded === undefined) return () => into.flag('attachments-not-read')
  const isPage = /^\s*</.test(decoded.text)
  return () => (isPage ? extractHtml(decoded.text, into) : extractPlain(decoded.text, 'paragraph', into))
}
