import { declaredEncoding } from '../../text-formats/declared-encoding.ts'
import { decodeText } from '../../text-formats/decode-text.ts'
import { elementsWithoutText } from '../read/html-visibility.ts'
import { type AboutOffice, readDublinCore, readXmlIfThere, resolveName } from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { localName } from '../read/read-xml.ts'
import { unreadable } from '../rejection.ts'
import type { TextSink } from '../text-builder.ts'
import { extractHtml } from './extract-html.ts'

/**
 * Readers display the content of an object if they do not support its type: the only text of what `bindings` and scripts would
 * display.
 */
const leftOutOfChapters: ReadonlySet<string> = new Set([...elementsWithoutText].filter((tag) => tag !== 'object'))
const leftOutOfNavigation: ReadonlySet<string> = new Set([...leftOutOfChapters, 'nav'])

/** Adds the chapters of a book in reading order. Lists on a navigation page repeat headings and are skipped. */
export async function extractEpub(archive: Archive, into: TextSink): Promise<AboutOffice> {
  await rejectProtected(archive)
  const packageName = await findPackage(archive)
  if (packageName === undefined) throw unreadable('damaged', 'the book has no package file', 'open')
  for (const { name, isNavigation } of await readingOrder(archive, packageName)) {
    const pieces: Buffer[] = []
    for await (const piece of archive.read(name)) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    const decoded = decodeText(bytes, { declared: declaredEncoding(bytes) })
    if (decoded !== undefined) extractHtml(decoded.text, into, isNavigation ? leftOutOfNavigation : leftOutOfChapters)
  }
  return readDublinCore(archive, packageName)
}

/** Encrypted fonts are common and harmless; any other encryption protects the book. */
async function rejectProtected(archive: Archive): Promise<void> {
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

interface Chapter {
  /** Name of its entry in the archive. */
  readonly name: string
  readonly isText: boolean
  readonly isNavigation: boolean
  /** The item to display if its type is not supported. */
  readonly fallback: string | undefined
}

async function readingOrder(archive: Archive, packageName: string): Promise<readonly Chapter[]> {
  const items = new Map<string, Chapter>()
  const order: string[] = []
  await readXmlIfThere(archive, packageName, {
    open(full, attributes) {
      const name = localName(full)
      const { id = '', href = '', idref = '', properties = '', fallback } = attributes
      const type = attributes['media-type'] ?? ''
      if (name === 'item')
        items.set(id, {
          name: entryName(packageName, href),
          isText: /html|xml$/.test(type),
          isNavigation: properties.split(' ').includes('nav'),
          fallback,
        })
      if (name === 'itemref') order.push(idref)
    },
  })
  const seen = new Set<string>()
  return order.flatMap((id) => {
    const chapter = textOf(items, id)
    // A chapter that is listed twice in the spine is read once: ten thousand references to one large file are an attack.
    if (chapter === undefined || seen.has(chapter.name) || !archive.names.has(chapter.name)) return []
    seen.add(chapter.name)
    return [chapter]
  })
}

const maxFallbacks = 10

/** The item, or the first text among its fallbacks. */
function textOf(items: ReadonlyMap<string, Chapter>, id: string): Chapter | undefined {
  let item = items.get(id)
  for (let hops = 0; item !== undefined && !item.isText && hops < maxFallbacks; hops++)
    item = items.get(item.fallback ?? '')
  return item?.isText === true ? item : undefined
}

/** References are URL-encoded, relative to the package file. */
function entryName(packageName: string, href: string): string {
  const path = href.split('#')[0] ?? ''
  try {
    return resolveName(packageName, decodeURIComponent(path))
  } catch {
    return resolveName(packageName, path)
  }
}
