import type { Archive } from './open-archive.ts'
import { attributeNamed, localName, readXml } from './read-xml.ts'

/** A link from one part of an Office Open XML package to another. */
export interface Relationship {
  readonly id: string
  /** The last word of its type: `slide`, `notesSlide`, `sharedStrings` … */
  readonly type: string
  /** Name of the target entry. */
  readonly target: string
}

/**
 * The links of a part, in their order; an empty list if the part has none. Links out of the package are dropped, never
 * followed.
 */
export async function readRelationships(archive: Archive, part: string): Promise<readonly Relationship[]> {
  const slash = part.lastIndexOf('/') + 1
  const found: Relationship[] = []
  await readXmlIfThere(archive, `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`, {
    open(name, attributes) {
      if (localName(name) !== 'Relationship' || attributes['TargetMode'] === 'External') return
      const { Id: id = '', Type: type = '', Target: target = '' } = attributes
      found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: resolveName(part, target) })
    },
  })
  return found
}

/** Entry names are resolved as text; a name outside of the package simply does not exist. */
export function resolveName(part: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1)
  const path = part.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..') path.pop()
    else if (step !== '.') path.push(step)
  }
  return path.join('/')
}

/** The main part of the document, as the package declares it; otherwise `usual`. */
export async function mainPart(archive: Archive, usual: string): Promise<string> {
  const links = await readRelationships(archive, '')
  return links.find(({ type }) => type === 'officeDocument')?.target ?? usual
}

export async function readXmlIfThere(
  archive: Archive,
  name: string,
  handler: Parameters<typeof readXml>[1],
): Promise<void> {
  if (archive.names.has(name)) await readXml(archive.read(name), handler)
}

/** Whether a part contains text that matches, with at most 40 characters. */
export async function partHolds(archive: Archive, part: string, form: RegExp): Promise<boolean> {
  let tail = ''
  for await (const piece of archive.read(part)) {
    const text = tail + piece.toString('latin1')
    if (form.test(text)) return true
    tail = text.slice(-40)
  }
  return false
}

export interface AboutOffice {
  readonly title?: string
  readonly language?: string
}

/** Dublin Core of Office Open XML, OpenDocument and EPUB: the title and the language that the document declares. */
export async function readDublinCore(archive: Archive, name: string): Promise<AboutOffice> {
  const stated = new Map<string, string>()
  let open: string | undefined
  await readXmlIfThere(archive, name, {
    open: (full) => {
      open = full.startsWith('dc:') ? localName(full) : undefined
    },
    text: (text) => {
      if (open !== undefined) stated.set(open, (stated.get(open) ?? '') + text)
    },
    close: () => {
      open = undefined
    },
  })
  const [title, language] = [stated.get('title')?.trim(), stated.get('language')?.trim()]
  return { ...(title ? { title } : {}), ...(language ? { language } : {}) }
}

/** On/off values of Office Open XML: an element without a value is on. */
export function isOn(attributes: Readonly<Record<string, string>>): boolean {
  const value = attributeNamed(attributes, 'val')
  return value === undefined || !/^(?:0|false|off|none)$/i.test(value)
}
