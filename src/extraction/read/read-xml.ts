import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { unreadable } from '../rejection.ts'

/** Receives XML in document order. Names are unchanged, with their prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  close?(name: string): void
  /** Character data and CDATA, with entities resolved; long texts may arrive in several calls. */
  text?(text: string): void
}

/**
 * Reads XML in one pass without building a tree: memory does not grow with the size or the depth of the document. Document
 * types are ignored: only the five entities of XML are resolved, nothing is fetched.
 *
 * @throws Rejection when the document declares entities, or is not well-formed
 */
export async function readXml(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  handler: XmlHandler,
): Promise<void> {
  const reader = openXml(handler)
  for await (const piece of pieces) reader.write(piece)
  reader.end()
}

/** The same for a caller who has the pieces one after the other. */
export function openXml(handler: XmlHandler): { write(piece: Uint8Array): void; end(): void } {
  const reader = startXml(handler)
  let decoder: TextDecoder | undefined
  return {
    write(piece) {
      decoder ??= new TextDecoder(encodingOf(piece))
      reader.write(decoder.decode(piece, { stream: true }))
    },
    end() {
      reader.write(decoder?.decode() ?? '')
      reader.end()
    },
  }
}

/** Like `readXml`, for a decoded text. */
export function readXmlText(text: string, handler: XmlHandler): void {
  const reader = startXml(handler)
  for (let from = 0; from < text.length; from += pieceUnits) reader.write(text.slice(from, from + pieceUnits))
  reader.end()
}

const pieceUnits = 1 << 16

function startXml(handler: XmlHandler): { write(piece: string): void; end(): void } {
  const parser = new SaxesParser<{ xmlns: false; position: true }>({ xmlns: false, position: true })
  parser.on('opentag', ({ name, attributes }) => handler.open?.(name, attributes))
  parser.on('closetag', ({ name }) => handler.close?.(name))
  parser.on('text', (text) => handler.text?.(text))
  parser.on('cdata', (text) => handler.text?.(text))
  parser.on('doctype', (doctype) => {
    if (/<!ENTITY/i.test(doctype)) throw unreadable('forbidden-markup', 'the document declares entities of its own')
  })
  parser.on('error', (error) => {
    if (harmless.test(error.message)) return
    throw unreadable('damaged', `not well-formed XML: ${error.message}`)
  })
  return { write: (piece) => void parser.write(piece), end: () => void parser.close() }
}

/**
 * Office programs write characters that XML forbids, HTML entities like `&nbsp;`, and dashes in comments. The parser reports
 * them and continues with the text unchanged; rejecting the document would not help anyone.
 */
const harmless =
  /(?:disallowed character|malformed character entity|undefined entity|malformed comment|is disallowed in char data)\.?$/

/** By byte order mark, by the first bytes, or as declared; the default of XML is UTF-8. */
function encodingOf(head: Uint8Array): string {
  const [b0, b1] = head
  if ((b0 === 0xff && b1 === 0xfe) || (b0 === 0x3c && b1 === 0)) return 'utf-16le'
  if ((b0 === 0xfe && b1 === 0xff) || (b0 === 0 && b1 === 0x3c)) return 'utf-16be'
  const declared = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(
    Buffer.from(head.subarray(0, 200)).toString('latin1'),
  )
  try {
    return new TextDecoder(declared?.[1] ?? 'utf-8').encoding
  } catch {
    return 'utf-8'
  }
}

const localNames = new Map<string, string>()

/**
 * The name without its prefix. Producers choose prefixes freely; the relevant local names of these vocabularies do not collide.
 */
export function localName(name: string): string {
  const known = localNames.get(name)
  if (known !== undefined) return known
  const local = name.slice(name.indexOf(':') + 1)
  if (localNames.size < 10_000) localNames.set(name, local)
  return local
}

/** The attribute with this local name, with any prefix. */
export function attributeNamed(attributes: Readonly<Record<string, string>>, local: string): string | undefined {
  const plain = attributes[local]
  if (plain !== undefined) return plain
  for (const name in attributes) if (localName(name) === local) return attributes[name]
  return undefined
}
