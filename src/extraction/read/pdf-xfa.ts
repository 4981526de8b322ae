import { inflateSync } from 'node:zlib'
import { localName, readXmlText, type XmlHandler } from './read-xml.ts'

const maxPacketBytes = 20_000_000
const maxStreams = 20_000

/**
 * The lines of an XFA form (captions with the values, and texts), in the order of its template. Its packets are streams of the
 * file; the PDF library fails on most of these forms.
 */
export function linesOfXfa(bytes: Uint8Array): readonly string[] {
  const template = createTemplate()
  const data = createData()
  for (const packet of packetsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
    const read = { open: both('open'), close: both('close'), text: both('text') }
    readFragment(packet, read as XmlHandler)
  }
  function both(event: 'open' | 'close' | 'text') {
    return (first: string, second: never): void => {
      for (const handler of [template.handler, data.handler]) handler[event]?.(first, second)
    }
  }
  return linesOf(template.entries, data.values)
}

/** One of several packets may be the beginning or the end of a document. */
function readFragment(packet: string, handler: XmlHandler): void {
  try {
    readXmlText(packet, handler)
  } catch {
    // The part that was read counts.
  }
}

function linesOf(entries: readonly Entry[], values: Map<string, string[]>): readonly string[] {
  const lines = entries.flatMap(({ name, caption, value }) => {
    const filled = name === undefined ? undefined : values.get(name)?.shift()
    return [labelled(caption, filled ?? value)]
  })
  for (const [name, rest] of values) for (const value of rest) lines.push(labelled(name, value))
  return lines.filter((line) => line !== '')
}

function labelled(caption: string, value: string): string {
  const [label, stated] = [caption, value].map((text) => text.replace(/\s+/g, ' ').trim())
  if (label === '' || stated === '') return `${label}${stated}`
  return /[:?]$/.test(label ?? '') ? `${label} ${stated}` : `${label}: ${stated}`
}

function* packetsOf(source: Buffer): Generator<string> {
  let at = 0
  for (let count = 0; count < maxStreams; count++) {
    const word = source.indexOf('stream', at)
    if (word < 0) return
    const from = word + (source[word + 6] === 0x0d ? 8 : 7)
    const to = source.indexOf('endstream', from)
    if (to < 0) return
    at = to + 9
    const packet = packetIn(source.subarray(from, to))
    if (packet !== undefined) yield packet
  }
}

function packetIn(stream: Buffer): string | undefined {
  // The first byte of zlib data, or of XML.
  if (stream[0] !== 0x3c && (stream[0] ?? 0) % 16 !== 8) return undefined
  try {
    const bytes = stream[0] === 0x3c ? stream : inflateSync(stream, { maxOutputLength: maxPacketBytes })
    return /xfa-template|xfa-data|<xdp:xdp/.test(bytes.toString('latin1', 0, 2_000))
      ? bytes.toString('utf8')
      : undefined
  } catch {
    return undefined
  }
}

// ── template ──

/** A text of the form, or a field with its caption. */
interface Entry {
  readonly name: string | undefined
  caption: string
  value: string
}

function createTemplate(): { readonly handler: XmlHandler; readonly entries: readonly Entry[] } {
  const entries: Entry[] = []
  const open: string[] = []
  return {
    entries,
    handler: {
      open(full, attributes) {
        const name = localName(full)
        open.push(name)
        if (!open.includes('template')) return
        if (name === 'draw' || name === 'field' || name === 'exclGroup')
          entries.push({ name: name === 'draw' ? undefined : attributes['name'], caption: '', value: '' })
      },
      close() {
        open.pop()
      },
      text(text) {
        const entry = entries.at(-1)
        if (entry === undefined || !open.includes('template')) return
        if (!open.some((name) => name === 'text' || name === 'exData')) return
        // The choices of a list are not text of the form.
        if (open.includes('items') || open.includes('event') || open.includes('assist')) return
        const isCaption = open.includes('caption') || open.includes('draw')
        if (isCaption) entry.caption += `${text} `
        else if (open.includes('value')) entry.value += text
      },
    },
  }
}

// ── data ──

function createData(): { readonly handler: XmlHandler; readonly values: Map<string, string[]> } {
  const values = new Map<string, string[]>()
  let depth = 0
  let leaf: { readonly name: string; text: string } | undefined
  return {
    values,
    handler: {
      open(full) {
        const name = localName(full)
        if (depth === 0 && name !== 'data') return
        depth++
        if (depth > 1) leaf = { name, text: '' }
      },
      close() {
        if (depth > 0) depth--
        const text = leaf?.text.trim() ?? ''
        if (leaf !== undefined && text !== '') {
          const known = values.get(leaf.name) ?? []
          known.push(text)
          values.set(leaf.name, known)
        }
        leaf = undefined
      },
      text(text) {
        if (leaf !== undefined) leaf.text += text
      },
    },
  }
}
