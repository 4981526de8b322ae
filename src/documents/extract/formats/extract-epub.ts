import { declaredEncoding } from '../read/declared-encoding.ts'
import { decodeText } from '../read/decode-text.ts'
import { type AboutOffice, readDublinCore, readXmlIfThere } from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { localName } from '../read/read-xml.ts'
import { unreadable } from '../refusal.ts'
import type { TextSink } from '../text-builder.ts'
import { extractHtml } from './extract-html.ts'

/** Adds the chapters of a book in reading order; the table of contents is left out. */
export async function extractEpub(archive: Archive, into: TextSink): Promise<AboutOffice> {
  await refuseProtected(archive)
  const packageName = await findPackage(archive)
  if (packageName === undefined) throw unreadable('damaged', 'the book has no package file', 'open')
  for (const chapter of await readingOrder(archive, packageName)) {
    const pieces: Buffer[] = []
    for await (const piece of archive.read(chapter)) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    const decoded = decodeText(bytes, { declared: declaredEncoding(bytes) })
    if (decoded !== undefined) extractHtml(decoded.text, into)
  }
  return readDublinCore(archive, packageName)
}

/** Scrambled fonts are common and harmless; anything else that is encrypted is the book. */
async function refuseProtected(archive: Archive): Promise<void> {
  await readXmlIfThere(archive, 'META-INF/encryption.xml', {
    open(full, attributes) {
      if (localName(full) !== 'EncryptionMethod') return
      const isFont = /(?:idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/.test(attributes['Algorithm'] ?? '')
      if (!isFont) throw unreadable('encrypted', 'the book is under rights management', 'open')
    },
  })
}

async function findPackage(archive: Archive): Promise<string | undefined> {
  let found: string | undefined
  await readXmlIfThere(archive, 'META-INF/container.xml', {
    open(full, attributes) {
      if (localName(full) === 'rootfile') found ??= attributes['full-path']
    },
  })
  return found !== undefined && archive.names.has(found) ? found : undefined
}

async function readingOrder(archive: Archive, packageName: string): Promise<readonly string[]> {
  const base = packageName.slice(0, packageName.lastIndexOf('/') + 1)
  const chapters = new Map<string, string>()
  const order: string[] = []
  await readXmlIfThere(archive, packageName, {
    open(full, attributes) {
      const name = localName(full)
      const { id = '', href = '', idref = '', properties = '' } = attributes
      const isText = /html|xml$/.test(attributes['media-type'] ?? '')
      if (name === 'item' && isText && !properties.split(' ').includes('nav')) chapters.set(id, entryName(base, href))
      if (name === 'itemref') order.push(idref)
    },
  })
  const seen = new Set<string>()
  return order.flatMap((id) => {
    const chapter = chapters.get(id)
    // Named twice in the spine, a chapter would be there twice: ten thousand references to one large file are an attack.
    if (chapter === undefined || seen.has(chapter) || !archive.names.has(chapter)) return []
    seen.add(chapter)
    return [chapter]
  })
}

/** References are encoded as addresses are, relative to the package file. */
function entryName(base: string, href: string): string {
  const path = href.split('#')[0] ?? ''
  try {
    return base + decodeURIComponent(path)
  } catch {
    return base + path
  }
}
